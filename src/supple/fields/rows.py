"""Arithmetic on rows of lanes: all that the interpreter and sums over points spend their time in.

Rows that are written overlap no others, which is what lets the compiler vectorise.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from supple.jit import leaf

U = np.uint64  # unsigned indices vectorise, see linalg.products

#: pi/2 in three parts, the first two of few digits: whole multiples of them, below 2^26, are exact.
_HALF_PI = Fraction("1.57079632679489661923132169163975144209858469968755")
_FIRST = Fraction(math.floor(_HALF_PI * 2**26), 2**26)
_SECOND = Fraction(math.floor((_HALF_PI - _FIRST) * 2**52), 2**52)
PI_1, PI_2, PI_3 = float(_FIRST), float(_SECOND), float(_HALF_PI - _FIRST - _SECOND)
TWO_OVER_PI = 2.0 / math.pi

#: Angles [rad] below which sines are exact to rounding.
FAR = 1e5


@leaf
def clear_row(out):
    """out = 0."""
    for k in range(U(out.shape[0])):
        out[k] = 0.0


@leaf
def copy_row(u, out):
    """out = u."""
    for k in range(U(out.shape[0])):
        out[k] = u[k]


@leaf
def add_row(u, out):
    """out += u."""
    for k in range(U(out.shape[0])):
        out[k] += u[k]


@leaf
def scale_row(scale, u, out):
    """out = scale u."""
    for k in range(U(out.shape[0])):
        out[k] = scale * u[k]


@leaf
def offset_row(offset, out):
    """out += offset."""
    for k in range(U(out.shape[0])):
        out[k] += offset


@leaf
def add_scaled_row(scale, u, out):
    """out += scale u."""
    for k in range(U(out.shape[0])):
        out[k] += scale * u[k]


@leaf
def gather_row(u, where, out):
    """out_k = u at where_k."""
    for k in range(U(out.shape[0])):
        out[k] = u[U(where[k])]


@leaf
def scatter_row(u, where, out):
    """out at where_k += u_k."""
    for k in range(U(where.shape[0])):
        out[U(where[k])] += u[k]


@leaf
def sum_rows(s, u, t, v, out):
    """out = s u + t v."""
    for k in range(U(out.shape[0])):
        out[k] = s * u[k] + t * v[k]


@leaf
def join_rows(s, w, t, u, v, out):
    """out = s w + t u v."""
    for k in range(U(out.shape[0])):
        out[k] = s * w[k] + t * u[k] * v[k]


@leaf
def join_rates(s, w1, w2, t, u, u1, u2, v, v1, v2, out1, out2):
    """out' and out'' of s w + t u v."""
    for k in range(U(out1.shape[0])):
        out1[k] = s * w1[k] + t * (u1[k] * v[k] + u[k] * v1[k])
        out2[k] = s * w2[k] + t * (u2[k] * v[k] + 2.0 * u1[k] * v1[k] + u[k] * v2[k])


@leaf
def join_steady_rates(s, w1, w2, t, u1, u2, v, out1, out2):
    """out' and out'' of s w + t u v, for a v that is the same at all times."""
    for k in range(U(out1.shape[0])):
        out1[k] = s * w1[k] + t * u1[k] * v[k]
        out2[k] = s * w2[k] + t * u2[k] * v[k]


@leaf
def multiply_rows(u, v, out):
    """out = u v."""
    for k in range(U(out.shape[0])):
        out[k] = u[k] * v[k]


@leaf
def add_product_row(u, v, out):
    """out += u v."""
    for k in range(U(out.shape[0])):
        out[k] += u[k] * v[k]


@leaf
def multiply_rates(u1, u2, v, out1, out2):
    """out' = u' v, out'' = u'' v, for a constant v."""
    for k in range(U(out1.shape[0])):
        out1[k] = u1[k] * v[k]
        out2[k] = u2[k] * v[k]


@leaf
def set_rates(u, u1, u2, v, v1, v2, out1, out2):
    """out' = u' v + u v', out'' = u'' v + 2 u' v' + u v''."""
    for k in range(U(out1.shape[0])):
        out1[k] = u1[k] * v[k] + u[k] * v1[k]
        out2[k] = u2[k] * v[k] + 2.0 * u1[k] * v1[k] + u[k] * v2[k]


@leaf
def function_rates(phi1, phi2, u1, u2, out1, out2):
    """out' = phi' u', out'' = phi'' u'^2 + phi' u''."""
    for k in range(U(out1.shape[0])):
        out1[k] = phi1[k] * u1[k]
        out2[k] = phi2[k] * u1[k] * u1[k] + phi1[k] * u2[k]


@leaf
def add_dot(m, a0, a1, a2, b0, b1, b2, out):
    """out += m (a . b)."""
    for k in range(U(out.shape[0])):
        out[k] += m[k] * (a0[k] * b0[k] + a1[k] * b1[k] + a2[k] * b2[k])


@leaf
def add_dot3(a0, a1, a2, b0, b1, b2, out):
    """out += a . b."""
    for k in range(U(out.shape[0])):
        out[k] += a0[k] * b0[k] + a1[k] * b1[k] + a2[k] * b2[k]


