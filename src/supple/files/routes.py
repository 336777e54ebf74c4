"""Routes of tendons and chambers that have a name, so that files hold them as they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.checks import finite_float, nonnegative_float
from supple.errors import ModelError


@dataclass(frozen=True)
class HelicalRoute:
    """A route that winds about the centreline of a rod: X -> radius (cos, sin)(2 pi X / pitch + phase).

    Parameters
    ----------
    radius : float
        m.
    pitch : float
        Metres along the rod for one turn; negative winds the other way.
    phase : float
        Angle at the base, rad, from y towards z.

    Examples
    --------
    >>> route = HelicalRoute(0.01, pitch=0.2)
    >>> [round(float(x), 6) + 0.0 for x in route(0.05)]
    [0.0, 0.01]
    """

    radius: float
    pitch: float
    phase: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", nonnegative_float(self.radius, "HelicalRoute: radius", "m"))
        object.__setattr__(self, "pitch", finite_float(self.pitch, "HelicalRoute: pitch"))
        object.__setattr__(self, "phase", finite_float(self.phase, "HelicalRoute: phase"))
        if self.pitch == 0.0:
            raise ModelError("HelicalRoute: pitch is 0 m, must not be: a straight route is a pair (y, z)")

    def __call__(self, X: float) -> tuple[Any, Any]:
        """(y, z) at X, m; complex X give slopes."""
        angle = 2.0 * math.pi * X / self.pitch + self.phase
        return self.radius * np.cos(angle), self.radius * np.sin(angle)
