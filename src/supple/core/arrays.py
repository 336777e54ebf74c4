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

from supple.core.records import (
    block_t,
    coupling_t,
    line_t,
    node_t,
    part_t,
    pose_t,
    scratch_t,
    segment_t,
    stress_t,
    work_t,
)
from supple.jit import inner


class Topology(NamedTuple):
    """Integers: who hangs on whom, and where coordinates live."""

    blocks: Any  #: (n_blocks,) block_t, parents before children
    parents: Any  #: (1 + n_segments,) segment at whose end each segment begins; 0 = world
    ranges: Any  #: (n_ranges, 2) coordinate ranges [lo, hi), see block_t
    component: Any  #: (n,) strain component 0..5 of a rod's coordinate, -1 for a joint's
    links: Any  #: (n_links, 2) coordinate range of every link
    owner: Any  #: (1 + n_segments,) block of each segment


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
    nodes: Any  #: (n_nodes,) node_t
    psi: Any  #: (n_node_columns,) basis functions at the nodes, 1/L included
    limits: Any  #: (n, 4) lower, upper, stiffness, width of soft limits; -inf, inf where free


#: What kernels see of a robot: all arrays of its topology and of its parameters, and its table of loads,
#: (n_loads, 3): address of the function, address of the handle of its data, side of the equation (see core.loads).
Tree = namedtuple("Tree", (*Topology._fields, *Parameters._fields, "loads"))


class Space(NamedTuple):
    """Preallocated scratch of one thread."""

    work: Any  #: (1 + n_segments,) work_t
    scratch: Any  #: (1,) scratch_t
    columns: Any  #: (4, 6, n_columns): S, J, R, Q
    totals: Any  #: (9, 6, n): J, R, Q at block ends; U_q, U_v; N^T J, M^T J, G^T J; M J
    tangent: Any  #: (6, n): columns of one point
    stress: Any  #: (n_nodes,) stress_t
    joint_force: Any  #: (n,) generalised force of loads on joints
    joint_slope: Any  #: (n, 6) its derivative by the coordinates of the same joint
    couplings: Any  #: (most,) coupling_t, those of loads on pairs of segments
    count: Any  #: (4,) how many couplings, lines and parts there are, and how many buds are awake
    inputs: Any  #: (nu,) inputs u of this call
    signals: Any  #: (n_signals,) values of time laws of this call
    multipliers: Any  #: (nc,) multipliers of loops of this call
    paths: Any  #: (4, 6, n) columns along the paths to a pair of segments; empty without couplings and buds
    lines: Any  #: (most,) line_t, lines whose tension follows their length (see core.lines)
    parts: Any  #: (most,) part_t, their parts
    coordinates: Any  #: (2, n) q and v of this call, for loads on buds (see core.buds); empty without, like the next
    local: Any  #: (2, n, n) what the steps of buds add to dR/dq (or the fused tangent) and to dR/dv
    buds: Any  #: (3, 26, .) their matrices
    rates: Any  #: (2,) c_v of the fused tangent; 1 if dR/dq and dR/dv are asked for separately


def make_tree(topology: Topology, parameters: Parameters, loads: np.ndarray) -> Any:
    """All arrays of a robot as one `Tree`."""
    return Tree(*topology, *parameters, loads)


