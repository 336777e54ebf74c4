"""Models in which coordinates follow others ([REDMAX] 2.6): those are eliminated, q = c(x), in every function.

A coupled model holds the model of all N coordinates, `full`, and asks it with

    q = c(x),   v = C x',   a = C x'' + C' x',

of which forces come back as C^T f, matrices as C^T M C, and derivatives by the chain rule

    d/dx = d/dq C + d/dv C' + d/da C'',    d/dx' = d/dv C + 2 d/da C',    d/dx'' = d/da C.

Solvers reach the same through compiled functions (`supple.following`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import flag, real_array
from supple.compilation.digest import Digest, digest_of
from supple.core import forward_dynamics as _forward
from supple.errors import ShapeError
from supple.following.arrays import BEND, COUNT, FIRST
from supple.following.expansion import expand_state
from supple.model.batch import for_each, many_states
from supple.model.coupled_workspace import CoupledWorkspace
from supple.model.leading_axes import takes_leading_axes
from supple.model.model import Model
from supple.model.results import (
    Energy,
    InternalForceDerivatives,
    InverseDynamicsDerivatives,
    LineState,
    Station,
)
from supple.model.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from supple.compilation.compiled import CompiledRobot

Array = np.ndarray


class Expansion(NamedTuple):
    """All coordinates at a state, and how they follow those that are left."""

    q: Array  #: (N,)
    v: Array
    a: Array
    C: Array  #: (N, n) dq/dx
    Cd: Array  #: (N, n) its time derivative
    Cdd: Array  #: (N, n) the one after
    bends: Array  #: (N, n, n) d2q/dx2

    def by_state(self, dq: Array, dv: Array | None = None, da: Array | None = None) -> tuple[Array, Array, Array]:
        """Derivatives (..., n) by x, x', x'' from those (..., N) by q, v, a; omitted: zero."""
        dv, da = (np.zeros_like(dq) if x is None else x for x in (dv, da))
        return dq @ self.C + dv @ self.Cd + da @ self.Cdd, dv @ self.C + 2.0 * da @ self.Cd, da @ self.C

    def of_force(self, force: Array, dq: Array, dv: Array, da: Array) -> tuple[Array, Array, Array]:
        """Derivatives (n, n) of C^T force by x, x', x''."""
        by_x, by_v, by_a = (self.C.T @ part for part in self.by_state(dq, dv, da))
        return by_x + np.einsum("i,ijk->jk", force, self.bends), by_v, by_a


