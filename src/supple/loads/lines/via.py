"""Routes as paths: continuous along rods, through eyelets on rods, rigid links and the world."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import finite_array, finite_float, shown
from supple.compilation.scene import ROUTE, Place
from supple.errors import ModelError
from supple.lie.pose import pose
from supple.loads.lines.routes import LinePoint, Route, Via, by_link, line_points, route_point, straightened
from supple.loads.lines.soft_routes import RouteEnd, soft_line, soft_places
from supple.loads.lines.spans import LinePath, LinePathPoint
from supple.robot.bodies.protocol import ArcLength, centreline_of
from supple.robot.stations import MaterialPoint

if TYPE_CHECKING:
    from supple.compilation.binder import Binder
    from supple.robot.bodies.densities import Functional


def checked_route(route: Mapping[str, Route | Via]) -> Mapping[str, Route | Via]:
    """The route, if it is a mapping with something in it; constant pairs (y, z) made into functions."""
    if not isinstance(route, Mapping) or not route:
        raise ModelError(f"route is {shown(route)}, must be a dict from links, in order, to routes or via points")
    return straightened(route)


def via_points(link: str, part: Via) -> list[tuple[float, float, float]]:
    """Via points of one link, checked."""
    what = f"via points on link {link!r}"
    try:
        given = list(part)
    except TypeError:
        raise ModelError(
            f"route on link {link!r} is {shown(part)}, must be a function X -> (y, z), a pair (y, z) or via points "
            "[(x, y, z), ...]"
        ) from None
    if not given:
        raise ModelError(f"{what} are missing: give [(x, y, z), ...] in metres")
    points = [finite_array(x, (3,), what).tolist() for x in given]
    return [(x, y, z) for x, y, z in points]


def route_stations(route: Mapping[str, Route | Via], until: Mapping[str, float]) -> list[tuple[str, float]]:
    """Where a route needs frames: at via points, and where it leaves a rod for one or comes from one."""
    stations: list[tuple[str, float]] = []
    route, until = checked_route(route), by_link(until, "until", "0.2")
    parts = list(route.items())
    for i, (link, part) in enumerate(parts):
        if callable(part):
            stations.append((link, 0.0))
            if i > 0 and not callable(parts[i - 1][1]):
                stations.append((link, RouteEnd.of(part, 0.0)))
            if i + 1 < len(parts) and not callable(parts[i + 1][1]):
                stations.append((link, _end(link, part, until)))
        else:
            stations += [(link, ArcLength(x, y, z)) for x, y, z in via_points(link, part)]
    for link in until:
        if link not in route or not callable(route[link]):
            raise ModelError(f"until names link {link!r}, which is not on the route: {', '.join(route)}")
    return stations


def _only(link: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The option of one link, if it has one."""
    return {link: options[link]} if link in options else {}


def route_path(
    binder: Binder, route: Mapping[str, Route | Via], until: Mapping[str, float], slope: Mapping[str, Route]
) -> LinePath:
    """Nodes of continuous parts; free spans between via points, and between them and the ends of continuous parts."""
    route, slope = checked_route(route), straightened(slope, "slope")
    for link in slope:
        if link not in route:
            raise ModelError(f"slope names link {link!r}, which is not on the route: {', '.join(route)}")
    points: list[LinePathPoint] = []
    spans: list[tuple[int, int]] = []
    nodes: list[LinePoint] = []
    members: list[Functional] = []
    parts = list(route.items())
    for i, (link, part) in enumerate(parts):
        after_via = i > 0 and not callable(parts[i - 1][1])
        before_via = i + 1 < len(parts) and not callable(parts[i + 1][1])
        if callable(part):
            nodes += line_points(binder, {link: part}, _only(link, until), _only(link, slope))
            members += soft_parts(binder, {link: part}, until, slope)
            if after_via:
                points.append(_route_point(binder, link, part, RouteEnd.of(part, 0.0)))
                spans.append((len(points) - 2, len(points) - 1))
            if before_via:
                points.append(_route_point(binder, link, part, _end(link, part, until)))
        else:
            first = len(points)
            points += [_via_point(binder, link, x) for x in via_points(link, part)]
            spans += pairwise(range(first - 1 if i > 0 else first, len(points)))
    if not nodes and not members and len(points) < 2:
        raise ModelError("the route is a single via point: it needs two, or a continuous part")
    if not nodes and not members and all(binder.station(*point).segment == 0 for point in points):
        raise ModelError("all via points are on the world: a route needs a link that moves")
    return LinePath(points, spans, nodes, members)


