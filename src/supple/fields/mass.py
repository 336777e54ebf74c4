"""The field of mass of a soft body: sums over all its material points (`core.blocks.body` says which).

Points are run in the frame of the body's base, where with f(x, q) the place of a point, w and alpha the base's angular
velocity and acceleration, v0 and a0 velocity and acceleration of its origin (minus gravity),

    u = v0 + w x f + f',                 a = a0 + alpha x f + w x (w x f) + 2 w x f' + f'',
    c' = f_q' + w x f_q  (in place),     c'' = f_q'' + w x (f_q' + c') + alpha x f_q.

Sums run lane by lane and are added up at the end; only they are turned to world axes about the common origin.
"""

from __future__ import annotations

from supple.core.arrays import field_size, floats, handle_at, integers, matrix_at, vector_at
from supple.core.blocks.body import (
    A_AT,
    DYNAMICS,
    ENERGY_AT,
    F_AT,
    H_AT,
    INERTIA,
    M_AT,
    MASS_AT,
    MOMENT_AT,
    N_AT,
    TANGENT,
    V_AT,
    field_at,
    field_floats,
    map_floats,
)
from supple.core.blocks.body import WRENCH as WRENCH_ORDER
from supple.core.inertia import add_coadbar, world_inertia
from supple.fields.interpreter import (
    clear_hessian,
    finish_hessian,
    has_slope,
    pull_places,
    run_at,
    run_floats,
    run_places,
    slope_row,
    start_run,
    value_row,
)
from supple.fields.layout import ITSELF, KIND, LANES, MASSES, NUMBERS, POINTS, ROWS, SLOPE, STATION_COUNT
from supple.fields.rows import (
    add_dot,
    add_dot3,
    add_force,
    add_moment,
    add_two_dots,
    clear_row,
    copy_row,
    multiply_rows,
    turn_rates,
)
from supple.jit import FieldKernel, inlined, inner, local_array
from supple.lie.se3 import Ad_inverse
from supple.tracing.plan import Plan

_twist, _matrix, _base, _totals = local_array(6), local_array(6, 6), local_array(12), local_array(35)

#: Rows of sums over points that do not depend on n: mass; first, second moments; F; h; kinetic energy; sum m f'; sum
#: m f f'^T.
MASS, FIRST, SECOND, WRENCH, MOMENTUM, KINETIC, DRIFT, MIXED = 0, 1, 4, 10, 16, 22, 23, 26
SCALARS = 35
#: Rows of each coordinate: Q; M c; N^T c (angular part); dF/dq; dF/dv.
FORCE, INERTIAL, GYROSCOPIC, BY_Q, BY_V = 0, 1, 7, 10, 16
PER_COORDINATE = 22
#: Rows of places, velocities and accelerations, and three of scratch; those of c, c', c'' of all coordinates follow.
LOCAL = 12


def field_scratch(plan: Plan) -> int:
    """Floats that the field needs for itself; where it tells of a parameter, see `slope_scratch`."""
    n = plan.n
    return plan.memory(LANES) + LANES * (SCALARS + PER_COORDINATE * n + 3 * n * n + LOCAL + 9 * n)


def slope_scratch(plan: Plan) -> int:
    """Floats that the derivative by a parameter needs, of a plan with its coordinate."""
    return 3 * plan.n + field_size(plan.n) + field_scratch(plan)


@inner
def base_motion(head, R, p, out):
    """out (12,) = w, v0, alpha, a0 of the base in its own axes."""
    V, A, twist = _twist(), _twist(), _twist()
    for k in range(6):
        twist[k] = head[V_AT + k]
    Ad_inverse(R, p, twist, V)
    for k in range(6):
        twist[k] = head[A_AT + k]
    Ad_inverse(R, p, twist, A)
    for k in range(3):
        out[k], out[3 + k], out[6 + k] = V[k], V[3 + k], A[k]
    out[9] = A[3] + V[1] * V[5] - V[2] * V[4]
    out[10] = A[4] + V[2] * V[3] - V[0] * V[5]
    out[11] = A[5] + V[0] * V[4] - V[1] * V[3]


