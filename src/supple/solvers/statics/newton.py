"""Newton's method for equilibria, damped so that it does not depend on the scaling of equations (Deuflhard's NLEQ-ERR).

Unknowns are the free coordinates and the multipliers of loops; equations R(q, 0, 0, lambda) = w R_0 and e(q) = w e_0.
For w = 0 this is an equilibrium; for w > 0 a share of what is unbalanced at a first guess is still held, as if by
hand: letting go of it step by step leads from any guess to an equilibrium near by.

A step x + lambda d is judged by the Newton correction that the *old* tangent gives for the new residual: it must
shrink.  `relax` is the last resort: (T + sigma M) d = -R walks down the potential like an overdamped motion, to a
stable equilibrium.
"""

from __future__ import annotations

import math

from supple.jit import inner, kernel
from supple.solvers.problem import CA, CV, ITERATIONS, OVER_TREE, SCALE, STAGE_TIME, STALE, TANGENTS, problem_at
from supple.solvers.stage.evaluation import call, call_rows
from supple.solvers.stage.excitation import excite
from supple.solvers.stage.factors import factorise_matrix, factorise_over_tree, solve_factors, tree_is_asked
from supple.solvers.stage.matrix import fill_matrix
from supple.solvers.stage.status import CONVERGED, NO_PIVOT, NOT_FINITE, SLOW

#: Smallest damping factor.
SHORTEST = 1e-5
#: Square of the angular frequency (1/s^2) below which a motion counts as unresisted.
DRIFT = 1e-6
#: Steps of relaxation (rad) that tell nothing but rounding; times `DRIFT` an acceleration.
AT_REST = 1e-6


@inner
def load_problem(problem, t):
    """Inputs, signals and prescribed coordinates at time t, at rest.  Returns a status."""
    problem.numbers[STAGE_TIME] = t
    problem.numbers[CV], problem.numbers[CA] = 0.0, 0.0
    problem.flags[STALE] = True
    status = excite(problem, t)
    for i in range(problem.fixed.shape[0]):
        problem.q[problem.fixed[i]] = problem.motion[0, problem.fixed[i]]
    for i in range(problem.v.shape[0]):
        problem.v[i], problem.a[i] = 0.0, 0.0
    return status


@inner
def unbalanced(problem, share, held, out):
    """out (nf + nc,) = minus the residual and the loops' errors at the problem's state, less a share of ``held``."""
    nf = problem.free.shape[0]
    for i in range(nf):
        out[i] = share * held[i] - problem.residual[problem.free[i]]
    for k in range(problem.vectors.shape[1]):
        out[nf + k] = share * held[nf + k] - problem.vectors[0, k]


@inner
def evaluate(problem):
    """Residual and loops' errors.  Returns whether they are finite."""
    finite = call(problem, 0.0, 0.0, 0)
    call_rows(problem, 0)
    return finite


@inner
def linearise(problem, sigma):
    """Residual, loops and factors of the tangent T + sigma M.  Returns a status."""
    problem.flags[TANGENTS] += 1
    status = factorise_over_tree(problem, 0.0, sigma, False) if tree_is_asked(problem) else NO_PIVOT
    if status != NO_PIVOT:
        return status
    problem.flags[OVER_TREE] = False
    if not call(problem, 0.0, sigma, problem.tangent.ctypes.data):
        return NOT_FINITE
    call_rows(problem, problem.matrices.ctypes.data)
    fill_matrix(problem)
    return CONVERGED if factorise_matrix(problem, problem.matrix, problem.pivots, problem.scales) < 0 else NO_PIVOT


@inner
def norm(problem, step):
    """sqrt(mean of (step_i / w_i)^2) over the free coordinates."""
    total = 0.0
    for i in range(problem.free.shape[0]):
        total += (step[i] / problem.weights[0, problem.free[i]]) ** 2
    return math.sqrt(total / max(problem.free.shape[0], 1))


@inner
def move(problem, origin, step, factor, scale):
    """Coordinates and multipliers at origin + factor step."""
    nf = problem.free.shape[0]
    for i in range(nf):
        problem.q[problem.free[i]] = origin[i] + factor * step[i]
    for k in range(problem.multipliers.shape[0]):
        problem.multipliers[k] = origin[nf + k] + factor * scale * step[nf + k]


@inner
def remember(problem, origin):
    """origin (nf + nc,) = coordinates and multipliers of the problem."""
    nf = problem.free.shape[0]
    for i in range(nf):
        origin[i] = problem.q[problem.free[i]]
    for k in range(problem.multipliers.shape[0]):
        origin[nf + k] = problem.multipliers[k]


@inner
def longest_factor(step, longest, count):
    """Largest factor, at most 1, with which no coordinate moves further than ``longest``."""
    largest = 0.0
    for i in range(count):
        largest = max(largest, abs(step[i]))
    return 1.0 if largest <= longest else longest / largest


