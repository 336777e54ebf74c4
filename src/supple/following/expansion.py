"""q, v, a of all coordinates from those that are left, and forces, matrices and rows brought back to these.

    D' = sum_l (d2c/dx dx_l) x_l',      D'' = sum_l (d2c/dx dx_l) x_l'' + sum_kl (d3c/dx dx_k dx_l) x_k' x_l',

with which variations are dq = C dx, dv = C' dx + C dx', da = C'' dx + 2 C' dx' + C dx''.
"""

from __future__ import annotations

from supple.following.arrays import BEND, COUNT, FIRST, LENGTH, PROGRAM, followers_of, scratch_of
from supple.following.jets import SIZE, run
from supple.jit import inner, kernel


@inner
def set_jets(registers, leaders, first, count, q, v, s, t):
    """Arguments of a program: along x_s (no direction if s < 0) and along x_t, or along v if t < 0."""
    for k in range(count):
        jet, c = registers[k], leaders[first + k]
        for m in range(SIZE):
            jet[m] = 0.0
        jet[0] = q[c]
        jet[1] = v[c] if t < 0 else 1.0 if t == k else 0.0
        jet[3] = 1.0 if s == k else 0.0


@inner
def expand_linear(rows, f, space, q, v, a, into):
    """A follower offset + sum of weights times leaders."""
    first, state, slopes = rows.rows[f, FIRST], space.state, space.slopes
    state[0, into], state[1, into], state[2, into] = rows.offsets[f], 0.0, 0.0
    count = rows.rows[f, COUNT]
    for e in range(first, first + count):
        weight, c = rows.weights[e], rows.leaders[e]
        state[0, into] += weight * q[c]
        state[1, into] += weight * v[c]
        state[2, into] += weight * a[c]
        slopes[0, e], slopes[1, e], slopes[2, e] = weight, 0.0, 0.0
    for k in range(rows.rows[f, BEND], rows.rows[f, BEND] + count * count):
        space.bends[k] = 0.0


@inner
def expand_program(rows, f, space, q, v, a, into):
    """q_f = c(x), v_f = D x', a_f = D x'' + x'^T (d2c/dx2) x' of a follower by a function of its leaders.

    ``into`` is its place in ``space.state``; D, D', D'' go to ``space.slopes``, d2c/dx2 to ``space.bends``.
    """
    row, state, slopes, bends, leaders = rows.rows[f], space.state, space.slopes, space.bends, rows.leaders
    first, count, registers = row[FIRST], row[COUNT], space.registers
    last = registers[count + row[LENGTH] - 1]
    state[1, into], state[2, into] = 0.0, 0.0
    for s in range(count):
        for t in range(s, count):
            set_jets(registers, leaders, first, count, q, v, s, t)
            run(rows.ops, rows.numbers, row[PROGRAM], row[LENGTH], count, registers)
            bends[row[BEND] + s * count + t] = last[4]
            bends[row[BEND] + t * count + s] = last[4]
        set_jets(registers, leaders, first, count, q, v, s, -1)
        run(rows.ops, rows.numbers, row[PROGRAM], row[LENGTH], count, registers)
        e = first + s
        slopes[0, e], slopes[1, e], slopes[2, e] = last[3], last[4], 2.0 * last[5]
        state[0, into] = last[0]
        state[1, into] += last[3] * v[leaders[e]]
        state[2, into] += last[3] * a[leaders[e]]
    state[2, into] += 2.0 * last[2]
    for s in range(count):
        for t in range(count):
            slopes[2, first + s] += bends[row[BEND] + s * count + t] * a[leaders[first + t]]


@inner
def expand(rows, space, q, v, a):
    """q = c(x), v = C x', a = C x'' + C' x' of all coordinates in ``space.state``, D, D', D'' in ``space.slopes``."""
    n, state = q.shape[0], space.state
    for i in range(n):
        state[0, i], state[1, i], state[2, i] = q[i], v[i], a[i]
    for f in range(rows.rows.shape[0]):
        if rows.rows[f, LENGTH] == 0:
            expand_linear(rows, f, space, q, v, a, n + f)
        else:
            expand_program(rows, f, space, q, v, a, n + f)


@inner
def expand_direction(rows, space, y):
    """C y = [y; D y] in ``space.state[4]``."""
    n, out = y.shape[0], space.state[4]
    for i in range(n):
        out[i] = y[i]
    for f in range(rows.rows.shape[0]):
        out[n + f] = 0.0
        for e in range(rows.rows[f, FIRST], rows.rows[f, FIRST] + rows.rows[f, COUNT]):
            out[n + f] += space.slopes[0, e] * y[rows.leaders[e]]


@inner
def fold_force(rows, space, force, out):
    """out (n,) = C^T force (N,)."""
    n = out.shape[0]
    for i in range(n):
        out[i] = force[i]
    for f in range(rows.rows.shape[0]):
        for e in range(rows.rows[f, FIRST], rows.rows[f, FIRST] + rows.rows[f, COUNT]):
            out[rows.leaders[e]] += space.slopes[0, e] * force[n + f]


@inner
def add_columns(rows, space, scale, X, m, out):
    """out (., n) += scale X d^m C/dt^m for X (., N)."""
    n = out.shape[1]
    if m == 0:
        for r in range(X.shape[0]):
            for j in range(n):
                out[r, j] += scale * X[r, j]
    for f in range(rows.rows.shape[0]):
        for e in range(rows.rows[f, FIRST], rows.rows[f, FIRST] + rows.rows[f, COUNT]):
            slope, c = scale * space.slopes[m, e], rows.leaders[e]
            if slope != 0.0:
                for r in range(X.shape[0]):
                    out[r, c] += slope * X[r, n + f]


@inner
def clear(X):
    """X = 0."""
    for r in range(X.shape[0]):
        for j in range(X.shape[1]):
            X[r, j] = 0.0


@inner
def fold_rows(rows, space, P, out):
    """out (n, n) = C^T P for P (N, n)."""
    n = out.shape[0]
    for i in range(n):
        for j in range(n):
            out[i, j] = P[i, j]
    for f in range(rows.rows.shape[0]):
        for e in range(rows.rows[f, FIRST], rows.rows[f, FIRST] + rows.rows[f, COUNT]):
            slope, c = space.slopes[0, e], rows.leaders[e]
            for j in range(n):
                out[c, j] += slope * P[n + f, j]


@inner
def add_bends(rows, space, force, out):
    """out (n, n) += sum of force (N,) times the second derivatives of followers."""
    n = out.shape[0]
    for f in range(rows.rows.shape[0]):
        first, count, bend = rows.rows[f, FIRST], rows.rows[f, COUNT], rows.rows[f, BEND]
        for s in range(count):
            for t in range(count):
                out[rows.leaders[first + s], rows.leaders[first + t]] += (
                    force[n + f] * space.bends[bend + s * count + t]
                )


@kernel
def expand_state(tree, space, q, v, a):
    """All coordinates, D and their rates, in the scratch behind ``space``, from Python."""
    expand(followers_of(tree.ctypes.data), scratch_of(space.ctypes.data), q, v, a)