@inner
def add_points(run, moves, base, masses, first, state, sums):
    """u = v0 + w x f + f', a = a0 + alpha x f + w x (w x f + 2 f') + f'' of the points of a run, and their sums.

    Sums over points of m, m f, m f f^T, m [f x a; a], m [f x u; u], m u^2 / 2, m f', m f f'^T, in the axes of the base;
    ``state`` (9, lanes) receives f, u, a.  ``moves`` says whether places have rates.
    """
    r, at, bt, ct = run.registers, value_row(run, 0, 0), value_row(run, 1, 0), value_row(run, 2, 0)
    x, dx, ddx = r[at], r[at + 1], r[at + 2]
    y, dy, ddy = r[bt], r[bt + 1], r[bt + 2]
    z, dz, ddz = r[ct], r[ct + 1], r[ct + 2]
    w0, w1, w2, v0, v1, v2 = base[0], base[1], base[2], base[3], base[4], base[5]
    for k in range(LANES):
        m = masses[0, first + k]
        a, b, c = x[k], y[k], z[k]
        da, db, dc = (dx[k], dy[k], dz[k]) if moves else (0.0, 0.0, 0.0)
        dda, ddb, ddc = (ddx[k], ddy[k], ddz[k]) if moves else (0.0, 0.0, 0.0)
        r0, r1, r2 = w1 * c - w2 * b, w2 * a - w0 * c, w0 * b - w1 * a  # w x f
        s0, s1, s2 = r0 + 2.0 * da, r1 + 2.0 * db, r2 + 2.0 * dc
        u0, u1, u2 = v0 + r0 + da, v1 + r1 + db, v2 + r2 + dc
        a0 = base[9] + base[7] * c - base[8] * b + w1 * s2 - w2 * s1 + dda
        a1 = base[10] + base[8] * a - base[6] * c + w2 * s0 - w0 * s2 + ddb
        a2 = base[11] + base[6] * b - base[7] * a + w0 * s1 - w1 * s0 + ddc
        state[0, k], state[1, k], state[2, k] = a, b, c
        state[3, k], state[4, k], state[5, k] = u0, u1, u2
        state[6, k], state[7, k], state[8, k] = a0, a1, a2
        sums[MASS, k] += m
        add_vector(sums, FIRST, k, m, a, b, c)
        add_vector(sums, SECOND, k, m, a * a, b * b, c * c)
        add_vector(sums, SECOND + 3, k, m, a * b, a * c, b * c)
        add_vector(sums, WRENCH, k, m, b * a2 - c * a1, c * a0 - a * a2, a * a1 - b * a0)
        add_vector(sums, WRENCH + 3, k, m, a0, a1, a2)
        add_vector(sums, MOMENTUM, k, m, b * u2 - c * u1, c * u0 - a * u2, a * u1 - b * u0)
        add_vector(sums, MOMENTUM + 3, k, m, u0, u1, u2)
        sums[KINETIC, k] += 0.5 * m * (u0 * u0 + u1 * u1 + u2 * u2)
        add_vector(sums, DRIFT, k, m, da, db, dc)
        add_vector(sums, MIXED, k, m * a, da, db, dc)
        add_vector(sums, MIXED + 3, k, m * b, da, db, dc)
        add_vector(sums, MIXED + 6, k, m * c, da, db, dc)


@inlined
def add_vector(sums, row, k, m, a, b, c):
    """sums[row : row + 3] += m [x, y, z] in lane k."""
    sums[row, k] += m * a
    sums[row + 1, k] += m * b
    sums[row + 2, k] += m * c


