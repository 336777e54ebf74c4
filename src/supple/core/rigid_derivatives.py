"""Derivatives of forward dynamics of rigid trees with few joints, in one sweep outward.

`core.forward_dynamics` sweeps twice: for the accelerations a, then for the Jacobians of R at them.  Where all joints
are commuting screws and no load writes wrenches, only little of the second sweep depends on a: with the accelerations
of all points raised by dA (dA = dA of the parent + S a),

    Q += ad_dA(parent) S,      F^C += sum over all points outward of M dA,

so everything is swept at a = 0, M is factorised, a follows, and these two are put right before dR/dq is formed.
The sum is M^C dA of the point itself and, from each child c, what its own joint and those beyond it add:
C_c = M^C_c S_c a_c + sum of the C of its children.
"""

from __future__ import annotations

import numpy as np

from supple.core.actuation import END_INPUT, FIRST_INPUT, clear_forces, gather_forces
from supple.core.arrays import TREE_ROWS, handle_at, matrix_at, space_at, tree_at
from supple.core.articulated import NOT_FINITE, SOLVED
from supple.core.elastic import add_damping, add_internal_force, add_internal_tangent
from supple.core.finite import finite_matrix, finite_vector
from supple.core.forward_dynamics import REFUSED, fits, negate, parts_of, start, status_of
from supple.core.inertia import point_wrench, velocity_tangent, world_inertia
from supple.core.inverse_dynamics_derivatives import joint_sums, write_rows
from supple.core.loads import INTERNAL, TANGENT, apply_loads, call_load, clear_counts
from supple.core.mass_matrix import write_mass_rows
from supple.core.outward import outward_with_columns
from supple.core.records import J_END, MJ, Q_END, Q_SUM, R_END, S_OWN, U_Q, U_V
from supple.core.sweep_in import accumulate_operators
from supple.jit import inlined, kernel, local_array
from supple.lie.se3 import add_ad, product6_transposed
from supple.linalg.cholesky import cholesky, cholesky_solve

_twist, _matrix = local_array(6), local_array(6, 6)


@inlined
def read_column(columns, m, c, out):
    """out = column c of the columns m."""
    for k in range(6):
        out[k] = columns[m, k, c]


@inlined
def project_and_weigh(tree, space, out, M):
    """out = S^T F^C, the rows of the mass matrix M, and M^C S of every joint in ``totals[MJ]``."""
    S, x, totals = _twist(), _twist(), space.totals
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        w = space.work[block.first]
        for j in range(block.n):
            i = block.start + j
            read_column(space.columns, S_OWN, block.columns + j, S)
            product6_transposed(w.M, S, x)
            out[i] = 0.0
            for k in range(6):
                totals[MJ, k, i] = x[k]
                out[i] += S[k] * w.F[k]
        write_mass_rows(block, tree.ranges, totals, totals[MJ], M)


@inlined
def accelerate(tree, space, a):
    """dA = dA of the parent + S a of all points, and Q += ad_dA(parent) S, by accelerations a (n,) of coordinates."""
    S, x, work = _twist(), _twist(), space.work
    for k in range(6):
        work[0].dA[k], work[0].dZ[k] = 0.0, 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        w, before = work[block.first], work[block.parent]
        for k in range(6):
            w.dA[k], w.dZ[k] = before.dA[k], 0.0
        for j in range(block.n):
            i, c = block.start + j, block.columns + j
            read_column(space.columns, S_OWN, c, S)
            for k in range(6):
                x[k] = 0.0
                w.dA[k] += S[k] * a[i]
            add_ad(before.dA, S, x)
            for k in range(6):
                space.columns[Q_SUM, k, c] += x[k]
                space.totals[Q_END, k, i] += x[k]


@inlined
def add_inertial_wrenches(tree, space, a):
    """F^C += the sum of M dA of all points outward."""
    x, work, totals = _twist(), space.work, space.totals
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        w, before = work[block.first], work[block.parent]
        product6_transposed(w.M, w.dA, x)
        for k in range(6):
            w.F[k] += x[k] + w.dZ[k]
            share = w.dZ[k]
            for i in range(block.start, block.start + block.n):
                share += totals[MJ, k, i] * a[i]
            before.dZ[k] += share


