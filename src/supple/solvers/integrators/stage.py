"""Newton's method on one stage of an implicit scheme (see `solvers.desk`), with factors reused while they serve.

In unknowns (x of free coordinates, lambda, mu, x_z) a step solves

    [ T      -A^T    -(T - dR/dq) P   R_z - B u_z    ]           [ R           ]
    [ de/dq                                          ]  step = - [ e           ]
    [ d(A v)/dx      -c_v A P                        ]           [ A v         ]
    [ -(f_q + c_v f_v)                  c_z - f_z    ]           [ z0' + c_z x_z - f ]

with the fused tangent T = dR/dq + c_v dR/dv + c_a dR/da, less B (u_q + c_v u_v) with feedback.  R_z, f_x and f_z of
loads' states are differences of R and f, along x with c_v and c_a at once.
"""

from __future__ import annotations

import math

from numba import types

from supple.core.loops import call_constraint_rows
from supple.core.residual import call_residual
from supple.core.time_laws import evaluate_laws
from supple.jit import calling, inner
from supple.linalg.lu import factorise, solve
from supple.solvers.desk import (
    ASK_FEEDBACK,
    ASK_LAWS,
    ASK_SLOPES,
    CA,
    CV,
    CZ,
    DIFFERENCED,
    FACTORED_CA,
    FACTORED_CV,
    FEEDBACK,
    ITERATIONS,
    NORM,
    PYTHON_AT,
    RATE,
    RESIDUAL_AT,
    RESIDUALS,
    ROWS_AT,
    SPACE_AT,
    STABILISED,
    STALE,
    STEP,
    T_LEFT,
    T_NOW,
    TANGENTS,
    TIME_CALLS,
    TO_INPUT,
    TO_MOTION,
    TO_SIGNAL,
    TREE_AT,
    WORST,
)

#: What came of a stage.
CONVERGED, SLOW, NOT_FINITE, NO_PIVOT, PYTHON_RAISED, NEGATIVE_TENSION = 0, 1, 2, 3, 4, 5

#: Newton steps of a stage.
MOST = 10
#: Ratio of consecutive steps above which new factors pay.
FAST = 0.3
#: How well loops must be closed, whatever a Newton step is worth: position (rad, m) and velocity (per s).
CLOSED, STILL = 1e-11, 3e-11

#: Relative step of one-sided differences: by further states of loads, of their rates, of the residual.
DIFFERENCE = 1e-7

#: Ratio of consecutive steps that get nowhere, and the size of steps, relative to q or to one, that are rounding then.
HALTING, ROUNDED = 0.5, 1e-11

call_python = calling(types.int64(types.float64, types.int64))


@inner
def drive(desk, t):
    """Inputs, signals and prescribed motions at time t, or just before a jump.  Returns a status."""
    t = min(t, desk.numbers[T_LEFT])
    evaluate_laws(desk.ops, desk.law_numbers, t, desk.values[0], desk.values[1], desk.values[2])
    for i in range(desk.targets.shape[0]):
        kind, k = desk.targets[i, 0], desk.targets[i, 1]
        if kind == TO_INPUT:
            desk.inputs[k] = desk.values[0, i]
        elif kind == TO_SIGNAL:
            desk.signals[k] = desk.values[0, i]
        elif kind == TO_MOTION:
            for m in range(3):
                desk.motion[m, k] = desk.values[m, i]
    if desk.flags[TIME_CALLS] and call_python(desk.calls[PYTHON_AT], (t, ASK_LAWS)) != 0:
        return PYTHON_RAISED
    return check_tensions(desk)


@inner
def check_tensions(desk):
    """Tendons pull: a negative tension ends the run."""
    for i in range(desk.tensions.shape[0]):
        if desk.inputs[desk.tensions[i]] < 0.0:
            desk.flags[WORST] = desk.tensions[i]
            return NEGATIVE_TENSION
    return CONVERGED


@inner
def feed_back(desk, what):
    """Inputs and rates of further states at the trial state, or their slopes.  Returns a status."""
    if not desk.flags[FEEDBACK]:
        return CONVERGED
    t = min(desk.numbers[T_NOW], desk.numbers[T_LEFT])
    if call_python(desk.calls[PYTHON_AT], (t, what)) != 0:
        return PYTHON_RAISED
    return check_tensions(desk)


