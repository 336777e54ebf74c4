"""Domains: the material points of soft bodies at rest, with rules that sum over them.

All lengths in m, in the frame of the body's base; where a domain has an axis, it is x, from the base at x = 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, nonnegative_float, positive_float, real_array, shown, whole_number
from supple.errors import ModelError
from supple.numerics.quadrature import gauss_legendre
from supple.robot import meshes
from supple.sections.shapes import Annulus, Circle, Rectangle, Shape

#: Points of one body, in all and in one direction (Gauss rules take the square of that in memory): more are a slip of
#: the pen.
MOST_POINTS, MOST_ALONG = 1_000_000, 1000


class Quadrature(NamedTuple):
    """Points of a domain with their volumes."""

    x: Array  #: (P, 3) m
    volume: Array  #: (P,) m^3; of `Points` with masses, parts of the whole mass


class Domain(ABC):
    """Where a soft body is at rest."""

    length: Any  #: of its axis, m; None if it has none

    @abstractmethod
    def quadrature(self, points: tuple[int, int, int]) -> Quadrature:
        """Its points: so many along its axis, outward from it, and around it (or along three axes)."""

    @property
    def tip(self) -> Array | None:
        """Three material points (3, 3) of its end section: origin, one towards y, one towards z; None without one."""
        return None

    @property
    def surface(self) -> meshes.Mesh | None:
        """Its surface for pictures; None if it has none."""
        return None

    @property
    def section(self) -> Shape | None:
        """Its section across the axis, a function of s from 0 (base) to 1 (tip); None without an axis."""
        return None

    def skin(self, along: int = 10, around: int = 12) -> Array:
        """Material points (along around, 3) of its outer surface, evenly along its axis and around it, m.

        Where contacts may touch: ``Spheres(link, at=domain.skin(), radius=0.0)``.
        """
        shape = self.section
        if shape is None:
            raise ModelError(f"{type(self).__name__} has no axis; give points of its surface by yourself")
        count = whole_number(around, "around", 3, MOST_ALONG)
        angle, rows = 2.0 * np.pi * np.arange(count) / count, []
        for s in np.linspace(0.0, 1.0, whole_number(along, "along", 2, MOST_ALONG)).tolist():
            rim = _rim(shape, s, angle)
            rows.append(np.column_stack([np.full(count, s * self.length), rim]))
        return np.concatenate(rows)

    @property
    def bore(self) -> Callable[[Array], Array] | None:
        """Radii of the hole along its axis at places x (k,) there, linear in x; None without one."""
        return None

    @property
    def mass(self) -> Array | None:
        """Masses of its points (P,), kg, if they are given; None: a density is needed."""
        return None


def _rim(shape: Shape, s: float, angle: Array) -> Array:
    """Places (K, 2) of a section's outline in directions (K,)."""
    y, z = shape.half_extents(s)
    cos, sin = np.cos(angle), np.sin(angle)
    if isinstance(shape, Rectangle):
        reach = np.minimum(y / np.maximum(np.abs(cos), 1e-12), z / np.maximum(np.abs(sin), 1e-12))
        return np.column_stack([reach * cos, reach * sin])
    return np.column_stack([y * cos, z * sin])


def _rows_of_three(value: ArrayLike, what: str) -> Array:
    """Finite numbers (k, 3), k > 0."""
    array = real_array(value, what)
    if array.ndim != 2 or array.shape[1] != 3 or not len(array):
        raise ModelError(f"{what} has shape {array.shape}, must be (k, 3)")
    if not np.isfinite(array).all():
        raise ModelError(f"{what} must be finite")
    return array


def _axial(domain: Domain, name: str) -> None:
    object.__setattr__(domain, "length", positive_float(domain.length, f"{name}: length", "m"))


