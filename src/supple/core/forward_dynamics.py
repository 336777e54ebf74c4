"""Forward dynamics of a tree, M a = tau(q, v) - ID(q, v, 0), and its derivatives, in linear time ([GVS-AD] 7-9).

The mass matrix is never formed (`core.articulated`).  At the accelerations a, R(q, v, a, u) = 0 gives

    M da/dq = -dR/dq,     M da/dv = -dR/dv,     M da/du = B,

with the factors that a came of.  Stiff solvers never come here (they solve R = 0); explicit ones and control do.
"""

from __future__ import annotations

import numpy as np
from numba import types

from supple.core.actuation import fill_actuation
from supple.core.arrays import SPACE_ROWS, TREE_ROWS, handle_at, matrix_at, space_at, tree_at, vector_at
from supple.core.articulated import NOT_FINITE, SOLVED
from supple.core.articulated_columns import call_articulated
from supple.core.blocks.body import DYNAMICS
from supple.core.elastic import add_internal_force
from supple.core.finite import finite_matrix, finite_vector
from supple.core.loads import EXTERNAL, INTERNAL, WRENCH
from supple.core.residual_jacobians import call_residual_jacobians
from supple.core.sweep_in import add_field_forces, loaded_force, point_wrenches
from supple.core.sweep_out import sweep_out
from supple.jit import AddressedKernel, calling, inlined, inner, kernel
from supple.linalg.cholesky import cholesky, cholesky_solve

U = np.uint64  # unsigned indices vectorise, see linalg.products

SIGNATURE = types.int64(*[types.int64] * 7)

call_forward_dynamics = calling(SIGNATURE)

#: Entries of ``calls``: addresses of `FORWARD_DYNAMICS`, `core.articulated_columns.ARTICULATED`, the robot's handle and
#: ``free``; for derivatives `core.residual_jacobians.RESIDUAL_JACOBIANS`, and whether columns are solved for densely.
#: Every array that is handed from Python costs as much as a joint: so these travel as one.
FORWARD_AT, ARTICULATED_AT, TREE_AT, FREE_AT, JACOBIANS_AT, DENSE = 0, 1, 2, 3, 4, 5

#: What kernels return that look at nothing: q, v or u have another length than the robot's.
REFUSED = -4

_VECTOR, _HANDLE = types.float64[::1], types.int64[:, ::1]
#: Types that the kernels below take, and no others once they are settled (`jit.settle`).
FORWARD_TYPES = (types.int64[::1], _HANDLE, _VECTOR, _VECTOR, _VECTOR, _VECTOR)
DERIVATIVE_TYPES = (*FORWARD_TYPES[:5], types.float64[:, ::1], types.float64[:, ::1])


def _forward_dynamics(articulated, tree_address, space_address, q_at, v_at, free_at, a_at):
    """a (n,) = M^-1 (tau - ID(q, v, a_given)), added to nothing: where ``free`` (n,) is 0, a is given and 0 comes back.

    Given accelerations stand in a, zero for all other coordinates.  Returns a status (`core.articulated`).
    """
    tree_handle, space_handle = handle_at(tree_address, TREE_ROWS), handle_at(space_address, SPACE_ROWS)
    tree, space = tree_at(tree_handle), space_at(space_handle)
    n = tree.component.shape[0]
    q, v, a = vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(a_at, (n,))
    sweep_out(tree, q, v, a, space, 1)
    point_wrenches(tree, space, q, v, a, DYNAMICS)
    loaded_force(tree, space, tree_handle, space_handle, q, v, EXTERNAL + INTERNAL, WRENCH, a)
    add_field_forces(tree, space, a)
    add_internal_force(-1.0, tree, q, v, a)
    if not finite_vector(a):
        return NOT_FINITE
    for i in range(n):
        a[i] = -a[i]
    status = call_articulated(articulated, (tree_address, space_address, free_at, a_at, 1))
    return status if status != SOLVED or finite_vector(a) else NOT_FINITE


FORWARD_DYNAMICS = AddressedKernel(_forward_dynamics, SIGNATURE)


@inlined
def start(calls, space_handle, u):
    """Inputs of this call are put where loads find them; returns addresses of the robot and of the scratch."""
    space = space_at(space_handle)
    for i in range(u.shape[0]):
        space.inputs[i] = u[i]
    return calls[TREE_AT], space_handle.ctypes.data


@inlined
def fits(space_handle, n, q, v, u):
    """Whether a state is that of a robot with n coordinates and the inputs of a scratch."""
    nu = space_at(space_handle).inputs.shape[0]
    return q.shape[0] == n and v.shape[0] == n and u.shape[0] == nu


@kernel
def forward_dynamics(calls, space_handle, q, v, u, a):
    """a (n,) = M^-1 (tau(q, v, u) - ID(q, v, 0)), see `_forward_dynamics`, by the addresses in ``calls``.

    Returns a status, or `REFUSED`: lengths of q, v and u need not have been checked.
    """
    if not fits(space_handle, a.shape[0], q, v, u):
        return np.int64(REFUSED)
    return find_accelerations(calls, start(calls, space_handle, u), q, v, a)