@inner
def fill_columns(run, base, j, order, columns):
    """columns (9, lanes) = c, c', c'' of coordinate j in the base's axes; c alone unless ``order`` is TANGENT."""
    for i in range(3):
        for m in range(3 if order == TANGENT else 1):
            if has_slope(run, i, j):
                copy_row(run.registers[slope_row(run, i, j, m)], columns[3 * m + i])
            else:
                clear_row(columns[3 * m + i])
    if order == TANGENT:
        turn_rates(
            base[0], base[1], base[2], base[6], base[7], base[8], columns[0], columns[1], columns[2],
            columns[3], columns[4], columns[5], columns[6], columns[7], columns[8],
        )  # fmt: skip


@inner
def add_coordinate(columns, state, m, order, sums):
    """Sums (22, lanes) of one coordinate, see PER_COORDINATE; m (lanes,) are masses."""
    a, b, c = columns[0], columns[1], columns[2]
    x, y, z, a0, a1, a2 = state[0], state[1], state[2], state[6], state[7], state[8]
    add_dot(m, a, b, c, a0, a1, a2, sums[FORCE])
    r = INERTIAL
    add_moment(1.0, m, x, y, z, a, b, c, sums[r], sums[r + 1], sums[r + 2])
    add_force(1.0, m, a, b, c, sums[r + 3], sums[r + 4], sums[r + 5])
    if order == TANGENT:
        d0, d1, d2, e0, e1, e2 = columns[3], columns[4], columns[5], columns[6], columns[7], columns[8]
        r = GYROSCOPIC
        add_moment(2.0, m, state[3], state[4], state[5], a, b, c, sums[r], sums[r + 1], sums[r + 2])
        r = BY_Q
        add_moment(1.0, m, a, b, c, a0, a1, a2, sums[r], sums[r + 1], sums[r + 2])
        add_moment(1.0, m, x, y, z, e0, e1, e2, sums[r], sums[r + 1], sums[r + 2])
        add_force(1.0, m, e0, e1, e2, sums[r + 3], sums[r + 4], sums[r + 5])
        r = BY_V
        add_moment(2.0, m, x, y, z, d0, d1, d2, sums[r], sums[r + 1], sums[r + 2])
        add_force(2.0, m, d0, d1, d2, sums[r + 3], sums[r + 4], sums[r + 5])


@inner
def add_pairs(columns, n, m, order, weighted, own):
    """Sums of m c_i . c_j, and of 2 m c_i . c'_j and m c_i . c''_j: rows of own (3 n n, lanes).

    ``columns`` (9 n, lanes) are those of all coordinates; ``weighted`` (3, lanes) is scratch.
    """
    w0, w1, w2 = weighted[0], weighted[1], weighted[2]
    for i in range(n):
        for axis in range(3):
            multiply_rows(m, columns[9 * i + axis], weighted[axis])
        for j in range(n):
            r, c = i * n + j, 9 * j
            if i <= j:
                add_dot3(w0, w1, w2, columns[c], columns[c + 1], columns[c + 2], own[r])
            if order == TANGENT:
                add_two_dots(
                    w0, w1, w2, columns[c + 3], columns[c + 4], columns[c + 5], columns[c + 6], columns[c + 7],
                    columns[c + 8], own[n * n + r], own[2 * n * n + r],
                )  # fmt: skip


@inner
def lane_sum(row):
    """sum of x_k over lanes."""
    total = 0.0
    for k in range(LANES):
        total += row[k]
    return total


@inlined
def turn_wrench(R, p, a, b, c, x, y, z, out):
    """out (6,) = a wrench [a, b, c; x, y, z] at the base, in world axes about the common origin."""
    for i in range(3):
        out[i] = R[i, 0] * a + R[i, 1] * b + R[i, 2] * c
        out[3 + i] = R[i, 0] * x + R[i, 1] * y + R[i, 2] * z
    out[0] += p[1] * out[5] - p[2] * out[4]
    out[1] += p[2] * out[3] - p[0] * out[5]
    out[2] += p[0] * out[4] - p[1] * out[3]


