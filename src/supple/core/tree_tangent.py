"""The fused tangent of the residual factorised over the tree, in linear time and without forming a matrix.

In world axes about one origin, everything that hangs on a point k sees of the coordinates inward only the variation of
that point, y_k = (J x, R x, Q x) from the world (18 numbers, `core.columns`), and answers with a wrench (6 numbers).
With H_k = [G, N, M] (6 x 18) of a point, a block with parent point p and points k has

    y_k = y_p + V_k x,  V_k = [J_k; R_k; Q_k];       varied wrench at k:  H_k y_k + adbar*_{F^C_k} S_k x,

and what hangs on k answers b + A y_k.  So A joins H_k, as articulated inertias do (`core.articulated`), and from the
leaves inward, D being all that is the block's own (C29, K + c_v D, stresses, limits, friction),

    E = sum J_k^T (H_k V_k + adbar*_{F_k} S_k) + D,    W^T = sum J_k^T H_k,    U = sum (H_k V_k + adbar*_{F_k} S_k),
    E x + W^T y_p = r - sum J_k^T b_k,                 A = sum H_k - C W^T,    C = U E^-1.

The field of a soft body (`core.blocks.body`) adds its sums to E, U and W, and so do stations of rods that are acted on
between points (`core.dormant_folding`).

E is factorised with pivots inside the block, and across blocks there is no choice of pivots: where C W^T outgrows what
it is taken from, the factors are in doubt and the dense matrix is asked.  G, N, M of points become articulated in
place.
Solving is in `core.tree_solve`, with what ties branches together.
"""

from __future__ import annotations

import numpy as np
from numba import types

from supple.core.arrays import matrix_at, space_view, tree_view, vector_at
from supple.core.blocks.body import add_field_square, add_field_sums
from supple.core.blocks.kinds import add_geometric_stiffness, has_field, has_strains
from supple.core.elastic import friction_law, limit_law
from supple.core.loads import any_entry, has_wrenches, subtract_stress_slope
from supple.core.records import GJ, J_SUM, MJ, NJ, Q_SUM, R_SUM, S_OWN, U_A, U_Q, U_V
from supple.core.sweep_in import clear_all_pose_tangents
from supple.core.tree_factors import COUPLING, KNOT, KNOT_END, LU_AT, MOTION, NODE, NODE_END, factors_at
from supple.core.tree_ties import collect_ties, sort_couplings
from supple.jit import AddressedKernel, calling, inlined, inner, leaf, local_array
from supple.lie.se3 import add_matrix6
from supple.linalg.lu import factorise, solve_six_rows
from supple.linalg.products import (
    add_coad_columns,
    add_map_columns,
    add_map_columns_transposed,
    add_projection,
    map_two_columns,
)

U = np.uint64  # unsigned indices vectorise, see linalg.products

SIGNATURE = types.int64(*[types.int64] * 4, types.float64, types.float64, types.int64)

call_tree_tangent = calling(SIGNATURE)

_matrix, _row = local_array(6, 6), local_array(MOTION)

#: Status: factors are there, or the dense matrix must be asked.
FACTORED, DOUBTFUL = 0, -3

#: Smallest pivot of a block, as part of the largest entry of a row of the whole tangent.
LEAST = 1e-14
#: How far what is taken off the operators of a point may outgrow them: that many units of rounding are lost.
GROWTH = 1e6


@inlined
def shifted_address(lu, at, start, n):
    """Where an n x n matrix must begin that its rows and columns, counted from ``start``, are the floats lu[at:]."""
    return lu.ctypes.data + 8 * (at - start * (n + 1))


@leaf
def add_total(X, c, n, out, o):
    """out[:, o:o+n] += X[:, c:c+n] for 6 rows."""
    c, o = U(c), U(o)
    for k in range(6):
        for j in range(U(n)):
            out[k, o + j] += X[k, c + j]


@inner
def clear_sums(lu, at, totals, out, start, n):
    """E, U and the three parts of W of a block are zero."""
    for i in range(at, at + n * n):
        lu[i] = 0.0
    for k in range(6):
        for j in range(U(start), U(start + n)):
            out[k, j] = 0.0
            totals[NJ, k, j] = 0.0
            totals[MJ, k, j] = 0.0
            totals[GJ, k, j] = 0.0


