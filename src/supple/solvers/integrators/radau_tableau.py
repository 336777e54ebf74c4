"""Numbers of Radau IIA with three stages, order 5 ([STIFF] IV.5, IV.8)."""

from __future__ import annotations

import numpy as np

from supple.jit import inner

_ROOT = np.sqrt(6.0)

#: Times of the stages, in steps.
NODES = np.array([(4.0 - _ROOT) / 10.0, (4.0 + _ROOT) / 10.0, 1.0])

_A = np.array(
    [
        [(88.0 - 7.0 * _ROOT) / 360.0, (296.0 - 169.0 * _ROOT) / 1800.0, (-2.0 + 3.0 * _ROOT) / 225.0],
        [(296.0 + 169.0 * _ROOT) / 1800.0, (88.0 + 7.0 * _ROOT) / 360.0, (-2.0 - 3.0 * _ROOT) / 225.0],
        [(16.0 - _ROOT) / 36.0, (16.0 + _ROOT) / 36.0, 1.0 / 9.0],
    ]
)

#: W = A^-1: rates of stages from their increments, h Y'_i = sum W_ij (Y_j - y); and its square.
RATES = np.linalg.inv(_A)
SQUARES = RATES @ RATES

#: Weights of the increments of stages in the error of a step; that of y' at its beginning is one.
ERROR = np.array([-(13.0 + 7.0 * _ROOT) / 3.0, (-13.0 + 7.0 * _ROOT) / 3.0, -1.0 / 3.0])


def _eigenvalues() -> tuple[float, float, float, np.ndarray]:
    """W V = V diag(gamma, [[alpha, beta], [-beta, alpha]]), with real V."""
    values, vectors = np.linalg.eig(RATES)
    real = int(np.argmin(np.abs(values.imag)))
    pair = int(np.argmax(values.imag))
    u = vectors[:, pair] / vectors[2, pair]
    V = np.column_stack([vectors[:, real].real / vectors[2, real].real, u.real, u.imag])
    return float(values[real].real), float(values[pair].real), float(values[pair].imag), V


#: Eigenvalues gamma and alpha +- i beta of W; the changes from stages to its eigenvectors and back.
GAMMA, ALPHA, BETA, FROM_MODES = _eigenvalues()
TO_MODES = np.linalg.inv(FROM_MODES)


@inner
def node_polynomial(x, s, first):
    """l_s(x) = product over r != s of (x - x_r) / (x_s - x_r), nodes 0, c_1, c_2, 1 from the ``first`` on."""
    value, at = 1.0, 0.0 if s == 0 else NODES[s - 1]
    for r in range(first, 4):
        if r != s:
            other = 0.0 if r == 0 else NODES[r - 1]
            value *= (x - other) / (at - other)
    return value
