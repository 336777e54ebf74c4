"""A stage, linearised at the state at which it was solved: all blocks apart, and the factors of its matrix.

The unknowns of a stage are those of `solvers.problem`; written as F(w, begin, u) = 0 with w = (x, lambda, mu, x_z), the
matrix of a Newton step is dF/dw, at the *solved* state and with the P that was used.  Accelerations at a state are the
stage whose unknowns are a and lambda, with rows A a + (dA/dt) v + 2/T A v + e/T^2 of loops.

R_z and the derivatives of loads' rates are central differences; so are slopes of users' feedback.
"""

from __future__ import annotations

from supple.core.input_forces import call_input_columns
from supple.core.residual_jacobians import call_residual_jacobians
from supple.jit import inner
from supple.linalg.lu import factorise
from supple.solvers.problem import (
    ASK_FEEDBACK,
    ASK_SLOPES,
    FEEDBACK,
    LATEST_TIME,
    OVER_TREE,
    SCALE,
    SPACE_AT,
    STABILISED,
    STAGE_TIME,
    TREE_AT,
)
from supple.solvers.sensitivity.arrays import (
    CA_OF,
    COLUMNS_AT,
    CV_OF,
    CZ_OF,
    JACOBIANS_AT,
    LATEST_OF,
    P_OF,
    STATE_AT,
    TIME_OF,
)
from supple.solvers.sensitivity.stage_tree import factorise_solved_stage
from supple.solvers.stage.evaluation import call, call_rows
from supple.solvers.stage.excitation import excite, feed_back
from supple.solvers.stage.factors import tree_is_asked
from supple.solvers.stage.status import CONVERGED, NO_PIVOT, NOT_FINITE

#: Relative step of central differences by further states, of their rates.
DIFFERENCE = 6e-6


@inner
def read_state(problem, sweep, s):
    """The state of a stage, from the tape."""
    n, nc, nz = problem.q.shape[0], problem.multipliers.shape[0], problem.z.shape[0]
    at, tape = int(sweep.stages[s, STATE_AT]), sweep.tape
    for i in range(n):
        problem.q[i], problem.v[i], problem.a[i] = tape[at + i], tape[at + n + i], tape[at + 2 * n + i]
    for i in range(nc):
        problem.multipliers[i] = tape[at + 3 * n + i]
    for i in range(nz):
        problem.z[i] = tape[at + 3 * n + nc + i]
    problem.numbers[STAGE_TIME], problem.numbers[LATEST_TIME] = sweep.stages[s, TIME_OF], sweep.stages[s, LATEST_OF]


@inner
def linearise_stage(problem, sweep, s, accelerates, columns):
    """All blocks and the factors of stage s; dR/du as a matrix if ``columns``.  Returns a status."""
    status = fill_blocks(problem, sweep, s, columns)
    if status != CONVERGED:
        return status
    if not accelerates and tree_is_asked(problem):
        status = factorise_solved_stage(problem, sweep, s)
        if status != NO_PIVOT:
            return status
    problem.flags[OVER_TREE] = False
    m = fill_matrix(problem, sweep, s, accelerates)
    return NO_PIVOT if factorise(problem.matrix[:m, :m], problem.pivots[:m], problem.scales[:m]) >= 0 else CONVERGED


@inner
def fill_blocks(problem, sweep, s, columns):
    """All derivatives at the state of stage s; dR/du as a matrix if ``columns``.  Returns a status."""
    read_state(problem, sweep, s)
    status = excite(problem, sweep.stages[s, TIME_OF])
    if status == CONVERGED:
        status = feed_back(problem, ASK_FEEDBACK)
    if status == CONVERGED:
        status = feed_back(problem, ASK_SLOPES)
    if status != CONVERGED:
        return status
    fill_rates(problem, sweep)
    own = problem.z.shape[0] - problem.load_states.shape[0]
    for k in range(problem.load_states.shape[0]):
        problem.signals[problem.load_states[k, 0]] = problem.z[own + k]
    J = sweep.jacobians
    tree, space, q, v = problem.calls[TREE_AT], problem.calls[SPACE_AT], problem.q.ctypes.data, problem.v.ctypes.data
    into = (problem.residual.ctypes.data, J[0].ctypes.data, J[1].ctypes.data, J[2].ctypes.data)
    finite = call_residual_jacobians(sweep.calls[JACOBIANS_AT], (tree, space, q, v, problem.a.ctypes.data, *into))
    if finite == 0:
        return NOT_FINITE
    call_rows(problem, problem.matrices.ctypes.data)
    if columns and sweep.calls[COLUMNS_AT] != 0:
        call_input_columns(sweep.calls[COLUMNS_AT], (tree, space, q, v, sweep.by_input.ctypes.data))
    if problem.flags[FEEDBACK]:
        close_feedback(problem, sweep)
    return CONVERGED


