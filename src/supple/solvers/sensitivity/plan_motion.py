"""A row between two points that tell q, v and a: programs of pairs and of Radau IIA share it."""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.sensitivity.arrays import OUT, A, Q, V
from supple.solvers.sensitivity.program import add_part


@inner
def give_motion(sweep, x, h, now, before):
    """Add q, v = dq/dx / h, a = d2q/dx2 / h^2 of the quintic through q, v, a of two registers, at x of a step of h.

    That of `solvers.integrators.rows.interpolate_motion`.
    """
    # q = q0 + h v0 x + h^2 a0 x^2 / 2 + c3 x^3 + c4 x^4 + c5 x^5, each c a sum of q, h v, h^2 a at both ends
    for order in range(3):
        f = falling(3, order), falling(4, order), falling(5, order)
        y3, y4, y5 = f[0] * x ** (3 - order), f[1] * x ** (4 - order), f[2] * x ** (5 - order)
        q = 10.0 * y3 - 15.0 * y4 + 6.0 * y5
        v = -4.0 * y3 + 7.0 * y4 - 3.0 * y5
        a = 0.5 * y3 - y4 + 0.5 * y5
        unit = h**-order
        add_part(sweep, OUT, order, unit * q, now, Q)
        add_part(sweep, OUT, order, unit * h * v, now, V)
        add_part(sweep, OUT, order, unit * h * h * a, now, A)
        of_q, of_v, of_a = powers(x, order)
        add_part(sweep, OUT, order, unit * (of_q - q), before, Q)
        add_part(sweep, OUT, order, unit * h * (of_v - q - v), before, V)
        add_part(sweep, OUT, order, unit * h * h * (of_a - 0.5 * q - v - a), before, A)


@inner
def falling(k, order):
    """k, k (k - 1), ...: factor of a power that is differentiated so often."""
    return 1.0 if order == 0 else (float(k) if order == 1 else float(k * (k - 1)))


@inner
def powers(x, order):
    """Derivatives of 1, x, x^2 / 2."""
    if order == 0:
        return 1.0, x, 0.5 * x * x
    return (0.0, 1.0, x) if order == 1 else (0.0, 0.0, 1.0)
