"""The one decorator of every compiled function, and the stamp of the on-disk cache.

Numba decides whether a cached binary is stale by looking at the *one* file in which a function is defined.
Our kernels call each other across files, so that is not enough: an edit of ``lie/tangent.py`` must also
invalidate the inverse dynamics.  `kernel` therefore stamps every cache entry with one digest over all
files of the compiled ring (`RING`); loads, which kernels call by address only, with one over theirs as well.
"""

from __future__ import annotations

import gc
import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.core.ccallback import CFunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags
from numba.core.registry import CPUDispatcher
from numba.core.types.functions import BaseFunction
from numba.extending import intrinsic, lower_cast

#: Folders of the package whose sources are compiled; the digest runs over all of their files.
RING = ("lie", "core")
#: Folders of loads: edited without touching the ring.
LOADS = ("loads",)

#: ``contract`` lets multiply-adds fuse, ``nsz`` ignores the sign of zero.  NaN and infinity keep their
#: meaning (kernels report them), and sums keep their order.
FASTMATH = {"contract", "nsz"}


def ring_digest(folders: tuple[str, ...] = RING) -> str:
    """Digest over this file and all sources of some folders (content, not time stamps)."""
    package = Path(__file__).parent
    files = [Path(__file__), *(file for folder in folders for file in sorted((package / folder).glob("*.py")))]
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


@cache
def stamp_of(folder: str) -> str:
    """Stamp of kernels in a folder: that of the ring, and of the folder itself if it is outside."""
    return _STAMP if folder in RING else ring_digest((*RING, folder))


_STAMP = ring_digest()
_LOAD_STAMP = ring_digest(RING + LOADS)


class _Flags(Flags):  # type: ignore[misc]
    """Numba's flags, compared quickly: Numba looks something up under them at every operation that it types."""

    _defaults: ClassVar = {name: option.default for name, option in Flags.options.items()}
    _hash = hash(Flags())  # depends on the names of the options alone

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> Any:
        return self is other or super().__eq__(other)

    def values(self) -> dict[str, Any]:
        return {**self._defaults, **self._values}


_resolve = BaseFunction.get_call_type
_resolved: dict[Any, Any] = {}


def _remember(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """Numba tries up to a dozen templates at every operator that it types, of thousands, between few types."""
    if kws:
        return _resolve(self, context, args, kws)
    key = id(self), tuple(args)
    if key not in _resolved:
        _resolved[key] = _resolve(self, context, args, kws), self  # who is held keeps its id
    return _resolved[key][0]


@contextmanager
def _swift_compiler() -> Iterator[None]:
    """Numba, a quarter quicker: it remembers types, and does not look for garbage among millions of living objects."""
    thresholds, resolve = gc.get_threshold(), BaseFunction.get_call_type
    if gc.isenabled():
        gc.set_threshold(100_000, *thresholds[1:])
    BaseFunction.get_call_type = _remember  # type: ignore[method-assign]
    try:
        yield
    finally:
        BaseFunction.get_call_type = resolve  # type: ignore[method-assign]
        gc.set_threshold(*thresholds)


class _Kernel(Compiler):  # type: ignore[misc]
    """Numba's pipeline, with those flags."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.state.flags = _Flags(self.state.flags)

    def compile_extra(self, function: Any) -> Any:
        with _swift_compiler():
            return super().compile_extra(function)


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` lazily without the GIL, cached on disk under the stamp of the whole ring."""
    dispatcher = numba.njit(cache=True, nogil=True, fastmath=FASTMATH, error_model="numpy", pipeline_class=_Kernel)(
        function
    )
    # The index file compares this stamp with the stored one; Numba's own is (mtime, size) of one file.
    dispatcher._cache._cache_file._source_stamp = stamp_of(Path(function.__code__.co_filename).parent.name)
    return dispatcher


#: Signature of a load, see core.loads: addresses of tree, space and data, and the mode.
_LOAD = types.void(*[types.int64] * 4)


def load_stamp(file: str) -> str:
    """Stamp of a load's cache entry: the ring and the loads, and the content of the one file if it is a user's."""
    path = Path(file)
    if not path.is_file() or path.parent == Path(__file__).parent / "loads":
        return _LOAD_STAMP
    return f"{_LOAD_STAMP} {hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()}"


@contextmanager
def _straight_vectors(wanted: bool) -> Iterator[None]:
    """Whether LLVM looks for vectors outside of loops too (contact: an eighth less time)."""
    before, config.SLP_VECTORIZE = config.SLP_VECTORIZE, int(wanted)
    try:
        yield
    finally:
        config.SLP_VECTORIZE = before


#: Held while a kernel gets its address.
_COMPILING = threading.RLock()


class AddressedKernel:
    """A function that others call by its address, compiled (or read from the cache) when that is first asked for.

    What calls it is compiled apart from it: solvers are small, and the large kernels are compiled once for all of them.
    """

    #: Whether it has much arithmetic outside of loops.
    straight: ClassVar = False

    def __init__(self, function: Callable[..., Any], signature: Any, stamp: str = _STAMP) -> None:
        self.function, self.signature, self.stamp = function, signature, stamp
        self.__doc__ = function.__doc__

    @cached_property
    def address(self) -> int:
        """Where kernels call it.  Threads that ask at once wait for one compilation: a second would free the first."""
        with _COMPILING:
            if "address" not in self.__dict__:
                self.__dict__["address"] = self._compile()
            return int(self.__dict__["address"])

    def _compile(self) -> int:
        """Compile, or read from the cache."""
        signature = self.signature.args, self.signature.return_type
        options = {"fastmath": FASTMATH, "error_model": "numpy"}
        compiled: Any = CFunc(self.function, signature, {}, options, pipeline_class=_Kernel)
        compiled.enable_caching()
        compiled._cache._cache_file._source_stamp = self.stamp
        with _straight_vectors(self.straight):
            compiled.compile()
        self.compiled = compiled  # owns the machine code
        return int(compiled.address)


def calling(signature: Any) -> Any:
    """Intrinsic ``call(address, *arguments)`` for compiled functions of one signature of integers and floats."""

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing_context: Any, function: Any, arguments: Any) -> Any:
        typed = signature.return_type(types.int64, types.Tuple(signature.args))

        def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
            lowered = [context.get_value_type(argument) for argument in signature.args]
            returned = ir.VoidType() if signature.return_type == types.void else ir.IntType(64)
            pointer = builder.inttoptr(values[0], ir.FunctionType(returned, lowered).as_pointer())
            result = builder.call(pointer, cgutils.unpack_tuple(builder, values[1]))
            return context.get_dummy_value() if signature.return_type == types.void else result

        return typed, generate

    return call