def route_places(binder: Binder, route: Mapping[str, Route | Via], until: Mapping[str, float]) -> tuple[Place, ...]:
    """Points along a route for pictures: its via points, and `scene.ROUTE` to every rod or soft body it runs along."""
    places: list[Place] = []
    for link, part in checked_route(route).items():
        soft = None if link == "world" else binder.robot_link(link).body.continuum
        if callable(part) and soft is not None:
            places += soft_places(soft, link, part, until.get(link))
        elif callable(part):
            rod = centreline_of(binder.robot_link(link).body, link, "a route runs along rods")
            end = until.get(link, rod.length)
            X = np.linspace(0.0, end, ROUTE).tolist()
            offsets = np.tile(np.eye(4), (ROUTE, 1, 1))
            offsets[:, 1:3, 3] = [route_point(part, x, f"route on link {link!r}") for x in X]
            places += [Place(link, x / rod.length, offset, within=True) for x, offset in zip(X, offsets, strict=True)]
        else:
            places += [Place(*_via_point(binder, link, x)) for x in via_points(link, part)]
    return tuple(places)


def soft_parts(
    binder: Binder, route: Mapping[str, Route], until: Mapping[str, float], slope: Mapping[str, Route]
) -> list[Functional]:
    """Lengths of the parts of a continuous route that run inside soft bodies."""
    bodies = {link: binder.robot_link(link).body.continuum for link in route}
    return [
        soft_line(soft, link, route[link], until.get(link), slope.get(link))
        for link, soft in bodies.items()
        if soft is not None
    ]


def _end(link: str, route: Route, until: Mapping[str, float]) -> RouteEnd:
    """Where a continuous route ends."""
    return RouteEnd.of(route, finite_float(until[link], f"until of link {link!r}") if link in until else np.inf)


def _route_point(binder: Binder, link: str, route: Route, at: RouteEnd) -> LinePathPoint:
    """The point of a continuous route at a place of its link."""
    body = binder.robot_link(link).body
    if body.continuum is not None:
        return LinePathPoint(link, at.station(body, link), np.eye(4))
    rod = centreline_of(body, link, "a route runs along rods")
    s = at.station(rod, link)
    y, z = route_point(route, s * rod.length, f"route on link {link!r}")
    return LinePathPoint(link, s, pose((0.0, y, z)))


def _via_point(binder: Binder, link: str, x: tuple[float, float, float]) -> LinePathPoint:
    """A via point: (x, y, z) in the body frame; in a rod (0, y, z) in the section at X = x; of a soft body material."""
    body = None if link == "world" else binder.robot_link(link).body
    if body is not None and body.centreline is not None:
        return LinePathPoint(link, ArcLength(x[0]).station(body, link), pose((0.0, *x[1:])))
    if body is not None and body.continuum is not None:
        return LinePathPoint(link, MaterialPoint(*x), np.eye(4))
    if body is not None and body.size:  # its frame is not that of its material
        raise ModelError(
            f"link {link!r} is {body.noun}, but via points are fixed to a frame; hang a rigid link on it "
            f"(add_link('eyelet', Rigid(0.0, (0, 0, 0)), parent={link!r})), and give that the via points"
        )
    return LinePathPoint(link, 0.0, pose(x))
