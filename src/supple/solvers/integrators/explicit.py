"""Explicit Runge-Kutta pairs on accelerations (index 1): for comparison, and for robots that are not stiff.

Loops hold in acceleration only; Baumgarte's time constant pulls drift back.  Wanted times are hit by steps.
"""

from __future__ import annotations

import math

from supple.jit import inner, kernel
from supple.solvers.desk import STALE, desk_at
from supple.solvers.integrators.acceleration import accelerate
from supple.solvers.integrators.history import (
    DONE,
    ERROR,
    EVERY,
    FAILED,
    FAILURE,
    FULL,
    H_LAST,
    H_MAX,
    NEXT,
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
    first_step,
    keep_row,
    longest_turn,
    note_drift,
    recentre_rows,
    set_weights,
    write_row,
)
from supple.solvers.integrators.stage import CONVERGED, PYTHON_RAISED

#: Bounds of the ratio of steps.
SHRINK, GROW, SAFETY = 0.2, 10.0, 0.9


@inner
def put_state(desk, now, K, coefficients, stages, h):
    """q, v, z of the desk = now + h sum of coefficients times stages."""
    n, nz = desk.q.shape[0], desk.z.shape[0]
    first = 3 * n + desk.multipliers.shape[0]
    for i in range(2 * n + nz):
        x = 0.0
        for s in range(stages):
            x += coefficients[s] * K[s, i]
        if i < n:
            desk.q[i] = now[i] + h * x
        elif i < 2 * n:
            desk.v[i - n] = now[i] + h * x
        else:
            desk.z[i - 2 * n] = now[first + i - 2 * n] + h * x


@inner
def derivative(desk, t, baumgarte, k):
    """k (2 n + nz,) = v, a, z' at the desk's state.  Returns a status."""
    status = accelerate(desk, t, baumgarte)
    n = desk.q.shape[0]
    for i in range(n):
        k[i], k[n + i] = desk.v[i], desk.a[i]
    for i in range(desk.z.shape[0]):
        k[2 * n + i] = desk.rates[i]
    return status


@inner
def weighted(desk, K, weights):
    """Weighted squares of sum of weights times stages, over what is free."""
    n, nz = desk.q.shape[0], desk.z.shape[0]
    total = 0.0
    for i in range(desk.free.shape[0]):
        k = desk.free[i]
        x, y = 0.0, 0.0
        for s in range(weights.shape[0]):
            x += weights[s] * K[s, k]
            y += weights[s] * K[s, n + k]
        total += (x / desk.weights[0, k]) ** 2 + (y / desk.weights[1, k]) ** 2
    for k in range(nz):
        x = 0.0
        for s in range(weights.shape[0]):
            x += weights[s] * K[s, 2 * n + k]
        total += (x / desk.weights_z[k]) ** 2
    return total


@inner
def error_of(desk, K, E, h):
    """Size of the error: of one estimate E[0], or of two combined as Hairer and Wanner do for order 8."""
    count = max(2 * desk.free.shape[0] + desk.z.shape[0], 1)
    fine = weighted(desk, K, E[0])
    if E.shape[0] == 1:
        return h * math.sqrt(fine / count)
    coarse = weighted(desk, K, E[1])
    if fine == 0.0 and coarse == 0.0:
        return 0.0
    return h * fine / math.sqrt((fine + 0.01 * coarse) * count)


@inner
def step(desk, ints, reals, atol, now, row, K, A, B, C, E, order, baumgarte, t_hit):
    """One accepted step, K[0] being the derivative now.  Returns CONVERGED, TOO_SMALL or a failure."""
    stages = B.shape[0]
    status = CONVERGED
    while True:
        if reals[H] < 1e-14 * max(abs(reals[T]), abs(reals[T_END])) + 1e-300:
            return FAILURE + status if status != CONVERGED else TOO_SMALL
        h, left = min(reals[H], reals[H_MAX], longest_turn(desk, now, 2)), t_hit - reals[T]
        if h >= left * (1.0 - 1e-10):
            h = left
        t = t_hit if h == left else reals[T] + h
        for s in range(1, stages):
            put_state(desk, now, K, A[s], s, h)
            status = derivative(desk, reals[T] + C[s] * h, baumgarte, K[s])
            if status != CONVERGED:
                break
        if status == CONVERGED:
            put_state(desk, now, K, B, stages, h)
            status = derivative(desk, t, baumgarte, K[stages])
        if status >= PYTHON_RAISED:
            return FAILURE + status
        if status != CONVERGED:
            ints[FAILED] += 1
            reals[H] = 0.25 * h
            continue
        set_weights(desk, reals[RTOL], atol, desk.q, desk.v, desk.z)
        error = error_of(desk, K, E, h)
        reals[ERROR] = error
        factor = min(GROW, SAFETY * max(error, 1e-30) ** (-1.0 / (order + 1)))
        if not error <= 1.0:
            ints[REJECTED] += 1
            reals[H] = h * (max(SHRINK, factor) if math.isfinite(error) else SHRINK)
            continue
        break
    if h < left or factor < 1.0:  # a step cut short to hit a time says little about the next
        reals[H] = h * factor
    write_row(desk, row)
    copy_row(K[stages], K[0])
    reals[T_BEFORE], reals[T], reals[H_LAST] = reals[T], t, h
    ints[STEPS] += 1
    note_drift(desk, reals)
    return CONVERGED


