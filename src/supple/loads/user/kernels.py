"""Kernels of users' laws: their arguments, and what their wrenches and tangents become in world axes.

`point_laws`: F_b = law(t, g, eta, etadot, xi) in the axes of a frame g fixed to a segment.  With the columns of its
tangent [X, Y, Z, S] (by pose, twist, acceleration, strain) the segment sees, in world axes (`loads.frames`),

    dF = X zeta + Y zeta' + Z (zeta'' - ad_V zeta') + S dxi.

`pair_law`: F_b = law(t, h, eta) of the pose h = g_a^-1 g_b of b in a and of the relative twist in the axes of a,
eta = Ad_h eta_b - eta_a.  It acts on a, and its opposite on b.  With the tangent [X, Y] (X by dh h^-1), a's segment
sees dF = (X - Y ad_{V_b}) (zeta_b - zeta_a) + Y (zeta_b' - zeta_a'), b's sees -dF + adbar*_F (zeta_b - zeta_a).

Laws with internal states find z behind their other arguments; it comes from signals, and z' = rate(...) goes there.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

from numba import types
from numba.extending import intrinsic

from supple.core.arrays import space_view
from supple.core.inertia import add_coadbar
from supple.core.load_data import Columns, Floats, Incidental, Integers, Poses, load_view
from supple.core.loads import TANGENT, WRENCH, add_coupling
from supple.jit import LoadKernel, inner, local_array
from supple.lie.se3 import Ad_inverse, compose, exp
from supple.loads.frames import carry_operator, carry_wrench, subtract_body_wrench

#: Where arguments begin in the inputs of a point's law, and how many inputs there are; a pair's end after the twist.
POSE, TWIST, ACCELERATION, STRAIN, POINT_INPUTS, PAIR_INPUTS = 1, 17, 23, 29, 35, 23
#: Rows of a wrench, columns of a pair's tangent.
ROWS, PAIR_COLUMNS = 6, 12
#: Internal states at most, which stand behind the other inputs, and inputs of any law at most.
MOST_STATES = 8
MOST_INPUTS = POINT_INPUTS + MOST_STATES

#: Columns of the table of addresses; 0 where the user gives none.
LAW, SLOPE, RATE = 0, 1, 2

#: Step of differenced tangents, relative to arguments larger than one; fourth order.
STEP = 1e-4

#: What a C function returns (0 is what Numba's do after an exception), and what a kernel notes of a law that failed.
RAISED, FINE, WRONG_SHAPE, NOT_FINITE = 0, 1, 2, 3

_position, _rotation, _six, _matrix = local_array(3), local_array(3, 3), local_array(6), local_array(6, 6)
_inputs = local_array(MOST_INPUTS)
_outputs = local_array(MOST_STATES)  # of a law or of a rate
_tangent = local_array(144)  # of a slope, row by row: 6 rows of up to 24 columns


class PointLawData(NamedTuple):
    """Arrays of a law at k points."""

    where: Integers  #: (k, 2) segment, node
    numbers: Integers  #: (1, 6) uses (bits), time's signal, width of the tangent, states per point, signals of z and z'
    functions: Annotated[Integers, Incidental()]  #: (1, 3) addresses: law, tangent, rate
    state: Annotated[Integers, Incidental()]  #: (1, 2) what failed
    weights: Annotated[Floats, Columns(weight="")]  #: (k, 1); of those along rods lengths [m]
    offsets: Poses  #: (k,)


class PairLawData(NamedTuple):
    """Arrays of a law between two points."""

    ends: Integers  #: (2, 1) segments
    numbers: Integers  #: (1, 4) time's signal, states, first signals of z and z'
    functions: Annotated[Integers, Incidental()]  #: (1, 3) addresses: law, tangent, rate
    state: Annotated[Integers, Incidental()]  #: (1, 2) what failed
    offsets: Poses  #: (2,)


point_law_data, pair_law_data = load_view(PointLawData), load_view(PairLawData)


@intrinsic
def _call_law(typing_context: Any, function: Any, inputs: Any, outputs: Any) -> Any:
    """Call the C function at an address: int64(double *inputs, double *outputs)."""
    signature = types.int64(types.int64, types.int64, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from llvmlite import ir

        integer = ir.IntType(64)
        kind = ir.FunctionType(integer, [integer] * 2)
        return builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), arguments[1:])

    return signature, generate


@inner
def evaluate(functions, which, x, y, n, state):
    """y[:n] = functions[0, which](x); NaN and a note in ``state`` if it fails.  Returns whether all is well."""
    status = _call_law(functions[0, which], x.ctypes.data, y.ctypes.data)
    finite = True
    for i in range(n):
        finite &= math.isfinite(y[i])
    if status == FINE and finite:
        return True
    y[0] = math.nan
    state[0, 0], state[0, 1] = NOT_FINITE if status == FINE else status, which
    return False


@inner
def read_states(space, first, count, x, at):
    """Internal states, from signals into the inputs."""
    for k in range(count):
        x[at + k] = space.signals[first + k]


@inner
def write_rates(space, functions, x, first, count, state):
    """z' into the signals.  Returns success."""
    if count == 0:
        return True
    y = _outputs()
    fine = evaluate(functions, RATE, x, y, count, state)
    for k in range(count):
        space.signals[first + k] = y[k] if fine else math.nan
    return fine


