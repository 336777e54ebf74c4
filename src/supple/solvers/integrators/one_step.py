"""Implicit schemes of one or two steps: generalised-alpha (and Newmark), implicit Euler, BDF2; started by SDIRK2.

All are one stage of `solvers.desk` with their own beginnings and coefficients.  Generalised-alpha (Chung and Hulbert;
for constraints Arnold and Bruels) carries an auxiliary acceleration A, delayed against a:

    (1 - alpha_m) A+ + alpha_m A = (1 - alpha_f) a+ + alpha_f a
    q+ = q + h v + h^2 ((1/2 - beta) A + beta A+) + P mu,     v+ = v + h ((1 - gamma) A + gamma A+)

SDIRK2 makes the first step, and the first one behind a jump: it needs no acceleration there, which for stiff robots is
huge, lasts no time, and would ring in schemes that do not damp.
When the step changes, A <- a + (h_new / h_old) (A - a), since A - a is proportional to h.
The error of a step is C h^3 y''', y''' from the last four points, C = beta + (alpha_m - alpha_f)/2 - 1/6.
"""

from __future__ import annotations

import math

import numpy as np

from supple.jit import inner, kernel
from supple.solvers.desk import CA, CV, CZ, STALE, desk_at
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
    NEWTON,
    NEXT,
    PAUSED,
    PENDING,
    RECENTRED,
    RECORDED,
    REJECTED,
    RTOL,
    SHORT,
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
from supple.solvers.integrators.stage import CONVERGED, PYTHON_RAISED, solve_stage

#: Kinds of schemes.
ALPHA, EULER, BDF2 = 0, 1, 2

#: Entries of a scheme's coefficients.
KIND, ALPHA_M, ALPHA_F, BETA, GAMMA, ADAPTIVE, NEWTON_RTOL, NEWTON_ATOL = range(8)

#: Coefficient of SDIRK2, L-stable.
SDIRK = 1.0 - 1.0 / np.sqrt(2.0)

#: Rows of points: now, and three before.
POINTS = 4

#: Changes of q that are rounding, relatively.
ROUNDING = 1e-13

#: Steps that differ by less, relatively, are the same: factors serve on.
SAME = 1e-10

#: Part of a fixed step down to which it is halved where Newton's method fails (a rib buckles, a contact snaps).
SHORTEST = 1.0 / 1024.0

#: Bounds of the ratio of adaptive steps, and a ratio below which the step is kept.
SHRINK, GROW, WORTHWHILE = 0.3, 2.0, 1.2


@inner
def begin_alpha(desk, scheme, now, A, rates, h):
    """A stage of generalised-alpha, predicted with an unchanged acceleration."""
    n = desk.q.shape[0]
    am, af, beta, gamma = scheme[ALPHA_M], scheme[ALPHA_F], scheme[BETA], scheme[GAMMA]
    desk.numbers[CV] = gamma / (h * beta)
    desk.numbers[CA] = (1.0 - am) / ((1.0 - af) * h * h * beta)
    desk.numbers[CZ] = 2.0 / h
    for i in range(n):
        a = now[2 * n + i]
        next_A = (a - am * A[i]) / (1.0 - am)
        desk.q0[i] = now[i] + h * now[n + i] + h * h * ((0.5 - beta) * A[i] + beta * next_A)
        desk.v0[i] = now[n + i] + h * ((1.0 - gamma) * A[i] + gamma * next_A)
        desk.a0[i] = a
    first = 3 * n + desk.multipliers.shape[0]
    for i in range(desk.z.shape[0]):  # the trapezoidal rule
        desk.z0[i], desk.rates0[i] = now[first + i] + h * rates[i], rates[i]


@inner
def begin_backward(desk, now, before, c, c_now, c_before, h):
    """A stage of a backward formula: y' = (c y + c_now y_now + c_before y_before) / h, predicted with constant v."""
    n = desk.q.shape[0]
    desk.numbers[CV], desk.numbers[CA], desk.numbers[CZ] = c / h, c * c / (h * h), c / h
    for i in range(n):
        desk.q0[i] = now[i] + h * now[n + i]
        desk.v0[i] = (c * desk.q0[i] + c_now * now[i] + c_before * before[i]) / h
        desk.a0[i] = (c * desk.v0[i] + c_now * now[n + i] + c_before * before[n + i]) / h
    first = 3 * n + desk.multipliers.shape[0]
    for i in range(desk.z.shape[0]):
        k = first + i
        desk.z0[i] = now[k]
        desk.rates0[i] = ((c + c_now) * now[k] + c_before * before[k]) / h