@leaf
def add_two_dots(a0, a1, a2, b0, b1, b2, c0, c1, c2, out, other):
    """out += 2 a . b, other += a . c."""
    for k in range(U(out.shape[0])):
        out[k] += 2.0 * (a0[k] * b0[k] + a1[k] * b1[k] + a2[k] * b2[k])
        other[k] += a0[k] * c0[k] + a1[k] * c1[k] + a2[k] * c2[k]


@leaf
def add_moment(scale, m, a0, a1, a2, b0, b1, b2, out0, out1, out2):
    """out (three rows) += scale m a x b."""
    for k in range(U(out0.shape[0])):
        w = scale * m[k]
        out0[k] += w * (a1[k] * b2[k] - a2[k] * b1[k])
        out1[k] += w * (a2[k] * b0[k] - a0[k] * b2[k])
        out2[k] += w * (a0[k] * b1[k] - a1[k] * b0[k])


@leaf
def add_force(scale, m, b0, b1, b2, out0, out1, out2):
    """out (three rows) += scale m b."""
    for k in range(U(out0.shape[0])):
        w = scale * m[k]
        out0[k] += w * b0[k]
        out1[k] += w * b1[k]
        out2[k] += w * b2[k]


@leaf
def turn_rates(w0, w1, w2, e0, e1, e2, a, b, c, da, db, dc, dda, ddb, ddc):
    """c' += w x c, then c'' += w x (c'_before + c'_after) + e x c, in place (`fields.mass`)."""
    for k in range(U(a.shape[0])):
        r0 = da[k] + w1 * c[k] - w2 * b[k]
        r1 = db[k] + w2 * a[k] - w0 * c[k]
        r2 = dc[k] + w0 * b[k] - w1 * a[k]
        s0, s1, s2 = da[k] + r0, db[k] + r1, dc[k] + r2
        dda[k] += w1 * s2 - w2 * s1 + e1 * c[k] - e2 * b[k]
        ddb[k] += w2 * s0 - w0 * s2 + e2 * a[k] - e0 * c[k]
        ddc[k] += w0 * s1 - w1 * s0 + e0 * b[k] - e1 * a[k]
        da[k], db[k], dc[k] = r0, r1, r2


@leaf
def all_below(u, most):
    """Whether all |u| are below a number; NaN is not."""
    below = True
    for k in range(U(u.shape[0])):
        below = below and abs(u[k]) < most
    return below


@leaf
def sine_rows(u, sine, cosine, minus_sine, minus_cosine):
    """sin(u) and cos(u), |u| < FAR, and both with the other sign.

    u is a whole number of quarter turns and a rest below pi/4, for which Taylor's series to r^17 are exact to rounding.
    """
    for k in range(U(sine.shape[0])):
        x = u[k]
        turns = np.floor(x * TWO_OVER_PI + 0.5)
        r = ((x - turns * PI_1) - turns * PI_2) - turns * PI_3
        quarter = turns - 4.0 * np.floor(0.25 * turns)
        z = r * r
        s = 1.0 - z * (1.0 / 272.0)
        s = 1.0 - z * (1.0 / 210.0) * s
        s = 1.0 - z * (1.0 / 156.0) * s
        s = 1.0 - z * (1.0 / 110.0) * s
        s = 1.0 - z * (1.0 / 72.0) * s
        s = 1.0 - z * (1.0 / 42.0) * s
        s = 1.0 - z * (1.0 / 20.0) * s
        s = r - r * (z * (1.0 / 6.0) * s)
        c = 1.0 - z * (1.0 / 240.0)
        c = 1.0 - z * (1.0 / 182.0) * c
        c = 1.0 - z * (1.0 / 132.0) * c
        c = 1.0 - z * (1.0 / 90.0) * c
        c = 1.0 - z * (1.0 / 56.0) * c
        c = 1.0 - z * (1.0 / 30.0) * c
        c = 1.0 - z * (1.0 / 12.0) * c
        c = 1.0 - z * (1.0 / 2.0) * c
        odd = quarter in (1.0, 3.0)
        a, b = (c, s) if odd else (s, c)
        a = -a if quarter >= 2.0 else a
        b = -b if quarter in (1.0, 2.0) else b
        sine[k], cosine[k], minus_sine[k], minus_cosine[k] = a, b, -a, -b


@leaf
def root_rows(u, y, phi1, phi2, phi3):
    """y = sqrt(u), y' = 1 / (2 y), y'' = -1 / (4 u y), y''' = 3 / (8 u^2 y); NaN for negative u."""
    for k in range(U(y.shape[0])):
        s = np.sqrt(u[k])
        r = 1.0 / u[k]
        d = 0.5 * s * r
        y[k], phi1[k], phi2[k], phi3[k] = s, d, -0.5 * d * r, 0.75 * d * r * r


@leaf
def reciprocal_rows(u, y, phi1, phi2, phi3):
    """y = 1 / u, y' = -y^2, y'' = 2 y^3, y''' = -6 y^4."""
    for k in range(U(y.shape[0])):
        r = 1.0 / u[k]
        y[k], phi1[k], phi2[k], phi3[k] = r, -r * r, 2.0 * r * r * r, -6.0 * r * r * r * r
