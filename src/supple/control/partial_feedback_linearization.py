"""Partial feedback linearisation: what inputs do work on moves like free masses on springs and dampers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array
from supple.control.actuation_coordinates import ActuationCoordinates
from supple.control.feedback import Feedback, Reference, gain, input_response, solve_definite

if TYPE_CHECKING:
    from supple.model.model import Model

#: Newton steps for inputs, and a step that no longer counts.
MOST_STEPS, ROUNDING = 8, 1e-12


class PartialFeedbackLinearization(Feedback):
    """Inputs under which y'' = y_d'' + K_D (y_d' - y') + K_P (y_d - y), y the actuation coordinates.

    Attributes
    ----------
    coordinates : ActuationCoordinates
        y, with its Jacobian.

    Notes
    -----
    [AGNOSTIC-ID] 7.1 and (S2), where the dynamics is written in coordinates (y, z). None are needed: with the
    acceleration a = a_0 + A u of forward dynamics, y'' = B^T a + (d B^T/dt) v, so that::

        (B^T A) u = y''_wanted - (d B^T/dt) v - B^T a_0

    B^T A = B^T M^-1 B is the inverse of the papers' M_aa - M_au M_uu^-1 M_ua. Loops and prescribed joints are in A and
    a_0. What is not actuated follows by itself: its motion with y at rest must be stable, as elastic bodies are.
    """

    def __init__(
        self,
        model: Model,
        reference: Any,
        kp: ArrayLike,
        kd: ArrayLike,
        inputs: Sequence[str] | None = None,
        limits: Any = None,
        q0: ArrayLike | None = None,
    ) -> None:
        what = "partial_feedback_linearization"
        super().__init__(model, inputs, limits, what)
        m = len(self.columns)
        self.coordinates = ActuationCoordinates(model, self.inputs, q0)
        self.reference = Reference(reference, m, f"{what}: reference")
        self.kp, self.kd = gain(kp, m, f"{what}: kp"), gain(kd, m, f"{what}: kd")

    def drive(self, t: float, q: Array, v: Array, u: Array) -> Array:
        """Inputs (m,)."""
        y, wanted = self.coordinates.observe(q, v), self.reference(t)
        error, rate, J = wanted.value - y.value, wanted.rate - y.rate, y.jacobian
        goal = wanted.acceleration + self.kp @ error + self.kd @ rate - y.bias
        found, u = np.zeros(len(self.columns)), u.copy()
        # loads that feel accelerations need not be linear in them: Newton's method; all else is done after one step
        for _ in range(MOST_STEPS if self.model.demand.implicit else 1):
            a, A = input_response(self.model, q, v, u, t, self.columns, J.T)
            step = solve_definite(J @ A, np.asarray(goal - J @ a), lambda: self._problem(t))
            found += step
            u[self.columns] = found
            if np.abs(step).max() <= ROUNDING * np.abs(found).max():
                break
        return found

    def drive_slopes(self, t: float, q: Array, v: Array, u: Array, found: Array, others: Array) -> Array:
        """Derivatives (m, 2 n): what J a + (dJ/dt) v = goal leaves to the inputs, a following q, v and all of them."""
        u, n = u.copy(), self.model.n
        u[self.columns] = found
        by, a = self.model.forward_dynamics_derivatives(q, v, u, t), self.model.forward_dynamics(q, v, u, t).a
        J = self.coordinates.jacobian(q)
        first, second = self.coordinates.jacobian_rates(q, v, a)
        rest = J @ (np.hstack([by.dq, by.dv]) + by.du @ others)
        rest[:, :n] += self.kp @ J + self.kd @ first + second
        rest[:, n:] += self.kd @ J + 2.0 * first
        return np.asarray(np.linalg.solve(J @ by.du[:, self.columns], -rest))

    def _problem(self, t: float) -> str:
        return (
            f"{self.what}: at t = {t:g} the inputs {', '.join(self.inputs)} do not move as many coordinates as they "
            "are; omit those that others can replace"
        )


def partial_feedback_linearization(
    model: Model,
    reference: Any,
    kp: ArrayLike,
    kd: ArrayLike,
    inputs: Sequence[str] | None = None,
    limits: Any = None,
    q0: ArrayLike | None = None,
) -> PartialFeedbackLinearization:
    """Feedback that lets the actuation coordinates y of an underactuated robot follow a reference.

    Parameters
    ----------
    model : Model
    reference : (m,), Law or callable
        y_d: numbers, a law of `supple.laws`, or t -> (y, y', y''), for the m inputs in their order.
    kp, kd : float, (m,) or (m, m)
        Gains, 1/s^2 and 1/s.
    inputs, limits
        As for `Feedback`: which inputs, and where they are cut off.
    q0 : (n,), optional
        Where y is zero, see `ActuationCoordinates`.
    """
    return PartialFeedbackLinearization(model, reference, kp, kd, inputs, limits, q0)
