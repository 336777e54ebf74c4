"""Sweeps over rods, four segments at a time ([GVS-AD] appendix C).

What happens in a Magnus step depends on coordinates alone, not on where the step begins.  So strains, Omega, exp and T
of four segments are found at once, by the formulas of one (`core.blocks.rod`, `lie`), compiled for four numbers at a
time (`supple.jit.lanes`).  Then poses and twists are chained, one segment after the other; then points get their
wrenches, again four at a time.

Groups of four are laid out by `core.arrays.by_fours`; the last segment of a rod fills its last group, where no
coordinate moves it: what such lanes hold is finite, and projects to nothing.
"""

from __future__ import annotations

import numpy as np

from supple.core.arrays import (
    FOUR_SEGMENTS,
    FOUR_STEPS,
    four_segments_at,
    four_steps_at,
    space_view,
    step_numbers_at,
    tree_view,
    vector_at,
)
from supple.core.blocks.curved import world_operators
from supple.core.blocks.moving import move_along, move_end
from supple.core.blocks.rod import collocation_wrenches, magnus_jet, step_at_rest, strain_jet
from supple.core.inertia import point_wrench, velocity_tangent, world_inertia
from supple.core.records import four_operators_t, four_points_t, is_rod
from supple.core.rod_calls import INERTIAS, OPERATORS, SIGNATURE, STEPS_SIGNATURE
from supple.core.sweep_out import start_pose
from supple.core.views import local_layout
from supple.jit import (
    LANES,
    LANES_SIZE,
    AddressedKernel,
    gather_four,
    inlined,
    inner,
    lane_matrix_at,
    lane_sum,
    local_array,
    local_lanes,
    scatter_four,
)
from supple.lie.dual import add_apply, apply_transposed
from supple.lie.se3 import Ad_transposed, compose, exp
from supple.lie.tangent import tangent_operators

_rotation, _position, _twist, _rate = local_array(3, 3), local_array(3), local_array(6), local_array(6)
_four_wrenches, _four_octets, _four_pairs = local_lanes(6), local_lanes(8), local_lanes(2, 6)
_four_matrices = local_lanes(6, 6)
_four_points = local_layout("four points", four_points_t)
_four_operators = local_layout("four operators", four_operators_t)


@inlined
def groups_of(tree, b):
    """How many groups of four segments block b has."""
    return tree.groups[b + 1, 0] - tree.groups[b, 0]


@inlined
def segments_of(tree, b, g):
    """What stands in `segment_t` of group g of block b, as lanes."""
    return four_segments_at(tree.segment_lanes.ctypes.data + 8 * FOUR_SEGMENTS * (tree.groups[b, 0] + g))


@inlined
def steps_of(tree, space, b, g):
    """Scratch of the steps of group g of block b, as lanes."""
    return four_steps_at(space.steps.ctypes.data + 8 * FOUR_STEPS * (tree.groups[b, 0] + g))


@inlined
def phi_at(tree, b, g):
    """Where the basis functions (2, n) at the collocation points of group g of block b are, as lanes."""
    return tree.phi_lanes.ctypes.data + 2 * LANES_SIZE * (tree.groups[b, 1] + g * tree.blocks[b].n)


@inlined
def segment_numbers(block, g):
    """Numbers of the four segments of group g of a block; behind its last segment, that one."""
    s, last = block.first + g * LANES, block.first + block.active - 1
    return s, min(s + 1, last), min(s + 2, last), min(s + 3, last)


@inlined
def gather(count, places, out):
    """``count`` lanes at ``out``, a multiple of four, = numbers at four addresses that follow one another."""
    for k in range(0, count, LANES):
        gather_four(places, k, out)


@inlined
def scatter(x, count, places):
    """Numbers at four addresses = ``count`` lanes at x; those of lanes behind a rod's last segment do not stay."""
    for k in range(0, count, LANES):
        scatter_four(x, k, places)


@inlined
def starts_at(work, s):
    """Addresses of R0 and p0, 12 numbers, of four segments."""
    return work[s[0]].R0.ctypes.data, work[s[1]].R0.ctypes.data, work[s[2]].R0.ctypes.data, work[s[3]].R0.ctypes.data


