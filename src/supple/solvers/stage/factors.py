"""The factors of a stage's matrix: the one place that knows whether they are dense or over the tree.

Who solves with the matrix of the newest `factorise_stage` calls `solve_factors` or `solve_factors_transposed`.

The dense matrix costs n^3, factors over the tree (`core.tree_tangent`) cost no more per link however many links there
are.  Which of them a model uses follows from its structure (`solvers.stage.choice`).  Across blocks the tree has no
choice of pivots: where its factors are in doubt, the dense matrix is made after all, this time and `DENSE_AFTER` times
more, for what was in the way is often still there; how often that happened is counted.
"""

from __future__ import annotations

from supple.core.residual import OPERATORS
from supple.core.tree_factors import BORDER, TIES, factors_at
from supple.core.tree_rates import call_tree_rates
from supple.core.tree_solve import FACTORISE_BORDER, SOLVE, SOLVE_TRANSPOSED, call_tree_solver
from supple.core.tree_tangent import FACTORED, call_tree_tangent
from supple.jit import inner
from supple.linalg.lu import factorise, solve, solve_transposed
from supple.solvers.problem import (
    CV,
    CZ,
    DENSE_LEFT,
    DOUBTS,
    FACTORS_AT,
    LAPACK_AT,
    LARGE_AT,
    OVER_TREE,
    SCALE,
    SPACE_AT,
    STABILISED,
    TREE_AT,
    TREE_RATES_AT,
    TREE_SOLVER_AT,
    TREE_TANGENT_AT,
    WORST,
)
from supple.solvers.rounding import ROUNDED_STIFFNESS
from supple.solvers.stage.evaluation import call, call_rows
from supple.solvers.stage.large_matrix import LARGE, call_large
from supple.solvers.stage.status import CONVERGED, NO_PIVOT, NOT_FINITE

#: Factorisations that are dense after one over the tree was in doubt.
DENSE_AFTER = 10


