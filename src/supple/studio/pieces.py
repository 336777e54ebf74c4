"""Pieces of a picture in space: surfaces that are carried by frames, for browsers and for files alike.

A piece never changes; where it is in a state is a `Placed`. A rigid body has one frame. The skin of a rod is a loft:
every vertex belongs to the frame of its section, which is exact, and is what graphics cards call skinning with one
bone per vertex. Only soft bodies have vertices of their own in every state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from supple.checks import Array
from supple.robot.meshes import Faces
from supple.studio.surfaces import Indices, smooth_surface, triangles

#: What can be shown or hidden, in the order of the panel.
LAYERS = ("links", "lines", "loads", "loops", "contacts", "forces", "reactions", "trails", "frames")

#: Vertices closer than this, relative to the size of the whole, are one.
SAME = 1e-7


class Placed(NamedTuple):
    """Where a piece is in one state.

    Attributes
    ----------
    frames : (M, 4, 4)
        World poses of its frames.
    vertices : (V, 3) or None
        Its vertices in the first frame, m, if they change.
    colour : (3,) or None
        If it is not the piece's own.
    visible : bool
    """

    frames: Array
    vertices: Array | None = None
    colour: Array | None = None
    visible: bool = True


@dataclass(frozen=True, eq=False)
class Piece:
    """A surface and how it looks.

    Attributes
    ----------
    name : str
        Unique in a robot, such as "links/arm".
    layer : str
        One of `LAYERS`.
    link : str
        The link that it shows, which is pulled when somebody drags it; empty for others.
    vertices : (V, 3)
        Each in its frame, m.
    faces : (F, 3)
    normals : (V, 3)
        Each in its frame.
    ring : (V,)
        Which of the frames carries each vertex.
    frames : int
        How many there are.
    source : (V,)
        Number of each vertex in what it was made of, where some of these appear once.
    free : bool
        Whether vertices are given anew in every state.
    colour : (3,)
        From 0 to 1.
    opacity : float
    """

    name: str
    layer: str
    link: str
    vertices: Array
    faces: Indices
    normals: Array
    ring: Indices
    frames: int
    source: Indices
    free: bool
    colour: Array
    opacity: float = 1.0

    def world(self, placed: Placed) -> Array:
        """World points (V, 3) of its vertices."""
        return _carried(self.vertices if placed.vertices is None else placed.vertices, self.ring, placed.frames)


class Paint(NamedTuple):
    """Name and look of a piece to be made."""

    name: str
    layer: str
    colour: Array
    link: str = ""
    opacity: float = 1.0


def rigid_piece(paint: Paint, vertices: Array, faces: Faces, free: bool = False) -> Piece:
    """A piece with one frame, of vertices (V, 3) in it and faces (F, 4)."""
    return loft_piece(paint, vertices, faces, np.zeros(len(vertices), dtype=np.int64), np.eye(4)[None], free)


def loft_piece(paint: Paint, vertices: Array, faces: Faces, ring: Indices, frames: Array, free: bool = False) -> Piece:
    """A piece whose vertices (V, 3) belong to frames ``ring`` (V,); edges are judged at some frames (M, 4, 4)."""
    surface = smooth_surface(_carried(vertices, ring, frames), triangles(_merged(vertices, ring)[faces]))
    source = surface.source
    if len(frames) == 1:
        normals = surface.normals @ frames[0, :3, :3]
    else:
        normals = np.einsum("vji,vj->vi", frames[ring[source], :3, :3], surface.normals)
    return Piece(
        paint.name, paint.layer, paint.link, vertices[source], surface.faces, normals, ring[source], len(frames),
        source, free, np.asarray(paint.colour, dtype=float), paint.opacity,
    )  # fmt: skip


def _carried(vertices: Array, ring: Indices, frames: Array) -> Array:
    """World points (V, 3) of vertices (V, 3) in frames (M, 4, 4) number ``ring`` (V,)."""
    if len(frames) == 1:
        return np.asarray(vertices @ frames[0, :3, :3].T + frames[0, :3, 3])
    own = frames[ring]
    return np.asarray(np.einsum("vij,vj->vi", own[:, :3, :3], vertices) + own[:, :3, 3])


def _merged(vertices: Array, ring: Indices) -> Indices:
    """For every vertex (V,) the first one at the same place of the same frame: poles of balls are one point each."""
    size = float(np.ptp(vertices, axis=0).max(initial=0.0)) or 1.0
    keys = [*np.round(vertices.T / (SAME * size)).astype(np.int64), ring]
    order = np.lexsort(keys)
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
    first = np.empty_like(order)
    first[order] = order[new][np.cumsum(new) - 1]
    return first


def wxyz(rotation: Array) -> Array:
    """Unit quaternions (..., 4), scalar first and not negative, of rotations (..., 3, 3)."""
    r = np.asarray(rotation, dtype=float)
    xx, yy, zz = r[..., 0, 0], r[..., 1, 1], r[..., 2, 2]
    # four times the products q_i q_j; the row with the largest diagonal loses no digits
    table = np.stack([
        np.stack([1.0 + xx + yy + zz, r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0],
                  r[..., 1, 0] - r[..., 0, 1]], axis=-1),
        np.stack([r[..., 2, 1] - r[..., 1, 2], 1.0 + xx - yy - zz, r[..., 0, 1] + r[..., 1, 0],
                  r[..., 0, 2] + r[..., 2, 0]], axis=-1),
        np.stack([r[..., 0, 2] - r[..., 2, 0], r[..., 0, 1] + r[..., 1, 0], 1.0 - xx + yy - zz,
                  r[..., 1, 2] + r[..., 2, 1]], axis=-1),
        np.stack([r[..., 1, 0] - r[..., 0, 1], r[..., 0, 2] + r[..., 2, 0], r[..., 1, 2] + r[..., 2, 1],
                  1.0 - xx - yy + zz], axis=-1),
    ], axis=-2)  # fmt: skip
    best = np.argmax(np.diagonal(table, axis1=-2, axis2=-1), axis=-1)
    row = np.take_along_axis(table, best[..., None, None], axis=-2)[..., 0, :]
    row = row / np.linalg.norm(row, axis=-1, keepdims=True)
    return np.asarray(np.where(row[..., :1] < 0.0, -row, row))