@inner
def sdirk_step(desk, now, stage, t, h, tolerance):
    """Two stages of SDIRK2; ``stage`` (N,) is scratch.  Returns a status."""
    g = SDIRK
    begin_backward(desk, now, now, 1.0, -1.0, 0.0, g * h)
    status = solve_stage(desk, t + g * h, tolerance)
    if status != CONVERGED:
        return status
    write_row(desk, stage)
    # the second stage begins at y + (1 - g)/g (y_1 - y), and is again backward Euler over g h
    for i in range(stage.shape[0]):
        stage[i] = now[i] + (1.0 - g) / g * (stage[i] - now[i])
    begin_backward(desk, stage, stage, 1.0, -1.0, 0.0, g * h)
    keep_multipliers(desk, now)
    return solve_stage(desk, t + h, tolerance)


@inner
def keep_multipliers(desk, now):
    """A stage begins with the multipliers of a point."""
    n = desk.q.shape[0]
    for i in range(desk.lam0.shape[0]):
        desk.lam0[i] = now[3 * n + i]


@inner
def attempt(desk, scheme, ints, points, A, rates, stage, t, h, h_last, tolerance):
    """Solve the stage(s) of one step of length h from points[0].  Returns a status."""
    now = points[0]
    keep_multipliers(desk, now)
    for i in range(desk.before.shape[0]):
        desk.before[i] = now[i]
    if scheme[KIND] == EULER:
        begin_backward(desk, now, now, 1.0, -1.0, 0.0, h)
    elif ints[EQUAL] == 0:
        return sdirk_step(desk, now, stage, t, h, tolerance)
    elif scheme[KIND] == ALPHA:
        begin_alpha(desk, scheme, now, A, rates, h)
    else:
        w = h / h_last
        begin_backward(desk, now, points[1], (1.0 + 2.0 * w) / (1.0 + w), -(1.0 + w), w * w / (1.0 + w), h)
    return solve_stage(desk, t + h, tolerance)


@inner
def third_difference(points, row, t, times, out):
    """out = h^3 y''' of the cubic through a new row at time t and three points at ``times`` (3,)."""
    h = t - times[0]
    for c in range(row.shape[0]):
        d01 = (row[c] - points[0, c]) / h
        d12 = (points[0, c] - points[1, c]) / (times[0] - times[1])
        d23 = (points[1, c] - points[2, c]) / (times[1] - times[2])
        d012, d123 = (d01 - d12) / (t - times[1]), (d12 - d23) / (times[0] - times[2])
        out[c] = 6.0 * h**3 * (d012 - d123) / (t - times[2])


@inner
def newton_weights(desk, scheme, row, h):
    """How well Newton's method must converge in fixed steps: v to a relative size, q to what that moves in a step.

    What is left over adds up along the motion, so it is measured by the motion and not by the size of q.
    """
    n, rtol, atol = desk.q.shape[0], scheme[NEWTON_RTOL], scheme[NEWTON_ATOL]
    for i in range(n):
        speed = abs(row[n + i]) + h * abs(row[2 * n + i])
        desk.weights[1, i] = atol + rtol * speed + ROUNDING * abs(row[i]) / h
        desk.weights[0, i] = h * desk.weights[1, i]
    first = 3 * n + desk.multipliers.shape[0]
    for i in range(desk.z.shape[0]):
        desk.weights_z[i] = scheme[NEWTON_ATOL] + scheme[NEWTON_RTOL] * abs(row[first + i])


@inner
def accept(desk, scheme, first, points, times, A, rates, row, t):
    """The new row becomes points[0]."""
    n = desk.q.shape[0]
    if first:
        for i in range(n):
            A[i] = row[2 * n + i]
    elif scheme[KIND] == ALPHA:
        am, af = scheme[ALPHA_M], scheme[ALPHA_F]
        for i in range(n):
            A[i] = ((1.0 - af) * row[2 * n + i] + af * points[0, 2 * n + i] - am * A[i]) / (1.0 - am)
    for k in range(POINTS - 1, 0, -1):
        copy_row(points[k - 1], points[k])
        times[k] = times[k - 1]
    copy_row(row, points[0])
    times[0] = t
    for i in range(rates.shape[0]):
        rates[i] = desk.rates[i]


