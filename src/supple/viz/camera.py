"""The eye: where it looks from, and the window of the picture. Projection is parallel, so lengths compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from supple.checks import Array
from supple.viz.style import Style

#: Azimuth and elevation in degrees: in general, and for robots that are thin along the first or the second
#: horizontal axis, or along the vertical one.
OBLIQUE, ACROSS_FIRST, ACROSS_SECOND, FROM_ABOVE = (-58.0, 20.0), (-22.0, 16.0), (-70.0, 16.0), (-60.0, 42.0)

#: A robot is thin along an axis if it extends less than this along it, relative to the second smallest extent.
THIN = 0.3

#: Without gravity, one that extends less than this moves in a plane, and is seen from straight in front of it.
FLAT = 0.15
FACING = ((0.0, 0.0), (-90.0, 0.0), (-90.0, 90.0))


class Window(NamedTuple):
    """Part of the picture's plane, m."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def width(self) -> float:
        """From left to right, m."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """From bottom to top, m."""
        return self.top - self.bottom

    def resized(self, size: tuple[float, float] | None) -> Window:
        """The window of that width and height about the same centre; this one if it is None."""
        if size is None:
            return self
        x, y, (width, height) = 0.5 * (self.left + self.right), 0.5 * (self.bottom + self.top), size
        return Window(x - 0.5 * width, x + 0.5 * width, y - 0.5 * height, y + 0.5 * height)


@dataclass(frozen=True, eq=False)
class Camera:
    """A parallel projection.

    Attributes
    ----------
    right, up, toward : (3,)
        Axes of the picture in the world: to the right, upward, towards the eye; orthonormal.
    vertical : (3,)
        What points up in the world.
    """

    right: Array
    up: Array
    toward: Array
    vertical: Array

    @staticmethod
    def looking(azimuth: float, elevation: float, vertical: Array) -> Camera:
        """From a direction in degrees about and above the plane normal to ``vertical`` (3,).

        With z up, azimuth 0 looks from +x, 90 from +y.
        """
        first, second, upward = level_axes(vertical)
        a, e = np.radians(azimuth), np.radians(elevation)
        level = np.cos(a) * first + np.sin(a) * second
        toward = np.cos(e) * level + np.sin(e) * upward
        right = -np.sin(a) * first + np.cos(a) * second
        return Camera(right, np.cross(toward, right), toward, upward)

    @staticmethod
    def choose(style: Style, cloud: Array, gravity: Array) -> Camera:
        """What the style asks for; else a view that shows the extents of a cloud of points (N, 3) well."""
        if style.up is not None:
            vertical = np.asarray(style.up, dtype=float)
        else:
            vertical = -gravity if np.any(gravity) else np.array([0.0, 0.0, 1.0])
        azimuth, elevation = _best_view(cloud, vertical, not np.any(gravity)) if style.view is None else style.view
        return Camera.looking(azimuth, elevation, vertical)

    def project(self, points: Array) -> Array:
        """Places (..., 2) in the picture of world points (..., 3), m."""
        return np.stack([points @ self.right, points @ self.up], axis=-1)

    def depth(self, points: Array) -> Array:
        """How near (...,) world points (..., 3) are, m: larger is nearer."""
        return np.asarray(points @ self.toward)

    def window(self, points: Array) -> Window:
        """The smallest window that shows all points (N, 3)."""
        flat = self.project(points)
        (left, bottom), (right, top) = flat.min(axis=0), flat.max(axis=0)
        least = 1e-3 * max(right - left, top - bottom) or 0.5  # a single point has room of a metre
        return Window(left - least, right + least, bottom - least, top + least)


def level_axes(vertical: Array) -> tuple[Array, Array, Array]:
    """Two horizontal axes and the vertical one, right-handed; x, y, z if z is up."""
    upward = vertical / np.linalg.norm(vertical)
    start = np.eye(3)[0] if abs(upward[0]) < 0.9 else np.eye(3)[1]
    first = start - (start @ upward) * upward
    first /= np.linalg.norm(first)
    return first, np.cross(upward, first), upward


def _best_view(cloud: Array, vertical: Array, weightless: bool) -> tuple[float, float]:
    axes = np.array(level_axes(vertical))
    extents = np.ptp(cloud @ axes.T, axis=0)
    low, middle = np.sort(extents)[:2]
    if low > THIN * middle:
        return OBLIQUE
    thin = int(np.argmin(extents))
    if weightless and low < FLAT * middle:
        return FACING[thin]
    return (ACROSS_FIRST, ACROSS_SECOND, FROM_ABOVE)[thin]
