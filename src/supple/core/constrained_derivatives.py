"""Derivatives of accelerations with loops and prescribed joints, in one call.

With the factors of M over the tree (`core.articulated`; prescribed coordinates are locked), Z = M^-1 A^T and S = A Z,

    a = a_given + x + Z lambda,       x = M^-1 (tau - ID(q, v, a_given)),       S lambda = -r - A x,

r being the acceleration of the loops at a_given (stabilised: r + 2/T A v + e/T^2), and for all directions at once

    dX = M^-1 (-dR) + Z dlambda,      S dlambda = -dr - A M^-1 (-dR),       R = ID - tau - A^T lambda.

S is positive if no row of the loops follows from others; where that is in doubt, nothing is said (`DOUBTFUL`).
"""

from __future__ import annotations

import numpy as np

from supple.core.actuation import fill_actuation
from supple.core.arrays import TREE_ROWS, handle_at, matrix_at, space_at, tree_at, vector_at
from supple.core.articulated import DOUBTFUL, NOT_FINITE, SOLVED
from supple.core.articulated_columns import call_articulated
from supple.core.blocks.kinds import by_fours
from supple.core.blocks.rod_columns import leave_columns
from supple.core.columns import copy_end
from supple.core.forward_dynamics import (
    ARTICULATED_AT,
    FREE_AT,
    REFUSED,
    fill_jacobians,
    find_accelerations,
    fits,
    parts_of,
    solve_columns,
    start,
    status_of,
)
from supple.core.loads import CONSTRAINT
from supple.core.loops import call_constraint_rows, loop_jacobian_rows
from supple.core.time_laws import evaluate_laws
from supple.jit import inlined, inner, kernel
from supple.linalg.cholesky import cholesky_after, solve_reciprocal, solve_reciprocal_transposed

U = np.uint64  # unsigned indices vectorise, see linalg.products

#: Entries of ``calls`` behind those of `core.forward_dynamics`: the address of `core.loops.CONSTRAINT_ROWS`; of how
#: many operations and numbers the laws of prescribed joints are made (`core.time_laws`; of none: accelerations are
#: given), and their addresses.
ROWS_AT, OPERATIONS, NUMBERS, OPERATIONS_AT, NUMBERS_AT = 6, 7, 8, 9, 10

#: A pivot of S below this part of its diagonal entry leaves rows of loops in doubt.
SAFE = 1e-11

#: Matrices among the rows of loops, as `core.loops` orders them: A, de/dq, d(A v)/dq, d(rate)/dq, d(rate)/dv.
A_ROW, ERROR_ROW, SLIP_ROW, RATE_Q_ROW, RATE_V_ROW = 0, 1, 2, 3, 4


@inlined
def fill_jacobian_rows(tree, space, vectors, A):
    """e, A v, r = (dA/dt) v + A a (rows of ``vectors``, (3, nc)) and A (nc, n).

    Poses, motions and columns J are those that forward dynamics has left.
    """
    for b in range(tree.blocks.shape[0]):
        if by_fours(tree.blocks[b]):
            leave_columns(tree, space, b, 1)
        copy_end(tree.blocks[b], 3, space.columns, space.totals)
    for i in range(tree.loads.shape[0]):
        if tree.loads[i, 2] == CONSTRAINT:
            loop_jacobian_rows(tree, space, handle_at(tree.loads[i, 1], 3), vectors, A)


@inner
def transpose(A, out):
    """out = A^T."""
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            out[j, i] = A[i, j]


@inner
def add_product(scale, A, X, out):
    """out += scale A X; entries of A that are zero are skipped: a loop feels few coordinates."""
    for i in range(U(A.shape[0])):
        for k in range(U(A.shape[1])):
            x = scale * A[i, k]
            if x != 0.0:
                for j in range(U(X.shape[1])):
                    out[i, j] += x * X[k, j]


@inlined
def solve_loops(S, X):
    """X (nc, m) becomes S^-1 X, by the factors of S."""
    solve_reciprocal_transposed(S, X, 0, 0, X.shape[1])
    solve_reciprocal(S, X, 0, 0, X.shape[1])


