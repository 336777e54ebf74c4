"""Implicit schemes that are a `Formula`: one compiled loop for all of them, of fixed and of adaptive step.

Points, the lagged acceleration and solved stages are rows of one array, ``memory``; a stage begins with sums of them
whose coefficients are the scheme's (`solvers.integrators.formula`), is solved (`solvers.stage`), and becomes a row.

The error of a step of order p is C h^(p+1) y^(p+1), the derivative taken from the last p + 2 points.
When the step changes, A <- a + (h_new / h_old) (A - a), since A - a is proportional to h.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple.core.views import View, array_of, viewing
from supple.jit import inner
from supple.solvers.integrators.cut_steps import cut, cut_step, end_of_part, lengthen
from supple.solvers.integrators.driver import composed, end_step
from supple.solvers.integrators.error_control import SAFETY, error_norm, ratio_of, set_weights
from supple.solvers.integrators.formula import LAGGED, POINTS, STAGES
from supple.solvers.integrators.guesses import choose_guess, judge_guess
from supple.solvers.integrators.rows import copy_row, recentre_rows, write_row
from supple.solvers.integrators.run import (
    END_TIME,
    EQUAL,
    ERROR,
    FAILED,
    FAILURE,
    LAST_STEP,
    LONGEST_STEP,
    NEW_COEFFICIENTS,
    NEWTON,
    ON_PARABOLA,
    PLACE,
    RECENTRED,
    REJECTED,
    ROW_STEP,
    RTOL,
    SHORT,
    STEP,
    TIME,
    TOO_SMALL,
    count_step,
    end_of_step,
    full_or_half,
    is_lost,
    whole_steps,
)
from supple.solvers.integrators.tape import STEPPED, TABLE, close_entry, open_entry, put_stage
from supple.solvers.problem import CA, CV, CZ, MOVING_LEFT, STALE
from supple.solvers.rounding import ROUNDED_MOTION, SAME_STEP, SAME_TIME
from supple.solvers.stage.calls import solve_stage
from supple.solvers.stage.charts import any_too_far, longest_turn
from supple.solvers.stage.status import CONVERGED, PYTHON_RAISED

#: Bounds of the ratio of adaptive steps, and a ratio below which the step is kept.
SHRINK, GROW, WORTHWHILE = 0.3, 2.0, 1.2
#: Ratio of steps after a failure of Newton's method.
FAILED_SHRINK = 0.4

#: Entries of `FormulaArrays.settings`.
ORDER_OF, BEHIND, STARTED, ADAPTIVE, NEWTON_RTOL, NEWTON_ATOL, ERROR_CONSTANT, LAG, LAGS, MAIN_STAGES = range(10)
# BEHIND: points behind now that the formula uses; STARTED: steps that the starting scheme makes; LAG: see `Formula`;
# LAGS: whether there is a lagged acceleration; MAIN_STAGES: of the formula, those of the starting scheme follow

#: How many they are.
SETTINGS = 10

#: Entries of a row of `FormulaArrays.factors`.
AT, STAGE_CV, STAGE_CA, STAGE_CZ = range(4)


class FormulaArrays(NamedTuple):
    """What a formula works on; S stages, those of the starting scheme last; N entries of a row."""

    memory: Any  #: (rows, N): points (now first), the lagged acceleration (its a), stages
    instants: Any  #: (POINTS,) times of points
    rates: Any  #: (rows, nz) z' of all rows
    row: Any  #: (N,) the new point, before it is accepted
    factors: Any  #: (S, 4), see `Table`
    weights: Any  #: (S, 3, 3 rows)
    weights_z: Any  #: (S, 2, 2 rows)
    lagged: Any  #: (3,)
    settings: Any  #: (10,), see above
    past: Any  #: (2, POINTS - 1): how far points behind lie back, in steps: for the coefficients, and now
    last: Any  #: (1,) the last accepted step since a start, s; 0 before


_DIMENSIONS = {"memory": 2, "rates": 2, "factors": 2, "weights": 3, "weights_z": 3, "past": 2}

#: Inside compiled code.
own_at = viewing(
    View("formula", {name: array_of(np.float64, _DIMENSIONS.get(name, 1)) for name in FormulaArrays._fields})
)


# ---------------------------------------------------------------------- stages


@inner
def combine(memory, weights, n, of_q, of_v, of_a, out):
    """out (n,) = sum over rows of weights (3 rows,) times q, v, a, each scaled to the units of ``out``."""
    for i in range(n):
        out[i] = 0.0
    for r in range(weights.shape[0] // 3):
        for kind in range(3):
            w = weights[3 * r + kind]
            if w != 0.0:
                w *= of_q if kind == 0 else (of_v if kind == 1 else of_a)
                part = memory[r, kind * n : (kind + 1) * n]
                for i in range(n):
                    out[i] += w * part[i]


@inner
def begin_stage(problem, own, s, h):
    """Prediction and coefficients of a stage (`solvers.problem`), with the weights w of a formula over known rows r:

        q0 = sum w_r [q; h v; h^2 a]_r,   h v0 and h^2 a0 likewise,   z0, h z0' = sum w_r [z; h z']_r,
        c_v = w / h,   c_a = w / h^2,   c_z = w / h.
    """
    n, first = problem.q.shape[0], 3 * problem.q.shape[0] + problem.multipliers.shape[0]
    memory, weights, weights_z, numbers = own.memory, own.weights[s], own.weights_z[s], problem.numbers
    numbers[CV] = own.factors[s, STAGE_CV] / h
    numbers[CA] = own.factors[s, STAGE_CA] / (h * h)
    numbers[CZ] = own.factors[s, STAGE_CZ] / h
    combine(memory, weights[0], n, 1.0, h, h * h, problem.q0)
    combine(memory, weights[1], n, 1.0 / h, 1.0, h, problem.v0)
    combine(memory, weights[2], n, 1.0 / (h * h), 1.0 / h, 1.0, problem.a0)
    for i in range(problem.z.shape[0]):
        z, rate = 0.0, 0.0
        for r in range(weights_z.shape[1] // 2):
            z += weights_z[0, 2 * r] * memory[r, first + i] + weights_z[0, 2 * r + 1] * h * own.rates[r, i]
            rate += weights_z[1, 2 * r] * memory[r, first + i] / h + weights_z[1, 2 * r + 1] * own.rates[r, i]
        problem.z0[i], problem.rates0[i] = z, rate
    for i in range(problem.lam0.shape[0]):
        problem.lam0[i] = memory[0, 3 * n + i]


@inner
def solve_stages(problem, run, own, first, count, t, h, tolerance):
    """R = 0, e = 0, A v = 0 at t + c_s h for all stages s of one step of length h from memory[0].  Returns a status."""
    for i in range(problem.before.shape[0]):
        problem.before[i] = own.memory[0, i]
    for s in range(count):
        begin_stage(problem, own, first + s, h)
        if count == 1:
            choose_guess(problem, run, own, t + h)
        status = solve_stage(problem, t + own.factors[first + s, AT] * h, tolerance)
        if status != CONVERGED:
            return status
        if count == 1:
            judge_guess(problem, run, own, t + h)
        put_stage(problem, run, t + own.factors[first + s, AT] * h)
        if s + 1 < count:
            write_row(problem, own.memory[STAGES + s])
            copy_row(problem.rates, own.rates[STAGES + s])
    return CONVERGED


@inner
def coefficients_fit(own, t, h):
    """Whether the coefficients are those of a step from t: own.past[1] = (t - t_k) / h of the points k behind it.

    Points that lie whole steps back, but for the rounding of times, do so exactly.
    """
    fit = True
    for k in range(int(own.settings[BEHIND])):
        back = (t - own.instants[k + 1]) / h
        if abs(back - (k + 1)) <= SAME_STEP + SAME_TIME * abs(t) / h:
            back = k + 1.0
        own.past[1, k] = back
        fit = fit and back == own.past[0, k]
    return fit


# ---------------------------------------------------------------------- steps


@inner
def newton_weights(problem, settings, row, h):
    """w_v = atol + rtol (|v| + h |a|) + eps |q| / h, w_q = h w_v: how well Newton's method converges in fixed steps.

    What is left over adds up along the motion, so it is measured by the motion and not by the size of q; eps is
    `ROUNDED_MOTION`.
    """
    n, rtol, atol = problem.q.shape[0], settings[NEWTON_RTOL], settings[NEWTON_ATOL]
    for i in range(n):
        speed = abs(row[n + i]) + h * abs(row[2 * n + i])
        problem.weights[1, i] = atol + rtol * speed + ROUNDED_MOTION * abs(row[i]) / h
        problem.weights[0, i] = h * problem.weights[1, i]
    first = 3 * n + problem.multipliers.shape[0]
    for i in range(problem.z.shape[0]):
        problem.weights_z[i] = atol + rtol * abs(row[first + i])


@inner
def difference(order, own, t, scratch):
    """scratch[0] = h^(p+1) y^(p+1) for order p, of the polynomial through the new row at time t and p + 1 points."""
    times, h, factor = own.instants, t - own.instants[0], 1.0
    copy_row(own.row, scratch[0])
    for k in range(order + 1):
        copy_row(own.memory[k], scratch[k + 1])
    for level in range(order + 1):
        factor *= (level + 1) * h
        for k in range(order + 1 - level):
            newest = t if k == 0 else times[k - 1]
            upper, lower, span = scratch[k], scratch[k + 1], newest - times[k + level]
            for c in range(upper.shape[0]):
                upper[c] = (upper[c] - lower[c]) / span
    for c in range(scratch.shape[1]):
        scratch[0, c] *= factor


@inner
def choose_step(problem, run, own, t, h):
    """Judge an adaptive step by its error, and set the next one.  Returns whether it is accepted."""
    reals, settings = run.reals, own.settings
    order = int(settings[ORDER_OF])
    if run.ints[EQUAL] < order:
        return True
    difference(order, own, t, run.scratch)
    error = error_norm(problem, run.scratch[0], settings[ERROR_CONSTANT])
    reals[ERROR] = error
    factor = SAFETY * ratio_of(error, order)
    if error > 1.0:
        run.ints[REJECTED] += 1
        reals[STEP] = max(SHRINK, factor) * h
        return False
    reals[STEP] = h * min(factor, GROW) if factor > WORTHWHILE or factor < 1.0 else h
    return True


@inner
def step_length(problem, run, own):
    """Length h of the step to be tried; the lagged acceleration follows its change, A = a + (h / h_last) (A - a)."""
    reals, settings, n = run.reals, own.settings, problem.q.shape[0]
    if settings[ADAPTIVE] != 0.0:
        longest = min(reals[LONGEST_STEP], longest_turn(problem, own.memory[0], POINTS - 1))
        h = full_or_half(reals[END_TIME] - reals[TIME], min(reals[STEP], longest))
    elif reals[SHORT] == 0.0:
        h = whole_steps(reals, reals[STEP])
    else:
        h = cut_step(run)
    if settings[LAGS] != 0.0 and reals[LAST_STEP] > 0.0 and h != reals[LAST_STEP]:
        now, lagged, ratio = own.memory[0, 2 * n : 3 * n], own.memory[LAGGED, 2 * n : 3 * n], h / reals[LAST_STEP]
        for i in range(n):
            lagged[i] = now[i] + ratio * (lagged[i] - now[i])
        problem.flags[STALE] = True
    reals[LAST_STEP] = h
    return h


@inner
def shorten(run, settings, t, h):
    """`FAILED_SHRINK` h, or a `cut` of fixed steps, after a failure of Newton's method in a step of h to t.

    Returns whether there is a shorter step.
    """
    run.ints[FAILED] += 1
    if settings[ADAPTIVE] == 0.0:
        return cut(run.reals, t)
    run.reals[STEP] = FAILED_SHRINK * h
    return True


@inner
def step(problem, run, own):
    """One accepted step, t to t + h.  Returns CONVERGED, TOO_SMALL, NEW_COEFFICIENTS or the failure of a stage.

    Of adaptive steps the error, C h^(p+1) y^(p+1), is at most one in units of the tolerance; fixed steps that fail are
    halved, and doubled again.
    """
    n, ints, reals, settings, failed = problem.q.shape[0], run.ints, run.reals, own.settings, CONVERGED
    adaptive, now = settings[ADAPTIVE] != 0.0, own.memory[0]
    while True:
        if is_lost(reals):
            return FAILURE + failed if failed != CONVERGED else TOO_SMALL
        h = step_length(problem, run, own)
        t = end_of_step(run, h) if reals[SHORT] == 0.0 else end_of_part(reals)
        first, count = 0, int(settings[MAIN_STAGES])
        if ints[EQUAL] < settings[STARTED]:
            first, count = count, own.factors.shape[0] - count
        elif not coefficients_fit(own, reals[TIME], h):
            return NEW_COEFFICIENTS
        if adaptive:
            set_weights(problem, reals[RTOL], run.atol, now[:n], now[n : 2 * n], problem.z, 0.0)
        else:
            newton_weights(problem, settings, now, h)
        open_step(problem, run, own, h, first)
        failed = solve_stages(problem, run, own, first, count, reals[TIME], h, reals[NEWTON])
        if failed >= PYTHON_RAISED:
            return FAILURE + failed
        if failed != CONVERGED:
            if not shorten(run, settings, t, h):
                return FAILURE + failed
            continue
        write_row(problem, own.row)
        if reals[SHORT] > 0.0:
            lengthen(reals)
        if not adaptive or choose_step(problem, run, own, t, h):
            break
    close_entry(run)
    own.last[0] = h
    accept(problem, run, own, t)
    end_step(problem, run, t)
    count_step(run, t)
    ints[EQUAL] += 1
    return CONVERGED


@inner
def open_step(problem, run, own, h, first):
    """Begin to write a step down: its first stage, and h / h_last, which scales A - a of the lagged acceleration A."""
    started = run.ints[EQUAL] == 0 or run.ints[EQUAL] < own.settings[STARTED]
    ratio = h / own.last[0] if own.settings[LAGS] != 0.0 and own.last[0] > 0.0 else 1.0
    table, start = run.tape_counts[TABLE], 1.0 if started else 0.0
    open_entry(problem, run, STEPPED, run.reals[TIME], h, first, table, ratio, start, 0.0)


@inner
def accept(problem, run, own, t):
    """The new row becomes memory[0], and A = l_0 a_new + l_1 a + l_2 A, the lagged acceleration.

    Behind a first step it is a_new.
    """
    n, memory, new = problem.q.shape[0], own.memory, own.row
    started = run.ints[EQUAL] == 0 or run.ints[EQUAL] < own.settings[STARTED]
    for i in range(2 * n, 3 * n):
        if started:
            memory[LAGGED, i] = new[i]
        else:
            memory[LAGGED, i] = (
                own.lagged[0] * new[i] + own.lagged[1] * memory[0, i] + own.lagged[2] * memory[LAGGED, i]
            )
    for k in range(POINTS - 1, 0, -1):
        copy_row(memory[k - 1], memory[k])
        copy_row(own.rates[k - 1], own.rates[k])
        own.instants[k] = own.instants[k - 1]
    copy_row(new, memory[0])
    copy_row(problem.rates, own.rates[0])
    own.instants[0] = t


@inner
def recentre(problem, run, own):
    """Re-centre charts that are left, with all points behind and the lagged acceleration.

    A is the acceleration at t + lag h, so it moves to the new chart with q and v of that time.
    """
    now = own.memory[0]
    if not any_too_far(problem, now):
        return
    n, shift, lagged = problem.q.shape[0], own.settings[LAG] * run.reals[LAST_STEP], own.memory[LAGGED]
    for i in range(n):
        v, a = now[n + i], now[2 * n + i]
        lagged[i] = now[i] + shift * (v + 0.5 * shift * a)
        lagged[n + i] = v + shift * a
    run.ints[RECENTRED] += recentre_rows(problem, run, own.memory[:STAGES], run.reals[LAST_STEP], 0.0, shift)
    problem.flags[STALE], problem.flags[MOVING_LEFT] = True, 0


@inner
def interpolate(problem, run, own, t, row):
    """Row at time t of the last step: cubic in q (from q, v) and v (from v, a), linear in the rest.

    y = h00 y0 + h01 y1 + h (h10 y0' + h11 y1') with Hermite's polynomials h of x = (t - t0) / h.
    In a first step v is linear too: the acceleration at a start may be huge and last no time.
    """
    n, now, before, first = problem.q.shape[0], own.memory[0], own.memory[1], run.ints[EQUAL] == 1
    if t == own.instants[0]:
        copy_row(now, row)
        return
    h = own.instants[0] - own.instants[1]
    x = (t - own.instants[1]) / h
    h00, h10 = (1.0 + 2.0 * x) * (1.0 - x) ** 2, x * (1.0 - x) ** 2
    h01, h11 = x * x * (3.0 - 2.0 * x), x * x * (x - 1.0)
    for c in range(row.shape[0]):
        if c < n or (c < 2 * n and not first):
            ends = h00 * before[c] + h01 * now[c]
            row[c] = ends + h * (h10 * before[n + c] + h11 * now[n + c])
        else:
            row[c] = (1.0 - x) * before[c] + x * now[c]


@inner
def begin(problem, run, own):
    """The state of the problem is the one point that is known."""
    n, memory = problem.q.shape[0], own.memory
    write_row(problem, memory[0])
    own.instants[0] = run.reals[TIME]
    for i in range(2 * n, 3 * n):
        memory[LAGGED, i] = memory[0, i]
    copy_row(problem.rates, own.rates[0])
    run.ints[EQUAL] = 0
    run.reals[LAST_STEP], run.reals[ROW_STEP], own.last[0] = 0.0, 0.0, 0.0
    run.reals[PLACE], run.ints[ON_PARABOLA] = 1.0, False


@inner
def settle(problem, run, own):
    """There is nothing to do once a step is recorded."""


#: What is compiled for the family.
KERNELS = composed(own_at, begin, step, settle, recentre, interpolate)