class _Round(Domain):
    """A solid of revolution about x, whose radii are linear in x."""

    def radii(self, x: Array) -> tuple[Array, Array]:
        """Inner and outer radius at places x (k,) of the axis."""
        raise NotImplementedError

    @property
    def section(self) -> Shape:
        """A circle or an annulus."""
        inner, outer = (tuple(radii.tolist()) for radii in self.radii(np.array([0.0, self.length])))
        return Annulus(outer, inner) if any(inner) else Circle(outer)

    def quadrature(self, points: tuple[int, int, int]) -> Quadrature:
        """Gauss along the axis and the radius, equal angles around."""
        along, outward, around = points
        s, ws = gauss_legendre(along)
        r, wr = gauss_legendre(outward)
        angle = 2.0 * np.pi * (np.arange(around) + 0.5) / around
        inner, outer = self.radii(self.length * s)
        radius = inner[:, None] + (outer - inner)[:, None] * r
        weight = self.length * ws[:, None] * wr * (outer - inner)[:, None] * radius * (2.0 * np.pi / around)
        x = np.broadcast_to((self.length * s)[:, None, None], (along, outward, around))
        y, z = radius[..., None] * np.cos(angle), radius[..., None] * np.sin(angle)
        volume = np.broadcast_to(weight[..., None], x.shape)
        return Quadrature(np.stack([x, y, z], axis=-1).reshape(-1, 3), volume.reshape(-1).copy())

    @property
    def tip(self) -> Array:
        """The end section, as wide as it is (or as the base, where it ends in a point)."""
        _, outer = self.radii(np.array([0.0, self.length]))
        r = float(outer[1]) if outer[1] > 0.0 else float(outer[0])
        return np.array([[self.length, 0.0, 0.0], [self.length, r, 0.0], [self.length, 0.0, r]])

    @property
    def surface(self) -> meshes.Mesh:
        """Its skin."""
        x = np.linspace(0.0, self.length, 33)
        angle = 2.0 * np.pi * np.arange(24) / 24
        inner, outer = self.radii(x)
        axis, cos, sin = np.broadcast_to(x[:, None], (33, 24)), np.cos(angle), np.sin(angle)
        rings = [np.stack([axis, r[:, None] * cos, r[:, None] * sin], axis=-1) for r in (outer, inner)]
        if not inner.any():
            return meshes.Mesh(meshes.solid_vertices(rings[0]), meshes.solid_faces(33, 24))
        return meshes.Mesh(np.concatenate([ring.reshape(-1, 3) for ring in rings]), meshes.hollow_faces(33, 24))


@dataclass(frozen=True, eq=False)
class Cylinder(_Round):
    """A solid cylinder along x.

    Parameters
    ----------
    length, radius : float
        m.
    """

    length: float
    radius: float

    def __post_init__(self) -> None:
        _axial(self, "Cylinder")
        object.__setattr__(self, "radius", positive_float(self.radius, "Cylinder: radius", "m"))

    def radii(self, x: Array) -> tuple[Array, Array]:
        """Inner and outer radius at places x (k,) of the axis."""
        return np.zeros_like(x), np.full_like(x, self.radius)


@dataclass(frozen=True, eq=False)
class HollowCylinder(_Round):
    """A hollow cylinder along x.

    Parameters
    ----------
    length, outer, inner : float
        Length and both radii, m.
    """

    length: float
    outer: float
    inner: float

    def __post_init__(self) -> None:
        _axial(self, "HollowCylinder")
        object.__setattr__(self, "outer", positive_float(self.outer, "HollowCylinder: outer", "m"))
        object.__setattr__(self, "inner", nonnegative_float(self.inner, "HollowCylinder: inner", "m"))
        if self.inner >= self.outer:
            raise ModelError(f"HollowCylinder: inner is {self.inner:g} m, must be less than outer, {self.outer:g} m")

    def radii(self, x: Array) -> tuple[Array, Array]:
        """Inner and outer radius at places x (k,) of the axis."""
        return np.full_like(x, self.inner), np.full_like(x, self.outer)

    @property
    def bore(self) -> Callable[[Array], Array] | None:
        """Its inner radius."""
        return (lambda x: self.radii(x)[0]) if self.inner > 0.0 else None


