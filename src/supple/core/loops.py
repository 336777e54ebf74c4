"""Closed loops: position error, constraint matrix, its rate, and all derivatives ([GVS-AD] 47-52, D68-D84).

A loop joint between a frame A and a frame B frees some twists; ``perp`` (6, k) spans the others, in frame B.  With
g_BA = g_B^-1 g_A, Omega = log(g_BA) and world columns J_A, J_B,

    e = perp^T Omega,        A = perp^T Ad_gB^-1 (J_A - J_B),        de/dq = perp^T T(Omega)^-1 Ad_gB^-1 (J_A - J_B),

and, with y = A_A - A_B - ad_VB (V_A - V_B), the acceleration of the constraint is A a + (dA/dt) v = perp^T Ad_gB^-1 y.
Its derivatives follow from dV = R - ad_V J, dA = Q - ad_A J - ad_V R by q, and J, 2 R - ad_V J by v.
The multipliers are a wrench perp lambda in frame B, on A, and its opposite on B: a load (`constraints.loop`).
"""

from __future__ import annotations

from numba import types

from supple.core.arrays import (
    floats,
    handle_at,
    integers,
    matrices_at,
    matrix_at,
    poses,
    space_at,
    space_of,
    tree_of,
)
from supple.core.couplings import chain_columns
from supple.core.loads import CONSTRAINT
from supple.core.outward import outward_with_columns
from supple.core.records import J_SUM
from supple.jit import AddressedKernel, calling, inlined, inner, kernel, local_array
from supple.lie.dual import add_apply
from supple.lie.log import log
from supple.lie.se3 import Ad_inverse, add_ad, compose

_twist, _dual = local_array(6), local_array(2, 3, 3)


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


@inlined
def loop_vectors(wa, wb, gb, perp, Omega, W, y, e, slip, rate):
    """e, A v and A a + (dA/dt) v of one loop; W = V_A - V_B and y (6,) stay for the matrices."""
    for k in range(6):
        W[k] = wa.V[k] - wb.V[k]
        y[k] = 0.0
    add_ad(wb.V, W, y)
    for k in range(6):
        y[k] = wa.A[k] - wb.A[k] - y[k]
    velocity, acceleration = _twist(), _twist()
    Ad_inverse(gb.R, gb.p, W, velocity)
    Ad_inverse(gb.R, gb.p, y, acceleration)
    for i in range(perp.shape[1]):
        e[i], slip[i], rate[i] = 0.0, 0.0, 0.0
        for k in range(6):
            e[i] += perp[k, i] * Omega[k]
            slip[i] += perp[k, i] * velocity[k]
            rate[i] += perp[k, i] * acceleration[k]


@inlined
def loop_rows(tree, space, data, with_matrices, vectors, matrices):
    """Rows of one loop, at their places in ``vectors`` (3, nc) and ``matrices`` (5, nc, n), see `_constraint_rows`."""
    frames = space.frames
    where, perp, offsets = integers(data, 0), floats(data, 1), poses(data, 2)
    sa, sb = where[0, 0], where[0, 1]
    rows = slice(where[0, 2], where[0, 2] + perp.shape[1])
    wa, wb, gb = space.work[sa], space.work[sb], frames[1]
    frame_pose(wa, offsets[0], frames[0])
    frame_pose(wb, offsets[1], gb)
    relative_pose(frames[0], gb, frames[2])
    Omega, inverse, W, y = _twist(), _dual(), _twist(), _twist()
    log(frames[2].R, frames[2].p, Omega, inverse)
    loop_vectors(wa, wb, gb, perp, Omega, W, y, vectors[0, rows], vectors[1, rows], vectors[2, rows])
    if not with_matrices:
        return
    a, b = space.chains[0:3], space.chains[3:6]
    for m in range(3):
        chain_columns(tree, space, sa, J_SUM + m, a[m])
        chain_columns(tree, space, sb, J_SUM + m, b[m])
    for j in range(matrices.shape[2]):
        jacobian_column(gb, perp, inverse, a, b, j, matrices[0, rows], matrices[1, rows])
        slip_column(wa, wb, gb, perp, W, a, b, j, matrices[2, rows])
        rate_column_q(wa, wb, gb, perp, W, y, a, b, j, matrices[3, rows])
        rate_column_v(wa, wb, gb, perp, W, a, b, j, matrices[4, rows])


SIGNATURE = types.void(*[types.int64] * 4)
call_constraint_rows = calling(SIGNATURE)


