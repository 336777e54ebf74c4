"""Programs of explicit pairs: register 0 is the point now, 1 the one before, stages from 2 on (v, a, z' of them)."""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.sensitivity.arrays import BEGIN, END, OUT, RATE, A, Q, V, Z
from supple.solvers.sensitivity.program import (
    ACCELERATE,
    add_instruction,
    add_part,
    begin_from,
    set_part,
    set_row,
)

#: Register of the first stage.
STAGE = 2


@inner
def start_pair(sweep):
    """A point, whose rates are the first stage."""
    set_row(sweep, 0, 1.0, END)
    set_row(sweep, STAGE, 1.0, END)
    set_row(sweep, 1, 0.0, END)


@inner
def step_pair(sweep, h):
    """y + h sum_j a_sj K_j of all stages; the last one is the new point, and the first stage of the next step."""
    A_b, count = sweep.tableau, sweep.tableau.shape[1]
    for s in range(1, count + 1):
        begin_from(sweep, 0)
        for j in range(min(s, count)):
            w = h * A_b[s, j]
            add_part(sweep, BEGIN, Q, w, STAGE + j, V)
            add_part(sweep, BEGIN, V, w, STAGE + j, A)
            add_part(sweep, BEGIN, Z, w, STAGE + j, RATE)
        add_instruction(sweep, ACCELERATE, STAGE + s, 0, s - 1, 0, 0, 0.0, 0.0)
    set_row(sweep, 1, 1.0, 0)
    set_row(sweep, 0, 1.0, STAGE + count)
    set_row(sweep, STAGE, 1.0, STAGE + count)


@inner
def chart_pair(sweep):
    """The first stage has the rates of the point that was carried."""
    set_part(sweep, STAGE, V, 1.0, 0, V)
    set_part(sweep, STAGE, A, 1.0, 0, A)


@inner
def give_pair(sweep, t, now, before):
    """Quintic in q, v and a its rates, linear in the rest."""
    if t == now:
        set_row(sweep, OUT, 1.0, 0)
        return
    h = now - before
    x = (t - before) / h
    set_row(sweep, OUT, 1.0 - x, 1)
    set_row_part(sweep, x)
    give_motion(sweep, x, h, 0, 1)


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
def set_row_part(sweep, x):
    """The linear part of a row between two points: all but q, v, a."""
    for part in range(RATE + 1):
        if part < 3:
            set_part(sweep, OUT, part, 0.0, 0, part)
        else:
            add_part(sweep, OUT, part, x, 0, part)


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