@inner
def factorise_matrix(problem, A, pivots, scales):
    """Dense factors, in place, of a matrix (m, m), as of `linalg.lu`; large ones elsewhere (`large_matrix`)."""
    m = A.shape[0]
    if m < LARGE:
        return factorise(A, pivots, scales)
    where = (A.ctypes.data, A.strides[0] // 8, m, pivots.ctypes.data, scales.ctypes.data, problem.calls[LAPACK_AT])
    return call_large(problem.calls[LARGE_AT], where)


@inner
def pivot_status(problem, singular):
    """CONVERGED, or NO_PIVOT with the coordinate of a pivot that failed, from what `factorise_matrix` returned."""
    if singular < 0:
        return CONVERGED
    problem.flags[WORST] = problem.free[singular] if singular < problem.free.shape[0] else -1
    return NO_PIVOT


@inner
def set_direction(problem, f, size, largest):
    """Row f of P = diag(1/T) A^T, in units of the ``largest``: stiff and heavy coordinates are corrected least."""
    weight = largest / max(size, ROUNDED_STIFFNESS * largest)
    for k in range(problem.P.shape[1]):
        problem.P[f, k] = problem.matrices[0, k, f] * weight


@inner
def is_corrected(problem):
    """Whether the stage holds corrections P mu already: P must not turn under them, velocities would jump with it."""
    corrected = False
    for k in range(problem.mu.shape[0]):
        corrected |= problem.mu[k] != 0.0
    return corrected


@inner
def tree_is_asked(problem):
    """Whether the next factors are to be made over the tree."""
    if problem.calls[FACTORS_AT] == 0:
        return False
    if problem.flags[DENSE_LEFT] > 0:
        problem.flags[DENSE_LEFT] -= 1
        return False
    return True


@inner
def factorise_over_tree(problem, cv, ca, steps):
    """Residual, rows of loops and factors over the tree of T at (c_v, c_a); NO_PIVOT if they are in doubt.

    ``steps``: whether the unknowns are those of a stage, else x (and lambda) alone, without feedback.
    """
    calls = problem.calls
    if not call(problem, cv, ca, OPERATORS):
        return NOT_FINITE
    call_rows(problem, problem.matrices.ctypes.data)
    known = prepare_corrections(problem, cv, ca) if steps and problem.flags[STABILISED] else True
    at = (calls[TREE_AT], calls[SPACE_AT], problem.q.ctypes.data, problem.v.ctypes.data, cv, ca, calls[FACTORS_AT])
    if known and call_tree_tangent(calls[TREE_TANGENT_AT], at) == FACTORED:
        fill_border(problem, steps)
        at = (calls[TREE_AT], calls[FACTORS_AT], FACTORISE_BORDER, 0)
        if call_tree_solver(calls[TREE_SOLVER_AT], at) < 0:
            problem.flags[OVER_TREE], problem.numbers[SCALE] = True, 1.0
            return CONVERGED
    in_doubt(problem)
    return NO_PIVOT


@inner
def in_doubt(problem):
    """Factors over the tree were no good: dense ones for a while."""
    problem.flags[DOUBTS] += 1
    problem.flags[DENSE_LEFT] = DENSE_AFTER


@inner
def solve_over_tree(problem, what, rhs):
    """Overwrite rhs by the solution with the newest factors over the tree: SOLVE or SOLVE_TRANSPOSED."""
    calls = problem.calls
    call_tree_solver(calls[TREE_SOLVER_AT], (calls[TREE_AT], calls[FACTORS_AT], what, rhs.ctypes.data))


@inner
def solve_factors(problem, rhs):
    """Overwrite rhs, in the order of the stage's unknowns, by the solution with the newest factors."""
    if problem.flags[OVER_TREE]:
        solve_over_tree(problem, SOLVE, rhs)
    else:
        m = rhs.shape[0]
        solve(problem.matrix[:m, :m], problem.pivots[:m], problem.scales[:m], rhs)


@inner
def solve_factors_transposed(problem, rhs):
    """The same with the transposed matrix."""
    if problem.flags[OVER_TREE]:
        solve_over_tree(problem, SOLVE_TRANSPOSED, rhs)
    else:
        m = rhs.shape[0]
        solve_transposed(problem.matrix[:m, :m], problem.pivots[:m], problem.scales[:m], rhs)


# ---------------------------------------------------------------------- the border


@inner
def prepare_corrections(problem, cv, ca):
    """P, and (T - dR/dq) P, row by row in problem.corrections, before operators are used up.

    Returns whether all that follows rates is known (`core.tree_rates`).
    """
    calls, free, nc, weights = problem.calls, problem.free, problem.vectors.shape[1], problem.corrections[0]
    at = (calls[TREE_AT], calls[SPACE_AT], calls[FACTORS_AT], problem.v.ctypes.data, cv, ca, problem.P.ctypes.data)
    if not is_corrected(problem):
        call_tree_rates(calls[TREE_RATES_AT], (*at, 0, weights.ctypes.data))
        largest = 0.0
        for i in range(free.shape[0]):
            largest = max(largest, weights[free[i]])
        for i in range(free.shape[0]):
            set_direction(problem, free[i], weights[free[i]], largest)
    return call_tree_rates(calls[TREE_RATES_AT], (*at, nc, problem.corrections.ctypes.data)) != 0


@inner
def new_row(factors):
    """A new row of the border, D being zero; so are row and column where coordinates follow others."""
    k = factors.count[BORDER]
    factors.count[BORDER] = k + 1
    for j in range(factors.P.shape[1]):
        factors.P[k, j], factors.Q[k, j] = 0.0, 0.0
    for j in range(factors.D.shape[0]):
        factors.D[k, j], factors.D[j, k] = 0.0, 0.0
    return k


@inner
def fill_border(problem, steps):
    """Behind the ties of loads: those of feedback, then lambda, mu and internal states (see `solvers.stage.matrix`)."""
    factors = factors_at(problem.calls[FACTORS_AT])
    if steps:
        tie_feedback(problem, factors)
    nc, A, de = problem.vectors.shape[1], problem.matrices[0], problem.matrices[1]
    for k in range(nc):
        row = new_row(factors)
        for j in range(A.shape[1]):
            factors.P[row, j], factors.Q[row, j] = -A[k, j], de[k, j]
    if steps and problem.flags[STABILISED]:
        border_corrections(problem, factors)
    if steps and problem.z.shape[0] > 0:
        border_states(problem, factors)


@inner
def tie_feedback(problem, factors):
    """T -= B (u_q + c_v u_v), a tie per input."""
    if problem.slopes.shape[0] == 0:
        return
    n, cv = problem.q.shape[0], problem.numbers[CV]
    for k in range(problem.B.shape[1]):
        row = new_row(factors)
        factors.count[TIES] = row + 1
        factors.D[row, row] = -1.0
        for j in range(n):
            factors.P[row, j] = -problem.B[j, k]
            factors.Q[row, j] = problem.slopes[k, j] + cv * problem.slopes[k, n + j]


@inner
def border_corrections(problem, factors):
    """Columns -(T - dR/dq) P of mu and rows d(A v)/dx, -c_v A P."""
    cv, free, A, slip = problem.numbers[CV], problem.free, problem.matrices[0], problem.matrices[2]
    nc, first = A.shape[0], factors.count[BORDER]
    for k in range(nc):
        row = new_row(factors)
        for j in range(A.shape[1]):
            factors.P[row, j], factors.Q[row, j] = -problem.corrections[k, j], slip[k, j]
    for k in range(nc):
        for l in range(nc):
            x = 0.0
            for i in range(free.shape[0]):
                x += A[l, free[i]] * problem.P[free[i], k]
            factors.D[first + l, first + k] = -cv * x


@inner
def border_states(problem, factors):
    """Rows -(f_q + c_v f_v), c_z - f_z and columns R_z - B u_z of internal states."""
    slopes, cv, n = problem.slopes, problem.numbers[CV], problem.q.shape[0]
    nu, nz, first = problem.B.shape[1], problem.z.shape[0], factors.count[BORDER]
    own = nz - problem.load_states.shape[0]
    for k in range(nz):
        row = new_row(factors)
        for j in range(n):
            factors.Q[row, j] = -(slopes[nu + k, j] + cv * slopes[nu + k, n + j])
            x = 0.0
            for u in range(nu):
                x += problem.B[j, u] * slopes[u, 2 * n + k]
            factors.P[row, j] = problem.R_z[j, k - own] - x if k >= own else -x
    for k in range(nz):
        for l in range(nz):
            factors.D[first + k, first + l] = -slopes[nu + k, 2 * n + l]
        factors.D[first + k, first + k] += problem.numbers[CZ]
