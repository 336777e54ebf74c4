"""Numerical differentiation formulas of variable step and order 1 to 5 (Shampine and Reichelt 1997).

Backward differences D of rows [q, v, a, lambda, z, R] are kept for a constant step and rescaled when it changes.  With
the prediction y* = sum of D and psi = sum gamma_m D_m / alpha_k, the formula is alpha_k/h (d + psi) = y', y = y* + d.
Since q' = v and v' = a, one stage has

    c_v = alpha_k / h,   c_a = c_v^2,   q0 = q*,   v0 = c_v psi_q,   a0 = c_v (v0 - v* + psi_v),

and its unknowns are n, not 2 n.  Errors are measured in q, v and z; multipliers, accelerations and efforts are carried
along for prediction and dense output only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import choice, whole_number
from supple.core.views import View, array_of, viewing
from supple.errors import ModelError
from supple.jit import inner
from supple.solvers.integrators.driver import composed, end_step
from supple.solvers.integrators.error_control import error_norm, ratio_of, set_weights
from supple.solvers.integrators.method import Control, Kernels, Method
from supple.solvers.integrators.option_checks import JACOBIANS, check_loops, check_tolerances, keep
from supple.solvers.integrators.rows import copy_row, recentre_rows, write_row
from supple.solvers.integrators.run import (
    END_TIME,
    EQUAL,
    ERROR,
    FAILED,
    FAILURE,
    HIGHEST,
    LAST_STEP,
    LONGEST_STEP,
    NEWTON,
    ORDER,
    RECENTRED,
    REJECTED,
    RTOL,
    STEP,
    TIME,
    TOO_SMALL,
    full_or_half,
    is_lost,
)
from supple.solvers.integrators.tape import NDF_FAMILY, STEPPED, close_entry, open_entry, put_stage
from supple.solvers.problem import CA, CV, CZ, ITERATIONS, MOVING_LEFT, STALE, Problem
from supple.solvers.stage.calls import solve_stage
from supple.solvers.stage.charts import any_too_far, longest_turn
from supple.solvers.stage.newton import MOST
from supple.solvers.stage.status import CONVERGED, PYTHON_RAISED

Array = np.ndarray
Index = np.uint64  # unsigned indices vectorise, see linalg.products

MAX_ORDER = 5
#: Rows of D: differences up to order + 2 are kept.
DIFFERENCES = MAX_ORDER + 3

_KAPPA = np.array([0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0])
_SUMS = np.hstack((0.0, np.cumsum(1.0 / np.arange(1, MAX_ORDER + 1))))
GAMMA = _SUMS
ALPHA = (1.0 - _KAPPA) * _SUMS
ERROR_CONSTANT = _KAPPA * _SUMS + 1.0 / np.arange(1, MAX_ORDER + 2)

#: Bounds of the ratio of steps, and a ratio below which the step is kept (new factors cost more than they bring).
SHRINK, GROW, WORTHWHILE = 0.2, 10.0, 1.2
#: Part of the step that the error would allow which is taken: with more, a tenth of the steps of rods was made in vain.
CAUTION = 0.75
#: Part of the largest weight in its field that a coordinate's weight is at least (`set_weights`).
SHARE = 0.1
#: Ratio of steps after a failure of Newton's method.
FAILED_SHRINK = 0.4


class DifferenceArrays(NamedTuple):
    """What the formulas work on; N entries of a row."""

    D: Any  #: (DIFFERENCES, N) backward differences, from order 0
    d: Any  #: (N,) correction of the prediction
    work: Any  #: (3, 8, 8) scratch
    last: Any  #: (1,) the step of the differences that were written down last, s (`solvers.integrators.tape`)


_TYPES = {"D": array_of(np.float64, 2), "d": array_of(np.float64, 1), "work": array_of(np.float64, 3)}
_TYPES["last"] = array_of(np.float64, 1)

#: Inside compiled code.
own_at = viewing(View("differences", _TYPES))


@inner
def rescale(D, order, factor, work):
    """Differences for a step ``factor`` times as long: D <- (R U)^T D, work (3, 8, 8).

    D_0 stays, and D_i takes from D_l with l >= i alone: all else is zero in R U.
    """
    R, U, W = work[0], work[1], work[2]
    k = order + 1
    for i in range(k):
        for j in range(k):
            R[i, j] = 1.0 if i == 0 else (R[i - 1, j] * (i - 1 - factor * j) / i if j > 0 else 0.0)
            U[i, j] = 1.0 if i == 0 else (U[i - 1, j] * (i - 1 - j) / i if j > 0 else 0.0)
    for i in range(k):
        for j in range(k):
            W[i, j] = 0.0
            for l in range(k):
                W[i, j] += R[i, l] * U[l, j]
    for i in range(1, k):
        row, own = D[i], W[i, i]
        for c in range(Index(D.shape[1])):
            row[c] *= own
        for l in range(i + 1, k):
            from_higher, higher = W[l, i], D[l]
            for c in range(Index(D.shape[1])):
                row[c] += from_higher * higher[c]


@inner
def back_values(D, count):
    """Turn differences into values at the points back from now, or back again: the map is its own inverse."""
    for c in range(D.shape[1]):
        for i in range(1, count):
            for j in range(count - 1, i - 1, -1):
                D[j, c] = D[j - 1, c] - D[j, c]


@inner
def recentre(problem, run, own):
    """Re-centre charts, with all points behind."""
    if any_too_far(problem, own.D[0]):
        points = own.D[: run.ints[ORDER] + 3]
        back_values(points, points.shape[0])
        run.ints[RECENTRED] += recentre_rows(problem, run, points, run.reals[STEP], own.last[0], 0.0)
        own.last[0] = run.reals[STEP]
        back_values(points, points.shape[0])
        problem.flags[STALE], problem.flags[MOVING_LEFT] = True, 0


@inner
def interpolate(problem, run, own, t, row):
    """Row D_0 + sum over j >= 1 of D_j s (s + 1) ... (s + j - 1) / j!, s = (t - t_now) / h, of the step that ended."""
    D, now, h = own.D, run.reals[TIME], run.reals[LAST_STEP]
    copy_row(D[0], row)
    p = 1.0
    for j in range(run.ints[ORDER]):
        p *= (t - now + j * h) / ((j + 1) * h)
        for c in range(D.shape[1]):
            row[c] += D[j + 1, c] * p


@inner
def begin_stage(problem, D, order, h):
    """Prediction and coefficients of a stage, as the module has them: q0 = q*, v0 = c_v psi_q, c_v = alpha_k / h, ...

    z0 = z* and z0' = c_z psi_z with c_z = c_v; multipliers begin at their prediction.
    """
    n, nc, nz = problem.q.shape[0], problem.multipliers.shape[0], problem.z.shape[0]
    c = ALPHA[order] / h
    problem.numbers[CV], problem.numbers[CA], problem.numbers[CZ] = c, c * c, c
    q0, v0, a0, before, guess = problem.q0, problem.v0, problem.a0, problem.before, problem.v
    for i in range(n):
        q, v, psi_q, psi_v = D[0, i], D[0, n + i], 0.0, 0.0
        for m in range(1, order + 1):
            q += D[m, i]
            v += D[m, n + i]
            psi_q += GAMMA[m] * D[m, i]
            psi_v += GAMMA[m] * D[m, n + i]
        q0[i], before[i] = q, D[0, i]
        v0[i] = c * psi_q / ALPHA[order]
        a0[i] = c * (v0[i] - v + psi_v / ALPHA[order])
        guess[i] = v  # for the weights
    for i in range(nz):
        z, psi = 0.0, 0.0
        for m in range(order + 1):
            z += D[m, 3 * n + nc + i]
            psi += GAMMA[m] * D[m, 3 * n + nc + i]
        problem.z0[i], problem.rates0[i] = z, c * psi / ALPHA[order]
    for i in range(nc):
        problem.lam0[i] = 0.0
        for m in range(order + 1):
            problem.lam0[i] += D[m, 3 * n + i]


@inner
def change_step(run, own, factor):
    """h = factor h, the differences being rescaled, D = (R U)^T D (`rescale`)."""
    rescale(own.D, run.ints[ORDER], factor, own.work)
    run.reals[STEP] *= factor
    run.ints[EQUAL] = 0


@inner
def fit_step(run, own):
    """Change h so that t + h is the end, or half of the way there: no tiny step is left.  Returns t + h."""
    reals = run.reals
    left = reals[END_TIME] - reals[TIME]
    h = full_or_half(left, reals[STEP])
    if h != reals[STEP]:
        change_step(run, own, h / reals[STEP])
    return reals[END_TIME] if h == left else reals[TIME] + reals[STEP]


@inner
def correction(problem, own, order):
    """own.d = the new row less its prediction."""
    D, d, free = own.D, own.d, problem.free
    write_row(problem, d)
    for m in range(order + 1):
        for c in range(d.shape[0]):
            d[c] -= D[m, c]
    for i in range(free.shape[0]):
        d[free[i]] = problem.x[free[i]]  # the same, but for rounding: short steps live on it


@inner
def accept(own, order):
    """Differences at the end of the step."""
    D, d = own.D, own.d
    for c in range(d.shape[0]):
        D[order + 2, c] = d[c] - D[order + 1, c]
        D[order + 1, c] = d[c]
    for m in range(order, -1, -1):
        for c in range(d.shape[0]):
            D[m, c] += D[m + 1, c]


@inner
def safety(problem):
    """`CAUTION` (2 m + 1) / (2 m + k): part of the step that the error allows, after k steps of Newton's method."""
    return CAUTION * (2 * MOST + 1) / (2 * MOST + problem.flags[ITERATIONS])


