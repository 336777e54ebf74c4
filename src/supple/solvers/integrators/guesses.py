"""Where Newton's method begins in a step of one stage: as the formula guesses, or on a parabola through three points.

A formula guesses by the last acceleration.  In an oscillation that steps do not resolve, that turns from step to step,
and configurations alone guess better.  Which of the two would have been better is known once a step is made; it is what
the next one begins with.
"""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.integrators.run import EQUAL, ON_PARABOLA
from supple.solvers.problem import CA, CV

#: Points behind now that a parabola goes through, besides now.
BEHIND = 2


@inner
def parabola(instants, t):
    """Weights of the last three points, of these times, in the parabola through them at time t."""
    t0, t1, t2 = instants[0], instants[1], instants[2]
    w0 = (t - t1) * (t - t2) / ((t0 - t1) * (t0 - t2))
    w1 = (t - t0) * (t - t2) / ((t1 - t0) * (t1 - t2))
    return w0, w1, (t - t0) * (t - t1) / ((t2 - t0) * (t2 - t1))


@inner
def choose_guess(problem, run, own, t):
    """Move the beginning of a stage at time t to the parabola, if that was better last time; own.row keeps what was.

    v0 and a0 follow as the formula has them: v0 + c_v x, a0 + c_a x.
    """
    memory, free, q0 = own.memory, problem.free, problem.q0
    for i in range(q0.shape[0]):
        own.row[i] = q0[i]
    if not run.ints[ON_PARABOLA] or run.ints[EQUAL] < BEHIND:
        return
    w0, w1, w2 = parabola(own.instants, t)
    for i in range(free.shape[0]):
        k = free[i]
        q0[k] = w0 * memory[0, k] + w1 * memory[1, k] + w2 * memory[2, k]
        moved = q0[k] - own.row[k]  # as it was rounded
        problem.v0[k] += problem.numbers[CV] * moved
        problem.a0[k] += problem.numbers[CA] * moved


@inner
def judge_guess(problem, run, own, t):
    """Which guess p would have been closer, by sum ((q - p) / w)^2, to the configuration q that was found at time t."""
    run.ints[ON_PARABOLA] = False
    if run.ints[EQUAL] < BEHIND:
        return
    memory, free, weights, q = own.memory, problem.free, problem.weights, problem.q
    w0, w1, w2 = parabola(own.instants, t)
    by_formula, by_parabola = 0.0, 0.0
    for i in range(free.shape[0]):
        k = free[i]
        by_formula += ((q[k] - own.row[k]) / weights[0, k]) ** 2
        there = w0 * memory[0, k] + w1 * memory[1, k] + w2 * memory[2, k]
        by_parabola += ((q[k] - there) / weights[0, k]) ** 2
    run.ints[ON_PARABOLA] = by_parabola < by_formula
