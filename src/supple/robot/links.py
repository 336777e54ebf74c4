"""The bodies of links: soft rods and rigid bodies, as people describe them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike

from supple.bases.protocol import StrainBasis
from supple.checks import (
    ROUNDING,
    Array,
    ask,
    finite_array,
    nonnegative_float,
    positive_float,
    real_vector,
    shown,
    symmetric_psd,
    whole_number,
)
from supple.errors import ModelError, naming, warn
from supple.lie.pose import check_pose, pose
from supple.rest import SAME_LENGTH, Curve
from supple.robot.rigid_shapes import BoxShape, CapsuleShape, FrustumShape, PrismShape, SolidShape, SphereShape
from supple.sections.direct import Section
from supple.sections.materials import Material
from supple.sections.properties import SectionProperties, check_material, section_properties
from supple.sections.shapes import Shape

#: Strain of a straight unstretched rod: torsion, bend_y, bend_z, stretch, shear_y, shear_z.
STRAIGHT = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)

#: Most Gauss nodes on a piece of a rod, and on the whole rod: far more than any rod needs.
MOST_POINTS, MOST_STATIONS = 1000, 10_000


@final
@dataclass(frozen=True, eq=False)
class Rod:
    """A soft rod along the local x axis.

    Parameters
    ----------
    length : float
        Rest length L, m.
    section : Shape or Section
        Cross-section along the rod.
    material : Material, optional
        Required with a shape; left out with a `Section`.
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

    Notes
    -----
    Places along a rod are told in one of two ways, everywhere by the same letters: a small ``s`` is a station, 0 at the
    base and 1 at the tip; a capital ``X`` is the length of the rod at rest from its base to there in metres,
    X = s length. Routes of tendons and chambers take X, next to other metres; everything else takes s.
    """

    length: float
    section: Shape | Section
    material: Material | None = None
    strain: StrainBasis = None  # type: ignore[assignment]  # required, but after an optional argument
    points: int = 5
    rest_strain: ArrayLike | Callable[[float], ArrayLike] | None = None
    magnus: int = 4
    extra_points: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        with naming("Rod"):
            object.__setattr__(self, "length", positive_float(self.length, "length", "m"))
            check_material(self.section, self.material)
            self._check_strain()
            self._check_extra_points()
            if whole_number(self.magnus, "magnus") not in (2, 4):
                raise ModelError(f"magnus is {self.magnus!r}, must be 2 or 4")
            if not callable(self.rest_strain):
                value = STRAIGHT if self.rest_strain is None else self.rest_strain
                object.__setattr__(self, "rest_strain", finite_array(value, (6,), "rest_strain"))
            self._check_rest_length()
            self.rest_strain_at(0.5)

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


@final
@dataclass(frozen=True, eq=False)
class Rigid:
    """A rigid body. Its frame is the one after its joint; children attach at its tip.

    Parameters
    ----------
    mass : float
        Mass, kg; may be zero for a link that only carries others.
    inertia : (3, 3) or (3,)
        Inertia about the centre of mass in body axes, or its diagonal, kg m^2.
    com : (3,)
        Centre of mass in the body frame, m.
    tip : (4, 4)
        Pose of the tip in the body frame; identity if not given.
    volume : float, optional
        Volume in m^3, for buoyancy. Set by `box`, `cylinder`, `cone`, `sphere`, `capsule` and `prism`.
    shape : SolidShape, optional
        What pictures draw; set by the same. Left out, they draw the ellipsoid of equal mass and inertia. The shapes
        are those of `supple.robot.rigid_shapes`; mass and inertia given here need not be theirs.
    """

    mass: float
    inertia: ArrayLike
    com: ArrayLike = (0.0, 0.0, 0.0)
    tip: ArrayLike = field(default_factory=pose)
    volume: float | None = None
    shape: SolidShape | None = None

    def __post_init__(self) -> None:
        with naming("Rigid"):
            object.__setattr__(self, "mass", nonnegative_float(self.mass, "mass", "kg"))
            object.__setattr__(self, "inertia", _check_inertia(self.inertia))
            object.__setattr__(self, "com", finite_array(self.com, (3,), "com"))
            object.__setattr__(self, "tip", check_pose(self.tip, "tip"))
            if self.volume is not None:
                object.__setattr__(self, "volume", nonnegative_float(self.volume, "volume", "m^3"))
            if self.shape is not None and not isinstance(self.shape, SolidShape):
                given = shown(self.shape)
                raise ModelError(f"shape is {given}, must be a solid such as BoxShape((0.1, 0.1, 0.2)), or None")

    @classmethod
    def box(cls, size: tuple[float, float, float], *, density: float, tip: ArrayLike | None = None) -> Rigid:
        """Box of edges ``size`` = (x, y, z) in m, centred on the body frame; density in kg/m^3."""
        return cls._solid(BoxShape(size), density, pose() if tip is None else tip)

    @classmethod
    def sphere(cls, radius: float, *, density: float, tip: ArrayLike | None = None) -> Rigid:
        """Ball of that radius in m, centred on the body frame; density in kg/m^3."""
        return cls._solid(SphereShape(radius), density, pose() if tip is None else tip)

    @classmethod
    def capsule(cls, length: float, radius: float, *, density: float, tip: ArrayLike | None = None) -> Rigid:
        """Cylinder with round ends along x, centred on the body frame; ``length`` is that of the straight part.

        Lengths in m, density in kg/m^3.
        """
        return cls._solid(CapsuleShape(length, radius), density, pose() if tip is None else tip)

    @classmethod
    def prism(cls, outline: ArrayLike, height: float, *, density: float, tip: ArrayLike | None = None) -> Rigid:
        """Plate: a polygon ``outline`` (K, 2) in the x-y plane of the body frame, ``height`` thick about it.

        Lengths in m, density in kg/m^3.
        """
        return cls._solid(PrismShape(outline, height), density, pose() if tip is None else tip)

    @classmethod
    def cylinder(cls, length: float, radius: float, *, density: float, tip: ArrayLike | None = None) -> Rigid:
        """Cylinder along x from the body frame to its tip at (length, 0, 0); density in kg/m^3."""
        return cls.cone(length, radius, radius, density=density, tip=tip)

    @classmethod
    def cone(
        cls,
        length: float,
        base_radius: float,
        tip_radius: float = 0.0,
        *,
        density: float,
        tip: ArrayLike | None = None,
    ) -> Rigid:
        """Cone or frustum along x from the body frame to its tip at (length, 0, 0); density in kg/m^3."""
        shape = FrustumShape(length, base_radius, tip_radius)
        return cls._solid(shape, density, pose(xyz=(length, 0.0, 0.0)) if tip is None else tip)

    @classmethod
    def _solid(cls, shape: SolidShape, density: float, tip: ArrayLike) -> Rigid:
        density = positive_float(density, "Rigid: density", "kg/m^3")
        return cls(density * shape.volume, density * shape.inertia, shape.com, tip, shape.volume, shape)

    def spatial_inertia(self) -> Array:
        """Spatial inertia about the body-frame origin, (6, 6), angular part first.

        Notes
        -----
        With m the mass, c~ the cross-product matrix of the centre of mass, I_c the inertia about it::

            M = [[I_c - m c~ c~,  m c~],
                 [       -m c~,   m 1 ]]
        """
        x, y, z = np.asarray(self.com)
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        coupling = self.mass * cross
        spatial = np.zeros((6, 6))
        spatial[:3, :3], spatial[:3, 3:], spatial[3:, :3] = self.inertia - coupling @ cross, coupling, -coupling
        spatial.flat[21::7] = self.mass  # the diagonal of the linear block
        return spatial


Body: TypeAlias = Rod | Rigid


def _check_inertia(inertia: ArrayLike) -> Array:
    """Symmetric and positive semi-definite; warns of a principal moment larger than the sum of the other two.

    No body has such an inertia, but identified and made-up ones do, and the equations do not mind.
    """
    matrix = symmetric_psd(inertia, 3, "inertia")
    low, middle, high = np.linalg.eigvalsh(matrix)
    if high > (low + middle) * (1.0 + ROUNDING) + ROUNDING * high:
        warn(
            f"Rigid: inertia has principal moments {low:.4g}, {middle:.4g}, {high:.4g} kg m^2: "
            "the largest exceeds the sum of the others, no real body has such an inertia"
        )
    return matrix


class ArcLength(float):
    """A place on a link in metres from its base, where a station s is expected; a rigid link's is its body frame."""

    def station(self, body: Body, link: str) -> float:
        """The station s of this place."""
        if not isinstance(body, Rod):
            return 0.0
        if not 0.0 <= self <= body.length:
            raise ModelError(f"X is {self:g} m on link {link!r}, must lie in [0, {body.length:g}], the rod's length")
        return float(self) / body.length
