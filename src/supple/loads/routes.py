"""Routes of tendons and chambers along rods: where they run, and their slopes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import finite_float
from supple.errors import ModelError, ModelWarning, naming
from supple.model.links import Rod
from supple.numerics.quadrature import rod_stations

if TYPE_CHECKING:
    from supple.model.binder import Binder

#: A route: arc length X in metres from the link's base -> (y, z) in metres.
Route = Callable[[float], Any]

#: Via points (x, y, z) in metres: in the frame of a rigid link or of the world; on a rod x is the arc length.
Via = Sequence[Sequence[float]]

#: Step of the complex step, and of the central difference where a function is not complex-differentiable.
COMPLEX_STEP, DIFFERENCE_STEP = 1e-30, 1e-6


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


def route_point(route: Route, X: float, what: str) -> tuple[float, float]:
    """(y, z) of a route at X, checked."""
    try:
        y, z = route(X)
    except TypeError as error:
        raise ModelError(f"{what} must return (y, z) for an arc length X in metres ({error})") from None
    return finite_float(y, f"{what}: y at X = {X:.3g} m"), finite_float(z, f"{what}: z at X = {X:.3g} m")


def route_slope(route: Route, X: float, length: float) -> tuple[float, float]:
    """(dy/dX, dz/dX): by a complex step where the route takes complex numbers, else by a central difference."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a cast that drops the imaginary part warns: then the slope would be zero
        try:
            y, z = route(complex(X, COMPLEX_STEP))  # type: ignore[arg-type]
            slope = float(np.imag(y)) / COMPLEX_STEP, float(np.imag(z)) / COMPLEX_STEP
        except Exception:
            slope = None
    h = DIFFERENCE_STEP * length
    (y1, z1), (y0, z0) = route(X + h), route(X - h)
    difference = (float(y1) - float(y0)) / (2.0 * h), (float(z1) - float(z0)) / (2.0 * h)
    # a route through abs() or max() takes complex numbers but answers nonsense: believe it only if it agrees
    if slope is not None and np.allclose(slope, difference, rtol=1e-4, atol=1e-6):
        return slope
    return difference


def routed_links(routes: Mapping[str, Route]) -> list[tuple[str, float]]:
    """The links of a route as stations of a load, checked: a line acts through strains alone."""
    if not isinstance(routes, Mapping) or not routes:
        raise ModelError(f"route is {routes!r}, must map links to functions, such as {{'arm': lambda X: (0.0, 0.01)}}")
    return [(link, 0.0) for link in routes]


def line_points(
    binder: Binder, routes: Mapping[str, Route], until: Mapping[str, float], slopes: Mapping[str, Route]
) -> list[LinePoint]:
    """Points of a line on all its rods: the rods' own Gauss nodes, or as many on the line's part of a rod."""
    for name, option in (("until", until), ("slope", slopes)):
        for link in option:
            if link not in routes:
                raise ModelError(f"{name} names link {link!r}, which is not on the route: {', '.join(routes)}")
    points = []
    for link, route in routes.items():
        rod = binder.robot_link(link).body
        if not isinstance(rod, Rod):
            raise ModelError(f"link {link!r} is rigid, but a route runs along rods; give via points [(x, y, z), ...]")
        what = f"route on link {link!r}"
        end = finite_float(until.get(link, rod.length), f"until of link {link!r}")
        if not 0.0 < end <= rod.length:
            raise ModelError(f"until of link {link!r} is {end:g} m, must lie in (0, {rod.length:g}], the rod's length")
        with naming(what):
            stations = _stations(rod, end)
        for s, weight in stations:
            X = s * rod.length
            y, z = route_point(route, X, what)
            given = slopes.get(link)
            dy, dz = route_point(given, X, f"slope on link {link!r}") if given else route_slope(route, X, rod.length)
            points.append(LinePoint(binder.node(link, s), weight, s, y, z, dy, dz, link))
            _warn_outside(rod, link, s, y, z)
    return points


def _stations(rod: Rod, end: float) -> list[tuple[float, float]]:
    """Stations s and weights [m] on the part [0, end] of a rod."""
    part = end / rod.length
    breaks = [b / part for b in rod.strain.breaks if b < part]
    s, weight = rod_stations(rod.points, breaks)
    return [(float(part * x), float(end * w)) for x, w in zip(s, weight, strict=True) if w > 0.0]


def _warn_outside(rod: Rod, link: str, s: float, y: float, z: float) -> None:
    if not getattr(rod.section, "has_outline", True):
        return
    a, b = rod.section.half_extents(s)
    if a > 0.0 and b > 0.0 and (y / a) ** 2 + (z / b) ** 2 > 1.0 + 1e-9:
        corner = type(rod.section).__name__ == "Rectangle" and abs(y) <= a and abs(z) <= b
        if not corner:
            warnings.warn(
                f"link {link!r}: the route runs outside the section at s = {s:.2f} (y = {y:.3g} m, z = {z:.3g} m)",
                ModelWarning,
                stacklevel=2,
            )
