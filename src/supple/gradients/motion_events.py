"""Events in derivatives of motions: their times move with the state, and what follows them moves with both.

At an event g(t, q(t), v(t)) = 0, so that a variation of the state moves its time by dt = -(g_q dq + g_v dv) / (dg/dt).
A row recorded there changes by its own variation and by its rate times dt, and so do inputs.  Behind a switch
x+ = S(t, x-), the motion begins at the time of the record: its state there changes by

    dx+ = S_x (dx- + x-' dt) + S_t dt - x+' dt        (the saltation of hybrid systems).

Feedback that is sampled behind the switch is asked at the event itself, not at the time of the record: it sees the
state dx+ + x+' dt, and a later time (`PieceSweep`).

Users' functions are differenced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.errors import StateError
from supple.fingerprint import fingerprint
from supple.solvers.inputs import by_name

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.motion.tape import Jump, Moment, Tape

Array = np.ndarray

#: Relative step of central differences of users' functions.
STEP = 6e-6
#: Times beside an event at which it is seen whether it is crossed or touched, s.
TOUCH = 1e-6


def differenced(function: Any, t: float, q: Array, v: Array) -> tuple[Array, Array, Array]:
    """Derivatives by t (k,), q (k, n) and v (k, n) of a function of (t, q, v) with values (k,)."""
    state = np.concatenate([[t], q, v])
    n = len(q)
    columns = []
    for j in range(len(state)):
        step = np.zeros(len(state))
        step[j] = STEP * max(1.0, abs(state[j]))
        ends = [np.atleast_1d(function(x[0], x[1 : 1 + n], x[1 + n :])) for x in (state + step, state - step)]
        columns.append((ends[0] - ends[1]) / (2.0 * step[j]))
    found = np.array(columns).T
    return found[:, 0], found[:, 1 : 1 + n], found[:, 1 + n :]


def time_slope(moment: Moment, n: int) -> Array:
    """dt of an event by the row there, (N,)."""
    q, v = moment.row[:n], moment.row[n : 2 * n]
    g_t, g_q, g_v = differenced(moment.event.function, moment.t, q, v)
    rate = float(g_t[0] + g_q[0] @ moment.rate[:n] + g_v[0] @ moment.rate[n : 2 * n])
    near, far = (_along(moment, n, s) for s in (TOUCH, 2.0 * TOUCH))
    if rate == 0.0 or abs(far - near) > 0.5 * abs(near):  # a slope that comes from higher powers of time alone
        raise StateError(
            f"no derivatives: event {moment.event.name!r} at t = {moment.t:g} s is touched, not crossed: its time has "
            "no derivative"
        )
    slope = np.zeros(len(moment.row))
    slope[:n], slope[n : 2 * n] = -g_q[0] / rate, -g_v[0] / rate
    return slope


def _along(moment: Moment, n: int, s: float) -> float:
    """The rate of an event's function along the motion, by differences over times -s and s."""
    q, v, rate = moment.row[:n], moment.row[n : 2 * n], moment.rate
    ends = [
        float(np.atleast_1d(moment.event.function(moment.t + x, q + x * rate[:n], v + x * rate[n : 2 * n]))[0])
        for x in (s, -s)
    ]
    return (ends[0] - ends[1]) / (2.0 * s)


class MovedRow(NamedTuple):
    """A row of results that was recorded at an event, and moves in time with it."""

    number: int
    rate: Array  #: (N,) along the motion before
    inputs: Array  #: (nu,) rates of inputs where the state stands still
    time: Array  #: (N,) derivative of its time by itself


def moved_rows(model: Model, tape: Tape, input_rates: Callable[[int], Array]) -> list[MovedRow]:
    """All of them; ``input_rates`` are those of the row of a number."""
    kept = [x for x in tape.moments if x.number >= 0]
    return [MovedRow(x.number, x.rate, input_rates(x.number), time_slope(x, model.n)) for x in kept]


def pull_back_moves(moved: list[MovedRow], rows: Array, u_bar: Array) -> None:
    """Cotangents of rows at events, as if they stood still; ``u_bar`` (T, nu) are those of inputs that are results."""
    for row in moved:
        rows[row.number] += (rows[row.number] @ row.rate + u_bar[row.number] @ row.inputs) * row.time