@inner
def place_prescribed(desk):
    """Prescribed coordinates begin a stage where their laws say, and stay there."""
    for i in range(desk.fixed.shape[0]):
        k = desk.fixed[i]
        desk.q0[k], desk.v0[k], desk.a0[k] = desk.motion[0, k], desk.motion[1, k], desk.motion[2, k]


@inner
def set_trial(desk):
    """q, v, a, z of the current increments."""
    cv, ca = desk.numbers[CV], desk.numbers[CA]
    q, v, a, x, y = desk.q, desk.v, desk.a, desk.x, desk.y  # read once, not at every entry
    q0, v0, a0 = desk.q0, desk.v0, desk.a0
    for i in range(q.shape[0]):
        moved = x[i] - y[i]
        q[i] = q0[i] + x[i]
        v[i] = v0[i] + cv * moved
        a[i] = a0[i] + ca * moved
    for i in range(desk.z.shape[0]):
        desk.z[i] = desk.z0[i] + desk.xz[i]


@inner
def call(desk, cv, ca, tangent):
    """R at the trial state, and its tangent unless at 0; rates of loads' states.  Returns whether R is finite."""
    desk.flags[RESIDUALS] += 1
    states = desk.load_states
    own = desk.z.shape[0] - states.shape[0]
    for k in range(states.shape[0]):
        desk.signals[states[k, 0]] = desk.z[own + k]
    at = (desk.calls[TREE_AT], desk.calls[SPACE_AT], desk.q.ctypes.data, desk.v.ctypes.data, desk.a.ctypes.data)
    finite = call_residual(desk.calls[RESIDUAL_AT], (*at, cv, ca, desk.R.ctypes.data, tangent))
    for k in range(states.shape[0]):
        desk.rates[own + k] = desk.signals[states[k, 1]]
    return finite != 0


@inner
def call_rows(desk, matrices):
    """Rows of loops at the state of the last residual."""
    if desk.vectors.shape[1] > 0:
        at = (desk.calls[TREE_AT], desk.calls[SPACE_AT], desk.vectors.ctypes.data, matrices)
        call_constraint_rows(desk.calls[ROWS_AT], at)


@inner
def evaluate(desk):
    """Residual and rows at the trial state.  Returns a status."""
    status = feed_back(desk, ASK_FEEDBACK)
    if status != CONVERGED:
        return status
    finite = call(desk, 0.0, 0.0, 0)
    call_rows(desk, 0)
    return CONVERGED if finite else NOT_FINITE


@inner
def linearise(desk):
    """Residual, rows and the factors of the Newton matrix at the trial state.  Returns a status."""
    cv, ca = desk.numbers[CV], desk.numbers[CA]
    desk.flags[TANGENTS] += 1
    status = feed_back(desk, ASK_FEEDBACK)
    if status == CONVERGED:
        status = feed_back(desk, ASK_SLOPES)
    if status != CONVERGED:
        return status
    if not difference_states(desk, cv, ca):
        return NOT_FINITE
    if desk.flags[STABILISED]:
        fill_tangent(desk, 0.0, 0.0, desk.S)
    if not fill_tangent(desk, cv, ca, desk.T):
        return NOT_FINITE
    call_rows(desk, desk.matrices.ctypes.data)
    add_feedback(desk)
    fill_matrix(desk)
    desk.numbers[FACTORED_CV], desk.numbers[FACTORED_CA] = cv, ca
    singular = factorise(desk.matrix, desk.pivots, desk.scales)
    if singular >= 0:
        desk.flags[WORST] = desk.free[singular] if singular < desk.free.shape[0] else -1
        return NO_PIVOT
    desk.flags[STALE] = False
    return CONVERGED


@inner
def fill_tangent(desk, cv, ca, T):
    """R and T = dR/dq + c_v dR/dv + c_a dR/da at the trial state.  Returns whether R is finite."""
    finite = call(desk, cv, ca, T.ctypes.data)
    if not desk.flags[DIFFERENCED]:
        return finite
    n = desk.q.shape[0]  # that call was for the columns that rows of loops are made of
    for i in range(n):
        for j in range(n):
            T[i, j] = -desk.R[i]
    for k in range(desk.free.shape[0]):
        j = desk.free[k]
        q, v, a = desk.q[j], desk.v[j], desk.a[j]
        h = nudge(desk, j, cv, ca)
        finite &= call(desk, 0.0, 0.0, 0)
        desk.q[j], desk.v[j], desk.a[j] = q, v, a
        for i in range(n):
            T[i, j] = (T[i, j] + desk.R[i]) / h
    return call(desk, 0.0, 0.0, 0) and finite


