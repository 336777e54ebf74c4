"""Closed loops: position error, constraint matrix, its rate, and all derivatives ([GVS-AD] 47-52, D68-D84).

A loop joint between a frame A and a frame B frees some twists; ``perp`` (6, k) spans the others, in frame B.  With
g_BA = g_B^-1 g_A, Omega = log(g_BA) and world columns J_A, J_B,

    e = perp^T Omega,        A = perp^T Ad_gB^-1 (J_A - J_B),        de/dq = perp^T T(Omega)^-1 Ad_gB^-1 (J_A - J_B),

and, with y = A_A - A_B - ad_VB (V_A - V_B), the acceleration of the constraint is A a + (dA/dt) v = perp^T Ad_gB^-1 y.
Its derivatives follow from dV = R - ad_V J, dA = Q - ad_A J - ad_V R by q, and J, 2 R - ad_V J by v.
The multipliers are a wrench perp lambda in frame B, on A, and its opposite on B: a load (`loads.loop`).
"""

from __future__ import annotations

from supple.core.arrays import floats, integers, poses, space_at, tree_at
from supple.core.columns import fill_columns
from supple.core.couplings import J, path_columns
from supple.core.sweep_out import sweep_out
from supple.jit import inner, kernel
from supple.lie.dual import add_apply
from supple.lie.log import log
from supple.lie.se3 import Ad_inverse, add_ad, compose


@inner
def frame_pose(w, offset, g):
    """Pose of a frame fixed to a segment's end, from the common origin."""
    compose(w.R, w.p, offset.R, offset.p, g.R, g.p)


@inner
def relative_pose(a, b, out):
    """out = b^-1 a."""
    for i in range(3):
        for j in range(3):
            out.R[i, j] = b.R[0, i] * a.R[0, j] + b.R[1, i] * a.R[1, j] + b.R[2, i] * a.R[2, j]
        out.p[i] = b.R[0, i] * (a.p[0] - b.p[0]) + b.R[1, i] * (a.p[1] - b.p[1]) + b.R[2, i] * (a.p[2] - b.p[2])


@inner
def project_row(perp, x, column, out):
    """out[:, column] = perp^T x."""
    for i in range(perp.shape[1]):
        y = 0.0
        for k in range(6):
            y += perp[k, i] * x[k]
        out[i, column] = y


@kernel
def loop_sweep(tree_handle, space_handle, q, v, a):
    """Poses, motions and columns of all segments, for `loop_terms`."""
    tree, space = tree_at(tree_handle), space_at(space_handle)
    sweep_out(tree, q, v, a, space, 2)
    fill_columns(tree, 0.0, 0.0, space)


@kernel
def loop_terms(tree_handle, space_handle, data, frames, a, b, e, slip, rate, A, de, slip_dq, dq, dv):
    """All terms of one loop after `loop_sweep`; rows (k,) or (k, n).

    e, slip = A v and rate = A a + (dA/dt) v (k,); A, de/dq, d(slip)/dq and d(rate)/dq, d(rate)/dv (k, n).
    ``frames`` (3,) pose_t and ``a``, ``b`` (3, 6, n) are scratch.
    """
    tree, space = tree_at(tree_handle), space_at(space_handle)
    t = space.scratch[0]
    where, perp, offsets = integers(data, 0), floats(data, 1), poses(data, 2)
    sa, sb = where[0, 0], where[0, 1]
    wa, wb, gb = space.work[sa], space.work[sb], frames[1]
    frame_pose(wa, offsets[0], frames[0])
    frame_pose(wb, offsets[1], gb)
    relative_pose(frames[0], gb, frames[2])
    for m in range(3):
        for k in range(6):
            t.jet[m, k] = 0.0
        path_columns(tree, space, sa, J + m, a[m])
        path_columns(tree, space, sb, J + m, b[m])
    log(frames[2].R, frames[2].p, t.jet, t)
    for i in range(perp.shape[1]):
        e[i] = 0.0
        for k in range(6):
            e[i] += perp[k, i] * t.jet[0, k]
    W, y = t.f[0], t.f[1]
    for k in range(6):
        W[k] = wa.V[k] - wb.V[k]
        y[k] = 0.0
    add_ad(wb.V, W, y)
    for k in range(6):
        y[k] = wa.A[k] - wb.A[k] - y[k]
    Ad_inverse(gb.R, gb.p, W, t.x)
    Ad_inverse(gb.R, gb.p, y, t.y)
    for i in range(perp.shape[1]):
        slip[i], rate[i] = 0.0, 0.0
        for k in range(6):
            slip[i] += perp[k, i] * t.x[k]
            rate[i] += perp[k, i] * t.y[k]
    for j in range(A.shape[1]):
        jacobian_column(gb, perp, a, b, j, t, A, de)
        slip_column(wa, wb, gb, perp, W, a, b, j, t, slip_dq)
        rate_column_q(wa, wb, gb, perp, W, y, a, b, j, t, dq)
        rate_column_v(wa, wb, gb, perp, W, a, b, j, t, dv)


