"""Newton's method on one stage of an implicit scheme (see `solvers.problem`), with factors reused while they serve.

The equations of a step are those of `solvers.stage.matrix`.
"""

from __future__ import annotations

import math

from supple.jit import inner
from supple.solvers.problem import (
    BEND,
    CA,
    CV,
    CZ,
    DENSE_LEFT,
    FACTORED_CA,
    FACTORED_CV,
    FEEDBACK,
    HASTE,
    ITERATIONS,
    MOVING_LEFT,
    NEWTON_STEP,
    NORM,
    OVER_TREE,
    RATE,
    RENEWALS,
    SCALE,
    STABILISED,
    STAGE_TIME,
    STALE,
    TANGENTS,
    WORST,
)
from supple.solvers.rounding import ROUNDED_MOTION
from supple.solvers.stage.evaluation import evaluate, set_trial
from supple.solvers.stage.excitation import excite
from supple.solvers.stage.factors import solve_factors
from supple.solvers.stage.matrix import linearise
from supple.solvers.stage.status import CONVERGED, NOT_FINITE, PYTHON_RAISED, SLOW
from supple.solvers.stage.turned_rows import turn_rows

#: Newton steps of a stage.
MOST = 10
#: Ratio of consecutive steps above which new factors pay.
FAST = 0.3
#: Further steps with old factors that cost as much as new ones.
WORTH = 8
#: Stages at most whose factors are made anew at once, after those of an earlier stage would not do.
MOST_HASTE = 7
#: Part of how strongly Newton's method bent that is remembered beside what it does now.
FORGOTTEN = 0.3
#: By how much more than it is remembered Newton's method may bend.
DOUBTED = 10.0
#: How well loops must be closed, whatever a Newton step is worth: position (rad, m) and velocity (per s).
CLOSED, STILL = 1e-11, 3e-11

#: Ratio of consecutive steps that get nowhere, and the size of steps, relative to q or to one, that are rounding then.
HALTING, ROUNDED = 0.5, 1e-11


@inner
def place_prescribed(problem):
    """Prescribed coordinates begin a stage where their laws say, and stay there."""
    for i in range(problem.fixed.shape[0]):
        k = problem.fixed[i]
        problem.q0[k], problem.v0[k], problem.a0[k] = problem.motion[0, k], problem.motion[1, k], problem.motion[2, k]


@inner
def newton_step(problem):
    """W step = -[R; e; A v; z0' + c_z x_z - f], solved and taken.  Returns sqrt(mean of (step_i / w_i)^2).

    Over q, v and z; v moves by c_v (x - P mu).
    """
    free, rhs, cv = problem.free, problem.rhs, problem.numbers[CV]
    R, P, x, y_all, weights = problem.residual, problem.P, problem.x, problem.y, problem.weights
    stabilised = problem.flags[STABILISED] != 0
    nf, nc, nz = free.shape[0], problem.vectors.shape[1], problem.z.shape[0]
    scale = problem.numbers[SCALE]
    for i in range(nf):
        rhs[i] = -R[free[i]]
    turn_rows(problem, rhs)
    last = nf
    for k in range(nc):
        rhs[last + k] = -problem.vectors[0, k]
    last += nc
    if problem.flags[STABILISED]:
        for k in range(nc):
            rhs[last + k] = -problem.vectors[1, k]
        last += nc
    for k in range(nz):
        rhs[last + k] = problem.rates[k] - problem.rates0[k] - problem.numbers[CZ] * problem.xz[k]
    solve_factors(problem, rhs)
    for k in range(nc):
        problem.multipliers[k] += scale * rhs[nf + k]
        if problem.flags[STABILISED]:
            problem.mu[k] += rhs[nf + nc + k]
    for k in range(nz):
        problem.xz[k] += rhs[last + k]
    total, worst, largest, longest, size = 0.0, -1, 0.0, 0.0, 0.0
    for i in range(nf):
        f = free[i]
        longest, size = max(longest, abs(rhs[i])), max(size, abs(problem.q[f]))
        y = 0.0
        if stabilised:
            for k in range(nc):
                y += P[f, k] * problem.mu[k]
        moved = rhs[i] - (y - y_all[f])
        y_all[f] = y
        x[f] += rhs[i]
        part = (rhs[i] / weights[0, f]) ** 2 + (cv * moved / weights[1, f]) ** 2
        total += part
        if part > largest:
            largest, worst = part, f
    count = 2 * nf
    for k in range(nz):
        total += (rhs[last + k] / problem.weights_z[k]) ** 2
        count += 1
    problem.flags[WORST] = worst
    problem.numbers[NEWTON_STEP] = longest / max(
        size, 1.0
    )  # poses are rounded like numbers of size one, also where q is small
    return math.sqrt(total / max(count, 1))


@inner
def loops_closed(problem):
    """Whether position (and velocity) constraints hold, at the state of the last residual."""
    fastest = 0.0
    for i in range(problem.v.shape[0]):
        fastest = max(fastest, abs(problem.v[i]))
    still = max(STILL, ROUNDED_MOTION * fastest)  # as well as rounding allows
    for k in range(problem.vectors.shape[1]):
        if not abs(problem.vectors[0, k]) < CLOSED:
            return False
        if problem.flags[STABILISED] and not abs(problem.vectors[1, k]) < still:
            return False
    return True