@inner
def perturb(x, part, i, h, left, y):
    """y = x with its pose turned by exp(h e_i) (from the right, or from the left), or an entry moved by h."""
    for k in range(MOST_INPUTS):
        y[k] = x[k]
    if part != POSE:
        y[part + i] += h
        return
    R, p, R1, p1, R2, p2 = _rotation(), _position(), _rotation(), _position(), _rotation(), _position()
    Omega = _six()
    for k in range(6):
        Omega[k] = h if k == i else 0.0
    exp(Omega, R, p)
    for k in range(3):
        p1[k] = x[POSE + 4 * k + 3]
        for l in range(3):
            R1[k, l] = x[POSE + 4 * k + l]
    if left:
        compose(R, p, R1, p1, R2, p2)
    else:
        compose(R1, p1, R, p, R2, p2)
    set_pose(R2, p2, y)


@inner
def set_pose(R, p, x):
    """The pose among the inputs."""
    for k in range(3):
        x[POSE + 4 * k + 3] = p[k]
        x[POSE + 12 + k] = 0.0
        for l in range(3):
            x[POSE + 4 * k + l] = R[k, l]
    x[POSE + 15] = 1.0


@inner
def difference(functions, x, part, column, width, left, state, T):
    """T_i = (f(-2 h) - 8 f(-h) + 8 f(h) - f(2 h)) / 12 h, six columns of T (6, width), along a part of the inputs.

    A pose is moved by exp of a twist.  Returns success.
    """
    moved, y = _inputs(), _outputs()
    for i in range(6):
        h = STEP if part == POSE else STEP * max(1.0, abs(x[part + i]))
        for k in range(6):
            T[width * k + column + i] = 0.0
        for m in range(4):
            step, factor = (-2.0, 1.0, -1.0, 2.0)[m], (1.0, 8.0, -8.0, -1.0)[m]
            perturb(x, part, i, step * h, left, moved)
            if not evaluate(functions, LAW, moved, y, ROWS, state):
                return False
            for k in range(6):
                T[width * k + column + i] += factor * y[k] / (12.0 * h)
    return True


@inner
def block_of(T, width, column, out):
    """out (6, 6) = six columns of T."""
    for i in range(6):
        for j in range(6):
            out[i, j] = T[width * i + column + j]


@inner
def subtract_commuted(s, W, V, N):
    """N -= s W ad_V."""
    for i in range(6):
        a, b, c, d, e, f = W[i, 0], W[i, 1], W[i, 2], W[i, 3], W[i, 4], W[i, 5]
        N[i, 0] -= s * (b * V[2] - c * V[1] + e * V[5] - f * V[4])
        N[i, 1] -= s * (c * V[0] - a * V[2] + f * V[3] - d * V[5])
        N[i, 2] -= s * (a * V[1] - b * V[0] + d * V[4] - e * V[3])
        N[i, 3] -= s * (e * V[2] - f * V[1])
        N[i, 4] -= s * (f * V[0] - d * V[2])
        N[i, 5] -= s * (d * V[1] - e * V[0])


@inner
def subtract(s, A, B):
    """B -= s A for (6, 6)."""
    for i in range(6):
        for j in range(6):
            B[i, j] -= s * A[i, j]


@inner
def frame_of(space, segment, offset, R, p):
    """Pose of a frame fixed to a segment, from the common origin."""
    w = space.work[segment]
    compose(w.R, w.p, offset.R, offset.p, R, p)