@inner
def adaptive_step(left, h):
    """A step of at most h that does not leave a tiny rest."""
    if h >= left * (1.0 - 1e-10):
        return left
    return min(h, 0.5 * left) if h > 0.5 * left else h


@inner
def equal_step(left, h, h_last):
    """A step of about h such that whole steps reach the end; the last one again if only rounding changed it."""
    h = left / max(1.0, math.ceil(left / h - 1e-6))
    return h_last if abs(h - h_last) <= SAME * h else h


@inner
def step(desk, scheme, ints, reals, atol, points, times, A, rates, row, stage):
    """One accepted step.  Returns CONVERGED, TOO_SMALL or the failure of a stage."""
    n = desk.q.shape[0]
    adaptive = scheme[ADAPTIVE] != 0.0
    failed = CONVERGED
    while True:
        left = reals[T_END] - reals[T]
        if reals[H] < 1e-14 * max(abs(reals[T]), abs(reals[T_END])) + 1e-300:
            return FAILURE + failed if failed != CONVERGED else TOO_SMALL
        if adaptive:
            h = adaptive_step(left, min(reals[H], reals[H_MAX], longest_turn(desk, points[0], POINTS - 1)))
        else:
            h = equal_step(left, reals[H] if reals[SHORT] == 0.0 else reals[SHORT], reals[H_LAST])
        if scheme[KIND] == ALPHA and reals[H_LAST] > 0.0 and h != reals[H_LAST]:
            for i in range(n):
                a = points[0, 2 * n + i]
                A[i] = a + h / reals[H_LAST] * (A[i] - a)
            desk.flags[STALE] = True
        reals[H_LAST] = h
        t = reals[T_END] if abs(h - left) <= SAME * h else reals[T] + h
        if adaptive:
            set_weights(desk, reals[RTOL], atol, points[0, :n], points[0, n : 2 * n], desk.z)
        else:
            newton_weights(desk, scheme, points[0], h)
        h_before = times[0] - times[1]
        failed = attempt(desk, scheme, ints, points, A, rates, stage, reals[T], h, h_before, reals[NEWTON])
        if failed >= PYTHON_RAISED:
            return FAILURE + failed
        if failed != CONVERGED:
            ints[FAILED] += 1
            if adaptive:
                reals[H] = 0.4 * h
            elif h > SHORTEST * reals[H]:
                reals[SHORT] = 0.5 * h
            else:
                return FAILURE + failed
            continue
        write_row(desk, row)
        if reals[SHORT] > 0.0:  # back to full steps, by and by
            reals[SHORT] = 2.0 * h if 2.0 * h < reals[H] else 0.0
        if adaptive and ints[EQUAL] >= POINTS - 2:
            third_difference(points, row, t, times, stage)
            am, af = scheme[ALPHA_M], scheme[ALPHA_F]
            constant = scheme[BETA] + 0.5 * (am - af) - 1.0 / 6.0 if scheme[KIND] == ALPHA else 2.0 / 9.0
            error = error_norm(desk, stage, max(abs(constant), 1.0 / 12.0))
            reals[ERROR] = error
            factor = 0.9 * max(error, 1e-30) ** (-1.0 / 3.0)
            if error > 1.0:
                ints[REJECTED] += 1
                reals[H] = max(SHRINK, factor) * h
                continue
            reals[H] = h * min(factor, GROW) if factor > WORTHWHILE or factor < 1.0 else h
        break
    accept(desk, scheme, ints[EQUAL] == 0, points, times, A, rates, row, t)
    reals[T_BEFORE], reals[T] = reals[T], t
    ints[STEPS] += 1
    ints[EQUAL] += 1
    note_drift(desk, reals)
    return CONVERGED


@inner
def interpolate(n, points, times, first, t, row):
    """Row at time t of the last step: cubic in q (from q, v) and v (from v, a), linear in the rest.

    In a ``first`` step v is linear too: the acceleration at a start may be huge and last no time.
    """
    h = times[0] - times[1]
    x = (t - times[1]) / h
    h00, h10 = (1.0 + 2.0 * x) * (1.0 - x) ** 2, x * (1.0 - x) ** 2
    h01, h11 = x * x * (3.0 - 2.0 * x), x * x * (x - 1.0)
    for c in range(row.shape[0]):
        if c < n or (c < 2 * n and not first):
            ends = h00 * points[1, c] + h01 * points[0, c]
            row[c] = ends + h * (h10 * points[1, n + c] + h11 * points[0, n + c])
        else:
            row[c] = (1.0 - x) * points[1, c] + x * points[0, c]


