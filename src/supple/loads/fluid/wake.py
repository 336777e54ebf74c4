"""Wakes: what a slender body leaves behind at its trailing edge ([LAEBT]).

A slender body moves the water beside it: per metre the momentum p = M_a eta_r and the energy e = eta_r . p / 2, with
the added mass M_a of its section and the twist eta_r relative to the water, in section axes.  Along the body this is
the added mass of `Fluid`.  At the trailing edge the water is left behind: with the unit tangent T towards the head and
the speed u = v_r . T of the edge along it, the body gains

    F = -u p + e T.

The first part is momentum that flows away, the second the pressure of the water beside the edge.  The power of F is
-u e: energy flows into the wake with the speed of the edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, positive_float, shown, symmetric_psd
from supple.core.arrays import space_view
from supple.core.load_data import Columns, Floats, Integers, Poses, load_view
from supple.core.loads import EXTERNAL, TANGENT
from supple.core.segment_gradients import add_frame_cotangent
from supple.errors import ModelError, naming
from supple.jit import LoadKernel, SmoothGradientKernel, inner, local_array
from supple.lie.se3 import Ad_inverse, add_coad, compose, product6, product6_transposed
from supple.loads.fluid.coefficients import AddedMass, Coefficients, coefficient_matrix
from supple.loads.fluid.fluid import relative_twist, subtract_relative_slope
from supple.loads.frames import subtract_body_wrench
from supple.loads.points import point_position
from supple.robot.stations import as_station

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound

#: Of elliptic sections in an ideal fluid.
IDEAL = AddedMass(y=1.0, z=1.0)

_vector, _wrench, _rotation, _matrix = local_array(3), local_array(6), local_array(3, 3), local_array(6, 6)


class WakeData(NamedTuple):
    """Arrays of a wake."""

    segment: Integers  #: (1, 1)
    flow: Annotated[Floats, Columns(way="", current_x="m/s", current_y="m/s", current_z="m/s")]  #: (1, 4)
    added_mass: Annotated[
        Floats, Columns(wx="", wy="", wz="", vx="", vy="", vz="")
    ]  #: (6, 6) M_a: kg m, kg, kg/m in its angular, mixed and linear blocks
    offset: Poses  #: (1,)


wake_data = load_view(WakeData)


def _wake(tree, space, data, mode):
    """-u p + e T at one frame, see `WakeData`; ``way`` is T . e_x, 1 or -1, so that u = way v_x."""
    if mode < 0:
        return
    scratch, own = space_view(space), wake_data(data)
    w, M, offset = scratch.work[own.segment[0, 0]], own.added_mass, own.offset[0]
    way, current = own.flow[0, 0], own.flow[0, 1:4]
    R, x, eta, p, f = _rotation(), _vector(), _wrench(), _wrench(), _wrench()
    point_position(w, offset, x)
    for i in range(3):
        for j in range(3):
            R[i, j] = w.R[i, 0] * offset.R[0, j] + w.R[i, 1] * offset.R[1, j] + w.R[i, 2] * offset.R[2, j]
    relative_twist(w, R, x, current, eta)
    product6(M, eta, p)
    energy = 0.0
    for i in range(6):
        f[i] = -way * eta[3] * p[i]
        energy += 0.5 * eta[i] * p[i]
    f[3] += way * energy
    subtract_body_wrench(w, R, x, f)
    if mode == TANGENT:
        H = _matrix()
        for i in range(6):
            for j in range(6):
                H[i, j] = -way * eta[3] * M[i, j]
        for i in range(6):
            H[i, 3] -= way * p[i]
            H[3, i] += way * p[i]
        subtract_relative_slope(w, R, x, current, H, _matrix())


wake = LoadKernel(_wake)


@inner
def add_frame_gradient(V, V_bar, z, z_bar, c, offset, out):
    """The offset's cotangent: with it, seen from its frame, V changes by ad_V rho + [0; rho_w x c], z by ad_z rho."""
    rho = _wrench()
    for k in range(6):
        rho[k] = 0.0
    add_coad(V, V_bar, rho)
    add_coad(z, z_bar, rho)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rho[i] -= c[j] * V_bar[3 + k] - c[k] * V_bar[3 + j]
    for k in range(6):
        rho[k] = -rho[k]
    add_frame_cotangent(offset.R, rho, out)


