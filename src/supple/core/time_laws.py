"""Laws of time inside compiled loops: small postfix programs over two arrays.

A program gives a number of scalars ("rows") and their first two time derivatives.  It is a list of operations
``ops`` (m, 4) on a stack of (value, rate, acceleration), which read their constants from ``numbers`` (k,):

| operation | columns 1 to 3 of ``ops`` | numbers at those places |
|---|---|---|
| CONSTANT | value | one number |
| SINE | amplitude | amplitude, angular frequency [rad/s], phase [rad], offset |
| PIECES | times, how many (m), coefficients | m increasing times; per piece four coefficients of the cubic in the time since its begin, lowest power first; the value held after the last time |
| POLYNOMIAL | span, how many, coefficients | origin of time, begin and end (outside of which values are held); coefficients, lowest power first |
| ADD, MULTIPLY | | (the two newest entries of the stack become one) |
| STORE | row | (the newest entry leaves the stack) |

`compilation.law_program` writes such programs for `supple.laws`.
"""  # noqa: E501  (a table)

from __future__ import annotations

import math

from supple.jit import inner, local_array

#: Operations, first column of ``ops``.
CONSTANT, SINE, PIECES, POLYNOMIAL, ADD, MULTIPLY, STORE = 0, 1, 2, 3, 4, 5, 6

#: Entries of the stack: operands come in an order in which a sum of 2^15 laws, however nested, still fits.
DEPTH = 16


_stack = local_array(DEPTH, 3)


@inner
def evaluate_laws(ops, numbers, t, values, rates, accelerations):
    """Values of all rows of a program at time t [s], and their first and second time derivatives.

    ``ops`` (m, 4) integers and ``numbers`` (k,) floats are a program; ``values``, ``rates`` and ``accelerations``
    (rows,) are written.  A sine is b + a sin(omega t + phi), a product has (x y)' = x' y + x y' and
    (x y)'' = x'' y + 2 x' y' + x y''.  Derivatives at a break are those from the right.
    """
    x = _stack()
    top = -1
    for k in range(ops.shape[0]):
        code, at = ops[k, 0], ops[k, 1]
        if code == STORE:
            values[at], rates[at], accelerations[at] = x[top, 0], x[top, 1], x[top, 2]
            top -= 1
        elif code == ADD:
            top -= 1
            for i in range(3):
                x[top, i] += x[top + 1, i]
        elif code == MULTIPLY:
            top -= 1
            a, da, dda = x[top, 0], x[top, 1], x[top, 2]
            b, db, ddb = x[top + 1, 0], x[top + 1, 1], x[top + 1, 2]
            x[top, 0], x[top, 1], x[top, 2] = a * b, da * b + a * db, dda * b + 2.0 * da * db + a * ddb
        else:
            top += 1
            if code == CONSTANT:
                x[top, 0], x[top, 1], x[top, 2] = numbers[at], 0.0, 0.0
            elif code == SINE:
                a, omega = numbers[at], numbers[at + 1]
                angle = omega * t + numbers[at + 2]
                wave = a * math.sin(angle)
                x[top, 0] = numbers[at + 3] + wave
                x[top, 1], x[top, 2] = a * omega * math.cos(angle), -omega * omega * wave
            elif code == PIECES:
                first, count, held = _piece(numbers, at, ops[k, 2], ops[k, 3], t)
                _power_series(numbers, first, count, t - held, x[top])
            else:
                origin, begin, end = numbers[at], numbers[at + 1], numbers[at + 2]
                _power_series(numbers, ops[k, 3], ops[k, 2], min(max(t, begin), end) - origin, x[top])
                if not begin <= t < end:
                    x[top, 1], x[top, 2] = 0.0, 0.0


@inner
def _piece(numbers, times, m, coefficients, t):
    """First coefficient of the piece at t, how many it has (1 where a value is held), and when it begins."""
    if t < numbers[times]:
        return coefficients, 1, t
    lo, hi = 0, m  # bisection: the last time that is not later than t
    while hi - lo > 1:
        middle = (lo + hi) // 2
        if t < numbers[times + middle]:
            hi = middle
        else:
            lo = middle
    return coefficients + 4 * lo, 4 if lo < m - 1 else 1, numbers[times + lo]


@inner
def _power_series(numbers, first, count, x, out):
    """out = value and two derivatives of the sum of numbers[first + i] x^i, i < count."""
    p, dp, ddp = 0.0, 0.0, 0.0
    for i in range(first + count - 1, first - 1, -1):
        ddp = ddp * x + 2.0 * dp
        dp = dp * x + p
        p = p * x + numbers[i]
    out[0], out[1], out[2] = p, dp, ddp