def push_moves(moved: list[MovedRow], rows: Array, du: Array) -> None:
    """Variations of rows at events, and of inputs there, from those of rows that stand still."""
    for row in moved:
        dt = float(row.time @ rows[row.number])
        rows[row.number] += row.rate * dt
        du[row.number] += row.inputs * dt


class SwitchSlopes(NamedTuple):
    """Derivatives of what an event's action returns by t, q, v: of q, v, and inputs if they are numbers."""

    t: Array  #: (2 n + nu,)
    q: Array  #: (2 n + nu, n)
    v: Array


def switch_slopes(model: Model, jump: Jump) -> SwitchSlopes:
    """How the state (and constant inputs) behind a switch follow the state before it."""
    n, moment, change = model.n, jump.moment, jump.change
    numeric = are_numbers(model, change.u)
    if change.u is not None and not numeric:
        _refuse_inputs_that_follow(jump, n)

    def action(t: float, q: Array, v: Array) -> Array:
        found = moment.event.action(t, q.copy(), v.copy())
        new_q = q if found is None or found.q is None else np.asarray(found.q, dtype=float)
        new_v = v if found is None or found.v is None else np.asarray(found.v, dtype=float)
        u = np.asarray(by_name(model, found.u), dtype=float) if numeric else np.zeros(model.nu)
        return np.concatenate([new_q, new_v, u])

    if change.q is None and change.v is None and not numeric:
        size = 2 * n + model.nu
        return SwitchSlopes(np.zeros(size), np.eye(size, n), np.eye(size, n, -n))
    return SwitchSlopes(*differenced(action, moment.t, moment.row[:n], moment.row[n : 2 * n]))


def are_numbers(model: Model, u: Any) -> bool:
    """Whether inputs are numbers that stay, in a vector or by name."""
    if u is None or callable(u):
        return False
    try:
        return np.asarray(by_name(model, u), dtype=float).shape == (model.nu,)
    except (TypeError, ValueError):
        return False


def _refuse_inputs_that_follow(jump: Jump, n: int) -> None:
    """Laws and functions behind a switch must be the same beside it: how they follow the state is not known."""
    moment, told = jump.moment, []
    state = np.concatenate([[moment.t], moment.row[: 2 * n]])
    for x in (state, state + STEP * np.maximum(1.0, np.abs(state))):
        change = moment.event.action(float(x[0]), x[1 : 1 + n].copy(), x[1 + n :].copy())
        told.append(fingerprint(change.u))
    if told[0] != told[1]:
        raise StateError(
            f"no derivatives: event {moment.event.name!r} switches at t = {moment.t:g} s to laws or functions that are "
            "others for another state (or at every call): how they follow it is not known; give numbers, or feedback "
            "u(t, q, v), which sees the state itself"
        )


def jump_backward(
    model: Model, jump: Jump, dt_bar: float, u_bar: Array, q_bar: Array, v_bar: Array, z_bar: Array
) -> Array:
    """The cotangent of the row before a switch, from those of what is behind it and of the time of the event.

    ``u_bar`` (nu,) is that of inputs the switch gives as numbers, else zero.
    """
    n, nc, nz, moment, slopes = model.n, model.nc, len(z_bar), jump.moment, switch_slopes(model, jump)
    all_bar = np.concatenate([q_bar, v_bar, u_bar])
    row = np.zeros(len(moment.row))
    row[:n], row[n : 2 * n] = slopes.q.T @ all_bar, slopes.v.T @ all_bar
    row[3 * n + nc : 3 * n + nc + nz] = z_bar
    dt_bar += float(slopes.t @ all_bar + row @ moment.rate)
    return np.asarray(row + dt_bar * time_slope(moment, n))


def jump_forward(model: Model, jump: Jump, row: Array) -> tuple[Array, Array, Array, Array, float]:
    """Variations of q, v, z and constant inputs behind a switch, and of its time, from that of the row before it."""
    n, nc, moment, slopes = model.n, model.nc, jump.moment, switch_slopes(model, jump)
    dt = float(time_slope(moment, n) @ row)
    moved = row + moment.rate * dt
    new = slopes.q @ moved[:n] + slopes.v @ moved[n : 2 * n] + slopes.t * dt
    return new[:n], new[n : 2 * n], moved[3 * n + nc : len(row) - n], new[2 * n :], dt