@inner
def point_inputs(space, w, R, p, time, node, uses, x):
    """t, g (from the world's origin), eta, etadot, xi; NaN for what the law does not declare."""
    base, position, acceleration = space.work[0], _position(), _six()
    for k in range(POINT_INPUTS):
        x[k] = math.nan
    x[0] = time
    if uses & 1:
        for k in range(3):
            position[k] = p[k] - base.p[k]
        set_pose(R, position, x)
    if uses & 2:
        Ad_inverse(R, p, w.V, x[TWIST : TWIST + 6])
    if uses & 4:
        for k in range(3):
            acceleration[k], acceleration[3 + k] = w.A[k], w.A[3 + k] - base.A[3 + k]  # gravity is inside A
        Ad_inverse(R, p, acceleration, x[ACCELERATION : ACCELERATION + 6])
    if uses & 8:
        for k in range(6):
            x[STRAIN + k] = space.stress[node].xi[k]


@inner
def point_tangent(space, w, segment, weight, R, p, node, uses, T, width):
    """G -= w (X - Z ad_A0), N -= w (Y - Z ad_V), M -= w Z of the segment, and a coupling G = -w Ad^-T S to the strain.

    World axes; w is the ``weight``, A0 the acceleration of the world; T = [X, Y, Z, S] has six columns for each of its
    arguments in use.
    """
    H, W, column = _matrix(), _matrix(), 0
    if uses & 1:
        block_of(T, width, column, H)
        carry_operator(R, p, H, W)
        subtract(weight, W, w.G)
        column += 6
    if uses & 2:
        block_of(T, width, column, H)
        carry_operator(R, p, H, W)
        subtract(weight, W, w.N)
        column += 6
    if uses & 4:
        block_of(T, width, column, H)
        carry_operator(R, p, H, W)
        subtract(weight, W, w.M)
        subtract_commuted(-weight, W, w.V, w.N)
        subtract_commuted(-weight, W, space.work[0].A, w.G)  # zeta'' is that of A, which has gravity inside
        column += 6
    if uses & 8:
        block_of(T, width, column, H)
        G = add_coupling(space, segment, -(node + 1)).G
        for j in range(6):  # Ad^-T H
            for i in range(3):
                G[i, j] = -weight * (R[i, 0] * H[0, j] + R[i, 1] * H[1, j] + R[i, 2] * H[2, j])
                G[3 + i, j] = -weight * (R[i, 0] * H[3, j] + R[i, 1] * H[4, j] + R[i, 2] * H[5, j])
            for i in range(3):
                k, l = (i + 1) % 3, (i + 2) % 3
                G[i, j] += p[k] * G[3 + l, j] - p[l] * G[3 + k, j]


@inner
def difference_used(functions, x, uses, width, state, T):
    """All columns of T by differences.  Returns success."""
    column = 0
    for k in range(4):
        if uses & (1 << k):
            part = (POSE, TWIST, ACCELERATION, STRAIN)[k]
            if not difference(functions, x, part, column, width, False, state, T):
                return False
            column += 6
    return True


def _point_laws(tree, space, data, mode):
    """One law at several points, see `PointLawData`."""
    if mode != WRENCH and mode != TANGENT:
        return
    scratch, own = space_view(space), point_law_data(data)
    where, law, functions, state = own.where, own.numbers, own.functions, own.state
    weights, offsets = own.weights, own.offsets
    x, y, T, R, p, F = _inputs(), _outputs(), _tangent(), _rotation(), _position(), _six()
    uses, time, width = law[0, 0], scratch.signals[law[0, 1]], law[0, 2]
    states, first, first_rate = law[0, 3], law[0, 4], law[0, 5]
    for i in range(where.shape[0]):
        w, weight = scratch.work[where[i, 0]], weights[i, 0]
        frame_of(scratch, where[i, 0], offsets[i], R, p)
        point_inputs(scratch, w, R, p, time, where[i, 1], uses, x)
        read_states(scratch, first + states * i, states, x, POINT_INPUTS)
        fine = evaluate(functions, LAW, x, y, ROWS, state)
        fine = fine and write_rates(scratch, functions, x, first_rate + states * i, states, state)
        if mode == TANGENT and fine:
            if functions[0, SLOPE] != 0:
                fine = evaluate(functions, SLOPE, x, T, ROWS * width, state)
            else:
                fine = difference_used(functions, x, uses, width, state, T)
            if fine:
                point_tangent(scratch, w, where[i, 0], weight, R, p, where[i, 1], uses, T, width)
        if not fine:
            y[0] = math.nan
        for k in range(6):
            F[k] = weight * y[k]
        subtract_body_wrench(w, R, p, F)


