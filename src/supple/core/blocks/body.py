"""Soft bodies of any kinematics: a star of frames that are moved by the same coordinates, and a field of mass.

A BODY block has n >= 1 coordinates.  Its segments all begin at its base: first the *field*, which ends where it begins
and stands for all material points p = f(x, q); then *frames* at stations of the body, the last of them its tip, each a
map g(q) as that of a CUSTOM block (`core.blocks.custom`).

**The field** exchanges only sums over its points with the rest of the robot, so that no sweep sees how many they are.
In world axes a point of mass m has the columns c_j = dp/dq_j, and by true coordinates, with a its acceleration (minus
gravity), u its velocity and p its place (about the common origin),

    da/dq = c'',   da/dv = 2 c',   da/dqdd = c,      F = sum m [p x a; a],      Q_j = sum m a . c_j,
    M c = sum m [p x c; c],   N^T c = sum 2 m [u x c; 0],   dF/dq = sum m [c x a + p x c''; c''],   dF/dv = sum 2 m [p x c'; c'],
    dQ_i/dq_j = sum m (c_i . c''_j + a . dc_i/dq_j),   dQ_i/dv_j = sum 2 m c_i . c'_j,   dQ_i/dqdd_j = sum m c_i . c_j,

which is what `core.inverse_dynamics_derivatives` sums over the points of a rod.  The sums come from a compiled function
of the body's own (`FieldKernel`), called by its address as ``field(data, n, q, v, a, order, memory)``; where they are in
``memory`` is below.  ``order`` is INERTIA, WRENCH, TANGENT or DYNAMICS.
"""  # noqa: E501  (formulas)

from __future__ import annotations

from collections import namedtuple

import numpy as np

from supple.core.arrays import FIELD_BASE, FIELD_VECTORS, field_size, map_size, matrix_at, vector_at
from supple.core.blocks.custom import address_of, call_map
from supple.core.records import MJ, NJ, U_A, U_Q, U_V
from supple.jit import FieldKernel, calling, inlined, inner, opaque
from supple.lie.se3 import compose, dot6

call_field = calling(FieldKernel.kind)

# the same sizes, inside kernels
map_floats, field_floats = inlined(map_size), inlined(field_size)

#: What a field is asked for: M, moments, M c, c.c; F, h, T, M, moments, Q; all; the first two.
INERTIA, WRENCH, TANGENT, DYNAMICS = 0, 1, 2, 3

#: Floats at the head of a field's memory: R and p of the base, its V and A, and its mass, all written before the call;
#: F, h, kinetic energy, sum m p; M, N.
V_AT, A_AT, F_AT, H_AT, ENERGY_AT, MASS_AT, MOMENT_AT, M_AT, N_AT = 12, 18, 24, 30, 36, 37, 38, 42, 78

#: The memory of a field: its head; Q (n,); (6, n) M c, N^T c, dF/dq, dF/dv; (n, n) c.c, dQ/dv, dQ/dq.
Field = namedtuple("Field", ("head", "Q", "Mc", "Nc", "Fq", "Fv", "Qa", "Qv", "Qq"))


@inlined
def field_at(at, n):
    """The `Field` of n coordinates at an address."""
    rows = at + 8 * (FIELD_BASE + n)
    own, row, square = rows + 8 * 6 * FIELD_VECTORS * n, 8 * 6 * n, 8 * n * n
    return Field(
        vector_at(at, (FIELD_BASE,)),
        vector_at(at + 8 * FIELD_BASE, (n,)),
        matrix_at(rows, (6, n)),
        matrix_at(rows + row, (6, n)),
        matrix_at(rows + 2 * row, (6, n)),
        matrix_at(rows + 3 * row, (6, n)),
        matrix_at(own, (n, n)),
        matrix_at(own + square, (n, n)),
        matrix_at(own + 2 * square, (n, n)),
    )


@inlined
def frame_address(block, maps, memory, i):
    """Where the map of the frame at the end of the i-th segment is, i > 0."""
    return address_of(block, maps, memory) + 8 * (field_floats(block.n) + (i - 1) * map_floats(block.n))


@inner
def body_pose(block, maps, memory, i, q, v, order, w):
    """The field ends at the base; frames are where the body's map says, which is asked for all of them at once."""
    if i == 0:
        for k in range(3):
            w.p[k] = w.p0[k]
            for l in range(3):
                w.R[k, l] = w.R0[k, l]
        return
    if i == 1:
        first, frames = 8 * block.start, frame_address(block, maps, memory, 1)
        arguments = (np.int64(q.ctypes.data) + first, np.int64(v.ctypes.data) + first, order, frames)
        call_map(maps[block.map, 0], (maps[block.map, 1], block.n, *arguments))
    at = frame_address(block, maps, memory, i)
    compose(w.R0, w.p0, matrix_at(at, (3, 3)), vector_at(at + 72, (3,)), w.R, w.p)


@inlined
def rest_on_base(previous, w):
    """The field's end moves as the base."""
    for k in range(6):
        w.V[k], w.A[k] = previous.V[k], previous.A[k]