def make_space(
    tree: Any,
    inputs: int = 0,
    signals: int = 0,
    couplings: int = 0,
    multipliers: int = 0,
    lines: int = 0,
    parts: int = 0,
    buds: bool = False,
) -> Space:
    """Allocate scratch for a `Tree` (zeroed, so that reruns are reproducible)."""
    n = len(tree.component)
    return Space(
        work=np.zeros(len(tree.segments), work_t),
        scratch=np.zeros(1, scratch_t),
        columns=np.zeros((4, 6, tree.phi.shape[1])),
        totals=np.zeros((9, 6, n)),
        tangent=np.zeros((6, n)),
        stress=np.zeros(len(tree.nodes), stress_t),
        joint_force=np.zeros(n),
        joint_slope=np.zeros((n, 6)),
        couplings=np.zeros(couplings, coupling_t),
        count=np.zeros(4, np.int64),
        inputs=np.zeros(inputs),
        signals=np.zeros(signals),
        multipliers=np.zeros(multipliers),
        paths=np.zeros((4, 6, n if couplings or buds else 0)),
        lines=np.zeros(lines, line_t),
        parts=np.zeros(parts, part_t),
        coordinates=np.zeros((2, n if buds else 0)),
        local=np.zeros((2, n, n) if buds else (2, 0, 0)),
        buds=np.zeros((3, 26, n + 36) if buds else (3, 0, 0)),
        rates=np.zeros(2),
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
_nodes_at, _stress_at, _couplings_at = _pointer_to(node_t), _pointer_to(stress_t), _pointer_to(coupling_t)
_lines_at, _parts_at = _pointer_to(line_t), _pointer_to(part_t)
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
        carray(_integers_at(h[5, 0]), (h[5, 1],)),
        carray(_poses_at(h[6, 0]), (h[6, 1],)),
        carray(_segments_at(h[7, 0]), (h[7, 1],)),
        carray(_floats_at(h[8, 0]), (h[8, 1], h[8, 2])),
        carray(_floats_at(h[9, 0]), (h[9, 1], h[9, 2])),
        carray(_floats_at(h[10, 0]), (h[10, 1],)),
        carray(_floats_at(h[11, 0]), (h[11, 1], h[11, 2])),
        carray(_floats_at(h[12, 0]), (h[12, 1], h[12, 2])),
        carray(_floats_at(h[13, 0]), (h[13, 1],)),
        carray(_nodes_at(h[14, 0]), (h[14, 1],)),
        carray(_floats_at(h[15, 0]), (h[15, 1],)),
        carray(_floats_at(h[16, 0]), (h[16, 1], h[16, 2])),
        carray(_integers_at(h[17, 0]), (h[17, 1], h[17, 2])),
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
        carray(_stress_at(h[5, 0]), (h[5, 1],)),
        carray(_floats_at(h[6, 0]), (h[6, 1],)),
        carray(_floats_at(h[7, 0]), (h[7, 1], h[7, 2])),
        carray(_couplings_at(h[8, 0]), (h[8, 1],)),
        carray(_integers_at(h[9, 0]), (h[9, 1],)),
        carray(_floats_at(h[10, 0]), (h[10, 1],)),
        carray(_floats_at(h[11, 0]), (h[11, 1],)),
        carray(_floats_at(h[12, 0]), (h[12, 1],)),
        carray(_floats_at(h[13, 0]), (h[13, 1], h[13, 2], h[13, 3])),
        carray(_lines_at(h[14, 0]), (h[14, 1],)),
        carray(_parts_at(h[15, 0]), (h[15, 1],)),
        carray(_floats_at(h[16, 0]), (h[16, 1], h[16, 2])),
        carray(_floats_at(h[17, 0]), (h[17, 1], h[17, 2], h[17, 3])),
        carray(_floats_at(h[18, 0]), (h[18, 1], h[18, 2], h[18, 3])),
        carray(_floats_at(h[19, 0]), (h[19, 1],)),
    )


@inner
def integers(h, i):
    """Array i, (m, k) integers, of a handle of data."""
    return carray(_integers_at(h[i, 0]), (h[i, 1], h[i, 2]))


@inner
def floats(h, i):
    """Array i, (m, k) floats, of a handle of data."""
    return carray(_floats_at(h[i, 0]), (h[i, 1], h[i, 2]))


@inner
def poses(h, i):
    """Array i, (m,) pose_t, of a handle of data."""
    return carray(_poses_at(h[i, 0]), (h[i, 1],))


@inner
def handle_at(address, rows):
    """The handle (rows, STRIDE) at an address."""
    return carray(_integers_at(address), (rows, STRIDE))


@inner
def tree_of(address):
    """The tree that a load was called with."""
    return tree_at(handle_at(address, TREE_ROWS))


@inner
def space_of(address):
    """The scratch that a load was called with."""
    return space_at(handle_at(address, SPACE_ROWS))


TREE_ROWS, SPACE_ROWS = len(Tree._fields), len(Space._fields)