def _constraint_rows(tree_address, space_address, vectors_at, all_at):
    """Rows of all loops, at the state of the last sweep that left poses and columns in the scratch.

    vectors (3, nc): e, A v, A a + (dA/dt) v; matrices (5, nc, n) unless at 0: A, de/dq, d(A v)/dq, and d(rate)/dq,
    d(rate)/dv.  After a residual with tangent coefficients c_v, c_a the columns are combined, and so are these:
    d(A v)/dq + c_v A, and d(rate)/dq + c_v d(rate)/dv + c_a A.
    """
    tree, space = tree_of(tree_address), space_of(space_address)
    n, nc = tree.component.shape[0], space.multipliers.shape[0]
    vectors, matrices = matrix_at(vectors_at, (3, nc)), matrices_at(all_at, (5, nc, n))
    for i in range(tree.loads.shape[0]):
        if tree.loads[i, 2] == CONSTRAINT:
            loop_rows(tree, space, handle_at(tree.loads[i, 1], 3), all_at != 0, vectors, matrices)


CONSTRAINT_ROWS = AddressedKernel(_constraint_rows, SIGNATURE)


@kernel
def constraint_rows(function, tree_handle, space_handle, q, v, a, vectors, matrices):
    """All rows of all loops at a state, by the address of `CONSTRAINT_ROWS`."""
    space = space_at(space_handle)
    outward_with_columns(tree_handle, space_handle, space, q, v, a, 0.0, 0.0)
    at = (tree_handle.ctypes.data, space_handle.ctypes.data, vectors.ctypes.data, matrices.ctypes.data)
    call_constraint_rows(function, at)


@inner
def project_body(gb, perp, x, j, out):
    """out[:, j] = perp^T Ad_gB^-1 x."""
    y = _twist()
    Ad_inverse(gb.R, gb.p, x, y)
    project_row(perp, y, j, out)


@inner
def jacobian_column(gb, perp, inverse, a, b, j, A, de):
    """Columns j of A and de/dq; ``inverse`` = T(Omega)^-1, a dual matrix."""
    x, y, z = _twist(), _twist(), _twist()
    for k in range(6):
        x[k] = a[0, k, j] - b[0, k, j]
        z[k] = 0.0
    Ad_inverse(gb.R, gb.p, x, y)
    project_row(perp, y, j, A)
    add_apply(inverse, y, z)
    project_row(perp, z, j, de)


@inner
def subtract_ad(V, X, m, j, out):
    """out -= ad_V X[m][:, j]."""
    x, y = _twist(), _twist()
    for k in range(6):
        x[k] = X[m, k, j]
        y[k] = 0.0
    add_ad(V, x, y)
    for k in range(6):
        out[k] -= y[k]


@inner
def add_ad_column(V, X, m, j, out):
    """out += ad_V X[m][:, j]."""
    x = _twist()
    for k in range(6):
        x[k] = X[m, k, j]
    add_ad(V, x, out)


@inner
def slip_column(wa, wb, gb, perp, W, a, b, j, out):
    """Column j of d(A v)/dq: Ad^-1 [dV_A - dV_B + ad_W J_B]."""
    x = _twist()
    for k in range(6):
        x[k] = a[1, k, j] - b[1, k, j]
    subtract_ad(wa.V, a, 0, j, x)
    add_ad_column(wb.V, b, 0, j, x)
    add_ad_column(W, b, 0, j, x)
    project_body(gb, perp, x, j, out)


@inner
def rate_column_q(wa, wb, gb, perp, W, y, a, b, j, out):
    """Column j of d(rate)/dq: Ad^-1 [dA_A - dA_B + ad_W dV_B - ad_VB (dV_A - dV_B) + ad_y J_B]."""
    x, dV, dV_B = _twist(), _twist(), _twist()
    for k in range(6):
        x[k] = a[2, k, j] - b[2, k, j]
        dV[k] = a[1, k, j] - b[1, k, j]  # dV_A - dV_B
        dV_B[k] = b[1, k, j]
    subtract_ad(wa.A, a, 0, j, x)
    subtract_ad(wa.V, a, 1, j, x)
    add_ad_column(wb.A, b, 0, j, x)
    add_ad_column(wb.V, b, 1, j, x)
    subtract_ad(wa.V, a, 0, j, dV)
    add_ad_column(wb.V, b, 0, j, dV)
    subtract_ad(wb.V, b, 0, j, dV_B)
    add_ad(W, dV_B, x)
    for k in range(6):
        dV[k] = -dV[k]
    add_ad(wb.V, dV, x)
    add_ad_column(y, b, 0, j, x)
    project_body(gb, perp, x, j, out)


@inner
def rate_column_v(wa, wb, gb, perp, W, a, b, j, out):
    """Column j of d(rate)/dv: Ad^-1 [2 (R_A - R_B) - ad_VA J_A + ad_VB J_B + ad_W J_B - ad_VB (J_A - J_B)]."""
    x = _twist()
    for k in range(6):
        x[k] = 2.0 * (a[1, k, j] - b[1, k, j])
    subtract_ad(wa.V, a, 0, j, x)
    add_ad_column(wb.V, b, 0, j, x)
    add_ad_column(W, b, 0, j, x)
    subtract_ad(wb.V, a, 0, j, x)
    add_ad_column(wb.V, b, 0, j, x)
    project_body(gb, perp, x, j, out)