@inlined
def ends_at(work, s):
    """Addresses of R and p, 12 numbers, of four segments."""
    return work[s[0]].R.ctypes.data, work[s[1]].R.ctypes.data, work[s[2]].R.ctypes.data, work[s[3]].R.ctypes.data


@inlined
def motions_at(work, s):
    """Addresses of V and A, 12 numbers, of four segments."""
    return work[s[0]].V.ctypes.data, work[s[1]].V.ctypes.data, work[s[2]].V.ctypes.data, work[s[3]].V.ctypes.data


@inlined
def operators_at(work, s):
    """Addresses of xi, jet and T, 108 numbers, of four segments."""
    return work[s[0]].xi.ctypes.data, work[s[1]].xi.ctypes.data, work[s[2]].xi.ctypes.data, work[s[3]].xi.ctypes.data


@inlined
def wrenches_at(work, s):
    """Addresses of F, 6 numbers, and of what stands behind."""
    return work[s[0]].F.ctypes.data, work[s[1]].F.ctypes.data, work[s[2]].F.ctypes.data, work[s[3]].F.ctypes.data


@inlined
def momenta_at(work, s):
    """Addresses of h and F, 12 numbers; of M as well, and N: 48 and 84."""
    return work[s[0]].h.ctypes.data, work[s[1]].h.ctypes.data, work[s[2]].h.ctypes.data, work[s[3]].h.ctypes.data


@inlined
def inertias_at(work, s):
    """Addresses of M, 36 numbers, of four segments."""
    return work[s[0]].M.ctypes.data, work[s[1]].M.ctypes.data, work[s[2]].M.ctypes.data, work[s[3]].M.ctypes.data


@inlined
def make_steps(block, segment, phi, q, v, a, order, step):
    """Strains, Omega, exp, T and, unless ``order`` is 0, the twist T Omega' of the end and its rate, of four steps.

    With time derivatives up to ``order`` of T; the rate is T Omega'' + T' Omega'.
    """
    if order == 0:
        step_at_rest(block, segment, 0, phi, q, step.xi[0], step.jet[0])
    else:
        strain_jet(block, segment, 0, phi, q, v, a, step.xi)
        magnus_jet(segment, step.xi, step.jet)
    exp(step.jet[0], step.R, step.p)
    tangent_operators(step.jet, order, step.T)
    if order == 0:
        return
    for k in range(6):
        step.twist[k], step.rate[k] = 0.0, 0.0
    add_apply(step.T[0], step.jet[1], step.twist)
    add_apply(step.T[0], step.jet[2], step.rate)
    add_apply(step.T[1], step.jet[1], step.rate)


@inlined
def read_lane(step, lane, R, p, twist, rate):
    """exp(Omega), twist and rate of one of four steps."""
    for i in range(3):
        for j in range(3):
            R[i, j] = step.R[i, j, lane]
        p[i] = step.p[i, lane]
    for k in range(6):
        twist[k], rate[k] = step.twist[k, lane], step.rate[k, lane]


@inlined
def chain_steps(tree, space, b, order):
    """Poses and motions of the points of rod b, one after the other; at rest if ``order`` is 0."""
    block, work = tree.blocks[b], space.work
    R, p, twist, rate = _rotation(), _position(), _twist(), _rate()
    for i in range(block.active):
        s = block.first + i
        w, previous = work[s], work[tree.parents[s]]
        group = tree.groups[b, 0] + i // LANES
        read_lane(step_numbers_at(space.steps.ctypes.data + 8 * FOUR_STEPS * group), i % LANES, R, p, twist, rate)
        start_pose(previous, tree.placement[b], tree.parents[s] == block.parent, w)
        compose(w.R0, w.p0, R, p, w.R, w.p)
        if order == 0:
            move_along(previous, w)
        else:
            move_end(previous, twist, rate, w)


@inner
def leave_operators(tree, space, b):
    """World operators T and their time derivatives, strains and Omega of every segment of rod b, in its record."""
    block, work, parents = tree.blocks[b], space.work, tree.parents
    start, left = _four_points(), _four_operators()
    for g in range(groups_of(tree, b)):
        step, s = steps_of(tree, space, b, g), segment_numbers(block, g)
        before = parents[s[0]], parents[s[1]], parents[s[2]], parents[s[3]]
        gather(12, starts_at(work, s), start.R.ctypes.data)
        gather(12, motions_at(work, before), start.V.ctypes.data)
        world_operators(start.R, start.p, start.V, start.A, step.T, 2, left.T)
        for n in range(3):
            for k in range(6):
                left.jet[n, k] = step.jet[n, k]
                left.xi[n, 0, k], left.xi[n, 1, k] = step.xi[n, 0, k], step.xi[n, 1, k]
        scatter(left.xi.ctypes.data, 108, operators_at(work, s))