@inner
def iterate(problem, tolerance):
    """Newton steps until the next one, rate / (1 - rate) times the last, is below ``tolerance``.  Returns a status.

    Factors are kept while steps shrink fast, and made anew when they do not (`lose_patience`); a step with new ones may
    be known to be the last (`foreseen`).  With loops, the state after the last step
    is looked at once more: it must close them.
    """
    numbers, flags = problem.numbers, problem.flags
    looped = problem.vectors.shape[1] > 0
    before, settled, renewed, old = 0.0, False, False, True
    for k in range(MOST):
        flags[ITERATIONS] = k + 1
        set_trial(problem)
        stale = flags[STALE] or numbers[FACTORED_CV] != numbers[CV] or numbers[FACTORED_CA] != numbers[CA]
        old = old and not stale
        status = linearise(problem) if stale else evaluate(problem)
        if status != CONVERGED:
            return status
        if settled and loops_closed(problem):
            return CONVERGED
        norm = newton_step(problem)
        numbers[NORM] = norm
        if not math.isfinite(norm):
            return NOT_FINITE
        rate = norm / before if k > 0 and before > 0.0 else 0.0
        numbers[RATE] = rate
        if renewed:
            numbers[BEND] = max(rate / before, FORGOTTEN * numbers[BEND])
        settled = norm < 1e-3 * tolerance or (k > 0 and rate < 1.0 and rate / (1.0 - rate) * norm < tolerance)
        if stale and not settled:
            settled = foreseen(numbers, norm, tolerance)
        if rate >= HALTING and not settled:
            settled = numbers[NEWTON_STEP] <= ROUNDED
        if settled and not looped:
            set_trial(problem)
            return CONVERGED
        if not settled and k > 0:
            if rate >= 2.0 and stale:
                return SLOW  # Newton's own step went astray
            # old factors that will not do, or not soon
            if rate >= FAST or rate ** min(MOST - 1 - k, WORTH) / (1.0 - rate) * norm > tolerance:
                flags[STALE] = True
                if old:
                    lose_patience(flags)
        before, renewed = norm, stale and not settled
    return SLOW


@inner
def lose_patience(flags):
    """haste = 2 haste + 1: factors of an earlier stage would not do; those of so many next stages are made at once."""
    flags[HASTE] = min(2 * flags[HASTE] + 1, MOST_HASTE)
    flags[RENEWALS] = flags[HASTE]


@inner
def foreseen(numbers, norm, tolerance):
    """Whether the step after one of weighted size ``norm`` with new factors, bend norm^2, would be below the tolerance.

    Newton's method converges quadratically, and how strongly it does changes slowly from stage to stage.  Every time
    that it is believed unseen, it is believed less, until it is looked at again.
    """
    bend = numbers[BEND]
    if bend > 0.0 and DOUBTED * bend * norm * norm < tolerance:
        numbers[BEND] = 2.0 * bend
        return True
    return False


@inner
def begin_iteration(problem, stay):
    """Increments zero (the prediction), or such that the robot stays where it was; multipliers as before."""
    for i in range(problem.x.shape[0]):
        problem.x[i], problem.y[i] = 0.0, 0.0
    if stay:
        for i in range(problem.free.shape[0]):
            k = problem.free[i]
            problem.x[k] = problem.before[k] - problem.q0[k]
    for i in range(problem.z.shape[0]):
        problem.xz[i] = 0.0
    for i in range(problem.mu.shape[0]):
        problem.mu[i], problem.multipliers[i] = 0.0, problem.lam0[i]


@inner
def solve_stage(problem, t, tolerance):
    """Solve the stage that begins at q0, v0, a0, z0 with coefficients c_v, c_a, c_z, at time t.  Returns a status.

    Multipliers begin at ``lam0``.  If old factors do not converge, new ones are tried; then, where a prediction may
    be wild (after a jump), Newton's method begins at the last configuration ``before``.
    """
    problem.numbers[STAGE_TIME] = t
    status = excite(problem, t)
    if status != CONVERGED:
        return status
    place_prescribed(problem)
    if problem.flags[RENEWALS] > 0:
        problem.flags[RENEWALS] -= 1
        problem.flags[STALE] = True
    made = problem.flags[TANGENTS]
    for attempt in range(3):
        if attempt == 0 and problem.flags[STALE]:
            continue
        begin_iteration(problem, attempt == 2)
        status = iterate(problem, tolerance)
        if status == CONVERGED:
            if problem.flags[TANGENTS] == made:
                problem.flags[HASTE] //= 2
            return finish(problem)
        problem.flags[STALE], problem.flags[MOVING_LEFT] = True, 0
        if status >= PYTHON_RAISED:
            break
    if problem.flags[OVER_TREE]:
        problem.flags[DENSE_LEFT] = 1  # whatever it was: the next attempt does not owe it to these factors
    return status


@inner
def finish(problem):
    """Efforts of prescribed joints and rates at the final state, where someone asks for them."""
    asked = problem.fixed.shape[0] > 0 or problem.flags[FEEDBACK] or problem.load_states.shape[0] > 0
    if problem.vectors.shape[1] == 0 and asked:
        return evaluate(problem)
    return CONVERGED
