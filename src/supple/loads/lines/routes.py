"""Routes of tendons and chambers along rods: where they run, and their slopes."""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import finite_float, floats, shown
from supple.errors import ModelError, naming
from supple.numerics.quadrature import rod_stations
from supple.robot.bodies.protocol import centreline_of
from supple.robot.bodies.rod import Rod

if TYPE_CHECKING:
    from supple.compilation.binder import Binder

#: A route: arc length X in metres from the link's base -> (y, z) in metres; a pair (y, z) runs straight.
Route = Callable[[float], Any]

#: Via points (x, y, z) in metres: in the frame of a rigid link or of the world; on a rod x is the arc length.
Via = Sequence[Sequence[float]]

#: Step of the complex step, and of the central difference where a function is not complex-differentiable.
COMPLEX_STEP, DIFFERENCE_STEP = 1e-30, 1e-6

# Filters of warnings are those of all threads: two that change them at once would leave them changed.
_casting = threading.RLock()

#: A part of a rod that is shorter than this, relative to what a line runs along, is rounding.
ROUNDING = 1e-9


class Straight(NamedTuple):
    """The route of constant (y, z)."""

    y: float
    z: float

    def __call__(self, X: float) -> tuple[float, float]:
        """(y, z), whatever X."""
        return self.y, self.z


class LinePoint(NamedTuple):
    """A line at one node of a rod."""

    node: int
    weight: float  #: quadrature weight [m]
    s: float
    y: float
    z: float
    slope_y: float  #: dy/dX
    slope_z: float
    link: str
    area: float = 1.0  #: of a channel [m^2]; a tendon has none


def route_point(route: Route, X: float, what: str) -> tuple[float, float]:
    """(y, z) of a route at X, checked."""
    if not callable(route):
        raise ModelError(f"{what} is {shown(route)}, must be a function X -> (y, z), or a pair (y, z)")
    try:
        given = route(X)
    except Exception as error:
        raise ModelError(f"{what} must return (y, z) for an arc length X in metres ({error})") from error
    try:
        y, z = given
    except (TypeError, ValueError):
        raise ModelError(
            f"{what} must return (y, z) for an arc length X in metres, but gives {shown(given)} at X = {X:.3g} m"
        ) from None
    return finite_float(y, f"{what}: y at X = {X:.3g} m"), finite_float(z, f"{what}: z at X = {X:.3g} m")


def route_slopes(route: Route, X: Sequence[float], length: float, what: str = "route") -> list[tuple[float, float]]:
    """(dy/dX, dz/dX) at each X: by a complex step where the route takes complex numbers, else by a central difference.

    A route through abs() or max() takes complex numbers but answers nonsense: it is believed only if both agree.
    """
    h = DIFFERENCE_STEP * length
    slopes = []
    for x, step in zip(X, _complex_steps(route, X), strict=True):
        (y1, z1), (y0, z0) = route_point(route, x + h, what), route_point(route, x - h, what)
        difference = (y1 - y0) / (2.0 * h), (z1 - z0) / (2.0 * h)
        agree = step is not None and all(
            abs(a - b) <= 1e-6 + 1e-4 * abs(b) for a, b in zip(step, difference, strict=True)
        )
        slopes.append(step if step is not None and agree else difference)
    return slopes


def _complex_steps(route: Route, X: Sequence[float]) -> list[tuple[float, float] | None]:
    """Slopes by a complex step at each X, None where the route does not take complex numbers."""
    steps: list[tuple[float, float] | None] = []
    with _casting, np.errstate(all="ignore"), warnings.catch_warnings():
        # a cast that drops the imaginary part warns: then the slope would be zero
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        for x in X:
            try:
                y, z = route(complex(x, COMPLEX_STEP))  # type: ignore[arg-type]
                steps.append((float(np.imag(y)) / COMPLEX_STEP, float(np.imag(z)) / COMPLEX_STEP))
            except Exception:
                steps.append(None)
    return steps


def straightened(routes: Any, what: str = "route") -> dict[str, Any]:
    """Routes by link, constant pairs (y, z) made into functions."""
    if not isinstance(routes, Mapping):
        raise ModelError(f"{what} is {shown(routes)}, must map links to routes, such as {{'arm': (0.0, 0.01)}}")
    return {link: _straight(route) for link, route in routes.items()}