@inlined
def sum_points(tree, space, block, out, E):
    """E += sum J_k^T X_k + C29, U += sum X_k, X_k = H_k V_k + adbar*_{F_k} S_k, and W^T = sum J_k^T H_k of a block."""
    columns, totals, X, n, start = space.columns, space.totals, space.tangent, block.n, block.start
    for i in range(block.active):
        s, c = block.first + i, block.columns + i * n
        w = space.work[s]
        map_two_columns(w.N, columns[R_SUM], 1.0, w.M, columns[Q_SUM], c, n, X)
        add_coad_columns(w.F, columns[S_OWN], c, n, X)
        add_map_columns(w.G, columns[J_SUM], c, n, X)
        add_total(X, 0, n, out, start)
        add_projection(columns[J_SUM], c, X, n, start, E)
        add_geometric_stiffness(tree, space, block, i, w, E)
        if block.parent > 0:
            add_map_columns_transposed(w.G, columns[J_SUM], c, n, totals[GJ], start)
            add_map_columns_transposed(w.N, columns[J_SUM], c, n, totals[NJ], start)
            add_map_columns_transposed(w.M, columns[J_SUM], c, n, totals[MJ], start)


@inlined
def add_own_couplings(tree, space, block, first, following, out, E, parent):
    """Loads between two points of one block, or a point and the strain of its own rod: dF_a = G J_b + N R_b."""
    columns, totals, X, n, start = space.columns, space.totals, space.tangent, block.n, block.start
    i = first
    while i >= 0:
        coupling = space.couplings[i]
        a, b = coupling.a, coupling.b
        ca = block.columns + (a - block.first) * n
        if b >= 0:
            cb = block.columns + (b - block.first) * n
            map_two_columns(coupling.G, columns[J_SUM], 1.0, coupling.N, columns[R_SUM], cb, n, X)
            if block.parent > 0:
                add_map_columns_transposed(coupling.G, columns[J_SUM], ca, n, totals[GJ], start)
                add_map_columns_transposed(coupling.N, columns[J_SUM], ca, n, totals[NJ], start)
                for k in range(6):
                    for l in range(6):
                        parent.G[k, l] += coupling.G[k, l]
                        parent.N[k, l] += coupling.N[k, l]
        else:
            node = tree.nodes[-(b + 1)]
            for k in range(6):
                for j in range(n):
                    X[k, j] = coupling.G[k, tree.component[start + j]] * tree.psi[node.column + j]
        add_total(X, 0, n, out, start)
        add_projection(columns[J_SUM], ca, X, n, start, E)
        i = following[i]


@inlined
def add_stations(block, totals, local, out, E):
    """E += D, U += A Phi, W_N += B Phi, W_G += C Phi: steps of awake stations of a rod (`core.dormant_folding`)."""
    for k in range(6):
        for j in range(U(block.start), U(block.start + block.n)):
            out[k, j] += totals[U_Q, k, j]
            totals[NJ, k, j] += totals[U_V, k, j]
            totals[GJ, k, j] += totals[U_A, k, j]
    for i in range(block.start, block.start + block.n):
        for j in range(U(block.start), U(block.start + block.n)):
            E[i, j] += local[0, i, j]


