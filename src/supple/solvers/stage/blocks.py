"""A stage's derivatives one by one, by q, v, a and z, and the matrix of a Newton step as their weighted sum.

With weights (c_0, c_v, c_a, c_z) and the blocks

    jacobians (3, n, n)         dR/dq, dR/dv, dR/da
    by_state (n, nz)            dR/dz
    rates (nz, 3 n + nz + ...)  derivatives of z' = f by q, v, a, z; where it has as many columns, by u and lambda, too

the matrix of `solvers.stage.matrix` is, in unknowns (x of free coordinates, lambda, mu, x_z),

    [ T            -c_0 s A^T   -(T - c_0 R_q) P                c_0 R_z        ]
    [ c_0 de/dq                                                                ]     T = c_0 R_q + c_v R_v + c_a R_a
    [ c_0 (A v)_q + c_v A       -c_v A P                                       ]     F = c_0 f_q + c_v f_v + c_a f_a
    [ -F           -c_0 s f_l   (F - c_0 f_q) P                 c_z - c_0 f_z  ]

with columns of lambda scaled by s.  It is linear in its weights: c_0 is 1 for a matrix, and 0 for the imaginary part of
one whose other weights are complex.
"""

from __future__ import annotations

from supple.core.residual_jacobians import call_residual_jacobians
from supple.jit import inner
from supple.solvers.problem import SPACE_AT, STABILISED, TREE_AT
from supple.solvers.rounding import CENTRAL_STEP, ONE_SIDED_STEP
from supple.solvers.stage.evaluation import call, call_rows, set_load_signals
from supple.solvers.stage.excitation import feed_back_slopes
from supple.solvers.stage.status import CONVERGED, NOT_FINITE


@inner
def fill_blocks(problem, jacobians_at, jacobians, by_state, rates, central):
    """R, rows of loops and all blocks at the trial state; inputs do not follow the state in them.  Returns a status.

    ``jacobians_at`` is the address of the residual's Jacobians, ``central`` says which differences are taken.
    """
    status = fill_state_blocks(problem, by_state, rates, central)
    if status != CONVERGED:
        return status
    at = (problem.calls[TREE_AT], problem.calls[SPACE_AT], problem.q.ctypes.data, problem.v.ctypes.data)
    into = (jacobians[0].ctypes.data, jacobians[1].ctypes.data, jacobians[2].ctypes.data)
    where = (*at, problem.a.ctypes.data, problem.residual.ctypes.data, *into)
    if call_residual_jacobians(jacobians_at, where) == 0:
        return NOT_FINITE
    call_rows(problem, problem.matrices.ctypes.data)
    return CONVERGED


@inner
def fill_state_blocks(problem, by_state, rates, central):
    """The blocks of internal states alone.  Returns a status."""
    status = feed_back_slopes(problem)
    if status != CONVERGED:
        return status
    fill_rates(problem, by_state, rates, central)
    set_load_signals(problem)
    return CONVERGED


@inner
def fill_rates(problem, by_state, rates, central):
    """dR/dz and the derivatives of z': of controllers as Python told them, of loads by differences.

    Loads' rates follow q, v, a, z, u, and where they follow reactions of joints multipliers of loops, too.
    """
    n, nz, count = problem.q.shape[0], problem.z.shape[0], problem.load_states.shape[0]
    first, nu, slopes = nz - count, problem.B.shape[1], problem.slopes
    for k in range(nz):
        for i in range(n):
            by_state[i, k] = 0.0
        for j in range(rates.shape[1]):
            rates[k, j] = 0.0
    for k in range(first):
        for j in range(2 * n):
            rates[k, j] = slopes[nu + k, j]
        for l in range(nz):
            rates[k, 3 * n + l] = slopes[nu + k, 2 * n + l]
    if count == 0:
        return
    for j in range(n):
        difference_along(problem, by_state, rates, problem.q, j, j, -1, central)
        difference_along(problem, by_state, rates, problem.v, j, n + j, -1, central)
        difference_along(problem, by_state, rates, problem.a, j, 2 * n + j, -1, central)
    for l in range(first, nz):
        difference_along(problem, by_state, rates, problem.z, l, 3 * n + l, l, central)
    column = 3 * n + nz
    if rates.shape[1] == column:
        return
    for j in range(nu):
        difference_along(problem, by_state, rates, problem.inputs, j, column + j, -1, central)
    for j in range(problem.multipliers.shape[0]):
        difference_along(problem, by_state, rates, problem.multipliers, j, column + nu + j, -1, central)


