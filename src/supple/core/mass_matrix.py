"""Mass matrix: M = sum over points of J^T M_k J, composite bodies summed inward ([GVS-AD] 32-34)."""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.blocks.body import add_field_mass
from supple.core.blocks.kinds import by_fours, has_field, has_one_point
from supple.core.blocks.rod_columns import add_rod_sums
from supple.core.finite import finite_matrix
from supple.core.grafts import write_graft_columns, write_graft_rows
from supple.core.outward import outward_with_jacobian
from supple.core.records import J_END, J_SUM, MJ
from supple.core.sweep_in import composite_inertias
from supple.jit import inlined, kernel, local_array
from supple.lie.se3 import product6_transposed
from supple.linalg.products import (
    add_columns,
    add_upper_projection,
    clear_range,
    map_columns,
    mirror_upper,
    project_range,
)

_twist, _whole = local_array(6), local_array(6, 6)


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
def point_sums(tree, space, b, M):
    """sum M_k J_k (6, n), in ``totals[MJ]``, and sum J_k^T M_k J_k in M, over the points k of a rod or soft body."""
    columns, totals, X, block = space.columns, space.totals, space.tangent, tree.blocks[b]
    n, start = block.n, block.start
    for i in range(start, start + n):
        clear_range(i, start, start + n, M)
        for k in range(6):
            totals[MJ, k, i] = 0.0
    if by_fours(block):
        add_rod_sums(tree, space, b, _whole(), totals[MJ], M, start)
        mirror_upper(start, n, M)
        return
    for i in range(block.active):
        c = block.columns + i * n
        map_columns(space.work[block.first + i].M, columns[J_SUM], c, n, X)
        add_columns(X, n, totals[MJ], start)
        add_upper_projection(columns[J_SUM], c, X, n, start, M)
    mirror_upper(start, n, M)


@inlined
def joint_sums(block, w, columns, totals):
    """M^C J (6, n) of a joint, in ``totals[MJ]``."""
    column, wrench = _twist(), _twist()
    for j in range(block.n):
        for k in range(6):
            column[k] = columns[J_SUM, k, block.columns + j]
        product6_transposed(w.M, column, wrench)
        for k in range(6):
            totals[MJ, k, block.start + j] = wrench[k]


@inlined
def fill_mass_matrix(tree, space, q, zero, M):
    """M (n, n) = sum J_k^T M_k J_k at the poses and columns J of the last sweep outward (32-34).

    With composite inertias M^C, block by block from the leaves inward: M_ij = J_i^T (M^C J)_j for i inward of j.
    """
    composite_inertias(tree, space, q, zero)
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        if has_one_point(block):
            joint_sums(block, space.work[block.first], space.columns, space.totals)
        else:
            point_sums(tree, space, b, M)
            if has_field(block):
                add_field_mass(block, tree.maps, space.maps, space.totals[MJ], block.start, M, block.start)
        write_mass_rows(block, tree.ranges, space.totals, space.totals[MJ], M)
        if block.grafts[1] > block.grafts[0]:
            write_graft_rows(block, tree.ranges, 1.0, space.totals[MJ], space.columns[J_SUM], False, M)
            write_graft_columns(block, tree.ranges, space.columns[J_SUM], space.totals[MJ], M)


@kernel
def mass_matrix(tree_handle, space_handle, q, zero, M):
    """M(q) = sum J_k^T M_k J_k, (n, n).  Returns whether it is finite."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    outward_with_jacobian(tree_handle, space_handle, space, q, zero, zero, 0)
    fill_mass_matrix(tree, space, q, zero, M)
    return finite_matrix(M, space.tangent[0])
