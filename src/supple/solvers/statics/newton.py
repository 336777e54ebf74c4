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
from supple.linalg.lu import factorise, solve
from supple.solvers.desk import CA, CV, ITERATIONS, STALE, T_NOW, TANGENTS, desk_at
from supple.solvers.integrators.stage import (
    CONVERGED,
    NO_PIVOT,
    NOT_FINITE,
    SLOW,
    call,
    call_rows,
    drive,
    fill_matrix,
    size_of_tangent,
)

#: Smallest damping factor.
SHORTEST = 1e-5
#: Square of the angular frequency (1/s^2) below which a motion counts as unresisted.
DRIFT = 1e-6
#: Steps of relaxation (rad) that tell nothing but rounding; times `DRIFT` an acceleration.
AT_REST = 1e-6


@inner
def load_desk(desk, t):
    """Inputs, signals and prescribed coordinates at time t, at rest.  Returns a status."""
    desk.numbers[T_NOW] = t
    desk.numbers[CV], desk.numbers[CA] = 0.0, 0.0
    desk.flags[STALE] = True
    status = drive(desk, t)
    for i in range(desk.fixed.shape[0]):
        desk.q[desk.fixed[i]] = desk.motion[0, desk.fixed[i]]
    for i in range(desk.v.shape[0]):
        desk.v[i], desk.a[i] = 0.0, 0.0
    return status


@inner
def unbalanced(desk, share, held, out):
    """out (nf + nc,) = minus the residual and the loops' errors at the desk's state, less a share of ``held``."""
    nf = desk.free.shape[0]
    for i in range(nf):
        out[i] = share * held[i] - desk.R[desk.free[i]]
    for k in range(desk.vectors.shape[1]):
        out[nf + k] = share * held[nf + k] - desk.vectors[0, k]


@inner
def evaluate(desk):
    """Residual and loops' errors.  Returns whether they are finite."""
    finite = call(desk, 0.0, 0.0, 0)
    call_rows(desk, 0)
    return finite


@inner
def linearise(desk, sigma):
    """Residual, loops and factors of the tangent T + sigma M.  Returns a status."""
    desk.flags[TANGENTS] += 1
    if not call(desk, 0.0, sigma, desk.T.ctypes.data):
        return NOT_FINITE
    call_rows(desk, desk.matrices.ctypes.data)
    fill_matrix(desk)
    return CONVERGED if factorise(desk.matrix, desk.pivots, desk.scales) < 0 else NO_PIVOT


@inner
def norm(desk, step):
    """Weighted root mean square of a step in the free coordinates."""
    total = 0.0
    for i in range(desk.free.shape[0]):
        total += (step[i] / desk.weights[0, desk.free[i]]) ** 2
    return math.sqrt(total / max(desk.free.shape[0], 1))


@inner
def move(desk, origin, step, factor, scale):
    """Coordinates and multipliers at origin + factor step."""
    nf = desk.free.shape[0]
    for i in range(nf):
        desk.q[desk.free[i]] = origin[i] + factor * step[i]
    for k in range(desk.multipliers.shape[0]):
        desk.multipliers[k] = origin[nf + k] + factor * scale * step[nf + k]


@inner
def remember(desk, origin):
    """origin (nf + nc,) = coordinates and multipliers of the desk."""
    nf = desk.free.shape[0]
    for i in range(nf):
        origin[i] = desk.q[desk.free[i]]
    for k in range(desk.multipliers.shape[0]):
        origin[nf + k] = desk.multipliers[k]


@inner
def longest_factor(step, longest, count):
    """Largest factor, at most 1, with which no coordinate moves further than ``longest``."""
    largest = 0.0
    for i in range(count):
        largest = max(largest, abs(step[i]))
    return 1.0 if largest <= longest else longest / largest


