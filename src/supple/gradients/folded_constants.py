"""Parameters at numbers by which a formula gets simpler: 1 x = x, 0 x = 0, x^2 = x x.

Kinematics of soft bodies and joints are traced, and operations that such a number makes idle are left out.  At 1 the
program of a map is then another one than beside 1, and a parameter that happens to be 1 would change the structure of
the robot.  Robots of a design are therefore built beside such a number, by so little that no other digit changes; only
where its neighbours are indeed of another structure, and where the equations stay what they are: a parameter by which
a user's function chooses is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from supple.errors import SuppleError
from supple.gradients.array_slopes import jumps, structure_change

if TYPE_CHECKING:
    from supple.compilation.compiled import CompiledRobot

Array = np.ndarray
Values: TypeAlias = "dict[str, Array]"
Compile: TypeAlias = "Callable[[Mapping[str, Array]], CompiledRobot]"

#: Numbers that make operations idle.
SIMPLE = (0.0, 1.0, -1.0, 0.5, 2.0)
#: How far beside them neighbours are looked at, and robots are built: relative to 1, and for zero.
NEIGHBOUR, BESIDE, BESIDE_ZERO = 1e-6, 2.0**-50, 1e-30
#: How far equations may be apart, relatively: rounding.
SAME = 1e-11


def unfolded(values: Values, robot: CompiledRobot, compile_at: Compile) -> Values:
    """Values to build a robot with that is compiled for some: other ones only where a formula would be folded.

    ``robot`` is the one for the values themselves; without maps nothing is folded.
    """
    if not robot.maps:
        return values
    found = values
    for name, value in values.items():
        for i in np.ndindex(value.shape):
            if value[i] in SIMPLE and _folded(values, name, i, robot, compile_at):
                found = _moved(found, name, i, BESIDE_ZERO if value[i] == 0.0 else BESIDE)
    return found if found is values or _agree(robot, compile_at(found)) else values


def like(
    values: Values, first: CompiledRobot, robot: CompiledRobot, compile_at: Compile
) -> tuple[Values, CompiledRobot]:
    """Values, and the robot for them, of the structure of a ``first`` one if a step beside simple numbers gives it."""
    if not robot.maps:
        return values, robot
    changed, found = bool(structure_change(first, robot)), values
    for name, value in values.items():
        for i in np.ndindex(value.shape):
            if value[i] in SIMPLE:
                found = _moved(found, name, i, BESIDE_ZERO if value[i] == 0.0 else BESIDE)
    if found is values:
        return values, robot
    other = compile_at(found)
    if structure_change(first, other) or not (changed or jumps(robot, other, other)) or not _agree(robot, other):
        return values, robot
    return found, other


def _agree(one: CompiledRobot, other: CompiledRobot) -> bool:
    """Whether two robots have the same equations, as seen at a state that is nothing special."""
    from supple.model.model import model_of

    if one.coordinate_names != other.coordinate_names or len(one.loads) != len(other.loads):
        return False
    rng, models = np.random.default_rng(0), (model_of(one), model_of(other))
    q, v, a = models[0].rest + 0.1 * rng.standard_normal((3, models[0].n))
    try:
        mine, theirs = (model.residual(q, v, a) for model in models)
    except SuppleError:
        return False
    return bool(np.abs(mine - theirs).max() <= SAME * np.abs(mine).max())


def _folded(values: Values, name: str, i: tuple[int, ...], robot: CompiledRobot, compile_at: Compile) -> bool:
    """Whether both neighbours of an entry have one structure, and the robot itself has another, or other numbers."""
    try:
        high, low = (compile_at(_moved(values, name, i, step)) for step in (NEIGHBOUR, -NEIGHBOUR))
    except SuppleError:  # a number at the end of what is possible; differences will tell
        return False
    if structure_change(low, high):
        return False
    return bool(structure_change(robot, high) or jumps(robot, high, low))


def _moved(values: Values, name: str, i: tuple[int, ...], step: float) -> Values:
    """Values with one entry moved."""
    moved = values[name].copy()
    moved[i] += step
    return values | {name: moved}