@inner
def clear_field_columns(block, columns):
    """Columns of the field are zero: its sums stand for them."""
    for m in range(4):
        for k in range(opaque(6)):
            for j in range(block.columns, block.columns + block.n):
                columns[m, k, j] = 0.0


@inner
def fill_field(block, maps, memory, segment, q, v, a, order, base, w):
    """Sums of a body's field by its own function; F, h, M, N of its segment ``w``.  ``base`` is what it hangs on.

    The numbers of its segment know its whole mass.
    """
    at, first, n = address_of(block, maps, memory), 8 * block.start, block.n
    head = vector_at(at, (FIELD_BASE,))
    for k in range(3):
        head[9 + k] = w.p0[k]
        for l in range(3):
            head[3 * k + l] = w.R0[k, l]
    head[MASS_AT] = segment.inertia[3, 3]
    for k in range(6):
        head[V_AT + k], head[A_AT + k] = base.V[k], base.A[k]
    state = (np.int64(q.ctypes.data) + first, np.int64(v.ctypes.data) + first, np.int64(a.ctypes.data) + first)
    call_field(maps[block.map, 4], (maps[block.map, 1], n, *state, order, at))
    for k in range(6):
        w.F[k], w.h[k] = head[F_AT + k], head[H_AT + k]
        for l in range(6):
            w.M[k, l], w.N[k, l] = head[M_AT + 6 * k + l], head[N_AT + 6 * k + l]


@inner
def clear_field(block, maps, memory):
    """A body without mass: all sums are zero."""
    size = field_floats(block.n)
    results = vector_at(address_of(block, maps, memory), (size,))
    for i in range(F_AT, size):
        results[i] = 0.0


@inner
def add_field_force(block, maps, memory, out):
    """out += Q."""
    field = field_at(address_of(block, maps, memory), block.n)
    for j in range(block.n):
        out[block.start + j] += field.Q[j]


@inner
def add_scaled_rows(scale, X, out, start):
    """out[:, start:start+n] += scale X for X (6, n)."""
    for k in range(opaque(6)):
        for j in range(X.shape[1]):
            out[k, start + j] += scale * X[k, j]


@inner
def add_scaled_square(scale, X, out, start):
    """out[start:start+n, start:start+n] += scale X for X (n, n)."""
    for i in range(X.shape[0]):
        for j in range(X.shape[0]):
            out[start + i, start + j] += scale * X[i, j]


@inner
def add_field_tangents(block, maps, memory, rates, separate, totals, dq, dv, da):
    """The field's share of what `core.inverse_dynamics_derivatives.rod_sums` sums; ``rates`` has c_v and c_a.

    ``da`` is left out if it has no rows.
    """
    start, cv, ca = block.start, rates[0], rates[2]
    add_field_sums(block, maps, memory, cv, ca, totals[U_Q], totals)
    field = field_at(address_of(block, maps, memory), block.n)
    add_scaled_square(1.0, field.Qq, dq, start)
    if separate:
        add_scaled_rows(1.0, field.Fv, totals[U_V], start)
        add_scaled_rows(1.0, field.Mc, totals[U_A], start)
        add_scaled_square(1.0, field.Qv, dv, start)
        if da.shape[0] > 0:
            add_scaled_square(1.0, field.Qa, da, start)
    else:
        add_scaled_square(cv, field.Qv, dq, start)
        add_scaled_square(ca, field.Qa, dq, start)


@inner
def add_field_sums(block, maps, memory, cv, ca, handed, totals):
    """What the field hands inward, dF by its own coordinates, and how it follows its base: N^T c and M^T c."""
    field, start = field_at(address_of(block, maps, memory), block.n), block.start
    add_scaled_rows(1.0, field.Fq, handed, start)
    add_scaled_rows(cv, field.Fv, handed, start)
    add_scaled_rows(ca, field.Mc, handed, start)
    add_scaled_rows(1.0, field.Nc, totals[NJ], start)
    add_scaled_rows(1.0, field.Mc, totals[MJ], start)


@inner
def add_field_square(block, maps, memory, cv, ca, out):
    """out[own, own] += dQ/dq + c_v dQ/dv + c_a dQ/dqdd."""
    field, start = field_at(address_of(block, maps, memory), block.n), block.start
    add_scaled_square(1.0, field.Qq, out, start)
    add_scaled_square(cv, field.Qv, out, start)
    add_scaled_square(ca, field.Qa, out, start)


@inner
def add_field_rates(block, maps, memory, cv, ca, p, twist, acceleration, w, out):
    """What follows rates, (c_v d/dv + c_a d/dqdd) p: of the wrench into w.dF, of Q into out.

    ``twist`` and ``acceleration`` (6,) are by what those of the base vary along p.
    """
    n, start = block.n, block.start
    field = field_at(address_of(block, maps, memory), n)
    for k in range(6):
        for j in range(n):
            w.dF[k] += (cv * field.Fv[k, j] + ca * field.Mc[k, j]) * p[start + j]
    add_product_transposed(field.Nc, twist, out, start, 1.0)
    add_product_transposed(field.Mc, acceleration, out, start, 1.0)
    for i in range(n):
        for j in range(n):
            out[start + i] += (cv * field.Qv[i, j] + ca * field.Qa[i, j]) * p[start + j]


