"""Frames of a soft body at its stations and at its tip, as maps g(q) (`core.blocks.custom` says what a map writes).

A frame is a plan of twelve outputs, its origin p and its rotation R row by row.  From their jets,

    S_j = [w_j; p_j - w_j x p],     w_j = vee(R_j R^T),
    dw_j/dq_k = vee(R_jk R^T + R_j R_k^T),     w_j'' = vee(R_j'' R^T + 2 R_j' R'^T + R_j R''^T)  along v,

the Hessians R_jk of all outputs side by side: the plan has every place twelve times, and each time another weight.
"""

from __future__ import annotations

from supple.core.arrays import handle_at, integers, map_size, matrix_at, vector_at
from supple.core.blocks.body import map_floats
from supple.core.blocks.custom import results_at
from supple.fields.interpreter import (
    clear_hessian,
    finish_hessian,
    has_slope,
    pull_places,
    run_at,
    run_places,
    start_run,
)
from supple.fields.layout import FRAME_OUTPUTS, ITSELF, KIND, NOTHING, NUMBERS, ROWS, STATION_COUNT, STATIONS, TIP
from supple.jit import MapKernel, inlined, inner, local_array
from supple.tracing.plan import Plan

_vector, _twist, _motion = local_array(3), local_array(6), local_array(6, 4)

#: A square of v below this is zero.
TINY = 1e-250


def frames_scratch(plan: Plan, lanes: int) -> int:
    """Floats that frames of a plan need for themselves."""
    return plan.memory(FRAME_OUTPUTS * lanes) + plan.n


def slope_frames_scratch(plan: Plan, lanes: int, frames: int) -> int:
    """Floats that derivatives by a parameter need, of a plan with its coordinate, for so many frames in all."""
    return 2 * plan.n + frames * map_size(plan.n) + plan.n + frames_scratch(plan, lanes)


@inlined
def output(run, i, m, j, k):
    """Output i: its m-th time derivative (j = 0), or that of its derivative by coordinate j - 1."""
    if j > 0 and not has_slope(run, i, j - 1):
        return 0.0
    return run.registers[3 * run.outputs[i, j] + m, k]


@inlined
def add_turn(scale, run, m, i, k, other, j, w):
    """w += scale vee(A B^T), A and B the m-th and ``other``-th time derivatives of R by coordinates i - 1 and j - 1."""
    for c in range(3):
        a0, a1, a2 = output(run, 3 + c, m, i, k), output(run, 6 + c, m, i, k), output(run, 9 + c, m, i, k)
        b0, b1, b2 = output(run, 3 + c, other, j, k), output(run, 6 + c, other, j, k), output(run, 9 + c, other, j, k)
        # entries (2, 1), (0, 2), (1, 0) of A B^T, of which the antisymmetric part counts
        w[0] += 0.5 * scale * (a2 * b1 - a1 * b2)
        w[1] += 0.5 * scale * (a0 * b2 - a2 * b0)
        w[2] += 0.5 * scale * (a1 * b0 - a0 * b1)


@inlined
def clear(w):
    """w (3,) = 0."""
    for i in range(3):
        w[i] = 0.0


@inner
def write_frame(run, k, frames, n, order, g):
    """g = (R, p) and S_j = [w_j; p_j - w_j x p], w_j = vee(R_j R^T), of the frame in lane k.

    From ``order`` 1 on also dS/dq, with 2 d2S/de2 along v.
    """
    w, p = _vector(), g.p
    for i in range(3):
        p[i] = output(run, i, 0, 0, k)
        for c in range(3):
            g.R[i, c] = output(run, 3 + 3 * i + c, 0, 0, k)
    for j in range(n):
        clear(w)
        add_turn(1.0, run, 0, 1 + j, k, 0, 0, w)
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            g.S[i, j] = w[i]
            g.S[3 + i, j] = output(run, i, 0, 1 + j, k) - (w[a] * p[b] - w[b] * p[a])
    if order >= 1:
        write_slopes(run, k, frames, n, g)
    if order == 2:
        write_bends(run, k, n, g)


@inner
def write_slopes(run, k, frames, n, g):
    """dS/dq, from Hessians of the outputs: that of output i stands in lane i frames + k."""
    w, p, H = _vector(), g.p, run.H
    for l in range(n):
        for j in range(n):
            e = min(j, l) * n + max(j, l)
            clear(w)
            add_turn(1.0, run, 0, 1 + j, k, 0, 1 + l, w)
            for c in range(3):
                h0, h1, h2 = H[e, (3 + c) * frames + k], H[e, (6 + c) * frames + k], H[e, (9 + c) * frames + k]
                w[0] += 0.5 * (h2 * g.R[1, c] - h1 * g.R[2, c])
                w[1] += 0.5 * (h0 * g.R[2, c] - h2 * g.R[0, c])
                w[2] += 0.5 * (h1 * g.R[0, c] - h0 * g.R[1, c])
            for i in range(3):
                a, b = (i + 1) % 3, (i + 2) % 3
                turn = w[a] * p[b] - w[b] * p[a]
                turn += g.S[a, j] * output(run, b, 0, 1 + l, k) - g.S[b, j] * output(run, a, 0, 1 + l, k)
                g.dS[l, i, j] = w[i]
                g.dS[l, 3 + i, j] = H[e, i * frames + k] - turn