@inlined
def find_multipliers(A, Z, S, vectors, time_constant, a, multipliers):
    """lambda (nc,), and a += Z lambda; S is factorised.  Returns whether its rows are surely independent."""
    nc, n = A.shape
    for i in range(nc):
        for j in range(nc):
            S[i, j] = 0.0
    add_product(1.0, A, Z, S)
    taken = vectors[1]
    for i in range(nc):
        x = -vectors[2, i]
        if time_constant > 0.0:
            x -= 2.0 / time_constant * vectors[1, i] + vectors[0, i] / time_constant / time_constant
        for j in range(n):
            x -= A[i, j] * a[j]
        multipliers[i] = x
    for i in range(nc):
        taken[i] = 0.0
    if cholesky_after(S, taken, SAFE) >= 0:
        return False
    solve_loops(S, matrix_at(multipliers.ctypes.data, (nc, 1)))
    for i in range(n):
        for k in range(nc):
            a[i] += Z[i, k] * multipliers[k]
    return True


@inner
def hold_loops(A, Z, S, X, L):
    """X += Z S^-1 (L - A X): what multipliers add; L (nc, m) is minus the change of r, and is overwritten."""
    add_product(-1.0, A, X, L)
    solve_loops(S, L)
    add_product(1.0, Z, L, X)


@inlined
def minus_rates(rows, by_rate, by_slip, T, L):
    """L = -(d(rate) + 2/T d(slip)), the latter if T > 0; ``by_rate`` and ``by_slip`` tell where these are."""
    for i in range(U(L.shape[0])):
        for j in range(U(L.shape[1])):
            L[i, j] = -rows[by_rate, i, j]
    if T > 0.0:
        for i in range(U(L.shape[0])):
            for j in range(U(L.shape[1])):
                L[i, j] -= 2.0 / T * rows[by_slip, i, j]


@inlined
def hold_all(rows, Z, S, T, scratch, dq, dv, du):
    """dX += Z dlambda, S dlambda = -dr - A dX: what multipliers add to da/dq, da/dv and da/du.

    dr is d(rate) + 2/T d(A v) + de/T^2, the last two if T > 0.  ``scratch`` is the address of nc max(n, nu) floats.
    """
    A, nc = rows[A_ROW], rows.shape[1]
    L, by_input = matrix_at(scratch, (nc, dq.shape[1])), matrix_at(scratch, (nc, du.shape[1]))
    minus_rates(rows, RATE_Q_ROW, SLIP_ROW, T, L)
    if T > 0.0:
        for i in range(nc):
            for j in range(L.shape[1]):
                L[i, j] -= rows[ERROR_ROW, i, j] / T / T
    hold_loops(A, Z, S, dq, L)
    minus_rates(rows, RATE_V_ROW, A_ROW, T, L)
    hold_loops(A, Z, S, dv, L)
    for i in range(nc):
        for j in range(by_input.shape[1]):
            by_input[i, j] = 0.0
    hold_loops(A, Z, S, du, by_input)


@inlined
def fix_columns(free, out):
    """Columns of prescribed coordinates, free_j = 0, are zero: the law of time moves them."""
    for j in range(free.shape[0]):
        if free[j] == 0.0:
            for i in range(out.shape[0]):
                out[i, j] = 0.0


@inner
def pack_columns(free, dq, dv, packed):
    """packed (n, 2 m) = [-dq, -dv] in the m columns that are not prescribed."""
    n, m = dq.shape[0], packed.shape[1] // 2
    for i in range(n):
        k = 0
        for j in range(n):
            if free[j] != 0.0:
                packed[i, k] = -dq[i, j]
                packed[i, m + k] = -dv[i, j]
                k += 1


