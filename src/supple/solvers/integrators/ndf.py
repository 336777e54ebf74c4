"""Numerical differentiation formulas of variable step and order 1 to 5 (Shampine and Reichelt 1997).

Backward differences D of rows [q, v, a, lambda, z, R] are kept for a constant step and rescaled when it changes.  With
the prediction y* = sum of D and psi = sum gamma_m D_m / alpha_k, the formula is alpha_k/h (d + psi) = y', y = y* + d.
Since q' = v and v' = a, one stage has

    c_v = alpha_k / h,   c_a = c_v^2,   q0 = q*,   v0 = c_v psi_q,   a0 = c_v (v0 - v* + psi_v),

and its unknowns are n, not 2 n.  Errors are measured in q, v and z; multipliers, accelerations and efforts are carried
along for prediction and dense output only.
"""

from __future__ import annotations

import numpy as np

from supple.jit import inner, kernel
from supple.solvers.desk import CA, CV, CZ, ITERATIONS, STALE, desk_at
from supple.solvers.integrators.acceleration import accelerate
from supple.solvers.integrators.history import (
    DONE,
    EQUAL,
    ERROR,
    EVERY,
    FAILED,
    FAILURE,
    FULL,
    H_LAST,
    H_MAX,
    HIGHEST,
    NEWTON,
    NEXT,
    ORDER,
    PAUSED,
    PENDING,
    RECENTRED,
    RECORDED,
    REJECTED,
    RTOL,
    STEPS,
    T_BEFORE,
    T_END,
    TOO_SMALL,
    H,
    T,
    bring_home,
    copy_row,
    error_norm,
    first_step,
    keep_row,
    longest_turn,
    note_drift,
    recentre_rows,
    set_weights,
    too_far,
    write_row,
)
from supple.solvers.integrators.stage import CONVERGED, MOST, PYTHON_RAISED, solve_stage

MAX_ORDER = 5
#: Rows of D: differences up to order + 2 are kept.
DIFFERENCES = MAX_ORDER + 3

_KAPPA = np.array([0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0])
_SUMS = np.hstack((0.0, np.cumsum(1.0 / np.arange(1, MAX_ORDER + 1))))
GAMMA = _SUMS
ALPHA = (1.0 - _KAPPA) * _SUMS
ERROR_CONSTANT = _KAPPA * _SUMS + 1.0 / np.arange(1, MAX_ORDER + 2)

#: Bounds of the ratio of steps, and a ratio below which the step is kept (new factors cost more than they bring).
SHRINK, GROW, WORTHWHILE = 0.2, 10.0, 1.2


@inner
def rescale(D, order, factor, work):
    """Differences for a step ``factor`` times as long: D <- (R U)^T D, work (3, 8, 8)."""
    R, U, W = work[0], work[1], work[2]
    k = order + 1
    for i in range(k):
        for j in range(k):
            R[i, j] = 1.0 if i == 0 else (R[i - 1, j] * (i - 1 - factor * j) / i if j > 0 else 0.0)
            U[i, j] = 1.0 if i == 0 else (U[i - 1, j] * (i - 1 - j) / i if j > 0 else 0.0)
    for i in range(k):
        for j in range(k):
            W[i, j] = 0.0
            for l in range(k):
                W[i, j] += R[i, l] * U[l, j]
    for c in range(D.shape[1]):
        for i in range(k):
            work[1, 7, i] = D[i, c]
        for i in range(k):
            x = 0.0
            for l in range(k):
                x += W[l, i] * work[1, 7, l]
            D[i, c] = x


@inner
def back_values(D, count):
    """Turn differences into values at the points back from now, or back again: the map is its own inverse."""
    for c in range(D.shape[1]):
        for i in range(1, count):
            for j in range(count - 1, i - 1, -1):
                D[j, c] = D[j - 1, c] - D[j, c]


@inner
def recentre(desk, ints, D):
    """Re-centre charts, with all points behind."""
    far = False
    for i in range(desk.charts.shape[0]):
        far = far or too_far(desk, i, D[0])
    if far:
        points = D[: ints[ORDER] + 3]
        back_values(points, points.shape[0])
        ints[RECENTRED] += recentre_rows(desk, points)
        back_values(points, points.shape[0])
        desk.flags[STALE] = True


