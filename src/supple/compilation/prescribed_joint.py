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
        size = len(self.coordinates)
        law = self.law
        who = f"Prescribed {self.link!r}: the law"
        try:
            value = (law(t), law.rate(t), law.acceleration(t)) if isinstance(law, Law) else law(t)
        except Exception as cause:
            raise StateError(failure(cause, f"{who} at t = {t:g}")) from cause
        if not isinstance(value, (tuple, list)) or len(value) != 3:
            raise StateError(f"{who} returned {shown(value)} at t = {t:g}, not (q, qd, qdd)")
        q, qd, qdd = (answer(part, size, f"{who}, of (q, qd, qdd),", t) for part in value)
        return q, qd, qdd
