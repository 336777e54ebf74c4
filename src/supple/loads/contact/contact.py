"""Contact by penalty between shapes: k d^p with Hunt-Crossley damping, regularised Coulomb friction, exact tangent.

A probe (a sphere of segment a) meets a surface (of segment b): D is the distance of its centre c from the surface,
n the normal towards the probe, d = r - D the penetration, and the force acts at the middle of the overlap,
x = c - (r - d/2) n, on both: action and reaction share a line.  With u the velocity of a relative to b at x,

    f = N n - mu N u_t / sqrt(u_t^2 + e^2),      N = k d^p g(1 + c d'),      d' = -n . u,    u_t = u - (n . u) n,

where g(y) = y unless y is so small that the contact would pull; it meets zero smoothly.

**Tangent.**  An observer on b sees W = [x x f; f] depend on the relative motion alone: with zeta_a, zeta_b the
variations of the segments, z = zeta_a - zeta_b and the relative twist U = V_a - V_b, which b sees vary by z' - ad_Va z,

    dW = P z + D (z' - ad_Va z) = G z + D z'        on b,
    dW - adbar*_W z                                 seen from a.

P and D follow from the derivatives of n, x and f by z, all (3, 6): the centre moves by dc = L_c z, L_c = [-c~, I], the
normal by H dc, the penetration by -n . dc.  The centre of a capsule's probe slides along its axis w by dt, which keeps
n . w = r', r(t) the radius along it (constant for capsules, that of inscribed circles for elliptic sections):
dt = -(n . (z_w x w) + w^T H dc) / (w^T H w - r'').
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from supple.checks import finite_float, flag, nonnegative_float, positive_float, shown
from supple.core.arrays import floats, handle_at, integers, poses, space_view, tree_view
from supple.core.dormant import ASLEEP, AWAKE, POSED, add_bud_coupling, bud_reach, fold_group, reach_point, rouse
from supple.core.inertia import add_coadbar
from supple.core.loads import EXTERNAL, TANGENT, WRENCH
from supple.errors import ModelError, naming
from supple.jit import LoadKernel, inlined, inner, leaf
from supple.lie.se3 import compose
from supple.loads.contact.distance import (
    PARALLEL,
    ROUND,
    closest_on_axis,
    closest_varying,
    out_of_reach,
    signed_distance,
    varying_radius,
)
from supple.loads.contact.meetings import meetings
from supple.loads.contact.shapes import Meeting, Probe, Shape, Spheres, Surface
from supple.loads.points import point_position

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark

#: Probes per bounding ball of the broad phase, at most.
CHUNK = 8

#: Exponent of round bodies: the usual one, and a square root is much quicker than a power.
HERTZ = 1.5

#: Half width, in 1 + c d', of the smooth end of Hunt-Crossley damping: below minus this a contact has let go.
RELEASE = 0.1


@inner
def release(y):
    """g(y) and its slope: y, but never negative; a parabola joins the two within `RELEASE`."""
    if y >= RELEASE:
        return y, 1.0
    if y <= -RELEASE:
        return 0.0, 0.0
    return (y + RELEASE) ** 2 / (4.0 * RELEASE), (y + RELEASE) / (2.0 * RELEASE)


@inner
def contact_force(law, weight, d, n, u, f, Fd, Fn, Fu, mode):
    """f (3,), and in mode TANGENT its derivatives by d (3,), n and u (3, 3).

    ``law`` = stiffness, exponent, damping, friction, slip velocity.
    """
    un = n[0] * u[0] + n[1] * u[1] + n[2] * u[2]
    tx, ty, tz = u[0] - un * n[0], u[1] - un * n[1], u[2] - un * n[2]
    speed = math.sqrt(tx * tx + ty * ty + tz * tz + law[4] * law[4])
    k = weight * law[0]
    damping, damping_slope = release(1.0 - law[2] * un)
    slope = k * math.sqrt(d) if law[1] == HERTZ else k * d ** (law[1] - 1.0)
    elastic = slope * d
    N = elastic * damping
    Nd = law[1] * slope * damping
    Nu = -elastic * damping_slope * law[2]
    s = (tx / speed, ty / speed, tz / speed)
    mu = law[3]
    for i in range(3):
        e = n[i] - mu * s[i]
        f[i] = N * e
        if mode == TANGENT:
            Fd[i] = Nd * e
            drag = mu * N / speed
            for j in range(3):
                one = 1.0 if i == j else 0.0
                # d(u_t / speed) = (I - s s^T) / speed d(u_t), d(u_t) = (I - n n^T) du - (n u^T + u_n I) dn
                Fu[i, j] = Nu * e * n[j] - drag * (one - n[i] * n[j] - s[i] * s[j])
                Fn[i, j] = Nu * e * u[j] + N * one + drag * (n[i] * u[j] + un * (one - s[i] * s[j]))


@leaf
def point_matrix(x, L):
    """L (3, 6) = [-x~, I]."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        L[i, i], L[i, j], L[i, k] = 0.0, x[k], -x[j]
        for l in range(3):
            L[i, 3 + l] = 1.0 if i == l else 0.0


