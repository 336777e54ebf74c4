"""Radau IIA of order 5 with three stages, adaptive: implicit, L-stable, of one step ([STIFF] IV.5, IV.8)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.jit import Work, inner, kernel
from supple.solvers.integrators.driver import composed, end_step
from supple.solvers.integrators.error_control import SAFETY, error_norm, set_weights, share_weights, widen_weights
from supple.solvers.integrators.method import Control, Kernels, Method, SingleStep
from supple.solvers.integrators.option_checks import check_loops, check_tolerances
from supple.solvers.integrators.radau_arrays import (
    BEFORE,
    FACTORED,
    FIRST,
    FRESH,
    LAST,
    LAST_ERROR,
    NOW,
    SPEED,
    RadauArrays,
    make_arrays,
    own_at,
)
from supple.solvers.integrators.radau_error import estimate, estimate_again
from supple.solvers.integrators.radau_stages import MOST, set_stage, solve_stages
from supple.solvers.integrators.radau_tableau import NODES, node_polynomial
from supple.solvers.integrators.rows import copy_row, interpolate_motion, recentre_rows, write_row
from supple.solvers.integrators.run import (
    DONE,
    END_TIME,
    EQUAL,
    ERROR,
    FAILED,
    FAILURE,
    LAST_STEP,
    LONGEST_STEP,
    NEWTON,
    RECENTRED,
    REJECTED,
    RTOL,
    STEP,
    TIME,
    TIME_BEFORE,
    TOO_SMALL,
    full_or_half,
    is_lost,
    run_at,
)
from supple.solvers.integrators.tape import RADAU_FAMILY, STEPPED, close_entry, open_entry, put_stage
from supple.solvers.problem import FEEDBACK, ITERATIONS, STALE, Problem, problem_at
from supple.solvers.rounding import NO_ERROR
from supple.solvers.stage.acceleration import accelerate
from supple.solvers.stage.charts import any_too_far, longest_turn
from supple.solvers.stage.evaluation import evaluate
from supple.solvers.stage.status import CONVERGED, PYTHON_RAISED

Array = np.ndarray

#: Bounds of the ratio of steps, and a ratio up to which the step and its factors are kept.
SHRINK, GROW, WORTHWHILE = 0.2, 8.0, 1.2
#: Largest ratio of steps after a failure of Newton's method, and least that its slowness asks for otherwise.
FAILED_SHRINK = 0.5
#: Ratio of consecutive Newton steps that steps are chosen for: near 1/e, where least work covers most time.
CONTRACTION = 0.3
#: Part of the step that the error would allow which is taken: errors of what oscillates vary from step to step.
CAUTION = 0.85
#: What an estimate may be for a tolerance of one.
ESTIMATED = 0.35
#: Ratio of consecutive Newton steps above which new Jacobians pay in the next step.
SLOW_NEWTON = 0.01
#: Size of the last Newton step in units of ``rtol`` and ``atol``: it adds up over many steps, in what is slow too, and
#: is divided by h^2 in accelerations, at which motions are differentiated.
NEWTON_SIZE = 0.007


@inner
def collect(problem, run, own, t, h):
    """Rows of the solved stages, at t + c_i h, in ``trial`` and on the tape.  Returns a status."""
    asked = problem.fixed.shape[0] > 0 or problem.flags[FEEDBACK] or problem.load_states.shape[0] > 0
    for i in range(3):
        set_stage(problem, own, i, t, h)
        if asked:
            status = evaluate(problem)
            if status != CONVERGED:
                return status
        write_row(problem, own.trial[i])
        put_stage(problem, run, t + NODES[i] * h)
    return CONVERGED


@inner
def judge(problem, run, own, h):
    """The error of the step, in units of the tolerances."""
    err, g = run.scratch[0], run.scratch[1]
    widen_weights(problem, run.reals[RTOL], run.atol, own.trial[2])
    share_weights(problem)
    estimate(problem, own, h, err, g)
    error = error_norm(problem, err, 1.0)
    if error >= 1.0 and (run.ints[EQUAL] == 0 or own.numbers[LAST_ERROR] < 0.0):
        estimate_again(problem, own, h, err, g)
        error = error_norm(problem, err, 1.0)
    return error


@inner
def ratio_of_steps(problem, own, h, error):
    """h_new / h = s error^(-1/4), at most that of Gustafsson, s h / h_last (error_last / error^2)^(1/4) ([STIFF] IV.8).

    And by Newton's method, whose steps shrink by a ratio that grows as the step does: it would fail in longer ones.
    """
    safety = CAUTION * (2 * MOST + 1) / (2 * MOST + problem.flags[ITERATIONS])
    ratio = safety * max(error, NO_ERROR) ** -0.25
    if own.numbers[FRESH] != 0.0 and own.numbers[SPEED] > 0.0:
        ratio = min(ratio, max(CONTRACTION / own.numbers[SPEED], FAILED_SHRINK))
    before = own.numbers[LAST_ERROR]
    if before > 0.0 and error <= 1.0:
        predicted = CAUTION * h / own.numbers[LAST] * (before / max(error, NO_ERROR) ** 2) ** 0.25
        ratio = min(ratio, predicted)
    most = GROW if before >= 0.0 else 1.0  # not behind a step that was rejected
    return min(max(ratio, SHRINK), most)


@inner
def shrink_of(speed):
    """Ratio of steps after a failure of Newton's method, by the ratio of its own steps."""
    if not math.isfinite(speed) or speed <= 0.0:
        return FAILED_SHRINK
    return min(max(CONTRACTION / speed, SHRINK), FAILED_SHRINK)