@inner
def damped_step(desk, share, held, origin, step, trial, size, factor, largest, scale):
    """Shorten a step until the simplified correction shrinks.  Returns the factor (0: none found) and its size.

    A step that was shortened more than it need have been is made longer, up to the factor ``largest``.
    """
    enlarged = False
    while factor > SHORTEST:
        move(desk, origin, step, factor, scale)
        if not evaluate(desk):
            factor *= 0.5
            continue
        unbalanced(desk, share, held, trial)
        solve(desk.matrix, desk.pivots, desk.scales, trial)
        new = norm(desk, trial)
        total = 0.0
        for i in range(desk.free.shape[0]):
            total += ((trial[i] - (1.0 - factor) * step[i]) / desk.weights[0, desk.free[i]]) ** 2
        curved = math.sqrt(total / max(desk.free.shape[0], 1))
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
    """Newton's method from desk.q and the multipliers.  ``space`` (4, nf + nc) is scratch.  Returns a status."""
    desk = desk_at(table.ctypes.data)
    status = load_desk(desk, t)
    if status != CONVERGED:
        return status
    origin, step, trial, last = space[0], space[1], space[2], space[3]
    nf = desk.free.shape[0]
    size_last, factor_last, new = 0.0, 1.0, 0.0
    for k in range(most):
        desk.flags[ITERATIONS] = k + 1
        status = linearise(desk, 0.0)
        if status != CONVERGED:
            return status
        scale = size_of_tangent(desk)
        remember(desk, origin)
        unbalanced(desk, share, held, step)
        solve(desk.matrix, desk.pivots, desk.scales, step)
        size = norm(desk, step)
        if not math.isfinite(size):
            return NOT_FINITE
        if size <= tolerance:
            move(desk, origin, step, 1.0, scale)
            return CONVERGED if evaluate(desk) else NOT_FINITE
        factor = 1.0
        if k > 0:
            total = 0.0
            for i in range(nf):
                total += ((last[i] - step[i]) / desk.weights[0, desk.free[i]]) ** 2
            change = math.sqrt(total / max(nf, 1))
            if change > 0.0:
                factor = min(1.0, size_last * new / (change * size) * factor_last)
        largest = max(longest_factor(step, longest, nf), 2.0 * SHORTEST)
        factor = max(min(factor, largest), 2.0 * SHORTEST)
        factor, new = damped_step(desk, share, held, origin, step, trial, size, factor, largest, scale)
        if factor == 0.0:
            move(desk, origin, step, 0.0, scale)
            return SLOW
        if factor == 1.0 and new <= 0.01 * tolerance:
            # the simplified correction is the error that is left
            for i in range(nf):
                desk.q[desk.free[i]] += trial[i]
            for i in range(desk.multipliers.shape[0]):
                desk.multipliers[i] += scale * trial[nf + i]
            return CONVERGED if evaluate(desk) else NOT_FINITE
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
    desk = desk_at(table.ctypes.data)
    status = load_desk(desk, t)
    if status != CONVERGED:
        return status
    origin, step = space[0], space[1]
    nf = desk.free.shape[0]
    sigma, force_last, still = 1e6, 0.0, 0
    for k in range(most):
        desk.flags[ITERATIONS] = k + 1
        status = linearise(desk, sigma)
        if status == NOT_FINITE:
            return status
        force = 0.0
        for i in range(nf):
            force += desk.R[desk.free[i]] ** 2
        force = math.sqrt(force)
        scale = size_of_tangent(desk)
        remember(desk, origin)
        unbalanced(desk, 0.0, held, step)
        size = longest + 1.0
        if status == CONVERGED:
            solve(desk.matrix, desk.pivots, desk.scales, step)
            size = norm(desk, step)
        if status != CONVERGED or not math.isfinite(size) or longest_factor(step, longest, nf) < 1.0:
            sigma *= 4.0
            continue
        move(desk, origin, step, 1.0, scale)
        still = still + 1 if sigma == DRIFT and size <= AT_REST else 0
        if (size <= tolerance and sigma == DRIFT) or still > 5:
            return CONVERGED if evaluate(desk) else NOT_FINITE
        ratio = force / force_last if force_last > 0.0 else 1.0
        sigma = max(sigma * min(max(ratio, 0.1), 1.0) * 0.7, DRIFT)
        force_last = force
    return SLOW
