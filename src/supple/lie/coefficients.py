"""Scalar coefficients of the exponential map: Stumpff functions, the only threshold of the library.

Every coefficient of exp, of the tangent operator T and of its derivatives is a Stumpff function

    c_k(x) = sum_j (-x)^j / (2 j + k)!,        x = theta^2,

(c_0 = cos theta, c_1 = sin theta / theta, c_2 = (1 - cos theta) / theta^2, ...) with the two recursions

    c_k = 1/k! - x c_{k+2},                     dc_k/dx = (k c_{k+2} - c_{k+1}) / 2.

They replace f_1 .. f_4, their derivatives and all divisions by theta of [GVS-AD] appendix A and C, whose closed
forms lose all digits at the small angles where rod segments live.  Below `SERIES_LIMIT` the two highest functions
come from their series and the others by downward recursion (which damps errors), above from sine and cosine
by upward recursion (which divides errors by x at each step).
"""

from __future__ import annotations

import math

import numpy as np

from supple.jit import all_below, any_below, blend, cosine, inlined, inner, root, sine

#: x = theta^2 at which the series hands over to sine and cosine.
SERIES_LIMIT = 2.0

_INVERSE_FACTORIAL = np.array([1.0 / math.factorial(k) for k in range(32)])


@inlined
def _stumpff_series(x, k, terms):
    """c_k(x) = sum over j < terms of (-x)^j / (2 j + k)!, by Horner's scheme."""
    c = _INVERSE_FACTORIAL[k + 2 * (terms - 1)]
    for j in range(terms - 2, -1, -1):
        c = _INVERSE_FACTORIAL[k + 2 * j] - x * c
    return c


@inlined
def stumpff_exponential(x):
    """c_1, c_2, c_3 at x = theta^2 >= 0: all that exp needs."""
    if all_below(x, SERIES_LIMIT):
        return exponential_series(x)
    far = blend(x, SERIES_LIMIT, SERIES_LIMIT, x)
    theta = root(far)
    c1 = sine(theta) / theta
    c2 = (1.0 - cosine(theta)) / far
    c3 = (1.0 - c1) / far
    if any_below(x, SERIES_LIMIT):  # of several numbers some are small
        n1, n2, n3 = exponential_series(blend(x, SERIES_LIMIT, x, SERIES_LIMIT))
        c1, c2, c3 = blend(x, SERIES_LIMIT, n1, c1), blend(x, SERIES_LIMIT, n2, c2), blend(x, SERIES_LIMIT, n3, c3)
    return c1, c2, c3


@inlined
def exponential_series(x):
    """c_1 = 1 - x c_3, c_2, c_3 below `SERIES_LIMIT`."""
    c3 = _stumpff_series(x, 3, 10)
    c2 = _stumpff_series(x, 2, 10)
    return 1.0 - x * c3, c2, c3


@inlined
def stumpff_upward(x):
    """c_1 .. c_9 above `SERIES_LIMIT`: c_k+2 = (1/k! - c_k) / x."""
    theta = root(x)
    y = 1.0 / x
    c1 = sine(theta) / theta
    c2 = (1.0 - cosine(theta)) * y
    c3 = (1.0 - c1) * y
    c4 = (0.5 - c2) * y
    c5 = (1.0 / 6.0 - c3) * y
    c6 = (1.0 / 24.0 - c4) * y
    c7 = (1.0 / 120.0 - c5) * y
    c8 = (1.0 / 720.0 - c6) * y
    c9 = (1.0 / 5040.0 - c7) * y
    return c1, c2, c3, c4, c5, c6, c7, c8, c9


@inlined
def stumpff_downward(x):
    """c_1 .. c_9 below `SERIES_LIMIT`: c_k = 1/k! - x c_k+2."""
    c9 = _stumpff_series(x, 9, 9)
    c8 = _stumpff_series(x, 8, 9)
    c7 = 1.0 / 5040.0 - x * c9
    c6 = 1.0 / 720.0 - x * c8
    c5 = 1.0 / 120.0 - x * c7
    c4 = 1.0 / 24.0 - x * c6
    c3 = 1.0 / 6.0 - x * c5
    c2 = 0.5 - x * c4
    c1 = 1.0 - x * c3
    return c1, c2, c3, c4, c5, c6, c7, c8, c9


@inlined
def stumpff(x):
    """c_1 .. c_9 at x = theta^2 >= 0: what T and three derivatives of it need."""
    if all_below(x, SERIES_LIMIT):
        return stumpff_downward(x)
    c1, c2, c3, c4, c5, c6, c7, c8, c9 = stumpff_upward(blend(x, SERIES_LIMIT, SERIES_LIMIT, x))
    if any_below(x, SERIES_LIMIT):  # of several numbers some are small
        n1, n2, n3, n4, n5, n6, n7, n8, n9 = stumpff_downward(blend(x, SERIES_LIMIT, x, SERIES_LIMIT))
        c1, c2, c3 = blend(x, SERIES_LIMIT, n1, c1), blend(x, SERIES_LIMIT, n2, c2), blend(x, SERIES_LIMIT, n3, c3)
        c4, c5, c6 = blend(x, SERIES_LIMIT, n4, c4), blend(x, SERIES_LIMIT, n5, c5), blend(x, SERIES_LIMIT, n6, c6)
        c7, c8, c9 = blend(x, SERIES_LIMIT, n7, c7), blend(x, SERIES_LIMIT, n8, c8), blend(x, SERIES_LIMIT, n9, c9)
    return c1, c2, c3, c4, c5, c6, c7, c8, c9


@inner
def tangent_coefficients(x, c):
    """Value and three x-derivatives of c_1, c_2, c_3, the coefficients of the tangent operator.

    Parameters
    ----------
    x : float
        theta^2.
    c : array, shape (4, 3), output
        ``c[m, k-1]`` is the m-th derivative of c_k by x, from dc_k/dx = (k c_{k+2} - c_{k+1}) / 2.
    """
    c1, c2, c3, c4, c5, c6, c7, c8, c9 = stumpff(x)
    d1, d2, d3 = 0.5 * (c3 - c2), 0.5 * (2.0 * c4 - c3), 0.5 * (3.0 * c5 - c4)
    d4, d5 = 0.5 * (4.0 * c6 - c5), 0.5 * (5.0 * c7 - c6)
    d6, d7 = 0.5 * (6.0 * c8 - c7), 0.5 * (7.0 * c9 - c8)
    e1, e2, e3 = 0.5 * (d3 - d2), 0.5 * (2.0 * d4 - d3), 0.5 * (3.0 * d5 - d4)
    e4, e5 = 0.5 * (4.0 * d6 - d5), 0.5 * (5.0 * d7 - d6)
    c[0, 0], c[0, 1], c[0, 2] = c1, c2, c3
    c[1, 0], c[1, 1], c[1, 2] = d1, d2, d3
    c[2, 0], c[2, 1], c[2, 2] = e1, e2, e3
    c[3, 0], c[3, 1], c[3, 2] = 0.5 * (e3 - e2), 0.5 * (2.0 * e4 - e3), 0.5 * (3.0 * e5 - e4)
