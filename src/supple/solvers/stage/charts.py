"""Rows of a motion in other charts: re-centred along the way, brought home to the model's own for results.

A row is [q, v, a, lambda, z, R]; its q, v and a of a joint change with the chart of the joint
(`solvers.stage.recentring`).
"""

from __future__ import annotations

import math
from typing import Any

from supple.jit import inner, kernel
from supple.solvers.problem import CHART_AT, SPACE_AT, TREE_AT, problem_at
from supple.solvers.stage.recentring import CENTRE, HOME, MOVE, call_chart

#: Charts are re-centred when a rotation vector is longer than this [rad].
FAR = 1.5
#: Points that are carried to a new chart lie within this angle of its centre [rad]; at pi rotation vectors jump.
REACH = 3.0


@inner
def change_chart(problem, i, what, row):
    """Call `solvers.stage.recentring` for the i-th joint that is re-centred, with its part of a row."""
    n, b, start = problem.q.shape[0], problem.charts[i, 0], problem.charts[i, 1]
    home = problem.home[b : b + 1].ctypes.data
    at = row.ctypes.data + 8 * start
    where = (problem.calls[TREE_AT], problem.calls[SPACE_AT], b, what, home, at, at + 8 * n, at + 16 * n)
    call_chart(problem.calls[CHART_AT], where)


@inner
def bring_home(problem, row):
    """A row in the model's own charts."""
    for i in range(problem.charts.shape[0]):
        change_chart(problem, i, HOME, row)
        change_chart(problem, i, MOVE, row)


@kernel
def to_home(table: Any, row: Any) -> None:
    """A row in the model's own charts."""
    bring_home(problem_at(table.ctypes.data), row)


@inner
def too_far(problem, i, row):
    """Whether |w|^2 > `FAR`^2, w the rotation vector of the i-th joint in its chart; rotations come first in it."""
    start, turning = problem.charts[i, 1], problem.charts[i, 2]
    angle = 0.0
    for j in range(start, start + turning):
        angle += row[j] ** 2
    return angle > FAR**2


@inner
def any_too_far(problem, row):
    """Whether any joint has turned far from the centre of its chart."""
    far = False
    for i in range(problem.charts.shape[0]):
        far = far or too_far(problem, i, row)
    return far


@inner
def recentre_joint(problem, i, rows):
    """Re-centre the i-th joint at rows[0], in all rows."""
    change_chart(problem, i, CENTRE, rows[0])
    for k in range(rows.shape[0]):
        change_chart(problem, i, MOVE, rows[k])


@inner
def longest_turn(problem, row, points):
    """`REACH` / (points |w'|): the longest step [s] at which ``points`` points behind a row stay in reach of a chart.

    The chart is centred at the row.
    """
    n, fastest = problem.q.shape[0], 0.0
    for i in range(problem.charts.shape[0]):
        start, rate = problem.charts[i, 1], 0.0
        for j in range(start, start + problem.charts[i, 2]):
            rate += row[n + j] ** 2
        fastest = max(fastest, rate)
    return REACH / (points * math.sqrt(fastest)) if fastest > 0.0 else math.inf
