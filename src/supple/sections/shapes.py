"""Cross-sections by shape: circle, annulus, rectangle, ellipse.

The section lies in the local y-z plane, the rod axis is x. Second moments are about the centroid:
Jy = int z^2 dA resists bending about y, Jz = int y^2 dA bending about z. To add a shape, write a frozen
dataclass with its dimensions as fields and the three abstract methods (and ``outline``, unless it is round);
everything else follows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np

from supple.checks import Array, finite_array, positive_float
from supple.errors import ModelError
from supple.sections.profile import Profile, as_profile, evaluate

#: Vertices of the outlines of round sections.
ROUND_VERTICES = 24
_ANGLES = np.linspace(0.0, 2.0 * np.pi, ROUND_VERTICES, endpoint=False)
_ROUND = np.column_stack([np.cos(_ANGLES), np.sin(_ANGLES)])


def _square(along_y: int, along_z: int) -> Array:
    """The square [-1, 1]^2, anticlockwise, its sides along y and z cut into so many pieces."""
    y, z = np.linspace(-1.0, 1.0, along_y + 1)[:-1], np.linspace(-1.0, 1.0, along_z + 1)[:-1]
    sides = (np.ones(along_z), z), (-y, np.ones(along_y)), (-np.ones(along_z), -z), (y, -np.ones(along_y))
    return np.concatenate([np.column_stack(side) for side in sides])


#: Rims of rectangles: long sides are cut finer, so that faces of pictures are small.
_TALL, _EVEN, _WIDE = _square(10, 2), _square(6, 6), _square(2, 10)
#: A rectangle is tall or wide beyond this ratio of its sides.
_SLENDER = 3.0


def round_outline(semi_y: float, semi_z: float) -> Array:
    """Vertices (y, z) on an ellipse, (24, 2), anticlockwise seen from the tip, m."""
    return _ROUND * (semi_y, semi_z)


class SecondMoments(NamedTuple):
    """Second moments of area in m^4: ``polar`` = ``y`` + ``z`` about x, ``y`` about y, ``z`` about z."""

    polar: float
    y: float
    z: float


@dataclass(frozen=True)
class Shape(ABC):
    """A cross-section given by its dimensions; used together with a `Material`.

    Every dimension is a number, a linear taper ``(base, tip)``, or a callable of s in [0, 1], in metres.

    Parameters
    ----------
    shear_factor : float or (float, float)
        Multiplies the shear stiffness G A, for both directions or for (y, z). 1: no correction.
    torsion_constant : number, (base, tip) or callable, optional
        Torsion constant Jx in m^4, in place of Jy + Jz (which overestimates it for sections that warp).
        It enters the stiffness G Jx and the viscous damping; the inertia keeps the polar moment Jy + Jz.
    """

    shear_factor: float | tuple[float, float] = field(default=1.0, kw_only=True)
    torsion_constant: Profile | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        for name in self.dimensions:
            object.__setattr__(self, name, as_profile(getattr(self, name), f"{self._kind}: {name}"))
        if self.torsion_constant is not None:
            constant = as_profile(self.torsion_constant, f"{self._kind}: torsion_constant", "m^4")
            object.__setattr__(self, "torsion_constant", constant)
        self.shear_factors  # noqa: B018  (validates)

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Names of the dimensions, in order."""
        options = ("shear_factor", "torsion_constant")
        return tuple(entry.name for entry in fields(self) if entry.name not in options)

    @property
    def shear_factors(self) -> tuple[float, float]:
        """Shear factors along y and z."""
        what = f"{self._kind}: shear_factor"
        pair: Any = self.shear_factor
        if not isinstance(pair, (tuple, list)) and not (isinstance(pair, np.ndarray) and pair.ndim):
            factor = positive_float(self.shear_factor, what)
            return factor, factor
        y, z = finite_array(self.shear_factor, (2,), what)
        return positive_float(y, what), positive_float(z, what)

    @abstractmethod
    def area(self, s: float) -> float:
        """Area of the section at s, m^2."""

    @abstractmethod
    def second_moments(self, s: float) -> SecondMoments:
        """Second moments of area (polar, about y, about z) at s, m^4."""

    @abstractmethod
    def half_extents(self, s: float) -> tuple[float, float]:
        """Half the size of the section along y and along z at s, m; zero where a taper ends in a point."""

    def outline_radius(self, s: float) -> float:
        """Radius of the smallest circle about the centreline that holds the section at s, m."""
        return max(self.half_extents(s))

    @property
    def has_outline(self) -> bool:
        """Whether the section knows its size (shapes always do)."""
        return True

    def outline(self, s: float) -> Array:
        """Vertices (y, z) of the section's rim at s, (K, 2), anticlockwise seen from the tip, m; for pictures.

        K does not depend on s. Shapes that are not round say otherwise.
        """
        return round_outline(*self.half_extents(s))

    def hole(self, s: float) -> Array | None:
        """Vertices (y, z) of the rim of a hole at s, as many as of the outline; None if the section is solid."""
        return None

    def torsion(self, s: float) -> float:
        """Torsion constant Jx at s, m^4: as given, else Jy + Jz."""
        if self.torsion_constant is None:
            return self.second_moments(s).polar
        return evaluate(self.torsion_constant, s, "torsion constant", "m^4")

    @property
    def _kind(self) -> str:
        return type(self).__name__

    def _at(self, name: str, s: float) -> float:
        """Dimension ``name`` at s; must be positive."""
        return evaluate(getattr(self, name), s, name)

    def _size(self, name: str, s: float) -> float:
        """Dimension ``name`` at s for outlines; may be zero."""
        return evaluate(getattr(self, name), s, name, allow_zero=True)


