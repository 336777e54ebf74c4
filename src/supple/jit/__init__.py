"""The decorators of every compiled function.

`kernel` is for functions that Python calls, `AddressedKernel` and `LoadKernel` for those that other kernels call by
address, `inner`, `inlined`, `leaf` and `outlined` for functions inside of them.  They are compiled at the first call,
which is told (`supple.jit.notices`), and kept on disk (`supple.jit.store`) under a digest of their sources
(`supple.jit.stamps`).  `supple.jit.mode` says by which of two compilers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from supple.jit.addressed import (
    ADDRESSED,
    AddressedKernel,
    FieldKernel,
    GradientKernel,
    LoadKernel,
    MapKernel,
    SmoothGradientKernel,
)
from supple.jit.calls import FASTMATH, Work, calling
from supple.jit.lanes import (
    LANES,
    LANES_SIZE,
    all_below,
    any_below,
    blend,
    cosine,
    gather_four,
    lane_matrix_at,
    lane_sum,
    lane_vector_at,
    last_of,
    local_lanes,
    local_like,
    root,
    running_sum,
    scatter_four,
    sine,
)
from supple.jit.local_arrays import local_array
from supple.jit.local_records import local_record
from supple.jit.mode import compiler
from supple.jit.opaque import opaque
from supple.jit.stamps import LOADS, RING, kernel_stamp, load_stamp, made_for, ring_digest, room, stamp_of

__all__ = [
    "ADDRESSED",
    "FASTMATH",
    "KERNELS",
    "LANES",
    "LANES_SIZE",
    "LOADS",
    "RING",
    "AddressedKernel",
    "FieldKernel",
    "GradientKernel",
    "LoadKernel",
    "MapKernel",
    "SmoothGradientKernel",
    "Work",
    "all_below",
    "any_below",
    "blend",
    "calling",
    "cosine",
    "gather_four",
    "inlined",
    "inner",
    "kernel",
    "lane_matrix_at",
    "lane_sum",
    "lane_vector_at",
    "last_of",
    "leaf",
    "load_stamp",
    "local_array",
    "local_lanes",
    "local_like",
    "local_record",
    "made_for",
    "opaque",
    "outlined",
    "ring_digest",
    "room",
    "root",
    "running_sum",
    "scatter_four",
    "settle",
    "sine",
    "stamp_of",
]

#: All functions that Python calls.
KERNELS: list[Any] = []

# Whoever holds it may wait for Numba's own lock, and nobody who holds that settles anything.
_settling = threading.Lock()


def kernel(function: Callable[..., Any], work: Work = Work.LOOPS) -> Any:
    """Compile ``function`` lazily without the GIL, cached on disk under the stamp of the whole ring."""
    compiled = compiler().kernel(function, kernel_stamp(function), work)
    KERNELS.append(compiled)
    return compiled


def settle(kernel: Any, types: tuple[Any, ...]) -> None:
    """Compile a kernel for arguments of these types, and for no others: they raise `TypeError` from then on.

    Numba looks at the types of all arguments anyway, which spares us to do so in Python: a fifth of a short call.
    """
    if kernel._can_compile:
        with _settling:
            if kernel._can_compile:  # another thread may have done so meanwhile: then Numba would refuse to compile
                kernel.compile(types)
                kernel.disable_compile()


def inner(function: Callable[..., Any]) -> Any:
    """Compile ``function`` for use inside kernels only, and cache it with the kernels it is in.

    It has no entry from Python, where calling it would crash: wrap it in an ``njit`` function to try it out.
    """
    return compiler().inner(function)


def inlined(function: Callable[..., Any]) -> Any:
    """As `inner`, but always inlined: for functions that do little per joint.

    Arrays are passed by value, half a dozen numbers each: copying a few costs more than the work on a joint.  But every
    place that inlines a function optimises it again, so what is rare or long stays `inner`.
    """
    return compiler().inlined(function)


def leaf(function: Callable[..., Any]) -> Any:
    """As `inlined`, for arithmetic on arrays of which none overlaps one that is written.

    The compiler then keeps entries in registers across writes, and vectorises without testing addresses.
    """
    return compiler().leaf(function)


def outlined(function: Callable[..., Any]) -> Any:
    """As `leaf`, but never inlined: for loops over matrices.

    It is optimised once for all places of a kernel, and stays fast where the code around is short (`Work.BOOKKEEPING`).
    """
    return compiler().outlined(function)
