"""What parameters do to a stage where its state stands still, forward; and what only Python knows of it, both ways.

The variation of R and of the rows of loops along a direction of the parameters is a difference of both where all that
acts is smooth (`solvers.sensitivity.displacements`).  Elsewhere it is the transpose of what `core.parameter_gradient`
gives, row by row: for every unit cotangent one sweep, and its sums times the variations of all that they are sums for;
a backward sweep asks once instead.
"""

from __future__ import annotations

from numba import types

from supple.jit import calling, inner, local_array
from supple.solvers.problem import LATEST_TIME, SPACE_AT, STAGE_TIME, TREE_AT
from supple.solvers.sensitivity.arrays import BUNDLE_AT, FOLLOWERS_AT, MET, PARAMETERS_AT
from supple.solvers.sensitivity.displacements import push_displaced
from supple.solvers.stage.excitation import call_python
from supple.solvers.stage.status import CONVERGED, NOT_FINITE, PYTHON_RAISED

call_parameters = calling(types.int64(*[types.int64] * 8))

_rotation = local_array(3, 3)


@inner
def push_parameters(problem, sweep):
    """``by_parameter``: variations of R, e, A v, A a + A' v, where q, v, a, lambda stand still.  Returns a status."""
    if sweep.calls[PARAMETERS_AT] == 0:
        return CONVERGED
    if sweep.distance[0] > 0.0 and push_displaced(problem, sweep):
        return CONVERGED
    unit, sums = sweep.unit, sweep.sums
    for k in range(sweep.signals.shape[1]):
        sweep.signal_sums[k] = sweep.signals[sweep.counts[MET], k]
    y, rows = unit.ctypes.data, unit[problem.q.shape[0] :].ctypes.data if problem.vectors.shape[1] > 0 else 0
    state = (problem.q.ctypes.data, problem.v.ctypes.data, problem.a.ctypes.data, y, rows)
    at = (problem.calls[TREE_AT], problem.calls[SPACE_AT], *state, sweep.calls[BUNDLE_AT])
    for i in range(unit.shape[0]):
        unit[i] = 0.0
    for i in range(unit.shape[0]):
        unit[i] = 1.0
        for k in range(sums.shape[0]):
            sums[k] = 0.0
        finite, total = call_parameters(sweep.calls[PARAMETERS_AT], at), 0.0
        unit[i] = 0.0
        if finite == 0:
            return NOT_FINITE
        for k in range(sums.shape[0]):
            total += sums[k] * sweep.direction[k]
        sweep.by_parameter[i] = total
    return CONVERGED


@inner
def ask_followers(problem, sweep):
    """Let Python add what inputs that follow the state, and rates of internal states, owe to parameters."""
    if sweep.calls[FOLLOWERS_AT] == 0:
        return CONVERGED
    t = min(problem.numbers[STAGE_TIME], problem.numbers[LATEST_TIME])
    failed = call_python(sweep.calls[FOLLOWERS_AT], (t,))
    return CONVERGED if failed == 0 else PYTHON_RAISED


@inner
def push_placement(change, before, after):
    """Variations of a chart's place, from those of the chart before a change to those of the one after.

    after = before rel with a constant rel, so dR <- dR rel.R and dp <- dp + dR rel.p.
    """
    R = _rotation()
    for i in range(3):
        for j in range(3):
            R[i, j] = change.R[i, j]
    for i in range(3):
        for j in range(3):
            place, turned = 0.0, 0.0
            for k in range(3):
                place += before.R[k, j] * (after.p[k] - before.p[k])
            for k in range(3):
                rel = before.R[0, k] * after.R[0, j] + before.R[1, k] * after.R[1, j] + before.R[2, k] * after.R[2, j]
                turned += R[i, k] * rel
            change.p[i] += R[i, j] * place
            change.R[i, j] = turned