@inner
def step(problem, run, own):
    """One accepted step, t to t + h.  Returns CONVERGED, TOO_SMALL or the failure of its stages.

    Where its error is above one in units of the tolerance, it is made anew with the ratio of `ratio_of_steps`, < 1.
    """
    ints, reals, failed, n = run.ints, run.reals, CONVERGED, problem.q.shape[0]
    now, t = own.memory[NOW], run.reals[TIME]
    while True:
        if is_lost(reals):
            return FAILURE + failed if failed != CONVERGED else TOO_SMALL
        asked = min(reals[STEP], reals[LONGEST_STEP], longest_turn(problem, now, 2))
        left = reals[END_TIME] - t
        h = full_or_half(left, asked)
        first = 3 * n + problem.multipliers.shape[0]
        z = now[first : first + problem.z.shape[0]]
        set_weights(problem, reals[RTOL], run.atol, now[:n], now[n : 2 * n], z, 1.0)
        open_entry(problem, run, STEPPED, t, h, 0.0, 0.0, 0.0, 0.0, 0.0)
        failed = solve_stages(problem, ints[EQUAL], own, t, h, reals[NEWTON])
        if failed == CONVERGED:
            failed = collect(problem, run, own, t, h)
        if failed >= PYTHON_RAISED:
            return FAILURE + failed
        if failed != CONVERGED:
            ints[FAILED] += 1
            own.numbers[LAST_ERROR] = -1.0
            reals[STEP] = h * shrink_of(own.numbers[SPEED])
            continue
        error = judge(problem, run, own, h)
        reals[ERROR] = error
        ratio = ratio_of_steps(problem, own, h, error)
        if not error <= 1.0:
            ints[REJECTED] += 1
            own.numbers[LAST_ERROR] = -1.0
            reals[STEP] = h * min(ratio, SAFETY)
            continue
        break
    close_entry(run)
    settle_step(problem, run, own, h, asked, ratio)
    accept(problem, own)
    reals[LAST_STEP] = h
    ints[EQUAL] += 1
    end_step(problem, run, reals[END_TIME] if h == left else t + h)
    return CONVERGED