@inner
def damped_step(problem, share, held, origin, step, trial, size, factor, largest, scale):
    """x + lambda d with the largest lambda = ``factor`` for which the simplified correction shrinks ([NLEQ]):

        |c| < (1 - lambda / 4) |d|,   c = T^-1 R(x + lambda d);   else lambda = lambda^2 |d| / 2 |c - (1 - lambda) d|.

    A step that was shortened more than it need have been is made longer, up to the factor ``largest``.  Returns lambda
    (0: none found) and |c|.
    """
    enlarged = False
    while factor > SHORTEST:
        move(problem, origin, step, factor, scale)
        if not evaluate(problem):
            factor *= 0.5
            continue
        unbalanced(problem, share, held, trial)
        solve_factors(problem, trial)
        new = norm(problem, trial)
        total = 0.0
        for i in range(problem.free.shape[0]):
            total += ((trial[i] - (1.0 - factor) * step[i]) / problem.weights[0, problem.free[i]]) ** 2
        curved = math.sqrt(total / max(problem.free.shape[0], 1))
        best = 0.5 * size * factor * factor / curved if curved > 0.0 else 1.0
        if not new < (1.0 - 0.25 * factor) * size:
            factor = min(best, 0.5 * factor)
            enlarged = True
            continue
        if not enlarged and min(largest, best) >= 4.0 * factor:
            enlarged = True
            factor = min(largest, best)
            continue
        return factor, new
    return 0.0, size


@kernel
def solve_newton(table, t, share, held, tolerance, most, longest, space):
    """Newton's method from problem.q and the multipliers.  ``space`` (4, nf + nc) is scratch.  Returns a status."""
    problem = problem_at(table.ctypes.data)
    status = load_problem(problem, t)
    if status != CONVERGED:
        return status
    origin, step, trial, last = space[0], space[1], space[2], space[3]
    nf = problem.free.shape[0]
    size_last, factor_last, new = 0.0, 1.0, 0.0
    for k in range(most):
        problem.flags[ITERATIONS] = k + 1
        status = linearise(problem, 0.0)
        if status != CONVERGED:
            return status
        scale = problem.numbers[SCALE]
        remember(problem, origin)
        unbalanced(problem, share, held, step)
        solve_factors(problem, step)
        size = norm(problem, step)
        if not math.isfinite(size):
            return NOT_FINITE
        if size <= tolerance:
            move(problem, origin, step, 1.0, scale)
            return CONVERGED if evaluate(problem) else NOT_FINITE
        factor = 1.0
        if k > 0:
            total = 0.0
            for i in range(nf):
                total += ((last[i] - step[i]) / problem.weights[0, problem.free[i]]) ** 2
            change = math.sqrt(total / max(nf, 1))
            if change > 0.0:
                factor = min(1.0, size_last * new / (change * size) * factor_last)
        largest = max(longest_factor(step, longest, nf), 2.0 * SHORTEST)
        factor = max(min(factor, largest), 2.0 * SHORTEST)
        factor, new = damped_step(problem, share, held, origin, step, trial, size, factor, largest, scale)
        if factor == 0.0:
            move(problem, origin, step, 0.0, scale)
            return SLOW
        if factor == 1.0 and new <= 0.01 * tolerance:
            # the simplified correction is the error that is left
            for i in range(nf):
                problem.q[problem.free[i]] += trial[i]
            for i in range(problem.multipliers.shape[0]):
                problem.multipliers[i] += scale * trial[nf + i]
            return CONVERGED if evaluate(problem) else NOT_FINITE
        for i in range(step.shape[0]):
            last[i] = trial[i]
        size_last, factor_last = size, factor
    return SLOW


@kernel
def relax(table, t, held, tolerance, most, longest, space):
    """Walk down with (T + sigma M) d = -R, sigma falling with the residual to `DRIFT`.  Returns a status.

    Motions that nothing resists (a pendulum about the vertical) make T singular at an equilibrium.  They are no
    obstacle here: a step that stays below `AT_REST` is one that rounding makes along them.
    """
    problem = problem_at(table.ctypes.data)
    status = load_problem(problem, t)
    if status != CONVERGED:
        return status
    origin, step = space[0], space[1]
    nf = problem.free.shape[0]
    sigma, force_last, still = 1e6, 0.0, 0
    for k in range(most):
        problem.flags[ITERATIONS] = k + 1
        status = linearise(problem, sigma)
        if status == NOT_FINITE:
            return status
        force = 0.0
        for i in range(nf):
            force += problem.residual[problem.free[i]] ** 2
        force = math.sqrt(force)
        scale = problem.numbers[SCALE]
        remember(problem, origin)
        unbalanced(problem, 0.0, held, step)
        size = longest + 1.0
        if status == CONVERGED:
            solve_factors(problem, step)
            size = norm(problem, step)
        if status != CONVERGED or not math.isfinite(size) or longest_factor(step, longest, nf) < 1.0:
            sigma *= 4.0
            continue
        move(problem, origin, step, 1.0, scale)
        still = still + 1 if sigma == DRIFT and size <= AT_REST else 0
        if (size <= tolerance and sigma == DRIFT) or still > 5:
            return CONVERGED if evaluate(problem) else NOT_FINITE
        ratio = force / force_last if force_last > 0.0 else 1.0
        sigma = max(sigma * min(max(ratio, 0.1), 1.0) * 0.7, DRIFT)
        force_last = force
    return SLOW
