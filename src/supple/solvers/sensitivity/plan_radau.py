"""Programs of Radau IIA: register 0 is the point now, 1 to 3 the stages of the last step, 4 where it began."""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.integrators.radau_arrays import BEFORE, FIRST
from supple.solvers.integrators.radau_tableau import node_polynomial
from supple.solvers.integrators.tape import AT_TIME, CHARTED, FIFTH, GIVEN, OF_STEP, SECOND, START, STEPPED, THIRD
from supple.solvers.problem import problem_at
from supple.solvers.sensitivity.arrays import END, LAMBDA, OUT, RATE, A, Q, R, V, Z, sweep_at
from supple.solvers.sensitivity.plan_motion import give_motion
from supple.solvers.sensitivity.plans import Planner, begin_plan, carry_rows, give_out, read_stage
from supple.solvers.sensitivity.program import COUPLED, add_instruction, add_part, set_row


@inner
def start_radau_point(sweep):
    """The one point that is known."""
    for k in range(BEFORE + 1):
        set_row(sweep, k, 0.0, END)
    set_row(sweep, 0, 1.0, END)


@inner
def step_radau(sweep, h):
    """Three stages at once; the last one is the new point."""
    set_row(sweep, BEFORE, 1.0, 0)
    add_instruction(sweep, COUPLED, FIRST, 0, 0, 0, 0, 0.0, h)
    set_row(sweep, 0, 1.0, FIRST + 2)


@inner
def give_radau(sweep, t, now, before, first):
    """As `solvers.integrators.radau.interpolate` has it."""
    set_row(sweep, OUT, 0.0, 0)
    if t == now:
        set_row(sweep, OUT, 1.0, 0)
        return
    h = now - before
    x = (t - before) / h
    for s in range(4):
        cubic, register = node_polynomial(x, s, 0), BEFORE if s == 0 else FIRST + s - 1
        add_part(sweep, OUT, Z, cubic, register, Z)
        if first:
            add_part(sweep, OUT, Q, cubic, register, Q)
            add_part(sweep, OUT, V, cubic, register, V)
        if s == 0:
            continue
        quadratic = node_polynomial(x, s, 1)
        if first:
            add_part(sweep, OUT, A, quadratic, register, A)
        add_part(sweep, OUT, LAMBDA, quadratic, register, LAMBDA)
        add_part(sweep, OUT, R, quadratic, register, R)
        add_part(sweep, OUT, RATE, quadratic, register, RATE)
    if not first:
        give_motion(sweep, x, h, 0, BEFORE)


def _plan_radau(problem_address, sweep_address, at):
    """The program of an entry of a motion by Radau IIA."""
    problem, sweep = problem_at(problem_address), sweep_at(sweep_address)
    tape, kind = sweep.tape, begin_plan(problem, sweep, at)
    if kind == START:
        start_radau_point(sweep)
    elif kind == STEPPED:
        for k in range(3):
            read_stage(problem, sweep, at, k)
        step_radau(sweep, tape[at + OF_STEP])
    elif kind == CHARTED:
        carry_rows(problem, sweep, at)
    elif kind == GIVEN:
        give_radau(sweep, tape[at + AT_TIME], tape[at + SECOND], tape[at + THIRD], tape[at + FIFTH] != 0.0)
        give_out(problem, sweep, at)


PLAN = Planner(_plan_radau)