@inner
def settle_step(problem, run, own, h, asked, ratio):
    """The next step, and whether it begins with new Jacobians; a step that was cut says little about the next."""
    reals = run.reals
    if own.numbers[SPEED] > SLOW_NEWTON:
        problem.flags[STALE] = True
    if 1.0 <= ratio <= WORTHWHILE and not problem.flags[STALE]:
        ratio = 1.0
    reals[STEP] = h * ratio
    if h < asked and ratio >= 1.0:
        reals[STEP] = max(reals[STEP], asked)
    own.numbers[LAST], own.numbers[LAST_ERROR] = h, max(reals[ERROR], 0.01)


@inner
def accept(problem, own):
    """The last stage is the new point."""
    memory = own.memory
    copy_row(memory[NOW], memory[BEFORE])
    for i in range(3):
        copy_row(own.trial[i], memory[FIRST + i])
    copy_row(own.trial[2], memory[NOW])
    copy_row(problem.rates, own.rates)


@inner
def settle(problem, run, own):
    """There is nothing to do once a step is recorded."""


@inner
def recentre(problem, run, own):
    """Re-centre charts that are left, with the polynomial of the last step."""
    if any_too_far(problem, own.memory[NOW]):
        run.ints[RECENTRED] += recentre_rows(problem, run, own.memory, run.reals[LAST_STEP], 0.0, 0.0)
        problem.flags[STALE] = True


@inner
def interpolate(problem, run, own, t, row):
    """Row sum_s l_s(x) y_s at time t of the last step, x = (t - t_0) / h; q by the quintic through q, v, a at its ends.

    v and a are the quintic's rates.  The rest, and all of a first step, whose acceleration at its beginning may be huge
    and last no time, follow the polynomials through the stages: cubic in q, v, z, quadratic in a, multipliers and
    efforts.
    """
    n, nc, nz, memory = problem.q.shape[0], problem.multipliers.shape[0], problem.z.shape[0], own.memory
    if t == run.reals[TIME]:
        copy_row(memory[NOW], row)
        return
    h = run.reals[TIME] - run.reals[TIME_BEFORE]
    x, first = (t - run.reals[TIME_BEFORE]) / h, 3 * n + nc
    for c in range(row.shape[0]):
        row[c] = 0.0
    for s in range(4):
        cubic, quadratic = node_polynomial(x, s, 0), node_polynomial(x, s, 1) if s > 0 else 0.0
        point = memory[BEFORE] if s == 0 else memory[FIRST + s - 1]
        for c in range(row.shape[0]):
            row[c] += (cubic if c < 2 * n or first <= c < first + nz else quadratic) * point[c]
    if run.ints[EQUAL] > 1:
        interpolate_motion(n, memory[BEFORE], memory[NOW], x, h, row)


@inner
def begin(problem, run, own):
    """The state of the problem is the one point that is known."""
    write_row(problem, own.memory[NOW])
    copy_row(problem.rates, own.rates)
    own.numbers[LAST], own.numbers[LAST_ERROR] = 0.0, 0.0
    run.ints[EQUAL], run.reals[LAST_STEP] = 0, 0.0


@kernel
def radau_step(problem_table, run_table, own_table, rows, directions):
    """One step from the problem's q, v, z at TIME to END_TIME, whatever its error; nothing is remembered.

    ``rows`` (4, N) receives the beginning and every stage, ``directions`` (3, n, nc) the P that all stages share.
    Returns DONE or a failure.
    """
    problem, run = problem_at(problem_table.ctypes.data), run_at(run_table.ctypes.data)
    own = own_at(own_table.ctypes.data)
    t, h, n = run.reals[TIME], run.reals[END_TIME] - run.reals[TIME], problem.q.shape[0]
    status = accelerate(problem, t, 0.0)
    if status != CONVERGED:
        return FAILURE + status
    begin(problem, run, own)
    recentre(problem, run, own)
    now, first = own.memory[NOW], 3 * n + problem.multipliers.shape[0]
    copy_row(now, rows[0])
    own.numbers[FACTORED] = 0.0
    z = now[first : first + problem.z.shape[0]]
    set_weights(problem, run.reals[RTOL], run.atol, now[:n], now[n : 2 * n], z, 1.0)
    status = solve_stages(problem, 0, own, t, h, run.reals[NEWTON])
    if status == CONVERGED:
        status = collect(problem, run, own, t, h)
    if status != CONVERGED:
        return FAILURE + status
    for s in range(len(NODES)):
        copy_row(own.trial[s], rows[s + 1])
        for i in range(n):
            for k in range(directions.shape[2]):
                directions[s, i, k] = problem.P[i, k]
    return DONE


