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

from supple.jit import inner
from supple.linalg.lu import factorise
from supple.solvers.problem import (
    ASK_FEEDBACK,
    ASK_SLOPES,
    CA,
    CV,
    CZ,
    DIFFERENCED,
    FACTORED_CA,
    FACTORED_CV,
    OVER_TREE,
    SCALE,
    STABILISED,
    STALE,
    TANGENTS,
    WORST,
)
from supple.solvers.rounding import ROUNDED_STIFFNESS
from supple.solvers.stage.evaluation import call, call_rows
from supple.solvers.stage.excitation import feed_back
from supple.solvers.stage.factors import factorise_over_tree, tree_is_asked
from supple.solvers.stage.status import CONVERGED, NO_PIVOT, NOT_FINITE

#: Relative step of one-sided differences: by further states of loads, of their rates, of the residual.
DIFFERENCE = 1e-7


@inner
def linearise(problem):
    """Residual, rows and the factors of the Newton matrix at the trial state.  Returns a status."""
    cv, ca = problem.numbers[CV], problem.numbers[CA]
    problem.flags[TANGENTS] += 1
    status = feed_back(problem, ASK_FEEDBACK)
    if status == CONVERGED:
        status = feed_back(problem, ASK_SLOPES)
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
    if problem.flags[STABILISED]:
        fill_tangent(problem, 0.0, 0.0, problem.stiffness)
    if not fill_tangent(problem, cv, ca, problem.tangent):
        return NOT_FINITE
    call_rows(problem, problem.matrices.ctypes.data)
    add_feedback(problem)
    fill_matrix(problem)
    singular = factorise(problem.matrix, problem.pivots, problem.scales)
    if singular >= 0:
        problem.flags[WORST] = problem.free[singular] if singular < problem.free.shape[0] else -1
        return NO_PIVOT
    return CONVERGED


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
    """R and rates beside the trial state: h further in q along coordinate j, c_v h in v, c_a h in a.

    The trial state is as before.  Returns whether R is finite, and h.
    """
    q, v, a = problem.q[j], problem.v[j], problem.a[j]
    h = DIFFERENCE * max(1.0, abs(q))
    if cv > 0.0:  # v must not move far, either
        h = min(h, DIFFERENCE * max(1.0, abs(v)) / cv)
    problem.q[j] = q + h
    h = problem.q[j] - q  # what was added
    problem.v[j] += cv * h
    problem.a[j] += ca * h
    finite = call(problem, 0.0, 0.0, 0)
    problem.q[j], problem.v[j], problem.a[j] = q, v, a
    return finite, h


@inner
def difference_states(problem, cv, ca):
    """R_z, and the slopes of loads' rates by x and z, by differences.  Returns whether all are finite.

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
        h = DIFFERENCE * max(1.0, abs(z))
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


@inner
def fill_matrix(problem):
    """The matrix of a Newton step, before factorisation; columns of lambda and mu are scaled by `size_of_tangent`."""
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
    """Columns of mu and rows of A v.  P = diag(1/T) A^T: stiff and heavy coordinates are corrected least."""
    free, W, cv = problem.free, problem.matrix, problem.numbers[CV]
    nf, nc = free.shape[0], A.shape[0]
    for i in range(nf):
        f = free[i]
        for k in range(nc):
            problem.P[f, k] = A[k, f] * scale / max(abs(problem.tangent[f, f]), ROUNDED_STIFFNESS * scale)
    for k in range(nc):
        for i in range(nf):
            f = free[i]
            x = 0.0
            for j in range(nf):
                x += (problem.tangent[f, free[j]] - problem.stiffness[f, free[j]]) * problem.P[free[j], k]
            W[i, nf + nc + k] = -x
            W[nf + nc + k, i] = slip[k, f]
        for l in range(nc):
            x = 0.0
            for j in range(nf):
                x += A[l, free[j]] * problem.P[free[j], k]
            W[nf + nc + l, nf + nc + k] = -cv * x


@inner
def fill_states(problem, first):
    """Rows and columns of further states."""
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
