"""How maps of soft bodies follow parameters: exact, by one coordinate more along which their numbers change.

Constants of the kinematics, and what depends on the material point alone, are numbers of a program
(`supple.tracing.program`).  How they follow a parameter is a difference of tables, as of all other numbers of a model;
what the body does with them is not differenced: the program is given a coordinate e, its numbers are c + e dc, and what
the compiled functions know of coordinates they then know of e (`fields.layout` says how they are told).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from supple.robot.bodies.soft_table import BodyPrograms, SoftTable
from supple.tracing.plan import Plan, plan_of
from supple.tracing.program import Program, moving

if TYPE_CHECKING:
    from supple.compilation.compiled import CompiledRobot
    from supple.compilation.layout import LinkLayout
    from supple.core.blocks.custom import BoundMap


def map_slope(row: int, base: CompiledRobot, robots: Sequence[CompiledRobot], scale: float) -> BoundMap | None:
    """The map in a row of ``base.maps`` as its derivative along what joins two ``robots``, times ``scale``.

    None if it is no soft body, or if the derivative is not known: an exponent changes.
    """
    programs = [_programs(robot, row) for robot in (base, *robots)]
    own = programs[0]
    if own is None or programs[1] is None or programs[2] is None:
        return None
    plans = []
    for k, lanes in enumerate((True, False, False)):
        moved = _moved(own[k], programs[1][k], programs[2][k], scale)  # type: ignore[arg-type]
        if moved is None:
            return None
        plans.append(_plan(moved, lanes))
    change = scale * (programs[1].parts - programs[2].parts)
    return _bound(base.maps[row], own.parts, change, plans)


def nothing(bound: BoundMap) -> BoundMap:
    """A map that writes zeros: the other end of a derivative."""
    from supple.fields.layout import NOTHING

    return bound._replace(data=(_numbers(bound, NOTHING), *bound.data[1:]))


def _programs(robot: CompiledRobot, row: int) -> BodyPrograms | None:
    """Programs of the soft body whose map is in a row."""
    layout = _layout(robot, row)
    if layout is None or not isinstance(layout.table, SoftTable):
        return None
    return layout.table.programs(sorted(layout.between, key=layout.between.__getitem__))


def _layout(robot: CompiledRobot, row: int) -> LinkLayout | None:
    blocks = robot.topology.blocks
    for layout in robot.layouts:
        if layout.blocks and int(blocks[layout.blocks[-1]]["map"]) == row and layout.table.n > 0:
            return layout
    return None


def _moved(own: Program, plus: Program, minus: Program, scale: float) -> Program | None:
    same = all(np.array_equal(own.ops, end.ops) and own.tables.shape == end.tables.shape for end in (plus, minus))
    if not same or not all(np.array_equal(own.station_of, end.station_of) for end in (plus, minus)):
        return None
    return moving(own, scale * (plus.constants - minus.constants), scale * (plus.tables - minus.tables))


def _plan(program: Program, lanes: bool) -> Plan:
    from supple.fields.layout import LANES

    return plan_of(program, LANES if lanes else 0)


def _bound(bound: BoundMap, parts: np.ndarray, change: np.ndarray, plans: list[Plan]) -> BoundMap:
    from supple.fields.frames import slope_frames_scratch
    from supple.fields.layout import SLOPE
    from supple.fields.mass import slope_scratch

    points, frames, tip = plans
    masses = np.stack([parts, change]) if change.any() else parts[None, :]
    arrays = (_numbers(bound, SLOPE), masses, *points.arrays, *frames.arrays, *tip.arrays)
    counts = (slope_frames_scratch(frames, bound.frames - 1, bound.frames), slope_frames_scratch(tip, 1, bound.frames))
    scratch = max(bound.scratch, slope_scratch(points), *counts)
    return bound._replace(data=tuple(map(np.ascontiguousarray, arrays)), scratch=scratch)


def _numbers(bound: BoundMap, kind: int) -> np.ndarray:
    from supple.fields.layout import KIND

    numbers = bound.data[0].copy()
    numbers[0, KIND] = kind
    return numbers