@dataclass(frozen=True, eq=False)
class Cone(_Round):
    """A cone or frustum along x.

    Parameters
    ----------
    length : float
        m.
    base_radius, tip_radius : float
        Radii at x = 0 and x = length, m.
    """

    length: float
    base_radius: float
    tip_radius: float = 0.0

    def __post_init__(self) -> None:
        _axial(self, "Cone")
        object.__setattr__(self, "base_radius", positive_float(self.base_radius, "Cone: base_radius", "m"))
        object.__setattr__(self, "tip_radius", nonnegative_float(self.tip_radius, "Cone: tip_radius", "m"))

    def radii(self, x: Array) -> tuple[Array, Array]:
        """Inner and outer radius at places x (k,) of the axis."""
        return np.zeros_like(x), self.base_radius + (self.tip_radius - self.base_radius) * x / self.length


@dataclass(frozen=True, eq=False)
class Block(Domain):
    """A rectangular block along x, centred on the axis.

    Parameters
    ----------
    length, height, width : float
        Along x, y and z, m.
    """

    length: float
    height: float
    width: float

    def __post_init__(self) -> None:
        _axial(self, "Block")
        object.__setattr__(self, "height", positive_float(self.height, "Block: height", "m"))
        object.__setattr__(self, "width", positive_float(self.width, "Block: width", "m"))

    def quadrature(self, points: tuple[int, int, int]) -> Quadrature:
        """Gauss along all three axes."""
        rules = [gauss_legendre(k) for k in points]
        size = np.array([self.length, self.height, self.width])
        x = np.stack(np.meshgrid(*[rule[0] for rule in rules], indexing="ij"), axis=-1).reshape(-1, 3)
        weights = np.einsum("i,j,k->ijk", *[rule[1] for rule in rules]).ravel()
        return Quadrature((x - [0.0, 0.5, 0.5]) * size, weights * np.prod(size))

    @property
    def tip(self) -> Array:
        """The end section."""
        L = self.length
        return np.array([[L, 0.0, 0.0], [L, 0.5 * self.height, 0.0], [L, 0.0, 0.5 * self.width]])

    @property
    def section(self) -> Shape:
        """A rectangle."""
        return Rectangle(self.height, self.width)

    @property
    def surface(self) -> meshes.Mesh:
        """Its skin."""
        edge, side = np.linspace(-0.5, 0.5, 7)[:-1], np.full(6, 0.5)
        pairs = ((side, edge), (-edge, side), (-side, -edge), (edge, -side))
        rim = np.concatenate([np.stack(pair, axis=1) for pair in pairs])
        x = np.linspace(0.0, self.length, 33)
        ring = np.zeros((33, 24, 3))
        ring[..., 0], ring[..., 1], ring[..., 2] = x[:, None], self.height * rim[:, 0], self.width * rim[:, 1]
        return meshes.Mesh(meshes.solid_vertices(ring), meshes.solid_faces(33, 24))


