"""The driver of all schemes, compiled part: start, advance, record, re-centre, look back.

A family of schemes gives the parts, functions of (problem, run, own), from which `composed` makes its kernels:

- ``begin(problem, run, own)``: what a scheme remembers at a start, from the state of the problem;
- ``step(problem, run, own)``: one accepted step; CONVERGED, TOO_SMALL, NEW_COEFFICIENTS or a failure;
- ``settle(problem, run, own)``: what there is to do once a step is recorded;
- ``recentre(problem, run, own)``: charts that were left, with all that is remembered;
- ``interpolate(problem, run, own, t, row)``: the row at a time t of the last step; at its end the row itself.

A step is *pending* from its end until it is recorded: between the two, somebody may look back at it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from supple.jit import inner, kernel, made_for
from supple.solvers.integrators.error_control import first_step, note_drift
from supple.solvers.integrators.method import Kernels
from supple.solvers.integrators.rows import keep_row
from supple.solvers.integrators.run import (
    BAUMGARTE,
    DONE,
    END_TIME,
    EVERY,
    FAILURE,
    FULL,
    NEXT,
    PAUSED,
    PENDING,
    RECORDED,
    STEP,
    STEPS,
    TIME,
    TIME_BEFORE,
    run_at,
)
from supple.solvers.integrators.tape import (
    ANEW,
    NOTING,
    START,
    close_entry,
    is_full,
    note_given,
    open_entry,
    put_stage,
)
from supple.solvers.problem import problem_at
from supple.solvers.stage.calls import accelerate
from supple.solvers.stage.charts import bring_home
from supple.solvers.stage.status import CONVERGED


@inner
def end_step(problem, run, t):
    """A step has ended at time t."""
    reals = run.reals
    reals[TIME_BEFORE], reals[TIME] = reals[TIME], t
    run.ints[STEPS] += 1
    note_drift(problem, reals)


def recording(interpolate: Callable) -> Any:
    """Function that writes down the last step of a family whose rows are had by ``interpolate``."""

    @inner
    @made_for(interpolate)
    def record(problem, run, own):
        """Write the last step down.  Returns whether the buffer is full."""
        ints, wanted, now, most = run.ints, run.wanted, run.reals[TIME], run.times.shape[0]
        if ints[EVERY]:
            if ints[RECORDED] == most or is_full(run):
                return True
            interpolate(problem, run, own, now, run.rows[ints[RECORDED]])
            note_given(problem, run, now, run.rows[ints[RECORDED]])
            keep_row(problem, run, now)
            return False
        while ints[NEXT] < wanted.shape[0] and wanted[ints[NEXT]] <= now:
            if ints[RECORDED] == most or is_full(run):
                return True
            t = wanted[ints[NEXT]]
            interpolate(problem, run, own, t, run.rows[ints[RECORDED]])
            note_given(problem, run, t, run.rows[ints[RECORDED]])
            keep_row(problem, run, t)
            ints[NEXT] += 1
        return False

    return record


def loops(
    own_at: Callable, begin: Callable, step: Callable, settle: Callable, recentre: Callable, interpolate: Callable
) -> tuple[Any, Any, Any]:
    """Functions of addresses of tables that begin, take steps and give a row, from the parts of a family.

    Parts are bound when they are made, not passed at every call; ``own_at(address)`` are the arrays of the family.
    """
    record = recording(interpolate)

    @inner
    @made_for(step)
    def begin_run(problem_address, run_address, own_address):
        """Begin (again) from q, v, z of the problem at reals[TIME], with a first step in reals[STEP] if that is 0."""
        problem, run, own = problem_at(problem_address), run_at(run_address), own_at(own_address)
        reals = run.reals
        status = accelerate(problem, reals[TIME], reals[BAUMGARTE])
        if status != CONVERGED:
            return FAILURE + status
        if reals[STEP] <= 0.0:
            reals[STEP] = first_step(problem, run)
        reals[TIME_BEFORE] = reals[TIME]
        begin(problem, run, own)
        open_entry(problem, run, START, reals[TIME], reals[STEP], run.tape_counts[ANEW], 0.0, 0.0, 0.0, 0.0)
        put_stage(problem, run, reals[TIME])
        close_entry(run)
        return DONE

    @inner
    @made_for(step)
    def take_steps(problem_address, run_address, own_address, budget):
        """At most ``budget`` steps towards the end.  Returns DONE, PAUSED, FULL, or what kept a step from ending."""
        problem, run, own = problem_at(problem_address), run_at(run_address), own_at(own_address)
        ints, reals = run.ints, run.reals
        for _ in range(budget):
            if ints[PENDING]:
                if record(problem, run, own):
                    return FULL
                settle(problem, run, own)
                ints[PENDING] = False
            if reals[TIME] >= reals[END_TIME]:
                return DONE
            if is_full(run):
                return FULL
            recentre(problem, run, own)
            status = step(problem, run, own)
            if status != CONVERGED:
                return status
            ints[PENDING] = True
        return PAUSED

    @inner
    @made_for(step)
    def give_row(problem_address, run_address, own_address, t, row):
        """Row (in the model's charts) at a time t of the last step, while it is pending."""
        problem, run = problem_at(problem_address), run_at(run_address)
        interpolate(problem, run, own_at(own_address), t, row)
        if run.tape_counts[NOTING]:
            note_given(problem, run, t, row)
        bring_home(problem, row)

    return begin_run, take_steps, give_row


def composed(
    own_at: Callable,
    begin: Callable,
    step: Callable,
    settle: Callable,
    recentre: Callable,
    interpolate: Callable,
    stages: bool = True,
) -> Kernels:
    """The kernels of a family of schemes from its parts, see `loops`; ``stages``: whether it solves them one by one."""
    begin_run, take_steps, give_row = loops(own_at, begin, step, settle, recentre, interpolate)

    @kernel
    @made_for(step)
    def start(problem, run, own):
        """Begin (again), with tables of arrays."""
        return begin_run(problem.ctypes.data, run.ctypes.data, own.ctypes.data)

    @kernel
    @made_for(step)
    def advance(problem, run, own, budget):
        """Take steps, likewise."""
        return take_steps(problem.ctypes.data, run.ctypes.data, own.ctypes.data, budget)

    @kernel
    @made_for(step)
    def look_back(problem, run, own, t, row):
        """Write a row of the last step, likewise."""
        give_row(problem.ctypes.data, run.ctypes.data, own.ctypes.data, t, row)

    return Kernels(start, advance, look_back, stages)
