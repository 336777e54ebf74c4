"""How far two results are apart: the measures of [GVS-AD] eqs. (37), (38)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from supple.model.check_derivatives import difference
from supple.model.model import Model
from supple.solvers.motion.trajectory import Trajectory

Array = np.ndarray

#: Step of forward differences of accelerations, as in the paper.
STEP = 1e-6


def state_mismatch(one: Trajectory, other: Trajectory) -> Array:
    """[GVS-AD] eq. (37), (T,): |dx| / |avg x|, x = (q, v), at the common times of two trajectories; 0 where x = 0."""
    x, y = (np.hstack([motion.q, motion.v]) for motion in (one, other))
    return relative(np.linalg.norm(x - y, axis=1), np.linalg.norm(0.5 * (x + y), axis=1))


def relative(part: Array, whole: Array) -> Array:
    """part / whole, and 0 where both are 0."""
    quotient = np.zeros_like(part)
    np.divide(part, whole, out=quotient, where=whole > 0.0)
    return quotient


def matrix_mismatch(one: Array, other: Array) -> float:
    """The same measure for matrices."""
    whole = float(np.linalg.norm(0.5 * (one + other)))
    return float(np.linalg.norm(one - other)) / whole if whole > 0.0 else 0.0


class AccelerationSlopes(NamedTuple):
    """Derivatives of forward dynamics, (n, n) each."""

    dq: Array
    dv: Array


def forward_differences(model: Model, q: Array, v: Array, u: Array, t: float) -> AccelerationSlopes:
    """[GVS-AD] eq. (38): da/dq and da/dv by 2 n forward differences of forward dynamics; not of prescribed joints."""
    here = model.forward_dynamics(q, v, u, t).a
    dq, dv = np.zeros((model.n, model.n)), np.zeros((model.n, model.n))
    fixed = {i for joint in model.prescribed for i in joint.coordinates}
    for i in range(model.n):
        if i not in fixed:
            step = np.zeros(model.n)
            step[i] = STEP
            dq[:, i] = (model.forward_dynamics(q + step, v, u, t).a - here) / STEP
            dv[:, i] = (model.forward_dynamics(q, v + step, u, t).a - here) / STEP
    return AccelerationSlopes(dq, dv)


def residual_mismatch(model: Model, motion: Trajectory, k: int) -> float:
    """Largest mismatch of dR/dq, dR/dv, dR/da against central differences at point k of a motion, parts of its norm."""
    t, q, v, a, u = motion.t[k], motion.q[k], motion.v[k], motion.a[k], motion.u[k]
    lam = np.asarray(motion.multipliers)[k]
    slopes = model.residual_derivatives(q, v, a, u, lam, t)

    def off(slope: Array, function: Callable[[Array], Array], x: Array) -> float:
        return float(np.linalg.norm(slope - difference(function, x)) / np.linalg.norm(slope))

    return max(
        off(slopes.dq, lambda x: model.residual(x, v, a, u, lam, t), q),
        off(slopes.dv, lambda x: model.residual(q, x, a, u, lam, t), v),
        off(slopes.da, lambda x: model.residual(q, v, x, u, lam, t), a),
    )
