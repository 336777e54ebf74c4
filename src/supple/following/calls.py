"""Kernels that solvers call by address, for robots with coordinates that follow others.

Each has the signature of the one that it stands for, takes the coordinates that are left, calls that one with all of
them, and brings back what comes of it:

    R_x = C^T R,    dR_x/dx = C^T (R_q C + R_v C' + R_a C'') + sum_i R_i d2c_i,    dR_x/dx' = C^T (R_v C + 2 R_a C').

Factors over the tree (`following.tree_factors`) are of all coordinates.
"""

from __future__ import annotations

from supple.core import input_forces, loops, parameter_gradient, residual, residual_jacobians
from supple.core.arrays import matrices_at, matrix_at, vector_at
from supple.following.arrays import followers_of, scratch_of
from supple.following.expansion import add_bends, add_columns, clear, expand, expand_direction, fold_force, fold_rows
from supple.jit import AddressedKernel, inner, kernel, stamp_of

#: Entries of `FollowerRows.calls`: the kernels of all coordinates.
RESIDUAL_OF, JACOBIANS_OF, ROWS_OF, COLUMNS_OF, POWER_OF, PARAMETERS_OF, TREE_TANGENT_OF, TREE_RATES_OF = range(8)

STAMP = stamp_of("following")


@inner
def bent(rows):
    """Whether a follower is not linear."""
    return rows.ops.shape[0] > 0


@inner
def addresses(space):
    """Of q, v and a of all coordinates."""
    state = space.state
    return state[0].ctypes.data, state[1].ctypes.data, state[2].ctypes.data


@inner
def all_jacobians(tree, scratch, rows, space):
    """R and its Jacobians by all coordinates, in the scratch.  Returns 0 unless they are finite."""
    J = space.jacobians
    at = (tree, scratch, *addresses(space), space.state[3].ctypes.data)
    into = (J[0].ctypes.data, J[1].ctypes.data, J[2].ctypes.data)
    return residual_jacobians.call_residual_jacobians(rows.calls[JACOBIANS_OF], (*at, *into))


@inner
def fold_jacobian(rows, space, which, out):
    """out (n, n) = dR_x by x, x' or x'', from those by all coordinates."""
    J, P = space.jacobians, space.product
    clear(P)
    add_columns(rows, space, 1.0, J[which], 0, P)
    if which == 0:
        add_columns(rows, space, 1.0, J[1], 1, P)
        add_columns(rows, space, 1.0, J[2], 2, P)
    elif which == 1:
        add_columns(rows, space, 2.0, J[2], 1, P)
    fold_rows(rows, space, P, out)
    if which == 0:
        add_bends(rows, space, space.state[3], out)


def _residual(tree, scratch, q_at, v_at, a_at, cv, ca, out_at, tangent_at):
    """`core.residual` in the coordinates that are left."""
    rows, space = followers_of(tree), scratch_of(scratch)
    n = space.product.shape[1]
    expand(rows, space, vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(a_at, (n,)))
    formed = tangent_at != 0 and tangent_at != residual.OPERATORS
    space.last[0], space.last[1], space.last[2] = cv, ca, 0.0 if formed and bent(rows) else 1.0
    if formed and bent(rows):
        finite = all_jacobians(tree, scratch, rows, space)
        T, part = matrix_at(tangent_at, (n, n)), space.tangent[:n, :n]
        fold_jacobian(rows, space, 0, T)
        for which in (1, 2):
            fold_jacobian(rows, space, which, part)
            factor = cv if which == 1 else ca
            for i in range(n):
                for j in range(n):
                    T[i, j] += factor * part[i, j]
    else:
        force, tangent = space.state[3].ctypes.data, space.tangent.ctypes.data if formed else tangent_at
        at = (tree, scratch, *addresses(space), cv, ca, force, tangent)
        finite = residual.call_residual(rows.calls[RESIDUAL_OF], at)
        if formed:
            clear(space.product)
            add_columns(rows, space, 1.0, space.tangent, 0, space.product)
            fold_rows(rows, space, space.product, matrix_at(tangent_at, (n, n)))
    fold_force(rows, space, space.state[3], vector_at(out_at, (n,)))
    return finite


def _jacobians(tree, scratch, q_at, v_at, a_at, out_at, dq_at, dv_at, da_at):
    """`core.residual_jacobians` in the coordinates that are left."""
    rows, space = followers_of(tree), scratch_of(scratch)
    n = space.product.shape[1]
    expand(rows, space, vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(a_at, (n,)))
    space.last[0], space.last[1], space.last[2] = 0.0, 0.0, 0.0
    finite = all_jacobians(tree, scratch, rows, space)
    fold_jacobian(rows, space, 0, matrix_at(dq_at, (n, n)))
    fold_jacobian(rows, space, 1, matrix_at(dv_at, (n, n)))
    fold_jacobian(rows, space, 2, matrix_at(da_at, (n, n)))
    fold_force(rows, space, space.state[3], vector_at(out_at, (n,)))
    return finite


