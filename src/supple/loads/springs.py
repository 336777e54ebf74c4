"""Many springs and dampers at once, between points of links: ropes, nets and skins of point masses (`loads.nets`).

Each is a span as in `loads.spring`, with the tension T = k e + d l' of its elongation e = l - l_0, or, if it can fall
slack, that of a cable (`loads.lines.spans`).  One load for all of them: one call, one set of arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import finite_float, flag, nonnegative_float, real_array, shown
from supple.compilation.scene import Place, Strand
from supple.core.arrays import space_view
from supple.core.load_data import Columns, Floats, Integers, Poses, load_view
from supple.core.loads import ENERGY, EXTERNAL, MEASURE, STORES
from supple.errors import ModelError
from supple.jit import GradientKernel, LoadKernel, inner, local_array
from supple.loads.lines.spans import SMOOTHING, add_elastic_gradient, elastic_potential, elastic_tension, place_span
from supple.loads.spring import add_span_gradient, point_place, pull, span_direction, span_growth

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark

#: Most springs of one load.
MOST_SPRINGS = 100_000

_vector = local_array(3)


class SpringsData(NamedTuple):
    """Arrays of m springs between p points."""

    points: Integers  #: (p, 1) segments
    spans: Integers  #: (m, 2) points
    numbers: Integers  #: (1, 1) whether they can fall slack
    law: Annotated[
        Floats, Columns(stiffness="N/m", rest_length="m", damping="N s/m", smoothing="m")
    ]  #: (m, 4); smoothing is that of springs that fall slack
    offsets: Poses  #: (p,)


springs_data = load_view(SpringsData)


@inner
def spring_tension(law, slack, l, rate):
    """T, dT/dl, dT/dl'."""
    if slack:
        return elastic_tension(law, l - law[1], rate)
    return law[0] * (l - law[1]) + law[2] * rate, law[0], law[2]


def _many_springs(tree, space, data, mode):
    """All springs of `SpringsData`."""
    if mode < 0 or mode == MEASURE:
        return
    scratch, net = space_view(space), springs_data(data)
    xa, va, xb, vb, n = _vector(), _vector(), _vector(), _vector(), _vector()
    points, spans, slack = net.points, net.spans, net.numbers[0, 0] == 1
    for i in range(spans.shape[0]):
        law = net.law[i]
        place_span(scratch, points, net.offsets, spans[i], xa, va, xb, vb)
        l, rate = span_direction(xa, va, xb, vb, n)
        if mode == ENERGY:
            e = l - law[1]
            scratch.energy[0] += elastic_potential(law, e) if slack else 0.5 * law[0] * e * e
            continue
        tension, slope, rate_slope = spring_tension(law, slack, l, rate)
        if tension != 0.0 or slope != 0.0 or rate_slope != 0.0:  # not slack
            a, b = points[spans[i, 0], 0], points[spans[i, 1], 0]
            pull(scratch, a, b, xa, xb, va, vb, tension, slope, rate_slope, mode)


many_springs = LoadKernel(_many_springs)


def _many_springs_gradient(tree, space, data, own, everything):
    """Of the power T n . (z_b - z_a) of every spring: by its numbers and the places of its ends."""
    scratch, net, out = space_view(space), springs_data(data), springs_data(own)
    xa, va, xb, vb, n = _vector(), _vector(), _vector(), _vector(), _vector()
    points, spans, slack = net.points, net.spans, net.numbers[0, 0] == 1
    for i in range(spans.shape[0]):
        law, bar, a, b = net.law[i], out.law[i], spans[i, 0], spans[i, 1]
        place_span(scratch, points, net.offsets, spans[i], xa, va, xb, vb)
        l, rate = span_direction(xa, va, xb, vb, n)
        if l == 0.0:
            continue
        wa, wb = scratch.work[points[a, 0]], scratch.work[points[b, 0]]
        growth = span_growth(wa, wb, xa, xb, n)
        tension, slope, rate_slope = spring_tension(law, slack, l, rate)
        if slack:
            add_elastic_gradient(law, l - law[1], rate, growth, bar)
        else:
            bar[0] += growth * (l - law[1])
            bar[1] -= growth * slope
            bar[2] += growth * rate
        add_span_gradient(wa, wb, xa, va, xb, vb, growth, tension, slope, rate_slope, out.offsets[a], out.offsets[b])


many_springs_gradient = GradientKernel(_many_springs_gradient)


