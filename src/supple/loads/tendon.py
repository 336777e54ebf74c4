"""Tendons: cables that pull along a route in the sections of rods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from supple.core.loads import INTERNAL
from supple.loads.line import lines
from supple.loads.routes import LinePoint, Route, line_points, routed_links

if TYPE_CHECKING:
    from supple.model.binder import Binder, Bound


@dataclass(frozen=True, eq=False)
class Tendon:
    """A frictionless inextensible tendon; its input is the tension u >= 0 in newton.

    Parameters
    ----------
    name : str
        Name of the input.
    route : dict of str to callable
        Per link, in order along the tendon, X -> (y, z): arc length from that link's base to the place in the section,
        all in metres.
    until : dict of str to float
        Arc length in metres at which the tendon ends on a link; the link's whole length if not given.
    slope : dict of str to callable
        X -> (dy/dX, dz/dX); found by a complex step or by differences if not given.

    Notes
    -----
    Virtual work: the generalised force is -(dl/dq)^T u with the length l summed at the rods' Gauss nodes
    (as many nodes on its own span for a tendon that ends before the tip).
    """

    name: str
    route: Mapping[str, Route]
    until: Mapping[str, float] = field(default_factory=dict)
    slope: Mapping[str, Route] = field(default_factory=dict)

    def stations(self) -> Iterable[tuple[str, float]]:
        """A tendon acts through strains alone; the links are checked."""
        return routed_links(self.route)

    def bind(self, binder: Binder) -> Bound:
        """Lines at the nodes, with coefficient -w."""
        points = line_points(binder, self.route, self.until, self.slope)
        return bind_line(self.name, points, binder, lambda p: -p.weight)


def bind_line(name: str, points: list[LinePoint], binder: Binder, coefficient: Callable[[LinePoint], float]) -> Bound:
    """One input that acts on a line with ``coefficient(point)`` at each of its points."""
    from supple.model.binder import Bound

    index = binder.input(name)
    where = np.array([(p.node, index) for p in points], dtype=np.int64).reshape(-1, 2)
    line = np.array([(coefficient(p), p.y, p.z, p.slope_y, p.slope_z) for p in points], dtype=float).reshape(-1, 5)
    course = np.array([(p.node, p.weight, p.y, p.z, p.slope_y, p.slope_z) for p in points], dtype=float).reshape(-1, 6)
    return Bound(name, lines, (where, line), INTERNAL, course)
