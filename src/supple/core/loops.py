"""Closed loops: position error, constraint matrix, its rate, and all derivatives ([GVS-AD] 47-52, D68-D84).

A loop joint between a frame A and a frame B frees some twists; ``perp`` (6, k) spans the others, in frame B.  With
g_BA = g_B^-1 g_A, Omega = log(g_BA) and world columns J_A, J_B,

    e = perp^T Omega,        A = perp^T Ad_gB^-1 (J_A - J_B),        de/dq = perp^T T(Omega)^-1 Ad_gB^-1 (J_A - J_B),

and, with y = A_A - A_B - ad_VB (V_A - V_B), the acceleration of the constraint is A a + (dA/dt) v = perp^T Ad_gB^-1 y.
Its derivatives follow from dV = R - ad_V J, dA = Q - ad_A J - ad_V R by q, and J, 2 R - ad_V J by v.  Seen from a row
w = Ad_gB^-T perp, with ad_V^T w = -ad*_V w, they meet only differences J = J_A - J_B, and so on, of columns:

    d(A v)/dq = w R + (ad*_VA w) J,         d(rate)/dv = 2 w R + (ad*_{VA + VB} w) J,
    d(rate)/dq = w Q + (ad*_{VA + VB} w) R + (ad*_AA w + ad*_VA ad*_VB w) J.

The multipliers are a wrench perp lambda in frame B, on A, and its opposite on B: a load (`constraints.loop`).
"""

from __future__ import annotations

import numpy as np
from numba import types

from supple.core.arrays import (
    floats,
    handle_at,
    integers,
    matrices_at,
    matrix_at,
    poses,
    space_at,
    space_view,
    tree_view,
)
from supple.core.couplings import chain_columns
from supple.core.loads import CONSTRAINT
from supple.core.outward import outward_with_columns
from supple.core.records import J_SUM
from supple.jit import AddressedKernel, calling, inlined, inner, kernel, leaf, local_array, opaque
from supple.lie.dual import apply_transposed
from supple.lie.log import log
from supple.lie.se3 import Ad_inverse, add_ad, add_coad, compose

U = np.uint64  # unsigned indices vectorise, see linalg.products

_twist, _dual = local_array(6), local_array(2, 3, 3)


@inner
def frame_pose(w, offset, g):
    """g = g_s g_f: pose of a frame fixed to a segment's end (``offset``), from the common origin."""
    compose(w.R, w.p, offset.R, offset.p, g.R, g.p)


@inner
def relative_pose(a, b, out):
    """out = b^-1 a."""
    for i in range(3):
        for j in range(3):
            out.R[i, j] = b.R[0, i] * a.R[0, j] + b.R[1, i] * a.R[1, j] + b.R[2, i] * a.R[2, j]
        out.p[i] = b.R[0, i] * (a.p[0] - b.p[0]) + b.R[1, i] * (a.p[1] - b.p[1]) + b.R[2, i] * (a.p[2] - b.p[2])


@inlined
def loop_vectors(wa, wb, gb, perp, Omega, W, y, e, slip, rate):
    """e, A v and A a + (dA/dt) v of one loop; W = V_A - V_B and y (6,) are scratch."""
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


@leaf
def subtract_columns(X, out):
    """out -= X, both (6, n)."""
    for k in range(U(opaque(6))):
        for j in range(U(X.shape[1])):
            out[k, j] -= X[k, j]


@leaf
def set_row(w, X, out):
    """out (n,) = w X for w (6,) and X (6, n)."""
    a0, a1, a2, a3, a4, a5 = w[0], w[1], w[2], w[3], w[4], w[5]
    for j in range(U(X.shape[1])):
        out[j] = a0 * X[0, j] + a1 * X[1, j] + a2 * X[2, j] + a3 * X[3, j] + a4 * X[4, j] + a5 * X[5, j]


@leaf
def add_row(s, w, X, out):
    """out (n,) += s w X for w (6,) and X (6, n)."""
    a0, a1, a2, a3, a4, a5 = s * w[0], s * w[1], s * w[2], s * w[3], s * w[4], s * w[5]
    for j in range(U(X.shape[1])):
        out[j] += a0 * X[0, j] + a1 * X[1, j] + a2 * X[2, j] + a3 * X[3, j] + a4 * X[4, j] + a5 * X[5, j]


@inner
def turned_row(R, p, x, out):
    """out = Ad_g^-T x = [R m + p x R f; R f]: a row of frame g in world axes."""
    for i in range(3):
        out[i] = R[i, 0] * x[0] + R[i, 1] * x[1] + R[i, 2] * x[2]
        out[3 + i] = R[i, 0] * x[3] + R[i, 1] * x[4] + R[i, 2] * x[5]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] += p[j] * out[3 + k] - p[k] * out[3 + j]


@inner
def loop_row(wa, wb, gb, perp, inverse, i, row, D, matrices):
    """Row of the i-th twist of a loop in all matrices, from differences D[0..2] of columns J, R, Q (see above).

    ``inverse`` is T(Omega)^-1, a dual matrix.
    """
    axis, x, w = _twist(), _twist(), _twist()
    for k in range(6):
        axis[k] = perp[k, i]
    turned_row(gb.R, gb.p, axis, w)
    set_row(w, D[0], matrices[0, row])
    apply_transposed(inverse, axis, x)
    turned_row(gb.R, gb.p, x, axis)
    set_row(axis, D[0], matrices[1, row])
    by_a, by_b, both = _twist(), _twist(), _twist()
    for k in range(6):
        by_a[k], by_b[k] = 0.0, 0.0
    add_coad(wa.V, w, by_a)
    add_coad(wb.V, w, by_b)
    for k in range(6):
        both[k], x[k] = by_a[k] + by_b[k], 0.0
    set_row(w, D[1], matrices[2, row])
    add_row(1.0, by_a, D[0], matrices[2, row])
    add_coad(wa.A, w, x)
    add_coad(wa.V, by_b, x)
    set_row(w, D[2], matrices[3, row])
    add_row(1.0, both, D[1], matrices[3, row])
    add_row(1.0, x, D[0], matrices[3, row])
    set_row(both, D[0], matrices[4, row])
    add_row(2.0, w, D[1], matrices[4, row])


