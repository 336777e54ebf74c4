"""The two matrices of a Newton step on the stages of Radau IIA: one real, one complex, from the same Jacobians.

Both are the matrix of `solvers.stage.matrix` with c_v = c, c_a = c^2, c_z = c, where c h is an eigenvalue of W;
Jacobians are kept separately (`solvers.stage.blocks`), so that a change of step needs new factors, not new Jacobians.
"""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.integrators.complex_lu import factorise_complex
from supple.solvers.integrators.radau_arrays import SCALE
from supple.solvers.integrators.radau_tableau import ALPHA, BETA, GAMMA
from supple.solvers.problem import FEEDBACK, JACOBIANS_AT, STABILISED, STALE, TANGENTS
from supple.solvers.stage.blocks import fill_blocks, largest_diagonal, sum_blocks
from supple.solvers.stage.factors import factorise_matrix, pivot_status, set_direction
from supple.solvers.stage.status import CONVERGED
from supple.solvers.stage.turned_rows import keep_turns


@inner
def linearise_stages(problem, own):
    """Jacobians of everything at the trial state.  Returns a status."""
    problem.flags[TANGENTS] += 1
    keep_turns(problem)
    status = fill_blocks(problem, problem.calls[JACOBIANS_AT], own.jacobians, own.by_state, own.f, False)
    if status != CONVERGED:
        return status
    if problem.flags[FEEDBACK]:
        close_feedback(problem, own)
    problem.flags[STALE] = False
    return CONVERGED


@inner
def close_feedback(problem, own):
    """R_q -= B u_q, R_v -= B u_v, R_z -= B u_z: inputs that follow the state, by their slopes."""
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
    """Factors of the matrices with c_v = gamma / h and c_v = (alpha - i beta) / h, c_a = c_v^2, c_z = c_v.

    Returns a status.
    """
    blocks, c = (own.jacobians, own.by_state, own.f), GAMMA / h
    set_directions(problem, own, c)
    sum_blocks(problem, blocks, (1.0, c, c * c, c), problem.P, own.numbers[SCALE], problem.matrix)
    singular = factorise_matrix(problem, problem.matrix, problem.pivots, problem.scales)
    if singular < 0:
        c, d = ALPHA / h, -BETA / h  # (c + i d)^2 = c^2 - d^2 + 2 i c d
        sum_blocks(problem, blocks, (1.0, c, c * c - d * d, c), problem.P, own.numbers[SCALE], own.re)
        sum_blocks(problem, blocks, (0.0, d, 2.0 * c * d, d), problem.P, own.numbers[SCALE], own.im)
        singular = factorise_complex(own.re, own.im, own.pivots, own.scales)
    return pivot_status(problem, singular)


@inner
def set_directions(problem, own, c):
    """P = diag(T)^-1 A^T of loops up to a factor, T = R_q + c R_v + c^2 R_a.

    The largest entry of the diagonal scales multipliers, too.
    """
    free, J, scale = problem.free, own.jacobians, largest_diagonal(problem, own.jacobians, 1.0, c, c * c)
    own.numbers[SCALE] = scale
    if not problem.flags[STABILISED]:
        return
    for i in range(free.shape[0]):
        f = free[i]
        set_direction(problem, f, abs(J[0, f, f] + c * J[1, f, f] + c * c * J[2, f, f]), scale)