@inner
def difference_along(problem, by_state, rates, x, j, column, state, central):
    """Column of the derivatives of loads' rates by entry j of x, and dR/dz of a ``state`` unless that is -1."""
    first, kept = problem.z.shape[0] - problem.load_states.shape[0], x[j]
    ahead = (CENTRAL_STEP if central else ONE_SIDED_STEP) * max(1.0, abs(kept))
    back = ahead if central else 0.0
    for side in range(2):
        x[j] = kept + ahead if side == 0 else kept - back
        w = (1.0 if side == 0 else -1.0) / (ahead + back)
        call(problem, 0.0, 0.0, 0)
        for k in range(problem.load_states.shape[0]):
            rates[first + k, column] += w * problem.rates[first + k]
        if state >= 0:
            for i in range(problem.residual.shape[0]):
                by_state[i, state] += w * problem.residual[i]
    x[j] = kept


# ---------------------------------------------------------------------- their sum


@inner
def largest_diagonal(problem, jacobians, c0, cv, ca):
    """max |T_ff|, T = c_0 R_q + c_v R_v + c_a R_a, or 1 if all are zero: scale of the columns of multipliers."""
    largest = 0.0
    for i in range(problem.free.shape[0]):
        f = problem.free[i]
        largest = max(largest, abs(c0 * jacobians[0, f, f] + cv * jacobians[1, f, f] + ca * jacobians[2, f, f]))
    return largest if largest > 0.0 else 1.0


@inner
def sum_blocks(problem, blocks, c, P, scale, W):
    """W (m, m) = the matrix above: ``blocks`` (jacobians, by_state, rates), weights ``c`` (c_0, c_v, c_a, c_z)."""
    free, jacobians, A, E = problem.free, blocks[0], problem.matrices[0], problem.matrices[1]
    nf, nc, nz, m = free.shape[0], problem.vectors.shape[1], problem.z.shape[0], W.shape[0]
    for i in range(m):
        for j in range(m):
            W[i, j] = 0.0
    for i in range(nf):
        f = free[i]
        for j in range(nf):
            g = free[j]
            W[i, j] = c[0] * jacobians[0, f, g] + c[1] * jacobians[1, f, g] + c[2] * jacobians[2, f, g]
    for k in range(nc):
        for i in range(nf):
            W[i, nf + k] = -c[0] * scale * A[k, free[i]]
            W[nf + k, i] = c[0] * E[k, free[i]]
    if problem.flags[STABILISED]:
        sum_corrections(problem, jacobians, c, P, W)
    if nz > 0:
        sum_states(problem, blocks, c, P, scale, W)


@inner
def sum_corrections(problem, jacobians, c, P, W):
    """Columns -(T - c_0 R_q) P of mu and rows c_0 (A v)_q + c_v A, -c_v A P."""
    free, A, slip = problem.free, problem.matrices[0], problem.matrices[2]
    nf, nc = free.shape[0], A.shape[0]
    first = nf + nc
    for k in range(nc):
        for i in range(nf):
            f, x = free[i], 0.0
            for j in range(nf):
                g = free[j]
                x += (c[1] * jacobians[1, f, g] + c[2] * jacobians[2, f, g]) * P[g, k]
            W[i, first + k] = -x
            W[first + k, i] = c[0] * slip[k, f] + c[1] * A[k, f]
        for l in range(nc):
            x = 0.0
            for j in range(nf):
                x += A[l, free[j]] * P[free[j], k]
            W[first + l, first + k] = -c[1] * x


@inner
def sum_states(problem, blocks, c, P, scale, W):
    """Rows -F, c_z - c_0 f_z of z0' + c_z x_z - f, and columns c_0 R_z of internal states."""
    free, by_state, rates, n, nz = problem.free, blocks[1], blocks[2], problem.q.shape[0], problem.z.shape[0]
    nf, nc, first = free.shape[0], problem.vectors.shape[1], W.shape[0] - nz
    for k in range(nz):
        f, row = rates[k], W[first + k]
        for i in range(nf):
            j = free[i]
            W[i, first + k] = c[0] * by_state[j, k]
            row[i] = -(c[0] * f[j] + c[1] * f[n + j] + c[2] * f[2 * n + j])
        if problem.flags[STABILISED]:
            for l in range(nc):
                x = 0.0
                for i in range(nf):
                    j = free[i]
                    x += (c[1] * f[n + j] + c[2] * f[2 * n + j]) * P[j, l]
                row[nf + nc + l] = x
        for l in range(nz):
            row[first + l] = -c[0] * f[3 * n + l]
        row[first + k] += c[3]
        if rates.shape[1] > 3 * n + nz:
            for l in range(nc):
                row[nf + l] = -c[0] * scale * f[rates.shape[1] - nc + l]