@inner
def step(problem, run, own):
    """One accepted step, alpha_k/h (d + psi) = y'.  Returns CONVERGED, TOO_SMALL or the failure of a stage.

    Where its error, C_k |d|, is above one in units of the tolerance, it is made anew, error^(-1 / (k + 1)) as long.
    """
    ints, reals, failed = run.ints, run.reals, CONVERGED
    longest = min(reals[LONGEST_STEP], longest_turn(problem, own.D[0], MAX_ORDER + 2))
    if reals[STEP] > longest:
        change_step(run, own, longest / reals[STEP])
    while True:
        if is_lost(reals):
            return FAILURE + failed if failed != CONVERGED else TOO_SMALL
        t = fit_step(run, own)
        order, h = ints[ORDER], reals[STEP]
        begin_stage(problem, own.D, order, h)
        set_weights(problem, reals[RTOL], run.atol, problem.q0, problem.v, problem.z0, SHARE)
        failed = solve_stage(problem, t, reals[NEWTON])
        if failed >= PYTHON_RAISED:
            return FAILURE + failed
        if failed != CONVERGED:
            ints[FAILED] += 1
            change_step(run, own, FAILED_SHRINK)
            continue
        correction(problem, own, order)
        error = error_norm(problem, own.d, ERROR_CONSTANT[order])
        reals[ERROR] = error
        if error > 1.0:
            ints[REJECTED] += 1
            change_step(run, own, max(SHRINK, safety(problem) * error ** (-1.0 / (order + 1))))
            continue
        break
    reals[LAST_STEP] = h
    ints[EQUAL] += 1
    open_entry(problem, run, STEPPED, t, h, order, own.last[0], 0.0, 0.0, 0.0)
    put_stage(problem, run, t)
    close_entry(run)
    own.last[0] = h
    accept(own, order)
    end_step(problem, run, t)
    return CONVERGED