@inner
def write_inertia(s, M):
    """M (6, 6) about the base, in its axes, from mass, first and second moments s."""
    m, x, y, z = s[MASS], s[FIRST], s[FIRST + 1], s[FIRST + 2]
    xx, yy, zz, xy, xz, yz = s[SECOND], s[SECOND + 1], s[SECOND + 2], s[SECOND + 3], s[SECOND + 4], s[SECOND + 5]
    for i in range(6):
        for j in range(6):
            M[i, j] = m if i == j and i > 2 else 0.0
    M[0, 0], M[1, 1], M[2, 2] = yy + zz, xx + zz, xx + yy
    M[0, 1], M[0, 2], M[1, 2] = -xy, -xz, -yz
    M[1, 0], M[2, 0], M[2, 1] = -xy, -xz, -yz
    M[0, 4], M[0, 5], M[1, 5], M[1, 3], M[2, 3], M[2, 4] = -z, y, -x, z, -y, x
    M[4, 0], M[5, 0], M[5, 1], M[3, 1], M[3, 2], M[4, 2] = -z, y, -x, z, -y, x


@inner
def write_velocity_tangent(s, base, M, N):
    """N = adbar*_h - X - X^T about the base, X = M ad_V + sum m [[f~ f'~, 0], [f'~, 0]] ([GVS-AD] 20a)."""
    X = _matrix()
    w0, w1, w2, v0, v1, v2 = base[0], base[1], base[2], base[3], base[4], base[5]
    for i in range(6):
        a, b, c, d, e, f = M[i, 0], M[i, 1], M[i, 2], M[i, 3], M[i, 4], M[i, 5]
        X[i, 0] = b * w2 - c * w1 + e * v2 - f * v1
        X[i, 1] = c * w0 - a * w2 + f * v0 - d * v2
        X[i, 2] = a * w1 - b * w0 + d * v1 - e * v0
        X[i, 3] = e * w2 - f * w1
        X[i, 4] = f * w0 - d * w2
        X[i, 5] = d * w1 - e * w0
    # f~ u~ = u f^T - (f . u) I; MIXED holds sum m f u^T row by row
    trace = s[MIXED] + s[MIXED + 4] + s[MIXED + 8]
    for i in range(3):
        for j in range(3):
            X[i, j] += s[MIXED + 3 * j + i] - (trace if i == j else 0.0)
    a, b, c = s[DRIFT], s[DRIFT + 1], s[DRIFT + 2]
    X[3, 1] -= c
    X[3, 2] += b
    X[4, 0] += c
    X[4, 2] -= a
    X[5, 0] -= b
    X[5, 1] += a
    h = _twist()
    for i in range(6):
        h[i] = s[MOMENTUM + i]
        for j in range(6):
            N[i, j] = -X[i, j] - X[j, i]
    add_coadbar(h, N)


@inner
def turn_matrix(R, p, N):
    """N = Ad^-T N Ad^-1, in place: a matrix of wrenches by twists at the base, about the common origin."""
    x = _twist()
    for i in range(6):
        turn_wrench(R, p, N[i, 0], N[i, 1], N[i, 2], N[i, 3], N[i, 4], N[i, 5], x)
        for j in range(6):
            N[i, j] = x[j]
    for j in range(6):
        turn_wrench(R, p, N[0, j], N[1, j], N[2, j], N[3, j], N[4, j], N[5, j], x)
        for i in range(6):
            N[i, j] = x[i]