def _rod_steps(tree_address, space_address, b, q_at, v_at, a_at, order):
    """Pose, V, A of the points of rod b at q, v, a (n,); if ``order`` is 2, world operators of its segments, too."""
    tree, space = tree_view(tree_address), space_view(space_address)
    n = tree.component.shape[0]
    q, v, a = vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(a_at, (n,))
    block = tree.blocks[b]
    for g in range(groups_of(tree, b)):
        segment, phi = segments_of(tree, b, g), lane_matrix_at(phi_at(tree, b, g), (2, block.n))
        make_steps(block, segment, phi, q, v, a, order, steps_of(tree, space, b, g))
    chain_steps(tree, space, b, order)
    if order == 2:
        leave_operators(tree, space, b)


ROD_STEPS = AddressedKernel(_rod_steps, STEPS_SIGNATURE)


def _rod_points(tree_address, space_address, b, what):
    """World inertia M of every point of rod b; h = M V and F = M A + ad*_V h; N: as far as ``what`` asks (16, 20a)."""
    tree, space = tree_view(tree_address), space_view(space_address)
    block, work = tree.blocks[b], space.work
    point, X = _four_points(), _four_matrices()
    for g in range(groups_of(tree, b)):
        s = segment_numbers(block, g)
        gather(12, ends_at(work, s), point.R.ctypes.data)
        world_inertia(point.R, point.p, segments_of(tree, b, g).inertia, point.M)
        if what == INERTIAS:
            scatter(point.M.ctypes.data, 36, inertias_at(work, s))
            continue
        gather(12, motions_at(work, s), point.V.ctypes.data)
        point_wrench(point)
        if what == OPERATORS:
            velocity_tangent(point, X)
        scatter(point.h.ctypes.data, 84 if what == OPERATORS else 48, momenta_at(work, s))


ROD_POINTS = AddressedKernel(_rod_points, SIGNATURE)


@inlined
def add_projected_lanes(block, phi, f, out):
    """out += sum over four segments of Phi^T f for f (2, 6) at their collocation points."""
    start = np.uint64(block.start)
    for k in range(6):
        for j in range(np.uint64(block.runs[k]), np.uint64(block.runs[k + 1])):
            out[start + j] += lane_sum(phi[0, j] * f[0, k] + phi[1, j] * f[1, k])


def _rod_projection(tree_address, space_address, b, out_at):
    """out (n,) += sum over the segments of rod b of S^T F = Phi^T Z^T T^T (Ad_g^T F), taken from the right (14)."""
    tree, space = tree_view(tree_address), space_view(space_address)
    block, work, out = tree.blocks[b], space.work, vector_at(out_at, (tree.component.shape[0],))
    start, F, local, f = _four_points(), _four_octets(), _four_wrenches(), _four_pairs()
    for g in range(groups_of(tree, b)):
        step, s = steps_of(tree, space, b, g), segment_numbers(block, g)
        gather(12, starts_at(work, s), start.R.ctypes.data)
        gather(8, wrenches_at(work, s), F.ctypes.data)
        Ad_transposed(start.R, start.p, F, local)
        apply_transposed(step.T[0], local, F)
        collocation_wrenches(segments_of(tree, b, g), step.xi, F, f)
        add_projected_lanes(block, lane_matrix_at(phi_at(tree, b, g), (2, block.n)), f, out)


ROD_PROJECTION = AddressedKernel(_rod_projection, SIGNATURE)


def rod_addresses(blocks: np.ndarray) -> tuple[int, ...]:
    """Addresses of what sweeps call of rods, in the order of `core.rod_calls`; none if a robot has no rods."""
    from supple.core.blocks.rod_columns import ROD_JACOBIAN  # late: it is made of what stands here

    kernels = ROD_STEPS, ROD_POINTS, ROD_PROJECTION, ROD_JACOBIAN
    return tuple(kernel.address for kernel in kernels) if is_rod(blocks).any() else (0,) * len(kernels)
