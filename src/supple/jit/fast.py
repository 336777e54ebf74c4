"""Kernels by the insides of Numba: compiled in a fraction of the time that ``njit`` takes, to faster code.

Each function inside kernels is typed and lowered once and translated to machine code only in the kernels it ends in;
types that were resolved are remembered; nested arrays of records pass as arrays.  All of this holds for our own
functions alone: Numba's contexts are copied for each of them, so that users' own Numba code finds Numba as it is.
`supple.jit.mode` decides whether the insides are those that this file knows.
"""

from __future__ import annotations

import copy
import dis
import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, ClassVar

import numba
from numba import types
from numba.core import base, config, postproc
from numba.core.ccallback import CFunc
from numba.core.compiler import Compiler, Flags
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.cpu import CPUContext
from numba.core.interpreter import Interpreter
from numba.core.registry import CPUDispatcher
from numba.core.transforms import canonicalize_cfg
from numba.core.types.functions import BaseFunction
from numba.core.typing.context import Context

from supple.jit import lowering
from supple.jit.array_values import named_member
from supple.jit.cache import KernelCache
from supple.jit.calls import FASTMATH, Work
from supple.jit.libraries import Outlined, Part, Short, Whole
from supple.jit.parts import PartCache

MODE = "fast"


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


_fields: dict[Any, Any] = {}


class _Typing(Context):  # type: ignore[misc]
    """Numba's knowledge of types, known by its class where it types our functions."""

    _fresh = False

    def resolve_getattr(self, typ: Any, attr: str) -> Any:
        """Type of an attribute, remembered for members of records and named tuples: Numba asks all it was taught."""
        if not isinstance(typ, (types.Record, types.BaseNamedTuple)):
            return super().resolve_getattr(typ, attr)
        key = id(typ), attr
        if key not in _fields:
            _fields[key] = super().resolve_getattr(typ, attr), typ  # who is held keeps its id
        return _fields[key][0]

    def refresh(self) -> None:
        """Look for newly registered types, once per function: Numba would at thousands of operations."""
        if not self._fresh:
            self._fresh = True
            super().refresh()


_resolve = BaseFunction.get_call_type
_resolved: dict[Any, Any] = {}


def _remember(self: Any, context: Any, args: Any, kws: Any) -> Any:
    """Numba tries up to a dozen templates at every operator that it types, of thousands, between few types."""
    if kws or type(context) is not _Typing:
        return _resolve(self, context, args, kws)
    key = id(self), tuple(args)
    if key not in _resolved:
        _resolved[key] = _resolve(self, context, args, kws), self  # who is held keeps its id
    return _resolved[key][0]


_process = postproc.PostProcessor.run


