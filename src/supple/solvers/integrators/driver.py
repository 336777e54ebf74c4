"""The driver of all schemes, compiled part: start, advance, record, re-centre, look back.

A family of schemes gives the parts, functions of (problem, run, own), from which `composed` makes the one kernel of a
family, which the driver calls by its address: the driver itself is compiled once for all of them.

- ``begin(problem, run, own)``: what a scheme remembers at a start, from the state of the problem;
- ``step(problem, run, own)``: one accepted step; CONVERGED, TOO_SMALL, NEW_COEFFICIENTS or a failure;
- ``settle(problem, run, own)``: what there is to do once a step is recorded;
- ``recentre(problem, run, own)``: charts that were left, with all that is remembered;
- ``interpolate(problem, run, own, t, row)``: the row at a time t of the last step; at its end the row itself.

A step is *pending* from its end until it is recorded: between the two, somebody may look back at it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from numba import types

from supple.core.arrays import vector_at
from supple.core.views import address_of
from supple.jit import AddressedKernel, Work, calling, inner, kernel, kernel_stamp, made_for
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

#: What a family is asked to do.
BEGIN, STEP_ON, SETTLE, INTERPOLATE = range(4)

#: Of a family's kernel: addresses of problem, run and own arrays, what to do, a time and the address of a row.
SIGNATURE = types.int64(*[types.int64] * 4, types.float64, types.int64)
_call = calling(SIGNATURE)


@inner
def end_step(problem, run, t):
    """A step has ended at time t."""
    reals = run.reals
    reals[TIME_BEFORE], reals[TIME] = reals[TIME], t
    run.ints[STEPS] += 1
    note_drift(problem, reals)


def composed(
    own_at: Callable,
    begin: Callable,
    step: Callable,
    settle: Callable,
    recentre: Callable,
    interpolate: Callable,
    stages: bool = True,
    work: Work = Work.BOOKKEEPING,
) -> Kernels:
    """What is compiled for a family of schemes, from its parts, see above.

    ``stages``: whether stages are solved one by one, by kernels of their own; ``work``: what is left to do here.
    Parts are bound when they are made, not passed at every call; ``own_at(address)`` are the arrays of the family.
    """

    @made_for(step)
    def parts(problem_address, run_address, own_address, action, t, row_address):
        """One of the parts; a step begins with charts that were left.  Returns the status of a step."""
        problem, run, own = problem_at(problem_address), run_at(run_address), own_at(own_address)
        status = CONVERGED
        if action == STEP_ON:
            recentre(problem, run, own)
            status = step(problem, run, own)
        elif action == INTERPOLATE:
            interpolate(problem, run, own, t, vector_at(row_address, (run.rows.shape[1],)))
        elif action == SETTLE:
            settle(problem, run, own)
        else:
            begin(problem, run, own)
        return status

    return Kernels(AddressedKernel(parts, SIGNATURE, kernel_stamp(parts), work), stages)


@inner
def ask(family, problem, run, own_address, action):
    """Let a family do something, see `composed`.  Returns a status."""
    return _call(family, (address_of(problem), address_of(run), own_address, action, 0.0, 0))


@inner
def interpolate_row(family, problem, run, own_address, t, row):
    """Row (in the charts of the run) at a time t of the last step."""
    _call(family, (address_of(problem), address_of(run), own_address, INTERPOLATE, t, row.ctypes.data))


@inner
def record(family, problem, run, own_address):
    """Write the last step down.  Returns whether the buffer is full."""
    ints, wanted, now, most = run.ints, run.wanted, run.reals[TIME], run.times.shape[0]
    while ints[EVERY] or (ints[NEXT] < wanted.shape[0] and wanted[ints[NEXT]] <= now):
        if ints[RECORDED] == most or is_full(run):
            return True
        t, row = now if ints[EVERY] else wanted[ints[NEXT]], run.rows[ints[RECORDED]]
        interpolate_row(family, problem, run, own_address, t, row)
        note_given(problem, run, t, row)
        keep_row(problem, run, t)
        if ints[EVERY]:
            break
        ints[NEXT] += 1
    return False


@partial(kernel, work=Work.BOOKKEEPING)
def start(family, problem_table, run_table, own_table):
    """Begin (again) from q, v, z of the problem at reals[TIME], with a first step in reals[STEP] if that is 0."""
    problem, run = problem_at(problem_table.ctypes.data), run_at(run_table.ctypes.data)
    reals = run.reals
    status = accelerate(problem, reals[TIME], reals[BAUMGARTE])
    if status != CONVERGED:
        return FAILURE + status
    if reals[STEP] <= 0.0:
        reals[STEP] = first_step(problem, run)
    reals[TIME_BEFORE] = reals[TIME]
    ask(family, problem, run, own_table.ctypes.data, BEGIN)
    open_entry(problem, run, START, reals[TIME], reals[STEP], run.tape_counts[ANEW], 0.0, 0.0, 0.0, 0.0)
    put_stage(problem, run, reals[TIME])
    close_entry(run)
    return DONE


@partial(kernel, work=Work.BOOKKEEPING)
def advance(family, problem_table, run_table, own_table, budget):
    """At most ``budget`` steps towards the end.  Returns DONE, PAUSED, FULL, or what kept a step from ending."""
    problem, run, own = problem_at(problem_table.ctypes.data), run_at(run_table.ctypes.data), own_table.ctypes.data
    ints, reals = run.ints, run.reals
    for _ in range(budget):
        if ints[PENDING]:
            if record(family, problem, run, own):
                return FULL
            ask(family, problem, run, own, SETTLE)
            ints[PENDING] = False
        if reals[TIME] >= reals[END_TIME]:
            return DONE
        if is_full(run):
            return FULL
        status = ask(family, problem, run, own, STEP_ON)
        if status != CONVERGED:
            return status
        ints[PENDING] = True
    return PAUSED


@partial(kernel, work=Work.BOOKKEEPING)
def look_back(family, problem_table, run_table, own_table, t, row):
    """Row (in the model's charts) at a time t of the last step, while it is pending."""
    problem, run = problem_at(problem_table.ctypes.data), run_at(run_table.ctypes.data)
    interpolate_row(family, problem, run, own_table.ctypes.data, t, row)
    if run.tape_counts[NOTING]:
        note_given(problem, run, t, row)
    bring_home(problem, row)
