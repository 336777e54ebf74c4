"""Accelerations and multipliers at a state (index 1), from the residual alone.

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

from supple.jit import inner
from supple.linalg.lu import factorise, solve
from supple.solvers.desk import ASK_FEEDBACK, STALE, T_NOW, WORST
from supple.solvers.integrators.stage import (
    CONVERGED,
    NO_PIVOT,
    NOT_FINITE,
    SLOW,
    call,
    call_rows,
    drive,
    feed_back,
    size_of_tangent,
)

#: c_a at which dR/dq is rounding beside c_a M.
LARGE = 1e24
#: Steps with one factorisation at most, two where R is affine in a; and factorisations at most.
MOST, MOST_FACTORS = 8, 30
#: Ratio of consecutive steps that get nowhere, and the part of the forces that meet in a coordinate that is rounding.
HALTING, ROUNDING = 0.5, 1e-10
#: Relative size of a step that is rounding.
TINY = 1e-10


@inner
def accelerate(desk, t, baumgarte):
    """desk.a and multipliers at desk.q, desk.v, desk.z and time t; rates of further states.  Returns a status.

    Prescribed coordinates of q, v, a take the values of their laws.  The factors of a stage are lost.
    """
    desk.numbers[T_NOW] = t
    status = drive(desk, t)
    if status != CONVERGED:
        return status
    for i in range(desk.fixed.shape[0]):
        k = desk.fixed[i]
        desk.q[k], desk.v[k] = desk.motion[0, k], desk.motion[1, k]
    for i in range(desk.a.shape[0]):
        desk.a[i] = desk.motion[2, i]
    for k in range(desk.multipliers.shape[0]):
        desk.multipliers[k] = 0.0
    desk.flags[STALE] = True
    status = feed_back(desk, ASK_FEEDBACK)
    if status != CONVERGED:
        return status
    for _ in range(MOST_FACTORS):
        if not call(desk, 0.0, LARGE, desk.T.ctypes.data):
            return NOT_FINITE
        call_rows(desk, desk.matrices.ctypes.data)
        status = step_accelerations(desk, baumgarte)
        if status != SLOW or balanced(desk):
            return CONVERGED if status == SLOW else status
    return SLOW


@inner
def step_accelerations(desk, baumgarte):
    """Steps with one factorisation, from the residual, M and the rows of loops.  Returns a status."""
    nf, nc = desk.free.shape[0], desk.vectors.shape[1]
    m = nf + nc
    W, pivots, scales, rhs = desk.matrix[:m, :m], desk.pivots[:m], desk.scales[:m], desk.rhs[:m]
    scale = fill_index_one(desk, W)
    if factorise(W, pivots, scales) >= 0:
        return NO_PIVOT
    before = math.inf
    for k in range(MOST):
        index_one_side(desk, baumgarte, rhs)
        solve(W, pivots, scales, rhs)
        step, largest = 0.0, 0.0
        for i in range(nf):
            desk.a[desk.free[i]] += rhs[i]
            step, largest = max(step, abs(rhs[i])), max(largest, abs(desk.a[desk.free[i]]))
        for i in range(nc):
            desk.multipliers[i] += scale * rhs[nf + i]
        if not math.isfinite(step):
            return NOT_FINITE
        if not call(desk, 0.0, 0.0, 0):
            return NOT_FINITE
        call_rows(desk, 0)
        if (k > 0 and step <= TINY * largest + 1e-300) or step == 0.0:
            return CONVERGED
        if k > 0 and step > HALTING * before:
            return SLOW
        before = step
    return SLOW


@inner
def balanced(desk):
    """Whether the residual is rounding of the forces that meet in it: |M| |a| and |dR/dq| (1 + |q|).  Notes the worst.

    M is in desk.T, which becomes dR/dq; the scales of the factors are lost.
    """
    n, free, forces, worst, fine = desk.q.shape[0], desk.free, desk.scales, ROUNDING, True
    for k in range(free.shape[0]):
        forces[k] = 0.0
        for j in range(n):
            forces[k] += abs(desk.T[free[k], j] * desk.a[j])
    call(desk, 0.0, 0.0, desk.T.ctypes.data)
    for k in range(free.shape[0]):
        i = free[k]
        for j in range(n):
            forces[k] += abs(desk.T[i, j]) * (1.0 + abs(desk.q[j]))
        if not abs(desk.R[i]) <= worst * forces[k]:
            worst, desk.flags[WORST], fine = abs(desk.R[i]) / forces[k], i, False
    return fine


@inner
def fill_index_one(desk, W):
    """The matrix of accelerations and multipliers; returns the scale of the columns of multipliers."""
    free, nf, nc = desk.free, desk.free.shape[0], desk.vectors.shape[1]
    for i in range(desk.T.shape[0]):
        for j in range(desk.T.shape[0]):
            desk.T[i, j] /= LARGE
    scale = size_of_tangent(desk)
    for i in range(nf):
        for j in range(nf):
            W[i, j] = desk.T[free[i], free[j]]
        for k in range(nc):
            W[i, nf + k] = -scale * desk.matrices[0, k, free[i]]
            W[nf + k, i] = desk.matrices[0, k, free[i]]
    for k in range(nc):
        for l in range(nc):
            W[nf + k, nf + l] = 0.0
    return scale


@inner
def index_one_side(desk, baumgarte, rhs):
    """Minus the residual and the accelerations of loops, stabilised with time constant ``baumgarte`` (0: not)."""
    nf = desk.free.shape[0]
    for i in range(nf):
        rhs[i] = -desk.R[desk.free[i]]
    for k in range(desk.vectors.shape[1]):
        rhs[nf + k] = -desk.vectors[2, k]
        if baumgarte > 0.0:
            rhs[nf + k] -= 2.0 / baumgarte * desk.vectors[1, k] + desk.vectors[0, k] / baumgarte**2