@inner
def jacobian_column(gb, perp, a, b, j, t, A, de):
    """Columns j of A and de/dq."""
    for k in range(6):
        t.x[k] = a[0, k, j] - b[0, k, j]
        t.z[k] = 0.0
    Ad_inverse(gb.R, gb.p, t.x, t.y)
    project_row(perp, t.y, j, A)
    add_apply(t.D, t.y, t.z)
    project_row(perp, t.z, j, de)


@inner
def subtract_ad(V, X, m, j, t, out):
    """out -= ad_V X[m][:, j]."""
    for k in range(6):
        t.y[k] = X[m, k, j]
        t.z[k] = 0.0
    add_ad(V, t.y, t.z)
    for k in range(6):
        out[k] -= t.z[k]


@inner
def slip_column(wa, wb, gb, perp, W, a, b, j, t, out):
    """Column j of d(A v)/dq: Ad^-1 [dV_A - dV_B + ad_W J_B]."""
    x = t.x
    for k in range(6):
        x[k] = a[1, k, j] - b[1, k, j]
    subtract_ad(wa.V, a, 0, j, t, x)
    add_ad_column(wb.V, b, 0, j, t, x)
    add_ad_column(W, b, 0, j, t, x)
    Ad_inverse(gb.R, gb.p, x, t.y)
    project_row(perp, t.y, j, out)


@inner
def rate_column_q(wa, wb, gb, perp, W, y, a, b, j, t, out):
    """Column j of d(rate)/dq: Ad^-1 [dA_A - dA_B + ad_W dV_B - ad_VB (dV_A - dV_B) + ad_y J_B]."""
    x, u, s = t.x, t.C[0, 0:6], t.C[1, 0:6]
    for k in range(6):
        x[k] = a[2, k, j] - b[2, k, j]
        u[k] = a[1, k, j] - b[1, k, j]  # dV_A - dV_B
        s[k] = b[1, k, j]  # dV_B
    subtract_ad(wa.A, a, 0, j, t, x)
    subtract_ad(wa.V, a, 1, j, t, x)
    add_ad_column(wb.A, b, 0, j, t, x)
    add_ad_column(wb.V, b, 1, j, t, x)
    subtract_ad(wa.V, a, 0, j, t, u)
    add_ad_column(wb.V, b, 0, j, t, u)
    subtract_ad(wb.V, b, 0, j, t, s)
    add_ad(W, s, x)
    for k in range(6):
        u[k] = -u[k]
    add_ad(wb.V, u, x)
    add_ad_column(y, b, 0, j, t, x)
    Ad_inverse(gb.R, gb.p, x, t.y)
    project_row(perp, t.y, j, out)


@inner
def add_ad_column(V, X, m, j, t, out):
    """out += ad_V X[m][:, j]."""
    for k in range(6):
        t.y[k] = X[m, k, j]
    add_ad(V, t.y, out)


@inner
def rate_column_v(wa, wb, gb, perp, W, a, b, j, t, out):
    """Column j of d(rate)/dv: Ad^-1 [2 (R_A - R_B) - ad_VA J_A + ad_VB J_B + ad_W J_B - ad_VB (J_A - J_B)]."""
    x = t.x
    for k in range(6):
        x[k] = 2.0 * (a[1, k, j] - b[1, k, j])
    subtract_ad(wa.V, a, 0, j, t, x)
    add_ad_column(wb.V, b, 0, j, t, x)
    add_ad_column(W, b, 0, j, t, x)
    subtract_ad(wb.V, a, 0, j, t, x)
    add_ad_column(wb.V, b, 0, j, t, x)
    Ad_inverse(gb.R, gb.p, x, t.y)
    project_row(perp, t.y, j, out)