@inner
def record(desk, ints, reals, points, times, wanted, out_times, rows):
    """Write the last step down.  Returns whether the buffer is full."""
    if ints[EVERY]:
        if ints[RECORDED] == out_times.shape[0]:
            return True
        copy_row(points[0], rows[ints[RECORDED]])
        keep_row(desk, ints, reals[T], out_times, rows)
        return False
    while ints[NEXT] < wanted.shape[0] and wanted[ints[NEXT]] <= reals[T]:
        if ints[RECORDED] == out_times.shape[0]:
            return True
        t = wanted[ints[NEXT]]
        interpolate(desk.q.shape[0], points, times, ints[EQUAL] == 1, t, rows[ints[RECORDED]])
        keep_row(desk, ints, t, out_times, rows)
        ints[NEXT] += 1
    return False


@kernel
def start_one_step(table, scheme, ints, reals, atol, points, times, A, rates, baumgarte):
    """Begin (again) from desk.q, v, z at time reals[T].  Returns a status; an adaptive first step if reals[H] is 0."""
    desk = desk_at(table.ctypes.data)
    status = accelerate(desk, reals[T], baumgarte)
    if status != CONVERGED:
        return FAILURE + status
    if reals[H] <= 0.0:
        reals[H] = first_step(desk, reals, atol, 2, baumgarte, points)
    write_row(desk, points[0])
    times[0] = reals[T]
    for i in range(A.shape[0]):
        A[i] = desk.a[i]
    for i in range(rates.shape[0]):
        rates[i] = desk.rates[i]
    ints[EQUAL] = 0
    reals[H_LAST], reals[T_BEFORE] = 0.0, reals[T]
    return DONE


@kernel
def advance_one_step(
    table, scheme, ints, reals, atol, points, times, A, rates, row, stage, stack, wanted, out_times, rows, budget
):
    """At most ``budget`` steps towards reals[T_END].  Returns DONE, PAUSED, FULL or a failure."""
    desk = desk_at(table.ctypes.data)
    for _ in range(budget):
        if ints[PENDING]:
            if record(desk, ints, reals, points, times, wanted, out_times, rows):
                return FULL
            ints[PENDING] = False
        if reals[T] >= reals[T_END]:
            return DONE
        recentre(desk, scheme, ints, points, A, reals[H_LAST], stack)
        status = step(desk, scheme, ints, reals, atol, points, times, A, rates, row, stage)
        if status != CONVERGED:
            return status
        ints[PENDING] = True
    return PAUSED


@inner
def recentre(desk, scheme, ints, points, A, h, stack):
    """Re-centre charts that are left, with all points behind and the auxiliary acceleration.

    A is the acceleration at t + (alpha_m - alpha_f) h, so it moves to the new chart with q and v of that time.
    """
    far = False
    for i in range(desk.charts.shape[0]):
        far = far or too_far(desk, i, points[0])
    if not far:
        return
    n, shift = desk.q.shape[0], (scheme[ALPHA_M] - scheme[ALPHA_F]) * h
    for k in range(POINTS):
        copy_row(points[k], stack[k])
    copy_row(points[0], stack[POINTS])
    for i in range(n):
        v, a = points[0, n + i], points[0, 2 * n + i]
        stack[POINTS, i] += shift * (v + 0.5 * shift * a)
        stack[POINTS, n + i] += shift * a
        stack[POINTS, 2 * n + i] = A[i]
    ints[RECENTRED] += recentre_rows(desk, stack)
    for k in range(POINTS):
        copy_row(stack[k], points[k])
    for i in range(n):
        A[i] = stack[POINTS, 2 * n + i]
    desk.flags[STALE] = True


@kernel
def look_back_one_step(table, ints, points, times, t, row):
    """Row (in the model's charts) at a time t of the last step, while it is pending."""
    desk = desk_at(table.ctypes.data)
    interpolate(desk.q.shape[0], points, times, ints[EQUAL] == 1, t, row)
    bring_home(desk, row)
