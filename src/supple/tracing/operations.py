"""What a traced program may do to numbers: its operations, by NumPy on whole arrays, and their slopes as programs.

`supple.fields.interpreter` does the same on truncated Taylor series; the codes below are what it reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

#: Codes of operations with two arguments; a quotient becomes a product with a power of -1.
ADD, SUBTRACT, MULTIPLY, DIVIDE = 0, 1, 2, 3
#: Codes of operations with one; POWER, BESSEL and ROOTED have a constant as
#: second argument: the exponent, the order k.
NEGATIVE, SIN, COS, TAN, EXP, LOG, SQRT, TANH, SINH, COSH = 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
ARCSIN, ARCCOS, ARCTAN, POWER, ABSOLUTE, BESSEL, ROOTED = 14, 15, 16, 17, 18, 19, 20
#: Those that only material coordinates may go through, and which are therefore tabulated, never interpreted.
LESS, LESS_EQUAL, WHERE, ARCTAN2, SIGN = 21, 22, 23, 24, 25

#: The first code that may not depend on coordinates q.
TABULATED = LESS


def bessel(x: Any, order: Any) -> Any:
    """g_k(x) = j_k(x)/x^k with the spherical Bessel functions j_k: g_0 = sin(x)/x, and dg_k/dx = -x g_(k+1).

    By its series for |x| < 4, by upward recursion beyond.
    """
    x, k = np.asarray(x, dtype=float), int(np.max(order))
    square, near = x * x, np.abs(x) < 4.0
    close = _bessel_series(np.where(near, square, 0.0), k)
    if near.all():
        return close
    far = np.where(near, 4.0, x)
    below, value = np.cos(far), np.sin(far) / far  # g_-1 = cos x, since g_1 = (g_0 - g_-1)/x^2
    for i in range(k):
        below, value = value, ((2 * i + 1) * value - below) / far**2
    return np.where(near, close, value)


def rooted(x: Any, order: Any) -> Any:
    """h_k(x) = g_k(sqrt(x)), regular at 0: dh_k/dx = -h_(k+1) / 2; the same series for negative x."""
    x = np.asarray(x, dtype=float)
    near = x < 1.0
    series = _bessel_series(np.where(near, x, 0.0), int(np.max(order)))
    return np.where(near, series, bessel(np.sqrt(np.where(near, 1.0, x)), order))


def _bessel_series(square: Any, k: int) -> Any:
    """Sum over m of (-x^2/2)^m / (m! (2k + 2m + 1)!!)."""
    term = np.ones_like(square) / np.prod(np.arange(1.0, 2 * k + 2, 2.0))
    total = term.copy()
    largest = 0.5 * float(np.max(np.abs(square), initial=0.0))
    size = float(np.max(np.abs(term), initial=0.0))
    for m in range(1, 40):
        term = term * (-0.5 * square) / (m * (2 * k + 2 * m + 1))
        total = total + term
        size *= largest / (m * (2 * k + 2 * m + 1))
        if size < 1e-25:  # beyond all digits of what may cancel, and so are the terms behind it
            break
    return total


#: Operations on arrays of floats.
EVALUATE: dict[int, Callable[..., Any]] = {
    ADD: np.add,
    SUBTRACT: np.subtract,
    MULTIPLY: np.multiply,
    DIVIDE: np.divide,
    NEGATIVE: np.negative,
    SIN: np.sin,
    COS: np.cos,
    TAN: np.tan,
    EXP: np.exp,
    LOG: np.log,
    SQRT: np.sqrt,
    TANH: np.tanh,
    SINH: np.sinh,
    COSH: np.cosh,
    ARCSIN: np.arcsin,
    ARCCOS: np.arccos,
    ARCTAN: np.arctan,
    POWER: np.power,
    ABSOLUTE: np.abs,
    BESSEL: bessel,
    ROOTED: rooted,
    LESS: lambda a, b: np.less(a, b).astype(float),
    LESS_EQUAL: lambda a, b: np.less_equal(a, b).astype(float),
    WHERE: lambda c, a, b: np.where(c != 0.0, a, b),
    ARCTAN2: np.arctan2,
    SIGN: np.sign,
}
