"""What drives a stage: laws of time, prescribed motions, feedback; compiled laws here, users' functions by a call."""

from __future__ import annotations

from numba import types

from supple.core.time_laws import evaluate_laws
from supple.jit import calling, inner
from supple.solvers.problem import (
    ASK_FEEDBACK,
    ASK_LAWS,
    ASK_SLOPES,
    ASKED,
    FEEDBACK,
    LATEST_TIME,
    PYTHON_AT,
    STAGE_TIME,
    TIME_CALLS,
    TO_INPUT,
    TO_MOTION,
    TO_SIGNAL,
    WORST,
)
from supple.solvers.stage.status import CONVERGED, NEGATIVE_TENSION, PYTHON_RAISED

call_python = calling(types.int64(types.float64))


@inner
def excite(problem, t):
    """Inputs, signals and prescribed motions at time t, or just before a jump.  Returns a status."""
    t = min(t, problem.numbers[LATEST_TIME])
    evaluate_laws(problem.ops, problem.law_numbers, t, problem.values[0], problem.values[1], problem.values[2])
    for i in range(problem.targets.shape[0]):
        kind, k = problem.targets[i, 0], problem.targets[i, 1]
        if kind == TO_INPUT:
            problem.inputs[k] = problem.values[0, i]
        elif kind == TO_SIGNAL:
            problem.signals[k] = problem.values[0, i]
        elif kind == TO_MOTION:
            for m in range(3):
                problem.motion[m, k] = problem.values[m, i]
    if problem.flags[TIME_CALLS]:
        problem.flags[ASKED] = ASK_LAWS
        if call_python(problem.calls[PYTHON_AT], (t,)) != 0:
            return PYTHON_RAISED
    return check_tensions(problem)


@inner
def check_tensions(problem):
    """Tendons pull: a negative tension ends the run."""
    for i in range(problem.tensions.shape[0]):
        if problem.inputs[problem.tensions[i]] < 0.0:
            problem.flags[WORST] = problem.tensions[i]
            return NEGATIVE_TENSION
    return CONVERGED


@inner
def feed_back(problem, what):
    """Inputs and rates of internal states at the trial state, or their slopes.  Returns a status."""
    if not problem.flags[FEEDBACK]:
        return CONVERGED
    t = min(problem.numbers[STAGE_TIME], problem.numbers[LATEST_TIME])
    problem.flags[ASKED] = what
    if call_python(problem.calls[PYTHON_AT], (t,)) != 0:
        return PYTHON_RAISED
    return check_tensions(problem)


@inner
def feed_back_slopes(problem):
    """The same and then their slopes, as a matrix needs them.  Returns a status."""
    status = feed_back(problem, ASK_FEEDBACK)
    return feed_back(problem, ASK_SLOPES) if status == CONVERGED else status
