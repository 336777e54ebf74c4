"""Paths with parts inside soft bodies: tendons and channels along material lines, and cavities.

Such a part is a functional of the body's own coordinates (`fields.functionals`): a length l(q), or a volume.  A tension
does the work -T dl, a pressure the work p dV; the rest of the path is as in `loads.lines.spans`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.arrays import handle_at, integers, space_view, tree_view, vector_at
from supple.core.elastic_lines import add_coordinates_part
from supple.core.gradient_arrays import ALONG_Y, gradient_view
from supple.core.loads import ENERGY, MEASURE, TANGENT
from supple.fields.adjoints import ALONG, ALONG_V, VALUE, adjoint_at, pull_sums, worths
from supple.fields.functionals import (
    FUNCTIONAL_ROWS,
    add_functional_force,
    density_at,
    functional_arrays,
    functional_at,
    lane_sum,
    padded,
    sum_functional,
)
from supple.jit import GradientKernel, LoadKernel, inlined
from supple.loads.lines.spans import (
    ELASTIC,
    PUSHING,
    LinePathData,
    add_elastic_gradient,
    add_path_line,
    elastic_potential,
    elastic_tension,
    measure_path,
    path_data,
    path_growth,
    pull_back_path,
    pull_path,
)

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


@inlined
def input_of(space, index):
    """An input, 0 without one."""
    return space.inputs[index] if index >= 0 else 0.0


def _member_paths(tree, space, data, mode):
    """One path: its tension or pressure is an input, or follows its length (`loads.lines.spans`)."""
    robot, scratch, path = tree_view(tree), space_view(space), path_data(data)
    index, law, kind = path.tension[0, 0], path.elastic[0], path.tension[0, 1]
    if mode < 0 and index != -(mode + 1):
        return
    u, sign, elastic = input_of(scratch, index), -1.0 if kind == PUSHING else 1.0, kind == ELASTIC
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


@inlined
def member_growth(robot, space, data):
    """How the sum of all functionals grows along the virtual motion of coordinates."""
    (count, rows), growth = member_count(data), 0.0
    for i in range(count):
        f = functional_at(robot, space, data, rows, FIRST + i * FUNCTIONAL_ROWS)
        sum_functional(f, False, False)
        y = vector_at(space.gradient[ALONG_Y] + 8 * f.start, (f.run.n,))
        for j in range(f.run.n):
            growth += lane_sum(f.sums[2 + j]) * y[j]
    return growth


def _member_gradient(tree, space, data, own, everything):
    """Of the power T (growth of all), as `loads.lines.spans` has it: also by all numbers of the functionals."""
    robot, scratch, path, out = tree_view(tree), space_view(space), path_data(data), path_data(own)
    index, law, kind, worth = path.tension[0, 0], path.elastic[0], path.tension[0, 1], worths()
    u, sign, elastic = input_of(scratch, index), -1.0 if kind == PUSHING else 1.0, kind == ELASTIC
    growth = path_growth(scratch, path) + sign * member_growth(robot, scratch, data)
    tension, slope, rate_slope = u, 0.0, 0.0
    if elastic:
        length, rate = measure_path(scratch, path)
        value, change = measure_members(robot, scratch, data)
        e, rate = length + value - law[1] + u, rate + change
        tension, slope, rate_slope = elastic_tension(law, e, rate)
        add_elastic_gradient(law, e, rate, growth, out.elastic[0])
    if index >= 0:
        gradient_view(everything).inputs[index] += growth * (slope if elastic else 1.0)
    pull_back_path(scratch, path, out, growth, tension, slope, rate_slope)
    worth[0, VALUE], worth[0, ALONG_V], worth[0, ALONG] = growth * slope, growth * rate_slope, sign * tension
    count, rows = member_count(data)
    for i in range(count):
        pull_sums(adjoint_at(robot, scratch, data, own, rows, FIRST + i * FUNCTIONAL_ROWS), worth)


member_gradient = GradientKernel(_member_gradient)


def member_parts(binder: Binder, members: list[Functional]) -> int:
    """How many parts of a line functionals need: one per six coordinates."""
    return sum(-(-binder.layout(member.link).table.n // 6) for member in members)


def with_members(binder: Binder, path: LinePathData, members: list[Functional]) -> MemberPathData:
    """A path and functionals of soft bodies as arrays of the kernel."""
    arrays: list[Any] = [*path, np.array([[len(members)]], dtype=np.int64)]
    for member in members:
        layout = binder.layout(member.link)
        x, weights = padded(member.x, member.weights)
        density = density_at(member.density, x, layout.table.n)
        binder.coordinates = True
        binder.reserve(layout.blocks[-1], density.scratch)
        arrays += functional_arrays(layout.blocks[-1], len(layout.between) + 1, weights, density)
    return MemberPathData(arrays)
