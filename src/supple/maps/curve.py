"""A frame along a cumulative cubic B-spline of frames in SE(3) ([REDMAX] 2.4, algorithm 3).

With frames C_0, C_1, ... and steps d_i = log(C_{i-1}^-1 C_i), the piece k, u = q - k, is

    g = C_k exp(b_1(u) d_{k+1}) exp(b_2(u) d_{k+2}) exp(b_3(u) d_{k+3}),
    b_1 = (5 + 3 u - 3 u^2 + u^3) / 6,    b_2 = (1 + 3 u + 3 u^2 - 2 u^3) / 6,    b_3 = u^3 / 6,

twice continuously differentiable in q from piece to piece.  From the last factor to the first, S grows as

    Z = b' d + Ad_E Y,      E = exp(b d),
    Z' = b'' d + Ad_E (Y' + b' ad_d Y),      Z'' = b''' d + Ad_E (Y'' + 2 b' ad_d Y' + b'' ad_d Y + b'^2 ad_d ad_d Y),

since ad_d commutes with Ad_E; then S = Ad_{C_k} Z, with its two derivatives by q.
"""

from __future__ import annotations

import math

from supple.core.arrays import floats, handle_at, integers, poses, vector_at
from supple.core.blocks.custom import results_at
from supple.jit import MapKernel, inner, local_array
from supple.lie.se3 import Ad, add_ad, compose, exp

_twist, _jet, _weights = local_array(6), local_array(3, 6), local_array(3, 4)
_rotation, _position = local_array(3, 3), local_array(3)


@inner
def blend(u, b):
    """b (3, 4): b_1 = (5 + 3 u - 3 u^2 + u^3) / 6, b_2 = (1 + 3 u + 3 u^2 - 2 u^3) / 6, b_3 = u^3 / 6.

    Each with three derivatives.
    """
    b[0, 0], b[0, 1] = (5.0 + u * (3.0 + u * (u - 3.0))) / 6.0, (1.0 + u * (u - 2.0)) / 2.0
    b[0, 2], b[0, 3] = u - 1.0, 1.0
    b[1, 0], b[1, 1] = (1.0 + u * (3.0 + u * (3.0 - 2.0 * u))) / 6.0, (1.0 + u * (2.0 - 2.0 * u)) / 2.0
    b[1, 2], b[1, 3] = 1.0 - 2.0 * u, -2.0
    b[2, 0], b[2, 1], b[2, 2], b[2, 3] = u * u * u / 6.0, u * u / 2.0, u, 1.0


@inner
def add_factor(d, b, R, p, Y):
    """Y (3, 6), the twist of what follows with its two derivatives by q, becomes that with exp(b d) before it.

    (R, p) = exp(b d); b (4,) has three derivatives.
    """
    P, x, y = _jet(), _twist(), _twist()
    for k in range(6):
        P[0, k], P[1, k], P[2, k], x[k], y[k] = Y[0, k], Y[1, k], Y[2, k], 0.0, 0.0
    add_ad(d, Y[0], x)
    for k in range(6):
        P[1, k] += b[1] * x[k]
        P[2, k] += b[2] * x[k]
    add_ad(d, x, y)
    for k in range(6):
        P[2, k] += b[1] * b[1] * y[k]
        x[k] = 0.0
    add_ad(d, Y[1], x)
    for k in range(6):
        P[2, k] += 2.0 * b[1] * x[k]
    for m in range(3):
        Ad(R, p, P[m], x)
        for k in range(6):
            Y[m, k] = b[m + 1] * d[k] + x[k]


def _curve(data, n, q, v, order, results):
    """Data: frames C (m,), steps d (m, 6), d[i] leading to C[i], and whether the curve is closed (1, 1)."""
    h, g = handle_at(data, 3), results_at(results, n)
    frames, steps, cyclic = poses(h, 0), floats(h, 1), integers(h, 2)[0, 0]
    x, rate, m = vector_at(q, (n,))[0], vector_at(v, (n,))[0], frames.shape[0]
    R, p, E, e, W, w = _rotation(), _position(), _rotation(), _position(), _rotation(), _position()
    Y, b, step, out = _jet(), _weights(), _twist(), _twist()
    if not math.isfinite(x):
        x = math.nan
        k = 0
    else:
        k = math.floor(x)
        if cyclic == 0:
            k = min(max(k, 0), m - 4)  # the first and the last piece go on beyond the ends
    blend(x - k, b)
    first = int(k % m)
    for i in range(3):
        W[i, 0], W[i, 1], W[i, 2], w[i] = 0.0, 0.0, 0.0, 0.0
        W[i, i] = 1.0
    for j in range(3):
        for i in range(6):
            Y[j, i] = 0.0
    for i in range(2, -1, -1):
        d = steps[(first + i + 1) % m]
        for j in range(6):
            step[j] = b[i, 0] * d[j]
        exp(step, E, e)
        add_factor(d, b[i], E, e, Y)
        compose(E, e, W, w, R, p)
        for j in range(3):
            W[j, 0], W[j, 1], W[j, 2], w[j] = R[j, 0], R[j, 1], R[j, 2], p[j]
    start = frames[first]
    compose(start.R, start.p, W, w, g.R, g.p)
    for j in range(3):
        Ad(start.R, start.p, Y[j], out)
        for i in range(6):
            if j == 0:
                g.S[i, 0] = out[i]
            elif j == 1 and order >= 1:
                g.dS[0, i, 0] = out[i]
            elif j == 2 and order == 2:
                g.ddS[i, 0] = out[i] * rate * rate


CURVE = MapKernel(_curve)