@dataclass(frozen=True, eq=False)
class Mesh(Domain):
    """A mesh of tetrahedra.

    Parameters
    ----------
    vertices : (V, 3)
        m.
    tetrahedra : (T, 4)
        Indices of vertices; their order does not matter.
    """

    vertices: ArrayLike
    tetrahedra: ArrayLike

    def __post_init__(self) -> None:
        vertices = _rows_of_three(self.vertices, "Mesh: vertices")
        given = real_array(self.tetrahedra, "Mesh: tetrahedra")
        if given.ndim != 2 or given.shape[1] != 4 or not len(given) or not (given == np.floor(given)).all():
            raise ModelError(f"Mesh: tetrahedra has shape {given.shape}, must be whole numbers of shape (T, 4)")
        if not (np.abs(given) < len(vertices)).all():
            raise ModelError(f"Mesh: tetrahedra has {given.max():g}, but vertices are 0 to {len(vertices) - 1}")
        cells = given.astype(np.int64)
        if cells.min() < 0:
            raise ModelError(f"Mesh: tetrahedra has {cells.min()}, but vertices are 0 to {len(vertices) - 1}")
        object.__setattr__(self, "length", None)
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "tetrahedra", cells)
        flat = np.flatnonzero(self.volumes <= 1e-12 * self.volumes.max())
        if len(flat):
            raise ModelError(f"Mesh: tetrahedron {flat[0]} is flat, its volume is {self.volumes[flat[0]]:g} m^3")

    @property
    def volumes(self) -> Array:
        """Volume of every tetrahedron (T,), m^3."""
        a, b, c, d = np.moveaxis(np.asarray(self.vertices)[np.asarray(self.tetrahedra)], 1, 0)
        return np.asarray(np.abs(np.einsum("ti,ti->t", np.cross(b - a, c - a), d - a)) / 6.0)

    def quadrature(self, points: tuple[int, int, int]) -> Quadrature:
        """Four points in every tetrahedron, exact for quadratic functions; ``points`` does not matter."""
        a, b = 0.1381966011250105, 0.5854101966249685
        inside = np.full((4, 4), a) + (b - a) * np.eye(4)
        corners = np.asarray(self.vertices)[np.asarray(self.tetrahedra)]
        x = np.einsum("pk,tki->tpi", inside, corners).reshape(-1, 3)
        return Quadrature(x, np.repeat(0.25 * self.volumes, 4))

    @property
    def surface(self) -> meshes.Mesh:
        """Its skin: triangles that belong to one tetrahedron only."""
        vertices, cells = np.asarray(self.vertices), np.asarray(self.tetrahedra)
        faces = np.concatenate([cells[:, list(k)] for k in ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))])
        inside = np.tile(vertices[cells].mean(axis=1), (4, 1))
        a, b, c = np.moveaxis(vertices[faces], 1, 0)
        inward = np.einsum("fi,fi->f", np.cross(b - a, c - a), a - inside) < 0.0
        faces[inward] = faces[inward][:, ::-1]
        _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
        outer = faces[first[count == 1]]
        return meshes.Mesh(vertices, np.column_stack([outer, outer[:, 2]]))


@dataclass(frozen=True, eq=False)
class Points(Domain):
    """Given material points with their masses or volumes.

    Parameters
    ----------
    X : (P, 3)
        Material points, m.
    weights : (P,)
        Their masses, kg, if the body has no density; else their volumes, m^3.
    """

    X: ArrayLike
    weights: ArrayLike

    def __post_init__(self) -> None:
        X = _rows_of_three(self.X, "Points: X")
        weights = finite_array(self.weights, (len(X),), "Points: weights")
        if len(X) == 0 or not (weights >= 0.0).all() or not weights.sum() > 0.0:
            raise ModelError("Points: weights must be positive or zero, and not all zero")
        object.__setattr__(self, "length", None)
        object.__setattr__(self, "X", X)
        object.__setattr__(self, "weights", weights)

    def quadrature(self, points: tuple[int, int, int]) -> Quadrature:
        """The given points."""
        return Quadrature(np.asarray(self.X), np.asarray(self.weights))

    @property
    def mass(self) -> Array:
        """Weights as masses."""
        return np.asarray(self.weights)


def checked_points(points: Any) -> tuple[int, int, int]:
    """Numbers of points along, outward and around."""
    shape = real_array(points, "SoftBody: points").shape
    if shape not in ((), (3,)):
        raise ModelError(f"SoftBody: points is {shown(points)}, must be a number or (along, outward, around)")
    given = (points, 2, 8) if shape == () else tuple(points)
    a, b, c = (whole_number(k, "SoftBody: points", 1, MOST_ALONG) for k in given)
    if a * b * c > MOST_POINTS:
        raise ModelError(f"SoftBody: points is {(a, b, c)}, {a * b * c} points, must be at most {MOST_POINTS}")
    return (a, b, c)
