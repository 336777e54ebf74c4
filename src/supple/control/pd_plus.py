"""PD+: springs and dampers towards a target, and what holds the robot there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, choice
from supple.control.computed_torque import least_inputs
from supple.control.feedback import Feedback, Motion, Reference, chosen, gain
from supple.errors import ModelError

if TYPE_CHECKING:
    from supple.model.model import Model

#: Where the forces of the model are taken.
COMPENSATIONS = ("target", "state", "none")


class PDPlus(Feedback):
    """Inputs with B u = K_P (q_d - q) + K_D (q_d' - q') + compensation, for coordinates that have inputs.

    Notes
    -----
    With the forces R of the model without inputs (inverse dynamics minus elastic and viscous forces), the compensation
    is at the "target" R(q_d, q_d', q_d''), of a target at rest the gravity and elasticity there ([AGNOSTIC-ID] S3);
    at the "state" M(q) q_d'' + C(q, q') q_d' + gravity(q) + elasticity(q) + viscosity(q_d'), where C q_d' is the
    symmetric bilinear form of the velocity terms c(q, v) of inverse dynamics, [c(v + v_d) - c(v) - c(v_d)] / 2: of a
    target at rest it cancels gravity and elasticity.
    """

    def __init__(
        self,
        model: Model,
        target: Any,
        kp: ArrayLike,
        kd: ArrayLike,
        compensation: str = "target",
        coordinates: Sequence[Any] | None = None,
        inputs: Sequence[str] | None = None,
        limits: Any = None,
    ) -> None:
        what = "pd_plus"
        super().__init__(model, inputs, limits, what)
        self.compensation = choice(compensation, COMPENSATIONS, f"{what}: compensation")
        given = chosen(coordinates, model.coordinate_names, "coordinate", what)
        self.rows = model.free_coordinates if coordinates is None else given  #: coordinates that it moves
        n, m = len(self.rows), len(self.columns)
        if m < n:
            raise ModelError(f"{what}: {m} inputs cannot move {n} coordinates; name as many coordinates as inputs")
        self.target = Reference(target, n, f"{what}: target")
        self.kp, self.kd = gain(kp, n, f"{what}: kp"), gain(kd, n, f"{what}: kd")

    def drive(self, t: float, q: Array, v: Array, u: Array) -> Array:
        """Inputs (m,)."""
        wanted, rows = self.target(t), self.rows
        force = self.kp @ (wanted.value - q[rows]) + self.kd @ (wanted.rate - v[rows])
        if self.compensation == "target":
            force = force + self._at_target(wanted, q, u, t)
        elif self.compensation == "state":
            force = force + self._at_state(wanted, q, v, u, t)
        return least_inputs(self.model.actuation(q, t)[np.ix_(rows, self.columns)], force, f"{self.what} at t = {t:g}")

    def drive_slopes(self, t: float, q: Array, v: Array, u: Array, found: Array, others: Array) -> Array | None:
        """Derivatives (m, 2 n), B du = d(force) - dB u; None with more inputs than coordinates, or a moving target."""
        model, rows, n = self.model, self.rows, self.model.n
        if len(rows) != len(self.columns) or self.target.moves:
            return None
        force, zero, own = np.zeros((len(rows), 2 * n)), np.zeros(n), np.zeros(model.nu)
        force[:, rows], force[:, n + rows] = -self.kp, -self.kd
        if self.compensation != "none":
            at_state, wanted = self.compensation == "state", self.target(t)
            place = q if at_state else self._spread(wanted.value, q)
            by = model.residual_derivatives(place, zero, zero, u, None, t)
            kept = np.ones(n) if at_state else self._spread(np.zeros(len(rows)), np.ones(n))
            force[:, :n] += by.dq[rows] * kept
            force += by.du[rows] @ others
        own[self.columns] = found
        pulled, free = (model.residual_derivatives(q, zero, zero, x, None, t).dq for x in (own, 0.0 * own))
        force[:, :n] += (pulled - free)[rows]
        return np.asarray(np.linalg.solve(model.actuation(q, t)[np.ix_(rows, self.columns)], force))

    def _spread(self, numbers: Array, others: Array | None = None) -> Array:
        """(n,) with numbers of the coordinates that it moves, and those of others, zero if omitted."""
        full = np.zeros(self.model.n) if others is None else others.copy()
        full[self.rows] = numbers
        return full

    def _at_target(self, wanted: Motion, q: Array, u: Array, t: float) -> Array:
        place, rate, acceleration = wanted
        state = self._spread(place, q), self._spread(rate), self._spread(acceleration)
        return self.model.residual(*state, u, None, t)[self.rows]

    def _at_state(self, wanted: Motion, q: Array, v: Array, u: Array, t: float) -> Array:
        zero, along, a = np.zeros(self.model.n), self._spread(wanted.rate), self._spread(wanted.acceleration)
        force = self.model.residual(q, along, a, u, None, t)
        if self.target.moves:
            rest, own, both, mixed = (self.model.inverse_dynamics(q, x, zero, t) for x in (zero, along, v, v + along))
            force = force - (own - rest) + 0.5 * (mixed - both - own + rest)
        return np.asarray(force[self.rows])


def pd_plus(
    model: Model,
    target: Any,
    kp: ArrayLike,
    kd: ArrayLike,
    compensation: str = "target",
    coordinates: Sequence[Any] | None = None,
    inputs: Sequence[str] | None = None,
    limits: Any = None,
) -> PDPlus:
    """Feedback by springs and dampers towards a target, with the forces that hold the robot there.

    Parameters
    ----------
    model : Model
    target : (k,), Law or callable
        q_d of the coordinates that it moves: numbers, a law of `supple.laws`, or t -> (q, q', q'').
    kp, kd : float, (k,) or (k, k)
        Gains, N m/rad or N/m, and N m s/rad or N s/m.
    compensation : {"target", "state", "none"}
        Where the forces of the model are taken: at the target, which needs no measurement, or at the state, which
        cancels them; or not at all.
    coordinates : sequence of str or int, optional
        The coordinates that it moves, no more than inputs; all that are not prescribed if omitted.
    inputs, limits
        As for `Feedback`: which inputs, and where they are cut off.
    """
    return PDPlus(model, target, kp, kd, compensation, coordinates, inputs, limits)
