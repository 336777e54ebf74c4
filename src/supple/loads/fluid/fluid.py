"""Water: buoyancy, drag and lift, added mass, in a uniform current ([GVS-AD] 6.3).

At a point with body twist eta = [w; v], rotation R, fluid of density rho, current c (world axes), with
eta_r = [w; v - R^T c] the twist relative to the fluid,

    drag and lift:  -D |v_r| eta_r
    added mass:     -M_a d(eta_r)/dt - ad*_{eta_r} M_a eta_r
    buoyancy:       -rho V R^T g  (a force)

per metre on rods (summed at Gauss nodes), in total on rigid bodies (at the centre of mass, body axes).  What buoys up
soft bodies, whose volume may change, is in `loads.fluid.buoyancy`.

The added mass is part of the segments' inertia (`Binder.immerse`), so that it is in every mass matrix.  What is left
for the load is to undo what the inverse dynamics then do wrong: gravity must not act on it (like the weight of the
displaced fluid, to which it is added: -(M_a + rho V) [0; R^T g]), and it feels the motion relative to the current.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import ROUNDING, Array, finite_array, finite_float, flag, names, positive_float, shown, symmetric_psd
from supple.core.arrays import space_view
from supple.core.inertia import add_coadbar, world_inertia
from supple.core.load_data import Columns, Floats, Incidental, Integers, load_view
from supple.core.loads import EXTERNAL, TANGENT
from supple.errors import ModelError, naming, warn
from supple.jit import LoadKernel, inner, local_array
from supple.lie.se3 import add_coad, product6, product6_transposed
from supple.loads.fluid.coefficients import AddedMass, Coefficients, Drag, coefficient_matrix, displaced_volume
from supple.loads.frames import carry_operator, subtract_body_wrench
from supple.numerics.quadrature import gauss_legendre

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.robot.bodies import Rigid, Rod
    from supple.robot.bodies.protocol import Body
    from supple.robot.bodies.soft import SoftBody

#: What a point has (columns 1 to 3 of `FluidData.points`).
DRAG, WEIGHT, DRIFT = 1, 2, 3

_vector, _wrench, _matrix, _half = local_array(3), local_array(6), local_array(6, 6), local_array(6, 3)


class FluidData(NamedTuple):
    """Arrays of a fluid around k points; matrices are those of the points one after the other."""

    points: Annotated[Integers, Incidental(1, 2, 3)]  #: (k, 4) segment, whether it has drag, weight, drift
    places: Floats  #: (k, 3) in the frame of the segment's end
    current: Annotated[Floats, Columns(x="m/s", y="m/s", z="m/s")]  #: (1, 3)
    drag: Annotated[Floats, Columns(wx="", wy="", wz="", vx="", vy="", vz="")]  #: (6 k, 6) wrench by v_r eta_r, SI
    weight: Floats  #: (6 k, 3) displaced and added mass, by which gravity acts less
    added_mass: Annotated[Floats, Columns(wx="", wy="", wz="", vx="", vy="", vz="")]  #: (6 k, 6) M_a, SI


fluid_data = load_view(FluidData)


@inner
def weigh(w, x, gravity, H, mode):
    """Buoyancy, and gravity taken off the added mass: the wrench -H R^T g in body axes at x; H is (6, 3)."""
    R, G, b, f = w.R, w.G, _vector(), _wrench()
    for i in range(3):
        b[i] = R[0, i] * gravity[0] + R[1, i] * gravity[1] + R[2, i] * gravity[2]
    for i in range(6):
        f[i] = -(H[i, 0] * b[0] + H[i, 1] * b[1] + H[i, 2] * b[2])
    subtract_body_wrench(w, R, x, f)
    if mode != TANGENT:
        return
    Y = _half()  # Ad^-T H R^T, (6, 3): R^T g follows the turn zeta_w by R^T (g x zeta_w)
    for k in range(0, 6, 3):
        for i in range(3):
            p = R[i, 0] * H[k, 0] + R[i, 1] * H[k + 1, 0] + R[i, 2] * H[k + 2, 0]
            q = R[i, 0] * H[k, 1] + R[i, 1] * H[k + 1, 1] + R[i, 2] * H[k + 2, 1]
            r = R[i, 0] * H[k, 2] + R[i, 1] * H[k + 1, 2] + R[i, 2] * H[k + 2, 2]
            for j in range(3):
                Y[k + i, j] = p * R[j, 0] + q * R[j, 1] + r * R[j, 2]
    for j in range(3):
        p, q, r = Y[3, j], Y[4, j], Y[5, j]
        Y[0, j] += x[1] * r - x[2] * q
        Y[1, j] += x[2] * p - x[0] * r
        Y[2, j] += x[0] * q - x[1] * p
    add_turning(1.0, Y, 0, gravity, G)


@inner
def add_turning(s, Y, c, g, G):
    """G[:, 0:3] += s Y[:, c:c+3] g~."""
    for i in range(6):
        p, q, r = s * Y[i, c], s * Y[i, c + 1], s * Y[i, c + 2]
        G[i, 0] += q * g[2] - r * g[1]
        G[i, 1] += r * g[0] - p * g[2]
        G[i, 2] += p * g[1] - q * g[0]


@inner
def relative_twist(w, R, x, current, eta):
    """Twist eta = [w; v - c] relative to the fluid, of the frame (R, x) fixed to a segment and in its axes."""
    V = w.V
    p = V[3] + V[1] * x[2] - V[2] * x[1] - current[0]
    q = V[4] + V[2] * x[0] - V[0] * x[2] - current[1]
    r = V[5] + V[0] * x[1] - V[1] * x[0] - current[2]
    for i in range(3):
        eta[i] = R[0, i] * V[0] + R[1, i] * V[1] + R[2, i] * V[2]
        eta[3 + i] = R[0, i] * p + R[1, i] * q + R[2, i] * r


@inner
def subtract_relative_slope(w, R, x, current, H, W):
    """Tangent of a wrench that follows the relative twist by H in the axes of the frame (R, x); W is scratch."""
    carry_operator(R, x, H, W)
    for i in range(6):
        for j in range(6):
            w.N[i, j] -= W[i, j]
    add_turning(1.0, W, 3, current, w.G)


@inner
def drag_point(w, x, current, D, mode):
    """-D |v_r| eta_r at x in body axes, with its tangent -(|v_r| D + D eta_r [0; v_r]^T / |v_r|) (63)."""
    R, eta, f = w.R, _wrench(), _wrench()
    relative_twist(w, R, x, current, eta)
    speed = math.sqrt(eta[3] * eta[3] + eta[4] * eta[4] + eta[5] * eta[5])
    if speed == 0.0:  # the force vanishes; its slope does too, or (if D makes force of spin) has a kink
        return
    product6(D, eta, f)
    if mode == TANGENT:
        H = _matrix()
        for i in range(6):
            for j in range(3):
                H[i, j] = -speed * D[i, j]
                H[i, 3 + j] = -speed * D[i, 3 + j] - f[i] * eta[3 + j] / speed
        subtract_relative_slope(w, R, x, current, H, _matrix())
    for i in range(6):
        f[i] *= -speed
    subtract_body_wrench(w, R, x, f)


@inner
def drift(w, x, current, added, mode):
    """What the added mass feels of a current C = [0; c]: it accelerates and turns with U = V - C, not with V.

    In world axes F = M (A - ad_C V) + ad*_U M U in place of M A + ad*_V M V.  Seen from the segment, the difference
    changes by -(M ad_C + adbar*_{M C} + ad*_C M) zeta' + (M ad_V - adbar*_{M U} - ad*_U M) ad_C zeta.
    """
    M, V, U, h, f = _matrix(), w.V, _wrench(), _wrench(), _wrench()
    world_inertia(w.R, x, added, M)
    for i in range(6):
        f[i], U[i] = 0.0, V[i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        f[3 + i] = V[j] * current[k] - V[k] * current[j]
        U[3 + i] -= current[i]
    product6_transposed(M, f, h)
    for i in range(6):
        w.F[i] += h[i]
    product6_transposed(M, U, h)
    add_coad(U, h, w.F)
    if mode == TANGENT:
        Y = _half()  # (M ad_V - adbar*_{M U} - ad*_U M)[:, 3:6]
        for j in range(3):
            for i in range(6):
                f[i] = 0.0
            add_coad(U, M[3 + j], f)
            for i in range(6):
                Y[i, j] = -f[i]
        for i in range(6):
            p, q, r = M[i, 3], M[i, 4], M[i, 5]
            Y[i, 0] += q * V[2] - r * V[1]
            Y[i, 1] += r * V[0] - p * V[2]
            Y[i, 2] += p * V[1] - q * V[0]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            Y[i, j] -= h[3 + k]
            Y[i, k] += h[3 + j]
        add_turning(1.0, Y, 0, current, w.G)
        add_turning(-1.0, M, 3, current, w.N)
        for j in range(6):
            w.N[0, j] -= current[1] * M[5, j] - current[2] * M[4, j]
            w.N[1, j] -= current[2] * M[3, j] - current[0] * M[5, j]
            w.N[2, j] -= current[0] * M[4, j] - current[1] * M[3, j]
        for i in range(6):
            h[i] = -(M[3, i] * current[0] + M[4, i] * current[1] + M[5, i] * current[2])
        add_coadbar(h, w.N)
    for i in range(6):
        f[i] = -V[i]
    product6_transposed(M, f, h)
    add_coad(V, h, w.F)


def _fluid(tree, space, data, mode):
    """Buoyancy, drag and drift of all points of `FluidData`."""
    if mode < 0:
        return
    scratch, own, x, gravity = space_view(space), fluid_data(data), _vector(), _vector()
    what, where, current = own.points, own.places, own.current[0]
    drags, weights, added = own.drag, own.weight, own.added_mass
    for i in range(3):
        gravity[i] = -scratch.work[0].A[3 + i]
    heavy = gravity[0] != 0.0 or gravity[1] != 0.0 or gravity[2] != 0.0
    for i in range(what.shape[0]):
        w = scratch.work[what[i, 0]]
        for k in range(3):
            x[k] = w.p[k] + w.R[k, 0] * where[i, 0] + w.R[k, 1] * where[i, 1] + w.R[k, 2] * where[i, 2]
        rows = slice(6 * i, 6 * i + 6)
        if heavy and what[i, WEIGHT]:
            weigh(w, x, gravity, weights[rows], mode)
        if what[i, DRAG]:
            drag_point(w, x, current, drags[rows], mode)
        if what[i, DRIFT]:
            drift(w, x, current, added[rows], mode)


fluid = LoadKernel(_fluid)


class _Point(NamedTuple):
    """One immersed point: matrices at ``where``, in the axes of the segment's end."""

    segment: int
    where: Array
    drag: Array
    added: Array
    displaced: float  #: mass [kg]


