"""The arrays of a model and of its scratch, and how they reach the kernels.

A kernel needs some twenty arrays, and handing twenty arrays from Python to compiled code costs more than the inverse
dynamics of a seven-joint arm.  So they travel as one *handle*: an integer array of their addresses and shapes,
from which `tree_at` and `space_at` rebuild named tuples of arrays inside the kernel.  Whoever owns a
handle owns the arrays too, so an address never outlives its array.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import carray, types
from numba.extending import intrinsic

from supple.core.records import block_t, pose_t, scratch_t, segment_t, work_t
from supple.jit import inner


class Topology(NamedTuple):
    """Integers: who hangs on whom, and where coordinates live."""

    blocks: Any  #: (n_blocks,) block_t, parents before children
    parents: Any  #: (1 + n_segments,) segment at whose end each segment begins; 0 = world
    ranges: Any  #: (n_ranges, 2) coordinate ranges [lo, hi), see block_t
    component: Any  #: (n,) strain component 0..5 of a rod's coordinate, -1 for a joint's
    links: Any  #: (n_links, 2) coordinate range of every link


class Parameters(NamedTuple):
    """Floats: everything that may change without validation or compilation."""

    placement: Any  #: (n_blocks,) pose_t, a block's base in its parent's frame: the chart of spherical and free joints
    segments: Any  #: (1 + n_segments,) segment_t
    phi: Any  #: (2, n_columns) basis functions at the two collocation points, 1/L included
    screws: Any  #: (6, n) joint screws
    gravity: Any  #: (3,) [m/s^2], world axes
    stiffness: Any  #: (n, n) K
    damping: Any  #: (n, n) D
    rest: Any  #: (n,) coordinates at which K is unloaded
    limits: Any  #: (n, 4) lower, upper, stiffness, width of soft limits; -inf, inf where free


#: What kernels see of a robot: all arrays of its topology and of its parameters.
Tree = namedtuple("Tree", Topology._fields + Parameters._fields)


class Space(NamedTuple):
    """Preallocated scratch of one thread."""

    work: Any  #: (1 + n_segments,) work_t
    scratch: Any  #: (1,) scratch_t
    columns: Any  #: (4, 6, n_columns): S, J, R, Q
    totals: Any  #: (7, 6, n): J, R, Q at block ends; U_q, U_v; N^T J, M J
    tangent: Any  #: (6, n): columns of one point


def make_space(n: int, n_segments: int, n_columns: int) -> Space:
    """Allocate scratch for ``n`` coordinates (zeroed, so that reruns are reproducible)."""
    return Space(
        work=np.zeros(n_segments + 1, work_t),
        scratch=np.zeros(1, scratch_t),
        columns=np.zeros((4, 6, n_columns)),
        totals=np.zeros((7, 6, n)),
        tangent=np.zeros((6, n)),
    )


def handle(arrays: tuple[np.ndarray, ...]) -> np.ndarray:
    """Address and shape of every array, padded to `STRIDE` integers each."""
    rows = np.zeros((len(arrays), STRIDE), dtype=np.int64)
    for row, array in zip(rows, arrays, strict=True):
        if not array.flags.c_contiguous:
            raise ValueError("kernels read contiguous arrays only")
        row[0] = array.ctypes.data
        row[1 : 1 + array.ndim] = array.shape
    return rows


#: Integers per array in a handle: its address and up to three dimensions.
STRIDE = 4


def _pointer_to(dtype: Any) -> Any:
    """Intrinsic that turns an address into a typed pointer."""
    pointer = types.CPointer(numba.from_dtype(np.dtype(dtype)))

    @intrinsic
    def at(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(pointer))

        return pointer(types.int64), generate

    return at


_floats_at, _integers_at = _pointer_to(np.float64), _pointer_to(np.int64)
_blocks_at, _poses_at, _segments_at = _pointer_to(block_t), _pointer_to(pose_t), _pointer_to(segment_t)
_work_at, _scratch_at = _pointer_to(work_t), _pointer_to(scratch_t)


@inner
def tree_at(h):
    """The `Tree` behind a handle."""
    return Tree(
        carray(_blocks_at(h[0, 0]), (h[0, 1],)),
        carray(_integers_at(h[1, 0]), (h[1, 1],)),
        carray(_integers_at(h[2, 0]), (h[2, 1], h[2, 2])),
        carray(_integers_at(h[3, 0]), (h[3, 1],)),
        carray(_integers_at(h[4, 0]), (h[4, 1], h[4, 2])),
        carray(_poses_at(h[5, 0]), (h[5, 1],)),
        carray(_segments_at(h[6, 0]), (h[6, 1],)),
        carray(_floats_at(h[7, 0]), (h[7, 1], h[7, 2])),
        carray(_floats_at(h[8, 0]), (h[8, 1], h[8, 2])),
        carray(_floats_at(h[9, 0]), (h[9, 1],)),
        carray(_floats_at(h[10, 0]), (h[10, 1], h[10, 2])),
        carray(_floats_at(h[11, 0]), (h[11, 1], h[11, 2])),
        carray(_floats_at(h[12, 0]), (h[12, 1],)),
        carray(_floats_at(h[13, 0]), (h[13, 1], h[13, 2])),
    )


@inner
def space_at(h):
    """The `Space` behind a handle."""
    return Space(
        carray(_work_at(h[0, 0]), (h[0, 1],)),
        carray(_scratch_at(h[1, 0]), (h[1, 1],)),
        carray(_floats_at(h[2, 0]), (h[2, 1], h[2, 2], h[2, 3])),
        carray(_floats_at(h[3, 0]), (h[3, 1], h[3, 2], h[3, 3])),
        carray(_floats_at(h[4, 0]), (h[4, 1], h[4, 2])),
    )