@inner
def write_whole(s, head, R, p, base, order, at):
    """F = sum m [p x a; a], h = sum m [p x u; u], sum m u^2 / 2, sum m p, M and N of the memory, from the sums s."""
    local, x = _matrix(), _twist()
    M, N = matrix_at(at + 8 * M_AT, (6, 6)), matrix_at(at + 8 * N_AT, (6, 6))
    write_inertia(s, local)
    world_inertia(R, p, local, M)
    if order == TANGENT:
        write_velocity_tangent(s, base, local, N)
        turn_matrix(R, p, N)
    for start in range(2):
        row, into = (WRENCH, F_AT) if start == 0 else (MOMENTUM, H_AT)
        turn_wrench(R, p, s[row], s[row + 1], s[row + 2], s[row + 3], s[row + 4], s[row + 5], x)
        for k in range(6):
            head[into + k] = x[k]
    head[ENERGY_AT] = s[KINETIC]
    for i in range(3):
        y = R[i, 0] * s[FIRST] + R[i, 1] * s[FIRST + 1] + R[i, 2] * s[FIRST + 2]
        head[MOMENT_AT + i] = y + s[MASS] * p[i]


@inner
def write_coordinate(scale, sums, R, p, j, order, field):
    """Q_j, and column j of M c, N^T c, dF/dq, dF/dv of the field's memory, from sums (22, lanes)."""
    field.Q[j] = scale * lane_sum(sums[FORCE])
    write_column(scale, sums, INERTIAL, R, p, j, field.Mc)
    if order == TANGENT:
        write_column(scale, sums, BY_Q, R, p, j, field.Fq)
        write_column(scale, sums, BY_V, R, p, j, field.Fv)
        x = _twist()
        a, b, c = lane_sum(sums[GYROSCOPIC]), lane_sum(sums[GYROSCOPIC + 1]), lane_sum(sums[GYROSCOPIC + 2])
        turn_wrench(R, p, a, b, c, 0.0, 0.0, 0.0, x)
        for k in range(6):
            field.Nc[k, j] = scale * x[k]


@inner
def write_column(scale, sums, row, R, p, j, out):
    """out_j = scale [R m + p x R f; R f] of the wrench [m; f] that six rows of sums are, from ``row`` on."""
    x = _twist()
    a, b, c = lane_sum(sums[row]), lane_sum(sums[row + 1]), lane_sum(sums[row + 2])
    d, e, f = lane_sum(sums[row + 3]), lane_sum(sums[row + 4]), lane_sum(sums[row + 5])
    turn_wrench(R, p, a, b, c, d, e, f, x)
    for k in range(6):
        out[k, j] = scale * x[k]


@inner
def write_pairs(scale, own, H, n, order, field):
    """sum m c_i . c_j, sum 2 m c_i . c'_j and sum m (c_i . c''_j + a . dc_i/dq_j) of the field's memory.

    From own (3 n n, lanes) and the Hessian H (n n, lanes).
    """
    Qa, Qv, Qq = field.Qa, field.Qv, field.Qq
    for i in range(n):
        for j in range(i, n):
            x = scale * lane_sum(own[i * n + j])
            Qa[i, j], Qa[j, i] = x, x
    if order == TANGENT:
        for i in range(n):
            for j in range(n):
                Qv[i, j] = scale * lane_sum(own[n * n + i * n + j])
                x = lane_sum(own[2 * n * n + i * n + j]) + lane_sum(H[min(i, j) * n + max(i, j)])
                Qq[i, j] = scale * x


