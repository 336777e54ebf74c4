"""Solids of uniform density: volume, centre of mass and inertia, exactly. Also what pictures draw.

`BoxShape` and `SphereShape` are centred on the body frame; a `FrustumShape` (cylinder, cone) stands on it,
its axis along x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from supple.checks import Array, finite_array, nonnegative_float, positive_float
from supple.errors import ModelError


class SolidShape(Protocol):
    """A solid, in the body frame."""

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        ...

    @property
    def com(self) -> Array:
        """Centre of mass, (3,), m."""
        ...

    @property
    def inertia(self) -> Array:
        """Moments of inertia about the centre of mass at unit density, (3,), m^5; the axes are principal."""
        ...


@final
@dataclass(frozen=True)
class BoxShape:
    """Box of edge lengths ``size`` = (x, y, z) in m."""

    size: tuple[float, float, float]

    def __post_init__(self) -> None:
        edges = finite_array(self.size, (3,), "Rigid.box: size")
        x, y, z = (positive_float(edge, "Rigid.box: size", "m") for edge in edges)
        object.__setattr__(self, "size", (x, y, z))

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return float(np.prod(self.size))

    @property
    def com(self) -> Array:
        """Centre of mass in the body frame, (3,), m."""
        return np.zeros(3)

    @property
    def inertia(self) -> Array:
        """Moments of inertia about the centre of mass at unit density, (3,), m^5."""
        x, y, z = np.square(self.size)
        return self.volume / 12.0 * np.array([y + z, z + x, x + y])


@final
@dataclass(frozen=True)
class SphereShape:
    """Ball of that ``radius`` in m."""

    radius: float

    def __post_init__(self) -> None:
        positive_float(self.radius, "Rigid.sphere: radius", "m")

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return 4.0 / 3.0 * np.pi * self.radius**3

    @property
    def com(self) -> Array:
        """Centre of mass in the body frame, (3,), m."""
        return np.zeros(3)

    @property
    def inertia(self) -> Array:
        """Moments of inertia about the centre of mass at unit density, (3,), m^5."""
        return np.full(3, 0.4 * self.volume * self.radius**2)


@final
@dataclass(frozen=True)
class FrustumShape:
    """Frustum along x from ``base_radius`` a at 0 to ``tip_radius`` b at ``length`` L; a cylinder if a = b.

    Notes
    -----
    With r(x) linear, integrating discs gives::

        V    = pi L (a^2 + a b + b^2) / 3
        c_x  = L (a^2 + 2 a b + 3 b^2) / (4 (a^2 + a b + b^2))
        I_xx = (pi / 2) int r^4 dx = pi L (a^4 + a^3 b + a^2 b^2 + a b^3 + b^4) / 10
        I_yy = I_zz = I_xx / 2 + pi int x^2 r^2 dx - V c_x^2
        int x^2 r^2 dx = L^3 (a^2 + 3 a b + 6 b^2) / 30
    """

    length: float
    base_radius: float
    tip_radius: float

    def __post_init__(self) -> None:
        positive_float(self.length, "Rigid.cylinder, .cone: length", "m")
        nonnegative_float(self.base_radius, "Rigid.cylinder, .cone: base radius", "m")
        nonnegative_float(self.tip_radius, "Rigid.cylinder, .cone: tip radius", "m")
        if self.base_radius == self.tip_radius == 0.0:
            raise ModelError("Rigid.cylinder, .cone: radius is 0 m at both ends, one must be positive")

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return np.pi * self.length / 3.0 * self._squares

    @property
    def com(self) -> Array:
        """Centre of mass in the body frame, (3,), m."""
        a, b = self.base_radius, self.tip_radius
        return np.array([self.length * (a**2 + 2.0 * a * b + 3.0 * b**2) / (4.0 * self._squares), 0.0, 0.0])

    @property
    def inertia(self) -> Array:
        """Moments of inertia about the centre of mass at unit density, (3,), m^5."""
        a, b, length = self.base_radius, self.tip_radius, self.length
        axial = np.pi * length / 10.0 * (a**4 + a**3 * b + a**2 * b**2 + a * b**3 + b**4)
        about_base = 0.5 * axial + np.pi * length**3 * (a**2 + 3.0 * a * b + 6.0 * b**2) / 30.0
        transverse = about_base - self.volume * self.com[0] ** 2
        return np.array([axial, transverse, transverse])

    @property
    def _squares(self) -> float:
        a, b = self.base_radius, self.tip_radius
        return a**2 + a * b + b**2