@inlined
def find_accelerations(calls, where, q, v, a):
    """a = M^-1 (tau - ID(q, v, 0)) by `FORWARD_DYNAMICS`; those of locked coordinates are given.  Returns a status."""
    at = (calls[ARTICULATED_AT], *where, q.ctypes.data, v.ctypes.data, calls[FREE_AT], a.ctypes.data)
    return call_forward_dynamics(calls[FORWARD_AT], at)


@inlined
def parts_of(out):
    """dq, dv, M (n, n), a, R (n,): the rows of ``out`` (3 n + 2, n), by their addresses."""
    n, at = out.shape[1], out.ctypes.data
    square, rows = 8 * n * n, at + 24 * n * n
    dq, dv, M = matrix_at(at, (n, n)), matrix_at(at + square, (n, n)), matrix_at(at + 2 * square, (n, n))
    return dq, dv, M, vector_at(rows, (n,)), vector_at(rows + 8 * n, (n,))


@inlined
def negate(X):
    """X = -X."""
    for i in range(U(X.shape[0])):
        for j in range(U(X.shape[1])):
            X[i, j] = -X[i, j]


@inlined
def solve_derivatives(calls, where, M, dq, dv, du):
    """Overwrite dq, dv, du by -M^-1 dq, -M^-1 dv, M^-1 du: with the factors that the accelerations came of, or densely.

    Few coordinates are solved for densely (``calls`` says so).  M, behind dv in memory, is overwritten.  Returns a
    status.
    """
    if calls[DENSE] != 0:
        status = cholesky(M)
        if status == SOLVED:
            negate(dq)
            negate(dv)
            cholesky_solve(M, dq)
            cholesky_solve(M, dv)
            cholesky_solve(M, du)
        return status
    both = matrix_at(dv.ctypes.data, (dq.shape[0], 2 * dq.shape[1]))  # dv and M, side by side in memory
    put_together(dq, dv, both)
    solve_columns(calls, where, both)
    take_apart(both, dq, dv)
    solve_columns(calls, where, du)
    return np.int64(SOLVED)


@inner
def put_together(dq, dv, both):
    """both (n, 2 n) = [-dq, -dv], which begins where dv does: from the last row on, so that none is lost."""
    n = U(dq.shape[0])
    for r in range(n):
        i = n - U(1) - r
        for j in range(n):
            both[i, n + j] = -dv[i, j]
        for j in range(n):
            both[i, j] = -dq[i, j]


@inner
def take_apart(both, dq, dv):
    """[dq, dv] = both (n, 2 n), which begins where dv does: from the first row on."""
    n = U(dq.shape[0])
    for i in range(n):
        for j in range(n):
            dq[i, j] = both[i, j]
        for j in range(n):
            dv[i, j] = both[i, n + j]


@inlined
def solve_columns(calls, where, X):
    """Overwrite X (n, m) by M^-1 X, with the factors over the tree that the accelerations came of."""
    if X.shape[1] > 0:
        call_articulated(calls[ARTICULATED_AT], (*where, 0, X.ctypes.data, X.shape[1]))


@inlined
def fill_jacobians(calls, where, q, v, a, R, dq, dv, mass_at):
    """R, dR/dq, dR/dv and, unless its address is 0, M = dR/da by `RESIDUAL_JACOBIANS`.

    Returns whether they are finite.
    """
    state = (*where, q.ctypes.data, v.ctypes.data, a.ctypes.data)
    into = (R.ctypes.data, dq.ctypes.data, dv.ctypes.data, mass_at)
    return call_residual_jacobians(calls[JACOBIANS_AT], (*state, *into)) != 0


@inlined
def status_of(space, dq, dv, du):
    """SOLVED, or NOT_FINITE unless all entries of the three are finite."""
    finite = finite_matrix(dq, space.tangent[0]) and finite_matrix(dv, space.tangent[0])
    for i in range(du.shape[0]):
        finite = finite and finite_vector(du[i])
    return np.int64(SOLVED if finite else NOT_FINITE)


@kernel
def forward_dynamics_derivatives(calls, space_handle, q, v, u, out, du):
    """da/dq and da/dv in the first 2 n rows of ``out`` (3 n + 2, n), the others are scratch; da/du (n, nu).

    Nothing is prescribed.  Returns a status, or `REFUSED` as `forward_dynamics` does.
    """
    n = out.shape[1]
    if not fits(space_handle, n, q, v, u):
        return np.int64(REFUSED)
    dq, dv, M, a, R = parts_of(out)
    for i in range(n):
        a[i] = 0.0
    where = start(calls, space_handle, u)
    status = find_accelerations(calls, where, q, v, a)
    if status != SOLVED:
        return status
    if not fill_jacobians(calls, where, q, v, a, R, dq, dv, M.ctypes.data if calls[DENSE] != 0 else 0):
        return np.int64(NOT_FINITE)
    tree_handle = handle_at(where[0], TREE_ROWS)
    tree, space = tree_at(tree_handle), space_at(space_handle)
    fill_actuation(tree, space, tree_handle, space_handle, du)
    status = solve_derivatives(calls, where, M, dq, dv, du)
    return status if status != SOLVED else status_of(space, dq, dv, du)


@kernel
def solve_dense(M, X):
    """Overwrite X (n, m) by M^-1 X, and M by its Cholesky factor.  Returns a status."""
    status = cholesky(M)
    if status == SOLVED:
        cholesky_solve(M, X)
    return status