# ---------------------------------------------------------------------- further states and feedback


@inner
def fill_rates(problem, sweep):
    """dR/dz and the derivatives of z' by q, v, a, z, u: of controllers as Python told them, of loads by differences."""
    n, nz, nu, count = problem.q.shape[0], problem.z.shape[0], sweep.by_input.shape[0], problem.load_states.shape[0]
    own, slopes, f = nz - count, problem.slopes, sweep.rates
    for k in range(nz):
        for i in range(n):
            sweep.by_state[i, k] = 0.0
        for j in range(f.shape[1]):
            f[k, j] = 0.0
    for k in range(own):
        for j in range(n):
            f[k, j], f[k, n + j] = slopes[nu + k, j], slopes[nu + k, n + j]
        for l in range(nz):
            f[k, 3 * n + l] = slopes[nu + k, 2 * n + l]
    if count == 0:
        return
    for j in range(n):
        difference_along(problem, sweep, problem.q, j, j, -1)
        difference_along(problem, sweep, problem.v, j, n + j, -1)
        difference_along(problem, sweep, problem.a, j, 2 * n + j, -1)
    for l in range(count):
        difference_along(problem, sweep, problem.z, own + l, 3 * n + own + l, own + l)
    for j in range(nu):
        difference_along(problem, sweep, problem.inputs, j, 3 * n + nz + j, -1)


@inner
def difference_along(problem, sweep, x, j, column, state):
    """Column of the derivatives of loads' rates by entry j of x, and dR/dz of a ``state`` unless that is -1."""
    own, kept = problem.z.shape[0] - problem.load_states.shape[0], x[j]
    h = DIFFERENCE * max(1.0, abs(kept))
    for side in range(2):
        x[j] = kept + h if side == 0 else kept - h
        w = (0.5 if side == 0 else -0.5) / h
        call(problem, 0.0, 0.0, 0)
        for k in range(problem.load_states.shape[0]):
            sweep.rates[own + k, column] += w * problem.rates[own + k]
        if state >= 0:
            for i in range(problem.residual.shape[0]):
                sweep.by_state[i, state] += w * problem.residual[i]
    x[j] = kept


@inner
def close_feedback(problem, sweep):
    """Inputs that follow the state: their slopes join the derivatives of R and of loads' rates by q, v, z."""
    n, nz, nu, slopes = problem.q.shape[0], problem.z.shape[0], sweep.by_input.shape[0], problem.slopes
    own = nz - problem.load_states.shape[0]
    for u in range(nu):
        for i in range(n):
            b = sweep.by_input[u, i]
            if b != 0.0:
                for j in range(n):
                    sweep.jacobians[0, i, j] += b * slopes[u, j]
                    sweep.jacobians[1, i, j] += b * slopes[u, n + j]
                for l in range(nz):
                    sweep.by_state[i, l] += b * slopes[u, 2 * n + l]
        for k in range(own, nz):
            b = sweep.rates[k, 3 * n + nz + u]
            for j in range(n):
                sweep.rates[k, j] += b * slopes[u, j]
                sweep.rates[k, n + j] += b * slopes[u, n + j]
            for l in range(nz):
                sweep.rates[k, 3 * n + l] += b * slopes[u, 2 * n + l]


# ---------------------------------------------------------------------- the matrix


