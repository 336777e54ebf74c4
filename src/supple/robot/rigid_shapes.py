"""Solids of uniform density: volume, centre of mass and inertia, exactly. Also what pictures draw.

`BoxShape`, `SphereShape`, `EllipsoidShape` and `CapsuleShape` (along x) are centred on the body frame; a `FrustumShape`
(cylinder, cone) stands on it, its axis along x; a `PrismShape` is a plate in its x-y plane. `Moved` moves one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, nonnegative_float, positive_float, real_array, shown
from supple.errors import ModelError
from supple.lie.pose import check_pose
from supple.robot import meshes
from supple.robot.meshes import Mesh


@runtime_checkable
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
        """Inertia about the centre of mass at unit density, m^5: moments (3,) if the axes are principal, or (3, 3)."""
        ...

    def mesh(self) -> Mesh:
        """Its surface, for pictures."""
        ...


def is_solid(value: object) -> bool:
    """Whether a value is a solid; told by its class, since asking one may read a file."""
    return all(hasattr(type(value), name) for name in ("volume", "com", "inertia", "mesh"))


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

    def mesh(self) -> Mesh:
        """Its surface."""
        return meshes.box(self.size)


@final
@dataclass(frozen=True)
class SphereShape:
    """Ball of that ``radius`` in m."""

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive_float(self.radius, "Rigid.sphere: radius", "m"))

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

    def mesh(self) -> Mesh:
        """Its surface."""
        return meshes.ball(self.radius)


@final
@dataclass(frozen=True)
class EllipsoidShape:
    """Ellipsoid of semi-axes (x, y, z) in m, centred on the body frame."""

    semi_axes: tuple[float, float, float]

    def __post_init__(self) -> None:
        axes = finite_array(self.semi_axes, (3,), "EllipsoidShape: semi_axes")
        x, y, z = (positive_float(axis, "EllipsoidShape: semi_axes", "m") for axis in axes)
        object.__setattr__(self, "semi_axes", (x, y, z))

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return 4.0 / 3.0 * np.pi * float(np.prod(self.semi_axes))

    @property
    def com(self) -> Array:
        """Centre of mass in the body frame, (3,), m."""
        return np.zeros(3)

    @property
    def inertia(self) -> Array:
        """Moments of inertia about the centre of mass at unit density, (3,), m^5."""
        x, y, z = np.square(self.semi_axes)
        return 0.2 * self.volume * np.array([y + z, z + x, x + y])

    def mesh(self) -> Mesh:
        """Its surface."""
        return meshes.ellipsoid(self.semi_axes)


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
        object.__setattr__(self, "length", positive_float(self.length, "Rigid.cylinder, .cone: length", "m"))
        for end in ("base", "tip"):
            radius = nonnegative_float(getattr(self, f"{end}_radius"), f"Rigid.cylinder, .cone: {end} radius", "m")
            object.__setattr__(self, f"{end}_radius", radius)
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

    def mesh(self) -> Mesh:
        """Its surface."""
        return meshes.revolved((0.0, self.length), (self.base_radius, self.tip_radius))


@final
@dataclass(frozen=True)
class CapsuleShape:
    """All within ``radius`` r of a line of ``length`` L along x, centred on the body frame: a cylinder with round ends.

    Notes
    -----
    The cylinder has the volume C = pi r^2 L, both ends together S = 4/3 pi r^3; a half ball's centre lies 3/8 r from
    its flat side::

        I_xx = C r^2 / 2 + 2 S r^2 / 5
        I_yy = I_zz = C (L^2 / 12 + r^2 / 4) + S (2 r^2 / 5 + L^2 / 4 + 3 L r / 8)
    """

    length: float
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", positive_float(self.length, "Rigid.capsule: length", "m"))
        object.__setattr__(self, "radius", positive_float(self.radius, "Rigid.capsule: radius", "m"))

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return sum(self._parts)

    @property
    def com(self) -> Array:
        """Centre of mass in the body frame, (3,), m."""
        return np.zeros(3)

    @property
    def inertia(self) -> Array:
        """Moments of inertia about the centre of mass at unit density, (3,), m^5."""
        cylinder, ends = self._parts
        r, length = self.radius, self.length
        axial = (0.5 * cylinder + 0.4 * ends) * r**2
        transverse = cylinder * (length**2 / 12.0 + r**2 / 4.0)
        transverse += ends * (0.4 * r**2 + length**2 / 4.0 + 0.375 * length * r)
        return np.array([axial, transverse, transverse])

    @property
    def _parts(self) -> tuple[float, float]:
        """Volumes of the cylinder and of both ends."""
        return np.pi * self.radius**2 * self.length, 4.0 / 3.0 * np.pi * self.radius**3

    def mesh(self) -> Mesh:
        """Its surface."""
        return meshes.capsule(self.length, self.radius)


@final
@dataclass(frozen=True, eq=False)
class PrismShape:
    """Plate: the polygon ``outline`` (K, 2) in the x-y plane of the body frame, m, ``height`` m thick about it.

    The polygon may be concave but must not cross itself; either direction will do.

    Notes
    -----
    With c_i = x_i y_{i+1} - x_{i+1} y_i over the edges of the polygon (Green's theorem)::

        A = sum c_i / 2,    centroid = sum (p_i + p_{i+1}) c_i / (6 A)
        int p p^T dA = sum c_i (p_i p_i^T + p_{i+1} p_{i+1}^T + (p_i + p_{i+1}) (p_i + p_{i+1})^T) / 24
    """

    outline: ArrayLike
    height: float

    def __post_init__(self) -> None:
        points = real_array(self.outline, "Rigid.prism: outline")
        if points.ndim != 2 or points.shape[1:] != (2,) or len(points) < 3 or not np.isfinite(points).all():
            raise ModelError(f"Rigid.prism: outline is {shown(self.outline)}, must be three or more points (x, y) in m")
        object.__setattr__(self, "height", positive_float(self.height, "Rigid.prism: height", "m"))
        area = 0.5 * float(_edge_products(points).sum())
        if area == 0.0:
            raise ModelError("Rigid.prism: outline has no area, its points lie on one line")
        points = points if area > 0.0 else points[::-1].copy()
        _refuse_crossing(points)
        points.setflags(write=False)
        object.__setattr__(self, "outline", points)

    @property
    def area(self) -> float:
        """Area of the polygon, m^2."""
        return 0.5 * float(_edge_products(np.asarray(self.outline)).sum())

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return self.area * self.height

    @property
    def com(self) -> Array:
        """Centre of mass in the body frame, (3,), m."""
        points = np.asarray(self.outline)
        weights = _edge_products(points)[:, None] / (6.0 * self.area)
        return np.append(((points + np.roll(points, -1, axis=0)) * weights).sum(axis=0), 0.0)

    @property
    def inertia(self) -> Array:
        """Inertia about the centre of mass at unit density, (3, 3), m^5."""
        points = np.asarray(self.outline) - self.com[:2]
        following = np.roll(points, -1, axis=0)
        both = points + following
        products = sum(np.einsum("ki,kj->kij", p, p) for p in (points, following, both))
        flat = self.height * (_edge_products(points)[:, None, None] * products).sum(axis=0) / 24.0
        second = np.zeros((3, 3))  # int p p^T dV
        second[:2, :2], second[2, 2] = flat, self.volume * self.height**2 / 12.0
        return np.asarray(np.trace(second) * np.eye(3) - second)

    def mesh(self) -> Mesh:
        """Its surface."""
        return meshes.prism(self.outline, self.height)


@final
@dataclass(frozen=True, eq=False)
class Moved:
    """A shape at a ``pose`` (4, 4) in the body frame."""

    shape: SolidShape
    pose: ArrayLike

    def __post_init__(self) -> None:
        object.__setattr__(self, "pose", check_pose(self.pose, "Moved: pose"))

    @property
    def volume(self) -> float:
        """Volume, m^3."""
        return self.shape.volume

    @property
    def com(self) -> Array:
        """Centre of mass in the body frame, (3,), m."""
        pose = np.asarray(self.pose)
        return np.asarray(pose[:3, :3] @ self.shape.com + pose[:3, 3])

    @property
    def inertia(self) -> Array:
        """Inertia about the centre of mass at unit density, (3, 3), m^5."""
        rotation, inertia = np.asarray(self.pose)[:3, :3], np.asarray(self.shape.inertia)
        return np.asarray(rotation @ (np.diag(inertia) if inertia.ndim == 1 else inertia) @ rotation.T)

    def mesh(self) -> Mesh:
        """Its surface."""
        return self.shape.mesh().moved(np.asarray(self.pose))


def _edge_products(points: Array) -> Array:
    """x_i y_{i+1} - x_{i+1} y_i of all edges of a polygon (K, 2)."""
    following = np.roll(points, -1, axis=0)
    return np.asarray(points[:, 0] * following[:, 1] - following[:, 0] * points[:, 1])


def _refuse_crossing(points: Array) -> None:
    """Raise `ModelError` if two edges of a polygon cross."""

    def side(p: Array, q: Array, r: Array) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    count = len(points)
    for i in range(count):
        a, b = points[i], points[(i + 1) % count]
        for k in range(i + 2, count - (i == 0)):
            c, d = points[k], points[(k + 1) % count]
            if side(a, b, c) * side(a, b, d) < 0.0 and side(c, d, a) * side(c, d, b) < 0.0:
                raise ModelError(f"Rigid.prism: edges {i} and {k} of the outline cross each other; reorder its points")