@dataclass(frozen=True)
class Circle(Shape):
    """Solid circle: A = pi r^2, Jy = Jz = pi r^4 / 4.

    Examples
    --------
    >>> Circle(radius=(0.03, 0.01)).half_extents(0.5)
    (0.02, 0.02)
    """

    radius: Profile

    def area(self, s: float) -> float:
        """Area at s, m^2."""
        return np.pi * self._at("radius", s) ** 2

    def second_moments(self, s: float) -> SecondMoments:
        """Second moments of area at s, m^4."""
        moment = np.pi * self._at("radius", s) ** 4 / 4.0
        return SecondMoments(2.0 * moment, moment, moment)

    def half_extents(self, s: float) -> tuple[float, float]:
        """Half the size along y and z at s, m."""
        radius = self._size("radius", s)
        return radius, radius


@dataclass(frozen=True)
class Annulus(Shape):
    """Tube of radii ``outer`` > ``inner``: A = pi (o^2 - i^2), Jy = Jz = pi (o^4 - i^4) / 4."""

    outer: Profile
    inner: Profile

    def area(self, s: float) -> float:
        """Area at s, m^2."""
        outer, inner = self._radii(s)
        return np.pi * (outer**2 - inner**2)

    def second_moments(self, s: float) -> SecondMoments:
        """Second moments of area at s, m^4."""
        outer, inner = self._radii(s)
        moment = np.pi * (outer**4 - inner**4) / 4.0
        return SecondMoments(2.0 * moment, moment, moment)

    def half_extents(self, s: float) -> tuple[float, float]:
        """Half the size along y and z at s, m."""
        radius = self._size("outer", s)
        return radius, radius

    def hole(self, s: float) -> Array:
        """Vertices (y, z) of the inner rim at s, (24, 2), m."""
        radius = self._size("inner", s)
        return round_outline(radius, radius)

    def _radii(self, s: float) -> tuple[float, float]:
        outer, inner = self._at("outer", s), self._size("inner", s)
        if inner >= outer:
            raise ModelError(
                f"inner radius at s = {s:.2f} is {inner:.3g} m, must be below the outer one, {outer:.3g} m"
            )
        return outer, inner


@dataclass(frozen=True)
class Rectangle(Shape):
    """Rectangle, ``height`` h along y and ``width`` w along z: A = h w, Jy = h w^3 / 12, Jz = h^3 w / 12.

    Its torsion constant is about h w^3 (1/3 - 0.21 w/h (1 - w^4 / (12 h^4))) for w <= h, less than Jy + Jz:
    give ``torsion_constant`` where torsion matters.
    """

    height: Profile
    width: Profile

    def area(self, s: float) -> float:
        """Area at s, m^2."""
        return self._at("height", s) * self._at("width", s)

    def second_moments(self, s: float) -> SecondMoments:
        """Second moments of area at s, m^4."""
        height, width = self._at("height", s), self._at("width", s)
        y, z = height * width**3 / 12.0, height**3 * width / 12.0
        return SecondMoments(y + z, y, z)

    def half_extents(self, s: float) -> tuple[float, float]:
        """Half the size along y and z at s, m."""
        return 0.5 * self._size("height", s), 0.5 * self._size("width", s)

    def outline_radius(self, s: float) -> float:
        """Distance of the corners from the centreline at s, m."""
        return float(np.hypot(*self.half_extents(s)))

    def outline(self, s: float) -> Array:
        """Vertices (y, z) at s, the corners and some along the sides, (24, 2), m."""
        y, z = self.half_extents(0.5)  # one rim for the whole rod: vertices must correspond along it
        rim = _TALL if y > _SLENDER * z else _WIDE if z > _SLENDER * y else _EVEN
        return rim * self.half_extents(s)


@dataclass(frozen=True)
class Ellipse(Shape):
    """Ellipse of semi-axes a along y and b along z: A = pi a b, Jy = pi a b^3 / 4, Jz = pi a^3 b / 4.

    Its torsion constant is pi a^3 b^3 / (a^2 + b^2), less than Jy + Jz unless a = b: give
    ``torsion_constant`` where torsion matters.
    """

    semi_y: Profile
    semi_z: Profile

    def area(self, s: float) -> float:
        """Area at s, m^2."""
        return np.pi * self._at("semi_y", s) * self._at("semi_z", s)

    def second_moments(self, s: float) -> SecondMoments:
        """Second moments of area at s, m^4."""
        a, b = self._at("semi_y", s), self._at("semi_z", s)
        y, z = np.pi * a * b**3 / 4.0, np.pi * a**3 * b / 4.0
        return SecondMoments(y + z, y, z)

    def half_extents(self, s: float) -> tuple[float, float]:
        """Half the size along y and z at s, m."""
        return self._size("semi_y", s), self._size("semi_z", s)
