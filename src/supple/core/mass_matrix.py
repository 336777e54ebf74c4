"""Mass matrix: M = sum over points of J^T M_k J, composite bodies summed inward ([GVS-AD] 32-34)."""

from __future__ import annotations

from supple.core.columns import fill_jacobian_columns
from supple.core.inertia import world_inertia
from supple.core.products import add_columns, add_projection, map_columns
from supple.core.sweep_out import sweep_out
from supple.jit import inner, kernel

J = 1  # Workspace.columns
J_END, MJ = 0, 6  # Workspace.totals


@inner
def composite_inertias(blocks, segments, work):
    """World inertia of every point; a block's last point takes everything that hangs on it."""
    for k in range(6):
        for l in range(6):
            work[0].M[k, l] = 0.0
    for b in range(blocks.shape[0]):
        for s in range(blocks[b].first, blocks[b].first + blocks[b].active):
            world_inertia(work[s].R, work[s].p, segments[s].inertia, work[s].M)
    for b in range(blocks.shape[0] - 1, -1, -1):
        parent = work[blocks[b].parent]
        for s in range(blocks[b].first, blocks[b].first + blocks[b].active):
            for k in range(6):
                for l in range(6):
                    parent.M[k, l] += work[s].M[k, l]


@inner
def fill_mass_matrix(blocks, ranges, work, columns, totals, X, M):
    """M from the columns J and the inertias of `composite_inertias`."""
    M[:] = 0.0
    for b in range(blocks.shape[0] - 1, -1, -1):
        block = blocks[b]
        n, start = block.n, block.start
        for k in range(6):
            for j in range(start, start + n):
                totals[MJ, k, j] = 0.0
        for i in range(block.active):
            c = block.columns + i * n
            map_columns(work[block.first + i].M, columns[J], c, n, X)
            add_columns(X, n, totals[MJ], start)
            add_projection(columns[J], c, n, start, X, 0, n, start, M)
        for r in range(block.ancestors[0], block.ancestors[1]):
            lo, m = ranges[r, 0], ranges[r, 1] - ranges[r, 0]
            add_projection(totals[MJ], start, n, start, totals[J_END], lo, m, lo, M)
        for r in range(block.descendants[0], block.descendants[1]):
            lo, m = ranges[r, 0], ranges[r, 1] - ranges[r, 0]
            add_projection(totals[J_END], start, n, start, totals[MJ], lo, m, lo, M)


@kernel
def mass_matrix(
    blocks, ranges, component, placement, segments, phi, screws, gravity, q, zero, work, scratch, columns, totals, X, M
):
    """M(q), shape (n, n)."""
    t = scratch[0]
    sweep_out(blocks, component, placement, segments, phi, screws, gravity, q, zero, zero, work, t, 0)
    fill_jacobian_columns(blocks, component, segments, phi, screws, work, t, columns, totals)
    composite_inertias(blocks, segments, work)
    fill_mass_matrix(blocks, ranges, work, columns, totals, X, M)
