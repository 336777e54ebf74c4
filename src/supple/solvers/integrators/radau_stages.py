"""The three stages of a step of Radau IIA, solved together by Newton's method with two factorisations.

With increments D_i beyond the motion of constant velocity, W = A^-1, and corrections P mu_i of the stabilised form of
loops (`solvers.problem`),

    q_i = q + c_i h v + D_i,   v_i = v + 1/h sum_j W_ij (D_j - P mu_j),   a_i = 1/h^2 sum_j (W^2)_ij (D_j - P mu_j),
    z_i = z + c_i h z' + X_i,  z'_i = z' + 1/h sum_j W_ij X_j

satisfy R = 0, e = 0, A v = 0 and z' = f at the three stages.  One set of Jacobians serves all three; the eigenvectors
of W then split a Newton step into a real system, that of a stage with c_v = gamma / h, and a complex one with
c_v = (alpha - i beta) / h (`solvers.integrators.radau_matrix`).
"""

from __future__ import annotations

import math

from supple.jit import inner
from supple.linalg.lu import solve
from supple.solvers.integrators.complex_lu import solve_complex
from supple.solvers.integrators.radau_arrays import BEFORE, FACTORED, FIRST, FRESH, LAST, NOW, SCALE, SPEED
from supple.solvers.integrators.radau_matrix import factorise_both, linearise_stages
from supple.solvers.integrators.radau_tableau import FROM_MODES, GAMMA, NODES, RATES, SQUARES, TO_MODES, node_polynomial
from supple.solvers.problem import ITERATIONS, NEWTON_STEP, NORM, RATE, STABILISED, STAGE_TIME, STALE, WORST
from supple.solvers.stage.evaluation import evaluate
from supple.solvers.stage.excitation import excite
from supple.solvers.stage.newton import HALTING, ROUNDED, loops_closed
from supple.solvers.stage.status import CONVERGED, NOT_FINITE, PYTHON_RAISED, SLOW
from supple.solvers.stage.turned_rows import turn_rows

#: Newton steps of a step until it is solved to the tolerances; and until its loops are closed, too.
MOST, MOST_CLOSING = 10, 30


@inner
def excite_stages(problem, own, t, h):
    """What drives the stages at t + c_i h; D_i = q_i - q - c_i h v of prescribed coordinates.  Returns a status."""
    n, now = problem.q.shape[0], own.memory[NOW]
    for i in range(3):
        status = excite(problem, t + NODES[i] * h)
        if status != CONVERGED:
            return status
        for k in range(own.inputs.shape[1]):
            own.inputs[i, k] = problem.inputs[k]
        for k in range(own.signals.shape[1]):
            own.signals[i, k] = problem.signals[k]
        for k in range(n):
            for m in range(3):
                own.motion[i, m, k] = problem.motion[m, k]
        for j in range(problem.fixed.shape[0]):
            k = problem.fixed[j]
            own.D[i, k] = problem.motion[0, k] - now[k] - NODES[i] * h * now[n + k]
            own.y[i, k] = 0.0
    return CONVERGED


@inner
def predict(problem, run_equal, own, h):
    """D_i = p(1 + c_i h / h_last) - q - c_i h v, p the polynomial of the last step, X_i likewise; zero at a start.

    Increments at which Newton's method begins.
    """
    n, nc, nz, memory = problem.q.shape[0], problem.multipliers.shape[0], problem.z.shape[0], own.memory
    now, first, w = memory[NOW], 3 * n + nc, 0.0
    if run_equal > 0:
        w = h / own.numbers[LAST]
    for i in range(3):
        for k in range(n):
            own.D[i, k], own.y[i, k] = 0.0, 0.0
        for k in range(nz):
            own.X[i, k] = 0.0
        for k in range(nc):
            own.multipliers[i, k], own.mu[i, k] = now[3 * n + k], 0.0
        if w == 0.0:
            continue
        for s in range(3):  # the end of the last step is now
            weight = node_polynomial(1.0 + NODES[i] * w, s, 0)
            row = memory[BEFORE] if s == 0 else memory[FIRST + s - 1]
            for k in range(n):
                own.D[i, k] += weight * (row[k] - now[k])
            for k in range(nz):
                own.X[i, k] += weight * (row[first + k] - now[first + k])
        for k in range(n):
            own.D[i, k] -= NODES[i] * h * now[n + k]
        for k in range(nz):
            own.X[i, k] -= NODES[i] * h * own.rates[k]


