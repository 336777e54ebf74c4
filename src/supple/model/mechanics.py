"""Kinematics, dynamics, loops and invariants of a compiled robot: one kernel call inside each method."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import finite_float, flag, nonnegative_float, shown
from supple.core import elastic_line_states as _line_states
from supple.core import energy as _energy
from supple.core import forward_dynamics as _forward
from supple.core import internal_force as _internal
from supple.core import inverse_dynamics as _inverse
from supple.core import inverse_dynamics_derivatives as _derivatives
from supple.core import kinematics as _kinematics
from supple.core import mass_matrix as _mass
from supple.core import residual as _residual
from supple.core import tangent_products as _products
from supple.errors import ModelError
from supple.model.accelerations import State, balance, joint_efforts
from supple.model.batch import for_each, many_poses, many_states
from supple.model.chart_changes import rewrap_state
from supple.model.compiled import Compiled
from supple.model.constraints import LoopTerms, Multipliers, loop_terms, solve_constrained
from supple.model.results import (
    Acceleration,
    AccelerationDerivatives,
    Energy,
    InternalForceDerivatives,
    InverseDynamicsDerivatives,
    LineState,
    ResidualDerivatives,
    Station,
)
from supple.model.station_chain import StationChain, make_station_chain
from supple.model.station_sweep import StationSweep, make_station_sweep

Array = np.ndarray

#: Stations remembered per thread (see `Mechanics._probe`).
MOST_PROBES = 256

#: Sets of stations remembered per thread (see `Mechanics.poses`).
MOST_FANS = 8


class Mechanics(Compiled):
    """Where a robot is, how it moves, and what that takes; see `Model`."""

    # ------------------------------------------------------------------ kinematics

    def points(self, q: ArrayLike) -> Array:
        """World poses of all points, (P, 4, 4): per link its body frame, or base, nodes and tip (`point_table`).

        Of many states q (..., n), (..., P, 4, 4).
        """
        many = many_states(self, q)
        if many is not None:
            return for_each(many, self.points)
        q = self._state("q", q)
        size = len(self.parameters.segments)
        starts, ends = np.empty((size, 4, 4)), np.empty((size, 4, 4))
        _kinematics.point_poses(self._tree, self._own_space()[1], q, self._zero, starts, ends)
        poses = []
        for layout in self.layouts:
            if layout.table.points[0][0] == 0:
                poses.append(starts[layout.segments[0]][None])
            poses.append(ends[list(layout.segments)])
        return self._checked(np.concatenate(poses), q=q)

    def pose(self, q: ArrayLike, link: str, s: float = 1.0) -> Array:
        """World pose (4, 4) of station ``s`` of a link: rods 0 to 1; rigid links 0 (body frame) or 1 (tip).

        Of many states q (..., n), (..., 4, 4).
        """
        many = many_states(self, q)
        return self.station(q, None, link, s).pose if many is None else many_poses(self, many, link, s)

    def tip(self, q: ArrayLike, link: str, s: float = 1.0) -> Array:
        """World position (3,) of a station of a link, its tip if not said otherwise; (..., 3) of many states."""
        return self.pose(q, link, s)[..., :3, 3].copy()

    def poses(self, q: ArrayLike, stations: Sequence[tuple[str, float]]) -> Array:
        """World poses (K, 4, 4) of many stations (link, s), in one sweep: each equal to `pose`; "world" is allowed.

        Of many states q (..., n), (..., K, 4, 4).
        """
        many = many_states(self, q)
        if many is not None:
            return for_each(many, lambda row: self.poses(row, stations))
        q = self._state("q", q)
        fans: dict[tuple[tuple[str, float], ...], StationSweep] = self._threads.__dict__.setdefault("fans", {})
        key = _stations(stations)
        if key not in fans:
            if len(fans) >= MOST_FANS:
                fans.pop(next(iter(fans)))
            fans[key] = make_station_sweep(self, key)
        return self._checked(fans[key].poses(q), q=q)

    def jacobian(self, q: ArrayLike, link: str, s: float = 1.0) -> Array:
        """Body Jacobian J (6, n) of a station, angular part first: twist = J v."""
        return self.station(q, None, link, s).jacobian

    def jacobian_rate(self, q: ArrayLike, v: ArrayLike, link: str, s: float = 1.0) -> Array:
        """True time derivative dJ/dt (6, n) of the body Jacobian along v."""
        return self.station(q, v, link, s).jacobian_rate

    def twist(self, q: ArrayLike, v: ArrayLike, link: str, s: float = 1.0) -> Array:
        """Body twist (6,) of a station, [angular rad/s; linear m/s]."""
        return self.station(q, v, link, s).twist

    def station(self, q: ArrayLike, v: ArrayLike | None, link: str, s: float = 1.0) -> Station:
        """`pose`, `twist`, `jacobian` and `jacobian_rate` of a station at the cost of one of them; v = None is rest."""
        probe = self._probe(link, s)
        q = self._state("q", q)
        v = self._zero if v is None else self._state("v", v)
        pose, motion = np.empty((4, 4)), np.empty((2, 6))
        J, Jd = np.empty((6, self.n)), np.empty((6, self.n))
        if not _kinematics.chain_end(probe.tree_handle, probe.space_handle, q, v, self._zero, pose, motion, J, Jd):
            self._checked(np.hstack((pose.ravel(), motion.ravel(), J.ravel(), Jd.ravel())), q=q, v=v)
        return Station(pose, motion[0], J, Jd)

    def rewrap(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """The same state with the rotation vectors of spherical, free and planar joints at most pi long.

        For users of other solvers: their coordinates are singular at 2 pi.  Joints whose coordinates have a meaning of
        their own (a spring, damper, rest position or limits) are left alone.
        """
        return rewrap_state(self, self._state("q", q).copy(), self._state("v", v).copy())

    def line_lengths(self, q: ArrayLike) -> dict[str, float]:
        """Length of every tendon and cable by name [m]; of a chamber, its volume [m^3]."""
        return {name: state.length for name, state in self.lines(q).items()}

    def line_jacobian(self, q: ArrayLike) -> Array:
        """d(line_lengths)/dq, (number of lines, n): for tendons -B^T to rounding."""
        return np.array([state.gradient for state in self.lines(q).values()]).reshape(-1, self.n)

    # ------------------------------------------------------------------ dynamics

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: float = 0.0, z: ArrayLike | None = None
    ) -> Array:
        """Generalised force ID = M a + Coriolis - gravity - external loads, (n,)."""
        q, v, a = self._state("q", q), self._state("v", v), self._state("a", a)
        out = np.empty(self.n)
        if not _inverse.inverse_dynamics(self._tree, self._space(None, t, None, z), q, v, a, out):
            self._checked(out, q=q, v=v, a=a)
        return out

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: float = 0.0, z: ArrayLike | None = None
    ) -> InverseDynamicsDerivatives:
        """ID with dID/dq, dID/dv and dID/da = M, exact."""
        q, v, a = self._state("q", q), self._state("v", v), self._state("a", a)
        n = self.n
        out, dq, dv, da = np.empty(n), np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
        space = self._space(None, t, None, z)
        if not _derivatives.inverse_dynamics_derivatives(self._tree, space, q, v, a, out, dq, dv, da):
            self._checked(np.vstack((out, dq, dv, da)), q=q, v=v, a=a)
        return InverseDynamicsDerivatives(out, dq, dv, da)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M(q), (n, n), symmetric positive definite; with the added mass of fluids."""
        q = self._state("q", q)
        M = np.empty((self.n, self.n))
        if not _mass.mass_matrix(self._tree, self._own_space()[1], q, self._zero, M):
            self._checked(M, q=q)
        return M

    def actuation(self, q: ArrayLike, t: float = 0.0) -> Array:
        """B(q), (n, nu): generalised force per unit of input."""
        return self._actuation(self._state("q", q), self._zero, None, t)

    def _actuation(self, q: Array, v: Array, u: ArrayLike | None, t: float) -> Array:
        """dtau/du, (n, nu)."""
        B = np.empty((self.n, self.nu))
        if self.nu:
            _internal.actuation(self._tree, self._space(u, t), q, v, self._zero, np.empty(self.n), B)
        return self._checked(B, q=q, v=v)

    def lines(
        self, q: ArrayLike, v: ArrayLike | None = None, u: ArrayLike | None = None, t: float = 0.0
    ) -> dict[str, LineState]:
        """Length, rate, tension and gradient of the length of every cable and tendon by name.

        A tension pulls with the generalised force -(gradient) (tension).
        """
        q, v = self._state("q", q), self._zero if v is None else self._state("v", v)
        names = self.demand.lines
        states, gradients = np.empty((len(names), 3)), np.empty((len(names), self.n))
        _line_states.line_states(self._tree, self._space(u, t), q, v, self._zero, states, gradients)
        self._checked(np.append(states, gradients), q=q, v=v)
        rows = zip(names, states.tolist(), gradients, strict=True)
        return {name: LineState(l, rate, tension, gradient) for name, (l, rate, tension), gradient in rows}

    def internal_force(self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0) -> Array:
        """tau = B u - K (q - q_rest) - D v + soft limits, (n,)."""
        q, v = self._state("q", q), self._state("v", v)
        out = np.empty(self.n)
        if not _internal.internal_force(self._tree, self._space(u, t), q, v, self._zero, out):
            self._checked(out, q=q, v=v)
        return out

    def internal_force_derivatives(
        self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0
    ) -> InternalForceDerivatives:
        """dtau/dq, dtau/dv, dtau/du."""
        q, v = self._state("q", q), self._state("v", v)
        n = self.n
        dq, dv, scratch = np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
        if not _internal.internal_force_derivatives(self._tree, self._space(u, t), q, v, self._zero, dq, dv, scratch):
            self._checked(np.vstack((dq, dv)), q=q, v=v)
        return InternalForceDerivatives(dq, dv, self._actuation(q, v, u, t))

    def residual(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        u: ArrayLike | None = None,
        lam: ArrayLike | None = None,
        t: float = 0.0,
        z: ArrayLike | None = None,
    ) -> Array:
        """R = ID - tau - A^T lambda, (n,): zero along a motion.

        ``z`` (nz,) are further states of loads; where they begin if left out, as for all other functions of a model.
        """
        q, v, a = self._state("q", q), self._state("v", v), self._state("a", a)
        out = np.empty(self.n)
        function, space = _residual.RESIDUAL.address, self._space(u, t, lam, z)
        if not _residual.residual(function, self._tree, space, q, v, a, out):
            self._checked(out, q=q, v=v, a=a)
        return out

    def residual_tangent(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        u: ArrayLike | None = None,
        lam: ArrayLike | None = None,
        t: float = 0.0,
        cv: float = 0.0,
        ca: float = 0.0,
        z: ArrayLike | None = None,
    ) -> tuple[Array, Array]:
        """R (n,) and dR/dq + cv dR/dv + ca dR/da (n, n) in one pass: a Newton step of any implicit scheme."""
        q, v, a = self._state("q", q), self._state("v", v), self._state("a", a)
        out, tangent = np.empty(self.n), np.empty((self.n, self.n))
        cv, ca = self._number("cv", cv), self._number("ca", ca)
        function, space = _residual.RESIDUAL.address, self._space(u, t, lam, z)
        if not _residual.residual_tangent(function, self._tree, space, q, v, a, cv, ca, out, tangent):
            self._checked(np.vstack((out, tangent)), q=q, v=v, a=a)
        return out, tangent

    def state_rates(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, z: ArrayLike | None = None, t: float = 0.0
    ) -> Array:
        """z' (nz,) of the further states of loads, at z, or where they begin."""
        self.residual(q, v, a, t=t, z=z)
        signals = self._threads.space[0].signals
        rates = [signals[states.rate : states.rate + len(states.state0)] for states in self.demand.states]
        return self._checked(np.concatenate(rates or [np.zeros(0)]), q=self._state("q", q), v=self._state("v", v))

    def residual_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        u: ArrayLike | None = None,
        lam: ArrayLike | None = None,
        t: float = 0.0,
        z: ArrayLike | None = None,
    ) -> ResidualDerivatives:
        """dR/dq, dR/dv, dR/da, dR/du, dR/dlambda."""
        self._inputs("lam", lam, self.nc)
        inertial = self.inverse_dynamics_derivatives(q, v, a, t, z)
        internal = self.internal_force_derivatives(q, v, u, t)
        dq = inertial.dq - internal.dq
        if self.nc:  # with -d(A^T lambda)/dq
            dq = self.residual_tangent(q, v, a, u, lam, t, z=z)[1]
        return ResidualDerivatives(dq, inertial.dv - internal.dv, inertial.mass, -internal.du, -self.loop_jacobian(q).T)

    def tangent_product(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        x: ArrayLike,
        cv: float = 0.0,
        ca: float = 0.0,
        transposed: bool = False,
        u: ArrayLike | None = None,
        t: float = 0.0,
        lam: ArrayLike | None = None,
        z: ArrayLike | None = None,
    ) -> Array:
        """(dR/dq + cv dR/dv + ca dR/da) x, or its transpose times x, without forming the matrix: cost linear in n."""
        q, v, a, x = self._state("q", q), self._state("v", v), self._state("a", a), self._state("x", x)
        out = np.empty(self.n)
        cv, ca, transposed = self._number("cv", cv), self._number("ca", ca), flag(transposed, "transposed")
        space = self._space(u, t, lam, z)
        if not _products.tangent_product(self._tree, space, q, v, a, cv, ca, x, transposed, out):
            self._checked(out, q=q, v=v, a=a, x=x)
        return out

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None = None,
        t: float = 0.0,
        baumgarte: float = 0.0,
        z: ArrayLike | None = None,
    ) -> Acceleration:
        """Accelerations: M a = tau - ID(q, v, 0) + A^T lambda, A a = -(dA/dt) v; prescribed ones from their laws.

        ``baumgarte`` [s] > 0 pulls drifted loops back with that time constant: A a = -(dA/dt) v - 2/T A v - e/T^2.
        Where loads feel accelerations, Newton's method on ID(q, v, a) = tau + A^T lambda; `ConvergenceError` if it
        finds none.
        """
        q, v = self._state("q", q), self._state("v", v)
        if type(baumgarte) is not float or baumgarte:
            baumgarte = nonnegative_float(baumgarte, "baumgarte", "s")
        if self.nc or self.prescribed or self.demand.implicit:
            found = balance(self, State(q, v, u, self._number("t", t), z), baumgarte)
            return Acceleration(found.a, self._efforts(q, found.supplied), self._multipliers(found.multipliers))
        bias, M, a = np.empty(self.n), np.empty((self.n, self.n)), np.empty((self.n, 1))
        status = _forward.forward_dynamics(self._tree, self._space(u, t, None, z), q, v, self._zero, bias, M, a)
        self._check_solved(status, q=q, v=v)
        return Acceleration(a[:, 0], np.zeros(0), self._multipliers(np.zeros(0)))

    def _efforts(self, q: Array, force: Array) -> Array:
        """Efforts of prescribed joints from the generalised force that they supply."""
        return joint_efforts(self, q, force)

    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        u: ArrayLike | None = None,
        t: float = 0.0,
        baumgarte: float = 0.0,
        z: ArrayLike | None = None,
    ) -> AccelerationDerivatives:
        """da/dq, da/dv, da/du at the forward dynamics' accelerations; zero in rows and columns of prescribed joints."""
        q, v = self._state("q", q), self._state("v", v)
        t, baumgarte = self._number("t", t), nonnegative_float(baumgarte, "baumgarte", "s")
        motion = self.forward_dynamics(q, v, u, t, baumgarte, z)
        partial = self.residual_derivatives(q, v, motion.a, u, np.asarray(motion.multipliers), t, z)
        if self.nc or self.prescribed or self.demand.implicit:  # dID/da need not be symmetric
            terms = loop_terms(self, q, v, motion.a, self.loops)
            force = -np.hstack([partial.dq, partial.dv, partial.du])
            _, rate_dq, rate_dv = terms.stabilised(baumgarte)
            rate = -np.hstack([rate_dq, rate_dv, np.zeros((self.nc, self.nu))])
            given = np.zeros((len(self._fixed), force.shape[1]))
            a, _ = solve_constrained(partial.da, terms.jacobian, force, rate, self._free, self._fixed, given)
            dq, dv, du = a[:, : self.n], a[:, self.n : 2 * self.n], a[:, 2 * self.n :]
            dq[:, self._fixed], dv[:, self._fixed] = 0.0, 0.0
        else:
            dq, dv, du = -partial.dq, -partial.dv, -partial.du
            self._check_solved(_forward.solve_columns(partial.da, dq, dv, du), q=q, v=v)
        for block in (dq, dv, du):
            self._checked(block, q=q, v=v)
        return AccelerationDerivatives(dq, dv, du)

    # ------------------------------------------------------------------ loops

    def loop_error(self, q: ArrayLike) -> Array:
        """e (nc,): how far loops are open, in frame B of each (rad, m)."""
        return self._loop_terms(q).error

    def loop_error_derivative(self, q: ArrayLike) -> Array:
        """de/dq, (nc, n)."""
        return self._loop_terms(q).error_derivative

    def loop_jacobian(self, q: ArrayLike) -> Array:
        """A (nc, n): the relative twist of the frames along constrained axes is A v."""
        return self._loop_terms(q).jacobian

    def loop_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """(dA/dt) v, (nc,)."""
        q, v = self._state("q", q), self._state("v", v)
        return self._checked(loop_terms(self, q, v, self._zero, self.loops).rate, q=q, v=v)

    def _loop_terms(self, q: ArrayLike) -> LoopTerms:
        q = self._state("q", q)
        terms = loop_terms(self, q, self._zero, self._zero, self.loops)
        self._checked(np.column_stack((terms.error, terms.jacobian, terms.error_derivative)), q=q)
        return terms

    def _multipliers(self, values: Array) -> Multipliers:
        return Multipliers(values, {loop.name: (int(loop.data[0][0, 2]), loop.data[1]) for loop in self.loops})

    # ------------------------------------------------------------------ invariants

    def energy(self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0) -> Energy:
        """Kinetic (with added mass), elastic (rods, joint springs, limits), gravitational (net of buoyancy) [J].

        ``loads`` is what linear springs, cables and elastic tendons (at their pulled length in u) store.  Springs with
        a law of their own, contacts, given wrenches, tendons, chambers, drives and users' laws count as work from
        outside.
        """
        parts, _ = self._energy_and_momentum(q, v, u, t)
        return Energy(*parts.tolist())

    def momentum(self, q: ArrayLike, v: ArrayLike) -> Array:
        """[angular about the world origin; linear] momentum (6,), world axes."""
        return self._energy_and_momentum(q, v)[1]

    def _energy_and_momentum(
        self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0
    ) -> tuple[Array, Array]:
        q, v = self._state("q", q), self._state("v", v)
        parts, momentum = np.empty(4), np.empty(6)
        if not _energy.energy_and_momentum(self._tree, self._space(u, t), q, v, self._zero, parts, momentum):
            self._checked(np.append(parts, momentum), q=q, v=v)
        return parts, momentum

    # ------------------------------------------------------------------ stations

    def _probe(self, link: str, s: float) -> StationChain:
        """The chain to a station with its scratch, remembered per thread."""
        probes: dict[tuple[int, float], StationChain] = self._threads.__dict__.setdefault("probes", {})
        if not isinstance(s, float):
            s = finite_float(s, f"link {shown(link)}: s")
        key = self._link(link), s
        if key not in probes:
            if len(probes) >= MOST_PROBES:
                probes.pop(next(iter(probes)))
            probes[key] = make_station_chain(self, self.layouts[key[0]], key[1])
        return probes[key]


def _stations(stations: Sequence[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Stations (link, s) as a key; pairs may be lists, as those of a file are."""
    try:
        pairs = [(link, s) for link, s in stations]
    except (TypeError, ValueError):
        raise ModelError(f"stations is {shown(stations)}, must hold pairs (link, s), such as ('arm', 0.5)") from None
    for link, _ in pairs:
        if not isinstance(link, str):
            raise ModelError(f"stations: {shown(link)} is no name of a link; they hold pairs (link, s)")
    return tuple((link, finite_float(s, f"link {shown(link)}: s")) for link, s in pairs)
