"""Entries of a tape as programs: starts, changes of charts, rows that are given out; steps are their families'."""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.integrators.tape import (
    AT_TIME,
    CHARTED,
    FIFTH,
    FIRST,
    FORMULA_FAMILY,
    FOURTH,
    GIVEN,
    HEADER,
    KIND,
    LATEST,
    NDF_FAMILY,
    OF_STEP,
    PAIR_FAMILY,
    RADAU_FAMILY,
    SECOND,
    STAGE_HEADER,
    START,
    STEPPED,
    THIRD,
)
from supple.solvers.sensitivity.arrays import (
    CA_OF,
    CV_OF,
    CZ_OF,
    END,
    FAMILY,
    INSTRUCTIONS,
    LATEST_OF,
    OUT,
    P_OF,
    STAGES_OF,
    STATE_AT,
    TIME_OF,
)
from supple.solvers.sensitivity.plan_formula import chart_formula, give_formula, start_formula, step_formula
from supple.solvers.sensitivity.plan_ndf import chart_ndf, give_ndf, start_ndf_history, step_ndf
from supple.solvers.sensitivity.plan_pair import chart_pair, give_pair, start_pair, step_pair
from supple.solvers.sensitivity.plan_radau import give_radau, start_radau_point, step_radau
from supple.solvers.sensitivity.program import ACCELERATE, CARRY, GIVE, add_instruction, begin_from, solve_into


@inner
def plan(problem, sweep, at):
    """The program of the entry that begins at ``at``.  Only entries of numbers have one."""
    sweep.counts[INSTRUCTIONS], sweep.counts[STAGES_OF] = 0, 0
    kind = sweep.tape[at + KIND]
    if kind == START:
        plan_start(problem, sweep, at)
    elif kind == STEPPED:
        plan_step(problem, sweep, at)
    elif kind == CHARTED:
        plan_chart(problem, sweep, at)
    elif kind == GIVEN:
        plan_given(problem, sweep, at)


@inner
def read_stage(problem, sweep, entry, k):
    """The k-th stage of an entry; its coefficients are still missing."""
    n, nc, nz = problem.q.shape[0], problem.multipliers.shape[0], problem.z.shape[0]
    at = entry + HEADER + k * (STAGE_HEADER + 3 * n + nc + nz)
    stage, tape = sweep.stages[sweep.counts[STAGES_OF]], sweep.tape
    stage[TIME_OF], stage[P_OF], stage[STATE_AT] = tape[at], tape[at + 1], at + STAGE_HEADER
    stage[LATEST_OF] = tape[entry + LATEST]
    stage[CV_OF], stage[CA_OF], stage[CZ_OF] = 0.0, 0.0, 0.0
    sweep.counts[STAGES_OF] += 1


@inner
def plan_start(problem, sweep, at):
    """Accelerations at the state of the start: that of the caller, or of the newest row."""
    read_stage(problem, sweep, at, 0)
    if sweep.tape[at + FIRST] == 0.0:
        begin_from(sweep, 0)  # the newest row is the first register of all families
    solve_into(sweep, END, ACCELERATE)
    h = sweep.tape[at + OF_STEP]
    if sweep.counts[FAMILY] == NDF_FAMILY:
        start_ndf_history(sweep, h)
    elif sweep.counts[FAMILY] == PAIR_FAMILY:
        start_pair(sweep)
    elif sweep.counts[FAMILY] == RADAU_FAMILY:
        start_radau_point(sweep)
    else:
        start_formula(sweep)


@inner
def plan_step(problem, sweep, at):
    """One step."""
    tape = sweep.tape
    h = tape[at + OF_STEP]
    if sweep.counts[FAMILY] == NDF_FAMILY:
        read_stage(problem, sweep, at, 0)
        step_ndf(sweep, h, int(tape[at + FIRST]), tape[at + SECOND])
    elif sweep.counts[FAMILY] == PAIR_FAMILY:
        for k in range(sweep.tableau.shape[1]):
            read_stage(problem, sweep, at, k)
        step_pair(sweep, h)
    elif sweep.counts[FAMILY] == RADAU_FAMILY:
        for k in range(3):
            read_stage(problem, sweep, at, k)
        step_radau(sweep, h)
    else:
        first, table = int(tape[at + FIRST]), int(tape[at + SECOND])
        count = formula_stages(sweep, first)
        for k in range(count):
            read_stage(problem, sweep, at, k)
        step_formula(sweep, h, first, count, table, tape[at + THIRD], tape[at + FOURTH] != 0.0)


@inner
def formula_stages(sweep, first):
    """Stages of a step that begins with stage ``first``: those of the scheme, or of the one that starts it."""
    main = int(sweep.lagged[3])
    return main if first == 0 else int(sweep.lagged[4]) - main


@inner
def plan_chart(problem, sweep, at):
    """A joint is carried to a new chart in all rows that are remembered."""
    tape = sweep.tape
    joint, rows = int(tape[at + FIRST]), int(tape[at + SECOND])
    shift, order, before = tape[at + THIRD], int(tape[at + FOURTH]), tape[at + FIFTH]
    size = 3 * problem.charts[joint, 3]
    poses = at + HEADER + rows * size
    if sweep.counts[FAMILY] == NDF_FAMILY:
        chart_ndf(sweep, tape[at + OF_STEP], before, order, rows, True)
    elif sweep.counts[FAMILY] == FORMULA_FAMILY:
        chart_formula(sweep, shift)
    for k in range(rows):
        add_instruction(sweep, CARRY, k, 0, joint, at + HEADER + k * size, poses, 0.0, 0.0)
    if sweep.counts[FAMILY] == NDF_FAMILY:
        chart_ndf(sweep, 1.0, 1.0, order, rows, False)
    elif sweep.counts[FAMILY] == PAIR_FAMILY:
        chart_pair(sweep)


@inner
def plan_given(problem, sweep, at):
    """A row is given out, in the model's own charts."""
    tape = sweep.tape
    t, h, now, before = tape[at + AT_TIME], tape[at + OF_STEP], tape[at + SECOND], tape[at + THIRD]
    if sweep.counts[FAMILY] == NDF_FAMILY:
        give_ndf(sweep, (t - now) / h if h > 0.0 else 0.0, int(tape[at + FOURTH]))
    elif sweep.counts[FAMILY] == PAIR_FAMILY:
        give_pair(sweep, t, now, before)
    elif sweep.counts[FAMILY] == RADAU_FAMILY:
        give_radau(sweep, t, now, before, tape[at + FIFTH] != 0.0)
    else:
        give_formula(sweep, t, now, before, tape[at + FIFTH] != 0.0)
    first = at + HEADER
    for i in range(problem.charts.shape[0]):
        add_instruction(sweep, CARRY, OUT, 0, i, first, 0, 0.0, 0.0)
        first += 3 * problem.charts[i, 3]
    add_instruction(sweep, GIVE, int(tape[at + FIRST]), 0, 0, 0, 0, 0.0, 0.0)
