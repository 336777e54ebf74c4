"""The equations of a stage at its trial state: residual of the robot, rows of its loops."""

from __future__ import annotations

from supple.core.loops import call_constraint_rows
from supple.core.residual import call_residual
from supple.jit import inner
from supple.solvers.problem import ASK_FEEDBACK, CA, CV, RESIDUAL_AT, RESIDUALS, ROWS_AT, SPACE_AT, TREE_AT
from supple.solvers.stage.excitation import feed_back
from supple.solvers.stage.status import CONVERGED, NOT_FINITE


@inner
def set_trial(problem):
    """q, v, a, z of the current increments."""
    cv, ca = problem.numbers[CV], problem.numbers[CA]
    q, v, a, x, y = problem.q, problem.v, problem.a, problem.x, problem.y  # read once, not at every entry
    q0, v0, a0 = problem.q0, problem.v0, problem.a0
    for i in range(q.shape[0]):
        moved = x[i] - y[i]
        q[i] = q0[i] + x[i]
        v[i] = v0[i] + cv * moved
        a[i] = a0[i] + ca * moved
    for i in range(problem.z.shape[0]):
        problem.z[i] = problem.z0[i] + problem.xz[i]


@inner
def set_load_signals(problem):
    """Loads read their states as signals."""
    states = problem.load_states
    own = problem.z.shape[0] - states.shape[0]
    for k in range(states.shape[0]):
        problem.signals[states[k, 0]] = problem.z[own + k]


@inner
def call(problem, cv, ca, tangent):
    """R at the trial state, and its tangent unless at 0; rates of loads' states.  Returns whether R is finite."""
    problem.flags[RESIDUALS] += 1
    states = problem.load_states
    own = problem.z.shape[0] - states.shape[0]
    set_load_signals(problem)
    at = (
        problem.calls[TREE_AT],
        problem.calls[SPACE_AT],
        problem.q.ctypes.data,
        problem.v.ctypes.data,
        problem.a.ctypes.data,
    )
    finite = call_residual(problem.calls[RESIDUAL_AT], (*at, cv, ca, problem.residual.ctypes.data, tangent))
    for k in range(states.shape[0]):
        problem.rates[own + k] = problem.signals[states[k, 1]]
    return finite != 0


@inner
def call_rows(problem, matrices):
    """Rows of loops at the state of the last residual."""
    if problem.vectors.shape[1] > 0:
        at = (problem.calls[TREE_AT], problem.calls[SPACE_AT], problem.vectors.ctypes.data, matrices)
        call_constraint_rows(problem.calls[ROWS_AT], at)


@inner
def evaluate(problem):
    """Residual and rows at the trial state.  Returns a status."""
    status = feed_back(problem, ASK_FEEDBACK)
    if status != CONVERGED:
        return status
    finite = call(problem, 0.0, 0.0, 0)
    call_rows(problem, 0)
    return CONVERGED if finite else NOT_FINITE
