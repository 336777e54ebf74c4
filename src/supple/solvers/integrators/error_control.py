"""Errors of steps: how large they may be, how large they are, and what step follows from that."""

from __future__ import annotations

import math

from supple.jit import inner
from supple.solvers.integrators.rows import write_row
from supple.solvers.integrators.run import (
    BAUMGARTE,
    DRIFT,
    END_TIME,
    LONGEST_STEP,
    RTOL,
    SLIP,
    START_ORDER,
    TIME,
    shortest_step,
)
from supple.solvers.problem import WORST
from supple.solvers.rounding import NO_ERROR
from supple.solvers.stage.calls import accelerate
from supple.solvers.stage.status import CONVERGED

#: Part of the step that the error would allow which is taken.
SAFETY = 0.9


@inner
def set_weights(problem, rtol, atol, q, v, z, share):
    """Errors worth caring about, w_i = max(atol_i + rtol |y_i|, share times the largest such sum in its field).

    Coordinates of one strain of a rod are coefficients of one function: where one of them passes zero and the others do
    not, tiny errors in it are worth no shorter step.  A ``share`` of 0 counts each by itself, 1 all alike.
    atol (2 n + nz,).
    """
    n, weights, fields = q.shape[0], problem.weights, problem.fields
    for i in range(n):
        weights[0, i], weights[1, i] = 0.0, 0.0
    for i in range(n):  # what is largest stands at the first coordinate of a field,
        first = fields[i]
        weights[0, first] = max(weights[0, first], atol[i] + rtol * abs(q[i]))
        weights[1, first] = max(weights[1, first], atol[n + i] + rtol * abs(v[i]))
    for i in range(n - 1, -1, -1):  # which gets its own weight last
        first = fields[i]
        weights[0, i] = max(atol[i] + rtol * abs(q[i]), share * weights[0, first])
        weights[1, i] = max(atol[n + i] + rtol * abs(v[i]), share * weights[1, first])
    for i in range(z.shape[0]):
        problem.weights_z[i] = atol[2 * n + i] + rtol * abs(z[i])


@inner
def share_weights(problem):
    """Errors worth caring about in one field are the same in all of its coordinates: the largest of them.

    Coordinates of one strain of a rod are coefficients of one function; that one of them passes zero says nothing.
    """
    weights, fields = problem.weights, problem.fields
    for i in range(fields.shape[0]):
        first = fields[i]
        weights[0, first] = max(weights[0, first], weights[0, i])
        weights[1, first] = max(weights[1, first], weights[1, i])
    for i in range(fields.shape[0]):
        weights[0, i], weights[1, i] = weights[0, fields[i]], weights[1, fields[i]]


@inner
def widen_weights(problem, rtol, atol, row):
    """w_i = max(w_i, atol_i + rtol |y_i|) of a ``row`` y: errors worth caring about at both ends of a step."""
    n = problem.q.shape[0]
    first = 3 * n + problem.multipliers.shape[0]
    for i in range(n):
        problem.weights[0, i] = max(problem.weights[0, i], atol[i] + rtol * abs(row[i]))
        problem.weights[1, i] = max(problem.weights[1, i], atol[n + i] + rtol * abs(row[n + i]))
    for i in range(problem.z.shape[0]):
        problem.weights_z[i] = max(problem.weights_z[i], atol[2 * n + i] + rtol * abs(row[first + i]))


@inner
def error_norm(problem, row, constant):
    """|C| sqrt(mean of (y_i / w_i)^2) of a row y, in q, v, z; C is the ``constant``.

    Prescribed coordinates count: steps that do not resolve their motion do not resolve efforts, nor output in between.
    """
    n, nc, nz = problem.q.shape[0], problem.multipliers.shape[0], problem.z.shape[0]
    total, worst, largest, weights = 0.0, -1, 0.0, problem.weights
    for k in range(n):
        part = (row[k] / weights[0, k]) ** 2 + (row[n + k] / weights[1, k]) ** 2
        total += part
        if part > largest:
            largest, worst = part, k
    for k in range(nz):
        total += (row[3 * n + nc + k] / problem.weights_z[k]) ** 2
    problem.flags[WORST] = worst
    return abs(constant) * math.sqrt(total / max(2 * n + nz, 1))


