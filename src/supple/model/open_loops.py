"""How far loops are open by all of their rows, those included that were dropped because they follow from others.

They follow from others near the configuration in which the robot was assembled.  Where a robot is held more often than
it can move (two bars in a plane, hinged in space), or far from there, the rows that are left may hold while a loop is
wide open: such a place is no configuration of the robot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.compilation.binder import Bound
from supple.compilation.compiled import CompiledRobot
from supple.compilation.compiling import loops_among
from supple.core.loads import CONSTRAINT
from supple.model.constraints import loop_terms

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: A loop that is further open than this [rad, m] is no closed one with rounding in it.
WIDE = 1e-6


def with_loops(compiled: CompiledRobot, loops: tuple[Bound, ...]) -> CompiledRobot:
    """The same robot with other rows of its loops."""
    following = iter(loops)
    loads = tuple(next(following) if load.side == CONSTRAINT else load for load in compiled.loads)
    return compiled.changed(loads=loads, loops=loops_among(loads))


def with_all_rows(model: Model) -> Model:
    """The same model, its loops with all their rows; the model itself if none were dropped."""
    choice = model.compiled.kept
    if choice is None or not any(choice.dropped):
        return model
    whole: Model = model.workspace.kept(
        "all rows of loops", lambda: type(model)(with_loops(model.compiled, choice.whole).changed(kept=None))
    )
    return whole


def dropped_gap(model: Model, q: Array) -> tuple[float, str]:
    """How far the loop that is open most is open by all its rows [rad, m], and its name; 0 and "" if none lacks any."""
    whole, zero = with_all_rows(model), np.zeros(model.n)
    if whole is model:
        return 0.0, ""
    error = loop_terms(whole, q, zero, zero, whole.loops).error
    ends = np.cumsum([loop.data.perp.shape[1] for loop in whole.loops])
    gaps = [float(np.linalg.norm(own)) for own in np.split(error, ends[:-1])]
    worst = int(np.argmax(np.nan_to_num(gaps, nan=np.inf)))
    return gaps[worst], whole.loops[worst].name


def is_wide_open(model: Model, q: Array) -> bool:
    """Whether a loop is open although the rows that are left may hold."""
    return dropped_gap(model, q)[0] > WIDE
