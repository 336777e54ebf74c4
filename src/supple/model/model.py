"""Model: a compiled robot.  Names, shapes and messages outside; one kernel call inside each method."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from math import isfinite
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.core import energy as _energy
from supple.core import forward_dynamics as _forward
from supple.core import internal_force as _internal
from supple.core import inverse_dynamics as _inverse
from supple.core import inverse_dynamics_derivatives as _derivatives
from supple.core import kinematics as _kinematics
from supple.core import line_states as _line_states
from supple.core import mass_matrix as _mass
from supple.core import residual as _residual
from supple.core import tangent_products as _products
from supple.core.arrays import Parameters, Topology, handle, make_space, make_tree
from supple.core.loads import CONSTRAINT
from supple.core.records import EXPONENTIAL
from supple.errors import ConvergenceError, ModelError, ShapeError, SingularError, StateError
from supple.model.binder import Bound, Demand, check_picklable
from supple.model.charts import exponential_map, rewrap_joint
from supple.model.constraints import (
    LoopTerms,
    Multipliers,
    PrescribedJoint,
    assemble,
    assemble_anywhere,
    independent_rows,
    keep_rows,
    loop_terms,
    solve_constrained,
)
from supple.model.fan import Fan, make_fan
from supple.model.links import Rod
from supple.model.probe import Probe, make_probe
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
from supple.model.scene import Scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from supple.model.check_derivatives import DerivativeReport
    from supple.model.compile import LinkLayout
    from supple.model.controller import Controller
    from supple.model.robot import LinkSpec, Robot
    from supple.solvers.events import Event
    from supple.solvers.methods import Method
    from supple.solvers.modes import Modes
    from supple.solvers.path import EquilibriumPath
    from supple.solvers.progress import Report
    from supple.solvers.statics import Equilibria, Equilibrium
    from supple.solvers.trajectory import Trajectory

Array = np.ndarray
FLOAT = np.dtype(np.float64)

#: Stations remembered per thread (see `Model._probe`).
MOST_PROBES = 256

#: Sets of stations remembered per thread (see `Model.poses`).
MOST_FANS = 8

#: Newton steps of forward dynamics where loads feel accelerations.
MOST_STEPS = 30


class Model:
    """A compiled robot: immutable, picklable, safe to share between threads.

    Made by `Robot.compile`.  States are plain vectors: q (n,) coordinates, v (n,) their rates, a (n,) accelerations;
    links in the order they were added, in a link the joint's coordinates first, then the rod's.

    Attributes
    ----------
    n, nu, nc, nz : int
        Numbers of coordinates, inputs, constraint rows, and further states of loads.
    name : str
        Of the robot.
    link_names, coordinate_names, input_names, state_names : tuple of str
    point_table : tuple of (str, float)
        (link, s) of every row of `points`.
    scene : Scene
        What `plot` draws: outlines, solids and marks, in the frames of the links.
    """

    def __init__(
        self,
        robot: Robot,
        topology: Topology,
        parameters: Parameters,
        layouts: tuple[LinkLayout, ...],
        loads: tuple[Bound, ...],
        demand: Demand,
        prescribed: tuple[PrescribedJoint, ...] = (),
        controllers: tuple[Controller, ...] = (),
        scene: Scene | None = None,
    ) -> None:
        self.name = robot.name
        self.description = str(robot)
        self.topology = topology
        self.parameters = parameters
        self.layouts = layouts
        self.n = len(topology.component)
        self.loads = loads
        self.demand = demand
        self.nu = len(demand.inputs)
        self.prescribed = prescribed
        self.controllers = controllers
        self.scene = Scene((), (), (), ()) if scene is None else scene
        self.loops = tuple(load for load in loads if load.side == CONSTRAINT)
        self.nc = sum(loop.data[1].shape[1] for loop in self.loops)
        self.link_names = tuple(layout.name for layout in layouts)
        self.coordinate_names = tuple(name for link in robot.links for name in _coordinate_names(link))
        self.input_names = demand.inputs
        self.state_names = tuple(name for states in demand.states for name in states.names)
        self.nz = len(self.state_names)
        self.point_table = tuple((layout.name, s) for layout in layouts for s in layout.stations)
        self._prepare()

    def _prepare(self) -> None:
        """Everything that is derived from the arrays and not pickled."""
        for array in (*self.topology, *self.parameters):
            array.setflags(write=False)  # immutable: kernels read these by address
        self._index = {name: i for i, name in enumerate(self.link_names)}
        self._zero = np.zeros(self.n)
        self._shape = (self.n,)
        self._fixed = np.array([i for joint in self.prescribed for i in joint.coordinates], dtype=np.int64)
        # every kernel takes the robot as one handle, see core.arrays
        self._data = [handle(load.data) for load in self.loads]
        table = [
            (load.kernel.address, data.ctypes.data, load.side)
            for load, data in zip(self.loads, self._data, strict=True)
        ]
        self._arrays: Any = make_tree(self.topology, self.parameters, np.array(table, dtype=np.int64).reshape(-1, 3))
        self._tree = handle(self._arrays)
        self._threads = threading.local()

    def __getstate__(self) -> dict[str, Any]:
        check_picklable(self.demand)
        return self._stored()

    def _stored(self) -> dict[str, Any]:
        """All that `_prepare` does not derive."""
        return {key: value for key, value in self.__dict__.items() if not key.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare()

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {len(self.link_names)} links, {self.n} coordinates>"

    def __str__(self) -> str:
        return self.description

    @property
    def stiffness(self) -> Array:
        """K, shape (n, n): tau = -K (q - q_rest) - ..."""
        return np.asarray(self.parameters.stiffness)

    @property
    def damping(self) -> Array:
        """D, shape (n, n): tau = - D v - ..."""
        return np.asarray(self.parameters.damping)

    @property
    def rest(self) -> Array:
        """Coordinates at which springs and rods are unloaded, shape (n,)."""
        return np.asarray(self.parameters.rest)

    @property
    def tension_inputs(self) -> tuple[str, ...]:
        """Names of the inputs that are tensions of tendons [N], which must not be negative."""
        return tuple(name for name, pulls in zip(self.demand.inputs, self.demand.tensions, strict=True) if pulls)

    # ------------------------------------------------------------------ kinematics

    def points(self, q: ArrayLike) -> Array:
        """World poses of all points, (P, 4, 4): per link its body frame, or base, nodes and tip (`point_table`)."""
        q = self._state("q", q)
        size = len(self.parameters.segments)
        starts, ends = np.empty((size, 4, 4)), np.empty((size, 4, 4))
        _kinematics.point_poses(self._tree, self._space(), q, self._zero, starts, ends)
        poses = []
        for layout in self.layouts:
            if layout.rod is not None:
                poses.append(starts[layout.segments[0]][None])
            poses.append(ends[list(layout.segments)])
        return self._checked(np.concatenate(poses), q=q)

    def pose(self, q: ArrayLike, link: str, s: float = 1.0) -> Array:
        """World pose (4, 4) of station ``s`` of a link: rods 0 to 1; rigid links 0 (body frame) or 1 (tip)."""
        return self.station(q, None, link, s).pose

    def poses(self, q: ArrayLike, stations: Sequence[tuple[str, float]]) -> Array:
        """World poses (K, 4, 4) of many stations (link, s), in one sweep: each equal to `pose`; "world" is allowed."""
        q = self._state("q", q)
        fans: dict[tuple[tuple[str, float], ...], Fan] = self._threads.__dict__.setdefault("fans", {})
        key = tuple(stations)
        if key not in fans:
            if len(fans) >= MOST_FANS:
                fans.pop(next(iter(fans)))
            fans[key] = make_fan(self, key)
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
        _kinematics.chain_end(probe.tree_handle, probe.space_handle, q, v, self._zero, pose, motion, J, Jd)
        self._checked(np.append(pose, motion), q=q, v=v)
        return Station(pose, motion[0], J, Jd)

    def rewrap(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """The same state with the rotation vectors of spherical, free and planar joints at most pi long.

        For users of other solvers: their coordinates are singular at 2 pi.  Joints whose coordinates have a meaning of
        their own (a spring, damper, rest position or limits) are left alone.
        """
        q, v = self._state("q", q).copy(), self._state("v", v).copy()
        for block in self.topology.blocks[self.topology.blocks["kind"] == EXPONENTIAL]:
            own = slice(int(block["start"]), int(block["start"] + block["n"]))
            if not any(own.start in layout.coordinates and layout.keeps_chart for layout in self.layouts):
                q[own], v[own] = rewrap_joint(self.parameters.screws[:, own], q[own], v[own])
        self._checked(q, q=q, v=v)
        return q, v

    def line_lengths(self, q: ArrayLike) -> dict[str, float]:
        """Length of every tendon and cable by name [m]; of a chamber, its volume [m^3]."""
        return {name: state.length for name, state in self.lines(q).items()}

    def line_jacobian(self, q: ArrayLike) -> Array:
        """d(line_lengths)/dq, (number of lines, n): for tendons -B^T to rounding."""
        return np.array([state.gradient for state in self.lines(q).values()]).reshape(-1, self.n)

    # ------------------------------------------------------------------ dynamics

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: float = 0.0) -> Array:
        """Generalised force ID = M a + Coriolis - gravity - external loads, (n,)."""
        q, v, a = self._state("q", q), self._state("v", v), self._state("a", a)
        out = np.empty(self.n)
        if not _inverse.inverse_dynamics(self._tree, self._space(None, t), q, v, a, out):
            self._checked(out, q=q, v=v, a=a)
        return out

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: float = 0.0
    ) -> InverseDynamicsDerivatives:
        """ID with dID/dq, dID/dv and dID/da = M, exact."""
        q, v, a = self._state("q", q), self._state("v", v), self._state("a", a)
        n = self.n
        out, dq, dv, da = np.empty(n), np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
        if not _derivatives.inverse_dynamics_derivatives(self._tree, self._space(None, t), q, v, a, out, dq, dv, da):
            self._checked(out, q=q, v=v, a=a)
        return InverseDynamicsDerivatives(out, dq, dv, da)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M(q), (n, n), symmetric positive definite; with the added mass of fluids."""
        q = self._state("q", q)
        M = np.empty((self.n, self.n))
        _mass.mass_matrix(self._tree, self._space(), q, self._zero, M)
        return self._checked(M, q=q)

    def actuation(self, q: ArrayLike) -> Array:
        """B(q), (n, nu): generalised force per unit of input."""
        return self._actuation(self._state("q", q), self._zero, None)

    def _actuation(self, q: Array, v: Array, u: ArrayLike | None) -> Array:
        """dtau/du, (n, nu)."""
        B = np.empty((self.n, self.nu))
        if self.nu:
            _internal.actuation(self._tree, self._space(u), q, v, self._zero, np.empty(self.n), B)
        return self._checked(B, q=q, v=v)

    def lines(self, q: ArrayLike, v: ArrayLike | None = None, u: ArrayLike | None = None) -> dict[str, LineState]:
        """Length, rate, tension and gradient of the length of every cable and tendon by name.

        A tension pulls with the generalised force -(gradient) (tension).
        """
        q, v = self._state("q", q), self._zero if v is None else self._state("v", v)
        names = self.demand.lines
        states, gradients = np.empty((len(names), 3)), np.empty((len(names), self.n))
        _line_states.line_states(self._tree, self._space(u), q, v, self._zero, states, gradients)
        self._checked(np.append(states, gradients), q=q, v=v)
        rows = zip(names, states.tolist(), gradients, strict=True)
        return {name: LineState(l, rate, tension, gradient) for name, (l, rate, tension), gradient in rows}

    def internal_force(self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None) -> Array:
        """tau = B u - K (q - q_rest) - D v + soft limits, (n,)."""
        q, v = self._state("q", q), self._state("v", v)
        out = np.empty(self.n)
        _internal.internal_force(self._tree, self._space(u), q, v, self._zero, out)
        return self._checked(out, q=q, v=v)

    def internal_force_derivatives(
        self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None
    ) -> InternalForceDerivatives:
        """dtau/dq, dtau/dv, dtau/du."""
        q, v = self._state("q", q), self._state("v", v)
        n = self.n
        dq, dv, scratch = np.empty((n, n)), np.empty((n, n)), np.empty((n, n))
        _internal.internal_force_derivatives(self._tree, self._space(u), q, v, self._zero, dq, dv, scratch)
        self._checked(np.concatenate((q, v)), q=q, v=v)
        return InternalForceDerivatives(dq, dv, self._actuation(q, v, u))

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
        cv, ca = self._coefficient("cv", cv), self._coefficient("ca", ca)
        function, space = _residual.RESIDUAL.address, self._space(u, t, lam, z)
        if not _residual.residual_tangent(function, self._tree, space, q, v, a, cv, ca, out, tangent):
            self._checked(out, q=q, v=v, a=a)
        return out, tangent

    def state_rates(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, z: ArrayLike | None = None, t: float = 0.0
    ) -> Array:
        """z' (nz,) of the further states of loads, at z, or where they begin."""
        self.residual(q, v, a, t=t, z=z)
        signals = self._threads.space[0].signals
        rates = [signals[states.rate : states.rate + len(states.state0)] for states in self.demand.states]
        return np.concatenate(rates) if rates else np.zeros(0)

    def residual_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        u: ArrayLike | None = None,
        lam: ArrayLike | None = None,
        t: float = 0.0,
    ) -> ResidualDerivatives:
        """dR/dq, dR/dv, dR/da, dR/du, dR/dlambda."""
        self._inputs("lam", lam, self.nc)
        inertial = self.inverse_dynamics_derivatives(q, v, a, t)
        internal = self.internal_force_derivatives(q, v, u)
        dq = inertial.dq - internal.dq
        if self.nc:  # with -d(A^T lambda)/dq
            dq = self.residual_tangent(q, v, a, u, lam, t)[1]
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
    ) -> Array:
        """(dR/dq + cv dR/dv + ca dR/da) x, or its transpose times x, without forming the matrix: cost linear in n."""
        q, v, a, x = self._state("q", q), self._state("v", v), self._state("a", a), self._state("x", x)
        out = np.empty(self.n)
        cv, ca, transposed = self._coefficient("cv", cv), self._coefficient("ca", ca), bool(transposed)
        _products.tangent_product(self._tree, self._space(u, t), q, v, a, cv, ca, x, transposed, out)
        return self._checked(out, q=q, v=v, a=a, x=x)

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0, baumgarte: float = 0.0
    ) -> Acceleration:
        """Accelerations: M a = tau - ID(q, v, 0) + A^T lambda, A a = -(dA/dt) v; prescribed ones from their laws.

        ``baumgarte`` [s] > 0 pulls drifted loops back with that time constant: A a = -(dA/dt) v - 2/T A v - e/T^2.
        """
        q, v = self._state("q", q), self._state("v", v)
        if self.nc or self.prescribed:
            return self._constrained_dynamics(q, v, u, t, baumgarte)
        if self.demand.implicit:
            a = self._implicit_acceleration(q, v, u, t)
            return Acceleration(a, np.zeros(0), self._multipliers(np.zeros(0)))
        bias, M, a = np.empty(self.n), np.empty((self.n, self.n)), np.empty((self.n, 1))
        status = _forward.forward_dynamics(self._tree, self._space(u, t), q, v, self._zero, bias, M, a)
        self._check_solved(status, q=q, v=v)
        return Acceleration(a[:, 0], np.zeros(0), self._multipliers(np.zeros(0)))

    def _constrained_dynamics(
        self, q: Array, v: Array, u: ArrayLike | None, t: float, baumgarte: float
    ) -> Acceleration:
        """Forward dynamics with loops and prescribed joints (index 1)."""
        force = self.internal_force(q, v, u) - self.inverse_dynamics(q, v, self._zero, t)
        # loads that feel accelerations enter M; exact if they do so linearly
        implicit = self.demand.implicit
        M = self.inverse_dynamics_derivatives(q, v, self._zero, t).mass if implicit else self.mass_matrix(q)
        terms = loop_terms(self, q, v, self._zero, self.loops)
        given = np.concatenate([joint.motion(t)[2] for joint in self.prescribed] or [np.zeros(0)])
        rate = terms.stabilised(baumgarte)[0]
        a, multipliers = solve_constrained(
            M, terms.jacobian, force[:, None], -rate[:, None], self._fixed, given[:, None]
        )
        a, multipliers = a[:, 0], multipliers[:, 0]
        missing = M @ a - force - terms.jacobian.T @ multipliers
        return Acceleration(a, self._efforts(q, missing), self._multipliers(multipliers))

    def _efforts(self, q: Array, force: Array) -> Array:
        """Efforts of prescribed joints from the generalised force that they supply."""
        efforts = []
        for joint in self.prescribed:
            own = force[joint.coordinates.start : joint.coordinates.stop]
            screws = self.parameters.screws[:, joint.coordinates.start : joint.coordinates.stop]
            block = self.topology.blocks[self.layouts[self._link(joint.link)].blocks[0]]
            if block["kind"] == EXPONENTIAL:  # a wrench in the frame after the joint, as for JointDrive
                coordinates = q[joint.coordinates.start : joint.coordinates.stop]
                T = exponential_map(-screws @ coordinates)[1]
                own = np.linalg.solve(screws.T @ T.T @ screws, own)
            efforts.append(own)
        return np.concatenate(efforts or [np.zeros(0)])

    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0, baumgarte: float = 0.0
    ) -> AccelerationDerivatives:
        """da/dq, da/dv, da/du at the forward dynamics' accelerations; zero in rows and columns of prescribed joints."""
        q, v = self._state("q", q), self._state("v", v)
        motion = self.forward_dynamics(q, v, u, t, baumgarte)
        partial = self.residual_derivatives(q, v, motion.a, u, np.asarray(motion.multipliers), t)
        if not (self.nc or self.prescribed):
            dq, dv, du = -partial.dq, -partial.dv, -partial.du
            if self.demand.implicit:  # dID/da need not be symmetric
                return AccelerationDerivatives(*(np.linalg.solve(partial.da, side) for side in (dq, dv, du)))
            status = _forward.solve_columns(partial.da, dq, dv, du)
            self._check_solved(status, q=q, v=v)
            return AccelerationDerivatives(dq, dv, du)
        terms = loop_terms(self, q, v, motion.a, self.loops)
        force = -np.hstack([partial.dq, partial.dv, partial.du])
        _, rate_dq, rate_dv = terms.stabilised(baumgarte)
        rate = -np.hstack([rate_dq, rate_dv, np.zeros((self.nc, self.nu))])
        given = np.zeros((len(self._fixed), force.shape[1]))
        a, _ = solve_constrained(partial.da, terms.jacobian, force, rate, self._fixed, given)
        dq, dv, du = a[:, : self.n], a[:, self.n : 2 * self.n], a[:, 2 * self.n :]
        dq[:, self._fixed], dv[:, self._fixed] = 0.0, 0.0
        return AccelerationDerivatives(dq, dv, du)

    def _implicit_acceleration(self, q: Array, v: Array, u: ArrayLike | None, t: float) -> Array:
        """Newton on ID(q, v, a) = tau, for loads that feel accelerations; one step if they do so linearly."""
        a, force = np.zeros(self.n), self.internal_force(q, v, u)
        for _ in range(MOST_STEPS):
            inertial = self.inverse_dynamics_derivatives(q, v, a, t)
            try:
                step = np.linalg.solve(inertial.mass, force - inertial.force)
            except np.linalg.LinAlgError:
                raise SingularError("dID/da is singular: a load that feels accelerations cancels the inertia") from None
            a += step
            if np.abs(step).max() <= 1e-9 * np.abs(a).max():
                return a
        raise ConvergenceError(f"no accelerations found in {MOST_STEPS} Newton steps: a load feels them too strongly")

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
        self._checked(terms.jacobian, q=q)
        return terms

    def assemble(
        self, q0: ArrayLike | None = None, *, at_rest: bool = False, u: ArrayLike | None = None, t: float = 0.0
    ) -> Array:
        """Coordinates that close all loops, near ``q0`` (default: rest); prescribed joints stay at q0.

        With ``at_rest`` the robot is closed in equilibrium, under inputs u and with prescribed joints at time t.
        Raises `ConvergenceError` naming the loop that cannot be closed.
        """
        if at_rest:
            from supple.solvers.statics import assemble_at_rest

            return assemble_at_rest(self, q0, u, t)
        start = self.rest if q0 is None else q0
        return assemble(self, self._state("q", start), self.loops, self._fixed)

    def _multipliers(self, values: Array) -> Multipliers:
        return Multipliers(values, {loop.name: (int(loop.data[0][0, 2]), loop.data[1]) for loop in self.loops})

    # ------------------------------------------------------------------ equilibria

    def statics(
        self,
        u: Any = None,
        q0: ArrayLike | None = None,
        t: float = 0.0,
        *,
        multipliers: ArrayLike | None = None,
        tolerance: float = 1e-10,
        max_iterations: int = 60,
        globalise: bool = True,
    ) -> Equilibrium:
        """An equilibrium under inputs and loads, a stable one if that can be found from q0.

        Further states of loads are held where they begin.

        Parameters
        ----------
        u : (nu,) or dict, optional
            Inputs; zero if left out.
        q0, multipliers : optional
            Where to begin: rest, and multipliers that balance best there, if left out; pass those of a neighbour for a
            warm start.  Loops may be open.
        t : float
            Time at which laws of loads and prescribed joints are taken, s.
        tolerance : float
            Size of a Newton step (rad; strains count tenfold) that ends the search.
        globalise : bool
            If Newton's method fails from q0 or (without loops and follower loads) finds an unstable equilibrium: relax,
            as a slow motion would; if it fails, also let go of q0 step by step.  False: Newton's method alone.

        Returns
        -------
        Equilibrium
            ``converged`` tells whether it is one, ``message`` why not (a warning is given, too), ``stable`` whether it
            is stable.
        """
        from supple.solvers.statics import statics

        return statics(self, u, q0, t, multipliers, tolerance, max_iterations, globalise)

    def statics_batch(
        self,
        u: ArrayLike,
        q0: ArrayLike | None = None,
        t: float = 0.0,
        *,
        tolerance: float = 1e-10,
        max_iterations: int = 60,
        threads: int | None = None,
    ) -> Equilibria:
        """Equilibria for many inputs u (N, nu), from q0 (n,) or (N, n), on several threads."""
        from supple.solvers.statics import statics_batch

        return statics_batch(self, u, q0, t, tolerance, max_iterations, threads)

    def equilibrium_path(
        self,
        u: Any = None,
        s: tuple[float, float] = (0.0, 1.0),
        q0: ArrayLike | None = None,
        *,
        step: float | None = None,
        max_step: float | None = None,
        max_points: int = 500,
        stop: Callable[[float, Array], bool] | None = None,
    ) -> EquilibriumPath:
        """Equilibria along a path in one parameter s, followed through limit points.

        The parameter is the time at which all laws of loads and prescribed joints are taken, so any load can grow along
        the path (``PointWrench("arm", lambda s: s * P)``), and inputs follow it, too.  A path that turns back at a
        limit point may pass its beginning, where a `Ramp`, constant outside its range, has no load to offer.

        Parameters
        ----------
        u : (nu,), dict or callable, optional
            Inputs at the end, growing in proportion from zero at the beginning; or inputs as a function of s.
        s : (float, float)
            Beginning and end.
        q0 : (n,), optional
            Where to look for the first equilibrium.
        step, max_step : float, optional
            First and longest step along the path, in units of coordinates (rad) and of the range of s; 0.05 and 0.5.
        max_points : int
            Stop after so many.
        stop : callable, optional
            (s, q) -> whether to stop here.

        Returns
        -------
        EquilibriumPath
            Points with stability, and limit points and bifurcations found between them.
        """
        from supple.solvers.path import equilibrium_path

        return equilibrium_path(self, u, s, q0, step, max_step, max_points, stop)

    def modes(
        self, at: Equilibrium | ArrayLike | None = None, u: Any = None, t: float = 0.0, count: int | None = None
    ) -> Modes:
        """Natural frequencies, damping ratios and shapes of small motions about an equilibrium, slowest first.

        ``at`` is an `Equilibrium`, or coordinates of one (n,); left out, the equilibrium under u is looked for.
        """
        from supple.solvers.modes import modes

        return modes(self, at, u, t, count)

    # ------------------------------------------------------------------ time

    def simulate(
        self,
        t: ArrayLike,
        q0: ArrayLike | None = None,
        v0: ArrayLike | None = None,
        u: Any = None,
        method: Method | None = None,
        *,
        breaks: Sequence[float] = (),
        hold: bool = False,
        control_rate: float | None = None,
        events: Sequence[Event] = (),
        progress: bool | Report | None = None,
        checkpoint: str | PathLike[str] | None = None,
        checkpoint_every: float = 30.0,
        resume: bool = False,
        max_steps: int | None = None,
    ) -> Trajectory:
        """Motion from an initial state.

        Parameters
        ----------
        t : float or (T,)
            End time (from 0; every accepted step is returned), or increasing output times, the first being the start.
        q0, v0 : (n,), optional
            Initial state; at rest if left out.  Prescribed joints begin where their laws say; open loops are closed
            near q0, and v0 is projected onto what they allow.
        u : optional
            Inputs: (nu,) constant; (T, nu) at the output times (linear between them, or held with ``hold``); a
            dict or list with a number or law per input; law(t); or feedback u(t, q, v).  Zero if left out.
        method : Method, optional
            `NDF` without loops and `GeneralizedAlpha` with loops if left out.
        breaks : sequence of float
            Times at which functions of yours jump: steps end there.  `supple.laws` tell theirs by themselves.
        control_rate : float, optional
            Sample feedback so many times per second and hold it in between.
        events : sequence of Event
            What stops or switches the simulation.
        progress : bool or callable, optional
            Show a line on the terminal; left out, only if the run takes longer than a moment.  A function (t, h) is
            told the time and the step instead, some ten times per second, between steps; if it returns True the run
            ends there: its motion so far is returned, ``stats["stopped"]`` is True, and the checkpoint, if there is
            one, is saved.
        checkpoint : path, optional
            File to which the run is saved every ``checkpoint_every`` seconds; with ``resume`` the run goes on from it
            (if it is there) and ends bit for bit like an unbroken one.
        max_steps : int, optional
            Give up after so many steps.

        Raises
        ------
        SimulationError
            If it cannot go on: says when, where and why, and keeps the motion so far in ``.trajectory``.
        """
        from supple.solvers.simulation import simulate

        return simulate(
            self,
            t,
            q0,
            v0,
            u,
            method,
            breaks=breaks,
            hold=hold,
            control_rate=control_rate,
            events=events,
            progress=progress,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
            resume=resume,
            max_steps=max_steps,
        )

    # ------------------------------------------------------------------ pictures

    def plot(
        self,
        q: ArrayLike | None = None,
        u: ArrayLike | None = None,
        t: float = 0.0,
        ax: Axes | None = None,
        **options: Any,
    ) -> Figure:
        """Picture of the robot, true to scale.

        Parameters
        ----------
        q : (n,), optional
            Coordinates; the rest configuration if left out, assembled if the robot has loops.
        u : (nu,), optional
            Inputs: tendons and chambers are coloured by tension and pressure.
        t : float
            Time at which laws of loads are taken, s.
        ax : Axes, optional
            Where to draw; a new figure if left out.
        **options
            Fields of `supple.viz.Style`, such as ``view=(azimuth, elevation)`` in degrees, ``frames=True``.

        Raises
        ------
        MissingExtraError
            If matplotlib is not installed.
        """
        from supple.viz import plot

        return plot(self, q, u, t, ax, **options)

    # ------------------------------------------------------------------ checks

    def check_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        u: ArrayLike | None = None,
        t: float = 0.0,
        lam: ArrayLike | None = None,
    ) -> DerivativeReport:
        """Compare the residual's Jacobians with central differences, in total and load by load.

        Where the two part, shorter steps are tried: a contact that begins within a step spoils the differences only.

        Printing the report gives a table; ``report.ok(1e-6)`` tells whether all agree, ``report.worst`` the row that
        agrees least.
        """
        from supple.model.check_derivatives import check_derivatives

        states = self._state("q", q), self._state("v", v), self._state("a", a)
        inputs, multipliers = self._inputs("u", u, self.nu), self._inputs("lam", lam, self.nc)
        return check_derivatives(self, *states, inputs, t, multipliers)

    # ------------------------------------------------------------------ invariants

    def energy(self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None) -> Energy:
        """Kinetic (with added mass), elastic (rods, joint springs, limits), gravitational (net of buoyancy) [J].

        ``loads`` is what linear springs, cables and elastic tendons (at their pulled length in u) store.  Springs with
        a law of their own, contacts, given wrenches, tendons, chambers, drives and users' laws count as work from
        outside.
        """
        parts, _ = self._energy_and_momentum(q, v, u)
        return Energy(*parts.tolist())

    def momentum(self, q: ArrayLike, v: ArrayLike) -> Array:
        """[angular about the world origin; linear] momentum (6,), world axes."""
        return self._energy_and_momentum(q, v)[1]

    def _energy_and_momentum(self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None) -> tuple[Array, Array]:
        q, v = self._state("q", q), self._state("v", v)
        parts, momentum = np.empty(4), np.empty(6)
        _energy.energy_and_momentum(self._tree, self._space(u), q, v, self._zero, parts, momentum)
        self._checked(parts, q=q, v=v)
        return parts, momentum

    # ------------------------------------------------------------------ the border: scratch, checks, messages

    def _space(
        self, u: ArrayLike | None = None, t: float = 0.0, lam: ArrayLike | None = None, z: ArrayLike | None = None
    ) -> Array:
        """Handle of this thread's scratch, with inputs, signals and multipliers filled in."""
        try:
            space, address = self._threads.space
        except AttributeError:
            space = make_space(self._arrays, **self.scratch_sizes())
            address = handle(space)
            self._threads.space = space, address
        if u is not None:
            space.inputs[:] = self._inputs("u", u, self.nu)
        elif self.nu:
            space.inputs[:] = 0.0
        if self.nc or lam is not None:
            space.multipliers[:] = self._inputs("lam", lam, self.nc)
        if self.demand.laws:
            self._fill_signals(space.signals, t)
        if z is not None:
            given, first = self._inputs("z", z, self.nz), 0
            for states in self.demand.states:
                size = len(states.state0)
                space.signals[states.first : states.first + size] = given[first : first + size]
                first += size
        return address  # type: ignore[no-any-return]

    def scratch_sizes(self) -> dict[str, Any]:
        """What `core.arrays.make_space` must know of the loads."""
        demand = self.demand
        return {
            "inputs": len(demand.inputs),
            "signals": demand.signals,
            "couplings": demand.couplings,
            "multipliers": self.nc,
            "lines": len(demand.lines),
            "parts": demand.parts,
            "buds": demand.buds,
        }

    def _fill_signals(self, signals: Array, t: float) -> None:
        """Values of all time laws at t; further states of loads where they begin."""
        demand = self.demand
        for law, first, size, owner in zip(demand.laws, demand.firsts, demand.sizes, demand.owners, strict=True):
            given = law(t)
            if size == 1 and type(given) is float and isfinite(given):
                signals[first] = given  # the fast path: the time itself, laws of numbers
                continue
            try:
                value = np.asarray(given, dtype=FLOAT)
            except (TypeError, ValueError):
                value = np.full(size, np.nan)
            if (value.shape != (size,) and (size > 1 or value.shape != ())) or not np.isfinite(value).all():
                raise StateError(
                    f"{owner}: its law returned {given!r} at t = {t:g}; it must return {size} finite numbers"
                )
            signals[first : first + size] = value
        for states in demand.states:
            signals[states.first : states.first + len(states.state0)] = states.state0

    def _probe(self, link: str, s: float) -> Probe:
        """The chain to a station with its scratch, remembered per thread."""
        probes: dict[tuple[int, float], Probe] = self._threads.__dict__.setdefault("probes", {})
        index = self._link(link)
        try:
            key = index, float(s)
        except (TypeError, ValueError):
            raise ModelError(f"link {link!r}: s is {s!r}, must be a number between 0 and 1") from None
        if key not in probes:
            if len(probes) >= MOST_PROBES:
                probes.pop(next(iter(probes)))
            probes[key] = make_probe(self, self.layouts[index], key[1])
        return probes[key]

    def _link(self, name: str) -> int:
        """Index of a link by name."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise ModelError(f"there is no link {name!r}; links are: {', '.join(self.link_names)}") from None

    def _state(self, name: str, value: ArrayLike) -> Array:
        """``value`` as a contiguous float64 vector of n entries; finiteness is tested by the kernels."""
        # the fast path of every call: kernels are compiled for aligned, writeable, contiguous arrays only
        if type(value) is np.ndarray and value.dtype == FLOAT and value.shape == self._shape and value.flags.carray:
            return value
        try:
            if np.iscomplexobj(value):
                raise TypeError  # a cast would drop the imaginary part: no complex step through compiled kernels
            array = np.array(value, dtype=FLOAT)
        except (TypeError, ValueError):
            raise ShapeError(f"{name} must be {self.n} real numbers, got {value!r}") from None
        if array.shape != self._shape:
            raise ShapeError(f"{name} has shape {array.shape}, model {self.name!r} needs {self._shape}")
        return array

    @staticmethod
    def _coefficient(name: str, value: float) -> float:
        """A finite coefficient of a fused tangent."""
        if not np.isfinite(value):
            raise StateError(f"{name} is {value!r}, must be finite")
        return float(value)

    def _inputs(self, name: str, value: ArrayLike | None, size: int) -> Array:
        """Inputs or multipliers as a vector; None means zero."""
        if value is None:
            return np.zeros(size)
        array = np.asarray(value, dtype=FLOAT)
        if array.shape != (size,):
            raise ShapeError(f"{name} has shape {array.shape}, model {self.name!r} needs ({size},)")
        if not np.isfinite(array).all():
            raise StateError(f"{name} is {array.tolist()}, must be finite")
        return array

    def _checked(self, result: Array, **states: Array) -> Array:
        """The result, if it is finite; else an error that names the state and the coordinate behind it."""
        if np.isfinite(result).all():
            return result
        for name, value in states.items():
            bad = np.flatnonzero(~np.isfinite(value))
            if bad.size:
                raise StateError(
                    f"{name}[{bad[0]}] ({self.coordinate_names[bad[0]]}) is {value[bad[0]]}; states must be finite"
                )
        for load in self.loads:
            if load.guard is not None:
                load.guard.explain()
        name, value = max(states.items(), key=lambda item: float(np.abs(item[1]).max()))
        worst = int(np.abs(value).argmax())
        raise StateError(
            f"the result overflows; the largest entry of the state is {name}[{worst}] "
            f"({self.coordinate_names[worst]}) = {value[worst]:.3g}"
        )

    def _check_solved(self, status: int, **states: Array) -> None:
        if status == _forward.NOT_FINITE:
            self._checked(np.full(1, np.nan), **states)
        elif status != _forward.SOLVED:
            raise SingularError(
                f"the mass matrix is singular at {self.coordinate_names[status]}: this coordinate moves no inertia; "
                "give the link or one that hangs on it mass, or lock the coordinate; a rod with as many coordinates "
                "as its points can tell apart needs more points; a rotation vector of 2 pi needs rewrap()"
            )


def reduced_loads(model: Model) -> tuple[Bound, ...]:
    """Loads of a model whose loops keep only independent rows, judged near the assembled configuration."""
    q = assemble_anywhere(model, model.loops, model._fixed)
    kept = independent_rows(model, q, model.loops, model._fixed)
    loops = iter(keep_rows(model.loops, kept))
    return tuple(next(loops) if load.side == CONSTRAINT else load for load in model.loads)


def _coordinate_names(link: LinkSpec) -> list[str]:
    """Names such as ``arm.bend_y_0``, joint first."""
    names = [f"{link.name}.{label}" for label in link.joint.labels]
    if isinstance(link.body, Rod):
        names += [f"{link.name}.{label}" for label in link.body.strain.labels]
    return names