@inner
def record(desk, ints, reals, now, wanted, times, rows):
    """Write the last step down if it is wanted.  Returns whether the buffer is full."""
    hit = ints[NEXT] < wanted.shape[0] and wanted[ints[NEXT]] <= reals[T]
    if ints[EVERY] or hit:
        if ints[RECORDED] == times.shape[0]:
            return True
        copy_row(now, rows[ints[RECORDED]])
        keep_row(desk, ints, reals[T], times, rows)
        if hit:
            ints[NEXT] += 1
    return False


@kernel
def start_explicit(table, ints, reals, atol, points, K, order, baumgarte):
    """Begin (again) from desk.q, v, z at time reals[T].  Returns a status; a first step in reals[H] if that is 0."""
    desk = desk_at(table.ctypes.data)
    status = derivative(desk, reals[T], baumgarte, K[0])
    if status != CONVERGED:
        return FAILURE + status
    if reals[H] <= 0.0:
        reals[H] = first_step(desk, reals, atol, order, baumgarte, points)
    write_row(desk, points[0])
    reals[T_BEFORE] = reals[T]
    return DONE


@kernel
def advance_explicit(table, ints, reals, atol, points, K, A, B, C, E, order, baumgarte, wanted, times, rows, budget):
    """At most ``budget`` steps towards reals[T_END].  Returns DONE, PAUSED, FULL or a failure."""
    desk = desk_at(table.ctypes.data)
    n = desk.q.shape[0]
    for _ in range(budget):
        if ints[PENDING]:
            if record(desk, ints, reals, points[2], wanted, times, rows):
                return FULL
            copy_row(points[0], points[1])
            copy_row(points[2], points[0])
            ints[PENDING] = False
        if reals[T] >= reals[T_END]:
            return DONE
        if desk.charts.shape[0] > 0:
            moved = recentre_rows(desk, points[:1])
            if moved > 0:
                ints[RECENTRED] += moved
                desk.flags[STALE] = True
                for i in range(n):
                    K[0, i], K[0, n + i] = points[0, n + i], points[0, 2 * n + i]
        hit = reals[T_END]
        if not ints[EVERY] and ints[NEXT] < wanted.shape[0]:
            hit = min(hit, wanted[ints[NEXT]])
        status = step(desk, ints, reals, atol, points[0], points[2], K, A, B, C, E, order, baumgarte, hit)
        if status != CONVERGED:
            return status
        ints[PENDING] = True
    return PAUSED


@inner
def interpolate(n, before, now, h, x, row):
    """Row at the part x of the last step: quintic in q (from q, v, a), v and a its rates; linear in the rest."""
    for c in range(row.shape[0]):
        row[c] = (1.0 - x) * before[c] + x * now[c]
    for i in range(n):
        # q = q0 + h v0 x + h^2 a0 x^2 / 2 + c3 x^3 + c4 x^4 + c5 x^5
        q0, v0, a0 = before[i], h * before[n + i], h * h * before[2 * n + i]
        q = now[i] - q0 - v0 - 0.5 * a0
        v = h * now[n + i] - v0 - a0
        a = h * h * now[2 * n + i] - a0
        c3, c4, c5 = 10.0 * q - 4.0 * v + 0.5 * a, -15.0 * q + 7.0 * v - a, 6.0 * q - 3.0 * v + 0.5 * a
        row[i] = q0 + x * (v0 + x * (0.5 * a0 + x * (c3 + x * (c4 + x * c5))))
        row[n + i] = (v0 + x * (a0 + x * (3.0 * c3 + x * (4.0 * c4 + x * 5.0 * c5)))) / h
        row[2 * n + i] = (a0 + x * (6.0 * c3 + x * (12.0 * c4 + x * 20.0 * c5))) / h**2


@kernel
def look_back_explicit(table, reals, points, t, row):
    """Row (in the model's charts) at a time t of the last step, while it is pending."""
    desk = desk_at(table.ctypes.data)
    h = reals[T] - reals[T_BEFORE]
    interpolate(desk.q.shape[0], points[0], points[2], h, (t - reals[T_BEFORE]) / h, row)
    bring_home(desk, row)
