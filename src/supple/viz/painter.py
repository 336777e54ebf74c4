"""Faces and lines in space, painted from back to front into one collection of polygons.

Sorting all faces of a picture together hides what is hidden, across links; culling, shading and projecting them as
arrays makes a frame of an animation in milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from supple.checks import Array
from supple.viz.camera import Camera
from supple.viz.style import SHADOW, faded, rgb

#: Layers from back to front; within one the nearer is painted over the farther.
GROUND, BEHIND, BODY, FRONT, TOP = 0, 1, 2, 1000, 1001

#: Where the light comes from, in the picture's axes: over the left shoulder.
LIGHT = np.array([-0.42, 0.62, 0.66])

#: How dark a face turned away is, and how strong the gloss of one that faces the light.
AMBIENT, GLOSS = 0.58, 0.14

#: How dark shadows are.
SHADOW_DEPTH = 0.13

#: Width in points of the seams that close the gaps between neighbouring faces.
SEAM = 0.6


@dataclass
class Painter:
    """A picture under construction: faces and lines are collected, then painted from back to front."""

    camera: Camera
    unit: float = 0.0  #: length of a point (1/72 inch) of the picture, m
    weight: float = 1.0  #: by which widths of lines are multiplied, for small pictures
    _shadow: list[Array] = field(default_factory=list)
    _corners: list[Array] = field(default_factory=list)
    _fill: list[Array] = field(default_factory=list)
    _edge: list[Array] = field(default_factory=list)
    _width: list[Array] = field(default_factory=list)
    _layer: list[Array] = field(default_factory=list)
    _depth: list[Array] = field(default_factory=list)

    def faces(
        self,
        corners: Array,
        colour: str | Array,
        *,
        layer: float = BODY,
        alpha: float = 1.0,
        shaded: bool = True,
        fade: float = 0.0,
        bias: float = 0.0,
        facing: bool | None = True,
    ) -> None:
        """Add faces (N, 4, 3), anticlockwise seen from outside.

        Parameters
        ----------
        corners : (N, 4, 3)
            World points, m.
        colour : str or (3,)
            Of a face that is fully lit.
        layer : float
            What is painted over what, before depth.
        alpha : float
            1 is opaque.
        shaded : bool
            Whether light matters.
        fade : float
            0 full colours, 1 white.
        bias : float
            Moves them nearer to the eye in painting order, not in place, m.
        facing : bool, optional
            True: only faces turned towards the eye; False: only the others, seen from inside; None: all.
        """
        normal = unit_normals(corners)
        turned = normal @ self.camera.toward
        if facing is not None:
            kept = turned > 0.0 if facing else turned < 0.0
            corners, normal, turned = corners[kept], normal[kept], turned[kept]
        base = rgb(colour) if isinstance(colour, str) else colour
        fill = np.empty((len(corners), 4))
        fill[:, :3], fill[:, 3] = base, alpha
        if shaded:
            fill[:, :3] = self._lit(fill[:, :3], normal * np.sign(turned)[:, None])
        fill[:, :3] = faded(fill[:, :3], fade)
        edge = fill.copy()
        if alpha < 1.0:
            edge[:, 3] = 0.0  # overlapping seams would show
        depth = self.camera.depth(corners.mean(axis=1)) + bias
        self._add(corners, fill, edge, np.full(len(corners), SEAM), layer, depth)

    def lines(
        self, starts: Array, ends: Array, colour: str | Array, width: float, *, layer: float, bias: Array | float
    ) -> None:
        """Add segments (N, 3) to (N, 3).

        ``colour`` is one, or (N, 3) or (N, 4); ``width`` in points; ``bias`` in m moves them nearer to the eye in
        painting order, not in place.
        """
        count = len(starts)
        base = rgb(colour) if isinstance(colour, str) else np.asarray(colour)
        edge = np.ones((count, 4))
        edge[:, : base.shape[-1]] = base
        corners = np.stack([starts, ends, ends, starts], axis=1)
        depth = self.camera.depth(0.5 * (starts + ends)) + bias
        self._add(corners, np.zeros((count, 4)), edge, np.full(count, self.weight * width), layer, depth)

    def path(
        self, points: Array, colour: str | Array, width: float, *, layer: float = BODY, bias: Array | float = 0.0
    ) -> None:
        """Add a line through points (N, 3)."""
        if np.ndim(bias):
            bias = 0.5 * (np.asarray(bias)[:-1] + np.asarray(bias)[1:])
        self.lines(points[:-1], points[1:], colour, width, layer=layer, bias=bias)

    def dot(self, point: Array, colour: str | Array, width: float, *, layer: float) -> None:
        """Add a round spot of so many points at a point (3,)."""
        angle = np.linspace(0.0, 2.0 * np.pi, 17)
        circle = np.outer(np.cos(angle), self.camera.right) + np.outer(np.sin(angle), self.camera.up)
        rim = point + 0.5 * self.weight * width * self.unit * circle
        middle = np.tile(point, (8, 1))
        corners = np.stack([rim[0:16:2], rim[1:17:2], rim[2:18:2], middle], axis=1)
        self.faces(corners, colour, layer=layer, shaded=False, facing=None)

    def paint(self, ax: Axes) -> None:
        """Put everything on axes, the farthest first; shadows fall on the ground and on nothing else."""
        corners = np.concatenate([np.zeros((0, 4, 3)), *self._corners])
        fill, edge = (np.concatenate([np.zeros((0, 4)), *part]) for part in (self._fill, self._edge))
        width, depth, layer = (np.concatenate([np.zeros(0), *part]) for part in (self._width, self._depth, self._layer))
        order = np.lexsort((depth, layer))
        below = layer[order] == GROUND
        for chosen, zorder in ((order[below], 1.0), (order[~below], 2.0)):
            polygons: Any = self.camera.project(corners[chosen])  # as one array: matplotlib is quick with it
            collection = PolyCollection(
                polygons,
                facecolors=fill[chosen],
                edgecolors=edge[chosen],
                linewidths=width[chosen],
                closed=True,  # lines, too: there and back
                joinstyle="round",
                zorder=zorder,
            )
            ax.add_collection(collection, autolim=False)
        if self._shadow:
            self._paint_shadow(ax, 1.5)

    def shadow(self, corners: Array) -> None:
        """Add faces (N, 4, 3) of a shadow, all anticlockwise or all clockwise: however they overlap, they are one."""
        self._shadow.append(corners)

    def _paint_shadow(self, ax: Axes, zorder: float) -> None:
        flat = self.camera.project(np.concatenate(self._shadow))
        vertices = np.concatenate([flat, flat[:, :1]], axis=1).reshape(-1, 2)
        codes = np.tile([Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], len(flat))
        patch = PathPatch(Path(vertices, codes), facecolor=SHADOW, alpha=SHADOW_DEPTH, lw=0.0, zorder=zorder)
        ax.add_artist(patch)  # add_patch would look for the extrema of every edge

    def _lit(self, colour: Array, normal: Array) -> Array:
        camera = self.camera
        light = LIGHT @ np.array([camera.right, camera.up, camera.toward]) / np.linalg.norm(LIGHT)
        lit = np.clip(normal @ light, 0.0, 1.0)[:, None]
        return np.asarray(np.clip(colour * (AMBIENT + (1.0 - AMBIENT) * lit) + GLOSS * lit**12, 0.0, 1.0))

    def _add(self, corners: Array, fill: Array, edge: Array, width: Array, layer: float, depth: Array) -> None:
        self._corners.append(corners)
        self._fill.append(fill)
        self._edge.append(edge)
        self._width.append(np.asarray(width, dtype=float))
        self._layer.append(np.full(len(corners), layer))
        self._depth.append(depth)


def unit_normals(corners: Array) -> Array:
    """Outward normals (N, 3) of faces (N, 4, 3); zero for faces without area."""
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    size = np.linalg.norm(normal, axis=1, keepdims=True)
    return np.asarray(np.divide(normal, size, out=np.zeros_like(normal), where=size > 0.0))