def _process_briefly(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
    """Numba follows all variables through a function behind four of its passes; only what comes last looks at them."""
    if emit_dels or self.func_ir.is_generator:
        _process(self, emit_dels, extend_lifetimes)
        return
    self.func_ir.blocks = canonicalize_cfg(self.func_ir.blocks)
    self.func_ir.variable_lifetime = postproc.VariableLifetime(self.func_ir.blocks)  # computed if it is asked for
    self.func_ir.generator_info = None


_simplify = Interpreter.post_process

#: What Numba simplifies in a function that it has read, and the operation of Python without which there is no need.
_NEEDS = {"peep_hole_delete_with_exit": "WITH_EXCEPT_START", "peep_hole_fuse_dict_add_updates": "DICT_UPDATE"}


def _simplify_briefly(self: Any, peepholes: Any, function: Any) -> Any:
    """Numba looks through all variables for ends of ``with`` and for dictionaries, which hardly a function has."""
    present = {dis.opname[operation] for operation in self.func_id.func.__code__.co_code[::2]} | {None}
    return _simplify(self, [peep for peep in peepholes if _NEEDS.get(peep.__name__) in present], function)


#: Whether what translates an operation asks for its place in the source; Numba would read its signature each time.
_takes_location = lru_cache(4096)(base._has_loc)

_sizes: dict[Any, int] = {}


class _Target(CPUContext):  # type: ignore[misc]
    """Numba's target, on which an array of a record is like any other array: both are the same in memory."""

    _fresh = False

    def refresh(self) -> None:
        """As for types."""
        if not self._fresh:
            self._fresh = True
            super().refresh()

    def load_additional_registries(self) -> None:
        """What is new in registries that are known: Numba's own target has just found all (`KernelCache`)."""
        for registry in list(self._registries):
            self.install_registry(registry)

    def mangler(self, name: str, kinds: Any, *, abi_tags: Any = (), uid: Any = None) -> Any:
        """Name for the linker, with a digest of the types of arguments: those of records fill pages if spelled out."""
        spelled = ";".join(kind.name if isinstance(kind, types.Type) else str(kind) for kind in kinds)
        digest = hashlib.blake2b(spelled.encode(), digest_size=8).hexdigest()
        return super().mangler(name, (), abi_tags=(*abi_tags, digest), uid=uid)

    def get_abi_sizeof(self, kind: Any) -> int:
        """Size of a type in memory, remembered: LLVM would be given a module of its own to answer."""
        if kind not in _sizes:
            _sizes[kind] = super().get_abi_sizeof(kind)
        return _sizes[kind]

    def cast(self, builder: Any, val: Any, fromty: Any, toty: Any) -> Any:
        """A value as another type."""
        if isinstance(fromty, types.NestedArray) and isinstance(toty, types.Array):
            return val
        return super().cast(builder, val, fromty, toty)

    def get_function(self, fn: Any, sig: Any, _firstcall: bool = True) -> Any:
        """How a call is translated: by our own means where there are some."""
        own = lowering.translation(self, fn, sig)
        if own is None:
            return super().get_function(fn, sig, _firstcall)
        return lambda builder, arguments, loc=None: own(self, builder, sig, arguments)

    def get_getattr(self, typ: Any, attr: str) -> Any:
        """How an attribute is read."""
        return lowering.attribute(typ, attr) or super().get_getattr(typ, attr)

    def pair_first(self, builder: Any, val: Any, ty: Any) -> Any:
        """What a loop yields in a round."""
        return named_member(self, builder, ty, val, "first")

    def pair_second(self, builder: Any, val: Any, ty: Any) -> Any:
        """Whether there was another round."""
        return named_member(self, builder, ty, val, "second")


def _changed(context: Any, kind: type) -> Any:
    """A copy of a context of another class, which shares all that was registered."""
    changed = copy.copy(context)
    changed.__class__ = kind
    return changed


@contextmanager
def _swift_compiler() -> Iterator[None]:
    """Numba, a quarter quicker: it remembers types, and does not look for garbage among millions of living objects.

    Numba's lock is held, so no other thread compiles meanwhile; and a user's function that is compiled within the block
    is typed by another context, for which nothing is remembered.
    """
    thresholds, resolve, has_loc = gc.get_threshold(), BaseFunction.get_call_type, base._has_loc
    process, simplify = postproc.PostProcessor.run, Interpreter.post_process
    if gc.isenabled():
        gc.set_threshold(1_000_000, *thresholds[1:])
    BaseFunction.get_call_type = _remember  # type: ignore[method-assign]
    base._has_loc = _takes_location
    postproc.PostProcessor.run = _process_briefly
    Interpreter.post_process = _simplify_briefly
    try:
        yield
    finally:
        BaseFunction.get_call_type = resolve  # type: ignore[method-assign]
        base._has_loc = has_loc
        postproc.PostProcessor.run = process
        Interpreter.post_process = simplify
        gc.set_threshold(*thresholds)


#: Passes for closures and comprehensions, for expressions of whole arrays (which would allocate), and for library
#: functions that ask to be inlined: a fifteenth of the time.
_IDLE = frozenset({"InlineClosureLikes", "NopythonRewrites", "InlineOverloads"})


class _Kernel(Compiler):  # type: ignore[misc]
    """Numba's pipeline, with those flags and contexts."""

    library: type[Whole] = Whole
    idle = _IDLE

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.state.flags = _Flags(self.state.flags)
        self.state.typingctx = _changed(self.state.typingctx, _Typing)
        self.state.targetctx = _changed(self.state.targetctx, _Target)
        self.state.targetctx.typing_context = self.state.typingctx

    def compile_extra(self, function: Any) -> Any:
        self.has_closures = any(hasattr(constant, "co_code") for constant in function.__code__.co_consts)
        if self.state.library is None:
            self.state.library = self.library(self.state.targetctx.codegen(), function.__qualname__)
            self.state.library.enable_object_caching()
        with global_compiler_lock, _swift_compiler():
            return super().compile_extra(function)

    def define_pipelines(self) -> Any:
        """Numba's passes, but for those that look for what a function does not have."""
        passes = PassManager("kernel")
        for kind, description in super().define_pipelines()[0].passes:
            if kind.__name__ not in self.idle or (kind.__name__ == "InlineClosureLikes" and self.has_closures):
                passes.add_pass(kind, description)
        passes.finalize()
        return [passes]


class _Bookkeeping(_Kernel):
    """The pipeline of kernels in which little is computed."""

    library = Short


def _pipeline(work: Work) -> type[_Kernel]:
    return _Bookkeeping if work is Work.BOOKKEEPING else _Kernel


def kernel(function: Callable[..., Any], stamp: str, work: Work = Work.LOOPS) -> Any:
    """A function called from Python."""
    options = {"nogil": True, "fastmath": FASTMATH, "error_model": "numpy", "pipeline_class": _pipeline(work)}
    dispatcher = numba.njit(**options)(function)
    dispatcher._cache = KernelCache(function, stamp, MODE)
    return dispatcher


@contextmanager
def _straight_vectors(wanted: bool) -> Iterator[None]:
    """Whether LLVM looks for vectors outside of loops too (contact: an eighth less time); no other thread compiles."""
    with global_compiler_lock:
        before, config.SLP_VECTORIZE = config.SLP_VECTORIZE, int(wanted)
        try:
            yield
        finally:
            config.SLP_VECTORIZE = before


def callback(function: Callable[..., Any], signature: Any, stamp: str, work: Work) -> Any:
    """A function called by its address."""
    options = {"fastmath": FASTMATH, "error_model": "numpy"}
    types_of = signature.args, signature.return_type
    compiled: Any = CFunc(function, types_of, {}, options, pipeline_class=_pipeline(work))
    compiled._cache = KernelCache(function, stamp, MODE)
    with _straight_vectors(work is Work.FORMULAS):
        compiled.compile()
    return compiled


class _Inner(_Kernel):
    """The pipeline of inner functions, which count no references and need not know where variables end."""

    noalias = False
    part: type[Part] = Part
    idle = _IDLE | {"IRLegalization"}

    def compile_extra(self, function: Any) -> Any:
        self.state.flags.noalias = self.noalias
        self.state.library = self.part(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)


class _Leaf(_Inner):
    """The same with the promise that array arguments do not overlap."""

    noalias = True


class _Outlined(_Leaf):
    """The same of functions that stay where they are."""

    part = Outlined


def _general(kind: Any) -> Any:
    """Type as which an argument is passed: no constant, and an array of a record like any other array."""
    if isinstance(kind, types.NestedArray):
        return types.Array(kind.dtype, kind.ndim, "C")
    return types.unliteral(kind)


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
    dispatcher = _Dispatcher(function, targetoptions=options, pipeline_class=pipeline)
    dispatcher._cache = PartCache(function, MODE)
    return dispatcher


def inner(function: Callable[..., Any]) -> Any:
    """A function inside kernels; it has no entry from Python, where calling it would crash."""
    return _inside(function, _Inner, inline=False)


def inlined(function: Callable[..., Any]) -> Any:
    """As `inner`, but always inlined."""
    return _inside(function, _Inner, inline=True)


def leaf(function: Callable[..., Any]) -> Any:
    """As `inlined`, with the promise that no argument overlaps one that is written."""
    return _inside(function, _Leaf, inline=True)


def outlined(function: Callable[..., Any]) -> Any:
    """As `leaf`, but never inlined."""
    return _inside(function, _Outlined, inline=False)
