"""The two matrices of a Newton step on the stages of Radau IIA: one real, one complex, from the same Jacobians.

Both are the matrix of `solvers.stage.matrix` with c_v = c, c_a = c^2, c_z = c, where c h is an eigenvalue of W;
Jacobians are kept apart, so that a change of step needs new factors, not new Jacobians.
"""

from __future__ import annotations

from supple.core.residual_jacobians import call_residual_jacobians
from supple.jit import inner
from supple.linalg.lu import factorise
from supple.solvers.integrators.complex_lu import factorise_complex
from supple.solvers.integrators.radau_arrays import SCALE
from supple.solvers.integrators.radau_tableau import ALPHA, BETA, GAMMA
from supple.solvers.problem import (
    ASK_FEEDBACK,
    ASK_SLOPES,
    FEEDBACK,
    JACOBIANS_AT,
    SPACE_AT,
    STABILISED,
    STALE,
    TANGENTS,
    TREE_AT,
    WORST,
)
from supple.solvers.rounding import ROUNDED_STIFFNESS
from supple.solvers.stage.evaluation import call, call_rows
from supple.solvers.stage.excitation import feed_back
from supple.solvers.stage.matrix import DIFFERENCE
from supple.solvers.stage.status import CONVERGED, NO_PIVOT, NOT_FINITE


@inner
def linearise_stages(problem, own):
    """Jacobians of everything at the trial state.  Returns a status."""
    problem.flags[TANGENTS] += 1
    status = feed_back(problem, ASK_FEEDBACK)
    if status == CONVERGED:
        status = feed_back(problem, ASK_SLOPES)
    if status != CONVERGED:
        return status
    fill_rates(problem, own)
    first = problem.z.shape[0] - problem.load_states.shape[0]
    for k in range(problem.load_states.shape[0]):
        problem.signals[problem.load_states[k, 0]] = problem.z[first + k]
    J = own.jacobians
    at = (problem.calls[TREE_AT], problem.calls[SPACE_AT], problem.q.ctypes.data, problem.v.ctypes.data)
    into = (problem.residual.ctypes.data, J[0].ctypes.data, J[1].ctypes.data, J[2].ctypes.data)
    if call_residual_jacobians(problem.calls[JACOBIANS_AT], (*at, problem.a.ctypes.data, *into)) == 0:
        return NOT_FINITE
    call_rows(problem, problem.matrices.ctypes.data)
    if problem.flags[FEEDBACK]:
        close_feedback(problem, own)
    problem.flags[STALE] = False
    return CONVERGED


@inner
def fill_rates(problem, own):
    """dR/dz and the derivatives of z' by q, v, a, z: of controllers as Python told them, of loads by differences."""
    n, nz, count = problem.q.shape[0], problem.z.shape[0], problem.load_states.shape[0]
    first, f, nu = nz - count, own.f, problem.B.shape[1]
    for k in range(nz):
        for i in range(n):
            own.by_state[i, k] = 0.0
        for j in range(f.shape[1]):
            f[k, j] = 0.0
    for k in range(first):
        for j in range(2 * n):
            f[k, j] = problem.slopes[nu + k, j]
        for l in range(nz):
            f[k, 3 * n + l] = problem.slopes[nu + k, 2 * n + l]
    if count == 0:
        return
    for j in range(n):
        difference_along(problem, own, problem.q, j, j, -1)
        difference_along(problem, own, problem.v, j, n + j, -1)
        difference_along(problem, own, problem.a, j, 2 * n + j, -1)
    for l in range(count):
        difference_along(problem, own, problem.z, first + l, 3 * n + first + l, first + l)


@inner
def difference_along(problem, own, x, j, column, state):
    """Column of the derivatives of loads' rates by entry j of x, and dR/dz of a ``state`` unless that is -1."""
    first, kept = problem.z.shape[0] - problem.load_states.shape[0], x[j]
    h = DIFFERENCE * max(1.0, abs(kept))
    for side in range(2):
        x[j] = kept + h if side == 0 else kept
        w = (1.0 if side == 0 else -1.0) / h
        call(problem, 0.0, 0.0, 0)
        for k in range(problem.load_states.shape[0]):
            own.f[first + k, column] += w * problem.rates[first + k]
        if state >= 0:
            for i in range(problem.residual.shape[0]):
                own.by_state[i, state] += w * problem.residual[i]


@inner
def close_feedback(problem, own):
    """Inputs that follow the state: their slopes join the derivatives of R."""
    n, nz, J = problem.q.shape[0], problem.z.shape[0], own.jacobians
    for u in range(problem.B.shape[1]):
        slopes = problem.slopes[u]
        for i in range(n):
            b = problem.B[i, u]
            if b != 0.0:
                for j in range(n):
                    J[0, i, j] -= b * slopes[j]
                    J[1, i, j] -= b * slopes[n + j]
                for l in range(nz):
                    own.by_state[i, l] -= b * slopes[2 * n + l]