@inlined
def add_own_slopes(tree, space, block, place, nodes, cv, q, v, E):
    """What belongs to the block alone: K + c_v D, limits, friction, stresses at nodes, slopes of joint forces.

    K and D are symmetric, so that their columns are their rows.
    """
    start, n, width = block.start, block.n, U(tree.elastic.shape[1] // 2)
    for i in range(start, start + n):
        K = U(start - tree.first[i])
        for j in range(U(n)):
            E[i, U(start) + j] += tree.elastic[i, K + j] + cv * tree.elastic[i, K + width + j]
        _, slope, _ = limit_law(q[i], tree.limits[i])
        _, drag = friction_law(v[i], tree.limits[i])
        E[i, i] -= slope + cv * drag
    if tree.loads.shape[0] == 0:
        return
    if not has_strains(block):
        for i in range(start, start + n):
            for j in range(n):
                E[i, start + j] -= space.joint_slope[i, j]
    for k in range(place[NODE], place[NODE_END]):
        s = space.stress[nodes[k]]
        if any_entry(s.E) or any_entry(s.C):
            subtract_stress_slope(tree.component, tree.psi, tree.nodes[nodes[k]], 1.0, s.E, cv, s.C, E)


@inner
def keep_columns(columns, totals, block_columns, first, start, n, knots, lo, hi, free, E, out, W, kept):
    """W^T, and J, R, Q at knots; locked coordinates take part in nothing."""
    for i in range(n):
        for k in range(6):
            W[start + i, k] = totals[GJ, k, start + i]
            W[start + i, 6 + k] = totals[NJ, k, start + i]
            W[start + i, 12 + k] = totals[MJ, k, start + i]
    for r in range(lo, hi):
        at, c = knots[r, 1], block_columns + (knots[r, 2] - first) * n
        for m in range(3):
            for k in range(6):
                for j in range(n):
                    kept[at + (6 * m + k) * n + j] = free[start + j] * columns[J_SUM + m, k, c + j]
    for i in range(start, start + n):
        if free[i] == 0.0:
            for j in range(start, start + n):
                E[i, j], E[j, i] = 0.0, 0.0
            E[i, i] = 1.0
            for k in range(6):
                out[k, i] = 0.0
            for k in range(18):
                W[i, k] = 0.0


@leaf
def reach_operators(C, W, start, n, row, G, N, M):
    """[G, N, M] = C W^T, what a block takes off the operators of the point it hangs on; ``row`` (18,) is scratch."""
    start = U(start)
    for k in range(U(6)):
        for l in range(U(MOTION)):
            row[l] = 0.0
        for i in range(U(n)):
            c = C[k, start + i]
            for l in range(U(MOTION)):
                row[l] += c * W[start + i, l]
        for l in range(U(6)):
            G[k, l], N[k, l], M[k, l] = row[l], row[U(6) + l], row[U(12) + l]


@inner
def operator_size(G, N, M, by_rate, by_acceleration):
    """sum |G_kl| + b sum |N_kl| + a sum |M_kl|: size of [G, N, M] on a unit variation.

    Its rates are ``by_rate``, b, and ``by_acceleration``, a, times as large.
    """
    g, h, m = 0.0, 0.0, 0.0
    for k in range(6):
        for l in range(6):
            g += abs(G[k, l])
            h += abs(N[k, l])
            m += abs(M[k, l])
    return g + by_rate * h + by_acceleration * m


@inner
def norm6(x):
    """sum |x_k| of six numbers."""
    return abs(x[0]) + abs(x[1]) + abs(x[2]) + abs(x[3]) + abs(x[4]) + abs(x[5])


@inner
def own_share(E, W, start, by_rate, by_acceleration):
    """Smallest part, over the rows of [E, W^T], that E has in the largest entry: a row of E may be rounding alone."""
    share = 1.0
    for i in range(E.shape[0]):
        own, inward = 0.0, 0.0
        for j in range(E.shape[0]):
            own = max(own, abs(E[i, j]))
        for k in range(6):
            entry = abs(W[start + i, k]) + by_rate * abs(W[start + i, 6 + k])
            inward = max(inward, entry + by_acceleration * abs(W[start + i, 12 + k]))
        if inward > own:
            share = min(share, own / inward)
    return share


@inlined
def hand_inward(block, space, C, W, cv, ca):
    """H_parent += sum H_k - C W^T, H = [G, N, M]: what a block hands to the point it hangs on.

    Returns whether it may be trusted: |C W^T| <= `GROWTH` (sum |H_k| + |F|).
    """
    work, parent = space.work, space.work[block.parent]
    by_rate, by_acceleration = abs(cv) + norm6(parent.V), abs(ca) + norm6(parent.A)
    size = 0.0
    for s in range(block.first, block.first + block.active):
        w = work[s]
        size += operator_size(w.G, w.N, w.M, by_rate, by_acceleration)
        add_matrix6(w.G, parent.G)
        add_matrix6(w.N, parent.N)
        add_matrix6(w.M, parent.M)
    if block.n == 0:
        return True
    G, N, M = _matrix(), _matrix(), _matrix()
    reach_operators(C, W, block.start, block.n, _row(), G, N, M)
    for k in range(6):
        for l in range(6):
            parent.G[k, l] -= G[k, l]
            parent.N[k, l] -= N[k, l]
            parent.M[k, l] -= M[k, l]
    for s in range(block.first, block.first + (block.active if has_field(block) else 1)):  # of a chain, the resultant
        size += norm6(work[s].F)
    taken = operator_size(G, N, M, by_rate, by_acceleration)
    return taken <= GROWTH * size


@inlined
def factorise_tree_tangent(tree, space, q, v, cv, ca, factors):
    """E = sum J_k^T (H_k V_k + adbar*_{F_k} S_k) + D, factorised, C = U E^-1 and W^T of every block.

    From the leaves inward, by the operators H = [G, N, M] of points, which become articulated, and the resultants F.
    Returns a status.
    """
    lu, out, W, work = factors.lu, factors.C, factors.W, space.work  # what becomes C is U until E is factorised
    smallest = 1.0
    sort_couplings(tree, space, factors)
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block, place = tree.blocks[b], factors.places[b]
        n, start = block.n, block.start
        if n > 0:
            at = place[LU_AT]
            clear_sums(lu, at, space.totals, out, start, n)
            E = matrix_at(shifted_address(lu, at, start, n), (start + n, n))
            sum_points(tree, space, block, out, E)
            if has_field(block):
                add_field_sums(block, tree.maps, space.maps, cv, ca, out, space.totals)
                add_field_square(block, tree.maps, space.maps, cv, ca, E)
            if space.count[3] > 0 and has_strains(block):
                add_stations(block, space.totals, space.local, out, E)
            first = place[COUPLING]
            if first >= 0:
                add_own_couplings(tree, space, block, first, factors.following, out, E, work[block.parent])
            add_own_slopes(tree, space, block, place, factors.nodes, cv, q, v, E)
            keep_columns(space.columns, space.totals, block.columns, block.first, start, n, factors.knots, place[KNOT],
                         place[KNOT_END], factors.free, E, out, W, factors.columns)  # fmt: skip
            own = matrix_at(lu.ctypes.data + 8 * at, (n, n))
            pivots, scales = factors.pivots[start : start + n], factors.scales[start : start + n]
            share = 1.0
            if block.parent > 0:
                base = work[block.parent]
                share = own_share(own, W, start, abs(cv) + norm6(base.V), abs(ca) + norm6(base.A))
            if factorise(own, pivots, scales) >= 0:
                return DOUBTFUL
            for i in range(n):
                smallest = min(smallest, share * abs(own[i, i]))
            if not smallest > LEAST:
                return DOUBTFUL
            if block.parent > 0:
                solve_six_rows(own, pivots, scales, out, start)
        if block.parent > 0 and not hand_inward(block, space, out, W, cv, ca):
            return DOUBTFUL
    factors.smallest[0] = smallest
    return FACTORED


def _tree_tangent(tree_address, space_address, q_at, v_at, cv, ca, factors_address):
    """Factors of the fused tangent after a residual that left its `OPERATORS`; ties as rows of the border.

    Poses, motions and columns of the scratch stay, its operators G, N, M do not.  Returns a status.
    """
    tree, space = tree_view(tree_address), space_view(space_address)
    factors, n = factors_at(factors_address), tree.component.shape[0]
    if space.count[4] > 0:  # dormant stations that feel other segments fill a matrix of their own
        return DOUBTFUL
    if not has_wrenches(tree):  # G becomes articulated even where no load writes into it
        clear_all_pose_tangents(tree, space.work)
    collect_ties(tree, space, cv, factors)
    return factorise_tree_tangent(tree, space, vector_at(q_at, (n,)), vector_at(v_at, (n,)), cv, ca, factors)


TREE_TANGENT = AddressedKernel(_tree_tangent, SIGNATURE)
