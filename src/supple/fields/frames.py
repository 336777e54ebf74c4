"""Frames of a soft body at its stations and at its tip, as maps g(q) (`core.blocks.custom` says what a map writes).

A frame is a program of twelve outputs, its origin p and its rotation R row by row.  From their jets,

    S_j = [w_j; p_j - w_j x p],     w_j = vee(R_j R^T),
    dw_j/dq_k = vee(R_jk R^T + R_j R_k^T),     w_j'' = vee(R_j'' R^T + 2 R_j' R'^T + R_j R''^T)  along v,

the Hessians R_jk by one reverse pass per output.
"""

from __future__ import annotations

from supple.core.arrays import handle_at, integers, matrices_at, vector_at
from supple.core.blocks.body import map_floats
from supple.core.blocks.custom import results_at
from supple.fields.interpreter import clear_adjoint, pull_back, run_at, run_points, run_size, start_run
from supple.fields.layout import FRAME_OUTPUTS, NUMBERS, ROWS, STATION_COUNT, STATIONS, TIP
from supple.jit import MapKernel, inlined, inner, local_array
from supple.tracing.program import Program

_vector, _rotation = local_array(3), local_array(3, 3)


def frames_scratch(program: Program, lanes: int) -> int:
    """Floats that frames of a program need for themselves."""
    n = int(program.sizes[1])
    return run_size(program.nodes, len(program.ops), n, lanes) + lanes * n * n * (FRAME_OUTPUTS + 1) + n


@inlined
def output(run, i, m, j, k):
    """Output i: its m-th time derivative (j = 0), or that of its derivative by coordinate j - 1."""
    node = run.outputs[i, 0]
    if (j > 0 or m > 0) and run.active[node, j] == 0:
        return 0.0
    return run.jets[3 * node + m, j, k]


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
def write_frame(run, k, n, H, order, g):
    """All that a map writes of the frame in lane k."""
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
        write_slopes(run, k, n, H, g)
    if order == 2:
        write_bends(run, k, n, g)


@inner
def write_slopes(run, k, n, H, g):
    """dS/dq, from Hessians H (12, n, n) of the outputs in lane k (upper triangles)."""
    w, p = _vector(), g.p
    for l in range(n):
        for j in range(n):
            low, high = min(j, l), max(j, l)
            clear(w)
            add_turn(1.0, run, 0, 1 + j, k, 0, 1 + l, w)
            for c in range(3):
                h0, h1, h2 = H[3 + c, low, high], H[6 + c, low, high], H[9 + c, low, high]
                w[0] += 0.5 * (h2 * g.R[1, c] - h1 * g.R[2, c])
                w[1] += 0.5 * (h0 * g.R[2, c] - h2 * g.R[0, c])
                w[2] += 0.5 * (h1 * g.R[0, c] - h0 * g.R[1, c])
            for i in range(3):
                a, b = (i + 1) % 3, (i + 2) % 3
                turn = w[a] * p[b] - w[b] * p[a]
                turn += g.S[a, j] * output(run, b, 0, 1 + l, k) - g.S[b, j] * output(run, a, 0, 1 + l, k)
                g.dS[l, i, j] = w[i]
                g.dS[l, 3 + i, j] = H[i, low, high] - turn


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
def write_frames(run, n, q, v, zero, order, memory, results):
    """All frames of a program, one per lane."""
    lanes, rates = run.lanes, 2 if order == 2 else 0
    H = matrices_at(memory, (n, n, lanes))
    picked = matrices_at(memory + 8 * n * n * lanes, (FRAME_OUTPUTS * lanes, n, n))
    start_run(run, q, v, zero, rates, rates)
    run_points(run, 0, rates, rates)
    if order >= 1:
        for i in range(FRAME_OUTPUTS):
            H[:] = 0.0
            clear_adjoint(run, 0)
            for k in range(lanes):
                run.adjoint[run.outputs[i, 0], k] = 1.0
            pull_back(run, 0, run.ops.shape[0], H)
            for k in range(lanes):
                for a in range(n):
                    for b in range(a, n):
                        picked[k * FRAME_OUTPUTS + i, a, b] = H[a, b, k]
    for k in range(lanes):
        own = picked[k * FRAME_OUTPUTS : (k + 1) * FRAME_OUTPUTS]
        write_frame(run, k, n, own, order, results_at(results + 8 * k * map_floats(n), n))


def _frames(data, n, q_at, v_at, order, results):
    """Frames at all stations, then that of the tip."""
    stations = integers(handle_at(data, ROWS), NUMBERS)[0, STATION_COUNT]
    memory = results + 8 * (stations + 1) * map_floats(n)
    q, v, zero = vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(memory, (n,))
    for j in range(n):
        zero[j] = 0.0
    memory += 8 * n
    for part in range(2):
        lanes, row = (stations, STATIONS) if part == 0 else (1, TIP)
        if lanes > 0:
            run = run_at(data, ROWS, row, lanes, memory)
            nodes = run.active.shape[0]
            behind = memory + 8 * lanes * (3 * nodes * (1 + n) + 4 * run.ops.shape[0] + nodes)
            write_frames(run, n, q, v, zero, order, behind, results)
            results += 8 * lanes * map_floats(n)


FRAMES = MapKernel(_frames)
