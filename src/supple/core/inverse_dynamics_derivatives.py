"""Jacobians of the inverse dynamics: dID/dq, dID/dv, dID/da = M, and the fused tangent ([GVS-AD] 17-34, 41, 42).

In world axes the wrench of a point k moves by

    dF/dq = N R + M Q,     dF/dv = N J + 2 M R,     dF/da = M J                      (19, 25, 31)

with the columns of `core.columns`; loads add to N and M, and a dependence on the pose, G J in dF/dq (`core.loads`).
For a block (a rod or a joint) with points k, rows and columns split three ways:

* inside the block:       sum_k J_k^T X_k + C29,  X_k = dF_k + adbar*_{F^C_k} S_k  (the last for dq only, P of 22g);
* inward (ancestors):     (sum_k N_k^T J_k)^T R + (sum_k M_k^T J_k)^T Q (+ (sum_k G_k^T J_k)^T J), the ancestors'
                          columns being the same for all k;
* outward (descendants):  J^T U, where U = sum_k X_k is what a descendant block hands inward.

A block's last point carries the summed M, N and F of everything attached to it, so each block is one visit and
each pair of blocks is one product of 6 rows (of blocks that leave a rod before its tip: `core.grafts`): no recursion
over points of other rods is left.  A joint has one point, so
its own columns are just the beginning of its outward ones.
"""

from __future__ import annotations

from supple.core.arrays import space_at, tree_at
from supple.core.blocks.body import add_field_tangents
from supple.core.blocks.kinds import add_geometric_stiffness, has_field, has_one_point
from supple.core.finite import finite_matrices, finite_vector
from supple.core.grafts import write_graft_columns, write_graft_rows
from supple.core.loads import (
    EXTERNAL,
    TANGENT,
    add_load_tangents,
    apply_loads,
    has_wrenches,
    project_stresses,
)
from supple.core.mass_matrix import write_mass_rows
from supple.core.outward import outward_with_columns
from supple.core.records import GJ, J_END, J_SUM, MJ, NJ, Q_END, Q_SUM, R_END, R_SUM, S_OWN, U_A, U_Q, U_V
from supple.core.sweep_in import (
    accumulate_operators,
    add_field_forces,
    clear_pose_tangents,
    point_operators,
    project_all,
)
from supple.jit import inlined, inner, kernel, local_array, outlined
from supple.lie.se3 import add_coad, product6, product6_transposed
from supple.linalg.products import (
    add_coad_columns,
    add_columns,
    add_map_columns,
    add_map_columns_transposed,
    add_project_range,
    add_projection,
    clear_range,
    map_columns,
    map_two_columns,
    project_range,
    project_two_range,
)

_twist = local_array(6)


@inlined
def weighs(separate, da):
    """Whether df/da is asked for: it has rows."""
    return separate and da.shape[0] > 0


@inlined
def read_columns(columns, c, Sj, Rj, Qj):
    """Column c of S, R and Q."""
    for k in range(6):
        Sj[k], Rj[k], Qj[k] = columns[S_OWN, k, c], columns[R_SUM, k, c], columns[Q_SUM, k, c]


@inlined
def joint_sums(block, w, columns, separate, totals):
    """U_q = N R + M Q + ad*_S F, U_v = N J + 2 M R, N^T J and M J of a joint without loads.

    Its one point is the whole sum, J = S, and M is symmetric.
    """
    Sj, Rj, Qj, x, y = _twist(), _twist(), _twist(), _twist(), _twist()
    for j in range(block.n):
        i = block.start + j
        read_columns(columns, block.columns + j, Sj, Rj, Qj)
        product6(w.N, Rj, x)
        product6_transposed(w.M, Qj, y)
        add_coad(Sj, w.F, x)
        for k in range(6):
            totals[U_Q, k, i] = x[k] + y[k]
        if separate:
            product6(w.N, Sj, x)
            product6_transposed(w.M, Rj, y)
            for k in range(6):
                totals[U_V, k, i] = x[k] + 2.0 * y[k]
        product6_transposed(w.M, Sj, x)
        product6_transposed(w.N, Sj, y)
        for k in range(6):
            totals[MJ, k, i] = x[k]
            totals[NJ, k, i] = y[k]


