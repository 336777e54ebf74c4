"""Arrays of runs that have ended: the next run of the same kind takes them, as new as they were before the first.

Making some hundred arrays and their tables costs as much as many steps of a small robot.  Every thread keeps those of a
few runs per model.  Whoever takes them has them alone until it gives them back, so a run inside of another (a
controller that simulates) has its own; and since all that a run may read is put back to what it was, no result depends
on what ran before, were it NaN.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.solvers.problem import LAWS, SolverWorkspace

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.integrators.integrator import Integrator
    from supple.solvers.integrators.method import Method

Array = np.ndarray

#: Of how many runs a thread keeps the arrays of a model, and how large those of one may be, bytes: beside a run on
#: larger ones, making them costs nothing.
KEPT, LARGEST = 2, 4 << 20

#: Buffers of a run that are written before they are read.
BUFFERS = ("times", "rows", "tape", "directions", "wanted")


class Form(NamedTuple):
    """What decides, besides the model, how large the arrays of a run are and what they begin with."""

    method: Method
    states: int  #: of controllers
    feedback: bool
    taped: bool

    def fits(self, other: Form) -> bool:
        """Whether arrays of another run can be taken; methods that cannot be compared never fit."""
        mine, its = self.method, other.method
        try:
            same = mine is its or (type(mine) is type(its) and bool(mine == its))
        except Exception:  # of a user's class
            return False
        return same and self[1:] == other[1:]


class Beginning:
    """What arrays held when they were new."""

    def __init__(self, arrays: Iterable[Array]) -> None:
        own = {array.ctypes.data: array.reshape(-1).view(np.uint8) for array in arrays if array.size}
        self._pairs = [(array, array.copy()) for array in own.values() if array.flags.writeable]

    def restore(self) -> None:
        """Let them hold it again."""
        for array, held in self._pairs:
            array[:] = held


def arrays_of(workspace: SolverWorkspace) -> Iterator[Array]:
    """All arrays of a problem that a run may change or read, but for its laws."""
    problem = workspace.problem
    yield from (getattr(problem, name) for name in problem._fields if name not in LAWS)
    yield from workspace.space
    yield from workspace.factors or ()
    yield from workspace.kept or ()


def take(model: Model, form: Form) -> Integrator | None:
    """An integrator that somebody gave back, with its arrays as they were at first; None if there is none."""
    idle: list[Any] = model.workspace.idle("runs")
    for k, integrator in enumerate(idle):
        if integrator.form.fits(form):
            del idle[k]
            return integrator  # type: ignore[no-any-return]
    return None


def give_back(model: Model, integrator: Integrator) -> None:
    """Keep the arrays of a run that has ended; those of the oldest are dropped."""
    if integrator.beginning is not None:
        idle: list[Any] = model.workspace.idle("runs")
        idle.insert(0, integrator)
        del idle[KEPT:]