@inner
def interpolate(D, order, t_now, h, t, row):
    """Row at time t of the step that ended now."""
    for c in range(D.shape[1]):
        row[c] = D[0, c]
    p = 1.0
    for j in range(order):
        p *= (t - t_now + j * h) / ((j + 1) * h)
        for c in range(D.shape[1]):
            row[c] += D[j + 1, c] * p


@inner
def record(desk, ints, reals, D, wanted, times, rows):
    """Write the last step down.  Returns whether the buffer is full."""
    if ints[EVERY]:
        if ints[RECORDED] == times.shape[0]:
            return True
        copy_row(D[0], rows[ints[RECORDED]])
        keep_row(desk, ints, reals[T], times, rows)
        return False
    while ints[NEXT] < wanted.shape[0] and wanted[ints[NEXT]] <= reals[T]:
        if ints[RECORDED] == times.shape[0]:
            return True
        t = wanted[ints[NEXT]]
        interpolate(D, ints[ORDER], reals[T], reals[H_LAST], t, rows[ints[RECORDED]])
        keep_row(desk, ints, t, times, rows)
        ints[NEXT] += 1
    return False


@inner
def begin_stage(desk, D, order, h):
    """Prediction, psi and coefficients of a stage."""
    n, nc, nz = desk.q.shape[0], desk.multipliers.shape[0], desk.z.shape[0]
    c = ALPHA[order] / h
    desk.numbers[CV], desk.numbers[CA], desk.numbers[CZ] = c, c * c, c
    q0, v0, a0, before, guess = desk.q0, desk.v0, desk.a0, desk.before, desk.v
    for i in range(n):
        q, v, psi_q, psi_v = D[0, i], D[0, n + i], 0.0, 0.0
        for m in range(1, order + 1):
            q += D[m, i]
            v += D[m, n + i]
            psi_q += GAMMA[m] * D[m, i]
            psi_v += GAMMA[m] * D[m, n + i]
        q0[i], before[i] = q, D[0, i]
        v0[i] = c * psi_q / ALPHA[order]
        a0[i] = c * (v0[i] - v + psi_v / ALPHA[order])
        guess[i] = v  # for the weights
    for i in range(nz):
        z, psi = 0.0, 0.0
        for m in range(order + 1):
            z += D[m, 3 * n + nc + i]
            psi += GAMMA[m] * D[m, 3 * n + nc + i]
        desk.z0[i], desk.rates0[i] = z, c * psi / ALPHA[order]
    for i in range(nc):
        desk.lam0[i] = 0.0
        for m in range(order + 1):
            desk.lam0[i] += D[m, 3 * n + i]


@inner
def change_step(desk, ints, reals, D, factor, work):
    """Go on with a step ``factor`` times as long."""
    rescale(D, ints[ORDER], factor, work)
    reals[H] *= factor
    ints[EQUAL] = 0


@inner
def step(desk, ints, reals, atol, D, d, work):
    """One accepted step.  Returns CONVERGED, TOO_SMALL or the failure of a stage."""
    longest = min(reals[H_MAX], longest_turn(desk, D[0], MAX_ORDER + 2))
    if reals[H] > longest:
        change_step(desk, ints, reals, D, longest / reals[H], work)
    failed = CONVERGED
    while True:
        left = reals[T_END] - reals[T]
        if reals[H] < 1e-14 * max(abs(reals[T]), abs(reals[T_END])) + 1e-300:
            return FAILURE + failed if failed != CONVERGED else TOO_SMALL
        at_end = reals[H] >= left * (1.0 - 1e-10)
        if at_end and reals[H] != left:
            change_step(desk, ints, reals, D, left / reals[H], work)
        elif not at_end and reals[H] > 0.5 * left:  # two equal steps rather than a long and a tiny one
            change_step(desk, ints, reals, D, 0.5 * left / reals[H], work)
        order, h = ints[ORDER], reals[H]
        t = reals[T_END] if at_end else reals[T] + h
        begin_stage(desk, D, order, h)
        set_weights(desk, reals[RTOL], atol, desk.q0, desk.v, desk.z0)
        failed = solve_stage(desk, t, reals[NEWTON])
        if failed >= PYTHON_RAISED:
            return FAILURE + failed
        if failed != CONVERGED:
            ints[FAILED] += 1
            change_step(desk, ints, reals, D, 0.4, work)
            continue
        write_row(desk, d)
        for m in range(order + 1):
            for c in range(d.shape[0]):
                d[c] -= D[m, c]
        for i in range(desk.free.shape[0]):
            d[desk.free[i]] = desk.x[desk.free[i]]  # the same, but for rounding: short steps live on it
        iterations = desk.flags[ITERATIONS]
        safety = 0.9 * (2 * MOST + 1) / (2 * MOST + iterations)
        error = error_norm(desk, d, ERROR_CONSTANT[order])
        reals[ERROR] = error
        if error > 1.0:
            ints[REJECTED] += 1
            change_step(desk, ints, reals, D, max(SHRINK, safety * error ** (-1.0 / (order + 1))), work)
            continue
        break
    reals[T_BEFORE], reals[T], reals[H_LAST] = reals[T], t, h
    ints[STEPS] += 1
    ints[EQUAL] += 1
    note_drift(desk, reals)
    for c in range(d.shape[0]):
        D[order + 2, c] = d[c] - D[order + 1, c]
        D[order + 1, c] = d[c]
    for m in range(order, -1, -1):
        for c in range(d.shape[0]):
            D[m, c] += D[m + 1, c]
    return CONVERGED


