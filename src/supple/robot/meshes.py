"""Surfaces of solids as faces between vertices: what pictures are made of.

Every face has four vertices, anticlockwise seen from outside; a triangle repeats its last one. Most solids are lofts:
skins over rings of vertices that follow one another along x.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.checks import Array

Faces = NDArray[np.int64]

#: Vertices around a round solid, and rings from pole to pole of a ball.
AROUND, RINGS = 40, 21


class Mesh(NamedTuple):
    """A surface.

    Attributes
    ----------
    vertices : (V, 3)
        In the frame of the body, m.
    faces : (F, 4)
        Indices of vertices, anticlockwise seen from outside; triangles repeat the last.
    """

    vertices: Array
    faces: Faces

    @property
    def corners(self) -> Array:
        """The faces' vertices, (F, 4, 3), m."""
        return self.vertices[self.faces]

    def moved(self, pose: Array) -> Mesh:
        """The same surface, carried by a pose (4, 4)."""
        return Mesh(self.vertices @ pose[:3, :3].T + pose[:3, 3], self.faces)


def loft_faces(rings: int, around: int) -> Faces:
    """Faces of a skin over rings of ``around`` vertices each, one ring after the other along x; open at both ends."""
    i, j = np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij")
    here, next_ = i * around + j, i * around + (j + 1) % around
    return np.stack([here, next_, next_ + around, here + around], axis=-1).reshape(-1, 4)


def fan_faces(ring: Faces, centre: int) -> Faces:
    """Triangles between a ring of vertices and a centre, outside where the ring is seen anticlockwise."""
    following = np.roll(ring, -1)
    middle = np.full_like(ring, centre)
    return np.stack([ring, following, middle, middle], axis=1)


def solid_faces(rings: int, around: int) -> Faces:
    """Faces of a closed loft; its two centres, of the first and of the last ring, are the vertices after all rings."""
    count = rings * around
    first, last = np.arange(around), np.arange(count - around, count)
    return np.concatenate([loft_faces(rings, around), fan_faces(first[::-1], count), fan_faces(last, count + 1)])


def hollow_faces(rings: int, around: int) -> Faces:
    """Faces of a pipe: all vertices of its outer skin, then all of its inner one; the ends are closed between them."""
    count = rings * around
    outer = loft_faces(rings, around)
    ends = []
    for ring, turn in ((np.arange(around), -1), (np.arange(count - around, count), 1)):
        following = np.roll(ring, -1)
        ends.append(np.stack([ring, following, following + count, ring + count], axis=1)[:, ::turn])
    return np.concatenate([outer, outer[:, ::-1] + count, *ends])


def solid_vertices(rings: Array) -> Array:
    """Vertices of a closed loft over rings (M, K, 3): all rings, then the centres of the first and the last."""
    return np.concatenate([rings.reshape(-1, 3), rings[0].mean(axis=0)[None], rings[-1].mean(axis=0)[None]])


def revolved(x: ArrayLike, radius: ArrayLike, around: int = AROUND) -> Mesh:
    """Solid of revolution about x with the given radii at the given places (M,), which ascend."""
    angle = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    along, radii = np.asarray(x, dtype=float), np.asarray(radius, dtype=float)
    rings = np.empty((len(along), around, 3))
    rings[:, :, 0] = along[:, None]
    rings[:, :, 1:] = radii[:, None, None] * circle
    return Mesh(solid_vertices(rings), solid_faces(len(along), around))


def box(size: ArrayLike) -> Mesh:
    """Box of edge lengths (3,), centred on the origin."""
    half = 0.5 * np.asarray(size, dtype=float)
    square = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
    corners = np.concatenate([np.column_stack([np.full(4, side), square]) for side in (-1.0, 1.0)])
    ends = np.array([(3, 2, 1, 0), (4, 5, 6, 7)])
    return Mesh(corners * half, np.concatenate([loft_faces(2, 4), ends]))


def ball(radius: float) -> Mesh:
    """Ball about the origin."""
    return capsule(0.0, radius)


