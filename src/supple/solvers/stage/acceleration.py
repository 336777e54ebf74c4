"""Accelerations and multipliers at a state (index 1).

Explicit schemes ask for them at every stage: of trees by the recursion of `core.forward_dynamics`.  All others, and
trees where that recursion is in doubt, have them from the residual alone.

R is affine in a (but for loads that feel accelerations otherwise), with matrix M = dR/da, which the fused tangent gives
for a large c_a: (dR/dq + c_a M) / c_a = M to rounding.  A step solves

    [ M  -A^T ] [ step   ]     [ R                                            ]
    [ A    0  ] [ lambda ] = - [ A a + (dA/dt) v + 2/T A v + e/T^2 (Baumgarte) ]

and is repeated once, which gives back what cond(M) took.  Where steps do not shrink although forces are out of balance,
R is not affine: M is taken anew, and so on; if that does not help either, the state has no acceleration that could be
found.
"""

from __future__ import annotations

import math

from supple.core.arrays import tree_view
from supple.core.articulated import SOLVED
from supple.core.forward_dynamics import call_forward_dynamics
from supple.jit import inner
from supple.solvers.problem import (
    ARTICULATED_AT,
    ASK_FEEDBACK,
    FORWARD_AT,
    FREE_AT,
    OVER_TREE,
    RESIDUALS,
    SPACE_AT,
    STAGE_TIME,
    STALE,
    TREE_AT,
    WORST,
)
from supple.solvers.rounding import NOTHING, ROUNDED_FORCE
from supple.solvers.stage.evaluation import call, call_rows, set_load_signals
from supple.solvers.stage.excitation import excite, feed_back
from supple.solvers.stage.factors import factorise_matrix, factorise_over_tree, solve_factors, tree_is_asked
from supple.solvers.stage.matrix import size_of_tangent
from supple.solvers.stage.status import CONVERGED, NO_PIVOT, NOT_FINITE, SLOW

#: c_a at which dR/dq is rounding beside c_a M.
LARGE = 1e24
#: Steps with one factorisation at most, two where R is affine in a; and factorisations at most.
MOST, MOST_FACTORS = 8, 30
#: Ratio of consecutive steps that get nowhere.
HALTING = 0.5


@inner
def accelerate(problem, t, baumgarte):
    """Accelerations, multipliers and rates of internal states at the problem's q, v, z and time t.  Returns a status.

    Prescribed coordinates of q, v, a take the values of their laws.  The factors of a stage are lost.
    """
    problem.numbers[STAGE_TIME] = t
    status = excite(problem, t)
    if status != CONVERGED:
        return status
    for i in range(problem.fixed.shape[0]):
        k = problem.fixed[i]
        problem.q[k], problem.v[k] = problem.motion[0, k], problem.motion[1, k]
    for i in range(problem.a.shape[0]):
        problem.a[i] = problem.motion[2, i]
    for k in range(problem.multipliers.shape[0]):
        problem.multipliers[k] = 0.0
    problem.flags[STALE] = True
    status = feed_back(problem, ASK_FEEDBACK)
    if status != CONVERGED:
        return status
    if problem.calls[FORWARD_AT] != 0 and accelerate_by_recursion(problem):
        return CONVERGED
    if tree_is_asked(problem) and problem.vectors.shape[1] == 0:
        status = accelerate_over_tree(problem, baumgarte)
        if status in (CONVERGED, NOT_FINITE):
            return status
    problem.flags[OVER_TREE] = False
    for _ in range(MOST_FACTORS):
        if not call(problem, 0.0, LARGE, problem.tangent.ctypes.data):
            return NOT_FINITE
        call_rows(problem, problem.matrices.ctypes.data)
        status = step_accelerations(problem, baumgarte)
        if status != SLOW or balanced(problem):
            return CONVERGED if status == SLOW else status
    return SLOW


@inner
def accelerate_by_recursion(problem):
    """a = M^-1 (tau - ID(q, v, a_given)) of the free coordinates, by articulated bodies.  Returns whether it was found.

    If not, a is as before.  R is set to zero, but evaluated where joints are prescribed (their efforts are entries of
    it) and where loads have states (which tell their rates with it).
    """
    calls, a, given = problem.calls, problem.a, problem.motion[2]
    set_load_signals(problem)
    where = calls[ARTICULATED_AT], calls[TREE_AT], calls[SPACE_AT]
    state = problem.q.ctypes.data, problem.v.ctypes.data, calls[FREE_AT], a.ctypes.data
    status = call_forward_dynamics(calls[FORWARD_AT], (*where, *state))
    for i in range(a.shape[0]):
        a[i] = given[i] + a[i] if status == SOLVED else given[i]
    if status != SOLVED:
        return False
    if problem.fixed.shape[0] + problem.load_states.shape[0] > 0:
        return call(problem, 0.0, 0.0, 0)
    problem.flags[RESIDUALS] += 1
    for i in range(a.shape[0]):
        problem.residual[i] = 0.0
    return True


