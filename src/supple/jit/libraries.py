"""Compiled code on its way from functions to kernels: what is linked, optimised and translated, and where.

Each function inside kernels is a `Part`, which waits for the kernels it ends in; each kernel is a `Whole`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from llvmlite.binding import Linkage, parse_assembly
from numba.core.codegen import JITCodeLibrary


class Kept(NamedTuple):
    """Where the code of an inner function is kept: the function, the key of its types, and its name for the linker."""

    function: str
    key: str
    symbol: str


class Part(JITCodeLibrary):  # type: ignore[misc]
    """Code of an inner function: left for the kernels it is in to be linked, optimised and translated to machine code.

    Numba would do all three for every function by itself, and again in every function that calls it.
    """

    kept: Kept | None = None
    symbols: tuple[str, ...] = ()  #: what it defines
    _with_all: Any = None

    @classmethod
    def restored(cls, codegen: Any, kept: Kept, module: Any, called: list[Part]) -> Part:
        """Code that was kept, of a function that calls others."""
        library = cls(codegen, kept.function)
        library.kept, library._final_module, library._linking_libraries = kept, module, called
        library._finalized = True
        return library

    def finalize(self) -> None:
        """Make it ready for linking, by itself: several kernels may hold it, and none of them all that it has."""
        self._raise_if_finalized()
        defined = [function for function in self._final_module.functions if not function.is_declaration]
        for function in defined:
            if function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"
        self.symbols = tuple(function.name for function in defined)
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Its code with all that it calls, for functions of plain Numba, which link what they call and no more."""
        self._ensure_finalized()
        if self._with_all is None:
            self._with_all = self._final_module.clone()
            for called in all_called(self):
                self._with_all.link_in(_Alone(called)._get_module_for_linking(), preserve=True)
        return self._with_all

    def get_pointer_to_function(self, name: str) -> int:
        """Nowhere: there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Where Numba sets what follows."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Inner functions need no Python objects; without machine code there is no place for them either."""


class Outlined(Part):
    """Code of an inner function that is inlined nowhere."""

    def add_ir_module(self, module: Any) -> None:
        """Take the code of the function."""
        _mark(module, "noinline")
        super().add_ir_module(module)


def _mark(module: Any, attribute: str) -> None:
    """Give an attribute to all functions of a module that has not become LLVM's yet."""
    for function in module.functions:
        if not function.is_declaration:
            function.attributes.add(attribute)


def with_helpers(library: Part, symbol: str) -> Any:
    """Code of an inner function with what it has of Numba, to which no other code may link: names are not lasting."""
    helpers = [called for called in library._linking_libraries if not isinstance(called, Part)]
    if not helpers and library.symbols == (symbol,):
        return library._final_module
    module = library._final_module.clone()
    for helper in helpers:
        module.link_in(helper._get_module_for_linking(), preserve=True)
    for function in module.functions:
        if not function.is_declaration and function.name != symbol:
            function.name = f"{function.name}.{symbol}"
            function.linkage = "internal"
    return module


def all_called(library: Any) -> dict[Any, None]:
    """What a library calls, and what inner functions among that call in their turn, in the order in which they do."""
    found: dict[Any, None] = {}
    waiting = list(reversed(library._linking_libraries))
    while waiting:
        called = waiting.pop()
        if called not in found:
            found[called] = None
            if isinstance(called, Part):
                waiting.extend(reversed(called._linking_libraries))
    return found


class _Alone:
    """A library to be linked without what it calls, which is linked beside it."""

    def __init__(self, library: Any) -> None:
        self.library = library

    def __getattr__(self, name: str) -> Any:
        return getattr(self.library, name)

    def _get_module_for_linking(self) -> Any:
        alone = isinstance(self.library, Part)
        return self.library._final_module if alone else self.library._get_module_for_linking()


class Whole(JITCodeLibrary):  # type: ignore[misc]
    """Code of a kernel with all functions inside it, which it shares with no other kernel.

    Numba lets code that was loaded first stand for functions of the same name in all that follows.  Each kernel has its
    own version of them, optimised as part of it, and versions differ in rounding: results would depend on what else a
    process has loaded before.
    """

    def finalize(self) -> None:
        """Link every function inside once, optimise the whole and translate it."""
        self._linking_libraries = [_Alone(called) for called in all_called(self)]
        super().finalize()

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                # the linker knows internal names, too: plain njit code must not find what was specialised for a kernel
                function.name = f"{function.name}.{self.name}"
                function.linkage = "internal"
        super()._optimize_final_module()


class Short(Whole):
    """The same, short: loops are unrolled and made vectors of only in functions that are `Outlined`."""

    def add_ir_module(self, module: Any) -> None:
        """Take the code of the kernel itself."""
        _mark(module, "optsize")
        super().add_ir_module(module)

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if _can_mark() and not function.is_declaration and b"noinline" not in _attributes(function):
                function.add_function_attribute("optsize")
        super()._optimize_final_module()


def _attributes(function: Any) -> list[bytes]:
    """Those of one of LLVM's functions."""
    return b" ".join(function.attributes).split()


@cache
def _can_mark() -> bool:
    """Whether LLVM's functions can be given attributes: llvmlite 0.44 gives them to what a function returns."""
    function = parse_assembly("define i64 @f(i64 %x) { ret i64 %x }").get_function("f")
    function.add_function_attribute("optsize")
    return b"optsize" in _attributes(function)
