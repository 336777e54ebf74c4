"""What solvers remember of a motion: rows [q, v, a, lambda, z, R], and how they are written down.

All schemes keep their points in rows of this one layout, so that recording, changing charts and checkpoints are the
same for all of them.  R holds the generalised efforts of prescribed coordinates.
"""

from __future__ import annotations

import math

from supple.jit import inner
from supple.solvers.desk import CHART_AT, SPACE_AT, TREE_AT, WORST
from supple.solvers.integrators.acceleration import accelerate
from supple.solvers.integrators.recentring import CENTRE, HOME, MOVE, call_chart
from supple.solvers.integrators.stage import CONVERGED

#: Entries of a run's integers.
ORDER, EQUAL, STEPS, REJECTED, FAILED, NEXT, RECORDED, EVERY, RECENTRED, PENDING, HIGHEST = range(11)
# EVERY: whether every step is recorded, or the wanted times; NEXT: the next wanted time; RECORDED: rows in use;
# PENDING: a step was made that is not yet written down; HIGHEST: order that is not exceeded

#: Entries of a run's floats.
T, H, T_END, H_MAX, RTOL, NEWTON, H_LAST, T_BEFORE, DRIFT, SLIP, ERROR, SHORT = range(12)
# SHORT: a fixed step that is cut for the time being, else 0

#: What came of an advance; failures are 10 and the status of the stage.
DONE, PAUSED, FULL, TOO_SMALL = 0, 1, 2, 3
FAILURE = 10

#: Charts are re-centred when a rotation vector is longer than this [rad].
FAR = 1.5
#: Points that are carried to a new chart lie within this angle of its centre [rad]; at pi rotation vectors jump.
REACH = 3.0


@inner
def copy_row(row, out):
    """out = row, without the temporary array that an assignment would make."""
    for c in range(row.shape[0]):
        out[c] = row[c]


@inner
def write_row(desk, row):
    """The trial state as a row."""
    n, nc, nz = desk.q.shape[0], desk.multipliers.shape[0], desk.z.shape[0]
    q, v, a, R = desk.q, desk.v, desk.a, desk.R
    for i in range(n):
        row[i], row[n + i], row[2 * n + i] = q[i], v[i], a[i]
        row[3 * n + nc + nz + i] = R[i]
    for i in range(nc):
        row[3 * n + i] = desk.multipliers[i]
    for i in range(nz):
        row[3 * n + nc + i] = desk.z[i]


@inner
def change_chart(desk, i, what, row):
    """Call `solvers.integrators.recentring` for the i-th joint that is re-centred, with its part of a row."""
    n, b, start = desk.q.shape[0], desk.charts[i, 0], desk.charts[i, 1]
    home = desk.home[b : b + 1].ctypes.data
    at = row.ctypes.data + 8 * start
    where = (desk.calls[TREE_AT], desk.calls[SPACE_AT], b, what, home, at, at + 8 * n, at + 16 * n)
    call_chart(desk.calls[CHART_AT], where)


@inner
def bring_home(desk, row):
    """A row in the model's own charts."""
    for i in range(desk.charts.shape[0]):
        change_chart(desk, i, HOME, row)
        change_chart(desk, i, MOVE, row)


@inner
def keep_row(desk, ints, t, times, rows):
    """The next row of the buffer, already filled in the charts of the run, is that of time t."""
    times[ints[RECORDED]] = t
    bring_home(desk, rows[ints[RECORDED]])
    ints[RECORDED] += 1


@inner
def too_far(desk, i, row):
    """Whether the i-th joint has turned far from the centre of its chart; rotations come first in it."""
    start, turning = desk.charts[i, 1], desk.charts[i, 2]
    angle = 0.0
    for j in range(start, start + turning):
        angle += row[j] ** 2
    return angle > FAR**2


@inner
def recentre_rows(desk, rows):
    """Re-centre the joints that have turned far at rows[0], in all rows.  Returns how many did."""
    count = 0
    for i in range(desk.charts.shape[0]):
        if too_far(desk, i, rows[0]):
            count += 1
            change_chart(desk, i, CENTRE, rows[0])
            for k in range(rows.shape[0]):
                change_chart(desk, i, MOVE, rows[k])
    return count


@inner
def longest_turn(desk, row, points):
    """The longest step [s] at which ``points`` points behind a row stay in reach of a chart centred there."""
    n, fastest = desk.q.shape[0], 0.0
    for i in range(desk.charts.shape[0]):
        start, rate = desk.charts[i, 1], 0.0
        for j in range(start, start + desk.charts[i, 2]):
            rate += row[n + j] ** 2
        fastest = max(fastest, rate)
    return REACH / (points * math.sqrt(fastest)) if fastest > 0.0 else math.inf


