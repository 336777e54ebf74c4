"""Programs of explicit pairs: register 0 is the point now, 1 the one before, stages from 2 on (v, a, z' of them)."""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.integrators.tape import AT_TIME, CHARTED, GIVEN, OF_STEP, SECOND, START, STEPPED, THIRD
from supple.solvers.problem import problem_at
from supple.solvers.sensitivity.arrays import BEGIN, END, OUT, RATE, A, Q, V, Z, sweep_at
from supple.solvers.sensitivity.plan_motion import give_motion
from supple.solvers.sensitivity.plans import Planner, begin_plan, carry_rows, give_out, read_stage
from supple.solvers.sensitivity.program import (
    ACCELERATE,
    add_instruction,
    add_part,
    begin_from,
    set_part,
    set_row,
)

#: Register of the first stage.
STAGE = 2


@inner
def start_pair(sweep):
    """A point, whose rates are the first stage."""
    set_row(sweep, 0, 1.0, END)
    set_row(sweep, STAGE, 1.0, END)
    set_row(sweep, 1, 0.0, END)


@inner
def step_pair(sweep, h):
    """y + h sum_j a_sj K_j of all stages; the last one is the new point, and the first stage of the next step.

    Positions of Nystroem's formulas move by h^2 sum_j d_sj a_j besides (`integrators.explicit.Pair`).
    """
    A_b, count = sweep.tableau, sweep.tableau.shape[1]
    beside = A_b[count + 1 :]
    for s in range(1, count + 1):
        begin_from(sweep, 0)
        for j in range(min(s, count)):
            w = h * A_b[s, j]
            add_part(sweep, BEGIN, Q, w, STAGE + j, V)
            add_part(sweep, BEGIN, V, w, STAGE + j, A)
            add_part(sweep, BEGIN, Z, w, STAGE + j, RATE)
            if beside.shape[0] > 0:
                add_part(sweep, BEGIN, Q, h * h * beside[s, j], STAGE + j, A)
        add_instruction(sweep, ACCELERATE, STAGE + s, 0, s - 1, 0, 0, 0.0, 0.0)
    set_row(sweep, 1, 1.0, 0)
    set_row(sweep, 0, 1.0, STAGE + count)
    set_row(sweep, STAGE, 1.0, STAGE + count)


@inner
def chart_pair(sweep):
    """The first stage has the rates of the point that was carried."""
    set_part(sweep, STAGE, V, 1.0, 0, V)
    set_part(sweep, STAGE, A, 1.0, 0, A)


@inner
def give_pair(sweep, t, now, before):
    """Quintic in q, v and a its rates, linear in the rest."""
    if t == now:
        set_row(sweep, OUT, 1.0, 0)
        return
    h = now - before
    x = (t - before) / h
    set_row(sweep, OUT, 1.0 - x, 1)
    set_row_part(sweep, x)
    give_motion(sweep, x, h, 0, 1)


@inner
def set_row_part(sweep, x):
    """The linear part of a row between two points: all but q, v, a."""
    for part in range(RATE + 1):
        if part < 3:
            set_part(sweep, OUT, part, 0.0, 0, part)
        else:
            add_part(sweep, OUT, part, x, 0, part)


def _plan_pair(problem_address, sweep_address, at):
    """The program of an entry of a motion by an explicit pair."""
    problem, sweep = problem_at(problem_address), sweep_at(sweep_address)
    tape, kind = sweep.tape, begin_plan(problem, sweep, at)
    if kind == START:
        start_pair(sweep)
    elif kind == STEPPED:
        for k in range(sweep.tableau.shape[1]):
            read_stage(problem, sweep, at, k)
        step_pair(sweep, tape[at + OF_STEP])
    elif kind == CHARTED:
        carry_rows(problem, sweep, at)
        chart_pair(sweep)
    elif kind == GIVEN:
        give_pair(sweep, tape[at + AT_TIME], tape[at + SECOND], tape[at + THIRD])
        give_out(problem, sweep, at)


PLAN = Planner(_plan_pair)