class LoadKernel(AddressedKernel):
    """A load's compiled function.

    It pickles as a reference to its function, which must therefore stand at the top level of a module.
    """

    straight = True

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, _LOAD, load_stamp(function.__code__.co_filename))

    def __reduce__(self) -> Any:
        # an address means nothing in another process
        return _unpickled, (self.function,)


@cache
def _unpickled(function: Callable[..., Any]) -> LoadKernel:
    """One kernel for all unpickled models."""
    return LoadKernel(function)


class _Part(JITCodeLibrary):  # type: ignore[misc]
    """Code of an inner function: left for the kernels it is in to be optimised and translated to machine code.

    Numba would do both for every function by itself, and again in every function that calls it.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Inner functions need no Python objects; without machine code there is no place for them either."""


class _Inner(_Kernel):
    """The pipeline of inner functions."""

    noalias = False

    def compile_extra(self, function: Any) -> Any:
        self.state.flags.noalias = self.noalias
        self.state.library = _Part(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)


class _Leaf(_Inner):
    """The same with the promise that array arguments do not overlap."""

    noalias = True


def _general(kind: Any) -> Any:
    """Type as which an argument is passed: no constant, and an array of a record like any other array."""
    if isinstance(kind, types.NestedArray):
        return types.Array(kind.dtype, kind.ndim, "C")
    return types.unliteral(kind)


@lower_cast(types.NestedArray, types.Array)  # type: ignore[untyped-decorator]
def _nested_to_array(context: Any, builder: Any, nested: Any, array: Any, value: Any) -> Any:
    """Both are the same in memory."""
    return value


class _Dispatcher(CPUDispatcher):  # type: ignore[misc]
    """Compiles a function once for all values of a constant argument, where Numba would do it for each value."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(map(_general, args), {name: _general(kind) for name, kind in kws.items()})


def _inside(function: Callable[..., Any], pipeline: type[_Inner], inline: bool) -> Any:
    """Compile ``function`` for use inside kernels, without reference counts: it must not make arrays."""
    options = {
        "nopython": True,
        "nogil": True,
        "fastmath": FASTMATH,
        "error_model": "numpy",
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
        "forceinline": inline,  # if not said, Numba would take it from the caller that comes first
        "_nrt": False,
    }
    return _Dispatcher(function, targetoptions=options, pipeline_class=pipeline)


def inner(function: Callable[..., Any]) -> Any:
    """Compile ``function`` for use inside kernels only, and cache it with the kernels it is in.

    It has no entry from Python, where calling it would crash: wrap it in an ``njit`` function to try it out.
    """
    return _inside(function, _Inner, inline=False)


def inlined(function: Callable[..., Any]) -> Any:
    """As `inner`, but always inlined: for functions that take the whole tree or space, or do little per joint.

    An array is passed by value, a named tuple of arrays too: copying one costs more than the work on a joint.  But
    every place that inlines a function optimises it again, so what is rare or long stays `inner`.
    """
    return _inside(function, _Inner, inline=True)


def leaf(function: Callable[..., Any]) -> Any:
    """As `inlined`, for arithmetic on arrays of which none overlaps one that is written.

    The compiler then keeps entries in registers across writes, and vectorises without testing addresses.
    """
    return _inside(function, _Leaf, inline=True)
