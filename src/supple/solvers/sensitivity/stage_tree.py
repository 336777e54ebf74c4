"""A stage that was solved, its matrix factorised over the tree (`solvers.stage.factors`): where robots are large.

The blocks of `solvers.sensitivity.stage_tangents` are there already; what is left is the border of the tree.
"""

from __future__ import annotations

from supple.core.residual import OPERATORS
from supple.core.tree_factors import BORDER, TIES, factors_at
from supple.core.tree_solve import FACTORISE_BORDER, call_tree_solver
from supple.core.tree_tangent import FACTORED, call_tree_tangent
from supple.jit import inner
from supple.solvers.problem import (
    FACTORS_AT,
    FEEDBACK,
    OVER_TREE,
    SCALE,
    SPACE_AT,
    STABILISED,
    TREE_AT,
    TREE_SOLVER_AT,
    TREE_TANGENT_AT,
)
from supple.solvers.sensitivity.arrays import CA_OF, CV_OF, CZ_OF, P_OF
from supple.solvers.stage.evaluation import call
from supple.solvers.stage.factors import in_doubt, new_row
from supple.solvers.stage.status import CONVERGED, NO_PIVOT, NOT_FINITE

#: c_a beside which nothing is left of a tangent but c_a M: all else is lost in rounding.
HEAVY = 1e40


@inner
def factorise_solved_stage(problem, sweep, s, accelerates):
    """Factors over the tree of stage s at its state, in accelerations those of `HEAVY` times M, without a border.

    Returns a status, NO_PIVOT if they are in doubt.
    """
    calls, cv, ca = problem.calls, sweep.stages[s, CV_OF], sweep.stages[s, CA_OF]
    if accelerates:
        cv, ca = 0.0, HEAVY
    if not call(problem, cv, ca, OPERATORS):
        return NOT_FINITE
    at = (calls[TREE_AT], calls[SPACE_AT], problem.q.ctypes.data, problem.v.ctypes.data, cv, ca, calls[FACTORS_AT])
    if call_tree_tangent(calls[TREE_TANGENT_AT], at) == FACTORED:
        factors = factors_at(calls[FACTORS_AT])
        if not accelerates:
            if problem.flags[FEEDBACK]:
                tie_inputs(problem, sweep, cv, factors)
            border_loops(problem, sweep, s, cv, ca, factors)
            border_rates(problem, sweep, s, cv, ca, factors)
        if call_tree_solver(calls[TREE_SOLVER_AT], (calls[TREE_AT], calls[FACTORS_AT], FACTORISE_BORDER, 0)) < 0:
            problem.flags[OVER_TREE], problem.numbers[SCALE] = True, 1.0
            return CONVERGED
    in_doubt(problem)
    return NO_PIVOT


@inner
def tie_inputs(problem, sweep, cv, factors):
    """R_u (u_q + c_v u_v), a tie per input that follows the state."""
    n = problem.q.shape[0]
    for u in range(sweep.by_input.shape[0]):
        row = new_row(factors)
        factors.count[TIES] = row + 1
        factors.D[row, row] = -1.0
        for j in range(n):
            factors.P[row, j] = sweep.by_input[u, j]
            factors.Q[row, j] = problem.slopes[u, j] + cv * problem.slopes[u, n + j]


@inner
def border_loops(problem, sweep, s, cv, ca, factors):
    """Columns -A^T of lambda, -(c_v R_v + c_a R_a) P of mu, rows de/dq and (A v)_q + c_v A, corner -c_v A P."""
    free, n, nc, A = problem.free, problem.q.shape[0], problem.vectors.shape[1], problem.matrices[0]
    for k in range(nc):
        row = new_row(factors)
        for j in range(n):
            factors.P[row, j], factors.Q[row, j] = -A[k, j], problem.matrices[1, k, j]
    if not problem.flags[STABILISED]:
        return
    first, P = factors.count[BORDER], sweep.directions[int(sweep.stages[s, P_OF])]
    Rv, Ra = sweep.jacobians[1], sweep.jacobians[2]
    for k in range(nc):
        row = new_row(factors)
        for i in range(n):
            x = 0.0
            for j in range(free.shape[0]):
                x += (cv * Rv[i, free[j]] + ca * Ra[i, free[j]]) * P[free[j], k]
            factors.P[row, i], factors.Q[row, i] = -x, problem.matrices[2, k, i] + cv * A[k, i]
    for k in range(nc):
        for l in range(nc):
            x = 0.0
            for j in range(free.shape[0]):
                x += A[l, free[j]] * P[free[j], k]
            factors.D[first + l, first + k] = -cv * x


@inner
def border_rates(problem, sweep, s, cv, ca, factors):
    """Rows z0' + c_z x_z - f and columns of internal states."""
    free, f, n, nz, nc = problem.free, sweep.rates, problem.q.shape[0], problem.z.shape[0], problem.vectors.shape[1]
    first, by_lambda = factors.count[BORDER], f.shape[1] - nc
    multipliers = first - (2 * nc if problem.flags[STABILISED] else nc)
    for k in range(nz):
        row = new_row(factors)
        for j in range(n):
            factors.P[row, j] = sweep.by_state[j, k]
            factors.Q[row, j] = -(f[k, j] + cv * f[k, n + j] + ca * f[k, 2 * n + j])
    for k in range(nz):
        for l in range(nz):
            factors.D[first + k, first + l] = -f[k, 3 * n + l]
        factors.D[first + k, first + k] += sweep.stages[s, CZ_OF]
        for l in range(nc):
            factors.D[first + k, multipliers + l] = -f[k, by_lambda + l]
        if problem.flags[STABILISED]:
            P = sweep.directions[int(sweep.stages[s, P_OF])]
            for l in range(nc):
                x = 0.0
                for i in range(free.shape[0]):
                    j = free[i]
                    x += (cv * f[k, n + j] + ca * f[k, 2 * n + j]) * P[j, l]
                factors.D[first + k, first - nc + l] = x
