"""A rigid body: one point with inertia, and no coordinates of its own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import (
    ROUNDING,
    Array,
    finite_array,
    flag,
    nonnegative_float,
    positive_float,
    read_only,
    real_array,
    shown,
    symmetric_psd,
)
from supple.errors import ModelError, naming, warn
from supple.lie.pose import check_pose, pose
from supple.robot.bodies.looks import BodyLook
from supple.robot.bodies.protocol import Body, BodyTable, Chain, Located
from supple.robot.rigid_shapes import (
    BoxShape,
    CapsuleShape,
    FrustumShape,
    PrismShape,
    SolidShape,
    SphereShape,
    is_solid,
)

#: The tip of a body that has none of its own: shared by all of them, and read-only.
_AT_FRAME = read_only(np.eye(4))


@final
@dataclass(frozen=True, eq=False)
class Rigid(Body):
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
        What pictures draw; set by the same. Omitted, they draw the ellipsoid of equal mass and inertia. The shapes
        are those of `supple.robot.rigid_shapes`; mass and inertia given here need not be theirs.
    physical : bool
        Whether an inertia that is not positive semi-definite is refused.  Files from elsewhere hold such; with False
        it is taken as it is, with a warning.
    """

    noun: ClassVar[str] = "rigid"
    ends: ClassVar[str] = "0 is its body frame, 1 its tip"

    mass: float
    inertia: ArrayLike
    com: ArrayLike = (0.0, 0.0, 0.0)
    tip: ArrayLike = field(default_factory=lambda: _AT_FRAME)
    volume: float | None = None
    shape: SolidShape | None = None
    physical: bool = True

    def __post_init__(self) -> None:
        with naming("Rigid"):
            object.__setattr__(self, "mass", nonnegative_float(self.mass, "mass", "kg"))
            object.__setattr__(self, "inertia", _check_inertia(self.inertia, flag(self.physical, "physical")))
            object.__setattr__(self, "com", finite_array(self.com, (3,), "com"))
            if self.tip is not _AT_FRAME:
                object.__setattr__(self, "tip", check_pose(self.tip, "tip"))
            if self.volume is not None:
                object.__setattr__(self, "volume", nonnegative_float(self.volume, "volume", "m^3"))
            if self.shape is not None and not is_solid(self.shape):
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

    @property
    def labels(self) -> tuple[str, ...]:
        """None: its joint moves it."""
        return ()

    @property
    def solid(self) -> Rigid:
        """Itself."""
        return self

    def tabulate(self) -> RigidTable:
        """Its inertia and its tip."""
        return RigidTable(inertia=self.spatial_inertia(), tip_pose=np.asarray(self.tip))

    def look(self, link: str) -> BodyLook:
        """Its shape, or the ellipsoid of equal mass and inertia."""
        return BodyLook(link, self)

    def summary(self) -> tuple[str, str]:
        """Its mass; no strains."""
        return f"rigid {self.mass:.4g} kg", "-"

    def felt_inertia(self) -> Array:
        """Its spatial inertia."""
        return self.spatial_inertia()

    def mass_text(self) -> str:
        """Its mass."""
        return f"mass {self.mass:g} kg"

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


@dataclass(frozen=True, eq=False, kw_only=True)
class RigidTable(BodyTable):
    """A body without coordinates: its only point is the end of its joint."""

    inertia: np.ndarray  #: (6, 6) about that point
    tip_pose: np.ndarray  #: (4, 4) of station 1 in its frame

    def chain(self, stations: Collection[float] = (), dormant: Collection[float] = ()) -> Chain | None:
        """None: it has no block of its own."""
        return None

    @property
    def point_inertia(self) -> Array:
        """Inertia (6, 6) about the body frame."""
        return self.inertia

    @property
    def points(self) -> tuple[tuple[int, float], ...]:
        """The body frame."""
        return ((1, 0.0),)

    def locate(self, s: float) -> Located:
        """Both stations are fixed to the body frame."""
        return Located(1, self.tip_pose if s == 1.0 else None)

    @property
    def tip(self) -> Array:
        """Pose (4, 4) of station 1 in the body frame."""
        return self.tip_pose


def _check_inertia(inertia: ArrayLike, physical: bool) -> Array:
    """Symmetric and positive semi-definite; warns of a principal moment larger than the sum of the other two.

    No body has such an inertia, but identified and made-up ones do, and the equations do not mind.
    """
    try:
        matrix = symmetric_psd(inertia, 3, "inertia")
    except ModelError as reason:
        matrix = real_array(inertia, "inertia")
        matrix = finite_array(np.diag(matrix) if matrix.shape == (3,) else matrix, (3, 3), "inertia")
        if physical or not np.array_equal(matrix, matrix.T):
            raise
        warn(f"Rigid: {reason}: no real body has such an inertia, and motions may run away")
        return matrix
    low, middle, high = np.linalg.eigvalsh(matrix)
    if high > (low + middle) * (1.0 + ROUNDING) + ROUNDING * high:
        warn(
            f"Rigid: inertia has principal moments {low:.4g}, {middle:.4g}, {high:.4g} kg m^2: "
            "the largest exceeds the sum of the others, no real body has such an inertia"
        )
    return matrix