@inner
def settle(problem, run, own):
    """Order and step of the next step, once enough equal ones were made."""
    ints, D, order = run.ints, own.D, run.ints[ORDER]
    if ints[EQUAL] < order + 1:
        return
    best, factor = order, ratio_of(run.reals[ERROR], order)
    if order > 1:
        lower = ratio_of(error_norm(problem, D[order], ERROR_CONSTANT[order - 1]), order - 1)
        if lower > factor:
            best, factor = order - 1, lower
    if order < ints[HIGHEST]:
        higher = ratio_of(error_norm(problem, D[order + 2], ERROR_CONSTANT[order + 1]), order + 1)
        if higher > factor:
            best, factor = order + 1, higher
    factor = min(GROW, safety(problem) * factor)
    if factor >= WORTHWHILE or factor < 1.0:
        ints[ORDER] = best
        change_step(run, own, max(factor, SHRINK))


@inner
def begin(problem, run, own):
    """D_0 = y, D_1 = h y' of q, v, z, all others zero: order 1 from a point and its rates."""
    n, nc, nz, D, h = problem.q.shape[0], problem.multipliers.shape[0], problem.z.shape[0], own.D, run.reals[STEP]
    for m in range(D.shape[0]):
        for c in range(D.shape[1]):
            D[m, c] = 0.0
    write_row(problem, D[0])
    for i in range(n):
        D[1, i], D[1, n + i] = h * problem.v[i], h * problem.a[i]
    for i in range(nz):
        D[1, 3 * n + nc + i] = h * problem.rates[i]
    run.ints[ORDER], run.ints[EQUAL] = 1, 0
    run.reals[LAST_STEP], own.last[0] = h, h