@inner
def accelerate_over_tree(problem, baumgarte):
    """Steps with factors over the tree, made once (`solvers.stage.factors`).  Returns a status."""
    status = factorise_over_tree(problem, 0.0, LARGE, False)
    return repeat_steps(problem, baumgarte, LARGE, 1.0) if status == CONVERGED else status


@inner
def step_accelerations(problem, baumgarte):
    """Steps with one factorisation, from the residual, M and the rows of loops.  Returns a status."""
    m = problem.free.shape[0] + problem.vectors.shape[1]
    W = problem.matrix[:m, :m]
    scale = fill_index_one(problem, W)
    if factorise_matrix(problem, W, problem.pivots[:m], problem.scales[:m]) >= 0:
        return NO_PIVOT
    return repeat_steps(problem, baumgarte, 1.0, scale)


@inner
def repeat_steps(problem, baumgarte, size, scale):
    """a += step, lambda += step, from the equations above, until steps are rounding.  Returns a status.

    With the newest factors, which are those of ``size`` times M, columns of lambda times ``scale``.
    """
    nf, nc = problem.free.shape[0], problem.vectors.shape[1]
    rhs, before = problem.rhs[: nf + nc], math.inf
    for k in range(MOST):
        index_one_side(problem, baumgarte, rhs)
        solve_factors(problem, rhs)
        for i in range(nf):
            rhs[i] *= size
        step, largest = 0.0, 0.0
        for i in range(nf):
            problem.a[problem.free[i]] += rhs[i]
            step, largest = max(step, abs(rhs[i])), max(largest, abs(problem.a[problem.free[i]]))
        for i in range(nc):
            problem.multipliers[i] += scale * rhs[nf + i]
        if not math.isfinite(step):
            return NOT_FINITE
        if not call(problem, 0.0, 0.0, 0):
            return NOT_FINITE
        call_rows(problem, 0)
        if (k > 0 and step <= ROUNDED_FORCE * largest + NOTHING) or step == 0.0:
            return CONVERGED
        if k > 0 and step > HALTING * before:
            return SLOW
        before = step
    return SLOW


@inner
def balanced(problem):
    """Whether the residual is rounding of the forces that meet in it: |M| (|a| + |g|) and |dR/dq| (1 + |q|).

    Notes the worst.  Weights count although they may cancel: a body that floats in water is at rest between two forces
    of which nothing else tells.
    M is in problem.tangent, which becomes dR/dq; the scales of the factors are lost.
    """
    n, free, forces, worst, fine = problem.q.shape[0], problem.free, problem.scales, ROUNDED_FORCE, True
    gravity = tree_view(problem.calls[TREE_AT]).gravity
    weight = abs(gravity[0]) + abs(gravity[1]) + abs(gravity[2])
    for k in range(free.shape[0]):
        forces[k] = 0.0
        for j in range(n):
            forces[k] += abs(problem.tangent[free[k], j]) * (abs(problem.a[j]) + weight)
    call(problem, 0.0, 0.0, problem.tangent.ctypes.data)
    for k in range(free.shape[0]):
        i = free[k]
        for j in range(n):
            forces[k] += abs(problem.tangent[i, j]) * (1.0 + abs(problem.q[j]))
        if not abs(problem.residual[i]) <= worst * forces[k]:
            worst, problem.flags[WORST], fine = abs(problem.residual[i]) / forces[k], i, False
    return fine


@inner
def fill_index_one(problem, W):
    """W = [M, -s A^T; A, 0] of accelerations and multipliers; returns s, the scale of the columns of multipliers."""
    free, nf, nc = problem.free, problem.free.shape[0], problem.vectors.shape[1]
    for i in range(problem.tangent.shape[0]):
        for j in range(problem.tangent.shape[0]):
            problem.tangent[i, j] /= LARGE
    scale = size_of_tangent(problem)
    for i in range(nf):
        for j in range(nf):
            W[i, j] = problem.tangent[free[i], free[j]]
        for k in range(nc):
            W[i, nf + k] = -scale * problem.matrices[0, k, free[i]]
            W[nf + k, i] = problem.matrices[0, k, free[i]]
    for k in range(nc):
        for l in range(nc):
            W[nf + k, nf + l] = 0.0
    return scale


@inner
def index_one_side(problem, baumgarte, rhs):
    """rhs = -[R; A a + (dA/dt) v + 2/T A v + e/T^2], the last two if T = ``baumgarte`` > 0."""
    nf = problem.free.shape[0]
    for i in range(nf):
        rhs[i] = -problem.residual[problem.free[i]]
    for k in range(problem.vectors.shape[1]):
        rhs[nf + k] = -problem.vectors[2, k]
        if baumgarte > 0.0:
            rhs[nf + k] -= 2.0 / baumgarte * problem.vectors[1, k] + problem.vectors[0, k] / baumgarte**2
