"""Surfaces as graphics cards take them: triangles, with vertices doubled along sharp edges, and their normals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.checks import Array
from supple.robot.meshes import Faces

Indices = NDArray[np.int64]

#: Cosine of the angle between faces beyond which their common edge is sharp.
SHARP = 0.8


class Surface(NamedTuple):
    """Triangles whose vertices have one normal each.

    Attributes
    ----------
    source : (V,)
        Which of the given vertices every vertex is: those at sharp edges appear several times.
    faces : (F, 3)
        Triangles between the new vertices, anticlockwise seen from outside.
    normals : (V, 3)
        Outward, of unit length.
    """

    source: Indices
    faces: Indices
    normals: Array


def triangles(faces: Faces) -> Indices:
    """Triangles (T, 3) of faces (F, 4), of which some are triangles that repeat a vertex."""
    halves = faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]
    real = [(a != b) & (b != c) & (c != a) for a, b, c in (half.T for half in halves)]
    return np.concatenate([half[kept] for half, kept in zip(halves, real, strict=True)]).astype(np.int64, copy=False)


def smooth_surface(vertices: Array, faces: Indices, sharp: float = SHARP) -> Surface:
    """A surface that looks round where it is round: vertices (V, 3) are shared by faces (F, 3) that meet gently.

    Corners of triangles are joined across every edge that is not sharp; what hangs together is one vertex, and its
    normal is the mean of its faces' normals, by area.
    """
    corner = vertices[faces]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])  # twice the area long
    size = np.linalg.norm(normal, axis=1)
    unit = np.divide(normal, size[:, None], out=np.zeros_like(normal), where=size[:, None] > 0.0)
    here, there = _joined_corners(faces, unit, size > 0.0, sharp)
    label = groups(faces.size, here, there)
    number = int(label.max(initial=-1)) + 1
    source = np.zeros(number, dtype=np.int64)
    source[label] = faces.ravel()
    sums = np.stack([np.bincount(label, np.repeat(normal[:, k], 3), number) for k in range(3)], axis=1)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    normals = np.divide(sums, length, out=np.tile([1.0, 0.0, 0.0], (number, 1)), where=length > 0.0)
    return Surface(source, label.reshape(-1, 3), normals)


def groups(count: int, one: Indices, other: Indices) -> Indices:
    """The number of the group, from zero on, of each of ``count`` things of which pairs (P,) hang together.

    Everything points to the first of those that it is known to hang together with.  Of two such firsts with a pair
    between their groups the later points to the earlier, and all to where that leads, until no pair is left: at least
    half of the firsts that have pairs go every time.  Groups are numbered by their first things.  (SciPy has this, too;
    to load it takes longer than to draw most robots.)
    """
    least = np.arange(count)
    while len(one):
        one, other = least[one], least[other]
        apart = one != other
        one, other = one[apart], other[apart]
        least[np.maximum(one, other)] = np.minimum(one, other)  # of several, whichever: the others are still apart
        while not np.array_equal(further := least[least], least):
            least = further
    return (np.cumsum(least == np.arange(count)) - 1)[least]


def _joined_corners(faces: Indices, unit: Array, real: NDArray[np.bool_], sharp: float) -> tuple[Indices, Indices]:
    """Pairs of corners (numbered 3 f + k) at one vertex, of faces that meet at an edge that is not sharp."""
    following = np.roll(faces, -1, axis=1)
    # a number for every edge, either way round; those of faces that meet are neighbours among the sorted ones
    edge = (np.minimum(faces, following) * (int(faces.max(initial=0)) + 1) + np.maximum(faces, following)).ravel()
    order = np.argsort(edge, kind="stable")
    edge = edge[order]
    twins = np.flatnonzero(edge[:-1] == edge[1:])
    one, other = order[twins], order[twins + 1]
    first, second = one // 3, other // 3
    # a face without area has no direction: it is smooth with whatever it touches
    gentle = (np.einsum("ij,ij->i", unit[first], unit[second]) > sharp) | ~real[first] | ~real[second]
    one, other = one[gentle], other[gentle]
    ends = _next_corner(one), _next_corner(other)
    same_way = faces.ravel()[one] == faces.ravel()[other]
    near, far = np.where(same_way, other, ends[1]), np.where(same_way, ends[1], other)
    return np.concatenate([one, ends[0]]), np.concatenate([near, far])


def _next_corner(corner: Indices) -> Indices:
    """Corners (N,) that follow corners (N,) of their triangles; both numbered 3 f + k."""
    return np.where(corner % 3 == 2, corner - 2, corner + 1)