@inner
def spread_columns(free, packed, dq, dv):
    """[dq, dv] = packed (n, 2 m) in the m columns that are not prescribed, zero in the others."""
    n, m = dq.shape[0], packed.shape[1] // 2
    for i in range(n):
        k = 0
        for j in range(n):
            dq[i, j] = 0.0
            dv[i, j] = 0.0
            if free[j] != 0.0:
                dq[i, j] = packed[i, k]
                dv[i, j] = packed[i, m + k]
                k += 1


@inlined
def solve_free(calls, where, free, scratch, dq, dv):
    """dq, dv (n, n) become -M^-1 dq, -M^-1 dv in columns that are not prescribed, and zero in the others.

    ``scratch`` is the address of 2 n^2 floats.
    """
    m = 0
    for j in range(free.shape[0]):
        m += free[j] != 0.0
    packed = matrix_at(scratch, (free.shape[0], 2 * m))
    pack_columns(free, dq, dv, packed)
    solve_columns(calls, where, packed)
    spread_columns(free, packed, dq, dv)


@inlined
def give_accelerations(calls, t, a, values, rates):
    """Those of prescribed coordinates at time t in a (n,), zero in all others; unless they stand there already.

    ``values`` and ``rates`` (n,) are scratch.
    """
    m = calls[OPERATIONS]
    if m > 0:
        for i in range(a.shape[0]):
            a[i] = 0.0
        ops, numbers = handle_at(calls[OPERATIONS_AT], m), vector_at(calls[NUMBERS_AT], (calls[NUMBERS],))
        evaluate_laws(ops, numbers, t, values, rates, a)


@kernel
def constrained_derivatives(calls, space_handle, q, v, u, t, T, out, du, rows, loops):
    """da/dq and da/dv in the first 2 n rows of ``out`` (5 n + 2, n), the others are scratch; da/du (n, nu).

    Accelerations of prescribed coordinates are those of their laws at time t, or stand in row 3 n of ``out``, beside
    zeros, where ``calls`` holds no laws.  T: Baumgarte's time constant, 0 for none.  ``rows`` (5, nc, n) receives the
    rows of loops (`core.loops`); ``loops`` (n + nc + 3 + max(n, nu), nc) is scratch.  Returns a status, or `REFUSED`.
    """
    n, nc = out.shape[1], rows.shape[1]
    if not fits(space_handle, n, q, v, u):
        return np.int64(REFUSED)
    dq, dv, _, a, R = parts_of(out)
    Z, S, vectors, A = loops[:n], loops[n : n + nc], loops[n + nc : n + nc + 3], rows[A_ROW]
    give_accelerations(calls, t, a, dq[0], dv[0])
    given = R  # until the residual is written there
    for i in range(n):
        given[i] = a[i]
    where = start(calls, space_handle, u)
    status = find_accelerations(calls, where, q, v, a)
    if status != SOLVED:
        return status
    tree_handle = handle_at(where[0], TREE_ROWS)
    tree, space = tree_at(tree_handle), space_at(space_handle)
    if nc > 0:
        fill_jacobian_rows(tree, space, vectors, A)
        transpose(A, Z)
        call_articulated(calls[ARTICULATED_AT], (*where, 0, Z.ctypes.data, nc))
        if not find_multipliers(A, Z, S, vectors, T, a, space.multipliers):
            return np.int64(DOUBTFUL)
    for i in range(n):
        a[i] += given[i]
    if not fill_jacobians(calls, where, q, v, a, R, dq, dv, 0):
        return np.int64(NOT_FINITE)
    if nc > 0:
        call_constraint_rows(calls[ROWS_AT], (*where, vectors.ctypes.data, rows.ctypes.data))
    fill_actuation(tree, space, tree_handle, space_handle, du)
    free = vector_at(calls[FREE_AT], (n,))
    solve_free(calls, where, free, out[3 * n + 2 :].ctypes.data, dq, dv)
    solve_columns(calls, where, du)
    if nc > 0:
        hold_all(rows, Z, S, T, loops[n + nc + 3 :].ctypes.data, dq, dv, du)
        fix_columns(free, dq)
        fix_columns(free, dv)
    return status_of(space, dq, dv, du)
