"""Kernels by what Numba promises to everybody: ``njit`` and ``cfunc``.  Slower to compile, the same numbers.

Used where Numba is not one of the versions whose insides `supple.jit.fast` knows, or with ``SUPPLE_JIT=plain``.
Nothing of Numba is changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from supple.jit.cache import KernelCache
from supple.jit.calls import FASTMATH, Work

MODE = "plain"


def kernel(function: Callable[..., Any], stamp: str, work: Work = Work.LOOPS) -> Any:
    """A function called from Python, whatever work it does."""
    dispatcher = numba.njit(nogil=True, fastmath=FASTMATH, error_model="numpy")(function)
    if hasattr(dispatcher, "_cache"):  # without, every process compiles
        dispatcher._cache = KernelCache(function, stamp, MODE)
    return dispatcher


def callback(function: Callable[..., Any], signature: Any, stamp: str, work: Work) -> Any:
    """A function called by its address, whatever work it does."""
    try:
        from numba.core.ccallback import CFunc

        options = {"nopython": True, "fastmath": FASTMATH, "error_model": "numpy"}
        compiled: Any = CFunc(function, (signature.args, signature.return_type), {}, options)
        compiled._cache = KernelCache(function, stamp, MODE)
        compiled.compile()
    except (ImportError, AttributeError, TypeError):  # without a cache, by the public name
        compiled = numba.cfunc(signature, fastmath=FASTMATH, error_model="numpy")(function)
    return compiled


def inner(function: Callable[..., Any]) -> Any:
    """A function inside kernels."""
    return numba.njit(nogil=True, fastmath=FASTMATH, error_model="numpy")(function)


#: Inlining and the promise of no overlap are for speed only.
inlined = leaf = outlined = inner