class _Along(NamedTuple):
    """A soft body as something with sections along its axis."""

    section: Any


@dataclass(frozen=True, eq=False)
class Fluid:
    """A fluid around the robot: buoyancy, drag and lift, added mass.

    Parameters
    ----------
    density : float
        kg/m^3.
    current : (3,)
        Velocity of the fluid, world axes, m/s.
    drag, added_mass : dict, or Drag and AddedMass for all immersed links
        Per link a (6, 6) matrix, its diagonal (6,), a function of the station s from 0 to 1 (rods), or `Drag` and
        `AddedMass`.
        Per metre on rods, in section axes; in total on rigid bodies, at the centre of mass in body axes.  On soft
        bodies with an axis per metre at rest, in the axes of the material there.
        Links that are not named have none.
    buoyancy : bool
        Whether immersed links are buoyed up by the fluid they displace.
    surface : float
        Height of the fluid's surface above the world's origin, m, against gravity: what is h m below it is pressed by
        rho |g| h.  It matters for soft bodies whose volume changes, and for nothing else: links are immersed as a
        whole, be they above it or not.
    links : sequence of str, optional
        The immersed links; all of the robot if omitted.
    name : str
        For messages and reports; unnamed ones are called "fluid", "fluid 2", and so on.

    Notes
    -----
    The added mass is in `mass_matrix`, in kinetic energy and in momentum; gravity does not act on it.  Gravitational
    energy is net of buoyancy; that of soft bodies is among the energies of loads.

    A soft body displaces the volume that its material takes as it deforms, the sum of det(df/dx): a body that swells is
    lifted more, and has to push the water away, the more the deeper it is.  Its bore counts as flooded.

    Drag and added mass act along its axis, at as many Gauss nodes as it has points there, per metre at rest and with
    the sections it has at rest: they turn and move with the material, but do not swell with it.  A radius that grows by
    the fraction e is owed e more drag and 2 e more added mass, an axis that stretches by e as much of both.  That is
    left out because what would have to replace it is not known by coefficients: an added mass that changes is not a
    coefficient times a new area, but brings the momentum of the water that a swelling wall pushes outward, M_a' v and
    -v^2 dM_a/dq / 2, and drag of a wall that moves outward through its own wake; measured coefficients are of bodies
    that keep their shape.  Give the section in mean working shape (`drag={link: ...}` takes matrices), or a `PointLaw`.
    """

    density: float = 1000.0
    current: ArrayLike = (0.0, 0.0, 0.0)
    drag: Mapping[str, Coefficients] | Drag | None = None
    added_mass: Mapping[str, Coefficients] | AddedMass | None = None
    buoyancy: bool = True
    links: Iterable[str] | None = None
    name: str = "fluid"
    surface: float = 0.0

    def __post_init__(self) -> None:
        with naming(f"Fluid {shown(self.name)}"):
            object.__setattr__(self, "buoyancy", flag(self.buoyancy, "buoyancy"))
            if self.links is not None:
                object.__setattr__(self, "links", names(self.links, "links"))

    def stations(self) -> Iterable[tuple[str, float]]:
        """Named links; rods at their own Gauss nodes."""
        tables = [table for table in (self.drag, self.added_mass) if isinstance(table, Mapping)]
        return [(link, 0.0) for link in (*(self.links or ()), *(link for table in tables for link in table))]

    def bind(self, binder: Binder) -> list[Bound]:
        """One entry per Gauss node of rods and per rigid body, the added mass goes into the segments' inertia; then
        the buoyancy of every soft body.
        """
        from supple.compilation.binder import Bound
        from supple.loads.fluid.fluid_gradient import fluid_gradient

        density = positive_float(self.density, "density", "kg/m^3")
        current = finite_array(self.current, (3,), "current")
        along = {link: list(self._points(binder, link, density)) for link in self._immersed(binder)}
        points = [point for link in along.values() for point in link]
        _warn_of_feeding(along)
        for point in points:
            x, y, z = point.where
            shift = np.eye(6)
            shift[3:, :3] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
            binder.immerse(point.segment, shift.T @ point.added @ shift, point.displaced * np.array([1.0, x, y, z]))
        data = _arrays(points, current)
        whole = Bound(self.name, fluid, data, EXTERNAL, spread=True, gradient=fluid_gradient)
        return [whole, *self._lifted(binder, density)]

    def _lifted(self, binder: Binder, density: float) -> Iterable[Bound]:
        """Buoyancy of soft bodies."""
        height = finite_float(self.surface, "surface")
        for link in self._immersed(binder) if self.buoyancy else ():
            soft = binder.robot_link(link).body.continuum
            if soft is not None:
                from supple.loads.fluid.buoyancy import bind_buoyancy  # late: it loads kernels of soft bodies

                with naming(f"link {link!r}"):
                    yield bind_buoyancy(binder, link, soft, density, height)

    def _immersed(self, binder: Binder) -> list[str]:
        links = [link.name for link in binder.robot.links] if self.links is None else list(dict.fromkeys(self.links))
        for what, table in (("drag", self.drag), ("added_mass", self.added_mass)):
            for link in table if isinstance(table, Mapping) else ():
                if link not in links:
                    raise ModelError(f"{what} is given for link {link!r}, which is not among the immersed links")
        return links

    def _points(self, binder: Binder, link: str, density: float) -> Iterable[_Point]:
        body = binder.robot_link(link).body
        line, solid = body.centreline, body.solid
        with naming(f"link {link!r}"):
            if line is not None:
                rod = binder.rod(link)
                for s, weight in zip(rod.s.tolist(), rod.weight.tolist(), strict=True):
                    if weight > 0.0:
                        drag, added, displaced = self._matrices(link, line, s, density)
                        segment = binder.station(link, s).segment
                        yield _Point(segment, np.zeros(3), weight * drag, weight * added, weight * displaced)
            elif body.continuum is not None:
                if self._moved_by(link):
                    yield from self._along_soft(binder, link, body.continuum, density)
            elif solid is not None:
                place = binder.station(link, 0.0)
                yield _Point(place.segment, np.asarray(solid.com), *self._matrices(link, solid, None, density))
            else:
                raise ModelError(f"it is {body.noun}, and fluids push on rods and solids: leave it out of links")

    def _moved_by(self, link: str) -> bool:
        """Whether a link has drag or added mass."""
        return any(link in x if isinstance(x, Mapping) else x is not None for x in (self.drag, self.added_mass))

    def body_stations(self, link: str, body: Body) -> list[float]:
        """Where it acts on a soft body: at as many Gauss nodes as the body has points along its axis."""
        soft = body.continuum
        immersed = soft is not None and (self.links is None or link in self.links)
        if soft is None or soft.domain.section is None or not immersed or not self._moved_by(link):
            return []
        return [float(s) for s in gauss_legendre(soft.points[0])[0]]

    def _along_soft(self, binder: Binder, link: str, soft: SoftBody, density: float) -> Iterable[_Point]:
        """Points along the axis of a soft body, with its sections at rest."""
        if soft.domain.section is None:
            raise ModelError(
                "it is a soft body without an axis, along which drag and added mass act: name the links that have "
                "some, drag={link: ...}, and leave it out"
            )
        along = _Along(soft.domain.section)
        for s, weight in zip(*map(np.ndarray.tolist, gauss_legendre(soft.points[0])), strict=True):
            drag, added, _ = self._matrices(link, along, s, density, buoyancy=False)
            metres, place = weight * float(soft.domain.length), binder.station(link, s)
            yield _Point(place.segment, np.zeros(3), metres * drag, metres * added, 0.0)

    def _matrices(
        self, link: str, body: Rod | Rigid | _Along, s: float | None, density: float, buoyancy: bool = True
    ) -> tuple[Array, Array, float]:
        """Drag, added mass and displaced mass at s of a rod or soft body (per metre), or of a rigid body (None)."""
        drag = coefficient_matrix(self.drag, link, body, s, density, "drag")
        added = symmetric_psd(
            coefficient_matrix(self.added_mass, link, body, s, density, "added_mass"), 6, "added_mass"
        )
        return drag, added, density * displaced_volume(body, s) if self.buoyancy and buoyancy else 0.0