@inner
def set_stage(problem, own, i, t, h):
    """The trial state becomes stage i of a step from t:

        q_i = q + c_i h v + D_i,   v_i = v + 1/h sum_j W_ij (D_j - P mu_j),   a_i = 1/h^2 sum_j (W^2)_ij (D_j - P mu_j),

    z_i = z + c_i h z' + X_i, its multipliers, inputs and signals; prescribed coordinates are where their laws say.
    """
    n, nc, nz, now, D, y = (
        problem.q.shape[0],
        problem.multipliers.shape[0],
        problem.z.shape[0],
        own.memory[NOW],
        own.D,
        own.y,
    )
    problem.numbers[STAGE_TIME] = t + NODES[i] * h
    for k in range(own.inputs.shape[1]):
        problem.inputs[k] = own.inputs[i, k]
    for k in range(own.signals.shape[1]):
        problem.signals[k] = own.signals[i, k]
    for k in range(n):
        v, a = 0.0, 0.0
        for j in range(3):
            moved = D[j, k] - y[j, k]
            v += RATES[i, j] * moved
            a += SQUARES[i, j] * moved
        problem.q[k] = now[k] + NODES[i] * h * now[n + k] + D[i, k]
        problem.v[k] = now[n + k] + v / h
        problem.a[k] = a / (h * h)
    for j in range(problem.fixed.shape[0]):
        k = problem.fixed[j]
        problem.q[k], problem.v[k], problem.a[k] = own.motion[i, 0, k], own.motion[i, 1, k], own.motion[i, 2, k]
    for k in range(nc):
        problem.multipliers[k] = own.multipliers[i, k]
    for k in range(nz):
        problem.z[k] = now[3 * n + nc + k] + NODES[i] * h * own.rates[k] + own.X[i, k]


@inner
def rate_of(own, i, k, h):
    """z'_i = z' + 1/h sum_j W_ij X_j of the k-th internal state at stage i."""
    return own.rates[k] + (RATES[i, 0] * own.X[0, k] + RATES[i, 1] * own.X[1, k] + RATES[i, 2] * own.X[2, k]) / h


@inner
def evaluate_stages(problem, own, t, h):
    """Minus the equations of all stages, in ``sides``.  Returns a status.  The problem is at the last stage."""
    nf, nc, nz, free = problem.free.shape[0], problem.vectors.shape[1], problem.z.shape[0], problem.free
    for i in range(3):
        set_stage(problem, own, i, t, h)
        status = evaluate(problem)
        if status != CONVERGED:
            return status
        side, last = own.sides[i], nf + nc
        for k in range(nf):
            side[k] = -problem.residual[free[k]]
        turn_rows(problem, side)
        for k in range(nc):
            side[nf + k] = -problem.vectors[0, k]
        if problem.flags[STABILISED]:
            for k in range(nc):
                side[last + k] = -problem.vectors[1, k]
            last += nc
        for k in range(nz):
            side[last + k] = problem.rates[k] - rate_of(own, i, k, h)
    return CONVERGED


@inner
def mix(matrix, sides):
    """sides = matrix sides, for a matrix (3, 3) and sides (3, m)."""
    a, b, c = sides[0], sides[1], sides[2]
    for k in range(a.shape[0]):
        x, y, z = a[k], b[k], c[k]
        a[k] = matrix[0, 0] * x + matrix[0, 1] * y + matrix[0, 2] * z
        b[k] = matrix[1, 0] * x + matrix[1, 1] * y + matrix[1, 2] * z
        c[k] = matrix[2, 0] * x + matrix[2, 1] * y + matrix[2, 2] * z


@inner
def newton_step(problem, own, h, scale):
    """Solve for a step from the sides, and take it.  Returns its weighted size.

    In V^-1 of the eigenvectors V of W the three systems part into the real and the complex one; V leads back.
    """
    sides = own.sides
    mix(TO_MODES, sides)
    solve(problem.matrix, problem.pivots, problem.scales, sides[0])
    solve_complex(own.re, own.im, own.pivots, own.scales, sides[1], sides[2])
    mix(FROM_MODES, sides)
    nf, nc, nz = problem.free.shape[0], problem.vectors.shape[1], problem.z.shape[0]
    stabilised = problem.flags[STABILISED] != 0
    last = nf + (2 if stabilised else 1) * nc
    for i in range(3):
        for k in range(nc):
            own.multipliers[i, k] += scale * sides[i, nf + k]
            if stabilised:
                own.mu[i, k] += sides[i, nf + nc + k]
        for k in range(nz):
            own.X[i, k] += sides[i, last + k]
    total = move_stages(problem, own, h, stabilised)
    for i in range(3):
        for k in range(nz):
            total += (sides[i, last + k] / problem.weights_z[k]) ** 2
    return math.sqrt(total / max(3 * (2 * nf + nz), 1))