@inlined
def loaded_joint_sums(block, w, columns, totals):
    """The same with loads: G of their wrenches, and an M that need not be symmetric, so that M J and M^T J differ."""
    Sj, Rj, Qj = _twist(), _twist(), _twist()
    x, y, z = _twist(), _twist(), _twist()
    for j in range(block.n):
        i = block.start + j
        read_columns(columns, block.columns + j, Sj, Rj, Qj)
        product6(w.N, Rj, y)
        product6(w.M, Qj, z)
        add_coad(Sj, w.F, y)
        product6(w.G, Sj, x)
        for k in range(6):
            totals[U_Q, k, i] = x[k] + y[k] + z[k]
        product6(w.N, Sj, x)
        product6(w.M, Rj, y)
        product6(w.M, Sj, z)
        for k in range(6):
            totals[U_V, k, i] = x[k] + 2.0 * y[k]
            totals[U_A, k, i] = z[k]
        product6_transposed(w.N, Sj, x)
        product6_transposed(w.M, Sj, y)
        product6_transposed(w.G, Sj, z)
        for k in range(6):
            totals[NJ, k, i], totals[MJ, k, i], totals[GJ, k, i] = x[k], y[k], z[k]


@outlined  # by itself it compiles sooner, and runs as fast: one call per rod
def rod_sums(tree, block, space, separate, dq, dv, da):
    """U_q = sum (N R + M Q + G J + adbar*_F S), U_v = sum (N J + 2 M R), U_a = sum M J and sums of N^T J, M^T J, G^T J.

    Over the points of a rod (or the frames of a soft body), with the rows and columns of its own, sum J^T X + C29.
    U_a and ``da`` are left out if nobody asks for it, see `weighs`.
    """
    columns, totals, X = space.columns, space.totals, space.tangent
    n, start = block.n, block.start
    has_ancestors = block.inward[1] > block.inward[0] or block.grafts[1] > block.grafts[0]
    loaded = has_wrenches(tree)
    clear_rod(start, n, separate, totals, dq, dv, da)
    for i in range(block.active):
        w = space.work[block.first + i]
        c = block.columns + i * n
        map_two_columns(w.N, columns[R_SUM], 1.0, w.M, columns[Q_SUM], c, n, X)
        add_coad_columns(w.F, columns[S_OWN], c, n, X)
        if loaded:
            add_map_columns(w.G, columns[J_SUM], c, n, X)
            add_map_columns_transposed(w.G, columns[J_SUM], c, n, totals[GJ], start)
        add_columns(X, n, totals[U_Q], start)
        add_projection(columns[J_SUM], c, X, n, start, dq)
        add_geometric_stiffness(tree, space, block, i, w, dq)
        if has_ancestors:
            add_map_columns_transposed(w.N, columns[J_SUM], c, n, totals[NJ], start)
        if has_ancestors or weighs(separate, da):
            add_map_columns_transposed(w.M, columns[J_SUM], c, n, totals[MJ], start)
        if weighs(separate, da):
            map_columns(w.M, columns[J_SUM], c, n, X)
            if loaded:
                add_columns(X, n, totals[U_A], start)
            add_projection(columns[J_SUM], c, X, n, start, da)
        if separate:
            map_two_columns(w.N, columns[J_SUM], 2.0, w.M, columns[R_SUM], c, n, X)
            add_columns(X, n, totals[U_V], start)
            add_projection(columns[J_SUM], c, X, n, start, dv)


@inner
def clear_rod(start, n, separate, totals, dq, dv, da):
    """Zero a rod's sums and its own rows and columns."""
    for m in range(U_Q, U_A + 1):
        for k in range(6):
            for j in range(start, start + n):
                totals[m, k, j] = 0.0
    for i in range(start, start + n):
        clear_range(i, start, start + n, dq)
        if separate:
            clear_range(i, start, start + n, dv)
        if weighs(separate, da):
            clear_range(i, start, start + n, da)


@inlined
def write_rows(block, ranges, X, s, Y, sums, totals, out):
    """Rows of a block: inward (N^T J)^T X + s (M^T J)^T Y, outward J^T sums, zero where no path leads."""
    for i in range(block.start, block.start + block.n):
        for r in range(block.inward[0], block.inward[1]):
            project_two_range(totals[NJ], X, s, totals[MJ], Y, i, ranges[r, 0], ranges[r, 1], out)
        for r in range(block.outward[0], block.outward[1]):
            project_range(totals[J_END], i, sums, ranges[r, 0], ranges[r, 1], out)
        for r in range(block.apart[0], block.apart[1]):
            clear_range(i, ranges[r, 0], ranges[r, 1], out)


