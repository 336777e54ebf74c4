"""Mass matrix: M = sum over points of J^T M_k J, composite bodies summed inward ([GVS-AD] 32-34)."""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.columns import fill_jacobian_columns
from supple.core.finite import finite_matrix
from supple.core.grafts import write_graft_columns, write_graft_rows
from supple.core.inertia import world_inertia
from supple.core.records import ROD
from supple.core.sweep_out import sweep_out
from supple.jit import inlined, kernel
from supple.lie.se3 import product6_transposed
from supple.linalg.products import add_columns, add_projection, clear_range, map_columns, project_range

J = 1  # Space.columns
J_END, MJ = 0, 6  # Space.totals


@inlined
def composite_inertias(tree, work):
    """World inertia of every point; a block's last point takes everything that hangs on it."""
    for k in range(6):
        for l in range(6):
            work[0].M[k, l] = 0.0
    blocks = tree.blocks
    for b in range(blocks.shape[0]):
        for s in range(blocks[b].first, blocks[b].first + blocks[b].active):
            world_inertia(work[s].R, work[s].p, tree.segments[s].inertia, work[s].M)
    for b in range(blocks.shape[0] - 1, -1, -1):
        parent = work[blocks[b].parent]
        for s in range(blocks[b].first, blocks[b].first + blocks[b].active):
            for k in range(6):
                for l in range(6):
                    parent.M[k, l] += work[s].M[k, l]


@inlined
def write_mass_rows(block, ranges, totals, outward, M):
    """Rows of a block in the mass matrix: inward (M^T J)^T J, outward J^T (M J), zero where no path leads.

    ``outward`` holds M J; inertia is symmetric, but what loads make of accelerations need not be.
    """
    for i in range(block.start, block.start + block.n):
        for r in range(block.inward[0], block.inward[1]):
            project_range(totals[MJ], i, totals[J_END], ranges[r, 0], ranges[r, 1], M)
        for r in range(block.outward[0], block.outward[1]):
            project_range(totals[J_END], i, outward, ranges[r, 0], ranges[r, 1], M)
        for r in range(block.apart[0], block.apart[1]):
            clear_range(i, ranges[r, 0], ranges[r, 1], M)


@inlined
def rod_sums(block, space, M):
    """M J summed over a rod's points, and the rod's own rows and columns."""
    columns, totals, X = space.columns, space.totals, space.tangent
    n, start = block.n, block.start
    for i in range(start, start + n):
        clear_range(i, start, start + n, M)
        for k in range(6):
            totals[MJ, k, i] = 0.0
    for i in range(block.active):
        c = block.columns + i * n
        map_columns(space.work[block.first + i].M, columns[J], c, n, X)
        add_columns(X, n, totals[MJ], start)
        add_projection(columns[J], c, X, n, start, M)


@inlined
def joint_sums(block, w, t, columns, totals):
    """M J of a joint."""
    for j in range(block.n):
        for k in range(6):
            t.x[k] = columns[J, k, block.columns + j]
        product6_transposed(w.M, t.x, t.y)
        for k in range(6):
            totals[MJ, k, block.start + j] = t.y[k]


@inlined
def fill_mass_matrix(tree, space, M):
    """M from the columns J and the inertias of `composite_inertias`."""
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        if block.kind == ROD:
            rod_sums(block, space, M)
        else:
            joint_sums(block, space.work[block.first], space.scratch[0], space.columns, space.totals)
        write_mass_rows(block, tree.ranges, space.totals, space.totals[MJ], M)
        if block.grafts[1] > block.grafts[0]:
            write_graft_rows(block, tree.ranges, 1.0, space.totals[MJ], space.columns[J], False, M)
            write_graft_columns(block, tree.ranges, space.columns[J], space.totals[MJ], M)


@kernel
def mass_matrix(tree_handle, space_handle, q, zero, M):
    """M(q), shape (n, n).  Returns whether it is finite."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    sweep_out(tree, q, zero, zero, space, 0)
    fill_jacobian_columns(tree, space)
    composite_inertias(tree, space.work)
    fill_mass_matrix(tree, space, M)
    return finite_matrix(M, space.tangent[0])
