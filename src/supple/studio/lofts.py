"""Shapes over rings that frames carry: tubes along lines, arrows, arcs, and many balls at once.

A loft is vertices in the frames of their rings, faces, and the number of the ring of every vertex; where the rings are
is said separately, so one shape serves all states.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array
from supple.loads.contact.shapes import axis_frame
from supple.robot import meshes
from supple.robot.bodies.looks import RodLook
from supple.robot.meshes import Faces
from supple.studio.surfaces import Indices

#: Vertices around a thin line, and around an arrow: so many that sides meet gently (`surfaces.SHARP`) and share them.
ROUND, ARROW_ROUND = 10, 20

#: Radius and length of an arrow's head, relative to the radius of its shaft.
HEAD_WIDE, HEAD_LONG = 2.3, 6.0

#: For each of x, y, z the axis that follows it, and the one after that.
NEXT, AFTER = [1, 2, 0], [2, 0, 1]

#: Neighbouring frames of a line whose y axes differ by more than this cosine are turned with the line instead.
ALIKE = 0.5

#: Cosine below which a line turns back on itself: which way round is as good as the other.
TURNED_BACK = -1.0 + 1e-9


class Loft(NamedTuple):
    """Vertices (V, 3) in the frames of their rings, faces (F, 4), and the ring (V,) of every vertex."""

    vertices: Array
    faces: Faces
    ring: Indices


def rings(radius: ArrayLike, around: int = ROUND) -> Loft:
    """A closed tube over rings of the given radii (M,), each in the y-z plane of its frame."""
    radii = np.asarray(radius, dtype=float)
    angle = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    circle = np.column_stack([np.zeros(around), np.cos(angle), np.sin(angle)])
    vertices = (radii[:, None, None] * circle).reshape(-1, 3)
    ring = np.append(np.repeat(np.arange(len(radii)), around), [0, len(radii) - 1])
    return Loft(np.vstack([vertices, np.zeros((2, 3))]), meshes.solid_faces(len(radii), around), ring)


def skin(look: RodLook) -> Loft:
    """The skin of a rod over the frames of its sections."""
    count, around = look.outline.shape[:2]
    ring = np.repeat(np.arange(count), around)
    if look.hole is None:
        centres = look.outline[[0, -1]].mean(axis=1)
        flat, ring = np.vstack([look.outline.reshape(-1, 2), centres]), np.append(ring, [0, count - 1])
    else:
        flat, ring = np.vstack([look.outline.reshape(-1, 2), look.hole.reshape(-1, 2)]), np.tile(ring, 2)
    return Loft(np.column_stack([np.zeros(len(flat)), flat]), look.faces, ring)


def arrow(radius: float) -> Loft:
    """A straight arrow over four rings: `arrow_frames` says where they are."""
    wide = HEAD_WIDE * radius
    return rings([radius, radius, wide, 0.0], ARROW_ROUND)


def arrow_frames(origin: Array, vector: Array, radius: float) -> Array:
    """Frames (4, 4, 4) of the rings of an arrow from a point (3,) along a vector (3,)."""
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        return np.tile(_at(origin), (4, 1, 1))
    neck = max(length - HEAD_LONG * radius, 0.45 * length)
    frames = np.tile(axis_frame(origin, vector), (4, 1, 1))
    frames[1:, :3, 3] = origin + np.array([neck, neck, length])[:, None] * vector / length
    return frames


def arc_arrow(radius: float, count: int) -> Loft:
    """A bent arrow over ``count`` rings; the last three are its head."""
    return rings([*[radius] * (count - 2), HEAD_WIDE * radius, 0.0], ARROW_ROUND)


def arc_frames(origin: Array, vector: Array, reach: float, radius: float, count: int) -> Array:
    """Frames (count, 4, 4) of the rings of an arrow bent about an axis (3,), three quarters around it.

    ``reach`` [m] is its distance from the axis.
    """
    if not np.any(vector):
        return np.tile(_at(origin), (count, 1, 1))
    head = min(HEAD_LONG * radius / max(reach, 1e-12), 0.9)
    end = 1.5 * np.pi
    angle = np.append(np.linspace(0.0, end - head, count - 2), [end - head, end])
    local = np.zeros((count, 4, 4))
    local[:, 3, 3] = 1.0
    local[:, 1:3, 3] = reach * np.column_stack([np.cos(angle), np.sin(angle)])
    local[:, 1:3, 0] = np.column_stack([-np.sin(angle), np.cos(angle)])  # x along the arc
    local[:, 1:3, 1] = np.column_stack([np.cos(angle), np.sin(angle)])  # y outward
    local[:, :3, 2] = np.cross(local[:, :3, 0], local[:, :3, 1])
    return np.asarray(axis_frame(origin, vector) @ local)


def balls(radius: Array) -> Loft:
    """Balls of radii (m,), one per frame."""
    unit = meshes.ball(1.0)
    count = len(unit.vertices)
    vertices = (radius[:, None, None] * unit.vertices).reshape(-1, 3)
    faces = (unit.faces + count * np.arange(len(radius))[:, None, None]).reshape(-1, 4)
    return Loft(vertices, faces, np.repeat(np.arange(len(radius)), count))


def line_frames(frames: Array) -> Array:
    """Frames (..., N, 4, 4) at the origins of given ones (..., N, 4, 4), with x along the lines through them.

    They turn little about the lines: the y axes follow those of the given frames where these turn smoothly, as sections
    of a rod do; else they are carried along the line without turning about it.  Many lines at once take hardly longer
    than one.
    """
    points, given = frames[..., :3, 3], frames[..., :3, 1]
    steps = np.diff(points, axis=-2)
    tangent = np.concatenate([steps[..., :1, :], steps[..., :-1, :] + steps[..., 1:, :], steps[..., -1:, :]], axis=-2)
    length = _lengths(tangent)
    tangent = np.divide(tangent, length, out=frames[..., :3, 0].copy(), where=length > 0.0)
    y = given - _products(given, tangent) * tangent
    size = _lengths(y)
    y = np.divide(y, size, out=np.zeros_like(y), where=size > 0.0)
    rough = np.any(size < 0.1, axis=(-2, -1)) | np.any(_products(y[..., 1:, :], y[..., :-1, :]) < ALIKE, axis=(-2, -1))
    if np.any(rough):
        y[rough] = _carried_along(tangent[rough])
    result = np.zeros(frames.shape)
    result[..., :3, 0], result[..., :3, 1], result[..., :3, 3] = tangent, y, points
    result[..., :3, 2] = _cross(tangent, y)
    result[..., 3, 3] = 1.0
    return result


def _carried_along(tangent: Array) -> Array:
    """Unit vectors (L, N, 3) normal to tangents (L, N, 3), each the one before it with as little turn as it takes.

    Beside any normals n of the tangents these turn by angles that add up along a line: each is how far n, carried on
    by the least turn from t to t', is from the next one, n'.
    """
    n = _any_normals(tangent)
    m = _cross(tangent, n)
    t, after, carried = tangent[:, :-1], tangent[:, 1:], n[:, :-1]
    # the least turn is c 1 + [w]x + w w^T / (1 + c) with w = t x t', c = t . t'; back along the line it is any
    w, c = _cross(t, after), _products(t, after)
    part = np.divide(_products(w, carried), 1.0 + c, out=np.zeros_like(c), where=c > TURNED_BACK)
    carried = np.where(c > TURNED_BACK, c, 1.0) * carried + _cross(w, carried) + part * w
    turns = np.arctan2(_products(carried, m[:, 1:]), _products(carried, n[:, 1:]))
    angle = np.concatenate([np.zeros((len(t), 1, 1)), np.cumsum(turns, axis=1)], axis=1)
    return np.asarray(np.cos(angle) * n + np.sin(angle) * m)


def _any_normals(tangent: Array) -> Array:
    """Unit vectors (..., 3) normal to tangents (..., 3): with the axis that each is farthest from."""
    normal = _cross(tangent, np.eye(3)[np.argmin(np.abs(tangent), axis=-1)])
    return np.asarray(normal / _lengths(normal))


def _products(a: Array, b: Array) -> Array:
    """Inner products (..., 1) of vectors (..., 3)."""
    return np.asarray(np.einsum("...i,...i->...", a, b)[..., None])


def _lengths(vectors: Array) -> Array:
    """Lengths (..., 1) of vectors (..., 3)."""
    return np.asarray(np.sqrt(_products(vectors, vectors)))


def _cross(a: Array, b: Array) -> Array:
    """The cross product of vectors (..., 3), which NumPy's own function takes five times as long for."""
    return np.asarray(a[..., NEXT] * b[..., AFTER] - a[..., AFTER] * b[..., NEXT])


def coil_points(count: int, turns: int, radius: float) -> Array:
    """Points (count, 3) of a helix about x from 0 to 1, with straight ends."""
    x = np.linspace(0.0, 1.0, count)
    inside = np.clip((x - 0.12) / 0.76, 0.0, 1.0)
    angle, reach = 2.0 * np.pi * turns * inside, radius * np.clip(np.minimum(inside, 1.0 - inside) / 0.02, 0.0, 1.0)
    return np.column_stack([x, reach * np.cos(angle), reach * np.sin(angle)])


def _at(point: Array) -> Array:
    frame = np.eye(4)
    frame[:3, 3] = point
    return frame