def _wake_gradient(tree, space, data, own, everything):
    """Of the power way (u z . p - e z_x): by added mass, current and frame; u = eta_x, p = M eta, e = eta . p / 2."""
    scratch, given, out = space_view(space), wake_data(data), wake_data(own)
    w, M, offset, way = scratch.work[given.segment[0, 0]], given.added_mass, given.offset[0], given.flow[0, 0]
    R, x, c, eta, V, z = _rotation(), _vector(), _vector(), _wrench(), _wrench(), _wrench()
    p, pulled, eta_bar, z_bar, energy, power = _wrench(), _wrench(), _wrench(), _wrench(), 0.0, 0.0
    compose(w.R, w.p, offset.R, offset.p, R, x)
    relative_twist(w, R, x, given.flow[0, 1:4], eta)
    Ad_inverse(R, x, w.V, V)
    Ad_inverse(R, x, w.dS, z)
    product6(M, eta, p)
    product6_transposed(M, z, pulled)
    for i in range(6):
        energy += 0.5 * eta[i] * p[i]
        power += z[i] * p[i]
    for i in range(6):
        eta_bar[i] = way * (eta[3] * pulled[i] - z[3] * p[i])  # M is symmetric
        z_bar[i] = way * eta[3] * p[i]
        for j in range(6):
            out.added_mass[i, j] += way * (eta[3] * z[i] * eta[j] - 0.5 * z[3] * eta[i] * eta[j])
    eta_bar[3] += way * power
    z_bar[3] -= way * energy
    for i in range(3):
        c[i] = V[3 + i] - eta[3 + i]
        out.flow[0, 1 + i] -= R[i, 0] * eta_bar[3] + R[i, 1] * eta_bar[4] + R[i, 2] * eta_bar[5]
    add_frame_gradient(V, eta_bar, z, z_bar, c, offset, out.offset[0])


wake_gradient = SmoothGradientKernel(_wake_gradient)


@dataclass(frozen=True, eq=False)
class Wake:
    """The wake behind the trailing edge of a slender swimmer: with `Fluid`'s added mass, Lighthill's theory.

    Parameters
    ----------
    link : str
        The link that ends in the trailing edge; its x axis is along the body.
    added_mass : (6, 6), (6,), function of s, or AddedMass
        Added mass of the section at the edge **per metre of body**, in section axes: the same that `Fluid` has along
        the body.  It has no axial part.  By default that of an ellipse in an ideal fluid (rods only).
    s : float
        Station of the edge: rods 0 (base) to 1 (tip); rigid links 0 (body frame) or 1 (tip).
    head : "base" or "tip"
        Towards which end of the link the head lies, upstream of the edge.
    density : float
        kg/m^3.
    current : (3,)
        Velocity of the fluid, world axes, m/s.
    name : str
        For messages and reports; unnamed ones are called "wake", "wake 2", and so on.

    Notes
    -----
    The theory is that of forward swimming: an edge that moves backwards (u < 0) would gain energy from its wake.
    """

    link: str
    added_mass: Coefficients = IDEAL
    s: float = 1.0
    head: str = "base"
    density: float = 1000.0
    current: ArrayLike = (0.0, 0.0, 0.0)
    name: str = "wake"

    def stations(self) -> Iterable[tuple[str, float]]:
        """The trailing edge."""
        return [(self.link, self.s)]

    def bind(self, binder: Binder) -> Bound:
        """One entry; nothing of it is in the inertia."""
        from supple.compilation.binder import Bound, pose_records

        if not isinstance(self.head, str) or self.head not in ("base", "tip"):
            given = shown(self.head)
            raise ModelError(f'head is {given}, must be "base" or "tip": the end of the link where the head lies')
        place = binder.station(self.link, as_station(self.s, "s"))
        if place.segment == 0:
            raise ModelError(f"link {self.link!r} does not move at s = {self.s:g}: it leaves no wake")
        way = -1.0 if self.head == "base" else 1.0
        current = finite_array(self.current, (3,), "current")
        where = np.array([[place.segment]], dtype=np.int64)
        data = WakeData(where, np.array([[way, *current]]), self._matrix(binder), pose_records([place.offset]))
        return Bound(self.name, wake, data, EXTERNAL, gradient=wake_gradient)

    def _matrix(self, binder: Binder) -> Array:
        """Added mass per metre at the edge, (6, 6)."""
        body = binder.robot_link(self.link).body
        rigid, shape = body.centreline is None, body.centreline or body.solid
        with naming(f"link {self.link!r}"):
            if rigid and isinstance(self.added_mass, AddedMass):
                raise ModelError(
                    "the section at the edge of a rigid body is not known: give its added mass per metre as a matrix"
                )
            density = positive_float(self.density, "density", "kg/m^3")
            s = None if rigid else float(self.s)
            given = coefficient_matrix({self.link: self.added_mass}, self.link, shape, s, density, "added_mass")
            if given[3].any() or given[:, 3].any():
                raise ModelError(
                    f"added_mass has an axial part {given[3].tolist()}: water slides along a slender body, "
                    "row and column 3 must be zero"
                )
            return np.array(symmetric_psd(given, 6, "added_mass"))