@inlined
def measure_loop(space, where, perp, offsets, inverse, vectors):
    """e, A v and A a + (dA/dt) v of one loop, at their places in ``vectors`` (3, nc); g_B, from the common origin.

    ``where`` = (segment of A, segment of B, first row), ``offsets`` the poses of A and B in these segments' ends.
    g_B is one of ``space.frames``; ``inverse`` receives T(Omega)^-1.
    """
    frames = space.frames
    wa, wb, gb = space.work[where[0, 0]], space.work[where[0, 1]], frames[1]
    rows = slice(where[0, 2], where[0, 2] + perp.shape[1])
    frame_pose(wa, offsets[0], frames[0])
    frame_pose(wb, offsets[1], gb)
    relative_pose(frames[0], gb, frames[2])
    Omega, W, y = _twist(), _twist(), _twist()
    log(frames[2].R, frames[2].p, Omega, inverse)
    loop_vectors(wa, wb, gb, perp, Omega, W, y, vectors[0, rows], vectors[1, rows], vectors[2, rows])
    return gb


@inlined
def chain_difference(tree, space, where, m):
    """X_A - X_B in ``space.chains[m]`` (6, n), X being J, R or Q (m = 0, 1, 2) of the ends of a loop."""
    chains = space.chains
    chain_columns(tree, space, where[0, 0], J_SUM + m, chains[m])
    chain_columns(tree, space, where[0, 1], J_SUM + m, chains[3])
    subtract_columns(chains[3], chains[m])


@inlined
def loop_rows(tree, space, data, with_matrices, vectors, matrices):
    """Rows of one loop: e, A v, A a + (dA/dt) v at their places in ``vectors`` (3, nc), and in ``matrices`` (5, nc, n).

    The latter are A, de/dq, d(A v)/dq, d(rate)/dq, d(rate)/dv, see `_constraint_rows`.
    """
    where, perp, offsets, inverse = integers(data, 0), floats(data, 1), poses(data, 2), _dual()
    gb = measure_loop(space, where, perp, offsets, inverse, vectors)
    if not with_matrices:
        return
    wa, wb = space.work[where[0, 0]], space.work[where[0, 1]]
    for m in range(3):
        chain_difference(tree, space, where, m)
    for i in range(perp.shape[1]):
        loop_row(wa, wb, gb, perp, inverse, i, where[0, 2] + i, space.chains, matrices)


@inlined
def loop_jacobian_rows(tree, space, data, vectors, A):
    """What `loop_rows` gives, of the matrices A = perp^T Ad_gB^-1 (J_A - J_B), (nc, n), alone: columns J are enough."""
    where, perp, offsets, inverse = integers(data, 0), floats(data, 1), poses(data, 2), _dual()
    gb = measure_loop(space, where, perp, offsets, inverse, vectors)
    chain_difference(tree, space, where, 0)
    axis, w = _twist(), _twist()
    for i in range(perp.shape[1]):
        for k in range(6):
            axis[k] = perp[k, i]
        turned_row(gb.R, gb.p, axis, w)
        set_row(w, space.chains[0], A[where[0, 2] + i])


SIGNATURE = types.void(*[types.int64] * 4)
call_constraint_rows = calling(SIGNATURE)


def _constraint_rows(tree_address, space_address, vectors_at, all_at):
    """Rows of all loops, at the state of the last sweep that left poses and columns in the scratch.

    vectors (3, nc): e, A v, A a + (dA/dt) v; matrices (5, nc, n) unless at 0: A, de/dq, d(A v)/dq, and d(rate)/dq,
    d(rate)/dv.  After a residual with tangent coefficients c_v, c_a the columns are combined, and so are these:
    d(A v)/dq + c_v A, and d(rate)/dq + c_v d(rate)/dv + c_a A.
    """
    tree, space = tree_view(tree_address), space_view(space_address)
    n, nc = tree.component.shape[0], space.multipliers.shape[0]
    vectors, matrices = matrix_at(vectors_at, (3, nc)), matrices_at(all_at, (5, nc, n))
    for i in range(tree.loads.shape[0]):
        if tree.loads[i, 2] == CONSTRAINT:
            loop_rows(tree, space, handle_at(tree.loads[i, 1], 3), all_at != 0, vectors, matrices)


CONSTRAINT_ROWS = AddressedKernel(_constraint_rows, SIGNATURE)


@kernel
def constraint_rows(function, tree_handle, space_handle, q, v, a, vectors, matrices):
    """All rows of all loops at a state (q, v, a), see `_constraint_rows`, by the address of `CONSTRAINT_ROWS`."""
    space = space_at(space_handle)
    outward_with_columns(tree_handle, space_handle, space, q, v, a, 0.0, 0.0)
    at = (tree_handle.ctypes.data, space_handle.ctypes.data, vectors.ctypes.data, matrices.ctypes.data)
    call_constraint_rows(function, at)