@inner
def ratio_of(error, order):
    """error^(-1 / (order + 1)): the ratio of steps at which an error of this size would be one.

    In units of the tolerance.
    """
    return max(error, NO_ERROR) ** (-1.0 / (order + 1))


@inner
def rate_norm(problem, motion):
    """Weighted size of the rates (v, a, z') on the problem, less those in ``motion`` (2 n + nz,)."""
    n, total = problem.q.shape[0], 0.0
    for i in range(problem.free.shape[0]):
        k = problem.free[i]
        total += ((problem.v[k] - motion[k]) / problem.weights[0, k]) ** 2
        total += ((problem.a[k] - motion[n + k]) / problem.weights[1, k]) ** 2
    for k in range(problem.z.shape[0]):
        total += ((problem.rates[k] - motion[2 * n + k]) / problem.weights_z[k]) ** 2
    return math.sqrt(total / max(2 * problem.free.shape[0] + problem.z.shape[0], 1))


@inner
def first_step(problem, run):
    """A first step for an order START_ORDER, from the rates now and after a small explicit step (Hairer, Wanner).

        h = (0.01 / max(|y'|, |y'(t + s) - y'| / s))^(1 / (p + 1)),   s = 0.01 |y| / |y'|,   in weighted norms.

    The small step changes the state by a hundredth of itself, unless the state is smaller than errors may be: what is
    rounding beside a tight tolerance (a law that begins at 1e-17 instead of 0) says nothing about time scales.

    No guess is so short that the time hardly changes (`run.is_lost`), before any error has asked for it: velocities
    that begin at zero count by their tolerance alone, beside which accelerations of tiny robots are huge.

    The problem holds q, v, a, z' of the start, and holds them again afterwards.
    """
    n, nc, nz = problem.q.shape[0], problem.multipliers.shape[0], problem.z.shape[0]
    reals, scratch, order, baumgarte = run.reals, run.scratch, run.reals[START_ORDER], run.reals[BAUMGARTE]
    set_weights(problem, reals[RTOL], run.atol, problem.q, problem.v, problem.z, 0.0)
    start, zero, rates, size = scratch[0], scratch[1], scratch[2], 0.0
    write_row(problem, start)
    for c in range(zero.shape[0]):
        zero[c] = 0.0
    for i in range(n):
        rates[i], rates[n + i] = problem.v[i], problem.a[i]
        size += (problem.q[i] / problem.weights[0, i]) ** 2 + (problem.v[i] / problem.weights[1, i]) ** 2
    for i in range(nz):
        rates[2 * n + i] = problem.rates[i]
    size, speed = math.sqrt(size / (2 * n)), rate_norm(problem, zero)
    small = 1e-6 if size < 1.0 or speed < 1e-5 else 0.01 * size / speed
    small = min(small, 0.1 * (reals[END_TIME] - reals[TIME]))
    for i in range(n):
        problem.q[i], problem.v[i] = start[i] + small * rates[i], start[n + i] + small * rates[n + i]
    for i in range(nz):
        problem.z[i] = start[3 * n + nc + i] + small * rates[2 * n + i]
    status = accelerate(problem, reals[TIME] + small, baumgarte)
    change = rate_norm(problem, rates) / small
    largest = max(speed, change)
    h = (0.01 / largest) ** (1.0 / (order + 1)) if largest > 1e-15 else max(1e-6, 1e-3 * small)
    for i in range(n):
        problem.q[i], problem.v[i], problem.a[i] = start[i], start[n + i], start[2 * n + i]
        problem.residual[i] = start[3 * n + nc + nz + i]
    for i in range(nc):
        problem.multipliers[i] = start[3 * n + i]
    for i in range(nz):
        problem.z[i], problem.rates[i] = start[3 * n + nc + i], rates[2 * n + i]
    if status != CONVERGED or not math.isfinite(h):
        h = small
    h = max(min(100.0 * small, h), 10.0 * shortest_step(reals))
    return min(h, reals[LONGEST_STEP], 0.1 * (reals[END_TIME] - reals[TIME]))


@inner
def note_drift(problem, reals):
    """Largest errors of loops, in position and velocity, at the ends of steps."""
    for k in range(problem.vectors.shape[1]):
        reals[DRIFT] = max(reals[DRIFT], abs(problem.vectors[0, k]))
        reals[SLIP] = max(reals[SLIP], abs(problem.vectors[1, k]))