def capsule(length: float, radius: float) -> Mesh:
    """All within ``radius`` of a line of ``length`` along x, centred on the origin."""
    angle = np.linspace(0.0, np.pi, RINGS)
    rear, front = angle[: RINGS // 2 + 1], angle[RINGS // 2 :]
    x = np.concatenate([-radius * np.cos(rear) - 0.5 * length, -radius * np.cos(front) + 0.5 * length])
    return revolved(x, radius * np.abs(np.sin(np.concatenate([rear, front]))))


def ellipsoid(semi_axes: ArrayLike) -> Mesh:
    """Ellipsoid about the origin with these semi-axes (3,)."""
    unit = ball(1.0)
    return Mesh(unit.vertices * np.asarray(semi_axes, dtype=float), unit.faces)


def prism(outline: ArrayLike, height: float) -> Mesh:
    """Polygon (K, 2) in the x-y plane, anticlockwise, made ``height`` thick along z about it."""
    polygon = np.asarray(outline, dtype=float)
    count = len(polygon)
    vertices = np.concatenate([np.column_stack([polygon, np.full(count, z * height)]) for z in (-0.5, 0.5)])
    triangles = triangulated(polygon)
    lid = np.column_stack([triangles, triangles[:, 2]])
    return Mesh(vertices, np.concatenate([loft_faces(2, count), lid[:, ::-1], lid + count]))


def triangulated(polygon: Array) -> Faces:
    """Triangles (K - 2, 3) of a simple polygon (K, 2), anticlockwise: ears are cut off one by one."""
    left = list(range(len(polygon)))
    triangles = []
    while len(left) > 3:
        # where only points on one line are left there is no ear, and any triangle of them is empty
        ear = next((k for k in range(len(left)) if _is_ear(polygon, left, k)), 0)
        triangles.append((left[ear - 1], left[ear], left[(ear + 1) % len(left)]))
        del left[ear]
    return np.array([*triangles, tuple(left)], dtype=np.int64)


class Edges(NamedTuple):
    """Edges of a surface: their two vertices and the two faces that meet there, each (E, 2)."""

    vertices: Faces
    faces: Faces


def edges_of(faces: Faces) -> Edges:
    """All edges at which two faces (F, 4) meet."""
    owner = np.repeat(np.arange(len(faces)), 4)
    pairs = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2), axis=1)
    real = pairs[:, 0] != pairs[:, 1]  # a triangle repeats a vertex
    pairs, owner = pairs[real], owner[real]
    order = np.lexsort(pairs.T)
    pairs, owner = pairs[order], owner[order]
    twins = np.flatnonzero(np.all(pairs[:-1] == pairs[1:], axis=1))
    return Edges(pairs[twins], np.stack([owner[twins], owner[twins + 1]], axis=1))


def refined(corners: Array, longest: float) -> Array:
    """Faces (F, 4, 3) with edges no longer than ``longest`` [m]: they are cut across until they are."""
    done = []
    while len(corners):
        edges = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
        worst = edges.argmax(axis=1)
        long = edges.max(axis=1) > longest
        done.append(corners[~long])
        # the longest edge becomes the first one; quadrangles are halved across it, triangles through its middle
        order = (worst[long, None] + np.arange(4)) % 4
        corners = _halved(np.take_along_axis(corners[long], order[:, :, None], axis=1))
    return np.concatenate(done)


def _is_ear(polygon: Array, left: list[int], k: int) -> bool:
    """Whether the corner k turns left and holds no other vertex."""
    names = left[k - 1], left[k], left[(k + 1) % len(left)]
    a, b, c = (polygon[i] for i in names)
    if _cross(b - a, c - b) <= 0.0:
        return False
    others = polygon[[i for i in left if i not in names]]
    sides = [_cross(q - p, others - p) for p, q in ((a, b), (b, c), (c, a))]
    return not np.any(np.all(np.array(sides) >= 0.0, axis=0))


def _cross(a: Array, b: Array) -> Any:
    """z component of the cross product of vectors in the plane."""
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _halved(corners: Array) -> Array:
    """Every face (F, 4, 3) as two, cut through the middle of its first edge."""
    a, b, c, d = np.moveaxis(corners, 1, 0)
    triangle = (np.all(b == c, axis=1) | np.all(c == d, axis=1) | np.all(d == a, axis=1))[:, None]
    ab, cd = 0.5 * (a + b), 0.5 * (c + d)
    apex = np.where(np.all(b == c, axis=1)[:, None], d, c)
    first = np.where(triangle[:, None], np.stack([a, ab, apex, apex], axis=1), np.stack([a, ab, cd, d], axis=1))
    second = np.where(triangle[:, None], np.stack([ab, b, apex, apex], axis=1), np.stack([ab, b, c, cd], axis=1))
    return np.concatenate([first, second])
