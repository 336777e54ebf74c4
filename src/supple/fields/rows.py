"""Arithmetic on rows of lanes: all that the interpreter and sums over points spend their time in.

Rows that are written overlap no others, which is what lets the compiler vectorise.
"""

from __future__ import annotations

import numpy as np

from supple.jit import leaf

U = np.uint64  # unsigned indices vectorise, see linalg.products


@leaf
def clear_row(out):
    """out = 0."""
    for k in range(U(out.shape[0])):
        out[k] = 0.0


@leaf
def scale_row(scale, u, out):
    """out = scale u."""
    for k in range(U(out.shape[0])):
        out[k] = scale * u[k]


@leaf
def add_scaled_row(scale, u, out):
    """out += scale u."""
    for k in range(U(out.shape[0])):
        out[k] += scale * u[k]


@leaf
def combine_rows(u, scale, v, out):
    """out = u + scale v."""
    for k in range(U(out.shape[0])):
        out[k] = u[k] + scale * v[k]


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
def multiply_rates(u, u1, u2, v, out1, out2):
    """out' = u' v, out'' = u'' v, for a constant v."""
    for k in range(U(out1.shape[0])):
        out1[k] = u1[k] * v[k]
        out2[k] = u2[k] * v[k]


@leaf
def add_rates(u, u1, u2, v, v1, v2, out1, out2):
    """out' += u' v + u v', out'' += u'' v + 2 u' v' + u v''."""
    for k in range(U(out1.shape[0])):
        out1[k] += u1[k] * v[k] + u[k] * v1[k]
        out2[k] += u2[k] * v[k] + 2.0 * u1[k] * v1[k] + u[k] * v2[k]


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
def function_steps(phi2, u1, u2, bend, turn):
    """``bend``: phi''' becomes phi''' u'^2 + phi'' u''; turn = 2 phi'' u'."""
    for k in range(U(turn.shape[0])):
        turn[k] = 2.0 * phi2[k] * u1[k]
        bend[k] = bend[k] * u1[k] * u1[k] + phi2[k] * u2[k]


@leaf
def function_slopes(phi1, turn, bend, u, u1, u2, out1, out2):
    """out' and out'' of phi' u, u a derivative by a coordinate."""
    for k in range(U(out1.shape[0])):
        out1[k] = phi1[k] * u1[k] + 0.5 * turn[k] * u[k]
        out2[k] = phi1[k] * u2[k] + turn[k] * u1[k] + bend[k] * u[k]


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