@inner
def nudge(desk, j, cv, ca):
    """Move the trial state along coordinate j, by h in q, c_v h in v, c_a h in a.  Returns h."""
    q, v = desk.q[j], desk.v[j]
    h = DIFFERENCE * max(1.0, abs(q))
    if cv > 0.0:  # v must not move far, either
        h = min(h, DIFFERENCE * max(1.0, abs(v)) / cv)
    desk.q[j] = q + h
    h = desk.q[j] - q  # what was added
    desk.v[j] += cv * h
    desk.a[j] += ca * h
    return h


@inner
def difference_states(desk, cv, ca):
    """R_z, and the slopes of loads' rates by x and z, by differences.  Returns whether all are finite.

    The trial state is as before; R, rates and scratch are those of another state.
    """
    n, count = desk.q.shape[0], desk.load_states.shape[0]
    if count == 0:
        return True
    own = desk.z.shape[0] - count
    rows = desk.slopes[desk.B.shape[1] + own :]
    finite = call(desk, 0.0, 0.0, 0)
    for k in range(count):
        for i in range(n):
            desk.R_z[i, k] = -desk.R[i]
        for j in range(rows.shape[1]):
            rows[k, j] = -desk.rates[own + k] if j < n or j >= 2 * n + own else 0.0
    for i in range(desk.free.shape[0]):
        j = desk.free[i]
        q, v, a = desk.q[j], desk.v[j], desk.a[j]
        h = nudge(desk, j, cv, ca)
        finite &= call(desk, 0.0, 0.0, 0)
        desk.q[j], desk.v[j], desk.a[j] = q, v, a
        for k in range(count):
            rows[k, j] = (rows[k, j] + desk.rates[own + k]) / h
    for l in range(count):
        z = desk.z[own + l]
        h = DIFFERENCE * max(1.0, abs(z))
        desk.z[own + l] = z + h
        h = desk.z[own + l] - z
        finite &= call(desk, 0.0, 0.0, 0)
        desk.z[own + l] = z
        for i in range(n):
            desk.R_z[i, l] = (desk.R_z[i, l] + desk.R[i]) / h
        for k in range(count):
            rows[k, 2 * n + own + l] = (rows[k, 2 * n + own + l] + desk.rates[own + k]) / h
    return finite


@inner
def add_feedback(desk):
    """T -= B (u_q + c_v u_v)."""
    if desk.slopes.shape[0] == 0:
        return
    n, cv = desk.T.shape[0], desk.numbers[CV]
    for k in range(desk.B.shape[1]):
        for j in range(n):
            slope = desk.slopes[k, j] + cv * desk.slopes[k, n + j]
            if slope != 0.0:
                for i in range(n):
                    desk.T[i, j] -= desk.B[i, k] * slope


@inner
def size_of_tangent(desk):
    """Largest diagonal entry of T: scale of the columns of multipliers."""
    largest = 0.0
    for i in range(desk.free.shape[0]):
        k = desk.free[i]
        largest = max(largest, abs(desk.T[k, k]))
    return largest if largest > 0.0 else 1.0


@inner
def fill_matrix(desk):
    """The matrix of a Newton step, before factorisation; columns of lambda and mu are scaled by `size_of_tangent`."""
    free, W, T = desk.free, desk.matrix, desk.T
    nf, nc, nz = free.shape[0], desk.vectors.shape[1], desk.z.shape[0]
    for i in range(W.shape[0]):
        for j in range(W.shape[0]):
            W[i, j] = 0.0
    for i in range(nf):
        for j in range(nf):
            W[i, j] = T[free[i], free[j]]
    if nc > 0:
        scale = size_of_tangent(desk)
        A, de, slip = desk.matrices[0], desk.matrices[1], desk.matrices[2]
        for i in range(nf):
            for k in range(nc):
                W[i, nf + k] = -scale * A[k, free[i]]
                W[nf + k, i] = de[k, free[i]]
        if desk.flags[STABILISED]:
            fill_stabilisation(desk, scale, A, slip)
    if nz > 0:
        fill_states(desk, nf + (2 if desk.flags[STABILISED] else 1) * nc)