point_laws = LoadKernel(_point_laws)


@inner
def pair_inputs(space, sa, sb, Ra, pa, Rb, pb, time, x):
    """t, h = g_a^-1 g_b, and Ad_a^-1 (V_b - V_a)."""
    wa, wb, R, p, V = space.work[sa], space.work[sb], _rotation(), _position(), _six()
    x[0] = time
    for i in range(3):
        p[i] = 0.0
        for j in range(3):
            R[i, j] = Ra[0, i] * Rb[0, j] + Ra[1, i] * Rb[1, j] + Ra[2, i] * Rb[2, j]
            p[i] += Ra[j, i] * (pb[j] - pa[j])
    set_pose(R, p, x)
    for k in range(6):
        V[k] = wb.V[k] - wa.V[k]
    Ad_inverse(Ra, pa, V, x[TWIST : TWIST + 6])


@inner
def pair_tangent(space, sa, sb, X, Y, F, V):
    """Into both segments, and their couplings; X and Y of the module's notes in world axes, F the wrench on a."""
    wa, wb = space.work[sa], space.work[sb]
    subtract_commuted(1.0, Y, V, X)
    if sa != 0:
        subtract(-1.0, X, wa.G)
        subtract(-1.0, Y, wa.N)
    if sa != 0 and sb != 0:
        c = add_coupling(space, sa, sb)
        subtract(1.0, X, c.G)
        subtract(1.0, Y, c.N)
    if sb != 0:
        for k in range(6):
            F[k] = -F[k]
        add_coadbar(F, X)  # X - adbar*_F
        subtract(-1.0, X, wb.G)
        subtract(-1.0, Y, wb.N)
        if sa != 0:
            c = add_coupling(space, sb, sa)
            subtract(1.0, X, c.G)
            subtract(1.0, Y, c.N)


def _pair_law(tree, space, data, mode):
    """One law between two points, see `PairLawData`."""
    if mode != WRENCH and mode != TANGENT:
        return
    scratch, own = space_view(space), pair_law_data(data)
    law, functions, state, offsets = own.numbers, own.functions, own.state, own.offsets
    x, y, T, Ra, pa, Rb, pb = _inputs(), _outputs(), _tangent(), _rotation(), _position(), _rotation(), _position()
    sa, sb = own.ends[0, 0], own.ends[1, 0]
    frame_of(scratch, sa, offsets[0], Ra, pa)
    frame_of(scratch, sb, offsets[1], Rb, pb)
    pair_inputs(scratch, sa, sb, Ra, pa, Rb, pb, scratch.signals[law[0, 0]], x)
    read_states(scratch, law[0, 2], law[0, 1], x, PAIR_INPUTS)
    fine = evaluate(functions, LAW, x, y, ROWS, state)
    fine = fine and write_rates(scratch, functions, x, law[0, 3], law[0, 1], state)
    X, Y, F, H = _matrix(), _matrix(), _six(), _matrix()
    if mode == TANGENT and fine:
        if functions[0, SLOPE] != 0:
            fine = evaluate(functions, SLOPE, x, T, ROWS * PAIR_COLUMNS, state)
        else:
            fine = difference(functions, x, POSE, 0, PAIR_COLUMNS, True, state, T)
            fine = fine and difference(functions, x, TWIST, 6, PAIR_COLUMNS, True, state, T)
    if not fine:
        y[0] = math.nan
    wa, wb = scratch.work[sa], scratch.work[sb]
    wrench = carry_wrench(Ra, pa, y)
    for k in range(6):  # action and reaction
        F[k] = wrench[k]
        wa.F[k] -= F[k]
        wb.F[k] += F[k]
    if mode == TANGENT and fine:
        block_of(T, PAIR_COLUMNS, 0, H)
        carry_operator(Ra, pa, H, X)
        block_of(T, PAIR_COLUMNS, 6, H)
        carry_operator(Ra, pa, H, Y)
        pair_tangent(scratch, sa, sb, X, Y, F, wb.V)


pair_law = LoadKernel(_pair_law)
