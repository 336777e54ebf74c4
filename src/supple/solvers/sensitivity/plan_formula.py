"""Programs of implicit formulas: registers 0 to 3 are points, 4 the lagged acceleration, stages from 5 on."""

from __future__ import annotations

from supple.jit import inner
from supple.solvers.integrators.formula import LAGGED, POINTS, STAGES
from supple.solvers.integrators.tape import (
    AT_TIME,
    CHARTED,
    FIFTH,
    FIRST,
    FOURTH,
    GIVEN,
    OF_STEP,
    SECOND,
    START,
    STEPPED,
    THIRD,
)
from supple.solvers.problem import problem_at
from supple.solvers.sensitivity.arrays import (
    BEGIN,
    CA_OF,
    CV_OF,
    CZ_OF,
    END,
    OUT,
    RATE,
    A,
    Q,
    V,
    Z,
    sweep_at,
)
from supple.solvers.sensitivity.plans import Planner, begin_plan, carry_rows, give_out, read_stage
from supple.solvers.sensitivity.program import (
    SOLVE,
    add_instruction,
    add_part,
    clear_begin,
    scale_part,
    set_part,
    set_row,
)


@inner
def start_formula(sweep):
    """The one point that is known."""
    for k in range(STAGES):
        set_row(sweep, k, 0.0, END)
    set_row(sweep, 0, 1.0, END)
    set_part(sweep, LAGGED, A, 1.0, END, A)


@inner
def begin_formula(sweep, s, weights, weights_z, h):
    """q0 = sum w_r [q; h v; h^2 a]_r, h v0, h^2 a0 likewise, z0, h z0' = sum w_r [z; h z']_r: where stage s begins.

    As `solvers.integrators.implicit_loop.begin_stage` has it.
    """
    clear_begin(sweep)
    for r in range(weights.shape[1] // 3):
        for kind in range(3):
            unit = 1.0 if kind == 0 else (h if kind == 1 else h * h)
            add_part(sweep, BEGIN, Q, weights[0, 3 * r + kind] * unit, r, kind)
            add_part(sweep, BEGIN, V, weights[1, 3 * r + kind] * unit / h, r, kind)
            add_part(sweep, BEGIN, A, weights[2, 3 * r + kind] * unit / (h * h), r, kind)
    for r in range(weights_z.shape[1] // 2):
        add_part(sweep, BEGIN, Z, weights_z[0, 2 * r], r, Z)
        add_part(sweep, BEGIN, Z, weights_z[0, 2 * r + 1] * h, r, RATE)
        add_part(sweep, BEGIN, RATE, weights_z[1, 2 * r] / h, r, Z)
        add_part(sweep, BEGIN, RATE, weights_z[1, 2 * r + 1], r, RATE)


@inner
def step_formula(sweep, h, first, count, table, ratio, started):
    """All stages of a step, c_v = w / h, c_a = w / h^2, c_z = w / h; the new point, and A = l_0 a_new + l_1 a + l_2 A.

    Before, the lagged acceleration A becomes a + ratio (A - a).
    """
    if ratio != 1.0:
        scale_part(sweep, LAGGED, A, ratio, 1.0 - ratio, 0, A)
    total = int(sweep.lagged[4])
    for s in range(count):
        row, stage = table * total + first + s, sweep.stages[s]
        factors = sweep.stage_factors[row]
        stage[CV_OF], stage[CA_OF], stage[CZ_OF] = factors[1] / h, factors[2] / (h * h), factors[3] / h
        begin_formula(sweep, s, sweep.weights[row], sweep.weights_z[row], h)
        add_instruction(sweep, SOLVE, END if s + 1 == count else STAGES + s, 0, s, 0, 0, 0.0, 0.0)
    if started:
        set_part(sweep, LAGGED, A, 1.0, END, A)
    else:
        scale_part(sweep, LAGGED, A, sweep.lagged[2], sweep.lagged[1], 0, A)
        add_part(sweep, LAGGED, A, sweep.lagged[0], END, A)
    for k in range(POINTS - 1, 0, -1):
        set_row(sweep, k, 1.0, k - 1)
    set_row(sweep, 0, 1.0, END)


@inner
def chart_formula(sweep, shift):
    """The lagged acceleration is carried with q + s v + s^2 a / 2 and v + s a, those of its time, s = ``shift``."""
    set_part(sweep, LAGGED, Q, 1.0, 0, Q)
    add_part(sweep, LAGGED, Q, shift, 0, V)
    add_part(sweep, LAGGED, Q, 0.5 * shift * shift, 0, A)
    set_part(sweep, LAGGED, V, 1.0, 0, V)
    add_part(sweep, LAGGED, V, shift, 0, A)


@inner
def give_formula(sweep, t, now, before, first):
    """As `solvers.integrators.implicit_loop.interpolate` has it: y = h00 y0 + h01 y1 + h (h10 y0' + h11 y1')."""
    if t == now:
        set_row(sweep, OUT, 1.0, 0)
        return
    h = now - before
    x = (t - before) / h
    h00, h10 = (1.0 + 2.0 * x) * (1.0 - x) ** 2, x * (1.0 - x) ** 2
    h01, h11 = x * x * (3.0 - 2.0 * x), x * x * (x - 1.0)
    set_row(sweep, OUT, 0.0, 0)
    for part in range(RATE):
        if part == Q or (part == V and not first):
            add_part(sweep, OUT, part, h00, 1, part)
            add_part(sweep, OUT, part, h01, 0, part)
            add_part(sweep, OUT, part, h * h10, 1, part + 1)
            add_part(sweep, OUT, part, h * h11, 0, part + 1)
        else:
            add_part(sweep, OUT, part, 1.0 - x, 1, part)
            add_part(sweep, OUT, part, x, 0, part)


@inner
def formula_stages(sweep, first):
    """Stages of a step that begins with stage ``first``: those of the scheme, or of the one that starts it."""
    main = int(sweep.lagged[3])
    return main if first == 0 else int(sweep.lagged[4]) - main


def _plan_formula(problem_address, sweep_address, at):
    """The program of an entry of a motion by an implicit formula."""
    problem, sweep = problem_at(problem_address), sweep_at(sweep_address)
    tape, kind = sweep.tape, begin_plan(problem, sweep, at)
    if kind == START:
        start_formula(sweep)
    elif kind == STEPPED:
        first, table = int(tape[at + FIRST]), int(tape[at + SECOND])
        count = formula_stages(sweep, first)
        for k in range(count):
            read_stage(problem, sweep, at, k)
        step_formula(sweep, tape[at + OF_STEP], first, count, table, tape[at + THIRD], tape[at + FOURTH] != 0.0)
    elif kind == CHARTED:
        chart_formula(sweep, tape[at + THIRD])
        carry_rows(problem, sweep, at)
    elif kind == GIVEN:
        give_formula(sweep, tape[at + AT_TIME], tape[at + SECOND], tape[at + THIRD], tape[at + FIFTH] != 0.0)
        give_out(problem, sweep, at)


PLAN = Planner(_plan_formula)
