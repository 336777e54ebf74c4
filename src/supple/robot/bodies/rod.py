"""A soft rod: a centreline with sections, whose strains are the body's coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from numpy.typing import ArrayLike

from supple.bases.protocol import COMPONENTS, StrainBasis
from supple.checks import Array, ask, finite_array, positive_float, real_vector, shown, whole_number
from supple.errors import ModelError, naming
from supple.rest import SAME_LENGTH, Curve
from supple.robot.bodies.looks import RodLook, rod_look
from supple.robot.bodies.protocol import Body
from supple.robot.bodies.rod_table import RodTable, tabulate_rod
from supple.sections.direct import Section
from supple.sections.materials import Material
from supple.sections.properties import SectionProperties, check_material, is_uniform, section_properties
from supple.sections.rod_laws import RodLaw
from supple.sections.shapes import Shape

#: Strain of a straight unstretched rod: torsion, bend_y, bend_z, stretch, shear_y, shear_z.
STRAIGHT = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)

#: Most Gauss nodes on a piece of a rod, and on the whole rod: far more than any rod needs.
MOST_POINTS, MOST_STATIONS = 1000, 10_000

#: Where a rod's section is looked at before compilation: inside, since a taper may end in a point.
SAMPLES = (0.25, 0.5, 0.75)


@final
@dataclass(frozen=True, eq=False)
class Rod(Body):
    """A soft rod along the local x axis.

    Parameters
    ----------
    length : float
        Rest length L, m.
    section : Shape or Section
        Cross-section along the rod.
    material : Material, optional
        Required with a shape; omitted with a `Section`.
    strain : StrainBasis
        Which strains are free, and the functions they are made of, such as ``Legendre(bend_y=3)``.
    points : int
        Gauss nodes along the rod (per piece, for piecewise bases), 1000 at most.
    rest_strain : (6,) or callable of s, optional
        Strain of the stress-free rod in physical units (1/m and 1), including the 1 of the stretch; a callable takes
        the station s in [0, 1]. Default: straight, (0, 0, 0, 1, 0, 0). `supple.rest` makes it from an arc, a helix or
        any curve.
    magnus : int
        Order of the Magnus step between nodes, 2 or 4.
    extra_points : sequence of float
        Further points s in (0, 1), without weight, at which the Magnus steps are split.
    law : RodLaw, optional
        How stresses follow strains, if not linearly: `MooneyRivlinRod`, `Stiffening`, `Saturating`, or any energy per
        metre `StrainEnergy(W)`. Default: stress = stiffness (strain - rest strain).

    Notes
    -----
    Places along a rod are told in one of two ways, everywhere by the same letters: a small ``s`` is a station, 0 at the
    base and 1 at the tip; a capital ``X`` is the length of the rod at rest from its base to there in metres,
    X = s length. Routes of tendons and chambers take X, next to other metres; everything else takes s.
    """

    noun: ClassVar[str] = "a rod"

    length: float
    section: Shape | Section
    material: Material | None = None
    strain: StrainBasis = None  # type: ignore[assignment]  # required, but after an optional argument
    points: int = 5
    rest_strain: ArrayLike | Callable[[float], ArrayLike] | None = None
    magnus: int = 4
    extra_points: tuple[float, ...] = ()
    law: RodLaw | None = None

    def __post_init__(self) -> None:
        with naming("Rod"):
            object.__setattr__(self, "length", positive_float(self.length, "length", "m"))
            check_material(self.section, self.material)
            self._check_strain()
            self._check_extra_points()
            if whole_number(self.magnus, "magnus") not in (2, 4):
                raise ModelError(f"magnus is {shown(self.magnus)}, must be 2 or 4")
            if not callable(self.rest_strain):
                value = STRAIGHT if self.rest_strain is None else self.rest_strain
                object.__setattr__(self, "rest_strain", finite_array(value, (6,), "rest_strain"))
            self._check_rest_length()
            self.rest_strain_at(0.5)
            if self.law is not None and not isinstance(self.law, RodLaw):
                raise ModelError(f"law is {shown(self.law)}, must be a law such as MooneyRivlinRod()")

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the strain basis: component and number of the function."""
        return tuple(self.strain.labels)

    @property
    def centreline(self) -> Rod:
        """Itself."""
        return self

    def tabulate(self) -> RodTable:
        """The rod evaluated at its computational points."""
        return tabulate_rod(self)

    def look(self, link: str) -> RodLook:
        """Its skin."""
        return rod_look(link, self)

    def summary(self) -> tuple[str, str]:
        """Length, section and points; the basis with its orders."""
        points = f"{self.points} point{'' if self.points == 1 else 's'}"
        law = "" if self.law is None else f", {type(self.law).__name__}"
        return f"rod {self.length:g} m, {type(self.section).__name__}, {points}{law}", repr(self.strain)

    def check(self) -> None:
        """The section can be evaluated, has mass, and has stiffness along every free strain."""
        samples = SAMPLES[:1] if is_uniform(self.section) else SAMPLES
        stiffness = sum(np.diag(self.properties_at(s).stiffness) for s in samples)
        if self.law is not None:
            return  # it says by itself what it resists, when it is traced
        for component in np.unique(self.strain.components):
            if stiffness[component] <= 0.0:  # type: ignore[index]
                name = COMPONENTS[component]
                raise ModelError(f"{name} is free, but the section has no stiffness for it: add it, or set {name}=None")

    def rest_strain_at(self, s: float) -> Array:
        """Rest strain at s in [0, 1], (6,): 1/m in the angular part."""
        value = self.rest_strain
        if callable(value):
            value = ask(value, (s,), f"rest_strain at s = {s:.2f}", ModelError)
        strain = finite_array(value, (6,), f"rest_strain at s = {s:.2f}")  # type: ignore[arg-type]
        if strain[3] <= 0.0:
            raise ModelError(f"rest_strain at s = {s:.2f} has the stretch {strain[3]:g}, must be positive (usually 1)")
        return strain

    def rest_strains(self, s: Array) -> Array:
        """Rest strain at the stations s (M,), (M, 6)."""
        if isinstance(self.rest_strain, Curve):
            return self.rest_strain(s)
        if callable(self.rest_strain):
            return np.array([self.rest_strain_at(x) for x in s.tolist()]).reshape(len(s), 6)
        return np.tile(np.asarray(self.rest_strain), (len(s), 1))

    def properties_at(self, s: float) -> SectionProperties:
        """Stiffness, damping and inertia per unit length at s in [0, 1], each (6, 6)."""
        return section_properties(self.section, self.material, s)

    def _check_rest_length(self) -> None:
        """A rest curve is followed only by a rod of its length."""
        if isinstance(self.rest_strain, Curve):
            length = self.rest_strain.length
            if abs(length - self.length) > SAME_LENGTH * length:
                raise ModelError(
                    f"length is {self.length:g} m, but the curve of its rest strain is {length:.9g} m long: give the "
                    "rod that length (curve.length)"
                )

    def _check_strain(self) -> None:
        if self.strain is None:
            raise ModelError("strain is missing: say which are free, such as strain=Legendre(bend_y=3)")
        if not isinstance(self.strain, StrainBasis):
            raise ModelError(f"strain is {shown(self.strain)}, must be a strain basis such as Legendre(bend_y=3)")
        needed = self.strain.min_points  # raises for a family without components
        points = whole_number(self.points, "points", minimum=1, maximum=MOST_POINTS)
        stations = points * (len(self.strain.breaks) + 1)
        if stations > MOST_STATIONS:
            raise ModelError(
                f"points is {points} on each of {stations // points} pieces, {stations} in all: at most "
                f"{MOST_STATIONS} are possible"
            )
        if points < needed:
            raise ModelError(
                f"points is {points}, but {self.strain!r} needs at least {needed} Gauss nodes "
                f"{'per piece' if self.strain.breaks else 'along the rod'}: K would be singular"
            )

    def _check_extra_points(self) -> None:
        points = tuple(sorted(real_vector(self.extra_points, "extra_points", MOST_POINTS)))
        if points and not (points[0] > 0.0 and points[-1] < 1.0):
            raise ModelError(f"extra_points are {points}, must lie inside (0, 1)")
        if len(set(points)) < len(points):
            raise ModelError(f"extra_points are {points}, must be different")
        object.__setattr__(self, "extra_points", points)