@inlined
def write_tangents(tree, space, dq, dv):
    """dq = dR/dq, dv = dR/dv (n, n) of inertia and joint forces, from the leaves inward (19, 25)."""
    totals = space.totals
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        joint_sums(block, space.work[block.first], space.columns, True, totals)
        write_rows(block, tree.ranges, totals[R_END], 1.0, totals[Q_END], totals[U_Q], totals, dq)
        write_rows(block, tree.ranges, totals[J_END], 2.0, totals[R_END], totals[U_V], totals, dv)
        for i in range(block.start, block.start + block.n):
            for j in range(block.n):
                dq[i, block.start + j] -= space.joint_slope[i, j]


@inlined
def sweep(tree, space, tree_handle, space_handle, q, v, a):
    """F = M A + ad*_V h, M, N of all points at the accelerations a, summed inward (F^C, M^C, N^C); loads act."""
    X, work = _matrix(), space.work
    outward_with_columns(tree_handle, space_handle, space, q, v, a, 0.0, 0.0)
    for b in range(tree.blocks.shape[0]):
        s = tree.blocks[b].first
        world_inertia(work[s].R, work[s].p, tree.segments[s].inertia, work[s].M)
        point_wrench(work[s])
        velocity_tangent(work[s], X)
    for i in range(space.joint_slope.shape[0]):  # which only robots with loads clear
        for j in range(space.joint_slope.shape[1]):
            space.joint_slope[i, j] = 0.0
    apply_loads(tree, space, tree_handle, space_handle, q, v, INTERNAL, TANGENT)
    accumulate_operators(tree, work)


@inlined
def fill_drives(tree, space, space_handle, calls, B):
    """B (n, nu) of loads that write joint forces alone."""
    for i in range(B.shape[0]):
        for k in range(B.shape[1]):
            B[i, k] = 0.0
    clear_forces(tree, space)
    for l in range(tree.loads.shape[0]):
        for k in range(tree.loads[l, FIRST_INPUT], tree.loads[l, END_INPUT]):
            clear_counts(space)
            call_load(tree.loads[l, 0], (calls, space_handle.ctypes.data, tree.loads[l, 1], -(k + 1)))
            gather_forces(tree, space, 1.0, B[:, k])


@kernel
def rigid_derivatives(calls, space_handle, q, v, u, out, du):
    """da/dq = -M^-1 dR/dq, da/dv = -M^-1 dR/dv in the first 2 n rows of ``out`` (3 n + 2, n), da/du = M^-1 B (n, nu).

    As `core.forward_dynamics.forward_dynamics_derivatives`, for trees that `is_rigid` of `model.workspace` tells: one
    sweep outward, M factorised once.  Returns a status, or `REFUSED`.
    """
    n = out.shape[1]
    if not fits(space_handle, n, q, v, u):
        return np.int64(REFUSED)
    dq, dv, M, a, R = parts_of(out)
    for i in range(n):
        a[i] = 0.0
    where = start(calls, space_handle, u)
    tree_handle = handle_at(where[0], TREE_ROWS)
    tree, space = tree_at(tree_handle), space_at(space_handle)
    sweep(tree, space, tree_handle, space_handle, q, v, a)
    project_and_weigh(tree, space, R, M)
    add_internal_force(-1.0, tree, q, v, R)
    for i in range(n):
        a[i] = space.joint_force[i] - R[i] if tree.loads.shape[0] > 0 else -R[i]
    if not finite_vector(a) or not finite_matrix(M, space.tangent[0]):
        return np.int64(NOT_FINITE)
    status = cholesky(M)
    if status != SOLVED:
        return status
    cholesky_solve(M, matrix_at(a.ctypes.data, (n, 1)))
    accelerate(tree, space, a)
    add_inertial_wrenches(tree, space, a)
    write_tangents(tree, space, dq, dv)
    add_internal_tangent(-1.0, 0.0, tree, q, v, dq)
    add_damping(1.0, tree, v, dv)
    fill_drives(tree, space, space_handle, where[0], du)
    negate(dq)
    negate(dv)
    cholesky_solve(M, dq)
    cholesky_solve(M, dv)
    cholesky_solve(M, du)
    return status_of(space, dq, dv, du)
