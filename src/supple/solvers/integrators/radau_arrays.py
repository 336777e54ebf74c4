"""The arrays that Radau IIA works on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple.core.views import View, array_of, viewing
from supple.solvers.problem import Problem

#: Rows of `RadauArrays.memory`: the point now, the stages of the step that led there, where it began.
NOW, FIRST, BEFORE = 0, 1, 4
ROWS = 5

#: Entries of `RadauArrays.numbers`: the last accepted step, s, and its error; c_v of the factors, 1/s; the
#: largest ratio of consecutive Newton steps; whether the Jacobians are those of this step; the scale of multipliers.
LAST, LAST_ERROR, FACTORED, SPEED, FRESH, SCALE = range(6)


class RadauArrays(NamedTuple):
    """What a run works on; N entries of a row, m unknowns of a stage."""

    memory: Any  #: (ROWS, N), see above
    trial: Any  #: (3, N) stages of the step that is tried
    rates: Any  #: (nz,) z' now
    D: Any  #: (3, n) increments
    y: Any  #: (3, n) P mu
    X: Any  #: (3, nz)
    multipliers: Any  #: (3, nc)
    mu: Any  #: (3, nc)
    sides: Any  #: (3, m) right-hand sides
    inputs: Any  #: (3, nu) at the times of the stages
    signals: Any  #: (3, k)
    motion: Any  #: (3, 3, n)
    jacobians: Any  #: (3, n, n) dR/dq, dR/dv, dR/da
    by_state: Any  #: (n, nz) dR/dz
    f: Any  #: (nz, 3 n + nz) derivatives of z' by q, v, a, z
    re: Any  #: (m, m) of the complex matrix, factorised
    im: Any
    pivots: Any  #: (m,) int64
    scales: Any  #: (m,)
    numbers: Any  #: (6,), see above


_DIMENSIONS = {"rates": 1, "motion": 3, "jacobians": 3, "scales": 1, "numbers": 1}
_TYPES = {name: array_of(np.float64, _DIMENSIONS.get(name, 2)) for name in RadauArrays._fields}
_TYPES["pivots"] = array_of(np.int64, 1)

#: Inside compiled code.
own_at = viewing(View("radau", _TYPES))


def make_arrays(problem: Problem, size: int) -> RadauArrays:
    """Arrays for a problem whose rows have ``size`` entries."""
    n, nc, nz, m = len(problem.q), len(problem.multipliers), len(problem.z), len(problem.rhs)
    shapes = {
        "memory": (ROWS, size),
        "trial": (3, size),
        "rates": (nz,),
        "D": (3, n),
        "y": (3, n),
        "X": (3, nz),
        "multipliers": (3, nc),
        "mu": (3, nc),
        "sides": (3, m),
        "inputs": (3, len(problem.inputs)),
        "signals": (3, len(problem.signals)),
        "motion": (3, 3, n),
        "jacobians": (3, n, n),
        "by_state": (n, nz),
        "f": (nz, 3 * n + nz),
        "re": (m, m),
        "im": (m, m),
        "scales": (m,),
        "numbers": (6,),
    }
    arrays = {name: np.zeros(shape) for name, shape in shapes.items()}
    return RadauArrays(pivots=np.zeros(m, dtype=np.int64), **arrays)