def _warn_of_feeding(points: dict[str, list[_Point]]) -> None:
    """One warning that names the links whose drag is not positive semi-definite."""
    feeding = []
    for link, own in points.items():
        drag = np.array([point.drag for point in own]).reshape(-1, 6, 6)
        lowest = np.linalg.eigvalsh(drag + drag.transpose(0, 2, 1))[:, 0]
        if np.any(lowest < -ROUNDING * np.abs(drag).max(axis=(1, 2), initial=0.0)):
            feeding.append(repr(link))
    if feeding:
        warn(
            f"link {', '.join(feeding)}: the symmetric part of drag is not positive semi-definite, "
            "the fluid feeds energy in"
        )


def _arrays(points: list[_Point], current: Array) -> FluidData:
    """Data of the kernel."""
    k = len(points)
    weight = np.zeros((k, 6, 3))
    for H, point in zip(weight, points, strict=True):
        H[:] = point.added[:, 3:]
        H[3:] += point.displaced * np.eye(3)
    drag = np.array([point.drag for point in points]).reshape(k, 6, 6)
    added = np.array([point.added for point in points]).reshape(k, 6, 6)
    what = np.zeros((k, 4), dtype=np.int64)
    what[:, 0] = [point.segment for point in points]
    what[:, DRAG], what[:, WEIGHT] = drag.any(axis=(1, 2)), weight.any(axis=(1, 2))
    what[:, DRIFT] = added.any(axis=(1, 2)) & bool(current.any())
    where = np.array([point.where for point in points]).reshape(k, 3)
    matrices = drag.reshape(-1, 6), weight.reshape(-1, 3), added.reshape(-1, 6)
    return FluidData(what, where, current[None].copy(), *matrices)