@inner
def fold_loops(rows, space, X, out):
    """Rows (5, nc, n) of loops (`core.loops`) from those by all coordinates, X (5, nc, N): A C, e_q C, and

        (A v)_x = (A v)_q C + A C',     rate_x = rate_q C + rate_v C' + A C'',     rate_x' = rate_v C + 2 A C'.

    A fused tangent left columns that are combined with c_v and c_a; those of separate Jacobians, which bent followers
    take unless factors are over the tree, are not, and are combined here.
    """
    for m in range(5):
        clear(out[m])
        add_columns(rows, space, 1.0, X[m], 0, out[m])
    if not bent(rows):
        return
    add_columns(rows, space, 2.0, X[0], 1, out[4])
    add_columns(rows, space, 1.0, X[0], 1, out[2])
    add_columns(rows, space, 1.0, X[4], 1, out[3])
    add_columns(rows, space, 1.0, X[0], 2, out[3])
    if space.last[2] != 0.0:
        return
    cv, ca = space.last[0], space.last[1]
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            out[2, i, j] += cv * out[0, i, j]
            out[3, i, j] += cv * out[4, i, j] + ca * out[0, i, j]


def _rows(tree, scratch, vectors_at, all_at):
    """`core.loops` in the coordinates that are left, at the state of the last residual."""
    rows, space = followers_of(tree), scratch_of(scratch)
    X = space.loops
    at = (tree, scratch, vectors_at, X.ctypes.data if all_at != 0 else 0)
    loops.call_constraint_rows(rows.calls[ROWS_OF], at)
    if all_at != 0:
        fold_loops(rows, space, X, matrices_at(all_at, (5, X.shape[1], space.product.shape[1])))


def _columns(tree, scratch, q_at, v_at, out_at):
    """`core.input_forces` in the coordinates that are left: dR/du (nu, n), at the state of the last residual."""
    rows, space = followers_of(tree), scratch_of(scratch)
    X, at = space.columns, (tree, scratch, space.state[0].ctypes.data, space.state[1].ctypes.data)
    input_forces.call_input_columns(rows.calls[COLUMNS_OF], (*at, X.ctypes.data))
    out = matrix_at(out_at, (X.shape[0], space.product.shape[1]))
    clear(out)
    add_columns(rows, space, 1.0, X, 0, out)


def _power(tree, scratch, q_at, v_at, y_at, out_at):
    """y^T dR/du, at the state of the last residual."""
    rows, space = followers_of(tree), scratch_of(scratch)
    expand_direction(rows, space, vector_at(y_at, (space.product.shape[1],)))
    at = (tree, scratch, space.state[0].ctypes.data, space.state[1].ctypes.data)
    input_forces.call_input_power(rows.calls[POWER_OF], (*at, space.state[4].ctypes.data, out_at))


def _parameters(tree, scratch, q_at, v_at, a_at, y_at, rows_at, gradient):
    """`core.parameter_gradient` in the coordinates that are left; what followers follow by is no parameter."""
    rows, space = followers_of(tree), scratch_of(scratch)
    n = space.product.shape[1]
    expand(rows, space, vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(a_at, (n,)))
    expand_direction(rows, space, vector_at(y_at, (n,)))
    at = (tree, scratch, *addresses(space), space.state[4].ctypes.data, rows_at, gradient)
    return parameter_gradient.call_parameter_gradient(rows.calls[PARAMETERS_OF], at)


RESIDUAL = AddressedKernel(_residual, residual.SIGNATURE, STAMP)
JACOBIANS = AddressedKernel(_jacobians, residual_jacobians.SIGNATURE, STAMP)
ROWS = AddressedKernel(_rows, loops.SIGNATURE, STAMP)
COLUMNS = AddressedKernel(_columns, input_forces.COLUMNS, STAMP)
POWER = AddressedKernel(_power, input_forces.POWER, STAMP)
PARAMETERS = AddressedKernel(_parameters, parameter_gradient.SIGNATURE, STAMP)


@kernel
def rows_at(jacobians, rows, tree, space, q, v, a, scratch, vectors, matrices):
    """All rows of all loops at a state, by the addresses of `JACOBIANS` and `ROWS`; ``scratch`` (4, n, n)."""
    at = (tree.ctypes.data, space.ctypes.data, q.ctypes.data, v.ctypes.data, a.ctypes.data)
    into = (scratch[0].ctypes.data, scratch[1].ctypes.data, scratch[2].ctypes.data, scratch[3].ctypes.data)
    residual_jacobians.call_residual_jacobians(jacobians, (*at, *into))
    loops.call_constraint_rows(rows, (*at[:2], vectors.ctypes.data, matrices.ctypes.data))
