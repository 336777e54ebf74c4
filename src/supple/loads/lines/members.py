"""Paths with parts inside soft bodies: tendons and channels along material lines, and cavities.

Such a part is a functional of the body's own coordinates (`fields.functionals`): a length l(q), or a volume.  A tension
does the work -T dl, a pressure the work p dV; the rest of the path is as in `loads.lines.spans`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.arrays import handle_at, integers, space_view, tree_view
from supple.core.elastic_lines import add_coordinates_part
from supple.core.loads import ENERGY, MEASURE, TANGENT
from supple.fields.functionals import (
    FUNCTIONAL_ROWS,
    add_functional_force,
    functional_arrays,
    functional_at,
    functional_scratch,
    lane_sum,
    padded,
    sum_functional,
)
from supple.fields.layout import FUNCTIONAL_LANES
from supple.jit import LoadKernel, inlined
from supple.loads.lines.spans import (
    ELASTIC,
    PUSHING,
    LinePathData,
    add_path_line,
    elastic_potential,
    elastic_tension,
    measure_path,
    path_data,
    pull_path,
)
from supple.tracing.plan import make_plan

if TYPE_CHECKING:
    from supple.compilation.binder import Binder
    from supple.robot.bodies.densities import Functional

#: Rows of the handle of data: those of the path, how many functionals there are, the functionals; then what it calls.
COUNT = len(LinePathData._fields)
FIRST = COUNT + 1


class MemberPathData(tuple[np.ndarray, ...]):
    """Arrays of a path, the number of its functionals, and theirs."""

    @property
    def path(self) -> LinePathData:
        """Arrays of the path alone."""
        return LinePathData(*self[:COUNT])

    @property
    def line(self) -> np.ndarray:
        """Its points in rods, as of `LinePathData`."""
        return self.path.line

    @property
    def table(self) -> np.ndarray:
        """Their links, stations and weights."""
        return self.path.table


@inlined
def member_count(data):
    """Number of functionals of a path, and rows of its handle."""
    count = integers(handle_at(data, FIRST), COUNT)[0, 0]
    return count, FIRST + count * FUNCTIONAL_ROWS + 1


@inlined
def measure_members(robot, space, data):
    """Sum of all functionals and of their rates."""
    (count, rows), value, rate = member_count(data), 0.0, 0.0
    for i in range(count):
        f = functional_at(robot, space, data, rows, FIRST + i * FUNCTIONAL_ROWS)
        sum_functional(f, True, False)
        value, rate = value + lane_sum(f.sums[0]), rate + lane_sum(f.sums[1])
    return value, rate


@inlined
def pull_members(robot, space, data, force, mode):
    """A given ``force`` along the growth of all functionals, with its tangent."""
    count, rows = member_count(data)
    for i in range(count):
        f = functional_at(robot, space, data, rows, FIRST + i * FUNCTIONAL_ROWS)
        sum_functional(f, False, mode == TANGENT)
        add_functional_force(space, f, force, mode == TANGENT)


@inlined
def add_member_parts(robot, space, data, whole):
    """How the length of a path follows coordinates of soft bodies (`core.elastic_lines`); their lengths and rates."""
    (count, rows), value, rate = member_count(data), 0.0, 0.0
    for i in range(count):
        f = functional_at(robot, space, data, rows, FIRST + i * FUNCTIONAL_ROWS)
        sum_functional(f, True, False)
        value, rate = value + lane_sum(f.sums[0]), rate + lane_sum(f.sums[1])
        n = f.run.n
        for first in range(0, n, 6):
            part = add_coordinates_part(space, whole, f.start + first)
            for k in range(min(6, n - first)):
                part.f[k] = lane_sum(f.sums[2 + first + k])
                part.drift[k] = lane_sum(f.sums[2 + n + first + k])
    return value, rate


def _member_paths(tree, space, data, mode):
    """One path: its tension or pressure is an input, or follows its length (`loads.lines.spans`)."""
    robot, scratch, path = tree_view(tree), space_view(space), path_data(data)
    index, law, kind = path.tension[0, 0], path.elastic[0], path.tension[0, 1]
    if mode < 0 and index != -(mode + 1):
        return
    u, sign, elastic = scratch.inputs[index], -1.0 if kind == PUSHING else 1.0, kind == ELASTIC
    length, rate, tension, slope, rate_slope = 0.0, 0.0, u, 0.0, 0.0
    if elastic or mode == MEASURE:
        l, dl = measure_path(scratch, path)  # of nodes that push it is negative
        length, rate = sign * l, sign * dl
    if elastic:
        value, growth = measure_members(robot, scratch, data)
        length, rate = length + value, rate + growth
    if mode == ENERGY:
        scratch.energy[0] += elastic_potential(law, length - law[1] + u)
        return
    if elastic:
        tension, slope, rate_slope = elastic_tension(law, length - law[1] + u, rate)
    if mode < 0:  # pulling in is as good as stretching
        tension = slope if elastic else 1.0
    if tension != 0.0 and mode != MEASURE:
        pull_path(scratch, path, tension, mode)
        pull_members(robot, scratch, data, -sign * tension, mode)
    if mode == MEASURE or (mode == TANGENT and tension != 0.0 and elastic):
        whole = add_path_line(scratch, path, length, rate, tension, slope, rate_slope)
        value, growth = add_member_parts(robot, scratch, data, whole)
        if not elastic:
            whole.length, whole.rate = length + value, rate + growth


member_paths = LoadKernel(_member_paths)


def member_parts(binder: Binder, members: list[Functional]) -> int:
    """How many parts of a line functionals need: one per six coordinates."""
    return sum(-(-binder.layout(member.link).table.n // 6) for member in members)


def with_members(binder: Binder, path: LinePathData, members: list[Functional]) -> MemberPathData:
    """A path and functionals of soft bodies as arrays of the kernel."""
    arrays: list[Any] = [*path, np.array([[len(members)]], dtype=np.int64)]
    for member in members:
        layout = binder.layout(member.link)
        x, weights = padded(member.x, member.weights)
        plan = make_plan(member.density, x, layout.table.n, FUNCTIONAL_LANES)
        binder.coordinates = True
        binder.reserve(layout.blocks[-1], functional_scratch(plan))
        arrays += functional_arrays(layout.blocks[-1], len(layout.between) + 1, weights, plan)
    return MemberPathData(arrays)