#: What is compiled for the family.
KERNELS = composed(own_at, begin, step, settle, recentre, interpolate, stages=False, work=Work.LOOPS)


@dataclass(frozen=True)
class Radau(Method, name="radau"):
    """Radau IIA: order 5, implicit, L-stable and adaptive; for high accuracy, and where little damps what is fast.

    Parameters
    ----------
    rtol, atol : float
        The error of a step in q and v is kept below atol + rtol |y|; ``atol`` may be (n,), for q and v alike, or
        (2 n,).
    max_step, first_step : float, optional
        In seconds.
    loops : "stabilised" or "index3"
        Whether loops hold in position and velocity, or in position alone: then velocities are of order 3, multipliers
        of order 2.
    """

    saved = ("memory", "rates", "jacobians", "by_state", "f", "re", "im", "pivots", "scales", "numbers")

    rtol: float = 1e-3
    atol: ArrayLike = 1e-6
    max_step: float | None = None
    first_step: float | None = None
    loops: str = "stabilised"

    def __post_init__(self) -> None:
        check_tolerances(self)
        check_loops(self)

    @property
    def control(self) -> Control:
        """Tolerances and steps."""
        # the estimate is that of a formula of order 3: an error e^(3/2) of order 5 shows as e ([STIFF] IV.8)
        rtol = ESTIMATED * self.rtol ** (2.0 / 3.0)
        return Control(
            rtol=rtol,
            atol=rtol / self.rtol * np.asarray(self.atol),
            max_step=self.max_step,
            first_step=self.first_step,
            newton=max(10.0 * np.finfo(float).eps, NEWTON_SIZE * self.rtol) / rtol,
            start_order=3,
            apart=True,
            stabilised=self.loops == "stabilised",
        )

    @property
    def kernels(self) -> Kernels:
        """What is compiled."""
        return KERNELS

    def own_arrays(self, problem: Problem, size: int) -> RadauArrays:
        """Room for stages, Jacobians and factors."""
        return make_arrays(problem, size)

    def taped_scheme(self, problem: Problem, pasts: list[tuple[float, ...]]) -> tuple[int, dict[str, Array]]:
        """See `Method.taped_scheme`."""
        return RADAU_FAMILY, {}

    def newest(self, own: Any, pending: bool) -> Array:
        """The newest row."""
        return np.asarray(own.memory[NOW])

    def from_one_state(self) -> Radau:
        """See `Method.from_one_state`."""
        return self

    def over(self, dt: float) -> Radau:
        """See `Method.over`."""
        return SingleRadau(self.rtol, self.atol, None, dt, self.loops)

    def single_step(self, own: Any) -> SingleStep:
        """See `Method.single_step`."""
        return SingleStep(radau_step, len(NODES), RADAU_FAMILY)


#: A power of two, so that nothing is rounded otherwise, by which tolerances grow that every error of a step meets.
ANY_ERROR = 2.0**100


@dataclass(frozen=True)
class SingleRadau(Radau):
    """Radau IIA whose first step is accepted whatever its error; Newton's method is as strict as before."""

    @property
    def control(self) -> Control:
        """Tolerances of all errors, which Newton's are measured in."""
        own = super().control
        return own._replace(
            rtol=ANY_ERROR * own.rtol, atol=ANY_ERROR * np.asarray(own.atol), newton=own.newton / ANY_ERROR
        )
