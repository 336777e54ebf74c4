"""Springs and dampers between two points of the robot or of the world.

With r = x_b - x_a, l = |r|, n = r / l and the rate l' = n . (v_b - v_a), the tension T(l, l') pulls a along n and b
against it.  The force f = T n on a follows df = A dr + C dv_r,

    A = T_l n n^T + (T / l) P + T_l' n (P v_r)^T / l,     C = T_l' n n^T,     P = I - n n^T.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np

from supple.checks import nonnegative_float, shown
from supple.compilation.scene import Place, Strand
from supple.core.arrays import space_view
from supple.core.load_data import Columns, Floats, Incidental, Integers, Poses, load_view
from supple.core.loads import ENERGY, EXTERNAL, STORES, TANGENT, add_coupling
from supple.errors import ModelError
from supple.jit import GradientKernel, LoadKernel, inner, local_array
from supple.lie.pose import check_pose
from supple.loads.points import (
    point_position,
    point_velocity,
    subtract_force,
    subtract_point_tangent,
    subtract_turning,
)
from supple.loads.scalar_law import LawGuard, LawTable, ScalarLaw, call_law, check_law, law_slope
from supple.robot.stations import as_station

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark

#: Below this distance [m] between its ends a spring has no direction and does not pull.
SHORTEST = 1e-12

_vector, _matrix = local_array(3), local_array(3, 3)


class SpringData(NamedTuple):
    """Arrays of a spring."""

    ends: Integers  #: (2, 1) segments
    linear: Annotated[Floats, Columns(stiffness="N/m", rest_length="m", damping="N s/m")]  #: (1, 3)
    functions: Annotated[
        Integers, Incidental()
    ]  #: (3, 1) addresses of a user's f, f_l, f_l'; -1: the linear law, differences
    note: Annotated[Floats, Incidental()]  #: (1, 3) what failed, see `LawGuard`
    offsets: Poses  #: (2,)


spring_data = load_view(SpringData)


@inner
def span_direction(xa, va, xb, vb, n):
    """n = unit vector from a to b.  Returns length and rate; a span without length has no direction."""
    l, rate = math.sqrt((xb[0] - xa[0]) ** 2 + (xb[1] - xa[1]) ** 2 + (xb[2] - xa[2]) ** 2), 0.0
    if l < SHORTEST:
        return 0.0, 0.0
    for i in range(3):
        n[i] = (xb[i] - xa[i]) / l
        rate += n[i] * (vb[i] - va[i])
    return l, rate


@inner
def pull(space, sa, sb, xa, xb, va, vb, tension, slope, rate_slope, mode):
    """Apply the tension between the points xa of segment sa and xb of segment sb, with its tangent.

    ``slope`` and ``rate_slope`` are dT/dl and dT/dl'.
    """
    wa, wb, n, f = space.work[sa], space.work[sb], _vector(), _vector()
    l, rate = span_direction(xa, va, xb, vb, n)
    if l == 0.0:
        return
    for i in range(3):
        f[i] = tension * n[i]
    subtract_force(wa, xa, f)
    for i in range(3):
        f[i] = -f[i]
    subtract_force(wb, xb, f)
    if mode != TANGENT:
        return
    A, C, none = _matrix(), _matrix(), _vector()
    for i in range(3):
        none[i] = 0.0
        for j in range(3):
            across = (1.0 if i == j else 0.0) - n[i] * n[j]
            drift = (vb[j] - va[j]) - rate * n[j]  # P v_r
            A[i, j] = slope * n[i] * n[j] + tension / l * across + rate_slope * n[i] * drift / l
            C[i, j] = rate_slope * n[i] * n[j]
    subtract_turning(wb, xb, none, f)
    for i in range(3):
        f[i] = -f[i]
    subtract_turning(wa, xa, none, f)
    # on a: f follows +(b) and -(a); on b: the opposite
    couple(space, sa, sb, xa, xb, vb, A, C)
    couple(space, sb, sa, xb, xa, va, A, C)
    for i in range(3):
        for j in range(3):
            A[i, j], C[i, j] = -A[i, j], -C[i, j]
    couple(space, sa, sa, xa, xa, va, A, C)
    couple(space, sb, sb, xb, xb, vb, A, C)


@inner
def couple(space, sa, sb, xa, xb, vb, A, C):
    """The force at xa of segment sa follows A dx_b + C dv_b of a point xb of segment sb."""
    if sa == 0 or sb == 0:
        return
    if sa == sb:
        subtract_point_tangent(xa, xb, vb, A, C, space.work[sa].G, space.work[sa].N)
    else:
        coupling = add_coupling(space, sa, sb)
        subtract_point_tangent(xa, xb, vb, A, C, coupling.G, coupling.N)


@inner
def place_point(space, segment, offset, x, v):
    """Position (from the common origin) and velocity of a point; segment 0 is the world."""
    w = space.work[segment]
    point_position(w, offset, x)
    if segment == 0:
        v[0], v[1], v[2] = 0.0, 0.0, 0.0
    else:
        point_velocity(w, x, v)


def _springs(tree, space, data, mode):
    """T = k (l - l_0) + d l', or a user's f(l, l'), between the ends of `SpringData`."""
    if mode < 0:
        return
    scratch, spring = space_view(space), spring_data(data)
    where, law, laws, offsets = spring.ends, spring.linear, spring.functions, spring.offsets
    xa, va, xb, vb = _vector(), _vector(), _vector(), _vector()
    place_point(scratch, where[0, 0], offsets[0], xa, va)
    place_point(scratch, where[1, 0], offsets[1], xb, vb)
    l, rate = span_direction(xa, va, xb, vb, _vector())
    if mode == ENERGY:
        scratch.energy[0] += 0.5 * law[0, 0] * (l - law[0, 1]) ** 2
        return
    if l == 0.0:
        return
    slope, rate_slope, f = law[0, 0], law[0, 2], laws[0, 0]
    tension = slope * (l - law[0, 1]) + rate_slope * rate
    if f != -1:
        tension = call_law(f, l, rate)
        if mode == TANGENT:
            slope = call_law(laws[1, 0], l, rate) if laws[1, 0] != -1 else law_slope(f, l, rate, False)
            rate_slope = call_law(laws[2, 0], l, rate) if laws[2, 0] != -1 else law_slope(f, l, rate, True)
        if not math.isfinite(tension + slope + rate_slope) and math.isfinite(l + rate):
            note = spring.note
            note[0, 0], note[0, 1], note[0, 2] = 1.0, l, rate
            tension = math.nan  # R tells of it, whether asked for its tangent or not
    pull(scratch, where[0, 0], where[1, 0], xa, xb, va, vb, tension, slope, rate_slope, mode)


springs = LoadKernel(_springs)


@inner
def virtual_velocity(w, x, z):
    """z_v + z_w x x: the velocity of a point of a segment along the virtual twist z = J y."""
    a = w.dS
    z[0] = a[3] + a[1] * x[2] - a[2] * x[1]
    z[1] = a[4] + a[2] * x[0] - a[0] * x[2]
    z[2] = a[5] + a[0] * x[1] - a[1] * x[0]


@inner
def span_growth(wa, wb, xa, xb, n):
    """n . (z_b - z_a): how a span grows along the virtual twists of its ends."""
    za, zb = _vector(), _vector()
    virtual_velocity(wa, xa, za)
    virtual_velocity(wb, xb, zb)
    return n[0] * (zb[0] - za[0]) + n[1] * (zb[1] - za[1]) + n[2] * (zb[2] - za[2])


@inner
def add_end_cotangent(w, by_place, by_velocity, by_virtual, sign, out):
    """The cotangent of a point's offset: x = p + R offset, its velocity V_v + V_w x x, its virtual one likewise."""
    bar = _vector()
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        bar[i] = by_place[i] + by_velocity[j] * w.V[k] - by_velocity[k] * w.V[j]
        bar[i] += by_virtual[j] * w.dS[k] - by_virtual[k] * w.dS[j]
    for i in range(3):
        out.p[i] += sign * (w.R[0, i] * bar[0] + w.R[1, i] * bar[1] + w.R[2, i] * bar[2])


@inner
def add_span_gradient(wa, wb, xa, va, xb, vb, growth, tension, slope, rate_slope, out_a, out_b):
    """Cotangents of the offsets of both ends of a span in the power T(l, l') growth.

    ``growth`` is that of the whole line along the virtual twists, of which the span has n . (z_b - z_a).
    """
    n, za, zb, r, v, z = _vector(), _vector(), _vector(), _vector(), _vector(), _vector()
    l, rate = span_direction(xa, va, xb, vb, n)
    if l == 0.0:
        return
    virtual_velocity(wa, xa, za)
    virtual_velocity(wb, xb, zb)
    along = span_growth(wa, wb, xa, xb, n)
    for i in range(3):
        drift, turn = (vb[i] - va[i] - rate * n[i]) / l, (zb[i] - za[i] - along * n[i]) / l
        r[i] = growth * (slope * n[i] + rate_slope * drift) + tension * turn
        v[i] = growth * rate_slope * n[i]
        z[i] = tension * n[i]
    add_end_cotangent(wb, r, v, z, 1.0, out_b)
    add_end_cotangent(wa, r, v, z, -1.0, out_a)


def _spring_gradient(tree, space, data, own, everything):
    """Of the power T n . (z_b - z_a) of a linear spring: by stiffness, rest length, damping and the places of its ends.
    """
    scratch, spring, out = space_view(space), spring_data(data), spring_data(own)
    where, law, offsets = spring.ends, spring.linear, spring.offsets
    xa, va, xb, vb, n = _vector(), _vector(), _vector(), _vector(), _vector()
    wa, wb = scratch.work[where[0, 0]], scratch.work[where[1, 0]]
    place_point(scratch, where[0, 0], offsets[0], xa, va)
    place_point(scratch, where[1, 0], offsets[1], xb, vb)
    l, rate = span_direction(xa, va, xb, vb, n)
    if l == 0.0:
        return
    growth, slope, rate_slope = span_growth(wa, wb, xa, xb, n), law[0, 0], law[0, 2]
    tension = slope * (l - law[0, 1]) + rate_slope * rate
    out.linear[0, 0] += growth * (l - law[0, 1])
    out.linear[0, 1] -= growth * slope
    out.linear[0, 2] += growth * rate
    add_span_gradient(wa, wb, xa, va, xb, vb, growth, tension, slope, rate_slope, out.offsets[0], out.offsets[1])


spring_gradient = GradientKernel(_spring_gradient)


@dataclass(frozen=True, eq=False)
class Spring:
    """A spring and damper between two points: linear, or with a law of your own.

    Parameters
    ----------
    name : str
        For messages and reports.
    a, b : (link, s) or (link, s, offset)
        Ends at stations s: rods 0 (base) to 1 (tip); rigid links 0 (body frame) or 1 (tip); "world" with s = 0 for a
        fixed point given by the offset pose.
    stiffness : float
        N/m.
    rest_length : float
        m.
    damping : float
        N s/m.
    law : callable, optional
        Tension f(l, dl/dt) in N (positive pulls) instead of the linear law: a Numba or Python function of two floats.
    slopes : (callable, callable), optional
        Its derivatives by l and by dl/dt; fourth-order differences of the law if omitted.
    """

    name: str
    a: tuple[Any, ...]
    b: tuple[Any, ...]
    stiffness: float = 0.0
    rest_length: float = 0.0
    damping: float = 0.0
    law: ScalarLaw | None = None
    slopes: tuple[ScalarLaw, ScalarLaw] | None = None

    def stations(self) -> Iterable[tuple[str, float]]:
        """Both ends."""
        return [(end[0], end[1]) for end in (self._end("a"), self._end("b"))]

    def bind(self, binder: Binder) -> Bound:
        """Both ends and the law."""
        from supple.compilation.binder import Bound, pose_records

        ends = [binder.station(*self._end(which)) for which in ("a", "b")]
        if ends[0].segment == ends[1].segment == 0:
            raise ModelError("both ends are on the world: a spring needs a link that moves")
        binder.couplings += 2
        where = np.array([[end.segment] for end in ends], dtype=np.int64)
        offsets = pose_records([end.offset for end in ends])
        law = [
            nonnegative_float(self.stiffness, "stiffness", "N/m"),
            nonnegative_float(self.rest_length, "rest_length", "m"),
            nonnegative_float(self.damping, "damping", "N s/m"),
        ]
        linear = self.law is None and self.slopes is None
        laws = LawTable.of(None, None, None) if linear else self._laws(binder)
        guard = LawGuard(f"Spring {self.name!r}", laws)
        data = SpringData(where, np.array([law]), laws, guard.note, offsets)
        side, told = (EXTERNAL + STORES, None) if linear else (EXTERNAL, guard)
        return Bound(self.name, springs, data, side, told, gradient=spring_gradient if linear else None)

    def sketch(self, binder: Binder) -> list[Mark]:
        """A coil between its ends."""
        return [Strand("spring", self.name, (Place(*self._end("a")), Place(*self._end("b"))))]

    def _laws(self, binder: Binder) -> LawTable:
        """The user's law and its derivatives, checked."""
        if self.law is None:
            raise ModelError("slopes belong to a law, but no law is given")
        if self.stiffness or self.rest_length or self.damping:
            raise ModelError("law stands instead of stiffness, rest_length and damping: give one or the other")
        (a, sa, ga), (b, sb, gb) = self._end("a"), self._end("b")
        rest = float(np.linalg.norm((binder.rest_pose(a, sa) @ ga - binder.rest_pose(b, sb) @ gb)[:3, 3]))
        check_law(self.law, "law", rest or 1.0)
        if self.slopes is None:
            return LawTable.of(self.law, None, None)
        if not isinstance(self.slopes, (tuple, list)) or len(self.slopes) != 2:
            raise ModelError(f"slopes is {shown(self.slopes)}, must be two functions: df/dl and df/d(dl/dt)")
        for i, slope in enumerate(self.slopes):
            check_law(slope, f"slopes[{i}]", rest or 1.0)
        return LawTable.of(self.law, *self.slopes)

    def _end(self, which: str) -> tuple[str, float, np.ndarray]:
        return point_place(getattr(self, which), which)


def point_place(end: tuple[Any, ...], which: str) -> tuple[str, float, np.ndarray]:
    """(link, s, offset) of what a user gives for a point."""
    if not isinstance(end, (tuple, list)) or len(end) not in (2, 3):
        raise ModelError(f"{which} is {shown(end)}, must be (link, s) or (link, s, offset)")
    return (
        end[0],
        as_station(end[1], f"{which}: s"),
        check_pose(end[2], f"{which}: offset") if len(end) == 3 else np.eye(4),
    )
