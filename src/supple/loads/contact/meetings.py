"""Which spheres meet which surfaces when one shape touches another (see `shapes` and `distance` beside it)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from supple.errors import ModelError
from supple.lie.pose import pose
from supple.loads.contact.distance import ROUND
from supple.loads.contact.outlines import Oval, Polygon, Round
from supple.loads.contact.shapes import (
    Ball,
    Box,
    Capsule,
    ContactShape,
    ContactSphere,
    Meeting,
    Plane,
    Spheres,
    Surface,
    Tube,
)
from supple.robot.stations import MaterialPoint

if TYPE_CHECKING:
    from supple.compilation.binder import Binder

#: Sections of one rod do not touch if they are nearer along it than this many times the sum of their radii.
NEIGHBOURS = 1.5


def meetings(a: ContactShape, b: ContactShape, binder: Binder, per_length: bool = False) -> Meeting:
    """Which spheres meet which surfaces when ``a`` touches ``b``; the order of the two does not matter."""
    rank = (Spheres, Ball, Capsule, Box, Tube, Plane)
    if rank.index(type(b)) < rank.index(type(a)):
        a, b = b, a
    if isinstance(a, (Plane, Tube)) or (isinstance(a, Box) and isinstance(b, Tube) and not b.inside):
        raise ModelError(f"a {type(a).__name__} does not touch {_article(b)}; one of them must be round")
    if isinstance(a, Spheres):
        return _rods(a, b, binder) if isinstance(b, Spheres) else _all(rod_spheres(a, b, binder, per_length), b)
    if isinstance(a, Capsule) and (isinstance(b, Plane) or (isinstance(b, Tube) and b.inside)):
        return _all(a.row(a.length), b)
    if isinstance(a, Capsule) and isinstance(b, Box):
        gap = max(a.radius, a.length / 20.0)
        return _all(a.row(gap), b)
    if isinstance(a, Box) and isinstance(b, Box):
        mine, yours = (x.outline(float(np.min(y.size)) / 4.0) for x, y in ((a, b), (b, a)))
        skip = np.zeros((len(mine) + len(yours), 2), dtype=bool)  # nobody meets its own surface
        skip[: len(mine), 1], skip[len(mine) :, 0] = True, True
        return Meeting(mine + yours, b.surfaces() + a.surfaces(), skip)
    assert isinstance(a, (Ball, Capsule, Box))
    return _all(a.spheres(), b)


def _all(spheres: list[ContactSphere], b: ContactShape) -> Meeting:
    assert isinstance(b, (Ball, Capsule, Box, Plane, Tube))
    return Meeting(spheres, b.surfaces(), np.zeros((len(spheres), 1), dtype=bool))


def _article(shape: ContactShape) -> str:
    if isinstance(shape, Tube):
        return "the inside of a Tube" if shape.inside else "the outside of a Tube"
    return f"a {type(shape).__name__}"


def rod_spheres(rod: Spheres, other: ContactShape, binder: Binder, per_length: bool = False) -> list[ContactSphere]:
    """Spheres of a rod's sections against another shape."""
    hollow = isinstance(other, Plane) or (isinstance(other, Tube) and other.inside)
    spheres: list[ContactSphere] = []
    for s, weight, outline in rod.outlines(binder, per_length):
        if isinstance(outline, Round):
            spheres.append(ContactSphere(rod.link, s, np.eye(4), outline.radius, 0.0, weight))
        elif isinstance(outline, Oval) and isinstance(other, Box):
            # the depth inside a box has kinks, on which a sliding sphere would come to rest
            spheres += [ContactSphere(rod.link, s, outline.frame(t), r, 0.0, weight) for t, r in oval_balls(outline)]
        elif isinstance(outline, Oval):
            # in a bore both ends may touch: each half slides for itself
            spheres += _oval_spheres(rod.link, s, weight, outline, 2 if isinstance(other, Tube) and other.inside else 1)
        else:
            spheres += _corner_spheres(rod.link, s, weight, outline)
            if not hollow:  # what is flat or curved inwards meets corners first
                spheres += _middle_spheres(rod.link, s, weight, outline, isinstance(other, Box))
    return spheres


def _oval_spheres(link: str, s: float, weight: float, oval: Oval, pieces: int) -> list[ContactSphere]:
    """A sphere that slides along an ellipse's long axis, or along each of some pieces of it."""
    starts, length = np.linspace(-oval.half, oval.half, pieces + 1)[:-1].tolist(), 2.0 * oval.half / pieces
    return [ContactSphere(link, s, oval.frame(t), oval.short, length, weight, oval.focal, -t) for t in starts]


def _corner_spheres(link: str, s: float, weight: float, polygon: Polygon) -> list[ContactSphere]:
    return [ContactSphere(link, s, pose((0.0, y, z)), 0.0, 0.0, weight) for y, z in polygon.corners.tolist()]