@inner
def choose(desk, ints, reals, D, work):
    """Order and step of the next step, once enough equal ones were made."""
    order = ints[ORDER]
    if ints[EQUAL] < order + 1:
        return
    safety = 0.9 * (2 * MOST + 1) / (2 * MOST + desk.flags[ITERATIONS])
    error = reals[ERROR]
    best, factor = order, max(error, 1e-30) ** (-1.0 / (order + 1))
    if order > 1:
        lower = max(error_norm(desk, D[order], ERROR_CONSTANT[order - 1]), 1e-30) ** (-1.0 / order)
        if lower > factor:
            best, factor = order - 1, lower
    if order < ints[HIGHEST]:
        higher = max(error_norm(desk, D[order + 2], ERROR_CONSTANT[order + 1]), 1e-30) ** (-1.0 / (order + 2))
        if higher > factor:
            best, factor = order + 1, higher
    factor = min(GROW, safety * factor)
    if factor >= WORTHWHILE or factor < 1.0:
        ints[ORDER] = best
        change_step(desk, ints, reals, D, max(factor, SHRINK), work)


@kernel
def start_ndf(table, ints, reals, atol, D, baumgarte):
    """Begin (again) at order 1 from desk.q, v, z at time reals[T].  Returns a status; first step in reals[H] if 0."""
    desk = desk_at(table.ctypes.data)
    status = accelerate(desk, reals[T], baumgarte)
    if status != CONVERGED:
        return FAILURE + status
    n, nc, nz = desk.q.shape[0], desk.multipliers.shape[0], desk.z.shape[0]
    if reals[H] <= 0.0:
        reals[H] = first_step(desk, reals, atol, 1, baumgarte, D)
    h = reals[H]
    D[:] = 0.0
    write_row(desk, D[0])
    for i in range(n):
        D[1, i], D[1, n + i] = h * desk.v[i], h * desk.a[i]
    for i in range(nz):
        D[1, 3 * n + nc + i] = h * desk.rates[i]
    ints[ORDER], ints[EQUAL] = 1, 0
    reals[H_LAST], reals[T_BEFORE] = h, reals[T]
    return DONE


@kernel
def advance_ndf(table, ints, reals, atol, D, d, work, wanted, times, rows, budget):
    """At most ``budget`` steps towards reals[T_END].  Returns DONE, PAUSED, FULL or a failure."""
    desk = desk_at(table.ctypes.data)
    for _ in range(budget):
        if ints[PENDING]:
            if record(desk, ints, reals, D, wanted, times, rows):
                return FULL
            choose(desk, ints, reals, D, work)
            ints[PENDING] = False
        if reals[T] >= reals[T_END]:
            return DONE
        recentre(desk, ints, D)
        status = step(desk, ints, reals, atol, D, d, work)
        if status != CONVERGED:
            return status
        ints[PENDING] = True
    return PAUSED


@kernel
def look_back_ndf(table, ints, reals, D, t, row):
    """Row (in the model's charts) at a time t of the last step, while it is pending."""
    desk = desk_at(table.ctypes.data)
    interpolate(D, ints[ORDER], reals[T], reals[H_LAST], t, row)
    bring_home(desk, row)
