"""The state that a motion begins at, by the state that it was asked to begin at (`solvers.motion.start`).

Loops are closed by the shortest way, dq = (1 - E^+ E) dq0 with E = de/dq; velocities are projected with the mass,

    M (v - v0) - A^T mu = 0,    A v = 0,

in the free coordinates; prescribed ones are their laws'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.model.constraints import CLOSED, loop_terms
from supple.solvers.motion.start import gap_of, projected

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Relative step of central differences of how an open robot is closed.
STEP = 1e-5


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
    opened: Array | None  #: (n,) where the robot was open, prescribed joints in place; None: it was closed


def start_tangents(model: Model, q0: Array, v0: Array, t: float) -> StartTangents:
    """How the initial state follows the one that was given."""
    n, free = model.n, model.free_coordinates
    kept = np.zeros((n, n))
    kept[free, free] = 1.0
    if not model.nc:
        none = np.zeros((0, 0))
        return StartTangents(kept, kept, np.zeros((n, n)), q0, v0, 0.0 * v0, np.zeros(0), *(none,) * 5, None)
    zero, start, given = np.zeros(n), q0.copy(), v0.copy()
    for joint in model.prescribed:
        own = slice(joint.coordinates.start, joint.coordinates.stop)
        start[own], given[own], _ = joint.motion(t)
    q = model.assemble(start) if gap_of(model, start) > CLOSED else start
    v, mu = projected(model, q, v0, given)
    closing = _closing(model, start, q, kept)
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
    back = np.linalg.pinv(E[:, free], rcond=1e-10)
    opened = None if q is start else start
    return StartTangents(closing, V, X, q, v, change, mu, back, inverse, E, A, M, opened)


def closed_by_parameter(model: Model, opened: Array, t: float) -> Array:
    """dq/dp (n, count) of a robot that was open: differences of how it is closed at both ends of every parameter."""
    point = model.design
    assert point is not None
    columns = []
    for pair, end in zip(point.models, point.ends, strict=True):
        closed = []
        for other in pair:
            start = opened.copy()
            for joint in other.prescribed:
                start[joint.coordinates.start : joint.coordinates.stop] = joint.motion(t)[0]
            closed.append(other.assemble(start))
        columns.append((closed[0] - closed[1]) * end.scale)
    return np.array(columns).T


def _closing(model: Model, start: Array, q: Array, kept: Array) -> Array:
    """dq/dq0 of a robot that was closed."""
    n, free, zero = model.n, model.free_coordinates, np.zeros(model.n)
    if q is start:
        E = loop_terms(model, q, zero, zero, model.loops).error_derivative[:, free]
        closing = kept.copy()
        closing[np.ix_(free, free)] -= np.linalg.pinv(E, rcond=1e-10) @ E
        return closing
    closing = np.zeros((n, n))
    for j in free:
        step = np.zeros(n)
        step[j] = STEP * max(1.0, abs(start[j]))
        closing[:, j] = (model.assemble(start + step) - model.assemble(start - step)) / (2.0 * step[j])
    return closing