def _straight(route: Any) -> Any:
    """A pair of numbers as a route, everything else as it is."""
    if callable(route):
        return route
    try:
        pair = floats(route)
    except ValueError:
        return route
    return Straight(*pair.tolist()) if pair.shape == (2,) else route


def by_link(option: Any, what: str, example: str) -> Mapping[str, Any]:
    """An option that is given per link, checked."""
    if not isinstance(option, Mapping):
        raise ModelError(f"{what} is {shown(option)}, must be a dict from links, such as {{'arm': {example}}}")
    return option


def routed_links(routes: Mapping[str, Route]) -> list[tuple[str, float]]:
    """The links of a route as stations of a load, checked: a line acts through strains alone."""
    if not isinstance(routes, Mapping) or not routes:
        raise ModelError(
            f"route is {shown(routes)}, must map links to functions, such as {{'arm': lambda X: (0.0, 0.01)}}"
        )
    return [(link, 0.0) for link in routes]


def line_points(
    binder: Binder, routes: Mapping[str, Route], until: Mapping[str, float], slopes: Mapping[str, Route]
) -> list[LinePoint]:
    """Points of a line on all its rods: the rods' own Gauss nodes, or as many on the line's part of a rod."""
    routes, slopes = straightened(routes), straightened(slopes, "slope")
    for name, option in (("until", by_link(until, "until", "0.2")), ("slope", slopes)):
        for link in option:
            if link not in routes:
                raise ModelError(f"{name} names link {link!r}, which is not on the route: {', '.join(routes)}")
    points = []
    for link, route in routes.items():
        body = binder.robot_link(link).body
        if body.continuum is not None:
            continue  # `loads.lines.via.soft_parts`
        rod = centreline_of(body, link, "a route runs along rods", "give via points [(x, y, z), ...]")
        what = f"route on link {link!r}"
        end = finite_float(until.get(link, rod.length), f"until of link {link!r}")
        if not 0.0 < end <= rod.length:
            raise ModelError(f"until of link {link!r} is {end:g} m, must lie in (0, {rod.length:g}], the rod's length")
        with naming(what):
            stations = _stations(rod, end)
        X = [s * rod.length for s, _ in stations]
        where = [route_point(route, x, what) for x in X]
        given = slopes.get(link)
        if given is None:
            slope = route_slopes(route, X, rod.length, what)
        else:
            slope = [route_point(given, x, f"slope on link {link!r}") for x in X]
        for (s, weight), place, way in zip(stations, where, slope, strict=True):
            points.append(LinePoint(binder.node(link, s), weight, s, *place, *way, link))
        _note_remote(binder, link, rod.length, where)
    return points


def line_table(points: list[LinePoint], binder: Binder) -> np.ndarray:
    """(m, 3) [number of the link, s, weight] of the points of a line: read-outs want it, kernels do not."""
    numbers = {layout.name: i for i, layout in enumerate(binder.layouts)}
    return np.array([(numbers[p.link], p.s, p.weight) for p in points], dtype=float).reshape(-1, 3)


def _stations(rod: Rod, end: float) -> list[tuple[float, float]]:
    """Stations s and weights [m] on the part [0, end] of a rod."""
    part = end / rod.length
    breaks = [b / part for b in rod.strain.breaks if b < (1.0 - ROUNDING) * part]  # one at the end parts nothing
    s, weight = rod_stations(rod.points, breaks)
    return [(float(part * x), float(end * w)) for x, w in zip(s, weight, strict=True) if w > 0.0]


def _note_remote(binder: Binder, link: str, length: float, where: list[tuple[float, float]]) -> None:
    """Remember a line farther from its rod than the rod is long: mostly millimetres taken for metres.

    A line outside the section is nothing strange: tendons run through discs on a thin backbone.
    """
    farthest = max((math.hypot(y, z) for y, z in where), default=0.0)
    if farthest > length:
        binder.remote.append(
            f"{binder.current} runs {farthest:.3g} m from the centreline of link {link!r}, which is {length:.3g} m long"
        )
