"""The matrix of a Newton step on a stage.

In unknowns (x of free coordinates, lambda, mu, x_z) a step solves

    [ T      -A^T    -(T - dR/dq) P   R_z - B u_z    ]           [ R           ]
    [ de/dq                                          ]  step = - [ e           ]
    [ d(A v)/dx      -c_v A P                        ]           [ A v         ]
    [ -(f_q + c_v f_v)                  c_z - f_z    ]           [ z0' + c_z x_z - f ]

with the fused tangent T = dR/dq + c_v dR/dv + c_a dR/da, less B (u_q + c_v u_v) with feedback.  R_z, f_x and f_z of
loads' states are differences of R and f, along x with c_v and c_a at once.
"""

from __future__ import annotations

import numpy as np

from supple.jit import inner, outlined
from supple.solvers.problem import (
    CA,
    CV,
    CZ,
    DIFFERENCED,
    FACTORED_CA,
    FACTORED_CV,
    MOVING_CA,
    MOVING_CV,
    MOVING_LEFT,
    OVER_TREE,
    SCALE,
    STABILISED,
    STALE,
    TANGENTS,
)
from supple.solvers.rounding import ONE_SIDED_STEP
from supple.solvers.stage.evaluation import call, call_rows
from supple.solvers.stage.excitation import feed_back_slopes
from supple.solvers.stage.factors import (
    factorise_matrix,
    factorise_over_tree,
    is_corrected,
    pivot_status,
    set_direction,
    tree_is_asked,
)
from supple.solvers.stage.status import CONVERGED, NO_PIVOT, NOT_FINITE
from supple.solvers.stage.turned_rows import keep_turns

Index = np.uint64  # unsigned indices vectorise, see linalg.products

#: For how many further matrices the part of a tangent that follows rates serves.
MOVING_SERVES = 10


@inner
def linearise(problem):
    """Residual, rows and the factors of the Newton matrix at the trial state.  Returns a status."""
    cv, ca = problem.numbers[CV], problem.numbers[CA]
    problem.flags[TANGENTS] += 1
    keep_turns(problem)
    status = feed_back_slopes(problem)
    if status != CONVERGED:
        return status
    if not difference_states(problem, cv, ca):
        return NOT_FINITE
    status = factorise_over_tree(problem, cv, ca, True) if tree_is_asked(problem) else NO_PIVOT
    if status == NO_PIVOT:
        status = factorise_dense(problem, cv, ca)
    if status == CONVERGED:
        problem.numbers[FACTORED_CV], problem.numbers[FACTORED_CA] = cv, ca
        problem.flags[STALE] = False
    return status


@inner
def factorise_dense(problem, cv, ca):
    """Residual, rows and the factors of the matrix itself, at the trial state.  Returns a status."""
    problem.flags[OVER_TREE] = False
    if not fill_tangents(problem, cv, ca):
        return NOT_FINITE
    call_rows(problem, problem.matrices.ctypes.data)
    add_feedback(problem)
    fill_matrix(problem)
    return pivot_status(problem, factorise_matrix(problem, problem.matrix, problem.pivots, problem.scales))


@inner
def fill_tangents(problem, cv, ca):
    """R and T at the trial state and, with stabilised loops, the part of T that follows rates.  Whether R is finite.

    That part only says how corrections of loops act.  It needs a second tangent, and it changes little from one matrix
    to the next: for `MOVING_SERVES` of them it will do.
    """
    numbers, flags = problem.numbers, problem.flags
    if not flags[STABILISED]:
        return fill_tangent(problem, cv, ca, problem.tangent)
    same = numbers[MOVING_CV] == cv and numbers[MOVING_CA] == ca
    if same and flags[MOVING_LEFT] > 0:
        flags[MOVING_LEFT] -= 1
        return fill_tangent(problem, cv, ca, problem.tangent)
    fill_tangent(problem, 0.0, 0.0, problem.moving)
    finite = fill_tangent(problem, cv, ca, problem.tangent)
    for i in range(problem.moving.shape[0]):
        for j in range(problem.moving.shape[0]):
            problem.moving[i, j] = problem.tangent[i, j] - problem.moving[i, j]
    numbers[MOVING_CV], numbers[MOVING_CA], flags[MOVING_LEFT] = cv, ca, MOVING_SERVES
    return finite