@inner
def fill_matrix(problem, sweep, s, accelerates):
    """dF/dw, columns of lambda scaled by `scale_of`.  Returns the number of unknowns."""
    free, W, Rq, Rv, Ra = problem.free, problem.matrix, sweep.jacobians[0], sweep.jacobians[1], sweep.jacobians[2]
    nf, nc, nz = free.shape[0], problem.vectors.shape[1], problem.z.shape[0]
    stabilised = problem.flags[STABILISED] and not accelerates
    m = nf + nc if accelerates else nf + (2 if stabilised else 1) * nc + nz
    cq, cv, ca = coefficients(sweep, s, accelerates)
    for i in range(m):
        for j in range(m):
            W[i, j] = 0.0
    for i in range(nf):
        f = free[i]
        for j in range(nf):
            g = free[j]
            W[i, j] = cq * Rq[f, g] + cv * Rv[f, g] + ca * Ra[f, g]
    scale, A, E = scale_of(problem, sweep, s, accelerates), problem.matrices[0], problem.matrices[1]
    problem.numbers[SCALE] = scale
    for k in range(nc):
        for i in range(nf):
            W[i, nf + k] = -scale * A[k, free[i]]
            W[nf + k, i] = A[k, free[i]] if accelerates else E[k, free[i]]
    if stabilised:
        fill_corrections(problem, sweep, s, cv, ca)
    if nz > 0 and not accelerates:
        fill_state_rows(problem, sweep, s, m - nz, cv, ca)
    return m


@inner
def coefficients(sweep, s, accelerates):
    """How q, v, a follow from the unknown of a stage."""
    if accelerates:
        return 0.0, 0.0, 1.0
    return 1.0, sweep.stages[s, CV_OF], sweep.stages[s, CA_OF]


@inner
def scale_of(problem, sweep, s, accelerates):
    """Largest diagonal entry: scale of the columns of multipliers."""
    cq, cv, ca = coefficients(sweep, s, accelerates)
    largest = 0.0
    for i in range(problem.free.shape[0]):
        f = problem.free[i]
        entry = cq * sweep.jacobians[0, f, f] + cv * sweep.jacobians[1, f, f] + ca * sweep.jacobians[2, f, f]
        largest = max(largest, abs(entry))
    return largest if largest > 0.0 else 1.0


@inner
def fill_corrections(problem, sweep, s, cv, ca):
    """Columns of mu and rows of A v."""
    free, W, Rv, Ra = problem.free, problem.matrix, sweep.jacobians[1], sweep.jacobians[2]
    A, slip, P = problem.matrices[0], problem.matrices[2], sweep.directions[int(sweep.stages[s, P_OF])]
    nf, nc = free.shape[0], A.shape[0]
    for k in range(nc):
        for i in range(nf):
            f, x = free[i], 0.0
            for j in range(nf):
                x += (cv * Rv[f, free[j]] + ca * Ra[f, free[j]]) * P[free[j], k]
            W[i, nf + nc + k] = -x
            W[nf + nc + k, i] = slip[k, f] + cv * A[k, f]
        for l in range(nc):
            x = 0.0
            for j in range(nf):
                x += A[l, free[j]] * P[free[j], k]
            W[nf + nc + l, nf + nc + k] = -cv * x


@inner
def fill_state_rows(problem, sweep, s, first, cv, ca):
    """Rows z0' + c_z x_z - f and columns of further states."""
    free, W, f, n, nz = problem.free, problem.matrix, sweep.rates, problem.q.shape[0], problem.z.shape[0]
    nf, nc = free.shape[0], problem.vectors.shape[1]
    for k in range(nz):
        for i in range(nf):
            j = free[i]
            W[i, first + k] = sweep.by_state[j, k]
            W[first + k, i] = -(f[k, j] + cv * f[k, n + j] + ca * f[k, 2 * n + j])
        if problem.flags[STABILISED]:
            P = sweep.directions[int(sweep.stages[s, P_OF])]
            for l in range(nc):
                x = 0.0
                for i in range(nf):
                    j = free[i]
                    x += (cv * f[k, n + j] + ca * f[k, 2 * n + j]) * P[j, l]
                W[first + k, nf + nc + l] = x
        for l in range(nz):
            W[first + k, first + l] = -f[k, 3 * n + l]
        W[first + k, first + k] += sweep.stages[s, CZ_OF]
