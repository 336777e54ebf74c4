"""Rows of closed loops in the gradient by parameters: cotangents of e, A v and A a + A' v, pulled back.

With E = Ad_gB^-T T(Omega)^-T perp e_bar, s = Ad_gB^-T perp s_bar, r = Ad_gB^-T perp r_bar (world wrenches) and the
derivatives of `core.loops`, segment a of a loop gains, with k = ad*_VB r,

    a0 += E + ad*_VA s + ad*_AA r + ad*_VA k,      a1 += s + ad*_VA r + k,      a2 += r,

and segment b, with m = -ad*_VA r and y = A_A - A_B - ad_VB (V_A - V_B),

    a0 += -E - ad*_VA s - ad*_AB r + ad*_VB m - ad*_y r,      a1 += -s - ad*_VB r + m,      a2 += -r.

The frames themselves move by pi = Ad_g rho (rho in the frame): A changes e alone, B also what it is the frame of.
"""

from __future__ import annotations

from numba import types

from supple.core.arrays import floats, handle_at, integers, matrix_at, poses, space_view
from supple.core.gradient_arrays import ROWS
from supple.core.loops import frame_pose, relative_pose
from supple.core.segment_gradients import add_frame_cotangent
from supple.jit import AddressedKernel, calling, inlined, inner, local_array
from supple.lie.dual import apply_transposed
from supple.lie.log import log
from supple.lie.se3 import Ad_inverse, Ad_transposed, add_ad, add_coad, add_scaled, rotate

SIGNATURE = types.void(*[types.int64] * 4)

_call_rows = calling(SIGNATURE)

_twist, _dual = local_array(6), local_array(2, 3, 3)


@inner
def row_wrench(perp, first, bar, out):
    """out (6,) = perp bar for the cotangents of a loop's rows, in frame B."""
    for k in range(6):
        out[k] = 0.0
        for i in range(perp.shape[1]):
            out[k] += perp[k, i] * bar[first + i]


@inner
def to_world(g, f, out):
    """out = Ad_g^-T f = [R m + p x R f; R f]."""
    rotate(g.R, f[0:3], out[0:3])
    rotate(g.R, f[3:6], out[3:6])
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] += g.p[j] * out[3 + k] - g.p[k] * out[3 + j]


@inner
def add_perp(x, first, bar, out):
    """out (6, k) += x bar^T."""
    for k in range(6):
        for i in range(out.shape[1]):
            out[k, i] += x[k] * bar[first + i]


@inner
def add_end_a(wa, wb, E, s, r):
    """a0 += E + ad*_VA s + ad*_AA r + ad*_VA k, a1 += s + ad*_VA r + k, a2 += r of segment a.

    k = ad*_VB r.
    """
    k = _twist()
    for i in range(6):
        k[i] = 0.0
    add_coad(wb.V, r, k)
    add_scaled(1.0, E, wa.dZ)
    add_coad(wa.V, s, wa.dZ)
    add_coad(wa.A, r, wa.dZ)
    add_coad(wa.V, k, wa.dZ)
    add_scaled(1.0, s, wa.dV)
    add_coad(wa.V, r, wa.dV)
    add_scaled(1.0, k, wa.dV)
    add_scaled(1.0, r, wa.dA)


@inner
def add_end_b(wa, wb, y, E, s, r):
    """a0 += -E - ad*_VA s - ad*_AB r + ad*_VB m - ad*_y r, a1 += -s - ad*_VB r + m, a2 -= r of segment b.

    m = -ad*_VA r.
    """
    m, x = _twist(), _twist()
    for i in range(6):
        m[i], x[i] = 0.0, 0.0
    add_coad(wa.V, r, m)
    add_coad(wa.V, s, x)
    add_coad(wb.A, r, x)
    add_coad(wb.V, m, x)
    add_coad(y, r, x)
    add_scaled(-1.0, E, wb.dZ)
    add_scaled(-1.0, x, wb.dZ)
    add_coad(wb.V, r, m)
    add_scaled(-1.0, s, wb.dV)
    add_scaled(-1.0, m, wb.dV)
    add_scaled(-1.0, r, wb.dA)


@inner
def add_frames(ga, gb, offsets, W, y, E, s, r, out):
    """rho_A += Ad_gA^T E, rho_B += Ad_gB^T (-E - ad*_W s - ad*_y r): cotangents of the offsets of both frames.

    e follows pi_A - pi_B, A v and the rest turn backwards with pi_B; W = V_A - V_B.
    """
    x, rho = _twist(), _twist()
    Ad_transposed(ga.R, ga.p, E, rho)
    add_frame_cotangent(offsets[0].R, rho, out[0])
    for k in range(6):
        x[k] = -E[k]
    # -s . ad_pi W = s . ad_W pi = -(ad*_W s) . pi
    for k in range(6):
        rho[k] = 0.0
    add_coad(W, s, rho)
    add_coad(y, r, rho)
    add_scaled(-1.0, rho, x)
    Ad_transposed(gb.R, gb.p, x, rho)
    add_frame_cotangent(offsets[1].R, rho, out[1])


@inlined
def add_loop_rows(tree, space_address, rows_at, gradient):
    """Cotangents (3, nc) of e, A v, A a + A' v: into those of segments, and into the loops' own arrays."""
    for i in range(tree.loads.shape[0]):
        if gradient.loads[i, ROWS] != 0:
            _call_rows(gradient.loads[i, ROWS], (space_address, tree.loads[i, 1], gradient.loads[i, 1], rows_at))


def _loop_rows(space_address, data_address, own_address, rows_at):
    """The same of one loop."""
    space = space_view(space_address)
    frames, work, rows = space.frames, space.work, matrix_at(rows_at, (3, space.multipliers.shape[0]))
    data, own = handle_at(data_address, 3), handle_at(own_address, 3)
    where, perp, offsets = integers(data, 0), floats(data, 1), poses(data, 2)
    perp_bar, wa, wb = floats(own, 1), work[where[0, 0]], work[where[0, 1]]
    Omega, inverse, local, E, s, r = _twist(), _dual(), _twist(), _twist(), _twist(), _twist()
    W, y = _twist(), _twist()
    first, ga, gb = where[0, 2], frames[0], frames[1]
    frame_pose(wa, offsets[0], ga)
    frame_pose(wb, offsets[1], gb)
    relative_pose(ga, gb, frames[2])
    log(frames[2].R, frames[2].p, Omega, inverse)
    for k in range(6):
        W[k], y[k] = wa.V[k] - wb.V[k], 0.0
    add_ad(wb.V, W, y)
    for k in range(6):
        y[k] = wa.A[k] - wb.A[k] - y[k]
    add_perp(Omega, first, rows[0], perp_bar)
    Ad_inverse(gb.R, gb.p, W, local)
    add_perp(local, first, rows[1], perp_bar)
    Ad_inverse(gb.R, gb.p, y, local)
    add_perp(local, first, rows[2], perp_bar)
    row_wrench(perp, first, rows[0], E)
    apply_transposed(inverse, E, local)
    to_world(gb, local, E)
    row_wrench(perp, first, rows[1], local)
    to_world(gb, local, s)
    row_wrench(perp, first, rows[2], local)
    to_world(gb, local, r)
    add_end_a(wa, wb, E, s, r)
    add_end_b(wa, wb, y, E, s, r)
    add_frames(ga, gb, offsets, W, y, E, s, r, poses(own, 2))


# four addresses: of the scratch, a loop's data, arrays shaped like them, and cotangents (3, nc)
LOOP_ROWS = AddressedKernel(_loop_rows, SIGNATURE)
