"""Lines around the walls of cavities, for pictures: material points on rings, one ring after the other."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from supple.checks import Array

#: Rings of a wall, and points around the bore of a cylinder.
RINGS, AROUND = 5, 24


def bore_rings(radii: Callable[[Array], Array], length: float) -> Array:
    """Points (P, 3) around a bore of radius ``radii(x)`` along x, from base to tip."""
    x, angle = np.linspace(0.0, length, RINGS), np.linspace(0.0, 2.0 * np.pi, AROUND + 1)
    circle = np.column_stack([np.zeros(AROUND + 1), np.cos(angle), np.sin(angle)])
    return np.concatenate([r * circle + (at, 0.0, 0.0) for at, r in zip(x, radii(x), strict=True)])


def surface_rings(vertices: Array, triangles: np.ndarray) -> Array:
    """Points (P, 3) where planes across its longest direction cut a closed surface, each ring closed."""
    axis = int(np.argmax(np.ptp(vertices, axis=0)))
    low, high = vertices[:, axis].min(), vertices[:, axis].max()
    levels = low + (high - low) * (np.arange(RINGS) + 0.5) / RINGS
    return np.concatenate([ring for level in levels for ring in _cut(vertices, triangles, axis, float(level))])


def wall_rings(points: Array) -> Array:
    """Some of the points (P, 3) of a wall: rows of them across its longest direction, each as a closed ring."""
    axis = int(np.argmax(np.ptp(points, axis=0)))
    place = np.round(points[:, axis], 9)
    levels = np.unique(place)
    inner = levels[1:-1] if len(levels) > 2 else levels
    chosen = inner[np.unique(np.linspace(0, len(inner) - 1, RINGS).round().astype(int))]
    rings = []
    for level in chosen:
        row = points[place == level]
        away = np.delete(row - row.mean(axis=0), axis, axis=1)
        row = row[np.argsort(np.arctan2(away[:, 1], away[:, 0]), kind="stable")]
        rings.append(np.vstack([row, row[:1]]))
    return np.concatenate(rings)


def _cut(vertices: Array, triangles: np.ndarray, axis: int, level: float) -> list[Array]:
    """Closed rings (k, 3) in which a plane cuts a closed surface.

    The plane crosses no edge or two of every triangle, and every edge belongs to two triangles: rings pass from edge to
    edge.
    """
    above = vertices[:, axis] > level
    neighbours: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for a, b, c in triangles.tolist():
        crossed = [(min(i, j), max(i, j)) for i, j in ((a, b), (b, c), (c, a)) if above[i] != above[j]]
        for one, other in ((0, 1), (1, 0)) if crossed else ():
            neighbours.setdefault(crossed[one], []).append(crossed[other])
    rings = []
    while neighbours:
        edge: tuple[int, int] | None = next(iter(neighbours))
        ring = []
        while edge is not None:
            ring.append(edge)
            edge = next((following for following in neighbours.pop(edge) if following in neighbours), None)
        ring.append(ring[0])
        start, end = (vertices[list(ends)] for ends in zip(*ring, strict=True))
        share = (level - start[:, axis]) / (end[:, axis] - start[:, axis])
        rings.append(start + share[:, None] * (end - start))
    return rings
