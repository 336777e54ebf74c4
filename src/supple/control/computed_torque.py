"""Computed torque: every coordinate of a fully actuated robot follows a reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array
from supple.control.feedback import Feedback, Reference, gain
from supple.errors import ModelError, SingularError

if TYPE_CHECKING:
    from supple.model.model import Model

#: Singular values of B below this part of the largest count as zero.
RANK = 1e-10


class ComputedTorque(Feedback):
    """Inputs under which a = q_d'' + K_D (q_d' - q') + K_P (q_d - q) =: w for all coordinates that are not prescribed.

    Notes
    -----
    B u = R(q, v, w), the residual without inputs: inverse dynamics minus elastic and viscous forces. With more inputs
    than coordinates the smallest u is taken.
    """

    def __init__(
        self,
        model: Model,
        reference: Any,
        kp: ArrayLike,
        kd: ArrayLike,
        inputs: Sequence[str] | None = None,
        limits: Any = None,
    ) -> None:
        what = "computed_torque"
        super().__init__(model, inputs, limits, what)
        self.free = model.free_coordinates  #: coordinates that it moves
        n, m = len(self.free), len(self.columns)
        if model.nc:
            raise ModelError(
                f"{what}: model {model.name!r} has closed loops, which take {model.nc} coordinates away; "
                "partial_feedback_linearization drives what its inputs do work on"
            )
        if m < n:
            raise ModelError(
                f"{what}: {m} inputs cannot move {n} coordinates; partial_feedback_linearization drives as many as "
                "there are inputs"
            )
        self.reference = Reference(reference, n, f"{what}: reference")
        self.kp, self.kd = gain(kp, n, f"{what}: kp"), gain(kd, n, f"{what}: kd")

    def drive(self, t: float, q: Array, v: Array, u: Array) -> Array:
        """Inputs (m,)."""
        wanted, free, model = self.reference(t), self.free, self.model
        a = np.zeros(model.n)
        a[free] = wanted.acceleration + self.kp @ (wanted.value - q[free]) + self.kd @ (wanted.rate - v[free])
        if len(free) < model.n:
            force = model.hybrid_dynamics(q, v, a, free, u, t).force[free]
        else:
            force = model.residual(q, v, a, u, None, t)
        return least_inputs(model.actuation(q, t)[np.ix_(free, self.columns)], force, f"{self.what} at t = {t:g}")


def least_inputs(B: Array, force: Array, what: str) -> Array:
    """The smallest u with B u = force; `SingularError` if there is none for every force."""
    size = np.maximum(np.abs(B).max(axis=1), 1e-300)  # rows have units of their own
    u, _, rank, _ = np.linalg.lstsq(B / size[:, None], force / size, rcond=RANK)
    if rank < len(B):
        raise SingularError(f"{what}: the inputs move only {rank} of {len(B)} coordinates here, B has not full rank")
    return np.asarray(u)


def computed_torque(
    model: Model,
    reference: Any,
    kp: ArrayLike,
    kd: ArrayLike,
    inputs: Sequence[str] | None = None,
    limits: Any = None,
) -> ComputedTorque:
    """Feedback that lets all coordinates of a fully actuated robot follow a reference.

    Parameters
    ----------
    model : Model
    reference : (n,), Law or callable
        q_d: numbers, a law of `supple.laws`, or t -> (q, q', q''); without prescribed coordinates.
    kp, kd : float, (n,) or (n, n)
        Gains, 1/s^2 and 1/s.
    inputs, limits
        As for `Feedback`: which inputs, and where they are cut off.
    """
    return ComputedTorque(model, reference, kp, kd, inputs, limits)
