"""Equations of spherical, free and planar joints, turned to where the factors of Newton's matrix were made.

The equations of such a joint with coordinates q are r = S(q)^T F: F is the wrench that is left over in the body's own
frame, S(q) maps rates of the coordinates to the body's twist.  Their leading part is S^T M S a, where M, the inertia
that the joint carries, hardly changes in that frame; but S does while the body turns.  Where M is of very different
size along different axes, as of a slender body, a turn by a few degrees makes old factors useless.  So a Newton step
with factors made at q_0 solves, instead of T(q_0) step = -r, for the same root,

    T(q_0) step = -S(q_0)^T S(q)^-T r.
"""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.problem import CHART_AT, SPACE_AT, TREE_AT
from supple.solvers.stage.recentring import TURN, call_chart


@inner
def keep_turns(problem):
    """Factors are about to be made at the trial state: remember the coordinates of joints that turn."""
    for i in range(problem.turning.shape[0]):
        start, size = problem.turning[i, 1], problem.turning[i, 2]
        for k in range(start, start + size):
            problem.factored_q[k] = problem.q[k]


@inner
def turn_rows(problem, side):
    """``side``, which begins with the equations of the free coordinates, as it would be where factors were made."""
    for i in range(problem.turning.shape[0]):
        b, start = problem.turning[i, 0], problem.turning[i, 1]
        size, row = problem.turning[i, 2], problem.turning[i, 3]
        moved = False
        for k in range(start, start + size):
            moved |= problem.q[k] != problem.factored_q[k]
        if moved:
            there, here = problem.factored_q.ctypes.data + 8 * start, problem.q.ctypes.data + 8 * start
            where = (problem.calls[TREE_AT], problem.calls[SPACE_AT], b, TURN, there, here)
            call_chart(problem.calls[CHART_AT], (*where, side.ctypes.data + 8 * row, 0))
