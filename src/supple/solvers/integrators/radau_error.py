"""The error of a step of Radau IIA: that of an embedded formula of third order, filtered by the real matrix.

With y' at the beginning of the step and the increments Z_i = Y_i - y of the stages, J the Jacobian of the equations as
a system of first order and c = gamma / h ([STIFF] IV.8),

    (c - J) err = y' + 1/h sum e_i Z_i = g.

Since q' = v, with g = (g_q, g_v, g_z) the unknown is err_q alone, err_v = c (err_q - P mu) - g_q:

    T err_q + R_z err_z = R_v g_q + R_a (c g_q + g_v),    E err_q = 0,    (d(A v)/dq + c A) err_q - c A P mu = A g_q,
    (c - f_z) err_z - (f_q + c f_v + c^2 f_a) err_q = g_z - f_v g_q - f_a (c g_q + g_v).

In the beginning and after a rejected step the error is filtered once more, c (c - J)^-1 err: what lasts no time does
not count then.
"""

from __future__ import annotations

from supple.jit import inner
from supple.linalg.lu import solve
from supple.solvers.integrators.radau_arrays import NOW
from supple.solvers.integrators.radau_tableau import ERROR, GAMMA
from supple.solvers.problem import STABILISED


@inner
def defect(problem, own, h, g):
    """g, a row: y' + 1/h sum e_i Z_i in q, v, z."""
    n, nc, now, trial = problem.q.shape[0], problem.multipliers.shape[0], own.memory[NOW], own.trial
    first = 3 * n + nc
    for k in range(n):
        g[k], g[n + k] = 0.0, now[2 * n + k]
        for i in range(3):
            g[k] += ERROR[i] * own.D[i, k] / h
            g[n + k] += ERROR[i] * (trial[i, n + k] - now[n + k]) / h
    for k in range(problem.z.shape[0]):
        g[first + k] = 0.0
        for i in range(3):
            g[first + k] += ERROR[i] * own.X[i, k] / h


@inner
def filtered(problem, own, c, g, err):
    """err = (c - J)^-1 g, rows in q, v, z; prescribed coordinates have g / c."""
    n, nc, nz, free = problem.q.shape[0], problem.multipliers.shape[0], problem.z.shape[0], problem.free
    nf, first, rhs, J, f = free.shape[0], 3 * n + nc, problem.rhs, own.jacobians, own.f
    for i in range(nf):
        x, row = 0.0, free[i]
        for j in range(nf):
            k = free[j]
            x += J[1, row, k] * g[k] + J[2, row, k] * (c * g[k] + g[n + k])
        rhs[i] = x
    last = nf
    for k in range(nc):
        rhs[last + k] = 0.0
    last += nc
    if problem.flags[STABILISED]:
        for k in range(nc):
            rhs[last + k] = 0.0
            for j in range(nf):
                rhs[last + k] += problem.matrices[0, k, free[j]] * g[free[j]]
        last += nc
    for k in range(nz):
        x = g[first + k]
        for j in range(nf):
            l = free[j]
            x -= f[k, n + l] * g[l] + f[k, 2 * n + l] * (c * g[l] + g[n + l])
        rhs[last + k] = x
    solve(problem.matrix, problem.pivots, problem.scales, rhs)
    for k in range(n):
        err[k], err[n + k] = g[k] / c, g[n + k] / c
    for i in range(nf):
        k, y = free[i], 0.0
        if problem.flags[STABILISED]:
            for l in range(nc):
                y += problem.P[k, l] * rhs[nf + nc + l]
        err[k], err[n + k] = rhs[i], c * (rhs[i] - y) - g[k]
    for k in range(nz):
        err[first + k] = rhs[last + k]


@inner
def estimate(problem, own, h, err, g):
    """err, a row, is the error of the step that was just solved; g is scratch."""
    defect(problem, own, h, g)
    filtered(problem, own, GAMMA / h, g, err)


@inner
def estimate_again(problem, own, h, err, g):
    """err = c (c - J)^-1 err, c = gamma / h: the error, filtered once more."""
    c, last = GAMMA / h, 3 * problem.q.shape[0] + problem.multipliers.shape[0] + problem.z.shape[0]
    for k in range(last):
        g[k] = c * err[k]
    filtered(problem, own, c, g, err)
