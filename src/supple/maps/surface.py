"""A frame on a surface: six uniform cubic B-spline functions of two coordinates ([REDMAX] 2.4, algorithm 4).

    f_m(q) = B(u_1)^T C_m B(u_2),    g = Trans(f_0, f_1, f_2) Rx(f_3) Ry(f_4) Rz(f_5),

with the 4 x 4 patch C_m of control values that belongs to the pieces of q_1 (rows) and q_2 (columns), u = q - piece.
A rate of f turns the frame by w = a_3 f_3' + a_4 f_4' + a_5 f_5', a_3 = x, a_4 = Rx y, a_5 = Rx Ry z, and S_j is
[w_j; dp/dq_j - w_j x p].  Along a line q + e d everything has two derivatives by e,

    a_4' = f_3' x x a_4,    a_5' = W x a_5,    W = f_3' x + f_4' a_4,    and so on,

from which d = e_k gives dS/dq_k and d = v the second derivative along v.
"""

from __future__ import annotations

import math

from supple.core.arrays import floats, handle_at, vector_at
from supple.core.blocks.custom import results_at
from supple.jit import MapKernel, inner, local_array
from supple.lie.se3 import exp

_weights, _values, _axes, _vector = local_array(2, 4, 4), local_array(6, 10), local_array(3, 3, 3), local_array(3)
_line, _columns, _twist = local_array(6, 3), local_array(6, 2, 3), local_array(6)
_rotation, _turns = local_array(3, 3), local_array(3, 3)

#: Columns of the values: f, then its derivatives by (q_1, q_2) of total order one to three.
VALUE, FIRST, SECOND, THIRD = 0, 1, 3, 6
# FIRST + j: by q_j;  SECOND + (number of q_2 in 11, 12, 22);  THIRD + (number of q_2 in 111, 112, 122, 222)


@inner
def basis(u, B):
    """B (4, 4), rows of three derivatives: (1 - u)^3, 4 - 6 u^2 + 3 u^3, 1 + 3 u + 3 u^2 - 3 u^3, u^3, each over 6."""
    w = 1.0 - u
    B[0, 0], B[0, 1] = w * w * w / 6.0, (4.0 + u * u * (3.0 * u - 6.0)) / 6.0
    B[0, 2], B[0, 3] = (1.0 + u * (3.0 + u * (3.0 - 3.0 * u))) / 6.0, u * u * u / 6.0
    B[1, 0], B[1, 1], B[1, 2], B[1, 3] = -0.5 * w * w, u * (1.5 * u - 2.0), 0.5 + u * (1.0 - 1.5 * u), 0.5 * u * u
    B[2, 0], B[2, 1], B[2, 2], B[2, 3] = w, 3.0 * u - 2.0, 1.0 - 3.0 * u, u
    B[3, 0], B[3, 1], B[3, 2], B[3, 3] = -1.0, 3.0, -3.0, 1.0


@inner
def piece(x, count):
    """The piece of a coordinate: the first and the last go on beyond the ends."""
    if not math.isfinite(x):
        return 0
    return min(max(math.floor(x), 0), count - 4)


@inner
def sum_values(C, i, j, width, B, f):
    """f_m = sum over a, b of B_a(u_1) C_m,ab B_b(u_2), with its derivatives up to the third: f (6, 10).

    C (6, rows * width), from row i and column j; B (2, 4, 4) are the functions at u_1 and u_2 with their derivatives.
    """
    for m in range(6):
        entry = 0
        for total in range(4):
            for second in range(total + 1):
                x = 0.0
                for a in range(4):
                    for b in range(4):
                        x += B[0, total - second, a] * C[m, (i + a) * width + j + b] * B[1, second, b]
                f[m, entry] = x
                entry += 1


@inner
def along_line(f, d1, d2, line, columns):
    """Along q + e d: line (6, 3) = f with two derivatives by e, columns (6, 2, 3) the same of df/dq_j."""
    for m in range(6):
        F = f[m]
        line[m, 0], line[m, 1] = F[VALUE], F[FIRST] * d1 + F[FIRST + 1] * d2
        line[m, 2] = F[SECOND] * d1 * d1 + 2.0 * F[SECOND + 1] * d1 * d2 + F[SECOND + 2] * d2 * d2
        for j in range(2):
            columns[m, j, 0] = F[FIRST + j]
            columns[m, j, 1] = F[SECOND + j] * d1 + F[SECOND + j + 1] * d2
            columns[m, j, 2] = F[THIRD + j] * d1 * d1 + 2.0 * F[THIRD + j + 1] * d1 * d2 + F[THIRD + j + 2] * d2 * d2


