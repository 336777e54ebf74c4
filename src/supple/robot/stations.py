"""Stations: places on links, told by s from 0 (base) to 1 (tip), or on soft bodies by a material point.

A load that sits at a station gets a *segment* of the tree that ends there: pose, twist, acceleration, Jacobian and
their second-order terms are then those of any segment, whether the link is a rod, rigid or soft.  This is the one
protocol of places: nothing else of a load knows what a link is made of.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.checks import finite_array, finite_float


class MaterialPoint(float):
    """A material point (x, y, z) of a soft body as a station, m in the frame of its base at rest.

    A float by type alone, so that it goes wherever a station s does: it equals no s, and no other material point.  As
    a number it is NaN, so that whoever takes it for one is found out.
    """

    x: tuple[float, float, float]

    def __new__(cls, x: float, y: float, z: float) -> MaterialPoint:
        """The point x, y, z."""
        point = super().__new__(cls, float("nan"))
        point.x = (float(x), float(y), float(z))
        return point

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MaterialPoint) and other.x == self.x

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.x)

    def __lt__(self, other: float) -> bool:
        """Behind all stations s, then in the order of coordinates."""
        return isinstance(other, MaterialPoint) and self.x < other.x

    def __gt__(self, other: float) -> bool:
        return not isinstance(other, MaterialPoint) or self.x > other.x

    def __repr__(self) -> str:
        return f"({self.x[0]:g}, {self.x[1]:g}, {self.x[2]:g})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __reduce__(self) -> Any:
        return MaterialPoint, self.x

    def __fingerprint__(self) -> Any:
        return self.x


def as_station(s: Any, what: str) -> float:
    """A station that a user gave: a number, or three for a material point."""
    if isinstance(s, MaterialPoint):
        return s
    if (isinstance(s, (tuple, list)) and len(s) == 3) or (isinstance(s, np.ndarray) and s.shape == (3,)):
        return MaterialPoint(*finite_array(s, (3,), what).tolist())
    return finite_float(s, what)


def is_inside(s: float) -> bool:
    """Whether a number lies between base and tip; material points are not asked."""
    return isinstance(s, MaterialPoint) or 0.0 <= float(s) <= 1.0