def _middle_spheres(link: str, s: float, weight: float, polygon: Polygon, row: bool) -> list[ContactSphere]:
    """A sphere that slides along the middle of a polygon, or a ``row`` of them where none can slide."""
    half, radius = polygon.half, polygon.radius
    if half == 0.0:
        return [ContactSphere(link, s, np.eye(4), radius, 0.0, weight)] if radius > 0.0 else []
    if not row:
        return [ContactSphere(link, s, polygon.frame(-half), radius, 2.0 * half, weight)]
    steps = math.ceil(2.0 * half / max(radius, half / 10.0))
    places = np.linspace(-half, half, steps + 1).tolist()
    return [ContactSphere(link, s, polygon.frame(t), radius, 0.0, weight) for t in places]


def _rods(a: Spheres, b: Spheres, binder: Binder) -> Meeting:
    """Sections of one rod against those of another, or of the same."""
    ovals = [any(isinstance(outline, Oval) for _, _, outline in rod.outlines(binder)) for rod in (a, b)]
    if ovals == [False, True]:
        a, b = b, a  # only spheres can be true ellipses
    spheres, surfaces = rod_spheres(a, b, binder), _rod_surfaces(b, binder)
    skip = neighbours(a, b, [p.s for p in spheres], [s.s for s in surfaces], binder)
    points = np.array([p.radius + p.length == 0.0 for p in spheres])
    skip |= points[:, None] & np.array([s.size == (0.0, 0.0, 0.0) for s in surfaces])[None, :]  # points never meet
    return Meeting(spheres, surfaces, skip)


def _rod_surfaces(rod: Spheres, binder: Binder) -> list[Surface]:
    """Sections of a rod as round surfaces."""
    surfaces: list[Surface] = []
    for s, _, outline in rod.outlines(binder):
        if isinstance(outline, Round):
            surfaces.append(Surface(rod.link, s, np.eye(4), ROUND, (outline.radius, 0.0, 0.0)))
        elif isinstance(outline, Oval):
            for t, radius in oval_balls(outline):
                surfaces.append(Surface(rod.link, s, outline.frame(t), ROUND, (radius, 0.0, 0.0)))
        else:
            corners = [pose((0.0, y, z)) for y, z in outline.corners.tolist()]
            surfaces += [Surface(rod.link, s, frame, ROUND, (0.0, 0.0, 0.0)) for frame in corners]
            middle = (outline.radius, -outline.half, outline.half)
            surfaces.append(Surface(rod.link, s, outline.frame(0.0), ROUND, middle))
    return surfaces


def oval_balls(oval: Oval) -> list[tuple[float, float]]:
    """Places and radii of balls inscribed in an ellipse, so close that between them it is missed by 3 % of a radius."""
    places = [0.0]
    while places[-1] < oval.half:
        places.append(min(places[-1] + 0.5 * _inscribed(oval, places[-1]), oval.half))
    return [(t, _inscribed(oval, t)) for t in (*(-t for t in reversed(places[1:])), *places)]


def _inscribed(oval: Oval, t: float) -> float:
    """Radius of the circle inscribed in an ellipse with its centre t along the long axis."""
    return oval.short * math.sqrt(1.0 - (t / oval.focal) ** 2)


def neighbours(a: Spheres, b: Spheres, x: Sequence[float], y: Sequence[float], binder: Binder) -> np.ndarray:
    """Pairs (m, k) that never touch, at stations x of a and y of b: neighbours along one rod or across a joint.

    And, of a rod against itself, pairs counted twice.
    """
    reach = [{s: outline.reach for s, _, outline in rod.outlines(binder)} for rod in (a, b)]
    X, Y = (np.array([_material(binder, rod.link, s) for s in at]) for rod, at in ((a, x), (b, y)))
    radii = np.array([reach[0][s] for s in x])[:, None] + np.array([reach[1][s] for s in y])[None, :]
    if a.link == b.link:
        skip = np.linalg.norm(X[:, None] - Y[None, :], axis=-1) < NEIGHBOURS * radii
        order = [{s: i for i, s in enumerate(stations)} for stations in reach]
        if len(order[0]) == len(order[1]):
            i, j = np.array([order[0][s] for s in x])[:, None], np.array([order[1][s] for s in y])[None, :]
            skip = skip | (j <= i + 1)
        return np.asarray(skip)
    for child, parent, on_child, on_parent in ((b.link, a.link, Y, X), (a.link, b.link, X, Y)):
        spec = binder.robot_link(child)
        if spec.parent == parent:
            held = np.abs(on_parent[:, 0] - _material(binder, parent, spec.station)[0])
            along = held[:, None] + on_child[None, :, 0] if child == b.link else on_child[:, None, 0] + held[None, :]
            return np.asarray(along + np.linalg.norm(np.asarray(spec.at)[:3, 3]) < NEIGHBOURS * radii)
    return np.zeros(radii.shape, dtype=bool)


def _material(binder: Binder, link: str, s: float) -> tuple[float, float, float]:
    """Where a station is at rest within its link, m from its base: on the axis, or a material point."""
    if isinstance(s, MaterialPoint):
        return s.x
    soft = binder.robot_link(link).body.continuum
    length = binder.rod(link).length if soft is None else float(soft.domain.length or 0.0)
    return s * length, 0.0, 0.0