@takes_leading_axes
class CoupledModel(Model):
    """A model some of whose coordinates follow others; see `Model`.

    Attributes
    ----------
    full : Model
        The same robot with all coordinates, those that follow last; of one state at a time.
    """

    dense = True

    def __init__(self, compiled: CompiledRobot) -> None:
        self.full = Model(compiled.changed(followers=None))
        self.full.leading_axes = False  # rows are made here, before coordinates are expanded
        super().__init__(compiled)
        self.constrained = True

    @staticmethod
    def _make_workspace(compiled: CompiledRobot) -> Workspace:
        """What kernels work on."""
        return CoupledWorkspace(compiled)

    # ------------------------------------------------------------------ all coordinates

    def expand(self, q: ArrayLike, v: ArrayLike | None = None, a: ArrayLike | None = None) -> Expansion:
        """All coordinates and their derivatives by those that are left."""
        work, check, n = self.workspace, self.arguments, self.n
        assert isinstance(work, CoupledWorkspace)
        x, xd, xdd = (
            work.zero if part is None else check.state(name, part) for name, part in (("q", q), ("v", v), ("a", a))
        )
        expand_state(work.tree, work.own()[1], x, xd, xdd)
        behind, rows = work.behind(), work.followers.rows
        state = behind.state[:3].copy()
        C = np.zeros((3, state.shape[1], n))
        C[0, :n] = np.eye(n)
        bends = np.zeros((state.shape[1], n, n))
        for f, row in enumerate(rows):
            own = slice(row[FIRST], row[FIRST] + row[COUNT])
            leaders, count = work.followers.leaders[own], int(row[COUNT])
            C[:, n + f, leaders] = behind.slopes[:, own]
            block = behind.bends[row[BEND] : row[BEND] + count * count].reshape(count, count)
            bends[n + f][np.ix_(leaders, leaders)] = block
        return Expansion(state[0], state[1], state[2], C[0], C[1], C[2], bends)

    def whole(self, q: Array) -> Array:
        """All coordinates of the tree at q (n,)."""
        return self.arguments.finite(self.expand(q).q, q=self.arguments.state("q", q))

    def _whole(self, q: ArrayLike) -> Array:
        """All coordinates (..., N) at one or many states q (..., n)."""
        many = many_states(self, q)
        return self.whole(q) if many is None else for_each(many, self.whole)  # type: ignore[arg-type]

    # ------------------------------------------------------------------ kinematics

    def points(self, q: ArrayLike) -> Array:
        """World poses of all points, see `Model.points`."""
        return self.full.points(self._whole(q))

    def pose(self, q: ArrayLike, link: str, s: float = 1.0) -> Array:
        """World pose of a station, see `Model.pose`."""
        return self.full.pose(self._whole(q), link, s)

    def poses(self, q: ArrayLike, stations: Sequence[tuple[str, float]]) -> Array:
        """World poses of many stations, see `Model.poses`."""
        return self.full.poses(self._whole(q), stations)

    def station(self, q: ArrayLike, v: ArrayLike | None, link: str, s: float = 1.0) -> Station:
        """Pose, twist, Jacobian and its rate, see `Model.station`."""
        at = self.expand(q, v)
        found = self.full.station(at.q, at.v, link, s)
        J, Jd = found.jacobian, found.jacobian_rate
        return Station(found.pose, found.twist, J @ at.C, Jd @ at.C + J @ at.Cd)

    def lines(
        self, q: ArrayLike, v: ArrayLike | None = None, u: ArrayLike | None = None, t: float = 0.0
    ) -> dict[str, LineState]:
        """Cables and tendons by name, see `Model.lines`."""
        at = self.expand(q, v)
        found = self.full.lines(at.q, at.v, u, t)
        return {name: line._replace(gradient=line.gradient @ at.C) for name, line in found.items()}

    def line_biases(self, q: ArrayLike, v: ArrayLike) -> dict[str, float]:
        """Of cables and tendons by name, see `Model.line_biases`; coordinates that follow accelerate by themselves."""
        at = self.expand(q, v)
        found, lines = self.full.line_biases(at.q, at.v), self.full.lines(at.q)
        return {name: bias + float(lines[name].gradient @ at.a) for name, bias in found.items()}

    # ------------------------------------------------------------------ dynamics

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: float = 0.0, z: ArrayLike | None = None
    ) -> Array:
        """ID (n,), see `Model.inverse_dynamics`."""
        at = self.expand(q, v, a)
        return np.asarray(at.C.T @ self.full.inverse_dynamics(at.q, at.v, at.a, t, z))

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, t: float = 0.0, z: ArrayLike | None = None
    ) -> InverseDynamicsDerivatives:
        """ID with its derivatives, see `Model.inverse_dynamics_derivatives`."""
        at = self.expand(q, v, a)
        force, *by = self.full.inverse_dynamics_derivatives(at.q, at.v, at.a, t, z)
        return InverseDynamicsDerivatives(at.C.T @ force, *at.of_force(force, *by))

    def mass_matrix(self, q: ArrayLike) -> Array:
        """M(q), see `Model.mass_matrix`."""
        at = self.expand(q)
        return np.asarray(at.C.T @ self.full.mass_matrix(at.q) @ at.C)

    def solve_mass(self, q: ArrayLike, X: ArrayLike) -> Array:
        """M(q)^-1 X, see `Model.solve_mass`."""
        given = real_array(X, "X")
        if given.ndim not in (1, 2) or given.shape[0] != self.n:
            raise ShapeError(f"X has shape {given.shape}, model {self.name!r} needs ({self.n},) or ({self.n}, m)")
        q, out = self.arguments.state("q", q), np.array(given.reshape(self.n, -1), dtype=float, order="C")
        self.arguments.solved(_forward.solve_dense(self.mass_matrix(q), out), q=q)
        return self.arguments.finite(out.reshape(given.shape), q=q)

    def input_forces(self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0) -> Array:
        """dtau/du (n, nu), see `Model.input_forces`."""
        at = self.expand(q, v)
        return np.ascontiguousarray(at.C.T @ self.full.input_forces(at.q, at.v, u, t))

    def internal_force(self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0) -> Array:
        """tau (n,), see `Model.internal_force`."""
        at = self.expand(q, v)
        return np.asarray(at.C.T @ self.full.internal_force(at.q, at.v, u, t))

    def internal_force_derivatives(
        self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0
    ) -> InternalForceDerivatives:
        """dtau/dq, dtau/dv, dtau/du, see `Model.internal_force_derivatives`."""
        at = self.expand(q, v)
        force = self.full.internal_force(at.q, at.v, u, t)
        by = self.full.internal_force_derivatives(at.q, at.v, u, t)
        dq, dv, _ = at.of_force(force, by.dq, by.dv, np.zeros_like(by.dq))
        return InternalForceDerivatives(dq, dv, at.C.T @ by.du)

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
        """The tangent times x, see `Model.tangent_product`."""
        tangent = self.residual_tangent(q, v, a, u, lam, t, cv, ca, z)[1]
        x = self.arguments.state("x", x)
        return self.arguments.finite((tangent.T if flag(transposed, "transposed") else tangent) @ x, x=x)

    def energy(self, q: ArrayLike, v: ArrayLike, u: ArrayLike | None = None, t: float = 0.0) -> Energy:
        """Energies, see `Model.energy`."""
        at = self.expand(q, v)
        return self.full.energy(at.q, at.v, u, t)

    def momentum(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Momentum (6,), see `Model.momentum`."""
        at = self.expand(q, v)
        return self.full.momentum(at.q, at.v)

    # ------------------------------------------------------------------ numbers

    @property
    def stiffness(self) -> Array:
        """K (n, n) = C^T K C at rest, where C is constant unless a coupling is a function."""
        C = self.workspace.kept("rest slopes", lambda: self.expand(self.rest).C)
        return np.asarray(C.T @ self.full.stiffness @ C)

    @property
    def damping(self) -> Array:
        """D (n, n), likewise."""
        C = self.workspace.kept("rest slopes", lambda: self.expand(self.rest).C)
        return np.asarray(C.T @ self.full.damping @ C)

    @property
    def rest(self) -> Array:
        """Coordinates at which springs and rods are unloaded, but for springs of joints that follow, shape (n,)."""
        return np.asarray(self.parameters.rest[: self.n])

    @property
    def digest(self) -> Digest:
        """What the model is made of, by fingerprints, couplings among it."""
        own: dict[str, dict[str, Any]] = {"couplings": {"followers": tuple(self.compiled.followers or ())}}
        return self.full.digest.joined(digest_of(own))