@dataclass(frozen=True, eq=False)
class Springs:
    """Springs and dampers between many points: `SpringNet` makes them, with the masses between.

    Parameters
    ----------
    name : str
        For messages and reports.
    points : sequence of (link, s) or (link, s, offset)
        Points at stations s: rods 0 (base) to 1 (tip); rigid links 0 (body frame) or 1 (tip); "world" with s = 0 for a
        fixed point given by the offset pose.
    pairs : (m, 2) ints
        Which points each spring joins.
    stiffness, damping : float or (m,)
        N/m and N s/m, along the spring.
    rest_length : float or (m,), optional
        m; omitted: distances in the rest configuration (`Model.rest`).
    slack : bool
        Whether they pull and never push, as cables do.
    smoothing : float, optional
        Of springs that fall slack: elongation in m over which they take up their stiffness and damping; 1e-4 of their
        rest length if omitted.
    """

    name: str
    points: Sequence[tuple[Any, ...]]
    pairs: ArrayLike
    stiffness: float | ArrayLike
    rest_length: float | ArrayLike | None = None
    damping: float | ArrayLike = 0.0
    slack: bool = False
    smoothing: float | None = None

    def stations(self) -> Iterable[tuple[str, float]]:
        """All points."""
        return [(link, s) for link, s, _ in self._places()]

    def bind(self, binder: Binder) -> Bound:
        """Points, springs and their numbers."""
        from supple.compilation.binder import Bound, pose_records

        places = self._places()
        ends = [binder.station(*place) for place in places]
        spans = checked_pairs(self.pairs, len(places))
        segments = np.array([end.segment for end in ends], dtype=np.int64)
        still = np.flatnonzero((segments[spans] == 0).all(axis=1))
        if still.size:
            raise ModelError(f"pairs[{still[0]}] joins two points of the world: a spring needs a link that moves")
        moving = (segments[spans] > 0).all(axis=1) & (segments[spans[:, 0]] != segments[spans[:, 1]])
        binder.couplings += 2 * int(moving.sum())
        slack, m = flag(self.slack, "slack"), len(spans)
        law = np.zeros((m, 4))
        law[:, 0] = many(self.stiffness, m, "stiffness", "N/m")
        law[:, 1] = self._rest_lengths(binder, places, spans)
        law[:, 2] = many(self.damping, m, "damping", "N s/m")
        if slack:
            given = self.smoothing
            law[:, 3] = SMOOTHING * law[:, 1] if given is None else nonnegative_float(given, "smoothing", "m")
        data = SpringsData(
            points=segments.reshape(-1, 1),
            spans=spans,
            numbers=np.array([[slack]], dtype=np.int64),
            law=law,
            offsets=pose_records([end.offset for end in ends]),
        )
        return Bound(self.name, many_springs, data, EXTERNAL + STORES, gradient=many_springs_gradient)

    def sketch(self, binder: Binder) -> list[Mark]:
        """A line for each."""
        places = [Place(*place) for place in self._places()]
        spans = checked_pairs(self.pairs, len(places)).tolist()
        return [Strand("law", self.name, (places[a], places[b])) for a, b in spans]

    def _places(self) -> list[tuple[str, float, np.ndarray]]:
        if not isinstance(self.points, (list, tuple)) or len(self.points) < 2:
            raise ModelError(f"points is {shown(self.points)}, must be two or more of (link, s) or (link, s, offset)")
        return [point_place(point, f"points[{i}]") for i, point in enumerate(self.points)]

    def _rest_lengths(
        self, binder: Binder, places: list[tuple[str, float, np.ndarray]], spans: np.ndarray
    ) -> np.ndarray:
        if self.rest_length is not None:
            return many(self.rest_length, len(spans), "rest_length", "m")
        x = np.array([(binder.rest_pose(link, s) @ offset)[:3, 3] for link, s, offset in places])
        return np.asarray(np.linalg.norm(x[spans[:, 1]] - x[spans[:, 0]], axis=1))


def many(value: Any, m: int, name: str, unit: str) -> np.ndarray:
    """A number for all, or one for each of m: not negative."""
    given = real_array(value, name)
    if given.shape not in ((), (m,)):
        raise ModelError(f"{name} has the shape {given.shape}, must be a number or one for each of {m}")
    for i, x in enumerate(given.ravel().tolist()):
        nonnegative_float(finite_float(x, name), name if given.ndim == 0 else f"{name}[{i}]", unit)
    return np.full(m, 1.0) * given


def checked_pairs(pairs: Any, points: int) -> np.ndarray:
    """(m, 2) indices of different points."""
    given = real_array(pairs, "pairs")
    if given.ndim != 2 or given.shape[1] != 2 or not 0 < len(given) <= MOST_SPRINGS:
        raise ModelError(f"pairs has the shape {given.shape}, must be (m, 2) with 1 to {MOST_SPRINGS} springs")
    if not (np.isfinite(given).all() and (given == np.floor(given)).all()):
        raise ModelError("pairs must be whole numbers: indices of points")
    made = given.astype(np.int64)
    for i, (a, b) in enumerate(made.tolist()):
        if not (0 <= a < points and 0 <= b < points) or a == b:
            raise ModelError(f"pairs[{i}] is ({a}, {b}), must be two different points of 0 to {points - 1}")
    return made