@inner
def set_weights(desk, rtol, atol, q, v, z):
    """Errors worth caring about: atol + rtol |y|; atol (2 n + nz,)."""
    weights = desk.weights
    for i in range(q.shape[0]):
        weights[0, i] = atol[i] + rtol * abs(q[i])
        weights[1, i] = atol[q.shape[0] + i] + rtol * abs(v[i])
    for i in range(z.shape[0]):
        desk.weights_z[i] = atol[2 * q.shape[0] + i] + rtol * abs(z[i])


@inner
def error_norm(desk, row, constant):
    """Weighted size of ``constant`` times a row, in q, v, z.

    Prescribed coordinates count: steps that do not resolve their motion do not resolve efforts, nor output in between.
    """
    n, nc, nz = desk.q.shape[0], desk.multipliers.shape[0], desk.z.shape[0]
    total, worst, largest, weights = 0.0, -1, 0.0, desk.weights
    for k in range(n):
        part = (row[k] / weights[0, k]) ** 2 + (row[n + k] / weights[1, k]) ** 2
        total += part
        if part > largest:
            largest, worst = part, k
    for k in range(nz):
        total += (row[3 * n + nc + k] / desk.weights_z[k]) ** 2
    desk.flags[WORST] = worst
    return abs(constant) * math.sqrt(total / max(2 * n + nz, 1))


@inner
def rate_norm(desk, motion):
    """Weighted size of the rates (v, a, z') on the desk, less those in ``motion`` (2 n + nz,)."""
    n, total = desk.q.shape[0], 0.0
    for i in range(desk.free.shape[0]):
        k = desk.free[i]
        total += ((desk.v[k] - motion[k]) / desk.weights[0, k]) ** 2
        total += ((desk.a[k] - motion[n + k]) / desk.weights[1, k]) ** 2
    for k in range(desk.z.shape[0]):
        total += ((desk.rates[k] - motion[2 * n + k]) / desk.weights_z[k]) ** 2
    return math.sqrt(total / max(2 * desk.free.shape[0] + desk.z.shape[0], 1))


@inner
def first_step(desk, reals, atol, order, baumgarte, scratch):
    """A first step for a method of some order, from the rates now and after a small explicit step (Hairer, Wanner).

    The small step changes the state by a hundredth of itself, unless the state is smaller than errors may be: what is
    rounding beside a tight tolerance (a law that begins at 1e-17 instead of 0) says nothing about time scales.

    The desk holds q, v, a, z' of the start, and holds them again afterwards; ``scratch`` is (4, N) or longer.
    """
    n, nc, nz = desk.q.shape[0], desk.multipliers.shape[0], desk.z.shape[0]
    set_weights(desk, reals[RTOL], atol, desk.q, desk.v, desk.z)
    start, zero, rates, size = scratch[0], scratch[1], scratch[2], 0.0
    write_row(desk, start)
    for c in range(zero.shape[0]):
        zero[c] = 0.0
    for i in range(n):
        rates[i], rates[n + i] = desk.v[i], desk.a[i]
        size += (desk.q[i] / desk.weights[0, i]) ** 2 + (desk.v[i] / desk.weights[1, i]) ** 2
    for i in range(nz):
        rates[2 * n + i] = desk.rates[i]
    size, speed = math.sqrt(size / (2 * n)), rate_norm(desk, zero)
    small = 1e-6 if size < 1.0 or speed < 1e-5 else 0.01 * size / speed
    small = min(small, 0.1 * (reals[T_END] - reals[T]))
    for i in range(n):
        desk.q[i], desk.v[i] = start[i] + small * rates[i], start[n + i] + small * rates[n + i]
    for i in range(nz):
        desk.z[i] = start[3 * n + nc + i] + small * rates[2 * n + i]
    status = accelerate(desk, reals[T] + small, baumgarte)
    change = rate_norm(desk, rates) / small
    largest = max(speed, change)
    h = (0.01 / largest) ** (1.0 / (order + 1)) if largest > 1e-15 else max(1e-6, 1e-3 * small)
    for i in range(n):
        desk.q[i], desk.v[i], desk.a[i] = start[i], start[n + i], start[2 * n + i]
        desk.R[i] = start[3 * n + nc + nz + i]
    for i in range(nc):
        desk.multipliers[i] = start[3 * n + i]
    for i in range(nz):
        desk.z[i], desk.rates[i] = start[3 * n + nc + i], rates[2 * n + i]
    if status != CONVERGED or not math.isfinite(h):
        h = small
    return min(100.0 * small, h, reals[H_MAX], 0.1 * (reals[T_END] - reals[T]))


@inner
def note_drift(desk, reals):
    """Largest errors of loops, in position and velocity, at the ends of steps."""
    for k in range(desk.vectors.shape[1]):
        reals[DRIFT] = max(reals[DRIFT], abs(desk.vectors[0, k]))
        reals[SLIP] = max(reals[SLIP], abs(desk.vectors[1, k]))
