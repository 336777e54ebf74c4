"""Variations of a stage's equations along one direction of the parameters, by differences of the equations themselves.

f(c) = (R, e, A v, A a + A' v) with all numbers of the model displaced by c times their variations, where q, v, a,
lambda stand still.  With the quotients D_k = (f(k c) - f(-k c)) / 2 k c of six places,

    f' = (15 D_1 - 6 D_2 + D_3) / 10,      and without the farthest      (4 D_1 - D_2) / 3,

which are right to c^6 and c^4.  How far they are apart tells what rounding and c^4 have done to the latter, and bounds
what they did to the former.  Where that is too much, or something bends there, the exact way is taken, one sweep per
row (`solvers.sensitivity.parameter_products`).  Six residuals cost as much as two or three such sweeps.
"""

from __future__ import annotations

from supple.core.loops import call_constraint_rows
from supple.core.residual import call_residual
from supple.jit import inner
from supple.solvers.problem import RESIDUAL_AT, ROWS_AT, SPACE_AT
from supple.solvers.sensitivity.arrays import MET

#: Number of places: -3, -2, -1, 1, 2 and 3 distances away.
PLACES = 6

#: How far the two may be apart, relative to the largest entry among R, e, A v or A a + A' v.
TRUSTED = 3e-11
#: What is rounding in rows of loops, over the whole distance (rad, m and their rates).
ROUNDING = 1e-14


@inner
def offset_of(k, distance):
    """Where place k is."""
    return distance * (k - 3 if k < 3 else k - 2)


@inner
def differences(f, distance, first, end, floor, out):
    """out = f' = (15 D_1 - 6 D_2 + D_3) / 10, entries from first to end.  Returns whether they are to be trusted.

    That is, whether (4 D_1 - D_2) / 3 is within `TRUSTED` of the largest of them, or within the ``floor``.
    """
    largest, apart = 0.0, 0.0
    for i in range(first, end):
        x = (f[3, i] - f[2, i]) / (2.0 * distance)
        y = (f[4, i] - f[1, i]) / (4.0 * distance)
        z = (f[5, i] - f[0, i]) / (6.0 * distance)
        out[i] = (15.0 * x - 6.0 * y + z) / 10.0
        largest, apart = max(largest, abs(out[i])), max(apart, abs((4.0 * x - y) / 3.0 - out[i]))
    return apart <= max(TRUSTED * largest, floor / distance)


@inner
def place_charts(problem, sweep, k, offset):
    """g + c dg, entry by entry: places of charts of displaced model k, c its ``offset``."""
    blocks = sweep.placement_sums.shape[0]
    for b in range(blocks):
        change, base, out = sweep.placement_sums[b], problem.placement[b], sweep.displaced_charts[k * blocks + b]
        for i in range(3):
            out.p[i] = base.p[i] + offset * change.p[i]
            for j in range(3):
                out.R[i, j] = base.R[i, j] + offset * change.R[i, j]


@inner
def move_signals(problem, sweep, by):
    """s += c ds of the values of laws of time."""
    for j in range(sweep.signals.shape[1]):
        problem.signals[j] += by * sweep.signals[sweep.counts[MET], j]


@inner
def evaluate_displaced(problem, sweep, k):
    """f at place k, row k of ``displaced``.  Returns whether R is finite."""
    f, n = sweep.displaced[k], problem.q.shape[0]
    at = (sweep.displaced_trees[k], problem.calls[SPACE_AT])
    state = (problem.q.ctypes.data, problem.v.ctypes.data, problem.a.ctypes.data)
    finite = call_residual(problem.calls[RESIDUAL_AT], (*at, *state, 0.0, 0.0, f.ctypes.data, 0))
    if f.shape[0] > n:
        call_constraint_rows(problem.calls[ROWS_AT], (*at, f[n:].ctypes.data, 0))
    return finite != 0


@inner
def push_displaced(problem, sweep):
    """``by_parameter`` by differences.  Returns whether these are to be trusted."""
    distance, out, f = sweep.distance[0], sweep.by_parameter, sweep.displaced
    trusted, moved = True, 0.0
    for k in range(PLACES):
        offset = offset_of(k, distance)
        place_charts(problem, sweep, k, offset)
        move_signals(problem, sweep, offset - moved)
        moved = offset
        trusted = trusted and evaluate_displaced(problem, sweep, k)
    move_signals(problem, sweep, -moved)
    n, nc = problem.q.shape[0], (out.shape[0] - problem.q.shape[0]) // 3
    trusted = trusted and differences(f, distance, 0, n, 0.0, out)
    for m in range(3 if nc > 0 else 0):
        trusted = trusted and differences(f, distance, n + m * nc, n + (m + 1) * nc, ROUNDING, out)
    return trusted
