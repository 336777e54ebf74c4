"""Tendons: cables that pull along a route in the sections of rods, and through via points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from supple.compilation.scene import Strand
from supple.core.loads import INTERNAL, WRENCHLESS
from supple.loads.lines.routed import LineData, line_gradient, lines
from supple.loads.lines.routes import LinePoint, Route, Via, line_table
from supple.loads.lines.spans import bind_path
from supple.loads.lines.via import route_path, route_places, route_stations

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark


@dataclass(frozen=True, eq=False)
class Tendon:
    """A frictionless inextensible tendon; its input is the tension u >= 0 in newton.

    Parameters
    ----------
    name : str
        Name of the input.
    route : dict of str to callable or via points
        Per link, in order along the tendon.  A rod takes X -> (y, z): from X, the metres from its base (not the
        station s from 0 to 1), to the place in the section, in metres; or a pair (y, z), where it runs straight along
        the rod.  So does a soft body with an axis: the tendon then runs along the material points (X, y, z).  Rigid
        links and "world" take via points [(x, y, z), ...] in the body frame, rods too (x is then X), and soft bodies,
        of which they are material points: the tendon is straight between them.
    until : dict of str to float
        X, metres from the base, at which the tendon ends on a link; the link's whole length if not given.
    slope : dict of str to callable
        X -> (dy/dX, dz/dX), X in metres, or a pair; found by a complex step or by differences if not given.

    Notes
    -----
    Virtual work: the generalised force is -(dl/dq)^T u with the length l summed at the rods' Gauss nodes
    (as many nodes on its own span for a tendon that ends before the tip; on a soft body as many as it has along its
    axis), plus straight spans to, between and from via points.  From rod to rod it passes without a span.
    """

    name: str
    route: Mapping[str, Route | Via]
    until: Mapping[str, float] = field(default_factory=dict)
    slope: Mapping[str, Route] = field(default_factory=dict)

    def stations(self) -> Iterable[tuple[str, float]]:
        """Links, and where free spans end."""
        return route_stations(self.route, self.until)

    def bind(self, binder: Binder) -> Bound:
        """Lines at the nodes, with coefficient -w; a path if there are via points."""
        path = route_path(binder, self.route, self.until, self.slope)
        if path.spans or path.members:
            return bind_path(self.name, path, INTERNAL, binder, binder.input(self.name, tension=True))
        return bind_line(self.name, path.nodes, binder, lambda p: -p.weight, tension=True)

    def sketch(self, binder: Binder) -> list[Mark]:
        """A line along its route."""
        places = route_places(binder, self.route, self.until)
        return [Strand("tendon", self.name, places)] if places else []


def bind_line(
    name: str,
    points: list[LinePoint],
    binder: Binder,
    coefficient: Callable[[LinePoint], float],
    tension: bool = False,
) -> Bound:
    """One input, perhaps a ``tension``, that acts on a line with ``coefficient(point)`` at each of its points."""
    from supple.compilation.binder import Bound

    index = binder.input(name, tension)
    binder.line(name, len(points))
    where = np.array([(p.node, index) for p in points], dtype=np.int64).reshape(-1, 2)
    line = np.array([(coefficient(p), p.y, p.z, p.slope_y, p.slope_z) for p in points], dtype=float).reshape(-1, 5)
    data = LineData(where, line, line_table(points, binder))
    return Bound(name, lines, data, INTERNAL + WRENCHLESS, gradient=line_gradient)
