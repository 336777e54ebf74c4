"""Deflation: Newton's method that does not come back to equilibria which are known ([DEFLATION]).

Instead of F(x) = 0, x = (q, lambda), solve m(q) F(x) = 0 with

    m = product over known q_i of (1 / D_i^2 + 1),        D_i the distance from q_i,

which does not vanish at q_i any more.  Its Newton step is Newton's own, made longer, shorter or turned round:

    d = t d_N,      d_N = -F_x^-1 F,      1 / t = 1 - grad(log m) . d_N,

so nothing but a scalar product is added to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.errors import StateError
from supple.model.constraints import loop_terms
from supple.solvers.rounding import WEAK

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.statics.configurations import Configurations

Array = np.ndarray

#: Newton steps of one attempt.
STEPS = 60
#: Farthest that a step moves a coordinate, in the sizes at which coordinates matter.
LONGEST = 1.0
#: A step of this size ends the attempt: Newton's own method goes on.
CLOSE = 1e-6


def deflated_newton(
    model: Model,
    places: Configurations,
    u: Array,
    t: float,
    start: tuple[Array, Array],
    known: list[Array],
    neutral: bool,
) -> tuple[Array, Array] | None:
    """Coordinates and multipliers near an equilibrium that is not among the known ones, if one is met from a start.

    If something moves freely (``neutral``), steps are those of least size.
    """
    free, nf = model.free_coordinates, len(model.free_coordinates)
    q, lam, zero = start[0].copy(), start[1].copy(), np.zeros(model.n)
    for _ in range(STEPS):
        try:
            R, T = model.residual_tangent(q, zero, zero, u, lam, t)
        except StateError:
            return None
        F, J = R[free], T[np.ix_(free, free)]
        if model.nc:
            terms = loop_terms(model, q, zero, zero, model.loops)
            F = np.concatenate([F, terms.error])
            A, E = terms.jacobian[:, free], terms.error_derivative[:, free]
            J = np.block([[J, -A.T], [E, np.zeros((model.nc, model.nc))]])
        step = _newton_step(J, F, neutral)
        if not np.isfinite(step).all():
            return None
        size = float(np.abs(step[:nf] / places.scales[free]).max(initial=0.0))
        if size < CLOSE:
            return q, lam
        step *= _stretch(places, q, step[:nf], known)
        size = float(np.abs(step[:nf] / places.scales[free]).max(initial=0.0))
        if not np.isfinite(size):
            return None
        step *= min(1.0, LONGEST / size) if size > 0.0 else 1.0
        q[free] += step[:nf]
        lam = lam + step[nf:]
        q = places.wrapped(q)
    return None


def _newton_step(J: Array, F: Array, least: bool) -> Array:
    """-J^-1 F, rows scaled; of least size if asked for, or where J is singular."""
    sizes = np.abs(J).max(axis=1, initial=0.0)
    sizes[sizes == 0.0] = 1.0
    try:
        if least:
            raise np.linalg.LinAlgError
        return np.asarray(np.linalg.solve(J / sizes[:, None], -F / sizes))
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(J / sizes[:, None], -F / sizes, rcond=WEAK)[0])


def _stretch(places: Configurations, q: Array, step: Array, known: list[Array]) -> float:
    """The factor of a Newton step (nf,) at q: 1 / (1 - grad(log m) . step)."""
    if not known:
        return 1.0
    squares, slopes = places.distances(np.array(known), q)
    squares = np.maximum(squares, CLOSE**2)
    below = 1.0 + float(((slopes[:, places.free] @ step) / (squares * (1.0 + squares))).sum())
    return 1.0 / below if abs(below) > WEAK else 1.0 / WEAK