@inner
def add_cross(s, a, b, out):
    """out += s a x b."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] += s * (a[j] * b[k] - a[k] * b[j])


@inner
def turn_axes(line, a):
    """a_4' = f_3' x x a_4 and a_5' = W x a_5, W = f_3' x + f_4' a_4, and their derivatives: a[1], a[2] of a (3, 3, 3).

    By e; a[0] are the axes themselves (rows) about which the three angles turn, and x = a_3 is fixed.
    """
    W, Wd = _vector(), _vector()
    for m in (1, 2):
        for i in range(3):
            for k in range(3):
                a[m, i, k] = 0.0
    f3, f4 = line[3], line[4]
    x, y, z = a[0, 0], a[0, 1], a[0, 2]
    add_cross(f3[1], x, y, a[1, 1])
    add_cross(f3[2], x, y, a[2, 1])
    add_cross(f3[1], x, a[1, 1], a[2, 1])
    for k in range(3):
        W[k] = f3[1] * x[k] + f4[1] * y[k]
        Wd[k] = f3[2] * x[k] + f4[2] * y[k] + f4[1] * a[1, 1, k]
    add_cross(1.0, W, z, a[1, 2])
    add_cross(1.0, Wd, z, a[2, 2])
    add_cross(1.0, W, a[1, 2], a[2, 2])


@inner
def column(line, columns, a, j, order, out):
    """out (6,) = d^k S_j/de^k of S_j = [w_j; dp/dq_j - w_j x p], k = ``order``, from all that is known along a line."""
    w, p = _turns(), _turns()  # rows: derivatives of w_j and of p
    for n in range(order + 1):
        for k in range(3):
            p[n, k] = line[k, n]
            w[n, k] = 0.0
            for i in range(3):
                c = columns[3 + i, j]
                if n == 0:
                    w[0, k] += a[0, i, k] * c[0]
                elif n == 1:
                    w[1, k] += a[0, i, k] * c[1] + a[1, i, k] * c[0]
                else:
                    w[2, k] += a[0, i, k] * c[2] + 2.0 * a[1, i, k] * c[1] + a[2, i, k] * c[0]
    for k in range(3):
        out[k], out[3 + k] = w[order, k], columns[k, j, order]
    linear = out[3:]
    add_cross(-1.0, w[order], p[0], linear)
    if order == 1:
        add_cross(-1.0, w[0], p[1], linear)
    elif order == 2:
        add_cross(-2.0, w[1], p[1], linear)
        add_cross(-1.0, w[0], p[2], linear)


@inner
def place(f, a, R, p):
    """p = (f_0, f_1, f_2), R = Rx(f_3) Ry(f_4) Rz(f_5), and in a[0] the axes x, Rx y, Rx Ry z of the angles."""
    turn, twist, before, origin = _rotation(), _twist(), _rotation(), _vector()
    for i in range(3):
        p[i] = f[i, VALUE]
        for j in range(3):
            R[i, j] = 1.0 if i == j else 0.0
    for m in range(3):
        for k in range(6):
            twist[k] = 0.0
        twist[m] = f[3 + m, VALUE]
        exp(twist, turn, origin)
        for i in range(3):
            a[0, m, i] = R[i, m]
            for j in range(3):
                before[i, j] = R[i, j]
        for i in range(3):
            for j in range(3):
                R[i, j] = before[i, 0] * turn[0, j] + before[i, 1] * turn[1, j] + before[i, 2] * turn[2, j]


def _surface(data, n, q, v, order, results):
    """Data: control values (6, rows * columns), and the number of columns as a float (1, 1)."""
    h, g = handle_at(data, 2), results_at(results, n)
    C, width = floats(h, 0), int(floats(h, 1)[0, 0])
    x, rate = vector_at(q, (n,)), vector_at(v, (n,))
    B, f, a, line, columns, out = _weights(), _values(), _axes(), _line(), _columns(), _twist()
    i, j = piece(x[0], C.shape[1] // width), piece(x[1], width)
    basis(x[0] - i, B[0])
    basis(x[1] - j, B[1])
    sum_values(C, i, j, width, B, f)
    place(f, a, g.R, g.p)
    for direction in range(-1, 2 if order > 0 else 0):  # -1: along v, for S and its second derivative
        if direction < 0:
            along_line(f, rate[0], rate[1], line, columns)
        else:
            along_line(f, 1.0 - direction, 1.0 * direction, line, columns)
        turn_axes(line, a)
        for k in range(2):
            if direction >= 0:
                column(line, columns, a, k, 1, out)
                for m in range(6):
                    g.dS[direction, m, k] = out[m]
                continue
            column(line, columns, a, k, 0, out)
            for m in range(6):
                g.S[m, k] = out[m]
            if order == 2:
                column(line, columns, a, k, 2, out)
                for m in range(6):
                    g.ddS[m, k] = out[m]


SURFACE = MapKernel(_surface)
