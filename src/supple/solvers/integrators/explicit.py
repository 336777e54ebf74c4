"""Explicit Runge-Kutta pairs on accelerations (index 1): for comparison, and for robots that are not stiff.

Loops hold in acceleration only; Baumgarte's time constant pulls drift back.  Wanted times are hit by steps.  A pair
is a tableau (`Pair`): nothing is compiled for it.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import nonnegative_float
from supple.core.views import View, array_of, viewing
from supple.errors import ModelError
from supple.jit import inner, kernel, leaf
from supple.solvers.integrators.driver import composed, end_step
from supple.solvers.integrators.error_control import SAFETY, ratio_of, set_weights, widen_weights
from supple.solvers.integrators.method import Control, Kernels, Method, SingleStep
from supple.solvers.integrators.option_checks import check_tolerances, keep
from supple.solvers.integrators.rows import copy_row, interpolate_motion, recentre_rows, write_row
from supple.solvers.integrators.run import (
    BAUMGARTE,
    DONE,
    END_TIME,
    ERROR,
    EVERY,
    FAILED,
    FAILURE,
    LAST_STEP,
    LONGEST_STEP,
    NEXT,
    RECENTRED,
    REJECTED,
    RTOL,
    START_ORDER,
    STEP,
    TIME,
    TIME_BEFORE,
    TOO_SMALL,
    is_lost,
    reaches,
    run_at,
)
from supple.solvers.integrators.tape import PAIR_FAMILY, STEPPED, close_entry, open_entry, put_stage
from supple.solvers.problem import STALE, Problem, problem_at
from supple.solvers.stage.calls import accelerate
from supple.solvers.stage.charts import longest_turn
from supple.solvers.stage.status import CONVERGED, PYTHON_RAISED

Array = np.ndarray

#: Bounds of the ratio of steps, and that after a failure.
SHRINK, GROW, FAILED_SHRINK = 0.2, 10.0, 0.25
#: How much the error of the step before counts in the choice of the next, and the least error that is told from zero.
INERTIA, SMALL = 0.32, 1e-4
#: By how much of what theory asks a step is changed that was not made in vain.  At the bound of stability errors grow
#: with a higher power of the step than their order says: changed in full, every tenth step is made in vain.
GAIN = 0.6

#: Rows of points: where a step begins, where the one before began, and where it ends.
NOW, BEFORE, NEW = 0, 1, 2


class Pair(NamedTuple):
    """Tableau of a pair of s stages, whose last stage is the first one of the next step.

    Velocities and internal states move by A and b.  So do positions, q_s = q + h sum a_sj v_j, unless a matrix of their
    own is given, as Nystroem's formulas have, which says how they move by accelerations:
    q_s = q + c_s h v + h^2 sum p_sj a_j.
    """

    A: ArrayLike  #: (s, s) lower triangular
    b: ArrayLike  #: (s,)
    c: ArrayLike  #: (s,)
    error: ArrayLike  #: (1, s + 1), or (2, s + 1) for two estimates combined as Hairer and Wanner do for order 8
    order: int  #: of the error estimate
    positions: ArrayLike | None = None  #: (s + 1, s) p, that of the end as the last row

    def rows(self) -> tuple[Array, Array]:
        """[A; b] (s + 1, s) and P - [A; b] A, what positions move by besides: (s + 1, s), or no rows without P."""
        A_b = np.vstack([np.asarray(self.A, dtype=float), np.asarray(self.b, dtype=float)])
        if self.positions is None:
            return A_b, np.zeros((0, A_b.shape[1]))
        return A_b, np.asarray(self.positions, dtype=float) - A_b @ A_b[:-1]


class PairArrays(NamedTuple):
    """What a pair works on; s stages, N entries of a row."""

    points: Any  #: (3, N), see above
    K: Any  #: (s + 1, 2 n + nz) rates of q, v, z at stages
    A: Any  #: (s, s)
    b: Any  #: (s,)
    c: Any  #: (s,)
    error: Any  #: (1 or 2, s + 1)
    beside: Any  #: (s + 1 or 0, s) what positions move by besides, see `Pair.rows`


#: Inside compiled code.
own_at = viewing(View("pair", {name: array_of(np.float64, 1 if name in "bc" else 2) for name in PairArrays._fields}))


@leaf
def add_row(x, row, out):
    """out += x row."""
    for i in range(np.uint64(out.shape[0])):
        out[i] += x * row[i]


@inner
def put_state(problem, own, s, coefficients, stages, h):
    """q, v, z of stage s = now + h sum a_sj K_j; of positions, + h^2 sum d_sj a_j, d being ``beside``."""
    n, nz, now, K = problem.q.shape[0], problem.z.shape[0], own.points[NOW], own.K
    first = 3 * n + problem.multipliers.shape[0]
    copy_row(now[:n], problem.q)
    copy_row(now[n : 2 * n], problem.v)
    copy_row(now[first : first + nz], problem.z)
    for j in range(stages):
        x = h * coefficients[j]
        if x != 0.0:
            add_row(x, K[j, :n], problem.q)
            add_row(x, K[j, n : 2 * n], problem.v)
            add_row(x, K[j, 2 * n :], problem.z)
    if own.beside.shape[0] > 0:
        for j in range(stages):
            add_row(h * h * own.beside[s, j], K[j, n : 2 * n], problem.q)


@inner
def derivative(problem, t, baumgarte, k):
    """k (2 n + nz,) = v, a, z' at the problem's state.  Returns a status."""
    status = accelerate(problem, t, baumgarte)
    n = problem.q.shape[0]
    for i in range(n):
        k[i], k[n + i] = problem.v[i], problem.a[i]
    for i in range(problem.z.shape[0]):
        k[2 * n + i] = problem.rates[i]
    return status


@inner
def weighted(problem, K, weights):
    """sum over what is free of (sum_s w_s K_s / weight)^2, in q, v and z."""
    n, nz = problem.q.shape[0], problem.z.shape[0]
    total = 0.0
    for i in range(problem.free.shape[0]):
        k = problem.free[i]
        x, y = 0.0, 0.0
        for s in range(weights.shape[0]):
            x += weights[s] * K[s, k]
            y += weights[s] * K[s, n + k]
        total += (x / problem.weights[0, k]) ** 2 + (y / problem.weights[1, k]) ** 2
    for k in range(nz):
        x = 0.0
        for s in range(weights.shape[0]):
            x += weights[s] * K[s, 2 * n + k]
        total += (x / problem.weights_z[k]) ** 2
    return total


@inner
def error_of(problem, K, E, h):
    """h sqrt(x_0 / N) of one estimate, h x_0 / sqrt((x_0 + x_1 / 100) N) of two, x_m = sum of (sum_s E_ms K_s / w)^2.

    N is the number of entries; two are combined as Hairer and Wanner do for order 8.
    """
    count = max(2 * problem.free.shape[0] + problem.z.shape[0], 1)
    fine = weighted(problem, K, E[0])
    if E.shape[0] == 1:
        return h * math.sqrt(fine / count)
    coarse = weighted(problem, K, E[1])
    if fine == 0.0 and coarse == 0.0:
        return 0.0
    return h * fine / math.sqrt((fine + 0.01 * coarse) * count)


@inner
def ratio_of_steps(error, before, order):
    """`SAFETY` (e^(-(1 - 3/4 b) / (p + 1)) e_before^(b / (p + 1)))^g, g = `GAIN`: how much longer the next step may be.

    A PI controller ([STIFF] IV.2), b = `INERTIA`.  At the bound of stability errors jump by orders of magnitude with
    the step; steps chosen by the last error alone go to and fro across the bound, every fourth or fifth in vain, and
    what grows beyond it adds up.  Without an error before (0) b = 0; for a step that is made anew, g = 1 besides.
    """
    if not error <= 1.0:
        return SAFETY * ratio_of(error, order)
    ratio = ratio_of(error, order)
    if before > 0.0:
        ratio *= (max(error, SMALL) ** 0.75 * max(before, SMALL)) ** (INERTIA / (order + 1.0))
    return SAFETY * ratio**GAIN


@inner
def end_of_step(run):
    """The time that the next step must not pass: a wanted one, or the end."""
    ints, wanted, end = run.ints, run.wanted, run.reals[END_TIME]
    if not ints[EVERY] and ints[NEXT] < wanted.shape[0]:
        end = min(end, wanted[ints[NEXT]])
    return end


@inner
def evaluate_stages(problem, run, own, t, t_new, h, baumgarte):
    """K_s = f(t + c_s h, y + h sum_j a_sj K_j), s >= 1, and K of the end, y + h sum_j b_j K_j, at t_new (`put_state`).

    K[0] are the rates at t.  Returns a status.
    """
    K, stages = own.K, own.b.shape[0]
    for s in range(1, stages):
        put_state(problem, own, s, own.A[s], s, h)
        status = derivative(problem, t + own.c[s] * h, baumgarte, K[s])
        if status != CONVERGED:
            return status
        put_stage(problem, run, t + own.c[s] * h)
    put_state(problem, own, stages, own.b, stages, h)
    status = derivative(problem, t_new, baumgarte, K[stages])
    put_stage(problem, run, t_new)
    return status


@inner
def step(problem, run, own):
    """One accepted step, y + h sum b_s K_s.  Returns CONVERGED, TOO_SMALL or a failure.

    The next one is `ratio_of_steps` times as long, at most `GROW`, no longer than this one if that was tried before.
    """
    ints, reals, status, end, largest = run.ints, run.reals, CONVERGED, end_of_step(run), GROW
    before = reals[ERROR]
    while True:
        if is_lost(reals):
            return FAILURE + status if status != CONVERGED else TOO_SMALL
        left = end - reals[TIME]
        h = min(reals[STEP], reals[LONGEST_STEP], longest_turn(problem, own.points[NOW], 2))
        if reaches(h, left):
            h = left
        t = end if h == left else reals[TIME] + h
        open_entry(problem, run, STEPPED, t, h, 0.0, 0.0, 0.0, 0.0, 0.0)
        status = evaluate_stages(problem, run, own, reals[TIME], t, h, reals[BAUMGARTE])
        if status >= PYTHON_RAISED:
            return FAILURE + status
        if status != CONVERGED:
            ints[FAILED] += 1
            reals[STEP] = FAILED_SHRINK * h
            continue
        set_weights(problem, reals[RTOL], run.atol, problem.q, problem.v, problem.z, 0.0)
        widen_weights(problem, reals[RTOL], run.atol, own.points[NOW])
        error = error_of(problem, own.K, own.error, h)
        reals[ERROR] = error
        factor = min(largest, ratio_of_steps(error, before, reals[START_ORDER]))
        if not error <= 1.0:
            ints[REJECTED] += 1
            largest = 1.0
            reals[STEP] = h * (max(SHRINK, factor) if math.isfinite(error) else SHRINK)
            continue
        break
    if h < left or factor < 1.0:  # a step cut short to hit a time says little about the next
        reals[STEP] = h * factor
    close_entry(run)
    write_row(problem, own.points[NEW])
    copy_row(own.K[own.b.shape[0]], own.K[0])
    reals[LAST_STEP] = h
    end_step(problem, run, t)
    return CONVERGED


@inner
def settle(problem, run, own):
    """The next step begins where the last one has ended."""
    copy_row(own.points[NOW], own.points[BEFORE])
    copy_row(own.points[NEW], own.points[NOW])


@inner
def recentre(problem, run, own):
    """Re-centre charts that are left, with the rates now."""
    if problem.charts.shape[0] == 0:
        return
    n, now = problem.q.shape[0], own.points[NOW]
    moved = recentre_rows(problem, run, own.points[NOW : NOW + 1], run.reals[LAST_STEP], 0.0, 0.0)
    if moved > 0:
        run.ints[RECENTRED] += moved
        problem.flags[STALE] = True
        for i in range(n):
            own.K[0, i], own.K[0, n + i] = now[n + i], now[2 * n + i]


@inner
def interpolate(problem, run, own, t, row):
    """Row (1 - x) y_0 + x y_1 at time t of the last step, x = (t - t_0) / h.

    But q is quintic (from q, v, a), and v and a are its rates.
    """
    n, before, now = problem.q.shape[0], own.points[NOW], own.points[NEW]
    if t == run.reals[TIME]:
        copy_row(now, row)
        return
    h = run.reals[TIME] - run.reals[TIME_BEFORE]
    x = (t - run.reals[TIME_BEFORE]) / h
    for c in range(row.shape[0]):
        row[c] = (1.0 - x) * before[c] + x * now[c]
    interpolate_motion(n, before, now, x, h, row)


@inner
def begin(problem, run, own):
    """The rates of a start are the first stage."""
    n, K = problem.q.shape[0], own.K
    write_row(problem, own.points[NOW])
    for i in range(n):
        K[0, i], K[0, n + i] = problem.v[i], problem.a[i]
    for i in range(problem.z.shape[0]):
        K[0, 2 * n + i] = problem.rates[i]


@kernel
def explicit_step(problem_table, run_table, own_table, rows, directions):
    """One step of a pair, v1 = v + h sum b_i a_i; ``rows`` (2, N) receives its beginning and its end.

    Nothing is written to ``directions``: loops hold in acceleration.  Returns DONE or a failure.
    """
    problem, run = problem_at(problem_table.ctypes.data), run_at(run_table.ctypes.data)
    own = own_at(own_table.ctypes.data)
    t, end, baumgarte = run.reals[TIME], run.reals[END_TIME], run.reals[BAUMGARTE]
    status = accelerate(problem, t, baumgarte)
    if status != CONVERGED:
        return FAILURE + status
    begin(problem, run, own)
    recentre(problem, run, own)
    copy_row(own.points[NOW], rows[0])
    status = evaluate_stages(problem, run, own, t, end, end - t, baumgarte)
    if status != CONVERGED:
        return FAILURE + status
    write_row(problem, rows[1])
    return DONE


#: A tolerance that no error of a step exceeds.
ANY = 1e30

#: What is compiled for the family.
KERNELS = composed(own_at, begin, step, settle, recentre, interpolate, stages=False)


@dataclass(frozen=True)
class Explicit(Method):
    """An explicit pair: a subclass gives its tableau.

    ``baumgarte`` [s] pulls loops that drift back, with this time constant; 0 lets them drift.
    """

    saved = ("points", "K")

    rtol: float = 1e-3
    atol: ArrayLike = 1e-6
    max_step: float | None = None
    first_step: float | None = None
    baumgarte: float = 0.0

    def __post_init__(self) -> None:
        check_tolerances(self)
        keep(self, "baumgarte", nonnegative_float(self.baumgarte, f"{type(self).__name__}: baumgarte", "s"))

    @abstractmethod
    def pair(self) -> Pair:
        """The tableau."""

    @property
    def control(self) -> Control:
        """Tolerances and steps."""
        given = {name: getattr(self, name) for name in ("rtol", "atol", "max_step", "first_step", "baumgarte")}
        return Control(**given, start_order=self.pair().order, explicit=True)

    @property
    def kernels(self) -> Kernels:
        """What is compiled for all pairs."""
        return KERNELS

    def own_arrays(self, problem: Problem, size: int) -> PairArrays:
        """The tableau, with room for stages."""
        pair, kind = self.pair(), type(self).__name__
        A, b, c, error = (np.array(x, dtype=float, order="C") for x in pair[:4])
        s = len(b)
        if A.shape != (s, s) or b.shape != (s,) or c.shape != (s,) or error.shape not in ((1, s + 1), (2, s + 1)):
            raise ModelError(
                f"{kind}: of a tableau of {s} stages A must be ({s}, {s}), c ({s},) and error "
                f"(1, {s + 1}) or (2, {s + 1}); they are {A.shape}, {c.shape} and {error.shape}"
            )
        if pair.positions is not None and np.shape(pair.positions) != (s + 1, s):
            raise ModelError(
                f"{kind}: of a tableau of {s} stages the matrix of positions must be ({s + 1}, {s}), with that of the "
                f"end as its last row; it is {np.shape(pair.positions)}"
            )
        K = np.zeros((s + 1, 2 * len(problem.q) + len(problem.z)))
        return PairArrays(np.zeros((3, size)), K, A, b, c, error, np.ascontiguousarray(pair.rows()[1]))

    def taped_scheme(self, problem: Problem, pasts: list[tuple[float, ...]]) -> tuple[int, dict[str, Array]]:
        """See `Method.taped_scheme`."""
        return PAIR_FAMILY, {"tableau": np.vstack(self.pair().rows())}

    def newest(self, own: Any, pending: bool) -> Array:
        """The newest row."""
        return np.asarray(own.points[NEW if pending else NOW])

    def from_one_state(self) -> Explicit:
        """See `Method.from_one_state`."""
        return self

    def over(self, dt: float) -> Explicit:
        """Any error is accepted, so that the first step is the last."""
        return replace(self, atol=ANY, max_step=None, first_step=dt)

    def single_step(self, own: Any) -> SingleStep:
        """See `Method.single_step`."""
        return SingleStep(explicit_step, 1, PAIR_FAMILY)
