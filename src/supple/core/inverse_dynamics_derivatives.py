"""Jacobians of the inverse dynamics: dID/dq, dID/dv, dID/da = M, and the fused tangent ([GVS-AD] 17-34, 41, 42).

In world axes the wrench of a point k moves by

    dF/dq = N R + M Q,     dF/dv = N J + 2 M R,     dF/da = M J                      (19, 25, 31)

with the columns of `core.columns`.  For a block (a rod or a joint) with points k, rows and columns split three ways:

* inside the block:      sum_k J_k^T X_k + C29,  X_k = dF_k + adbar*_{F^C_k} S_k  (the last for dq only, P of 22g);
* before it (ancestors):  (sum_k N_k^T J_k)^T R + (sum_k M_k J_k)^T Q, the ancestors' columns being the same for all k;
* after it (descendants): J^T U, where U = sum_k X_k is what a descendant block hands inward.

A block's last point carries the summed M, N and F of everything attached to it, so each block is one visit and
each pair of blocks is one product of 6 rows: no recursion over points of other rods is left.
"""

from __future__ import annotations

from supple.core.columns import fill_columns
from supple.core.geometric_stiffness import add_geometric_stiffness
from supple.core.inertia import add_coadbar, point_wrench, velocity_tangent, world_inertia
from supple.core.inverse_dynamics import project_all
from supple.core.products import (
    add_columns,
    add_map_columns,
    add_map_columns_transposed,
    add_projection,
    map_columns,
)
from supple.core.sweep_out import sweep_out
from supple.jit import inner, kernel

# rows of Workspace.columns and Workspace.totals
S, J, R, Q = 0, 1, 2, 3
J_END, R_END, Q_END, U_Q, U_V, NJ, MJ = 0, 1, 2, 3, 4, 5, 6


@inner
def point_operators(blocks, segments, work, t):
    """M, N, h, F of every point."""
    for b in range(blocks.shape[0]):
        for s in range(blocks[b].first, blocks[b].first + blocks[b].active):
            w = work[s]
            world_inertia(w.R, w.p, segments[s].inertia, w.M)
            point_wrench(w)
            velocity_tangent(w, t.B)


@inner
def accumulate_operators(blocks, work):
    """Sum inward: F along every segment (F^C), M and N from a block's points to the point the block hangs on."""
    clear_operators(work[0])
    for b in range(blocks.shape[0] - 1, -1, -1):
        block = blocks[b]
        parent = work[block.parent]
        for s in range(block.first + block.active - 1, block.first - 1, -1):
            w = work[s]
            before = work[s - 1] if s > block.first else parent
            for k in range(6):
                before.F[k] += w.F[k]
                for l in range(6):
                    parent.M[k, l] += w.M[k, l]
                    parent.N[k, l] += w.N[k, l]


@inner
def clear_operators(w):
    """F = M = N = 0."""
    for k in range(6):
        w.F[k] = 0.0
        for l in range(6):
            w.M[k, l] = 0.0
            w.N[k, l] = 0.0


@inner
def point_tangent_q(w, columns, c, n, t, X):
    """X = N R + M Q + adbar*_F S for the columns c .. c+n of one point."""
    map_columns(w.N, columns[R], c, n, X)
    add_map_columns(1.0, w.M, columns[Q], c, n, X)
    for k in range(6):
        for l in range(6):
            t.B[k, l] = 0.0
    add_coadbar(w.F, t.B)
    add_map_columns(1.0, t.B, columns[S], c, n, X)


@inner
def point_tangent_v(w, columns, c, n, X):
    """X = N J + 2 M R."""
    map_columns(w.N, columns[J], c, n, X)
    add_map_columns(2.0, w.M, columns[R], c, n, X)


@inner
def tangent_blocks(
    blocks, ranges, component, segments, phi, screws, work, t, columns, totals, X, separate, dq, dv, da
):
    """Fill dq (and, if ``separate``, dv and da) block by block, from the leaves inward.

    ``separate`` is False for the fused tangent, whose columns already hold the combined R and Q.
    """
    for b in range(blocks.shape[0] - 1, -1, -1):
        block = blocks[b]
        n, start = block.n, block.start
        has_ancestors = block.ancestors[1] > block.ancestors[0]
        clear_totals(totals, start, n)
        for i in range(block.active - 1, -1, -1):
            w = work[block.first + i]
            c = block.columns + i * n
            point_tangent_q(w, columns, c, n, t, X)
            add_columns(X, n, totals[U_Q], start)
            add_projection(columns[J], c, n, start, X, 0, n, start, dq)
            add_geometric_stiffness(block, i, component, segments, phi, screws, w, t, dq)
            if has_ancestors or separate:
                map_columns(w.M, columns[J], c, n, X)
                add_columns(X, n, totals[MJ], start)
            if separate:
                add_projection(columns[J], c, n, start, X, 0, n, start, da)
                point_tangent_v(w, columns, c, n, X)
                add_columns(X, n, totals[U_V], start)
                add_projection(columns[J], c, n, start, X, 0, n, start, dv)
            if has_ancestors:
                add_map_columns_transposed(w.N, columns[J], c, n, totals[NJ], start)
        for r in range(block.ancestors[0], block.ancestors[1]):
            lo, m = ranges[r, 0], ranges[r, 1] - ranges[r, 0]
            add_projection(totals[NJ], start, n, start, totals[R_END], lo, m, lo, dq)
            add_projection(totals[MJ], start, n, start, totals[Q_END], lo, m, lo, dq)
            if separate:
                add_projection(totals[NJ], start, n, start, totals[J_END], lo, m, lo, dv)
                add_projection(totals[MJ], start, n, start, totals[R_END], lo, m, lo, dv)
                add_projection(totals[MJ], start, n, start, totals[R_END], lo, m, lo, dv)
                add_projection(totals[MJ], start, n, start, totals[J_END], lo, m, lo, da)
        for r in range(block.descendants[0], block.descendants[1]):
            lo, m = ranges[r, 0], ranges[r, 1] - ranges[r, 0]
            add_projection(totals[J_END], start, n, start, totals[U_Q], lo, m, lo, dq)
            if separate:
                add_projection(totals[J_END], start, n, start, totals[U_V], lo, m, lo, dv)
                add_projection(totals[J_END], start, n, start, totals[MJ], lo, m, lo, da)


@inner
def clear_totals(totals, start, n):
    """Zero U_q, U_v, N^T J and M J of one block."""
    for m in range(U_Q, MJ + 1):
        for k in range(6):
            for j in range(start, start + n):
                totals[m, k, j] = 0.0


@kernel
def inverse_dynamics_derivatives(
    blocks,
    ranges,
    component,
    placement,
    segments,
    phi,
    screws,
    gravity,
    q,
    v,
    a,
    work,
    scratch,
    columns,
    totals,
    X,
    out,
    dq,
    dv,
    da,
):
    """out = ID (n,), dq = dID/dq, dv = dID/dv, da = M, each (n, n).  Returns False if not finite."""
    t = scratch[0]
    sweep_out(blocks, component, placement, segments, phi, screws, gravity, q, v, a, work, t, 2)
    fill_columns(blocks, component, segments, phi, screws, 0.0, 0.0, work, t, columns, totals)
    point_operators(blocks, segments, work, t)
    accumulate_operators(blocks, work)
    finite = project_all(blocks, component, segments, phi, screws, work, t, out)
    dq[:], dv[:], da[:] = 0.0, 0.0, 0.0
    tangent_blocks(
        blocks, ranges, component, segments, phi, screws, work, t, columns, totals, X, True, dq, dv, da
    )
    return finite
