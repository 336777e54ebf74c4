"""Routes along material lines of soft bodies: X -> (X, y, z), X in metres from the base."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Array, finite_float
from supple.compilation.scene import ROUTE, Place, SoftPoint
from supple.errors import ModelError
from supple.loads.lines.routes import Route, route_point, route_slopes
from supple.numerics.quadrature import gauss_legendre
from supple.robot.bodies.protocol import ArcLength, Body
from supple.robot.stations import MaterialPoint

if TYPE_CHECKING:
    from supple.robot.bodies.densities import Functional
    from supple.robot.bodies.soft import SoftBody


class RouteEnd(ArcLength):
    """Where a continuous route begins (0), or ends after so many metres; infinity: at the end of its link."""

    route: Route

    @staticmethod
    def of(route: Route, X: float) -> RouteEnd:
        """The place X of a route."""
        place = RouteEnd(X)
        place.route = route
        return place

    def station(self, body: Body, link: str) -> float:
        """The station s of a rod; the material point of a soft body."""
        soft = body.continuum
        if soft is None:
            return 1.0 if self == np.inf else super().station(body, link)
        X = min(float(self), axis_length(soft, link))
        return MaterialPoint(X, *route_point(self.route, X, f"route on link {link!r}"))


def axis_length(soft: SoftBody, link: str) -> float:
    """Length of a soft body along which a route runs."""
    if soft.domain.length is None:
        raise ModelError(
            f"a route X -> (y, z) runs along an axis, which the domain of link {link!r}, {type(soft.domain).__name__}, "
            "does not have; give via points [(x, y, z), ...]"
        )
    return float(soft.domain.length)


def route_length(soft: SoftBody, link: str, until: float | None) -> float:
    """Where a route ends, m from the base."""
    length = axis_length(soft, link)
    end = length if until is None else finite_float(until, f"until of link {link!r}")
    if not 0.0 < end <= length:
        raise ModelError(f"until of link {link!r} is {end:g} m, must lie in (0, {length:g}], the body's length")
    return end


def soft_nodes(
    soft: SoftBody, link: str, route: Route, until: float | None, slope: Route | None
) -> tuple[Array, Array]:
    """Places (P, 5), x, y, z, dy/dX, dz/dX, and weights (P,), m, at as many Gauss nodes as the body has along its axis.
    """
    end, what = route_length(soft, link, until), f"route on link {link!r}"
    s, w = gauss_legendre(soft.points[0])
    X = (end * s).tolist()
    where = [route_point(route, x, what) for x in X]
    if slope is None:
        ways = route_slopes(route, X, float(soft.domain.length), what)
    else:
        ways = [route_point(slope, x, f"slope on link {link!r}") for x in X]
    return np.column_stack([X, np.array(where), np.array(ways)]), end * w


def soft_line(
    soft: SoftBody, link: str, route: Route, until: float | None = None, slope: Route | None = None
) -> Functional:
    """The length of a route inside a soft body."""
    from supple.robot.bodies.densities import Functional, line_density

    x, weights = soft_nodes(soft, link, route, until, slope)
    return Functional(link, line_density(soft), x, weights)


def soft_places(soft: SoftBody, link: str, route: Route, until: float | None = None) -> list[Place]:
    """Points along a route inside a soft body, for pictures."""
    length = axis_length(soft, link)
    X = np.linspace(0.0, length if until is None else min(float(until), length), ROUTE).tolist()
    points = [(x, *route_point(route, x, f"route on link {link!r}")) for x in X]
    return [Place(link, point=SoftPoint(x, x[0] / length, soft.place)) for x in points]
