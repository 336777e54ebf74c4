"""Outlines of sections as contacts see them: a circle, an ellipse or a convex polygon about the centreline.

The union of all circles inscribed in a convex outline is the outline itself.  Those of an ellipse with semi-axes a >= b
have their centres on the long axis within (a^2 - b^2) / a of the middle, and at t the radius

    r(t) = b sqrt(1 - t^2 / f^2),     f^2 = a^2 - b^2,

those that matter of a rectangle (2 a by 2 b) the radius b within a - b of the middle; what they leave are the corners.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from supple.checks import Array
from supple.lie.pose import pose
from supple.robot import meshes
from supple.robot.meshes import Mesh
from supple.sections.direct import Section
from supple.sections.shapes import Annulus, Circle, Ellipse, Rectangle
from supple.sections.shapes import Shape as SectionShape

#: Semi-axes closer than this, relatively, are those of a circle.
ROUNDNESS = 1e-9

#: Columns are the axes of a section's frame in that of the rod: its long axis along y, or along z.
_ALONG_Y = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
_ALONG_Z = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


@dataclass(frozen=True)
class Round:
    """A circle about the centreline."""

    radius: float

    @property
    def reach(self) -> float:
        """Of the smallest circle about the centreline that holds it, m."""
        return self.radius


@dataclass(frozen=True)
class Oval:
    """An ellipse, ``long`` > ``short`` > 0 its semi-axes [m], the long one along y or along z."""

    long: float
    short: float
    along_y: bool

    @property
    def reach(self) -> float:
        """Of the smallest circle about the centreline that holds it, m."""
        return self.long

    @property
    def focal(self) -> float:
        """Distance of the foci from the centre, m."""
        return float(np.sqrt(self.long**2 - self.short**2))

    @property
    def half(self) -> float:
        """How far from the middle the centres of inscribed circles lie, m."""
        return self.focal**2 / self.long

    def frame(self, t: float) -> Array:
        """A frame on the long axis, t from the centre, its x along it."""
        return _long_frame(self.along_y, t)

    def mesh(self) -> Mesh:
        """The spheroid of all inscribed spheres."""
        axes = (self.short, self.long, self.short) if self.along_y else (self.short, self.short, self.long)
        return meshes.ellipsoid(axes)


@dataclass(frozen=True, eq=False)
class Polygon:
    """A convex polygon: ``corners`` (K, 2) = (y, z), and the circles along its middle.

    Attributes
    ----------
    half, radius : float
        Half the length of the middle [m], 0 for a single circle about the centreline, and the circles' radius [m].
    along_y : bool
        Whether the middle runs along y, else along z.
    """

    corners: Array
    half: float
    radius: float
    along_y: bool = True

    @property
    def reach(self) -> float:
        """Of the smallest circle about the centreline that holds it, m."""
        return float(np.linalg.norm(self.corners, axis=1).max())

    def frame(self, t: float) -> Array:
        """A frame on the middle, t from the centreline, its x along it."""
        return _long_frame(self.along_y, t)

    def mesh(self) -> Mesh:
        """A plate as thick as the circles are wide (one of no width: a thin one)."""
        if len(self.corners) < 3:
            return meshes.capsule(2.0 * self.half, 0.0).moved(self.frame(0.0))
        plate = meshes.prism(self.corners, 2.0 * max(self.radius, 0.05 * self.reach))
        turn = np.eye(4)
        turn[:3, :3] = _ALONG_Y  # the polygon's x and y become y and z, its height x
        return plate.moved(turn)


Outline: TypeAlias = Round | Oval | Polygon


def section_outline(section: SectionShape | Section, s: float) -> Outline:
    """What a contact sees of a section at station s."""
    if isinstance(section, Section):
        return Round(section.outline_radius(s)) if section.shape is None else section_outline(section.shape, s)
    y, z = section.half_extents(s)
    if isinstance(section, (Circle, Annulus)):
        return Round(y)
    if isinstance(section, Rectangle):
        return _rectangle(y, z)
    if isinstance(section, Ellipse) or type(section).outline is SectionShape.outline:
        return _ellipse(y, z)
    return _polygon(section.outline(s))


def _ellipse(y: float, z: float) -> Outline:
    if abs(y - z) <= ROUNDNESS * max(y, z):
        return Round(y)
    return _edge(y, z) if min(y, z) == 0.0 else Oval(max(y, z), min(y, z), y > z)


def _edge(y: float, z: float) -> Outline:
    """Where a taper ends: in an edge, or in a point."""
    if max(y, z) == 0.0:
        return Round(0.0)
    return Polygon(np.array([(y, z), (-y, -z)]), max(y, z), 0.0, y > z)


def _rectangle(y: float, z: float) -> Outline:
    if min(y, z) == 0.0:
        return _edge(y, z)
    corners = np.array([(y, z), (-y, z), (-y, -z), (y, -z)])
    return Polygon(corners, abs(y - z), min(y, z), y >= z)


def _polygon(outline: Array) -> Outline:
    """The convex hull of any outline, and the largest circle about the centreline that it holds."""
    corners = convex_hull(np.asarray(outline, dtype=np.float64))
    distance = np.linalg.norm(corners, axis=1)
    if np.ptp(distance) <= ROUNDNESS * distance.max(initial=0.0):
        return Round(float(distance.max(initial=0.0)))
    following = np.roll(corners, -1, axis=0)
    edge = following - corners
    # signed distance of the centreline from every edge, positive inside: the corners run anticlockwise
    depth = (corners[:, 0] * following[:, 1] - corners[:, 1] * following[:, 0]) / np.linalg.norm(edge, axis=1)
    return Polygon(corners, 0.0, max(float(depth.min()), 0.0))


def convex_hull(points: Array) -> Array:
    """Corners (K, 2) of the convex hull of points (M, 2), anticlockwise (Andrew's monotone chain)."""
    ordered = np.unique(points, axis=0)
    if len(ordered) < 3:
        return ordered

    def chain(along: Array) -> list[Array]:
        hull: list[Array] = []
        for point in along:
            while len(hull) > 1 and _turn(hull[-2], hull[-1], point) <= 0.0:
                hull.pop()
            hull.append(point)
        return hull[:-1]

    return np.array(chain(ordered) + chain(ordered[::-1]))


def _turn(a: Array, b: Array, c: Array) -> float:
    """Twice the area of the triangle a, b, c: positive for a turn to the left."""
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))


def _long_frame(along_y: bool, t: float) -> Array:
    axis = _ALONG_Y if along_y else _ALONG_Z
    return pose(t * axis[:, 0], rotation=axis)