@inner
def move_stages(problem, own, h, stabilised):
    """D += step, y = P mu.  Returns the sum of weighted squares of dq = step and dv = W (dD - dy) / h."""
    nc, sides, weights = problem.vectors.shape[1], own.sides, problem.weights
    total, worst, largest, longest, size = 0.0, -1, 0.0, 0.0, 0.0
    for l in range(problem.free.shape[0]):
        f, part = problem.free[l], 0.0
        x, y, z = moved(problem, own, 0, l), moved(problem, own, 1, l), moved(problem, own, 2, l)
        for i in range(3):
            step = sides[i, l]
            own.D[i, f] += step
            own.y[i, f] = correction(problem, own, i, f) if stabilised and nc > 0 else 0.0
            rate = (RATES[i, 0] * x + RATES[i, 1] * y + RATES[i, 2] * z) / h
            part += (step / weights[0, f]) ** 2 + (rate / weights[1, f]) ** 2
            longest = max(longest, abs(step))
        size = max(size, abs(problem.q[f]))
        total += part
        if part > largest:
            largest, worst = part, f
    problem.flags[WORST] = worst
    problem.numbers[NEWTON_STEP] = longest / max(size, 1.0)
    return total


@inner
def correction(problem, own, i, f):
    """(P mu_i)_f = sum_k P_fk mu_ik."""
    x = 0.0
    for k in range(problem.mu.shape[0]):
        x += problem.P[f, k] * own.mu[i, k]
    return x


@inner
def moved(problem, own, i, l):
    """By how much D - P mu of the l-th free coordinate changes at stage i."""
    f = problem.free[l]
    if problem.flags[STABILISED]:
        return own.sides[i, l] - (correction(problem, own, i, f) - own.y[i, f])
    return own.sides[i, l]


@inner
def iterate(problem, own, t, h, tolerance, scale):
    """Newton steps until the next one, rate / (1 - rate) times the last, is below ``tolerance``.  Returns a status."""
    looped, numbers = problem.vectors.shape[1] > 0, problem.numbers
    before, settled = 0.0, False
    own.numbers[SPEED] = 0.0
    for k in range(MOST_CLOSING):
        if not settled:
            problem.flags[ITERATIONS] = k + 1
        status = evaluate_stages(problem, own, t, h)
        if status != CONVERGED:
            return status
        if settled and loops_closed(problem):
            return CONVERGED
        norm = newton_step(problem, own, h, scale)
        numbers[NORM] = norm
        if not math.isfinite(norm):
            return NOT_FINITE
        rate = norm / before if k > 0 and before > 0.0 else 0.0
        numbers[RATE] = rate
        if k > 0 and not settled and numbers[NEWTON_STEP] > ROUNDED:  # steps of rounding do not shrink
            own.numbers[SPEED] = max(own.numbers[SPEED], rate)
        shrinking = k > 0 and rate < 1.0 and rate / (1.0 - rate) * norm < tolerance
        settled = settled or shrinking or norm < 1e-3 * tolerance
        if rate >= HALTING and not settled:
            settled = numbers[NEWTON_STEP] <= ROUNDED
        if settled and not looped:
            return CONVERGED
        before = norm
        if settled:
            continue
        if k >= MOST - 1 or (k > 0 and (rate >= 1.0 or rate ** (MOST - 1 - k) / (1.0 - rate) * norm > tolerance)):
            return SLOW
    return SLOW


@inner
def solve_stages(problem, equal, own, t, h, tolerance):
    """All stages of a step of length h from time t.  Returns a status; rows of stages are in ``trial``."""
    status = CONVERGED
    own.numbers[FRESH] = 0.0
    for attempt in range(2):
        if attempt == 1 and own.numbers[FRESH] != 0.0:
            break
        predict(problem, equal, own, h)
        status = excite_stages(problem, own, t, h)
        if status != CONVERGED:
            return status
        if problem.flags[STALE] or attempt == 1:
            set_stage(problem, own, 1, t, h)  # the middle one, nearest to all three
            status = linearise_stages(problem, own)
            if status != CONVERGED:
                break
            own.numbers[FRESH], own.numbers[FACTORED] = 1.0, 0.0
        if own.numbers[FACTORED] != GAMMA / h:
            status = factorise_both(problem, own, h)
            if status != CONVERGED:
                problem.flags[STALE] = True
                break
            own.numbers[FACTORED] = GAMMA / h
        status = iterate(problem, own, t, h, tolerance, own.numbers[SCALE])
        if status == CONVERGED or status >= PYTHON_RAISED:
            return status
        problem.flags[STALE] = True
        own.numbers[FACTORED] = 0.0
    return status