@inner
def add_field_weights(block, maps, memory, ca, out):
    """out += |c_a| times the diagonal of c.c."""
    field = field_at(address_of(block, maps, memory), block.n)
    for j in range(block.n):
        out[block.start + j] += abs(ca) * field.Qa[j, j]


@inner
def add_field_mass(block, maps, memory, rows, start, M, first):
    """rows[:, start:start+n] += M c, and c.c is added to M from row and column ``first`` on."""
    field = field_at(address_of(block, maps, memory), block.n)
    add_scaled_rows(1.0, field.Mc, rows, start)
    add_scaled_square(1.0, field.Qa, M, first)


@inner
def add_product(X, x, start, out):
    """out (6,) += X x[start:start+n] for X (6, n)."""
    for k in range(6):
        for j in range(X.shape[1]):
            out[k] += X[k, j] * x[start + j]


@inner
def add_product_transposed(X, F, out, start, scale):
    """out[start:start+n] += scale X^T F for X (6, n)."""
    for j in range(X.shape[1]):
        s = 0.0
        for k in range(6):
            s += X[k, j] * F[k]
        out[start + j] += scale * s


@inlined
def own_tangent(field, cv, ca, i, j):
    """Entry of dQ/dq + c_v dQ/dv + c_a dQ/dqdd."""
    return field.Qq[i, j] + cv * field.Qv[i, j] + ca * field.Qa[i, j]


@inner
def add_field_product(block, maps, memory, rates, x, w, out):
    """Tangent times x: the wrench's variation w.dF += dF x, and out += dQ by the motion of the base and by x."""
    n, start, cv, ca = block.n, block.start, rates[0], rates[2]
    field = field_at(address_of(block, maps, memory), n)
    twist = w.dS  # zero: the field's columns are
    add_product(field.Fv, x, start, twist)
    for k in range(6):
        w.dF[k] += cv * twist[k]
        twist[k] = 0.0
    add_product(field.Mc, x, start, twist)
    for k in range(6):
        w.dF[k] += ca * twist[k]
        twist[k] = 0.0
    add_product(field.Fq, x, start, w.dF)
    add_product_transposed(field.Nc, w.dV, out, start, 1.0)
    add_product_transposed(field.Mc, w.dA, out, start, 1.0)
    for i in range(n):
        for j in range(n):
            out[start + i] += own_tangent(field, cv, ca, i, j) * x[start + j]


@inner
def add_field_transposed(block, maps, memory, rates, y, w, out):
    """The same transposed: out += dF^T z + dQ^T y, with z = w.dS of the base."""
    n, start, cv, ca = block.n, block.start, rates[0], rates[2]
    field = field_at(address_of(block, maps, memory), n)
    add_product_transposed(field.Fq, w.dS, out, start, 1.0)
    add_product_transposed(field.Fv, w.dS, out, start, cv)
    add_product_transposed(field.Mc, w.dS, out, start, ca)
    for i in range(n):
        for j in range(n):
            out[start + j] += own_tangent(field, cv, ca, i, j) * y[start + i]


@inner
def add_field_rates_transposed(block, maps, memory, y, w, by_rate, by_acceleration):
    """by_rate += F_v^T z + Q_v^T y and by_acceleration += F_a^T z + Q_a^T y: these apart, with z = w.dS of the base."""
    n, start = block.n, block.start
    field = field_at(address_of(block, maps, memory), n)
    add_product_transposed(field.Fv, w.dS, by_rate, start, 1.0)
    add_product_transposed(field.Mc, w.dS, by_acceleration, start, 1.0)
    for i in range(n):
        for j in range(n):
            by_rate[start + j] += field.Qv[i, j] * y[start + i]
            by_acceleration[start + j] += field.Qa[i, j] * y[start + i]


@inner
def add_field_cotangents(block, maps, memory, y, w):
    """dV += sum N^T c y and dA += sum M^T c y: cotangents of what moves the base."""
    field = field_at(address_of(block, maps, memory), block.n)
    add_product(field.Nc, y, block.start, w.dV)
    add_product(field.Mc, y, block.start, w.dA)


@inner
def add_field_momentum(block, maps, memory, y, out):
    """out (6,) += sum M c y."""
    field = field_at(address_of(block, maps, memory), block.n)
    add_product(field.Mc, y, block.start, out)


@inner
def add_field_energy(block, maps, memory, gravity, w, energy):
    """Kinetic energy += T - V . h / 2, that of gravity -= g . (sum of m p - m p_base), of a field of mass.

    These take the place of what its base would have with the same momentum h and mass m; T is the field's own.
    """
    head = vector_at(address_of(block, maps, memory), (FIELD_BASE,))
    energy[0] += head[ENERGY_AT] - 0.5 * dot6(w.V, w.h)
    for k in range(3):
        energy[2] -= gravity[k] * (head[MOMENT_AT + k] - head[MASS_AT] * w.p[k])
