"""The arrays of a model and of its scratch, and how they reach the kernels.

A kernel needs some twenty arrays, and handing twenty arrays from Python to compiled code costs more than the inverse
dynamics of a seven-joint arm.  So they travel as one *handle*: an integer array of their addresses and shapes,
which `tree_at` and `space_at` see by name inside the kernel (`core.views`).  Whoever owns a handle owns the arrays too,
so an address never outlives its array.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from supple.core.records import (
    block_t,
    coupling_t,
    four_segments_t,
    four_steps_t,
    is_rod,
    line_t,
    node_t,
    part_t,
    pose_t,
    segment_t,
    stress_t,
    work_t,
)
from supple.core.views import STRIDE, Layout, View, array_of, emit_array, viewing, viewing_handles
from supple.jit import LANES, LANES_SIZE


class Topology(NamedTuple):
    """Integers: who hangs on whom, and where coordinates live."""

    blocks: Any  #: (n_blocks,) block_t, parents before children
    parents: Any  #: (1 + n_segments,) segment at whose end each segment begins; 0 = world
    ranges: Any  #: (n_ranges, 3) coordinate ranges [lo, hi), see block_t; of grafts also their first column
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
    limits: Any  #: (n, 8) lower, upper, stiffness, width of soft limits, -inf, inf where free; friction (core.elastic)


#: Arrays of a tree that follow from the others.
_FOUND = ("first", "elastic", "groups", "segment_lanes", "phi_lanes")

#: What kernels see of a robot: all arrays of its topology and of its parameters, its table of loads,
#: (n_loads, 5): address of the function, address of the handle of its data, side of the equation (see core.loads),
#: its first input and the one behind its last, and its table of maps of CUSTOM and BODY blocks, (n_maps, 5): the same
#: addresses, first entry and number of entries in Space.maps, and the address of the field of mass of a BODY, else 0
#: (see core.blocks.custom, core.blocks.body); then ``first``, (n,): first coordinate of every coordinate's link, and
#: ``elastic``, (n, 2 w) for links of w coordinates at most: what K and D hold of every link, columns of K from its
#: first coordinate on, then those of D.  They lie side by side, where those of a large robot's K and D lie in pages far
#: apart.  ``groups``, (n_blocks + 1, 2): of every block its first group of four segments, if it is a rod, and the first
#: of their columns, each of which is one of four segments; what these groups are made of, as ``four_segments_t`` in
#: ``segment_lanes`` and as (2, n) lanes of every group in ``phi_lanes`` (see `by_fours`).
Tree = namedtuple("Tree", (*Topology._fields, *Parameters._fields, "loads", "maps", *_FOUND))

#: Columns that are carried through the tree at a time (`core.articulated`): what they leave stays in a fast cache.
PANEL = 64
#: Slots of panels that are written and never read, read and never written.
UNREAD, ZERO = 0, 1

#: Floats of four segments, and of the scratch of their steps.
FOUR_SEGMENTS, FOUR_STEPS = four_segments_t.itemsize // 8, four_steps_t.itemsize // 8

#: The maps of a robot that has none.
NO_MAPS = np.zeros((0, 5), np.int64)


class Space(NamedTuple):
    """Preallocated scratch of one thread.

    No result depends on what an earlier call left here, were it NaN: everything is written or cleared before it is
    read, by whom

    * ``inputs, signals, multipliers``: the caller, before every call that asks loads;
    * ``work`` of active segments: poses, motions and operators by `core.sweep_out`; F, M, N by the wrenches of points
      (`core.sweep_in.point_wrenches`, `point_operators`, `composite_inertias`), G by `clear_pose_tangents`; all four by
      `core.internal_force.clear_points`, where points have no mass;
    * ``work[0]``, the world: its pose and motion by `core.sweep_out`, F before loads act and once more before wrenches
      are summed, M, N, G before they are summed; loads may add to them, nobody reads what they added;
    * ``work`` of dormant stations: all by the load that wakes them, which lets them sleep again (``awake`` is 0
      between loads);
    * ``count, joint_force, joint_slope, joint_drag, stress, coordinates``: `core.loads.apply_loads`, before loads act,
      and `core.actuation`;
    * ``couplings, lines, parts``: as many as ``count`` says, each when it is added;
    * ``maps``: by the pose and motion of each CUSTOM block (`core.blocks.custom`), as far as their order asks; of each
      BODY, frames likewise, sums of its field with the wrenches of points (`core.blocks.body`);
    * ``columns, rates`` and the first three of ``totals``: `core.columns`; ``totals`` else: with every block;
    * ``local``, of which the second where dR/dv is asked for separately, and U_q, U_v, U_a of ``totals``, for the sums
      of stations (`core.dormant_folding`): by the first dormant station that wakes in a tangent (count[3] says whether
      there was one);
    * sums in ``folding``: the one array that must be zero before; who sums there clears it again, padding included;
    * ``energy``: `core.energy`, before loads act;
    * ``gradient``: `core.load_gradients`, before every load that is called in mode GRADIENT;
    * ``factors, reach, panels``: `core.articulated`, which also makes M, dS, dF and dZ of points its own;
    * ``steps``: with the poses of rods (`core.blocks.rod_sweeps`); ``jacobian_lanes``: with their columns J, of which
      ``columns`` then has those of segments on which blocks hang, or all (`core.blocks.rod_columns`);
    * ``tangent, chains, balls, frames, product_lanes`` and what is left of ``folding``: by every function for itself.

    What a kernel leaves is read by nobody, with three exceptions: `core.loops` reads poses, motions and columns that
    the residual before it left, solvers and `Model.state_rates` read rates of internal states in ``signals``.
    """

    work: Any  #: (1 + n_segments,) work_t
    columns: Any  #: (4, 6, n_columns): S, J, R, Q
    totals: Any  #: (9, 6, n): J, R, Q at block ends; U_q, U_v; N^T J, M^T J, G^T J; M J
    tangent: Any  #: (6, n): columns of one point; gradients of one line
    stress: Any  #: (n_nodes,) stress_t
    joint_force: Any  #: (n,) generalised force of loads on joints
    joint_slope: Any  #: (n, k) its derivative by the coordinates of the same joint, of which none has more than k
    joint_drag: Any  #: (n, k) its derivative by their rates; ``joint_slope`` of a fused tangent has c_v times it
    couplings: Any  #: (most,) coupling_t, those of loads on pairs of segments
    count: Any  #: (5,) how many couplings, lines and parts there are, how many dormant stations are awake, and how many
    #: times one of these was coupled to another segment
    inputs: Any  #: (nu,) inputs u of this call
    signals: Any  #: (n_signals,) values of time laws of this call
    multipliers: Any  #: (nc,) multipliers of loops of this call
    chains: Any  #: (6, 6, n) columns of the chains to a pair of segments; empty without couplings and dormant stations
    lines: Any  #: (most,) line_t, lines whose tension follows their length (see core.elastic_lines)
    parts: Any  #: (most,) part_t, their parts
    coordinates: Any  #: (2, n) q and v of this call, for loads on dormant stations; empty without, like the next
    local: Any  #: (2, n, n) what the steps of dormant stations add to dR/dq (or the fused tangent) and to dR/dv
    folding: Any  #: (2, 32, .) their matrices times basis functions, see core.dormant_folding
    rates: Any  #: (3,) c_v of the fused tangent; 1 if dR/dq and dR/dv are asked for separately; c_a
    frames: Any  #: (3,) pose_t, both frames of a loop and the one relative to the other
    maps: Any  #: (.,) what the maps of CUSTOM and BODY blocks gave, block after block (see core.blocks.custom)
    balls: Any  #: (most, 5) bounding balls of a contact's groups: centre, radius, whether stations were posed
    energy: Any  #: (1,) potential energy of loads [J], in mode ENERGY
    gradient: Any  #: (5,) addresses for loads in mode GRADIENT, see core.gradient_arrays
    knots: Any  #: (2, 1 + n_segments) int64, where blocks hang: a slot of panels, and the last block; never changes
    factors: Any  #: (.,) factors of the mass matrix, block after block (see core.articulated)
    reach: Any  #: (7, n) their Y, and bounds of what was taken off the diagonal of M
    panels: Any  #: (.,) what columns leave at points on their way in and out
    sweeps: Any  #: (4,) int64, addresses of the sweep outward (core.outward) and of those of rods; never changes
    steps: Any  #: four_steps_t of every group of four segments (core.blocks.rod_sweeps)
    jacobian_lanes: Any  #: (6, n) lanes of every group: columns J of four segments
    product_lanes: Any  #: (6, n) lanes of every group of the longest rod: M J of four segments; and of their sums


def make_tree(topology: Topology, parameters: Parameters, loads: np.ndarray, maps: np.ndarray = NO_MAPS) -> Any:
    """All arrays of a robot as one `Tree`."""
    return Tree(*topology, *parameters, loads, maps, *_found(topology, parameters))


def _found(topology: Topology, parameters: Parameters) -> tuple[np.ndarray, ...]:
    """The arrays of a tree that follow from the others."""
    return *elastic_columns(topology.links, parameters), *by_fours(topology.blocks, parameters)


def find_anew(tree: Any, topology: Topology, parameters: Parameters) -> None:
    """Let all arrays of a tree follow parameters that were changed in their places."""
    for field, found in zip(_FOUND, _found(topology, parameters), strict=True):
        getattr(tree, field)[...] = found


def aligned(size: int) -> np.ndarray:
    """Zeros (size,) that begin where lanes may."""
    memory = np.zeros(size + LANES)
    first = -memory.ctypes.data % LANES_SIZE // memory.itemsize
    return memory[first : first + size]


def by_fours(blocks: np.ndarray, parameters: Parameters) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tree.groups, Tree.segment_lanes and Tree.phi_lanes: what steps of rods are made of, four segments at a time.

    The last group of a rod is filled up with its last segment, which no coordinate moves there.
    """
    counts = np.where(is_rod(blocks), -(-blocks["active"] // LANES), 0)
    groups = np.zeros((len(blocks) + 1, 2), dtype=np.int64)
    groups[1:] = np.cumsum(np.stack([counts, counts * blocks["n"]], axis=1), axis=0)
    total, columns = (int(x) for x in groups[-1])
    rod = blocks[np.repeat(np.arange(len(blocks)), counts)]  # of every group
    number = LANES * _within(counts)[:, None] + np.arange(LANES)  # of every lane, among the rod's segments
    inside = number < rod["active"][:, None]
    number = np.minimum(number, rod["active"][:, None] - 1)

    segment_lanes = aligned(total * FOUR_SEGMENTS)
    given, into = parameters.segments[rod["first"][:, None] + number], segment_lanes.view(four_segments_t)
    for name in ("half", "bracket", "rest", "inertia"):
        into[name] = np.moveaxis(given[name], 1, -1)
    into["inside"] = inside

    group, n = np.repeat(np.arange(total), rod["n"]), np.repeat(rod["n"], rod["n"])  # of every column of lanes
    j = _within(rod["n"])
    values = parameters.phi[:, rod["columns"][group, None] + number[group] * n[:, None] + j[:, None]] * inside[group]
    phi_lanes = aligned(2 * columns * LANES)
    at = 2 * (np.arange(columns) - j) + j
    phi_lanes.reshape(-1, LANES)[np.stack([at, at + n])] = values
    return groups, segment_lanes, phi_lanes


def _within(counts: np.ndarray) -> np.ndarray:
    """0, 1, ..., counts[0] - 1, 0, 1, ..., counts[1] - 1 and so on."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)


def elastic_columns(links: np.ndarray, parameters: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """Tree.first and Tree.elastic."""
    n, sizes = len(parameters.rest), links[:, 1] - links[:, 0]
    width = int(sizes.max(initial=0))
    first, columns = np.zeros(n, np.int64), np.zeros((n, 2 * width))
    for size in np.unique(sizes):
        which = links[sizes == size, 0, None] + np.arange(size)
        first[which] = links[sizes == size, 0, None]
        for k, matrix in enumerate((parameters.stiffness, parameters.damping)):
            columns[which, k * width : k * width + size] = matrix[which[:, None, :], which[:, :, None]]
    return first, columns


#: Entries of a row of columns from which rows are spread, and how many make a line of a cache.
LONG, LINE = 512, 8


def spread(length: int) -> int:
    """A length of rows, not below the given one, with which long rows of one matrix do not share places in a cache."""
    lines = -(-length // LINE)
    return length if length < LONG else LINE * (lines + 1 - lines % 2)


def make_space(
    tree: Any,
    inputs: int = 0,
    signals: int = 0,
    couplings: int = 0,
    multipliers: int = 0,
    lines: int = 0,
    parts: int = 0,
    dormant: bool = False,
    balls: int = 0,
) -> Space:
    """Allocate scratch for a `Tree` (zeroed, so that reruns are reproducible)."""
    from supple.core.blocks.rod_sweeps import rod_addresses  # late: they are made of what stands here
    from supple.core.outward import OUTWARD

    n, knots = len(tree.component), find_knots(tree.blocks, len(tree.segments))
    longest = 6 * (np.diff(tree.groups[:, 1]) + tree.blocks["n"]).max(initial=0)
    return Space(
        work=np.zeros(len(tree.segments), work_t),
        columns=np.zeros((4, 6, spread(tree.phi.shape[1]))),
        totals=np.zeros((9, 6, spread(n))),
        tangent=np.zeros((6, n)),
        stress=np.zeros(len(tree.nodes), stress_t),
        joint_force=np.zeros(n),
        joint_slope=np.zeros((n, largest_joint(tree.blocks))),
        joint_drag=np.zeros((n, largest_joint(tree.blocks))),
        couplings=np.zeros(couplings, coupling_t),
        count=np.zeros(5, np.int64),
        inputs=np.zeros(inputs),
        signals=np.zeros(signals),
        multipliers=np.zeros(multipliers),
        chains=np.zeros((6, 6, n if couplings or dormant else 0)),
        lines=np.zeros(lines, line_t),
        parts=np.zeros(parts, part_t),
        coordinates=np.zeros((2, n if dormant else 0)),
        local=np.zeros((2, n, n) if dormant else (2, 0, 0)),
        folding=np.zeros((2, 32, n + 36) if dormant else (2, 0, 0)),
        rates=np.zeros(3),
        frames=np.zeros(3, pose_t),
        maps=np.zeros(maps_size(tree.maps)),
        balls=np.zeros((balls, 5)),
        energy=np.zeros(1),
        gradient=np.zeros(5, np.int64),
        knots=knots,
        factors=np.zeros(int((tree.blocks["n"] ** 2).sum())),
        reach=np.zeros((7, n)),
        panels=np.zeros((int(knots[0].max()) + 1) * 6 * PANEL),
        sweeps=np.array([OUTWARD.address, *rod_addresses(tree.blocks)], dtype=np.int64),
        steps=aligned(int(tree.groups[-1, 0]) * FOUR_STEPS),
        jacobian_lanes=aligned(6 * LANES * int(tree.groups[-1, 1])),
        product_lanes=aligned(LANES * int(longest)),
    )


def find_knots(blocks: np.ndarray, segments: int) -> np.ndarray:
    """Space.knots: for every segment a slot of Space.panels, and the last block that hangs there; -1 if none does.

    A slot is in use from the block of its segment to the last one that hangs there, and free for others before and
    after: a chain takes two, however long it is, and they stay in the fastest cache.  Slot `UNREAD` is written and
    never read, slot `ZERO` is read and never written: the world has the one on the way in, the other on the way out.
    """
    knots = np.full((2, segments), -1, dtype=np.int64)
    knots[0, 0] = ZERO
    knots[1, blocks["parent"]] = np.arange(len(blocks))  # the last one is left
    knots[1, 0] = -1
    idle, count = [], ZERO + 1
    for b, block in enumerate(blocks):
        for s in range(int(block["first"]), int(block["first"] + block["count"])):
            if knots[1, s] >= 0:
                knots[0, s] = idle.pop() if idle else count
                count = max(count, int(knots[0, s]) + 1)
        if block["parent"] > 0 and knots[1, block["parent"]] == b:
            idle.append(int(knots[0, block["parent"]]))
    return knots


def largest_joint(blocks: np.ndarray) -> int:
    """Most coordinates of one block that is no rod."""
    return int(max(blocks["n"][~is_rod(blocks)], default=0))


def maps_size(maps: np.ndarray) -> int:
    """Length of Space.maps: up to the end of the last part."""
    return int((maps[:, 2] + maps[:, 3]).max(initial=0))


def map_size(n: int) -> int:
    """Floats that a map of n coordinates writes: R, p, S, S', S'', d2S, and dS/dq."""
    return 12 + 24 * n + 6 * n * n


#: Floats of a field before those that depend on n, and its (6, n) matrices (`core.blocks.body`).
FIELD_BASE, FIELD_VECTORS = 114, 4


def field_size(n: int) -> int:
    """Floats of the field of a soft body of n coordinates."""
    return FIELD_BASE + (1 + 6 * FIELD_VECTORS) * n + 3 * n * n


def handle(arrays: tuple[np.ndarray, ...]) -> np.ndarray:
    """Address and shape of every array, padded to `STRIDE` integers each."""
    rows = np.zeros((len(arrays), STRIDE), dtype=np.int64)
    for row, array in zip(rows, arrays, strict=True):
        if not array.flags.c_contiguous:
            raise ValueError("kernels read contiguous arrays only")
        row[0] = array.ctypes.data
        row[1 : 1 + array.ndim] = array.shape
    return rows


def _array(dtype: Any, dimensions: int) -> Any:
    """Compiled function ``at(h, i)``: the array in row i of a handle h.

    It does what ``numba.carray`` does, but compiles no function of its own for every type of array.
    """
    kind = types.Array(numba.from_dtype(np.dtype(dtype)), dimensions, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        handle = make_array(signature.args[0])(context, builder, arguments[0])
        row = builder.gep(handle.data, [builder.mul(arguments[1], arguments[1].type(STRIDE))])
        address, *shape = [builder.load(builder.gep(row, [arguments[1].type(k)])) for k in range(1 + dimensions)]
        return emit_array(context, builder, kind, address, shape)

    @intrinsic
    def at(typing_context: Any, h: Any, i: Any) -> Any:
        return kind(h, types.int64), generate

    return at


@intrinsic
def handle_at(typing_context: Any, address: Any, rows: Any) -> Any:
    """The handle (rows, STRIDE) at an address."""
    kind = types.Array(types.int64, 2, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return emit_array(context, builder, kind, arguments[0], [arguments[1], arguments[1].type(STRIDE)])

    return kind(types.int64, types.int64), generate


def _numbers_of(dimensions: int, of: Any = types.float64) -> Any:
    """Compiled function ``at(address, shape)``: the numbers of one type at an address."""
    kind = types.Array(of, dimensions, "C")

    @intrinsic
    def at(typing_context: Any, address: Any, shape: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return emit_array(context, builder, kind, arguments[0], cgutils.unpack_tuple(builder, arguments[1]))

        return kind(types.int64, types.UniTuple(types.int64, dimensions)), generate

    return at


#: Floats at an address, of a shape (n,), (n, m) or (k, n, m).
vector_at, matrix_at, matrices_at = _numbers_of(1), _numbers_of(2), _numbers_of(3)
#: Integers at an address, of 64 and of 32 bits.
integers_at, short_integers_at = _numbers_of(1, types.int64), _numbers_of(1, types.int32)

#: Array i of a handle of data: (m, k) integers, (m, k) floats, (m,) pose_t.
integers, floats, poses = _array(np.int64, 2), _array(np.float64, 2), _array(pose_t, 1)

#: Kinds of arrays, by letters: integers and floats of one to three dimensions.  A type of records is a kind by itself.
_LETTERS = {"i": (np.int64, 1), "I": (np.int64, 2), "f": (np.float64, 1), "F": (np.float64, 2), "C": (np.float64, 3)}

#: The kind of every field of `Tree` and of `Space`: all that kernels know of them comes from here.
_TREE = {
    "blocks": block_t, "parents": "i", "ranges": "I", "component": "i", "links": "I", "owner": "i",
    "placement": pose_t, "segments": segment_t, "phi": "F", "screws": "F", "gravity": "f", "stiffness": "F",
    "damping": "F", "rest": "f", "nodes": node_t, "psi": "f", "limits": "F", "loads": "I", "maps": "I", "first": "i",
    "elastic": "F", "groups": "I", "segment_lanes": "f", "phi_lanes": "f",
}  # fmt: skip
_SPACE = {
    "work": work_t, "columns": "C", "totals": "C", "tangent": "F", "stress": stress_t,
    "joint_force": "f", "joint_slope": "F", "joint_drag": "F", "couplings": coupling_t, "count": "i", "inputs": "f",
    "signals": "f", "multipliers": "f", "chains": "C", "lines": line_t, "parts": part_t, "coordinates": "F",
    "local": "C", "folding": "C", "rates": "f", "frames": pose_t, "maps": "f", "balls": "F", "energy": "f",
    "gradient": "i",
    "knots": "I", "factors": "f", "reach": "F", "panels": "f", "sweeps": "i", "steps": "f", "jacobian_lanes": "f",
    "product_lanes": "f",
}  # fmt: skip


def array_types(fields: tuple[str, ...], kinds: dict[str, Any]) -> dict[str, Any]:
    """Types of arrays by field, in the order of the fields; those not among ``kinds`` are as in `Tree`."""
    chosen = _TREE | kinds
    return {field: array_of(*_LETTERS.get(chosen[field], (chosen[field], 1))) for field in fields}


_tree_types, _space_types = array_types(Tree._fields, {}), array_types(Space._fields, _SPACE)

_tree, _space = View("tree", _tree_types), View("space", _space_types)

#: The tree and the scratch behind a handle, as views (`core.views`): one number each, whatever they are handed on to.
tree_at, space_at = viewing_handles(_tree), viewing_handles(_space)
#: The same at the addresses of handles, which kernels are called with that others call.
tree_view, space_view = viewing(_tree), viewing(_space)

TREE_ROWS, SPACE_ROWS = len(Tree._fields), len(Space._fields)

_four_segments = Layout("four segments", four_segments_t, of_lanes=True)
_four_steps = Layout("four steps", four_steps_t, of_lanes=True)
_step_numbers = Layout("four steps", four_steps_t, of_lanes=False)
#: Groups of four segments at an address: as lanes, and the scratch of their steps also number by number.
four_segments_at, four_steps_at, step_numbers_at = viewing(_four_segments), viewing(_four_steps), viewing(_step_numbers)
