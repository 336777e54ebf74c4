"""Columns J of rods and sums over their points, four segments at a time.

    J_k = sum of S over the segments up to point k,     P = sum M_k J_k,     E = sum J_k^T M_k J_k,

with S = T Z Phi; M_k is any symmetric matrix of point k, its inertia or what hangs on it, too.
"""

from __future__ import annotations

import numpy as np

from supple.core.arrays import matrices_at, space_view, tree_view
from supple.core.blocks.rod import write_jacobian_columns, write_plain
from supple.core.blocks.rod_sweeps import (
    gather,
    groups_of,
    inertias_at,
    phi_at,
    segment_numbers,
    segments_of,
    starts_at,
    steps_of,
)
from supple.core.records import J_SUM, four_points_t
from supple.core.rod_calls import SIGNATURE
from supple.core.views import local_layout
from supple.jit import (
    LANES,
    LANES_SIZE,
    AddressedKernel,
    inlined,
    inner,
    lane_matrix_at,
    lane_sum,
    last_of,
    leaf,
    local_lanes,
    running_sum,
)
from supple.lie.dual import Ad_times, times_step
from supple.linalg.products import map_columns

U = np.uint64  # unsigned indices vectorise, see linalg.products

_four_points, _four_matrices = local_layout("four points", four_points_t), local_lanes(6, 6)
_four_duals, _four_pairs, _four_plain = local_lanes(2, 3, 3), local_lanes(2, 2, 3, 3), local_lanes(6, 12)


@inlined
def jacobian_at(tree, space, b, g):
    """Where columns J (6, n) of group g of block b are, as lanes."""
    return space.jacobian_lanes.ctypes.data + 6 * LANES_SIZE * (tree.groups[b, 1] + g * tree.blocks[b].n)


@inlined
def product_at(space, n, g):
    """Where there is room for M J (6, n) of group g, as lanes."""
    return space.product_lanes.ctypes.data + 6 * LANES_SIZE * g * n


@inner
def own_columns(tree, space, b):
    """S = Ad_g T Z Phi of all segments of rod b, as lanes."""
    block, work = tree.blocks[b], space.work
    start, T, Z, W = _four_points(), _four_duals(), _four_pairs(), _four_plain()
    for g in range(groups_of(tree, b)):
        segment, step = segments_of(tree, b, g), steps_of(tree, space, b, g)
        gather(12, starts_at(work, segment_numbers(block, g)), start.R.ctypes.data)
        Ad_times(start.R, start.p, step.T[0], T)
        times_step(T, segment.half, -segment.bracket, step.xi[0, 1], Z[0])
        times_step(T, segment.half, segment.bracket, step.xi[0, 0], Z[1])
        write_plain(Z, W)
        phi = lane_matrix_at(phi_at(tree, b, g), (2, block.n))
        J = lane_matrix_at(jacobian_at(tree, space, b, g), (6, block.n))
        write_jacobian_columns(tree.component, block.start, block.n, phi, W, 0, J)


@leaf
def add_columns_before(X, n, lane, before, from_lane):
    """X[:, :n, lane] += those of an earlier segment, ``before``[:, :n, from_lane]; both (6, n, 4)."""
    for k in range(6):
        for j in range(U(n)):
            X[k, j, lane] += before[k, j, from_lane]


@leaf
def add_up(X, n, inside):
    """X (6, n) = its running sums over the four segments of a rod's first group."""
    for k in range(6):
        for j in range(U(n)):
            X[k, j] = inside * running_sum(X[k, j])


@leaf
def add_up_from(before, X, n, inside):
    """The same of a further group, + what stands in the last segment of the group before."""
    for k in range(6):
        for j in range(U(n)):
            X[k, j] = inside * (running_sum(X[k, j]) + last_of(before[k, j]))


@inlined
def is_chain(tree, block):
    """Whether every segment of a rod begins where the one before ends, as but for stations beside it they do."""
    others = 0
    for s in range(block.first + 1, block.first + block.active):
        others += tree.parents[s] != s - 1
    return others == 0