@inner
def factorise_both(problem, own, h):
    """Factors of both matrices for steps of h.  Returns a status."""
    c = GAMMA / h
    set_directions(problem, own, c)
    fill_matrix(problem, own, c, 0.0, problem.matrix, own.im)
    singular = factorise(problem.matrix, problem.pivots, problem.scales)
    if singular < 0:
        fill_matrix(problem, own, ALPHA / h, -BETA / h, own.re, own.im)
        singular = factorise_complex(own.re, own.im, own.pivots, own.scales)
    if singular >= 0:
        problem.flags[WORST] = problem.free[singular] if singular < problem.free.shape[0] else -1
        return NO_PIVOT
    return CONVERGED


@inner
def set_directions(problem, own, c):
    """P = diag(1/T) A^T: stiff and heavy coordinates are corrected least; T of the real matrix scales multipliers."""
    free, J, scale = problem.free, own.jacobians, 0.0
    for i in range(free.shape[0]):
        f = free[i]
        scale = max(scale, abs(J[0, f, f] + c * (J[1, f, f] + c * J[2, f, f])))
    scale = scale if scale > 0.0 else 1.0
    own.numbers[SCALE] = scale
    if not problem.flags[STABILISED]:
        return
    for i in range(free.shape[0]):
        f = free[i]
        entry = abs(J[0, f, f] + c * (J[1, f, f] + c * J[2, f, f]))
        for k in range(problem.P.shape[1]):
            problem.P[f, k] = problem.matrices[0, k, f] * scale / max(entry, ROUNDED_STIFFNESS * scale)


@inner
def fill_matrix(problem, own, c, d, re, im):
    """The matrix of a Newton step with c_v = c + i d, before factorisation; without d, ``im`` becomes zero."""
    free, J, A, E = problem.free, own.jacobians, problem.matrices[0], problem.matrices[1]
    nf, nc, nz = free.shape[0], problem.vectors.shape[1], problem.z.shape[0]
    ca, da = c * c - d * d, 2.0 * c * d
    for i in range(re.shape[0]):
        for j in range(re.shape[0]):
            re[i, j], im[i, j] = 0.0, 0.0
    for i in range(nf):
        f = free[i]
        for j in range(nf):
            g = free[j]
            re[i, j] = J[0, f, g] + c * J[1, f, g] + ca * J[2, f, g]
            im[i, j] = d * J[1, f, g] + da * J[2, f, g]
    for i in range(nf):
        for k in range(nc):
            re[i, nf + k] = -own.numbers[SCALE] * A[k, free[i]]
            re[nf + k, i] = E[k, free[i]]
    if problem.flags[STABILISED]:
        fill_corrections(problem, own, c, d, re, im)
    if nz > 0:
        fill_states(problem, own, c, d, re, im)


@inner
def fill_corrections(problem, own, c, d, re, im):
    """Columns of mu and rows of A v."""
    free, P, J, A, slip = problem.free, problem.P, own.jacobians, problem.matrices[0], problem.matrices[2]
    nf, nc, ca, da = free.shape[0], A.shape[0], c * c - d * d, 2.0 * c * d
    first = nf + nc
    for k in range(nc):
        for i in range(nf):
            f, x, y = free[i], 0.0, 0.0
            for j in range(nf):
                g = free[j]
                x += (c * J[1, f, g] + ca * J[2, f, g]) * P[g, k]
                y += (d * J[1, f, g] + da * J[2, f, g]) * P[g, k]
            re[i, first + k], im[i, first + k] = -x, -y
            re[first + k, i], im[first + k, i] = slip[k, f] + c * A[k, f], d * A[k, f]
        for l in range(nc):
            x = 0.0
            for j in range(nf):
                x += A[l, free[j]] * P[free[j], k]
            re[first + l, first + k], im[first + l, first + k] = -c * x, -d * x


@inner
def fill_states(problem, own, c, d, re, im):
    """Rows and columns of further states."""
    free, f, n, nz, nc = problem.free, own.f, problem.q.shape[0], problem.z.shape[0], problem.vectors.shape[1]
    nf, first, ca, da = free.shape[0], re.shape[0] - nz, c * c - d * d, 2.0 * c * d
    for k in range(nz):
        for i in range(nf):
            j = free[i]
            re[i, first + k] = own.by_state[j, k]
            re[first + k, i] = -(f[k, j] + c * f[k, n + j] + ca * f[k, 2 * n + j])
            im[first + k, i] = -(d * f[k, n + j] + da * f[k, 2 * n + j])
        if problem.flags[STABILISED]:
            for l in range(nc):
                x, y = 0.0, 0.0
                for i in range(nf):
                    j = free[i]
                    x += (c * f[k, n + j] + ca * f[k, 2 * n + j]) * problem.P[j, l]
                    y += (d * f[k, n + j] + da * f[k, 2 * n + j]) * problem.P[j, l]
                re[first + k, nf + nc + l], im[first + k, nf + nc + l] = x, y
        for l in range(nz):
            re[first + k, first + l] = -f[k, 3 * n + l]
        re[first + k, first + k] += c
        im[first + k, first + k] += d