@leaf
def add_product(scale, A, X, out):
    """out += scale A X for A (3, 3) and X (3, 6)."""
    for i in range(3):
        for k in range(3):
            a = scale * A[i, k]
            for j in range(6):
                out[i, j] += a * X[k, j]


@leaf
def add_cross(scale, x, Y, out):
    """out += scale x~ Y for Y (3, 6)."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for l in range(6):
            out[i, l] += scale * (x[j] * Y[k, l] - x[k] * Y[j, l])


@inner
def centre_motion(length, place, axis, c, n, H, slope, bend, Lc, Lr):
    """Lc (3, 6), Lr (6,): centre and radius of a probe by z; it slides along its axis between 0 and ``length``.

    ``slope`` and ``bend`` are r' and -r'' there.
    """
    point_matrix(c, Lc)
    for l in range(6):
        Lr[l] = 0.0
    if not 0.0 < place < length:
        return
    turn = 0.0
    for i in range(3):
        for j in range(3):
            bend += axis[i] * H[i, j] * axis[j]
            turn += H[i, j] * H[i, j]
    if bend <= PARALLEL * math.sqrt(turn):
        return
    for l in range(6):
        slide = 0.0
        for i in range(3):
            for j in range(3):
                slide += axis[i] * H[i, j] * Lc[j, l]
        if l < 3:  # n . (z_w x w) = z_w . (w x n)
            j, k = (l + 1) % 3, (l + 2) % 3
            slide += axis[j] * n[k] - axis[k] * n[j]
        slide /= bend
        Lr[l] = -slope * slide
        # all entries of column l have been read before any is written
        for i in range(3):
            Lc[i, l] -= axis[i] * slide


@inner
def contact_tangent(t, V, U, d, radius, x, n, H, f, Fd, Fn, Fu, Lc, Lr, G, D):
    """G and D (6, 6) of dW = G z + D z', for W = [x x f; f] as seen from b; the penetration grows by Lr - n . Lc."""
    Ln, Lx, K, Kd, L, slip = t.L[1], t.L[2], t.L[3], t.L[4], t.L[5], t.L[6]
    offset = 0.5 * d - radius
    for i in range(3):
        for j in range(6):
            Ln[i, j], K[i, j], Kd[i, j] = 0.0, 0.0, 0.0
    add_product(1.0, H, Lc, Ln)
    for j in range(6):
        normal = n[0] * Lc[0, j] + n[1] * Lc[1, j] + n[2] * Lc[2, j] - Lr[j]
        for i in range(3):
            Lx[i, j] = Lc[i, j] + offset * Ln[i, j] - n[i] * (0.5 * normal + Lr[j])
            K[i, j] = -Fd[i] * normal
    add_product(1.0, Fn, Ln, K)
    # du = L_x (z' - ad_V z) + U_w x dx; L_x ad_V = [(V_v)~ - x~ (V_w)~, (V_w)~]
    point_matrix(x, L)
    add_product(1.0, Fu, L, Kd)
    xV = x[0] * V[0] + x[1] * V[1] + x[2] * V[2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for l in range(3):
            slip[i, l], slip[i, 3 + l] = V[i] * x[l], 0.0  # x~ w~ = w x^T - (x . w) I
        slip[i, i] -= xV
        slip[i, j] += V[3 + k]
        slip[i, k] -= V[3 + j]
        slip[i, 3 + j] += V[k]
        slip[i, 3 + k] -= V[j]
    add_cross(1.0, U, Lx, slip)
    add_product(1.0, Fu, slip, K)
    for i in range(3):
        for l in range(6):
            G[i, l], D[i, l] = 0.0, 0.0
            G[3 + i, l], D[3 + i, l] = K[i, l], Kd[i, l]
    add_cross(-1.0, f, Lx, G)
    add_cross(1.0, x, K, G)
    add_cross(1.0, x, Kd, D)


@inlined
def subtract_tangent(w, G, D):
    """On a segment: dF = -(G z + D z')."""
    for i in range(6):
        for j in range(6):
            w.G[i, j] -= G[i, j]
            w.N[i, j] -= D[i, j]


@inlined
def contact_point(wa, wb, radius, d, c, n, x, u, U):
    """Middle x of the overlap, relative twist U (its angular part) and velocity u there of a relative to b."""
    for i in range(3):
        x[i] = c[i] + (0.5 * d - radius) * n[i]
        U[i] = wa.V[i] - wb.V[i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        u[i] = wa.V[3 + i] - wb.V[3 + i] + U[j] * x[k] - U[k] * x[j]


@inner
def press(t, wa, wb, probe, axis, c, place, radius, slope, bend, d, law, mode):
    """A contact of depth d: -[x x f; f] in t.f[0], its tangent for z = zeta_a - zeta_b in t.H and t.B.

    The probe is centred at c with the radius r, r' and -r'' there; n and H are in t.x, t.T[0].
    """
    n, H = t.x[0:3], t.T[0]
    x, u, f, U, Fd = t.y[0:3], t.y[3:6], t.z[0:3], t.z[3:6], t.x[3:6]
    Fn, Fu, W = t.T[1], t.D[0], t.f[0]
    contact_point(wa, wb, radius, d, c, n, x, u, U)
    contact_force(law, probe[2], d, n, u, f, Fd, Fn, Fu, mode)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        W[i], W[3 + i] = -(x[j] * f[k] - x[k] * f[j]), -f[i]
    if mode == TANGENT:
        centre_motion(probe[1], place, axis, c, n, H, slope, bend, t.L[0], t.f[1])
        contact_tangent(t, wa.V, U, d, radius, x, n, H, f, Fd, Fn, Fu, t.L[0], t.f[1], t.H, t.B)


@inner
def write_coupling(coupling, a, b, G, D):
    """dF_a = G zeta_b + D zeta_b'."""
    coupling.a, coupling.b = a, b
    for i in range(6):
        for j in range(6):
            coupling.G[i, j], coupling.N[i, j] = G[i, j], D[i, j]


@inner
def apart(a, b):
    """Whether two balls (4,) do not overlap."""
    x, y, z, reach = a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] + b[3]
    return x * x + y * y + z * z > reach * reach


@inner
def probe_middle(w, frame, length, x):
    """Centre of a probe, the middle of its axis if it slides."""
    point_position(w, frame, x)
    if length > 0.0:
        for j in range(3):
            x[j] += 0.5 * length * (w.R[j, 0] * frame.R[0, 0] + w.R[j, 1] * frame.R[1, 0] + w.R[j, 2] * frame.R[2, 0])


@inner
def slide_probe(kind, size, Rs, ps, probe, w, frame, Rp, pp, axis, c, t):
    """Move the centre c of a probe to where along its ``axis`` it is closest to a surface, if it can slide there."""
    if kind != ROUND and probe[3] == 0.0:
        return 0.0
    compose(w.R, w.p, frame.R, frame.p, Rp, pp)
    if probe[3] > 0.0:
        place = closest_varying(kind, size, Rs, ps, probe, Rp, pp, c, t.x[0:3], t.T[0])
    else:
        place = closest_on_axis(probe[1], Rp, pp, size[1], size[2], Rs, ps)
    for j in range(3):
        axis[j] = Rp[j, 0]
        c[j] = pp[j] + place * axis[j]
    return place


@inner
def bounding_ball(work, where, probe, frames, first, last, x, ball):
    """ball (4,): centre and radius of what holds some probes."""
    for i in range(4):
        ball[i] = 0.0
    for turn in range(2):
        for j in range(first, last):
            probe_middle(work[where[j, 0]], frames[j], probe[j, 1], x)
            if turn == 0:
                for i in range(3):
                    ball[i] += x[i] / (last - first)
            else:
                y = (x[0] - ball[0]) ** 2 + (x[1] - ball[1]) ** 2 + (x[2] - ball[2]) ** 2
                ball[3] = max(ball[3], math.sqrt(y) + probe[j, 0] + 0.5 * probe[j, 1])


@inner
def clear(X):
    """X = 0; loops compile in less time than Numba's assignment to a whole array."""
    for m in range(X.shape[0]):
        for i in range(X.shape[1]):
            for j in range(X.shape[2]):
                X[m, i, j] = 0.0


def _contacts(tree, space, data, mode):
    """All probes against all surfaces: data = probes, their sizes and frames; surfaces, theirs; pairs to skip; law.

    where (m, 1) segment, probe (m, 5) (see `varying_radius`); on (k, 2) segment, kind, size (k, 3).  Both come in
    groups (g, 3) first, last, whether they are buds, with their bounds (see `bud_reach`).
    """
    if mode != WRENCH and mode != TANGENT:
        return
    at, scratch = tree_view(tree), space_view(space)
    h = handle_at(data, 12)
    where, probe, frames = integers(h, 0), floats(h, 1), poses(h, 2)
    on, size, surfaces = integers(h, 3), floats(h, 4), poses(h, 5)
    skip, law = integers(h, 6), floats(h, 7)
    groups, bounds, stands, ground = integers(h, 8), floats(h, 9), integers(h, 10), floats(h, 11)
    t, work = scratch.scratch[0], scratch.work
    m = groups.shape[0]
    balls = np.empty((m + stands.shape[0], 5))  # centre, radius, whether buds of the group were posed
    Rp, pp, Rs, ps = t.D[1], t.p, t.Z[2, 1, 0], t.jet[0, 0:3]
    c, axis = t.jet[1, 0:3], t.jet[2, 0:3]
    for g in range(balls.shape[0]):
        group, bound = (groups[g], bounds[g]) if g < m else (stands[g - m], ground[g - m])
        balls[g, 4] = 0.0
        if group[2]:
            s = where[group[0], 0] if g < m else on[group[0], 0]
            o, parent = at.owner[s], at.parents[s]
            block, q = at.blocks[o], scratch.coordinates[0]
            reach_point(work[parent], at.placement[o], parent == block.parent, balls[g])
            balls[g, 3] = bound[bound.shape[0] - 1] + bud_reach(bound, block.n, q[block.start :])
        elif g < m:
            bounding_ball(work, where, probe, frames, group[0], group[1], c, balls[g])
    for e in range(m, balls.shape[0]):
        stand = stands[e - m]
        for g in range(m):
            if stand[2] and apart(balls[e], balls[g]):
                continue
            for s in range(stand[0], stand[1]):
                b, kind = on[s, 0], on[s, 1]
                if stand[2] and work[b].awake == ASLEEP:
                    rouse(at, scratch, b, POSED)
                    balls[e, 4] = 1.0
                compose(work[b].R, work[b].p, surfaces[s].R, surfaces[s].p, Rs, ps)
                if out_of_reach(kind, size[s], Rs, ps, balls[g], balls[g, 3]):
                    continue
                for i in range(groups[g, 0], groups[g, 1]):
                    a, place = where[i, 0], 0.0
                    if skip[i, s]:
                        continue
                    if groups[g, 2] and work[a].awake == ASLEEP:
                        rouse(at, scratch, a, POSED)
                        balls[g, 4] = 1.0
                    wa, wb = work[a], work[b]
                    probe_middle(wa, frames[i], probe[i, 1], c)
                    if out_of_reach(kind, size[s], Rs, ps, c, probe[i, 0] + 0.5 * probe[i, 1]):
                        continue
                    if probe[i, 1] > 0.0:
                        place = slide_probe(kind, size[s], Rs, ps, probe[i], wa, frames[i], Rp, pp, axis, c, t)
                    radius, slope, bend = varying_radius(probe[i], place)
                    d = radius - signed_distance(kind, size[s], Rs, ps, c, t.x[0:3], t.T[0])
                    if d <= 0.0:
                        continue
                    for k in range(2):
                        x = b if k else a
                        if work[x].awake == POSED and rouse(at, scratch, x, AWAKE):
                            if scratch.count[3] == 0 and mode == TANGENT:
                                clear(scratch.local)
                            scratch.count[3] += 1
                    press(t, wa, wb, probe[i], axis, c, place, radius, slope, bend, d, law[0], mode)
                    for k in range(6):
                        wa.F[k] += t.f[0, k]
                        wb.F[k] -= t.f[0, k]
                    if mode == TANGENT:
                        # first b: F += W, so dF = G z + D z' = -(G (-z) + D (-z')); then a, which sees G - adbar*_W
                        for k in range(2):
                            x, y = (a, b) if k else (b, a)
                            if k:
                                add_coadbar(t.f[0], t.H)
                            if x != 0:
                                subtract_tangent(work[x], t.H, t.B)
                            if x != 0 and y != 0:
                                if wa.awake == AWAKE or wb.awake == AWAKE:
                                    add_bud_coupling(at, scratch, x, y, t.H, t.B)
                                else:
                                    write_coupling(scratch.couplings[scratch.count[0]], x, y, t.H, t.B)
                                    scratch.count[0] += 1
    for g in range(balls.shape[0]):
        group = groups[g] if g < m else stands[g - m]
        rows = where if g < m else on
        if balls[g, 4] != 0.0:
            fold_group(at, scratch, rows, group[0], group[1], mode == TANGENT)


contacts = LoadKernel(_contacts)


@dataclass(frozen=True, eq=False)
class Contact:
    """Two shapes that push each other away where they overlap, and rub.

    Parameters
    ----------
    name : str
        For messages and reports.
    a, b : Shape
        What touches: `Spheres` along a rod, `Ball`, `Capsule`, `Box`, `Plane`, `Tube`, on links or on the world.
        The same `Spheres` twice: a rod against itself.
    stiffness : float
        k of the normal force k d^p of every point of contact, N/m^p (N/m^(p+1) with ``per_length``).
    exponent : float
        p >= 1; 1.5 is Hertz.
    damping : float
        c of the factor 1 + c d' (Hunt-Crossley), s/m.
    friction : float
        Coefficient mu of Coulomb friction.
    slip_velocity : float
        Speed below which friction becomes viscous, m/s.
    per_length : bool
        ``a`` is a rod's `Spheres`: stiffness per metre, at the rod's Gauss nodes in place of its n stations.

    Examples
    --------
    >>> from supple.loads.contact.shapes import Plane, Spheres
    >>> floor = Contact("floor", Spheres("arm", n=20), Plane(), stiffness=1e5, friction=0.5)
    """

    name: str
    a: Shape
    b: Shape
    stiffness: float
    exponent: float = 1.5
    damping: float = 0.0
    friction: float = 0.0
    slip_velocity: float = 1e-3
    per_length: bool = False

    def __post_init__(self) -> None:
        with naming(f"Contact {shown(self.name)}"):
            for which in ("a", "b"):
                if not isinstance(getattr(self, which), Shape):
                    raise ModelError(
                        f"{which} is {shown(getattr(self, which))}, must be a shape such as Spheres or Plane"
                    )
            rods = isinstance(self.a, Spheres) + isinstance(self.b, Spheres)
            if flag(self.per_length, "per_length") and rods != 1:
                raise ModelError("per_length needs Spheres on one side and another shape on the other")
            self.law()

    def law(self) -> list[float]:
        """Stiffness, exponent, damping, friction, slip velocity, checked."""
        exponent = finite_float(self.exponent, "exponent")
        if exponent < 1.0:
            raise ModelError(f"exponent is {exponent:g}, must be at least 1: the stiffness at first touch is infinite")
        return [
            nonnegative_float(self.stiffness, "stiffness", "N/m^p"),
            exponent,
            nonnegative_float(self.damping, "damping", "s/m"),
            nonnegative_float(self.friction, "friction"),
            positive_float(self.slip_velocity, "slip_velocity", "m/s"),
        ]

    def stations(self) -> Iterable[tuple[str, float]]:
        """Where the shapes sit, but for spheres along rods."""
        for shape in (self.a, self.b):
            if not isinstance(shape, Spheres):
                yield from shape.stations()
            elif self.per_length:
                yield shape.link, 0.0  # at the rod's own points; the link is checked

    def buds(self) -> Iterable[tuple[str, float]]:
        """Where the spheres along rods sit: the rod goes there only when they may touch (see `core.dormant`)."""
        for shape in (self.a, self.b):
            if isinstance(shape, Spheres) and not self.per_length:
                yield from shape.stations()

    def bind(self, binder: Binder) -> Bound:
        """Everything that may touch."""
        bound = bind_meetings(self.name, meetings(self.a, self.b, binder, self.per_length), self.law(), binder)
        return bound._replace(spread=self.per_length)

    def sketch(self, binder: Binder) -> list[Mark]:
        """Both shapes; one that touches itself, once."""
        shapes = (self.a,) if self.a is self.b else (self.a, self.b)
        return [mark for shape in shapes for mark in shape.marks(binder)]


def bind_meetings(name: str, meeting: Meeting, law: list[float], binder: Binder) -> Bound:
    """Probes and surfaces as arrays of the kernel; room for the couplings of all pairs that may touch."""
    from supple.compilation.binder import Bound, pose_records

    places = [binder.station(probe.link, probe.s, probe.frame) for probe in meeting.probes]
    grounds = [binder.station(surface.link, surface.s, surface.frame) for surface in meeting.surfaces]
    where = np.array([[place.segment] for place in places], dtype=np.int64)
    on = np.array([(g.segment, s.kind) for g, s in zip(grounds, meeting.surfaces, strict=True)], dtype=np.int64)
    skip = meeting.skip | (where == on[:, 0])  # on one body nothing moves
    if skip.all():
        raise ModelError("nothing here can move against anything else: both shapes are on the world or on one body")
    buds, moving = np.array(sorted(binder.buds), dtype=np.int64), ~skip & (where > 0) & (on[:, 0] > 0)
    binder.couplings += 2 * int(np.sum(moving & ~(np.isin(where, buds) | np.isin(on[:, 0], buds))))
    data = (
        where,
        np.array([probe.numbers for probe in meeting.probes]),
        pose_records([place.offset for place in places]),
        on,
        np.array([surface.size for surface in meeting.surfaces], dtype=float),
        pose_records([ground.offset for ground in grounds]),
        skip.astype(np.int64),
        np.array([law]),
        *grouped(binder, [(p.link, p.s, p.reach) for p in meeting.probes], where[:, 0]),
        *grouped(binder, [(s.link, s.s, s.reach) for s in meeting.surfaces], on[:, 0]),
        *(place_table(binder, shapes) for shapes in (meeting.probes, meeting.surfaces)),
    )
    return Bound(name, contacts, data, EXTERNAL)


def place_table(binder: Binder, shapes: Sequence[Probe | Surface]) -> np.ndarray:
    """(m, 2) [number of the link, s] of shapes, -1 for the world: read-outs want it, the kernel does not."""
    numbers = {layout.name: i for i, layout in enumerate(binder.layouts)}
    return np.array([(numbers.get(shape.link, -1), shape.s) for shape in shapes], dtype=float).reshape(-1, 2)


def grouped(
    binder: Binder, places: list[tuple[str, float, float]], segments: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Groups of the broad phase and their bounds: the buds of one point of a rod, or up to `CHUNK` others.

    Returns
    -------
    groups : (g, 3) ints
        First, last, whether buds.
    bounds : (g, 5 + n) floats
        Of buds: longest step, most of the rest strains (angular, linear), number of angular coordinates, most of each
        |phi|, how far shapes reach from their station.
    """
    owners, last = [], ("", -1)
    for (link, s, _), segment in zip(places, segments.tolist(), strict=True):
        bud = segment in binder.buds
        owners.append((link, binder.rod(link).point_under(s)) if bud else ("", -1))
    groups: list[tuple[int, int, int]] = []
    for i, owner in enumerate(owners):
        if groups and owner == last and groups[-1][1] - groups[-1][0] < CHUNK * (4 if owner[0] else 1):
            groups[-1] = (groups[-1][0], i + 1, groups[-1][2])
        else:
            groups.append((i, i + 1, int(owner[1] >= 0)))
        last = owner
    rows = [_bound(binder, places[first:end]) if bud else np.zeros(5) for first, end, bud in groups]
    bounds = np.zeros((len(rows), max(map(len, rows))))
    for bound, row in zip(bounds, rows, strict=True):
        bound[: len(row) - 1], bound[-1] = row[:-1], row[-1]
    return np.array(groups, dtype=np.int64), bounds


def _bound(binder: Binder, places: list[tuple[str, float, float]]) -> np.ndarray:
    """Bounds of the buds of one point."""
    rod = binder.rod(places[0][0])
    start = float(rod.s[rod.point_under(places[0][1])])
    ends = np.array([s for _, s, _ in places])
    steps = rod.steps(np.full(len(ends), start), ends)
    rest = np.abs(steps.rest)
    angular, linear = (np.linalg.norm(part, axis=-1).max() for part in (rest[..., :3], rest[..., 3:]))
    phi = np.abs(steps.phi).max(axis=(0, 1))
    head = [2.0 * float(steps.half.max()), angular, linear, float(np.sum(rod.component < 3))]
    return np.array([*head, *phi, max(radius for _, _, radius in places)])
