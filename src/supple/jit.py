"""The one decorator of every compiled function, and the stamp of the on-disk cache.

Numba decides whether a cached binary is stale by looking at the *one* file in which a function is defined.
Our kernels call each other across files, so that is not enough: an edit of ``lie/tangent.py`` must also
invalidate the inverse dynamics.  `kernel` therefore stamps every cache entry with one digest over all
files of the compiled ring (`RING`); loads, which kernels call by address only, with one over theirs as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.ccallback import CFunc
from numba.core.compiler import Compiler
from numba.extending import intrinsic

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


def kernel(function: Callable[..., Any]) -> Any:
    """Compile ``function`` lazily without the GIL, cached on disk under the stamp of the whole ring."""
    dispatcher = numba.njit(cache=True, nogil=True, fastmath=FASTMATH, error_model="numpy")(function)
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


class AddressedKernel:
    """A function that others call by its address, compiled (or read from the cache) when that is first asked for.

    What calls it is compiled apart from it: solvers are small, and the large kernels are compiled once for all of them.
    """

    def __init__(self, function: Callable[..., Any], signature: Any, stamp: str = _STAMP) -> None:
        self.function, self.signature, self.stamp = function, signature, stamp
        self.__doc__ = function.__doc__

    @cached_property
    def address(self) -> int:
        """Where kernels call it."""
        signature = self.signature.args, self.signature.return_type
        compiled: Any = CFunc(self.function, signature, {}, {"fastmath": FASTMATH, "error_model": "numpy"})
        compiled.enable_caching()
        compiled._cache._cache_file._source_stamp = self.stamp
        compiled.compile()
        self.compiled = compiled  # owns the machine code
        return int(compiled.address)


def calling(signature: Any) -> Any:
    """Intrinsic ``call(address, *arguments)`` for compiled functions of one signature of integers and floats."""

    @intrinsic
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

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, _LOAD, load_stamp(function.__code__.co_filename))

    def __reduce__(self) -> Any:
        # an address means nothing in another process
        return _unpickled, (self.function,)


@cache
def _unpickled(function: Callable[..., Any]) -> LoadKernel:
    """One kernel for all unpickled models."""
    return LoadKernel(function)


_INNER: dict[str, Any] = {
    "nogil": True,
    "fastmath": FASTMATH,
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


def inner(function: Callable[..., Any]) -> Any:
    """Compile ``function`` for use inside kernels only, and cache it with the kernels it is in.

    It has no entry from Python, where calling it would crash: wrap it in an ``njit`` function to try it out.
    """
    return numba.njit(**_INNER)(function)


class _NoAlias(Compiler):  # type: ignore[misc]
    """Numba's pipeline with the promise that array arguments do not overlap."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.state.flags.noalias = True


def leaf(function: Callable[..., Any]) -> Any:
    """As `inner`, for arithmetic on arrays of which none overlaps one that is written.

    The compiler then keeps entries in registers across writes, and vectorises without testing addresses.
    """
    return numba.njit(pipeline_class=_NoAlias, **_INNER)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """As `inner`, but always inlined: for functions that take the whole tree or space.

    A named tuple of arrays is passed by value; copying it costs more than the work on a joint.
    """
    return numba.njit(forceinline=True, **_INNER)(function)