@inner
def write_bends(run, k, n, g):
    """d2S/de2 along v, of jets without acceleration."""
    w, rate, p = _vector(), _vector(), g.p
    for j in range(n):
        clear(w)
        clear(rate)
        add_turn(1.0, run, 2, 1 + j, k, 0, 0, w)
        add_turn(2.0, run, 1, 1 + j, k, 1, 0, w)
        add_turn(1.0, run, 0, 1 + j, k, 2, 0, w)
        add_turn(1.0, run, 1, 1 + j, k, 0, 0, rate)
        add_turn(1.0, run, 0, 1 + j, k, 1, 0, rate)
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            x = output(run, i, 2, 1 + j, k) - (w[a] * p[b] - w[b] * p[a])
            x -= 2.0 * (rate[a] * output(run, b, 1, 0, k) - rate[b] * output(run, a, 1, 0, k))
            x -= g.S[a, j] * output(run, b, 2, 0, k) - g.S[b, j] * output(run, a, 2, 0, k)
            g.ddS[i, j], g.ddS[3 + i, j] = w[i], x


@inner
def write_frames(run, frames, n, q, v, zero, order, results):
    """All frames of a plan."""
    rates = 2 if order == 2 else 0
    start_run(run, q, v, zero, rates, rates)
    run_places(run, 0, rates, rates)
    if order >= 1:
        clear_hessian(run)
        for i in range(FRAME_OUTPUTS):
            for k in range(run.lanes):
                run.weights[i, k] = 1.0 if k // frames == i else 0.0
        pull_places(run, 0)
        finish_hessian(run)
    for k in range(frames):
        write_frame(run, k, frames, n, order, results_at(results + 8 * k * map_floats(n), n))


@inner
def write_all(data, stations, n, q_at, v_at, order, results, memory):
    """Frames at all stations, then that of the tip."""
    q, v, zero = vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(memory, (n,))
    for j in range(n):
        zero[j] = 0.0
    memory += 8 * n
    for part in range(2):
        frames, row = (stations, STATIONS) if part == 0 else (1, TIP)
        if frames > 0:
            run = run_at(data, ROWS, row, frames * FRAME_OUTPUTS if order >= 1 else frames, memory)
            write_frames(run, frames, n, q, v, zero, order, results)
            results += 8 * frames * map_floats(n)


@inner
def add_bracket(a, i, b, j, out):
    """out (6,) += ad_a b of columns i and j of (6, k) twists."""
    for x in range(3):
        y, z = (x + 1) % 3, (x + 2) % 3
        out[x] += a[y, i] * b[z, j] - a[z, i] * b[y, j]
        out[3 + x] += a[y, i] * b[3 + z, j] - a[z, i] * b[3 + y, j]
        out[3 + x] += a[3 + y, i] * b[z, j] - a[3 + z, i] * b[y, j]


@inner
def slope_frame(whole, n, v, g):
    """Derivatives of what a map writes by the coordinate behind the others; of dS/dq only what v sees of it.

    With zeta = S_p, r = S v, r' = S' v: dR = zeta_w R, dp = zeta_v + zeta_w x p, and (`core.map_gradients`)
    (S' v)_p = zeta'' + ad_zeta' r + ad_zeta r', spread over entries so that twice v gives it back.
    """
    motion, bend, size = _motion(), _twist(), 0.0
    for i in range(6):
        motion[i, 0], motion[i, 1], motion[i, 2], motion[i, 3] = whole.S[i, n], 0.0, 0.0, 0.0
        bend[i] = whole.ddS[i, n]
        for j in range(n):
            g.S[i, j] = whole.dS[n, i, j]
            motion[i, 1] += whole.dS[j, i, n] * v[j]
            motion[i, 2] += whole.S[i, j] * v[j]
            for k in range(n):
                motion[i, 3] += whole.dS[k, i, j] * v[k] * v[j]
    add_bracket(motion, 1, motion, 2, bend)
    add_bracket(motion, 0, motion, 3, bend)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        g.p[i] = motion[3 + i, 0] + motion[j, 0] * whole.p[k] - motion[k, 0] * whole.p[j]
        for c in range(3):
            g.R[i, c] = motion[j, 0] * whole.R[k, c] - motion[k, 0] * whole.R[j, c]
    for j in range(n):
        size += v[j] * v[j]
    for k in range(n):
        for i in range(6):
            for j in range(n):
                g.dS[k, i, j] = bend[i] / size * (v[k] * v[j] / size) if size > TINY else 0.0


def _frames(data, n, q_at, v_at, order, results):
    """Frames at all stations, then that of the tip, or what `fields.layout` says in place of them."""
    numbers = integers(handle_at(data, ROWS), NUMBERS)
    stations, kind, more = numbers[0, STATION_COUNT], numbers[0, KIND], n + 1
    memory = results + 8 * (stations + 1) * map_floats(n)
    if kind == ITSELF:
        write_all(data, stations, n, q_at, v_at, order, results, memory)
        return
    if kind == NOTHING:
        out = vector_at(results, ((stations + 1) * map_floats(n),))
        for i in range(out.shape[0]):
            out[i] = 0.0
        return
    state, q, v = matrix_at(memory, (2, more)), vector_at(q_at, (n,)), vector_at(v_at, (n,))
    for j in range(n):
        state[0, j], state[1, j] = q[j], v[j]
    state[0, n], state[1, n] = 0.0, 0.0
    whole = memory + 8 * 2 * more
    memory = whole + 8 * (stations + 1) * map_floats(more)
    write_all(data, stations, more, state[0].ctypes.data, state[1].ctypes.data, 2, whole, memory)
    for k in range(stations + 1):
        at = results_at(whole + 8 * k * map_floats(more), more)
        slope_frame(at, n, v, results_at(results + 8 * k * map_floats(n), n))


FRAMES = MapKernel(_frames)