@inner
def sum_columns(tree, space, b):
    """J = S + J of the segment before, of all segments of rod b."""
    block, parents = tree.blocks[b], tree.parents
    n = block.n
    if is_chain(tree, block):
        for g in range(groups_of(tree, b)):
            X, inside = lane_matrix_at(jacobian_at(tree, space, b, g), (6, n)), segments_of(tree, b, g).inside
            if g == 0:
                add_up(X, n, inside)
            else:
                add_up_from(lane_matrix_at(jacobian_at(tree, space, b, g - 1), (6, n)), X, n, inside)
        return
    for i in range(block.active):
        before = parents[block.first + i] - block.first
        if parents[block.first + i] != block.parent:
            X4 = matrices_at(jacobian_at(tree, space, b, i // LANES), (6, n, LANES))
            earlier = matrices_at(jacobian_at(tree, space, b, before // LANES), (6, n, LANES))
            add_columns_before(X4, n, U(i % LANES), earlier, U(before % LANES))


@inlined
def leave_columns(tree, space, b, everywhere):
    """J of the segments on which blocks hang, or of all, in Space.columns."""
    block, J = tree.blocks[b], space.columns[J_SUM]
    for i in range(block.active):
        if everywhere != 0 or space.knots[1, block.first + i] >= 0:
            X = matrices_at(jacobian_at(tree, space, b, i // LANES), (6, block.n, LANES))
            c = U(block.columns + i * block.n)
            for k in range(6):
                for j in range(U(block.n)):
                    J[k, c + j] = X[k, j, U(i % LANES)]


def _rod_jacobian(tree_address, space_address, b, everywhere):
    """J of all segments of rod b, as lanes, and in Space.columns (`leave_columns`)."""
    tree, space = tree_view(tree_address), space_view(space_address)
    own_columns(tree, space, b)
    sum_columns(tree, space, b)
    leave_columns(tree, space, b, everywhere)


ROD_JACOBIAN = AddressedKernel(_rod_jacobian, SIGNATURE)


@leaf
def add_row(J, i, X, n, row):
    """row (n,) += J_i^T X from entry i on; J and X (6, n)."""
    i = U(i)
    a0, a1, a2, a3, a4, a5 = J[0, i], J[1, i], J[2, i], J[3, i], J[4, i], J[5, i]
    for j in range(i, U(n)):
        row[j] += a0 * X[0, j] + a1 * X[1, j] + a2 * X[2, j] + a3 * X[3, j] + a4 * X[4, j] + a5 * X[5, j]


@leaf
def add_lanes(X, n, total):
    """total += X for (6, n)."""
    for k in range(6):
        for j in range(U(n)):
            total[k, j] += X[k, j]


@leaf
def add_scaled_matrix(x, M, out):
    """out += x M above the diagonal, for 6x6 matrices."""
    for k in range(6):
        for l in range(k, 6):
            out[k, l] += x * M[k, l]


@inner
def add_rod_sums(tree, space, b, whole, P, E, start):
    """P[:6, own] += sum M_k J_k, E += sum J_k^T M_k J_k, whole (6, 6) += sum M_k, over the points k of rod b.

    The last unless the rod hangs on the world. Of E what is above the diagonal, in rows and columns from ``start`` on;
    columns ``own`` of P are those of the rod's coordinates.
    """
    block, n = tree.blocks[b], tree.blocks[b].n
    count, M, sums = groups_of(tree, b), _four_matrices(), _four_matrices()
    for k in range(6):
        for l in range(6):
            sums[k, l] = 0.0
    total = lane_matrix_at(product_at(space, n, count), (6, n))
    for k in range(6):
        for j in range(n):
            total[k, j] = 0.0
    for g in range(count):
        gather(36, inertias_at(space.work, segment_numbers(block, g)), M.ctypes.data)
        X = lane_matrix_at(product_at(space, n, g), (6, n))
        map_columns(M, lane_matrix_at(jacobian_at(tree, space, b, g), (6, n)), 0, n, X)
        add_lanes(X, n, total)
        if block.parent > 0:
            add_scaled_matrix(segments_of(tree, b, g).inside, M, sums)
    for k in range(6):
        for l in range(6 if block.parent > 0 else 0):
            whole[k, l] += lane_sum(sums[min(k, l), max(k, l)])
        for j in range(n):
            P[k, block.start + j] += lane_sum(total[k, j])
    row = total[0]
    for i in range(n):
        for j in range(i, n):
            row[j] = 0.0
        for g in range(count):
            J = lane_matrix_at(jacobian_at(tree, space, b, g), (6, n))
            add_row(J, i, lane_matrix_at(product_at(space, n, g), (6, n)), n, row)
        for j in range(i, n):
            E[start + i, start + j] += lane_sum(row[j])