@inner
def fill_stabilisation(desk, scale, A, slip):
    """Columns of mu and rows of A v.  P = diag(1/T) A^T: stiff and heavy coordinates are corrected least."""
    free, W, cv = desk.free, desk.matrix, desk.numbers[CV]
    nf, nc = free.shape[0], A.shape[0]
    for i in range(nf):
        f = free[i]
        for k in range(nc):
            desk.P[f, k] = A[k, f] * scale / max(abs(desk.T[f, f]), 1e-12 * scale)
    for k in range(nc):
        for i in range(nf):
            f = free[i]
            x = 0.0
            for j in range(nf):
                x += (desk.T[f, free[j]] - desk.S[f, free[j]]) * desk.P[free[j], k]
            W[i, nf + nc + k] = -x
            W[nf + nc + k, i] = slip[k, f]
        for l in range(nc):
            x = 0.0
            for j in range(nf):
                x += A[l, free[j]] * desk.P[free[j], k]
            W[nf + nc + l, nf + nc + k] = -cv * x


@inner
def fill_states(desk, first):
    """Rows and columns of further states."""
    free, W, slopes, cv = desk.free, desk.matrix, desk.slopes, desk.numbers[CV]
    n, nu, nz = desk.q.shape[0], desk.B.shape[1], desk.z.shape[0]
    own = nz - desk.load_states.shape[0]
    for k in range(nz):
        for i in range(free.shape[0]):
            f = free[i]
            W[first + k, i] = -(slopes[nu + k, f] + cv * slopes[nu + k, n + f])
            x = 0.0
            for u in range(nu):
                x += desk.B[f, u] * slopes[u, 2 * n + k]
            W[i, first + k] = desk.R_z[f, k - own] - x if k >= own else -x
        for l in range(nz):
            W[first + k, first + l] = -slopes[nu + k, 2 * n + l]
        W[first + k, first + k] += desk.numbers[CZ]


@inner
def newton_step(desk):
    """Solve for a step from the residual and rows at the trial state, and take it.  Returns its weighted size."""
    free, rhs, cv = desk.free, desk.rhs, desk.numbers[CV]
    R, P, x, y_all, weights = desk.R, desk.P, desk.x, desk.y, desk.weights
    stabilised = desk.flags[STABILISED] != 0
    nf, nc, nz = free.shape[0], desk.vectors.shape[1], desk.z.shape[0]
    scale = size_of_tangent(desk) if nc > 0 else 1.0
    for i in range(nf):
        rhs[i] = -R[free[i]]
    last = nf
    for k in range(nc):
        rhs[last + k] = -desk.vectors[0, k]
    last += nc
    if desk.flags[STABILISED]:
        for k in range(nc):
            rhs[last + k] = -desk.vectors[1, k]
        last += nc
    for k in range(nz):
        rhs[last + k] = desk.rates[k] - desk.rates0[k] - desk.numbers[CZ] * desk.xz[k]
    solve(desk.matrix, desk.pivots, desk.scales, rhs)
    for k in range(nc):
        desk.multipliers[k] += scale * rhs[nf + k]
        if desk.flags[STABILISED]:
            desk.mu[k] += rhs[nf + nc + k]
    for k in range(nz):
        desk.xz[k] += rhs[last + k]
    total, worst, largest, longest, size = 0.0, -1, 0.0, 0.0, 0.0
    for i in range(nf):
        f = free[i]
        longest, size = max(longest, abs(rhs[i])), max(size, abs(desk.q[f]))
        y = 0.0
        if stabilised:
            for k in range(nc):
                y += P[f, k] * desk.mu[k]
        moved = rhs[i] - (y - y_all[f])
        y_all[f] = y
        x[f] += rhs[i]
        part = (rhs[i] / weights[0, f]) ** 2 + (cv * moved / weights[1, f]) ** 2
        total += part
        if part > largest:
            largest, worst = part, f
    count = 2 * nf
    for k in range(nz):
        total += (rhs[last + k] / desk.weights_z[k]) ** 2
        count += 1
    desk.flags[WORST] = worst
    desk.numbers[STEP] = longest / max(size, 1.0)  # poses are rounded like numbers of size one, also where q is small
    return math.sqrt(total / max(count, 1))


