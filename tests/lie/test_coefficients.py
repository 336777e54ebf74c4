"""The scalar coefficients of the exponential map, against 50 digits, on both sides of their one switch."""

import math
from functools import cache

import mpmath
import numba
import numpy as np
import pytest

from supple.lie import coefficients
from supple.lie.coefficients import SERIES_LIMIT

ABSOLUTE = 1e-15

#: Angles of [0, 2 pi): zero, subnormal, tiny, evenly spread, close to the end.
ANGLES = [0.0, 5e-324, 1e-160, *np.logspace(-15, -1, 57), *np.linspace(0.0, 2.0 * math.pi, 801)[1:-1], 6.283185]


# Inner functions are for use inside kernels; these are the entries from Python.


@numba.njit
def stumpff(x):
    return coefficients.stumpff(x)


@numba.njit
def stumpff_exponential(x):
    return coefficients.stumpff_exponential(x)


@numba.njit
def tangent_coefficients(x, c):
    coefficients.tangent_coefficients(x, c)


def just_about(x):
    """The floats around x = theta^2, where the series hands over to sine and cosine."""
    below = above = x
    found = [x]
    for _ in range(4):
        below, above = math.nextafter(below, 0.0), math.nextafter(above, math.inf)
        found += [below, above]
    return found + [x * (1.0 + e) for e in (-1e-3, -1e-6, 1e-6, 1e-3)]


SQUARES = [angle * angle for angle in ANGLES] + just_about(SERIES_LIMIT)


@cache
def series(k, m):
    """Coefficients of the m-th derivative of c_k(x) = sum_j (-x)^j / (2 j + k)!, highest power first."""
    with mpmath.workdps(60):
        factorial = [mpmath.factorial(j) for j in range(140)]
        terms = [(-1) ** j * factorial[j] / (factorial[j - m] * factorial[2 * j + k]) for j in range(m, 60)]
        return terms[::-1]


def exact(k, m, x):
    """The m-th derivative of c_k at x, in more than 50 digits."""
    with mpmath.workdps(60):
        x, total = mpmath.mpf(x), mpmath.mpf(0)
        for term in series(k, m):
            total = total * x + term
        return total


def error(value, reference):
    with mpmath.workdps(60):
        return float(abs(mpmath.mpf(value) - reference))


@pytest.mark.parametrize("k", range(1, 10))
def test_stumpff_functions(k):
    """c_1 .. c_9."""
    worst = max((error(stumpff(x)[k - 1], exact(k, 0, x)), x) for x in SQUARES)
    assert worst[0] <= ABSOLUTE, f"at x = {worst[1]!r}"


@pytest.mark.parametrize("k", [1, 2, 3])
def test_stumpff_functions_of_the_exponential(k):
    """The three that exp needs, on their own shorter way."""
    worst = max((error(stumpff_exponential(x)[k - 1], exact(k, 0, x)), x) for x in SQUARES)
    assert worst[0] <= ABSOLUTE, f"at x = {worst[1]!r}"


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("m", [0, 1, 2, 3])
def test_derivatives_of_the_tangent_coefficients(k, m):
    """Value and three derivatives of c_1, c_2, c_3 by x = theta^2."""
    c, worst = np.empty((4, 3)), (0.0, 0.0)
    for x in SQUARES:
        tangent_coefficients(x, c)
        worst = max(worst, (error(c[m, k - 1], exact(k, m, x)), x))
    assert worst[0] <= ABSOLUTE, f"at x = {worst[1]!r}"


@pytest.mark.parametrize("x", [50.0, 200.0, 1e4, 1e8])
def test_angles_of_many_turns(x):
    """Revolute joints may turn on: beyond 2 pi the closed forms stay accurate."""
    with mpmath.workdps(60):
        theta = mpmath.sqrt(mpmath.mpf(x))
        c1, c2 = mpmath.sin(theta) / theta, (1 - mpmath.cos(theta)) / mpmath.mpf(x)
        values = [c1, c2, (1 - c1) / mpmath.mpf(x), (mpmath.mpf("0.5") - c2) / mpmath.mpf(x)]
    for found, value in zip(stumpff(x), values, strict=False):
        assert error(found, value) <= ABSOLUTE
    for found, value in zip(stumpff_exponential(x), values, strict=False):
        assert error(found, value) <= ABSOLUTE


def test_values_at_zero_are_inverse_factorials():
    assert stumpff(0.0) == pytest.approx([1.0 / math.factorial(k) for k in range(1, 10)], rel=1e-16)


@pytest.mark.parametrize("x", [math.nan, math.inf])
def test_bad_angles_come_out_as_nan(x):
    """Kernels report what is not finite; nothing is swallowed on the way."""
    assert all(math.isnan(c) for c in stumpff(x)[:1])
    assert any(math.isnan(c) for c in stumpff_exponential(x))