@inlined
def add_pose_rows(block, ranges, totals, out):
    """Rows of a block, inward: (G^T J)^T J of loads."""
    for i in range(block.start, block.start + block.n):
        for r in range(block.inward[0], block.inward[1]):
            add_project_range(totals[GJ], i, totals[J_END], ranges[r, 0], ranges[r, 1], out)


@inner
def write_grafts(block, ranges, columns, totals, loaded, separate, dq, dv, da):
    """What `write_rows`, `add_pose_rows` and `write_mass_rows` are, between a block and rods it is grafted on."""
    write_graft_rows(block, ranges, 1.0, totals[NJ], columns[R_SUM], False, dq)
    write_graft_rows(block, ranges, 1.0, totals[MJ], columns[Q_SUM], True, dq)
    if loaded:
        write_graft_rows(block, ranges, 1.0, totals[GJ], columns[J_SUM], True, dq)
    write_graft_columns(block, ranges, columns[J_SUM], totals[U_Q], dq)
    if separate:
        write_graft_rows(block, ranges, 1.0, totals[NJ], columns[J_SUM], False, dv)
        write_graft_rows(block, ranges, 2.0, totals[MJ], columns[R_SUM], True, dv)
        write_graft_columns(block, ranges, columns[J_SUM], totals[U_V], dv)
    if weighs(separate, da):
        write_graft_rows(block, ranges, 1.0, totals[MJ], columns[J_SUM], False, da)
        write_graft_columns(block, ranges, columns[J_SUM], totals[U_A] if loaded else totals[MJ], da)


@inlined
def tangent_blocks(tree, space, separate, dq, dv, da):
    """dq = df/dq and, if ``separate``, dv = df/dv, da = df/da of f = sum S^T F^C, block by block, from the leaves.

    ``separate`` is False for the fused tangent, whose columns already hold the combined R and Q; ``da`` may have no
    rows, and is then left out.
    """
    totals = space.totals
    loaded = has_wrenches(tree)
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        w = space.work[block.first]
        joint = has_one_point(block)
        if not joint:
            rod_sums(tree, block, space, separate, dq, dv, da)
            if has_field(block):
                add_field_tangents(block, tree.maps, space.maps, space.rates, separate, totals, dq, dv, da)
        elif loaded:
            loaded_joint_sums(block, w, space.columns, totals)
        else:
            joint_sums(block, w, space.columns, separate, totals)
        write_rows(block, tree.ranges, totals[R_END], 1.0, totals[Q_END], totals[U_Q], totals, dq)
        if loaded:
            add_pose_rows(block, tree.ranges, totals, dq)
        if joint:
            add_geometric_stiffness(tree, space, block, 0, w, dq)
        if separate:
            write_rows(block, tree.ranges, totals[J_END], 2.0, totals[R_END], totals[U_V], totals, dv)
        if weighs(separate, da):
            write_mass_rows(block, tree.ranges, totals, totals[U_A] if loaded else totals[MJ], da)
        if block.grafts[1] > block.grafts[0]:
            write_grafts(block, tree.ranges, space.columns, totals, loaded, separate, dq, dv, da)


@inlined
def sweep_derivatives(tree, space, tree_handle, space_handle, q, v, a, sides, out, dq, dv, da):
    """out = f (n,), dq = df/dq, dv = df/dv, da = df/da, each (n, n), of f = sum S^T F^C less stresses and joint forces.

    F^C are resultants of inertia and of loads of the given ``sides`` (`core.loads`).  ``da`` is left out if it has no
    rows.
    """
    outward_with_columns(tree_handle, space_handle, space, q, v, a, 0.0, 0.0)
    space.rates[1] = 1.0  # dormant stations: by q and by v separately
    point_operators(tree, space, q, v, a)
    clear_pose_tangents(tree, space.work)
    apply_loads(tree, space, tree_handle, space_handle, q, v, sides, TANGENT)
    accumulate_operators(tree, space.work)
    project_all(tree, space, out)
    add_field_forces(tree, space, out)
    tangent_blocks(tree, space, True, dq, dv, da)
    project_stresses(tree, space, out)
    add_load_tangents(tree, space, 0.0, True, dq, dv)


@kernel
def inverse_dynamics_derivatives(tree_handle, space_handle, q, v, a, out, dq, dv, da):
    """out = ID (n,), dq = dID/dq, dv = dID/dv, da = M, each (n, n).  Returns whether all are finite."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    sweep_derivatives(tree, space, tree_handle, space_handle, q, v, a, EXTERNAL, out, dq, dv, da)
    return finite_vector(out) and finite_matrices(dq, dv, da, space.tangent[0])
