"""Functions that programs may call, with their first three derivatives, over rows of lanes and at single numbers."""

from __future__ import annotations

import math

import numpy as np

from supple.fields.rows import FAR, all_below, reciprocal_rows, root_rows, sine_rows
from supple.jit import inner, local_array
from supple.tracing.operations import (
    ABSOLUTE,
    ARCSIN,
    ARCTAN,
    BESSEL,
    COS,
    COSH,
    EXP,
    LOG,
    NEGATIVE,
    POWER,
    ROOTED,
    SIN,
    SINH,
    SQRT,
    TAN,
    TANH,
)

#: Orders of Bessel functions that programs may have (of kinematics 0, of their gradients 1, 2), and terms of series.
ORDERS, TERMS = 8, 9


def _bessel_series() -> np.ndarray:
    """Coefficients (ORDERS, TERMS) of g_k(x) in powers of x^2: (-1/2)^m / (m! (2k + 2m + 1)!!)."""
    table = np.zeros((ORDERS, TERMS))
    for k in range(ORDERS):
        table[k, 0] = 1.0 / np.prod(np.arange(1.0, 2 * k + 2, 2.0))
        for m in range(1, TERMS):
            table[k, m] = -0.5 * table[k, m - 1] / (m * (2 * k + 2 * m + 1))
    return table


_SERIES = _bessel_series()

_bessel, _phi = local_array(4), local_array(4)


@inner
def function_values(code, c, lanes, u, y, phi1, phi2, phi3):
    """phi(u) and its three derivatives in all lanes."""
    phi = _phi()
    if code == SIN and all_below(u, FAR):
        sine_rows(u, y, phi1, phi2, phi3)
        return
    if code == SQRT:
        root_rows(u, y, phi1, phi2, phi3)
        return
    if code == POWER and c == -1.0:
        reciprocal_rows(u, y, phi1, phi2, phi3)
        return
    for k in range(lanes):
        function_at(code, c, u[k], phi)
        y[k], phi1[k], phi2[k], phi3[k] = phi[0], phi[1], phi[2], phi[3]


@inner
def function_at(code, c, x, phi):
    """phi (4,) = a function and its three derivatives at x."""
    if code in (SIN, COS):
        s, t = math.sin(x), math.cos(x)
        if code == SIN:
            phi[0], phi[1], phi[2], phi[3] = s, t, -s, -t
        else:
            phi[0], phi[1], phi[2], phi[3] = t, -s, -t, s
    elif code == NEGATIVE:
        phi[0], phi[1], phi[2], phi[3] = -x, -1.0, 0.0, 0.0
    elif code == EXP:
        s = math.exp(x)
        phi[0], phi[1], phi[2], phi[3] = s, s, s, s
    elif code == LOG:
        phi[0], phi[1], phi[2], phi[3] = math.log(x) if x > 0.0 else math.nan, 1.0 / x, -1.0 / x**2, 2.0 / x**3
    elif code == POWER:
        power_at(c, x, phi)
    elif code == BESSEL:
        bessel_at(c, x, phi)
    elif code == ROOTED:
        rooted_at(c, x, phi)
    elif code == ABSOLUTE:
        s = 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0
        phi[0], phi[1], phi[2], phi[3] = abs(x), s, 0.0, 0.0
    else:
        further_function_at(code, x, phi)


@inner
def further_function_at(code, x, phi):
    """phi = (f, f', f'', f''') at x of tan, tanh, sinh, cosh, arctan, arcsin, arccos.

    tan' = 1 + tan^2, tanh' = 1 - tanh^2, arctan' = 1 / (1 + x^2), arcsin' = -arccos' = 1 / sqrt(1 - x^2).
    """
    if code == TAN:
        t = math.tan(x)
        d = 1.0 + t * t
        phi[0], phi[1], phi[2], phi[3] = t, d, 2.0 * t * d, 2.0 * d * (d + 2.0 * t * t)
    elif code == TANH:
        t = math.tanh(x)
        d = 1.0 - t * t
        phi[0], phi[1], phi[2], phi[3] = t, d, -2.0 * t * d, 2.0 * d * (2.0 * t * t - d)
    elif code in (SINH, COSH):
        s, t = math.sinh(x), math.cosh(x)
        if code == SINH:
            phi[0], phi[1], phi[2], phi[3] = s, t, s, t
        else:
            phi[0], phi[1], phi[2], phi[3] = t, s, t, s
    elif code == ARCTAN:
        d = 1.0 / (1.0 + x * x)
        phi[0], phi[1], phi[2], phi[3] = math.atan(x), d, -2.0 * x * d * d, (6.0 * x * x - 2.0) * d**3
    else:
        inside = abs(x) <= 1.0
        sign = 1.0 if code == ARCSIN else -1.0
        angle = math.asin(x) if inside else math.nan
        d = 1.0 / math.sqrt(1.0 - x * x) if abs(x) < 1.0 else math.nan
        phi[0] = angle if code == ARCSIN else 0.5 * math.pi - angle
        phi[1], phi[2], phi[3] = sign * d, sign * x * d**3, sign * (1.0 + 2.0 * x * x) * d**5


@inner
def power_at(c, x, phi):
    """x^c and its derivatives."""
    whole = c == math.floor(c)
    if x == 0.0 or (whole and c >= 3.0):
        phi[3] = c * (c - 1.0) * (c - 2.0) * x ** (c - 3.0)
        phi[0], phi[1], phi[2] = x**c, c * x ** (c - 1.0), c * (c - 1.0) * x ** (c - 2.0)
        return
    r, s = 1.0 / x, x**c if whole or x > 0.0 else math.nan
    phi[0], phi[1], phi[2] = s, c * s * r, c * (c - 1.0) * s * r * r
    phi[3] = c * (c - 1.0) * (c - 2.0) * s * r * r * r


@inner
def bessel_at(c, x, phi):
    """g_k and its derivatives, k = c (`supple.tracing.operations.bessel`): g_k' = -x g_(k+1)."""
    square, g = x * x, _bessel()
    bessel_orders(int(c), x, square, g)
    phi[0], phi[1], phi[2] = g[0], -x * g[1], square * g[2] - g[1]
    phi[3] = x * (3.0 * g[2] - square * g[3])


@inner
def rooted_at(c, x, phi):
    """h_k(x) = g_k(sqrt(x)) and its derivatives, k = c: h_k' = -h_(k+1) / 2."""
    g = _bessel()
    bessel_orders(int(c), math.sqrt(x) if x >= 1.0 else 0.0, x, g)
    phi[0], phi[1], phi[2], phi[3] = g[0], -0.5 * g[1], 0.25 * g[2], -0.125 * g[3]


@inner
def bessel_orders(order, x, square, g):
    """g (4,) = g_k(x) of four orders from ``order`` on; ``square`` is x^2."""
    if square < 1.0:  # the two highest orders by their series, the others downward
        for i in range(2, 4):
            total = _SERIES[order + i, TERMS - 1]
            for m in range(TERMS - 2, -1, -1):
                total = total * square + _SERIES[order + i, m]
            g[i] = total
        for i in range(1, -1, -1):
            g[i] = (2 * (order + i) + 3) * g[i + 1] - square * g[i + 2]
    else:
        below, value, r = math.cos(x), math.sin(x) / x, 1.0 / square
        for i in range(order + 4):
            if i >= order:
                g[i - order] = value
            below, value = value, ((2 * i + 1) * value - below) * r
