"""The state that a motion begins at, by the state that it was asked to begin at (`solvers.motion.start`).

Loops are closed by the shortest way, dq = (1 - E^+ E) dq0 with E = de/dq, those that were open step by step
(`gradients.closing`); velocities are projected with the mass,

    M (v - v0) - A^T mu = 0,    A v = 0,

in the free coordinates; prescribed ones are their laws'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.gradients.closing import closing_tangent
from supple.model.assembly import RANK, closing
from supple.model.constraints import CLOSED, loop_terms
from supple.solvers.motion.start import gap_of, projected

if TYPE_CHECKING:
    from supple.model.assembly import ClosingStep
    from supple.model.model import Model

Array = np.ndarray


class StartTangents(NamedTuple):
    """dq = Q dq0, dv = V dv0 + X dq, of full size; and with loops, what these were made of."""

    Q: Array  #: (n, n)
    V: Array  #: (n, n)
    X: Array  #: (n, n)
    q: Array  #: (n,) where the motion begins
    v: Array
    change: Array  #: (n,) v - v0
    multipliers: Array  #: (nc,) mu
    closing: Array  #: (nf, nc) E^+ of the free coordinates
    inverse: Array  #: (nf + nc, nf + nc) of [[M, -A^T], [A, 0]]
    E: Array  #: (nc, n) de/dq
    A: Array  #: (nc, n)
    M: Array  #: (n, n)
    steps: tuple[ClosingStep, ...]  #: by which the robot was closed; none if it was


def start_tangents(model: Model, q0: Array, v0: Array, t: float) -> StartTangents:
    """How the initial state follows the one that was given."""
    n, free = model.n, model.free_coordinates
    kept = np.zeros((n, n))
    kept[free, free] = 1.0
    if not model.nc:
        none = np.zeros((0, 0))
        return StartTangents(kept, kept, np.zeros((n, n)), q0, v0, 0.0 * v0, np.zeros(0), *(none,) * 5, ())
    zero, start, given = np.zeros(n), q0.copy(), v0.copy()
    for joint in model.prescribed:
        own = slice(joint.coordinates.start, joint.coordinates.stop)
        start[own], given[own], _ = joint.motion(t)
    q = start
    steps: tuple[ClosingStep, ...] = ()
    if gap_of(model, start) > CLOSED:
        q, steps = closing(model, start, model.loops, model.fixed_coordinates)
    v, mu = projected(model, q, v0, given)
    Q = closing_tangent(model, steps, q, kept)
    terms = loop_terms(model, q, v, zero, model.loops)
    A, M = terms.jacobian, model.mass_matrix(q)
    change = v - v0
    matrix = np.zeros((len(free) + model.nc, len(free) + model.nc))
    matrix[: len(free), : len(free)] = M[np.ix_(free, free)]
    matrix[: len(free), len(free) :], matrix[len(free) :, : len(free)] = -A[:, free].T, A[:, free]
    scale = 1.0 / np.sqrt(np.maximum(np.abs(matrix).max(axis=1), 1e-300))
    inverse = scale[:, None] * np.linalg.inv(scale[:, None] * matrix * scale) * scale
    pushed = model.residual_derivatives(q, zero, change, None, mu, t)[0]
    pushed = pushed - model.residual_derivatives(q, zero, zero, None, 0.0 * mu, t)[0]
    # M (v - v0) - A^T mu = 0 and A v = 0 of the free coordinates, varied
    by_v0 = np.vstack([M[free], np.zeros((model.nc, n))])
    by_q = -np.vstack([pushed[free], terms.slip_dq])
    V, X = np.zeros((n, n)), np.zeros((n, n))
    V[free], X[free] = (inverse @ by_v0)[: len(free)], (inverse @ by_q)[: len(free)]
    E = loop_terms(model, q, zero, zero, model.loops).error_derivative
    back = np.linalg.pinv(E[:, free], rcond=RANK)
    return StartTangents(Q, V, X, q, v, change, mu, back, inverse, E, A, M, steps)
