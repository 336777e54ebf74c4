"""Shapes over rings that frames carry: tubes along lines, arrows, arcs, and many balls at once.

A loft is vertices in the frames of their rings, faces, and the number of the ring of every vertex; where the rings are
is said separately, so one shape serves all states.
"""

from __future__ import annotations

import math
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
    """Frames (N, 4, 4) at the origins of frames (N, 4, 4) with x along the line through them, turning little.

    The y axes follow those of the given frames where these turn smoothly, as sections of a rod do; else they are
    carried along the line without turning about it.
    """
    points = frames[:, :3, 3]
    steps = np.diff(points, axis=0)
    tangent = np.vstack([steps[:1], steps[:-1] + steps[1:], steps[-1:]])
    length = np.linalg.norm(tangent, axis=1, keepdims=True)
    tangent = np.divide(tangent, length, out=frames[:, :3, 0].copy(), where=length > 0.0)
    y = frames[:, :3, 1] - np.sum(frames[:, :3, 1] * tangent, axis=1, keepdims=True) * tangent
    size = np.linalg.norm(y, axis=1, keepdims=True)
    y = np.divide(y, size, out=np.zeros_like(y), where=size > 0.0)
    if np.any(size < 0.1) or np.any(np.sum(y[1:] * y[:-1], axis=1) < ALIKE):
        y = _carried_along(tangent)
    result = np.zeros((len(points), 4, 4))
    result[:, :3, 0], result[:, :3, 1], result[:, :3, 3] = tangent, y, points
    # the cross product, which NumPy's own function takes five times as long for
    result[:, :3, 2] = tangent[:, NEXT] * y[:, AFTER] - tangent[:, AFTER] * y[:, NEXT]
    result[:, 3, 3] = 1.0
    return result


def _carried_along(tangent: Array) -> Array:
    """Unit vectors (N, 3) normal to tangents (N, 3), each the one before it with as little turn as it takes."""
    a, b, c = axis_frame(np.zeros(3), tangent[0])[:3, 1].tolist()
    rows = [(a, b, c)]
    for x, y, z in tangent[1:].tolist():  # plain numbers: each needs the one before, and arrays of three are slow
        along = a * x + b * y + c * z
        a, b, c = a - along * x, b - along * y, c - along * z
        size = math.sqrt(a * a + b * b + c * c)
        if size > 1e-6:
            a, b, c = a / size, b / size, c / size
        else:
            a, b, c = axis_frame(np.zeros(3), np.array([x, y, z]))[:3, 1].tolist()
        rows.append((a, b, c))
    return np.array(rows)


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