@inner
def fill_tangent(problem, cv, ca, T):
    """R and T = dR/dq + c_v dR/dv + c_a dR/da at the trial state.  Returns whether R is finite."""
    finite = call(problem, cv, ca, T.ctypes.data)
    if not problem.flags[DIFFERENCED]:
        return finite
    n = problem.q.shape[0]  # that call was for the columns that rows of loops are made of
    for i in range(n):
        for j in range(n):
            T[i, j] = -problem.residual[i]
    for k in range(problem.free.shape[0]):
        j = problem.free[k]
        fine, h = call_beside(problem, j, cv, ca)
        finite &= fine
        for i in range(n):
            T[i, j] = (T[i, j] + problem.residual[i]) / h
    return call(problem, 0.0, 0.0, 0) and finite


@inner
def call_beside(problem, j, cv, ca):
    """R and rates at q + h e_j, v + c_v h e_j, a + c_a h e_j, beside the trial state.

    The trial state is as before.  Returns whether R is finite, and h.
    """
    q, v, a = problem.q[j], problem.v[j], problem.a[j]
    h = ONE_SIDED_STEP * max(1.0, abs(q))
    if cv > 0.0:  # v must not move far, either
        h = min(h, ONE_SIDED_STEP * max(1.0, abs(v)) / cv)
    problem.q[j] = q + h
    if problem.q[j] != q:  # in steps of less than a nanosecond, h may be lost in q: v and a tell all that counts
        h = problem.q[j] - q  # what was added
    problem.v[j] += cv * h
    problem.a[j] += ca * h
    finite = call(problem, 0.0, 0.0, 0)
    problem.q[j], problem.v[j], problem.a[j] = q, v, a
    return finite, h


@inner
def difference_states(problem, cv, ca):
    """R_z, and f_q + c_v f_v + c_a f_a and f_z of loads' rates, by differences.  Returns whether all are finite.

    The trial state is as before; R, rates and scratch are those of another state.
    """
    n, count = problem.q.shape[0], problem.load_states.shape[0]
    if count == 0:
        return True
    own = problem.z.shape[0] - count
    rows = problem.slopes[problem.B.shape[1] + own :]
    finite = call(problem, 0.0, 0.0, 0)
    for k in range(count):
        for i in range(n):
            problem.R_z[i, k] = -problem.residual[i]
        for j in range(rows.shape[1]):
            rows[k, j] = -problem.rates[own + k] if j < n or j >= 2 * n + own else 0.0
    for i in range(problem.free.shape[0]):
        j = problem.free[i]
        fine, h = call_beside(problem, j, cv, ca)
        finite &= fine
        for k in range(count):
            rows[k, j] = (rows[k, j] + problem.rates[own + k]) / h
    for l in range(count):
        z = problem.z[own + l]
        h = ONE_SIDED_STEP * max(1.0, abs(z))
        problem.z[own + l] = z + h
        h = problem.z[own + l] - z
        finite &= call(problem, 0.0, 0.0, 0)
        problem.z[own + l] = z
        for i in range(n):
            problem.R_z[i, l] = (problem.R_z[i, l] + problem.residual[i]) / h
        for k in range(count):
            rows[k, 2 * n + own + l] = (rows[k, 2 * n + own + l] + problem.rates[own + k]) / h
    return finite


@inner
def add_feedback(problem):
    """T -= B (u_q + c_v u_v)."""
    if problem.slopes.shape[0] == 0:
        return
    n, cv = problem.tangent.shape[0], problem.numbers[CV]
    for k in range(problem.B.shape[1]):
        for j in range(n):
            slope = problem.slopes[k, j] + cv * problem.slopes[k, n + j]
            if slope != 0.0:
                for i in range(n):
                    problem.tangent[i, j] -= problem.B[i, k] * slope


@inner
def size_of_tangent(problem):
    """Largest diagonal entry of T: scale of the columns of multipliers."""
    largest = 0.0
    for i in range(problem.free.shape[0]):
        k = problem.free[i]
        largest = max(largest, abs(problem.tangent[k, k]))
    return largest if largest > 0.0 else 1.0


