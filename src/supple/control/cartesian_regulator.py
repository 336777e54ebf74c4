"""A Cartesian regulator: points of a robot are drawn to places, as by springs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, flag, shown
from supple.control.feedback import Feedback, Reference, gain
from supple.errors import ModelError, SingularError

if TYPE_CHECKING:
    from supple.model.model import Model

#: A matrix, scaled, whose condition is above the inverse of this is taken for singular.
SINGULAR = 1e-13


class CartesianRegulator(Feedback):
    """Inputs that act like forces F = K_P (x_d - x) + K_D (x_d' - x') on points of a robot that moves slowly.

    Notes
    -----
    A fully actuated robot would get the generalised force w = J^T F + gravity + elasticity. Where inputs are fewer than
    coordinates, what they do not hold follows them: of all displacements N dy under which inputs move by dy, B^T N = 1,
    those of least energy are what a slow robot takes, with its stiffness K = dR/dq and the rows A of its loops::

        [K  B  A^T] [ N ]   [0]
        [B^T 0  0 ] [ . ] = [1],      u = N^T w
        [A   0  0 ] [ . ]   [0]

    u does the work of w along them, so that springs remain springs. At an equilibrium gravity + elasticity = B u, hence
    N^T J^T F = 0: points are where they should be, if there are not more numbers x than inputs.
    """

    def __init__(
        self,
        model: Model,
        target: Any,
        kp: ArrayLike,
        kd: ArrayLike,
        at: Any,
        compensation: bool = True,
        damping: ArrayLike = 0.0,
        inputs: Sequence[str] | None = None,
        limits: Any = None,
    ) -> None:
        what = "cartesian_regulator"
        super().__init__(model, inputs, limits, what)
        self.at, self.compensation = _stations(at, what), flag(compensation, f"{what}: compensation")
        for link, s in self.at:
            model.pose(model.rest, link, s)  # names what is not there
        size = 3 * len(self.at)
        self.target = Reference(target, size, f"{what}: target")
        self.kp, self.kd = gain(kp, size, f"{what}: kp"), gain(kd, size, f"{what}: kd")
        self.damping = gain(damping, len(self.columns), f"{what}: damping")

    def places(self, q: ArrayLike) -> Array:
        """x: places of all points one after the other, (3 k,), world axes."""
        return np.concatenate([self.model.pose(q, link, s)[:3, 3] for link, s in self.at])

    def jacobian(self, q: ArrayLike) -> Array:
        """dx/dq, (3 k, n)."""
        rows = []
        for link, s in self.at:
            rows.append(self.model.pose(q, link, s)[:3, :3] @ self.model.jacobian(q, link, s)[3:])
        return np.vstack(rows)

    def drive(self, t: float, q: Array, v: Array, u: Array) -> Array:
        """Inputs (m,)."""
        wanted, J = self.target(t), self.jacobian(q)
        force = J.T @ (self.kp @ (wanted.value - self.places(q)) + self.kd @ (wanted.rate - J @ v))
        if self.compensation:
            zero = np.zeros(self.model.n)
            force = force + self.model.residual(q, zero, zero, u, None, t)
        B = self.model.actuation(q, t)[:, self.columns]
        return np.asarray(self.followers(q, t, B).T @ force - self.damping @ (B.T @ v))

    def followers(self, q: Array, t: float, B: Array) -> Array:
        """N (n, m): how the coordinates of a slow robot follow what its inputs do work on."""
        model, zero = self.model, np.zeros(self.model.n)
        free, m = model.free_coordinates, len(self.columns)
        K = model.residual_derivatives(q, zero, zero, None, None, t).dq[np.ix_(free, free)]
        rows = np.vstack([B[free].T, model.loop_jacobian(q)[:, free]])
        matrix = np.block([[K, rows.T], [rows, np.zeros((len(rows), len(rows)))]])
        size = np.maximum(np.sqrt(np.abs(np.diag(K))), 1e-6 * np.sqrt(np.abs(K).max(initial=1e-200)))
        scale = np.concatenate([size, np.maximum(np.abs(rows / size).max(axis=1, initial=0.0), 1e-100)])
        right = np.zeros((len(matrix), m))
        right[len(free) + np.arange(m), np.arange(m)] = 1.0
        scaled = matrix / np.outer(scale, scale)
        if not np.linalg.cond(scaled) < 1.0 / SINGULAR:
            raise SingularError(
                f"{self.what}: at t = {t:g} the robot is not held: the inputs {', '.join(self.inputs)} do not move as "
                "many coordinates as they are, or something that they do not hold is free of springs"
            )
        N = np.zeros((model.n, m))
        N[free] = (np.linalg.solve(scaled, right / scale[:, None]) / scale[:, None])[: len(free)]
        return N


def _stations(given: Any, what: str) -> tuple[tuple[str, float], ...]:
    """Pairs (link, s); a name alone is its tip."""
    pair = isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str)
    single = isinstance(given, str) or (pair and not isinstance(given[1], (str, tuple)))
    points = [given] if single else list(given) if isinstance(given, (list, tuple)) else []
    pairs = [(point, 1.0) if isinstance(point, str) else point for point in points]
    if not pairs or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise ModelError(
            f'{what}: at is {shown(given)}, must be points such as "arm" or ("arm", 0.5), or a list of them'
        )
    return tuple(pairs)


def cartesian_regulator(
    model: Model,
    target: Any,
    kp: ArrayLike,
    kd: ArrayLike,
    at: Any,
    compensation: bool = True,
    damping: ArrayLike = 0.0,
    inputs: Sequence[str] | None = None,
    limits: Any = None,
) -> CartesianRegulator:
    """Feedback that draws points of a robot, actuated fully or not, to places in the world.

    Parameters
    ----------
    model : Model
    target : (3,) or (k, 3), Law or callable
        Places of the k points, m: numbers, a law of `supple.laws`, or t -> (x, x', x'').
    kp, kd : float, (3 k,) or (3 k, 3 k)
        Gains, N/m and N s/m.
    at : str, (str, float), or a list of them
        The points: tips of links, or links with stations s.
    compensation : bool
        Whether gravity, elasticity and loads at the state are held against, as far as inputs can.
    damping : float, (m,) or (m, m)
        Of the actuation coordinates, besides that of points: with more inputs than numbers x something moves freely.
    inputs, limits
        As for `Feedback`: which inputs, and where they are cut off.
    """
    return CartesianRegulator(model, target, kp, kd, at, compensation, damping, inputs, limits)
