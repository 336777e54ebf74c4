"""A joint that follows a law, as a model holds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from supple.checks import answer, failure, shown
from supple.errors import StateError
from supple.laws import Law

Array = np.ndarray


class PrescribedJoint(NamedTuple):
    """A joint that follows a law."""

    link: str
    coordinates: range
    law: Callable[[float], Any]

    def motion(self, t: float) -> tuple[Array, Array, Array]:
        """q, qd, qdd at time t, each (k,)."""
        law = self.law
        value = self._ask(lambda t: (law(t), law.rate(t), law.acceleration(t)) if isinstance(law, Law) else law(t), t)
        if not isinstance(value, (tuple, list)) or len(value) != 3:
            raise StateError(f"{self._who} returned {shown(value)} at t = {t:g}, not (q, qd, qdd)")
        q, qd, qdd = (self._part(part, t) for part in value)
        return q, qd, qdd

    def acceleration(self, t: float) -> Array:
        """qdd (k,) alone: of a `Law` nothing else is asked."""
        law = self.law
        return self._part(self._ask(law.acceleration, t), t) if isinstance(law, Law) else self.motion(t)[2]

    @property
    def one_acceleration(self) -> Callable[[float], Any] | None:
        """What gives qdd of one coordinate as a number, sooner than `acceleration`; None if there is no such law."""
        law = self.law
        return law.acceleration if isinstance(law, Law) and len(self.coordinates) == 1 else None

    @property
    def _who(self) -> str:
        return f"Prescribed {self.link!r}: the law"

    def _ask(self, function: Callable[[float], Any], t: float) -> Any:
        try:
            return function(t)
        except Exception as cause:
            raise StateError(failure(cause, f"{self._who} at t = {t:g}")) from cause

    def _part(self, value: Any, t: float) -> Array:
        return answer(value, len(self.coordinates), f"{self._who}, of (q, qd, qdd),", t)
