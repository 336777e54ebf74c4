"""Potential energy of equilibria with everything that acts, from the work that unbalanced forces do on the way.

`Model.energy` knows what is stored: in rods, springs and height.  Dead weights, contacts, tensions and pressures have a
potential, too, though nobody wrote it down: if forces have one, the residual without multipliers is its gradient,

    V(b) - V(a) = integral over x from 0 to 1 of R(a + x (b - a)) . (b - a),

along any way, a straight one too, on which loops are open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.core.loads import CONSTRAINT, STORES

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Part of the largest tangent stiffness by which it may differ from its mirror image, if forces have a potential.
ASYMMETRY = 1e-7
#: Where on a way this is looked at.
PLACES = (0.31, 0.73)
#: Relative error of the work, pieces into which a way may be divided, and places where its size is looked at.
PRECISION, PIECES, SAMPLES = 1e-11, 400, 9


def stored_energy(model: Model, q: Array, u: Array, t: float) -> float:
    """What rods, springs and height store [J]."""
    return model.energy(q, np.zeros(model.n), u, t).total


def has_potential(model: Model, a: Array, b: Array, u: Array, t: float) -> bool:
    """Whether forces seem to have a potential, judged at two places between a and b."""
    free, zero = model.free_coordinates, np.zeros(model.n)
    for x in PLACES:
        T = model.residual_tangent(a + x * (b - a), zero, zero, u, None, t)[1][np.ix_(free, free)]
        if np.abs(T - T.T).max(initial=0.0) > ASYMMETRY * np.abs(T).max(initial=0.0):
            return False
    return True


def acts_from_outside(model: Model) -> bool:
    """Whether there are loads whose energy `Model.energy` does not know."""
    return any(not load.side & (STORES | CONSTRAINT) for load in model.loads)


def work_between(model: Model, a: Array, b: Array, u: Array, t: float) -> float:
    """V(b) - V(a) [J]."""
    from scipy.integrate import quad  # type: ignore[import-untyped]

    free, zero, way = model.free_coordinates, np.zeros(model.n), b - a

    def force(x: float) -> float:
        return float(model.residual(a + x * way, zero, zero, u, None, t)[free] @ way[free])

    size = max(abs(force(x)) for x in np.linspace(0.0, 1.0, SAMPLES).tolist())
    if size == 0.0:
        return 0.0
    return float(quad(force, 0.0, 1.0, epsabs=PRECISION * size, epsrel=PRECISION, limit=PIECES, full_output=1)[0])
