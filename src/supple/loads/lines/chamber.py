"""Chambers: channels along rods that a pressure stretches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import Array, ask, finite_float
from supple.compilation.scene import Strand
from supple.core.loads import INTERNAL, WRENCHLESS
from supple.errors import ModelError
from supple.loads.lines.routes import Route, line_points, routed_links, straightened
from supple.loads.lines.spans import PUSHING, LinePath, bind_path
from supple.loads.lines.tendon import bind_line
from supple.loads.lines.via import route_places, soft_parts

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark
    from supple.robot.bodies.densities import Functional


@dataclass(frozen=True, eq=False)
class Chamber:
    """A thin channel of given area along a route; its input is the pressure p in pascal.

    Parameters
    ----------
    name : str
        Name of the input.
    route : dict of str to callable
        Per link, X -> (y, z), X in metres from the base: where the channel's middle runs, in metres; a pair (y, z)
        where it runs straight.  On a soft body with an axis it runs along the material points (X, y, z).
    area : float or callable
        Area of the channel in m^2, constant or a function of the station s from 0 (base) to 1 (tip).
    until, slope
        As for `Tendon`, by X in metres.

    Notes
    -----
    Virtual work p dV with the volume V = integral of A |T| dX: the pressure pushes along the channel with force p A.
    """

    name: str
    route: Mapping[str, Route]
    area: float | Callable[[float], float]
    until: Mapping[str, float] = field(default_factory=dict)
    slope: Mapping[str, Route] = field(default_factory=dict)

    def stations(self) -> Iterable[tuple[str, float]]:
        """A chamber acts through strains alone; the links are checked."""
        return routed_links(self.route)

    def bind(self, binder: Binder) -> Bound:
        """Lines at the nodes, with coefficient w A."""
        points = line_points(binder, self.route, self.until, self.slope)
        route, slope = straightened(self.route), straightened(self.slope, "slope")
        members = soft_parts(binder, route, self.until, slope)
        if not members:
            return bind_line(self.name, points, binder, lambda p: p.weight * self._area(p.s))
        wide = [p._replace(area=self._area(p.s)) for p in points]
        channels = [member._replace(weights=member.weights * self._areas(binder, member)) for member in members]
        path, index = LinePath([], [], wide, channels), binder.input(self.name)
        return bind_path(self.name, path, INTERNAL + WRENCHLESS, binder, index, kind=PUSHING)

    def sketch(self, binder: Binder) -> list[Mark]:
        """A channel of its true width along its route."""
        places = route_places(binder, self.route, self.until)
        radius = np.sqrt([self._area(place.along) / np.pi for place in places])
        return [] if not places else [Strand("chamber", self.name, places, radius)]

    def _areas(self, binder: Binder, member: Functional) -> Array:
        """Areas at the places of a part inside a soft body."""
        soft = binder.robot_link(member.link).body.continuum
        assert soft is not None
        return np.array([self._area(x / float(soft.domain.length)) for x in member.x[:, 0].tolist()])

    def _area(self, s: float) -> float:
        what = f"area at s = {s:.2f}"
        area = finite_float(ask(self.area, (s,), what, ModelError) if callable(self.area) else self.area, what)
        if area <= 0.0:
            raise ModelError(f"area at s = {s:.2f} is {area:g} m^2, must be positive")
        return area