@inner
def loops_closed(desk):
    """Whether position (and velocity) constraints hold, at the state of the last residual."""
    fastest = 0.0
    for i in range(desk.v.shape[0]):
        fastest = max(fastest, abs(desk.v[i]))
    still = max(STILL, 1e-13 * fastest)  # as well as rounding allows
    for k in range(desk.vectors.shape[1]):
        if not abs(desk.vectors[0, k]) < CLOSED:
            return False
        if desk.flags[STABILISED] and not abs(desk.vectors[1, k]) < still:
            return False
    return True


@inner
def iterate(desk, tolerance):
    """Newton steps from the current increments until the next one would be below ``tolerance``.  Returns a status.

    Factors are kept while steps shrink fast, and made anew when they do not.  With loops, the state after the last step
    is looked at once more: it must close them.
    """
    numbers, flags = desk.numbers, desk.flags
    looped = desk.vectors.shape[1] > 0
    before, settled = 0.0, False
    for k in range(MOST):
        flags[ITERATIONS] = k + 1
        set_trial(desk)
        stale = flags[STALE] or numbers[FACTORED_CV] != numbers[CV] or numbers[FACTORED_CA] != numbers[CA]
        status = linearise(desk) if stale else evaluate(desk)
        if status != CONVERGED:
            return status
        if settled and loops_closed(desk):
            return CONVERGED
        norm = newton_step(desk)
        numbers[NORM] = norm
        if not math.isfinite(norm):
            return NOT_FINITE
        rate = norm / before if k > 0 and before > 0.0 else 0.0
        numbers[RATE] = rate
        settled = norm < 1e-3 * tolerance or (k > 0 and rate < 1.0 and rate / (1.0 - rate) * norm < tolerance)
        if rate >= HALTING and not settled:
            settled = numbers[STEP] <= ROUNDED
        if settled and not looped:
            set_trial(desk)
            return CONVERGED
        if not settled and k > 0:
            if rate >= 2.0 and stale:
                return SLOW  # Newton's own step went astray
            # old factors that will not do, or not soon
            if rate >= FAST or rate ** (MOST - 1 - k) / (1.0 - rate) * norm > tolerance:
                flags[STALE] = True
        before = norm
    return SLOW


@inner
def begin_iteration(desk, stay):
    """Increments zero (the prediction), or such that the robot stays where it was; multipliers as before."""
    for i in range(desk.x.shape[0]):
        desk.x[i], desk.y[i] = 0.0, 0.0
    if stay:
        for i in range(desk.free.shape[0]):
            k = desk.free[i]
            desk.x[k] = desk.before[k] - desk.q0[k]
    for i in range(desk.z.shape[0]):
        desk.xz[i] = 0.0
    for i in range(desk.mu.shape[0]):
        desk.mu[i], desk.multipliers[i] = 0.0, desk.lam0[i]


@inner
def solve_stage(desk, t, tolerance):
    """Solve the stage that begins at q0, v0, a0, z0 with coefficients c_v, c_a, c_z, at time t.  Returns a status.

    Multipliers begin at ``lam0``.  If old factors do not converge, new ones are tried; then, where a prediction may
    be wild (after a jump), Newton's method begins at the last configuration ``before``.
    """
    desk.numbers[T_NOW] = t
    status = drive(desk, t)
    if status != CONVERGED:
        return status
    place_prescribed(desk)
    for attempt in range(3):
        if attempt == 0 and desk.flags[STALE]:
            continue
        begin_iteration(desk, attempt == 2)
        status = iterate(desk, tolerance)
        if status == CONVERGED:
            return finish(desk)
        desk.flags[STALE] = True
        if status >= PYTHON_RAISED:
            break
    return status


@inner
def finish(desk):
    """Efforts of prescribed joints and rates at the final state, where someone asks for them."""
    asked = desk.fixed.shape[0] > 0 or desk.flags[FEEDBACK] or desk.load_states.shape[0] > 0
    if desk.vectors.shape[1] == 0 and asked:
        return evaluate(desk)
    return CONVERGED
