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
    first, second = faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]
    both = np.concatenate([first, second])
    real = (both[:, 0] != both[:, 1]) & (both[:, 1] != both[:, 2]) & (both[:, 2] != both[:, 0])
    return np.asarray(both[real], dtype=np.int64)


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

    Everything points to the least that it is known to hang together with, and then to what that one points to, until
    nothing changes.  Groups are numbered by their first things.  (SciPy has this, too; to load it takes longer than to
    draw most robots.)
    """
    least = np.arange(count)
    while True:
        before = least.copy()
        joint = np.minimum(least[one], least[other])
        for ends in (one, other):
            np.minimum.at(least, before[ends], joint)  # what it pointed to follows
            np.minimum.at(least, ends, joint)
        least = least[least]
        if np.array_equal(least, before):
            return np.unique(least, return_inverse=True)[1].astype(np.int64).reshape(-1)


def _joined_corners(faces: Indices, unit: Array, real: NDArray[np.bool_], sharp: float) -> tuple[Indices, Indices]:
    """Pairs of corners (numbered 3 f + k) at one vertex, of faces that meet at an edge that is not sharp."""
    corner = np.arange(faces.size).reshape(-1, 3)
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=-1).reshape(-1, 2)
    at = np.stack([corner, np.roll(corner, -1, axis=1)], axis=-1).reshape(-1, 2)
    turned = ends[:, 0] > ends[:, 1]
    ends[turned], at[turned] = ends[turned][:, ::-1], at[turned][:, ::-1]
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    ends, at = ends[order], at[order]
    twins = np.flatnonzero(np.all(ends[:-1] == ends[1:], axis=1))
    one, other = at[twins] // 3, at[twins + 1] // 3
    first, second = one[:, 0], other[:, 0]
    # a face without area has no direction: it is smooth with whatever it touches
    gentle = (np.einsum("ij,ij->i", unit[first], unit[second]) > sharp) | ~real[first] | ~real[second]
    return at[twins][gentle].ravel(), at[twins + 1][gentle].ravel()