@outlined
def fill_matrix(problem):
    """W = [T, -A^T, -(T - dR/dq) P, R_z; de/dq; d(A v)/dx, 0, -c_v A P; ...] of a Newton step, see above.

    Columns of lambda and mu are scaled by `size_of_tangent`.
    """
    free, W, T = problem.free, problem.matrix, problem.tangent
    nf, nc, nz = free.shape[0], problem.vectors.shape[1], problem.z.shape[0]
    for i in range(W.shape[0]):
        for j in range(W.shape[0]):
            W[i, j] = 0.0
    for i in range(nf):
        for j in range(nf):
            W[i, j] = T[free[i], free[j]]
    if nc > 0:
        scale = size_of_tangent(problem)
        problem.numbers[SCALE] = scale
        A, de, slip = problem.matrices[0], problem.matrices[1], problem.matrices[2]
        for i in range(nf):
            for k in range(nc):
                W[i, nf + k] = -scale * A[k, free[i]]
                W[nf + k, i] = de[k, free[i]]
        if problem.flags[STABILISED]:
            fill_stabilisation(problem, scale, A, slip)
    if nz > 0:
        fill_states(problem, nf + (2 if problem.flags[STABILISED] else 1) * nc)


@inner
def fill_stabilisation(problem, scale, A, slip):
    """Columns -(T - dR/dq) P of mu and rows d(A v)/dx, -c_v A P, with the P of `set_direction`."""
    free, W, cv, T, moving, P = (
        problem.free, problem.matrix, problem.numbers[CV], problem.tangent, problem.moving, problem.P
    )  # fmt: skip
    nf, nc = free.shape[0], A.shape[0]
    if not is_corrected(problem):
        for i in range(nf):
            set_direction(problem, free[i], abs(T[free[i], free[i]]), scale)
    for i in range(nf):
        subtract_product(1.0, moving[free[i]], free, P, W[i, nf + nc : nf + 2 * nc])
        for k in range(nc):
            W[nf + nc + k, i] = slip[k, free[i]]
    for l in range(nc):
        subtract_product(cv, A[l], free, P, W[nf + nc + l, nf + nc : nf + 2 * nc])


@outlined
def subtract_product(s, x, free, P, out):
    """out (nc,) -= s x P over free coordinates, for x (n,) and P (n, nc); four at a time, out is short."""
    nf, count, last = free.shape[0], Index(out.shape[0]), free.shape[0] - free.shape[0] % 4
    for j in range(0, last, 4):
        f0, f1, f2, f3 = free[j], free[j + 1], free[j + 2], free[j + 3]
        x0, x1, x2, x3 = s * x[f0], s * x[f1], s * x[f2], s * x[f3]
        if x0 != 0.0 or x1 != 0.0 or x2 != 0.0 or x3 != 0.0:
            p0, p1, p2, p3 = P[f0], P[f1], P[f2], P[f3]
            for k in range(count):
                out[k] -= (x0 * p0[k] + x1 * p1[k]) + (x2 * p2[k] + x3 * p3[k])
    for j in range(last, nf):
        x0, p0 = s * x[free[j]], P[free[j]]
        for k in range(count):
            out[k] -= x0 * p0[k]


@inner
def fill_states(problem, first):
    """Rows -(f_q + c_v f_v), c_z - f_z and columns R_z - B u_z of internal states."""
    free, W, slopes, cv = problem.free, problem.matrix, problem.slopes, problem.numbers[CV]
    n, nu, nz = problem.q.shape[0], problem.B.shape[1], problem.z.shape[0]
    own = nz - problem.load_states.shape[0]
    for k in range(nz):
        for i in range(free.shape[0]):
            f = free[i]
            W[first + k, i] = -(slopes[nu + k, f] + cv * slopes[nu + k, n + f])
            x = 0.0
            for u in range(nu):
                x += problem.B[f, u] * slopes[u, 2 * n + k]
            W[i, first + k] = problem.R_z[f, k - own] - x if k >= own else -x
        for l in range(nz):
            W[first + k, first + l] = -slopes[nu + k, 2 * n + l]
        W[first + k, first + k] += problem.numbers[CZ]
