"""Events: moments at which a function of the state crosses zero, and what happens then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from supple.checks import choice, shown
from supple.checks import name as checked_name
from supple.errors import ModelError


@dataclass(frozen=True, eq=False)
class Event:
    """Something that stops a simulation or switches it.

    Parameters
    ----------
    function : callable
        (t, q, v) -> number; the event is where it crosses zero.
    action : "stop", "note" or callable
        Stop there; only note the time; or (t, q, v) -> `Switch`, from which the simulation goes on.
    direction : int
        1: only where the function rises, -1: only where it falls, 0: both.
    name : str
        For results.
    """

    function: Callable[[float, np.ndarray, np.ndarray], float]
    action: Any = "stop"
    direction: int = 0
    name: str = "event"

    def __post_init__(self) -> None:
        checked_name(self.name, "Event: name")
        if not callable(self.function):
            raise ModelError(f"Event {self.name!r}: function must be a function of (t, q, v)")
        if not callable(self.action) and not (isinstance(self.action, str) and self.action in ("stop", "note")):
            given = shown(self.action)
            raise ModelError(f'Event {self.name!r}: action is {given}, must be "stop", "note" or a function')
        choice(self.direction, (-1, 0, 1), f"Event {self.name!r}: direction")

    def crossed(self, before: float, after: float) -> bool:
        """Whether the function crossed zero the right way between two values."""
        rises, falls = before < 0.0 <= after, before > 0.0 >= after
        return (rises and self.direction >= 0) or (falls and self.direction <= 0)


class Switch(NamedTuple):
    """How a simulation goes on after an event; what is None stays as it is."""

    q: Any = None
    v: Any = None
    u: Any = None  #: new inputs, in any form that `Model.simulate` takes
