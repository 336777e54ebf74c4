"""Programs of `supple.robot.traced` on truncated polynomials: exact derivatives up to the third.

A jet is a polynomial p(s, t) of degree one in s and two in t,

    p = c_0 + c_1 t + c_2 t^2 + s (c_3 + c_4 t + c_5 t^2),

the value of a number along x + s d + t e.  Then f_d = c_3, f_e = c_1, f_de = c_4, f_ee = 2 c_2, f_dee = 2 c_5.
A function of one number needs its own first three derivatives: h(c_0 + u) = h_0 + h_1 u + h_2 u^2/2 + h_3 u^3/6.
"""

from __future__ import annotations

import math

from supple.jit import inner, local_array
from supple.robot.traced import ADD, CONSTANT, DIVIDE, FIRST_UNARY, MULTIPLY, POWER, SUBTRACT

SIZE = 6

_jet, _derivatives = local_array(SIZE), local_array(4)


@inner
def multiply(a, b, out):
    """out = a b; out may not be one of them."""
    out[0] = a[0] * b[0]
    out[1] = a[0] * b[1] + a[1] * b[0]
    out[2] = a[0] * b[2] + a[1] * b[1] + a[2] * b[0]
    out[3] = a[0] * b[3] + a[3] * b[0]
    out[4] = a[0] * b[4] + a[1] * b[3] + a[3] * b[1] + a[4] * b[0]
    out[5] = a[0] * b[5] + a[1] * b[4] + a[2] * b[3] + a[3] * b[2] + a[4] * b[1] + a[5] * b[0]


@inner
def compose(h, a, out):
    """out = h(a) of a function with value and three derivatives h (4,) at a[0]."""
    u, square, cube = _jet(), _jet(), _jet()
    for k in range(SIZE):
        u[k] = a[k]
    u[0] = 0.0
    multiply(u, u, square)
    multiply(square, u, cube)
    for k in range(SIZE):
        out[k] = h[1] * u[k] + h[2] / 2.0 * square[k] + h[3] / 6.0 * cube[k]
    out[0] += h[0]


@inner
def power(x, p, h):
    """x^p with three derivatives."""
    h[0] = x**p if p != 1.0 else x
    h[1] = p * x ** (p - 1.0) if p != 1.0 else 1.0
    h[2] = p * (p - 1.0) * x ** (p - 2.0) if p != 1.0 else 0.0
    h[3] = p * (p - 1.0) * (p - 2.0) * x ** (p - 3.0) if p != 1.0 else 0.0


@inner
def elementary(which, x, h):
    """h_k = d^k f/dx^k, k = 0 to 3, of a function of `supple.robot.traced.UNARY`, by its number there.

    NaN outside of its domain.
    """
    if which == 0:
        h[0], h[1], h[2], h[3] = -x, -1.0, 0.0, 0.0
    elif which == 1:
        s, c = math.sin(x), math.cos(x)
        h[0], h[1], h[2], h[3] = s, c, -s, -c
    elif which == 2:
        s, c = math.sin(x), math.cos(x)
        h[0], h[1], h[2], h[3] = c, -s, -c, s
    elif which == 3:
        t = math.tan(x)
        d = 1.0 + t * t
        h[0], h[1], h[2], h[3] = t, d, 2.0 * t * d, d * (2.0 + 6.0 * t * t)
    elif which == 4:
        e = math.exp(x)
        h[0], h[1], h[2], h[3] = e, e, e, e
    elif which == 5:
        h[0] = math.log(x) if x > 0.0 else math.nan
        h[1], h[2], h[3] = 1.0 / x, -1.0 / x**2, 2.0 / x**3
    elif which == 6:
        r = math.sqrt(x) if x >= 0.0 else math.nan
        h[0], h[1], h[2], h[3] = r, 0.5 / r, -0.25 / (r * x), 0.375 / (r * x * x)
    elif which in (7, 8):
        r = 1.0 / math.sqrt(1.0 - x * x) if abs(x) < 1.0 else math.nan
        sign = 1.0 if which == 7 else -1.0
        h[0] = (math.asin(x) if which == 7 else math.acos(x)) if abs(x) < 1.0 else math.nan
        h[1], h[2], h[3] = sign * r, sign * x * r**3, sign * (r**3 + 3.0 * x * x * r**5)
    elif which == 9:
        r = 1.0 / (1.0 + x * x)
        h[0], h[1], h[2], h[3] = math.atan(x), r, -2.0 * x * r * r, (6.0 * x * x - 2.0) * r**3
    else:
        hyperbolic(which, x, h)


@inner
def hyperbolic(which, x, h):
    """h_k = d^k f/dx^k, k = 0 to 3, of sinh, cosh and tanh, tanh' = 1 - tanh^2."""
    s, c = math.sinh(x), math.cosh(x)
    if which == 10:
        h[0], h[1], h[2], h[3] = s, c, s, c
    elif which == 11:
        h[0], h[1], h[2], h[3] = c, s, c, s
    else:
        t = math.tanh(x)
        d = 1.0 - t * t
        h[0], h[1], h[2], h[3] = t, d, -2.0 * t * d, d * (6.0 * t * t - 2.0)


@inner
def run(ops, numbers, first, count, arguments, registers):
    """Rows first to first + count of a program of so many ``arguments``, whose jets are in ``registers`` (., 6)."""
    h, inverse = _derivatives(), _jet()
    for i in range(count):
        op, out = ops[first + i, 0], registers[arguments + i]
        a, b, number = registers[ops[first + i, 1]], registers[ops[first + i, 2]], numbers[first + i]
        if op == CONSTANT:
            for k in range(SIZE):
                out[k] = 0.0
            out[0] = number
        elif op == ADD:
            for k in range(SIZE):
                out[k] = a[k] + b[k]
        elif op == SUBTRACT:
            for k in range(SIZE):
                out[k] = a[k] - b[k]
        elif op == MULTIPLY:
            multiply(a, b, out)
        elif op == DIVIDE:
            power(b[0], -1.0, h)
            compose(h, b, inverse)
            multiply(a, inverse, out)
        elif op == POWER:
            power(a[0], number, h)
            compose(h, a, out)
        else:
            elementary(op - FIRST_UNARY, a[0], h)
            compose(h, a, out)