@inner
def sum_field(data, masses, n, q_at, v_at, a_at, order, at, memory):
    """F = sum m [p x a; a], Q_j = sum m a . c_j and all else of `core.blocks.body`, into the field at an address."""
    run = run_at(data, ROWS, POINTS, LANES, memory)
    memory += 8 * run_floats(run)
    rows = SCALARS + PER_COORDINATE * n + 3 * n * n
    sums = matrix_at(memory, (rows + LOCAL + 9 * n, LANES))
    own, state = sums[SCALARS + PER_COORDINATE * n :], sums[rows:]
    weighted, columns = sums[rows + 9 :], sums[rows + LOCAL :]
    total, base = _totals(), _base()
    field, R, p = field_at(at, n), matrix_at(at, (3, 3)), vector_at(at + 72, (3,))
    head, scale = field.head, field.head[MASS_AT]  # masses of points are parts of the whole
    q, v, a = vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(a_at, (n,))
    tangent, pairs = order == TANGENT, order in (TANGENT, INERTIA, DYNAMICS)
    rates = 0 if order == INERTIA else 2
    base_motion(head, R, p, base)
    for i in range(rows):
        clear_row(sums[i])
    if tangent:
        clear_hessian(run)
    start_run(run, q, v, a, rates, 2 if tangent else 0)
    for first in range(0, masses.shape[1], LANES):
        m = masses[0, first : first + LANES]
        run_places(run, first, rates, 2 if tangent else 0)
        add_points(run, rates > 0, base, masses, first, state, sums)
        for j in range(n):
            fill_columns(run, base, j, order, columns[9 * j :])
            add_coordinate(columns[9 * j :], state, m, order, sums[SCALARS + PER_COORDINATE * j :])
        if pairs:
            add_pairs(columns, n, m, order, weighted, own)
        if tangent:
            for axis in range(3):
                multiply_rows(m, state[6 + axis], run.weights[axis])
            pull_places(run, first)
    if tangent:
        finish_hessian(run)
    for i in range(SCALARS):
        total[i] = scale * lane_sum(sums[i])
    write_whole(total, head, R, p, base, order, at)
    for j in range(n):
        write_coordinate(scale, sums[SCALARS + PER_COORDINATE * j :], R, p, j, order, field)
    if pairs:
        write_pairs(scale, own, run.H, n, order, field)


@inner
def slope_field(data, masses, n, q_at, v_at, a_at, at, memory):
    """Derivatives of F and Q by the coordinate behind the others, along which the body's own numbers change."""
    more, out = n + 1, field_at(at, n)
    state, beyond = matrix_at(memory, (3, more)), memory + 8 * 3 * more
    for i in range(3):
        given = vector_at(q_at if i == 0 else (v_at if i == 1 else a_at), (n,))
        for j in range(n):
            state[i, j] = given[j]
        state[i, n] = 0.0
    whole, memory = field_at(beyond, more), beyond + 8 * field_floats(more)
    q, v, a = state[0].ctypes.data, state[1].ctypes.data, state[2].ctypes.data
    for part in range(masses.shape[0]):  # masses that stay, places that move; then the other way around
        for k in range(F_AT):
            whole.head[k] = out.head[k]
        whole.head[MASS_AT] = out.head[MASS_AT]
        order = TANGENT if part == 0 else WRENCH_ORDER
        sum_field(data, masses[part : part + 1], more, q, v, a, order, beyond, memory)
        for k in range(6):
            x = whole.Fq[k, n] if part == 0 else whole.head[F_AT + k]
            out.head[F_AT + k] = x if part == 0 else out.head[F_AT + k] + x
        for j in range(n):
            out.Q[j] = whole.Qq[j, n] if part == 0 else out.Q[j] + whole.Q[j]


def _field(data, n, q_at, v_at, a_at, order, at):
    """Sums over all points, see `core.blocks.body`, or what `fields.layout` says in place of them."""
    h = handle_at(data, ROWS)
    numbers, masses = integers(h, NUMBERS), floats(h, MASSES)
    memory = at + 8 * (field_floats(n) + (1 + numbers[0, STATION_COUNT]) * map_floats(n))
    if numbers[0, KIND] == ITSELF:
        sum_field(data, masses, n, q_at, v_at, a_at, order, at, memory)
    elif numbers[0, KIND] == SLOPE:
        slope_field(data, masses, n, q_at, v_at, a_at, at, memory)
    else:
        field = field_at(at, n)
        for k in range(6):
            field.head[F_AT + k] = 0.0
        for j in range(n):
            field.Q[j] = 0.0


FIELD = FieldKernel(_field)
