"""A stage, linearised at the state at which it was solved: all blocks separately, and the factors of its matrix.

Where factors over the tree serve and nothing asks for the blocks of R entry by entry, a backward sweep does without
them: `solvers.sensitivity.stage_products` takes transposed products in their place.

The unknowns of a stage are those of `solvers.problem`; written as F(w, begin, u) = 0 with w = (x, lambda, mu, x_z), the
matrix of a Newton step is dF/dw, at the *solved* state and with the P that was used.  Accelerations at a state are the
stage whose unknowns are a and lambda, with rows A a + (dA/dt) v + 2/T A v + e/T^2 of loops.

R_z and the derivatives of loads' rates are central differences; so are slopes of users' feedback.
"""

from __future__ import annotations

from supple.core.input_forces import call_input_columns
from supple.jit import inner
from supple.solvers.problem import (
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
    PRODUCTS_AT,
    STATE_AT,
    TIME_OF,
)
from supple.solvers.sensitivity.stage_tree import factorise_solved_stage
from supple.solvers.stage.blocks import fill_blocks, fill_state_blocks, largest_diagonal, sum_blocks
from supple.solvers.stage.excitation import excite
from supple.solvers.stage.factors import factorise_matrix, tree_is_asked
from supple.solvers.stage.status import CONVERGED, NO_PIVOT


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
    if sweep.calls[PRODUCTS_AT] != 0 and tree_is_asked(problem):
        status = factorise_without_blocks(problem, sweep, s, accelerates)
        if status != NO_PIVOT:
            return status
    status = fill_stage_blocks(problem, sweep, s, columns)
    if status != CONVERGED:
        return status
    if not accelerates and tree_is_asked(problem):
        status = factorise_solved_stage(problem, sweep, s, False)
        if status != NO_PIVOT:
            return status
    problem.flags[OVER_TREE] = False
    m = fill_matrix(problem, sweep, s, accelerates)
    singular = factorise_matrix(problem, problem.matrix[:m, :m], problem.pivots[:m], problem.scales[:m])
    return NO_PIVOT if singular >= 0 else CONVERGED


@inner
def factorise_without_blocks(problem, sweep, s, accelerates):
    """Factors of stage s over the tree, for products with the Jacobians.  Returns a status, NO_PIVOT if in doubt."""
    status = place_stage(problem, sweep, s)
    if status == CONVERGED:
        status = fill_state_blocks(problem, sweep.by_state, sweep.rates, True)
    return factorise_solved_stage(problem, sweep, s, accelerates) if status == CONVERGED else status


@inner
def place_stage(problem, sweep, s):
    """The state of stage s, and what drives it.  Returns a status."""
    read_state(problem, sweep, s)
    return excite(problem, sweep.stages[s, TIME_OF])


@inner
def fill_stage_blocks(problem, sweep, s, columns):
    """All derivatives at the state of stage s; dR/du as a matrix if ``columns``.  Returns a status."""
    status = place_stage(problem, sweep, s)
    if status != CONVERGED:
        return status
    status = fill_blocks(problem, sweep.calls[JACOBIANS_AT], sweep.jacobians, sweep.by_state, sweep.rates, True)
    if status != CONVERGED:
        return status
    if columns and sweep.calls[COLUMNS_AT] != 0:
        at = (problem.calls[TREE_AT], problem.calls[SPACE_AT], problem.q.ctypes.data, problem.v.ctypes.data)
        call_input_columns(sweep.calls[COLUMNS_AT], (*at, sweep.by_input.ctypes.data))
    if problem.flags[FEEDBACK]:
        close_feedback(problem, sweep)
    return CONVERGED


@inner
def close_feedback(problem, sweep):
    """Inputs that follow the state: R_q += R_u u_q, R_v += R_u u_v, R_z += R_u u_z, and the same of loads' rates f."""
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
    scale = scale_of(problem, sweep, s, accelerates)
    problem.numbers[SCALE] = scale
    if accelerates:
        return fill_acceleration_matrix(problem, sweep.jacobians[2], scale)
    stage, blocks, m = sweep.stages[s], (sweep.jacobians, sweep.by_state, sweep.rates), problem.matrix.shape[0]
    P = sweep.directions[int(stage[P_OF])] if problem.flags[STABILISED] else problem.P
    sum_blocks(problem, blocks, (1.0, stage[CV_OF], stage[CA_OF], stage[CZ_OF]), P, scale, problem.matrix)
    return m


@inner
def fill_acceleration_matrix(problem, M, scale):
    """dF/dw of accelerations (a, lambda): M = dR/da, bordered by A.  Returns the number of unknowns."""
    free, W, A = problem.free, problem.matrix, problem.matrices[0]
    nf, nc = free.shape[0], problem.vectors.shape[1]
    for i in range(nf):
        for j in range(nf):
            W[i, j] = M[free[i], free[j]]
    for k in range(nc):
        for i in range(nf):
            W[i, nf + k], W[nf + k, i] = -scale * A[k, free[i]], A[k, free[i]]
        for l in range(nc):
            W[nf + k, nf + l] = 0.0
    return nf + nc


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
    return largest_diagonal(problem, sweep.jacobians, cq, cv, ca)
