"""Cables: elastic lines through points of links that pull and never push."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from supple.checks import shown
from supple.compilation.scene import Place, Strand
from supple.core.loads import EXTERNAL
from supple.errors import ModelError
from supple.loads.lines.spans import Elasticity, LinePath, LinePathPoint, bind_path
from supple.loads.spring import point_place

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark


@dataclass(frozen=True, eq=False)
class Cable:
    """A frictionless elastic cable, straight between its via points; slack below its rest length.

    Parameters
    ----------
    name : str
        For messages and reports.
    points : sequence of (link, s) or (link, s, offset)
        Two or more points in order, at stations s: rods 0 (base) to 1 (tip); rigid links 0 (body frame) or 1 (tip);
        "world" with s = 0 for a fixed point given by the offset pose.
    stiffness : float
        Of the whole cable, N/m.
    rest_length : float, optional
        m; the length in the rest configuration (`Model.rest`) if omitted.
    damping : float
        Of the whole cable, N s/m.
    smoothing : float, optional
        Elongation in m over which a tightening cable takes up its stiffness and damping; 1e-4 of the rest length if
        omitted.

    Notes
    -----
    One tension T = k e + d l' (never negative) in all spans, with the elongation e = l - rest_length beyond
    ``smoothing``; the generalised force is -T (dl/dq)^T.  Side of external loads: in `Model.inverse_dynamics`.
    """

    name: str
    points: Sequence[tuple[Any, ...]]
    stiffness: float
    rest_length: float | None = None
    damping: float = 0.0
    smoothing: float | None = None

    def stations(self) -> Iterable[tuple[str, float]]:
        """All points."""
        return [(point.link, point.s) for point in self._points()]

    def bind(self, binder: Binder) -> Bound:
        """Points, spans and the law."""
        points = self._points()
        if all(binder.station(*point).segment == 0 for point in points):
            raise ModelError("all points are on the world: a cable needs a link that moves")
        path = LinePath(points, [(i, i + 1) for i in range(len(points) - 1)], [], [])
        law = Elasticity(self.stiffness, self.rest_length, self.damping, self.smoothing)
        return bind_path(self.name, path, EXTERNAL, binder, elasticity=law)

    def sketch(self, binder: Binder) -> list[Mark]:
        """Straight from point to point."""
        return [Strand("cable", self.name, tuple(Place(*point) for point in self._points()))]

    def _points(self) -> list[LinePathPoint]:
        if not isinstance(self.points, (list, tuple)) or len(self.points) < 2:
            raise ModelError(f"points is {shown(self.points)}, must be two or more of (link, s) or (link, s, offset)")
        return [LinePathPoint(*point_place(point, f"points[{i}]")) for i, point in enumerate(self.points)]