#: What is compiled for the family.
KERNELS = composed(own_at, begin, step, settle, recentre, interpolate)


@dataclass(frozen=True)
class NDF(Method, name="ndf"):
    """Numerical differentiation formulas of variable step and order 1 to 5: the default where what is fast is damped.

    Parameters
    ----------
    rtol, atol : float
        The error of a step in q and v is kept below atol + rtol |y|; ``atol`` may be (n,), for q and v alike, or
        (2 n,).  For the coefficients of one strain of a rod, |y| counts as a tenth of the largest at least.
    max_step, first_step : float, optional
        In seconds.
    loops : "stabilised"
        Loops hold in position and velocity; in position alone ("index3") they would not with steps that vary.
    max_order : int
        1 to 5.  Orders above 2 let fast oscillations that nothing damps grow until steps become short; for such
        robots take 2.
    jacobian : "analytical" or "differences"
        Where the tangent of the residual comes from: the model, or as many differences of the residual as there are
        coordinates.  Differences are for comparison, and for finding a law whose tangent is wrong.
    """

    saved = ("D", "d")

    rtol: float = 1e-3
    atol: ArrayLike = 1e-6
    max_step: float | None = None
    first_step: float | None = None
    loops: str = "stabilised"
    max_order: int = 5
    jacobian: str = "analytical"

    def __post_init__(self) -> None:
        check_tolerances(self)
        check_loops(self)
        if self.loops == "index3":
            raise ModelError(
                'NDF: loops="index3" does not go with steps and orders that vary: velocities and multipliers jump; '
                'take loops="stabilised", Radau(loops="index3") or GeneralizedAlpha(dt=..., loops="index3")'
            )
        choice(self.jacobian, JACOBIANS, "NDF: jacobian")
        keep(self, "max_order", whole_number(self.max_order, "NDF: max_order", 1, MAX_ORDER))

    @property
    def control(self) -> Control:
        """Tolerances and steps."""
        return Control(
            rtol=self.rtol,
            atol=self.atol,
            max_step=self.max_step,
            first_step=self.first_step,
            newton=max(10.0 * np.finfo(float).eps / self.rtol, min(0.03, self.rtol**0.5)),
            orders=(1, int(self.max_order)),
            stabilised=self.loops == "stabilised",
            differenced=self.jacobian == "differences",
            restarts=False,
        )

    @property
    def kernels(self) -> Kernels:
        """What is compiled."""
        return KERNELS

    def own_arrays(self, problem: Problem, size: int) -> DifferenceArrays:
        """Room for differences."""
        return DifferenceArrays(np.zeros((DIFFERENCES, size)), np.zeros(size), np.zeros((3, 8, 8)), np.zeros(1))

    def taped_scheme(self, problem: Problem, pasts: list[tuple[float, ...]]) -> tuple[int, dict[str, Array]]:
        """See `Method.taped_scheme`."""
        return NDF_FAMILY, {}

    def newest(self, own: Any, pending: bool) -> Array:
        """The newest row."""
        return np.asarray(own.D[0])
