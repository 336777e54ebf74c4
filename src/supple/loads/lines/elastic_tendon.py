"""Elastic tendons: the pulled length is the input, the tension comes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from supple.compilation.scene import Strand
from supple.core.loads import INTERNAL
from supple.loads.lines.routes import Route, Via
from supple.loads.lines.spans import Elasticity, bind_path
from supple.loads.lines.via import route_path, route_places, route_stations

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark


@dataclass(frozen=True, eq=False)
class ElasticTendon:
    """A frictionless elastic tendon wound up by a winch; its input is the pulled length in metres.

    Parameters
    ----------
    name : str
        Name of the input.
    route : dict of str to callable or via points
        As for `Tendon`: X -> (y, z), X in metres from the base.
    stiffness : float
        Of the whole tendon, N/m.
    damping : float
        Of the whole tendon, N s/m; it acts on the rate of the route's length.
    rest_length : float, optional
        Length in m at which the tendon is just taut when nothing is pulled; the length in the rest configuration
        (`Model.rest`) if omitted.
    smoothing : float, optional
        As for `Cable`.
    until, slope
        As for `Tendon`, by X in metres.

    Notes
    -----
    With the elongation e = l - rest_length + u beyond ``smoothing``: T = k e + d l', never negative; the generalised
    force is -T (dl/dq)^T.  A negative input pays out.
    """

    name: str
    route: Mapping[str, Route | Via]
    stiffness: float
    damping: float = 0.0
    rest_length: float | None = None
    smoothing: float | None = None
    until: Mapping[str, float] = field(default_factory=dict)
    slope: Mapping[str, Route] = field(default_factory=dict)

    def stations(self) -> Iterable[tuple[str, float]]:
        """Links, and where free spans end."""
        return route_stations(self.route, self.until)

    def bind(self, binder: Binder) -> Bound:
        """The path and the law."""
        path = route_path(binder, self.route, self.until, self.slope)
        law = Elasticity(self.stiffness, self.rest_length, self.damping, self.smoothing)
        return bind_path(self.name, path, INTERNAL, binder, binder.input(self.name), law)

    def sketch(self, binder: Binder) -> list[Mark]:
        """A line along its route."""
        places = route_places(binder, self.route, self.until)
        return [Strand("tendon", self.name, places)] if places else []
