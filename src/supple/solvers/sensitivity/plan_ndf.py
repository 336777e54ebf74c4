"""Programs of numerical differentiation formulas: registers 0 to 7 are the backward differences D."""

from __future__ import annotations

from supple.jit import inner, local_array
from supple.solvers.integrators.ndf import ALPHA, DIFFERENCES, GAMMA
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
    add_part,
    add_row,
    clear_begin,
    set_row,
    solve_into,
)

#: First of eight registers for values in between.
BETWEEN = DIFFERENCES

_matrices = local_array(2, 8, 8)


@inner
def start_ndf_history(sweep, h):
    """Order 1: a point and its rates."""
    for m in range(DIFFERENCES):
        set_row(sweep, m, 0.0, END)
    add_row(sweep, 0, 1.0, END)
    add_part(sweep, 1, Q, h, END, V)
    add_part(sweep, 1, V, h, END, A)
    add_part(sweep, 1, Z, h, END, RATE)


@inner
def rescale_differences(sweep, order, factor):
    """Differences for a step ``factor`` times as long: D <- (R U)^T D."""
    if factor == 1.0:
        return
    work, k = _matrices(), order + 1
    R, U = work[0], work[1]
    for i in range(k):
        for j in range(k):
            R[i, j] = 1.0 if i == 0 else (R[i - 1, j] * (i - 1 - factor * j) / i if j > 0 else 0.0)
            U[i, j] = 1.0 if i == 0 else (U[i - 1, j] * (i - 1 - j) / i if j > 0 else 0.0)
    for i in range(k):
        set_row(sweep, BETWEEN + i, 0.0, 0)
        for l in range(k):
            w = 0.0
            for j in range(k):
                w += R[l, j] * U[j, i]
            add_row(sweep, BETWEEN + i, w, l)
    for i in range(k):
        set_row(sweep, i, 1.0, BETWEEN + i)


@inner
def step_ndf(sweep, h, order, before):
    """Rescale; q0 = sum D_m, v0 = c_v psi_q, a0 = c_v (v0 - v* + psi_v); solve; and with d, solution less prediction,

        D_k+2 = d - D_k+1,   D_k+1 = d,   D_m += D_m+1,   psi = sum gamma_m D_m / alpha_k.
    """
    rescale_differences(sweep, order, h / before)
    c, alpha, stage = ALPHA[order] / h, ALPHA[order], sweep.stages[0]
    stage[CV_OF], stage[CA_OF], stage[CZ_OF] = c, c * c, c
    clear_begin(sweep)
    for m in range(order + 1):
        psi = c * GAMMA[m] / alpha
        add_part(sweep, BEGIN, Q, 1.0, m, Q)
        add_part(sweep, BEGIN, V, psi, m, Q)
        add_part(sweep, BEGIN, A, c * psi, m, Q)
        add_part(sweep, BEGIN, A, psi - c, m, V)
        add_part(sweep, BEGIN, Z, 1.0, m, Z)
        add_part(sweep, BEGIN, RATE, psi, m, Z)
    solve_into(sweep, END, SOLVE)
    for m in range(order + 1):
        add_row(sweep, END, -1.0, m)  # now the correction
    set_row(sweep, order + 2, -1.0, order + 1)
    add_row(sweep, order + 2, 1.0, END)
    set_row(sweep, order + 1, 1.0, END)
    for m in range(order, -1, -1):
        add_row(sweep, m, 1.0, m + 1)


@inner
def swap_differences(sweep, rows):
    """Differences become values at points back, and these become differences again."""
    for i in range(1, rows):
        for j in range(rows - 1, i - 1, -1):
            add_negated(sweep, j)


@inner
def add_negated(sweep, j):
    """D_j = D_(j-1) - D_j."""
    set_row(sweep, BETWEEN, -1.0, j)
    set_row(sweep, j, 1.0, j - 1)
    add_row(sweep, j, 1.0, BETWEEN)


@inner
def give_ndf(sweep, x, order):
    """D_0 + sum over j >= 1 of D_j x (x + 1) ... (x + j - 1) / j!: that of the step, at x steps from its end."""
    set_row(sweep, OUT, 1.0, 0)
    p = 1.0
    for j in range(order):
        p *= (x + j) / (j + 1)
        add_row(sweep, OUT, p, j + 1)


def _plan_ndf(problem_address, sweep_address, at):
    """The program of an entry of a motion by NDF."""
    problem, sweep = problem_at(problem_address), sweep_at(sweep_address)
    tape, kind = sweep.tape, begin_plan(problem, sweep, at)
    h = tape[at + OF_STEP]
    if kind == START:
        start_ndf_history(sweep, h)
    elif kind == STEPPED:
        read_stage(problem, sweep, at, 0)
        step_ndf(sweep, h, int(tape[at + FIRST]), tape[at + SECOND])
    elif kind == CHARTED:
        rows, order = int(tape[at + SECOND]), int(tape[at + FOURTH])
        rescale_differences(sweep, order, h / tape[at + FIFTH])
        swap_differences(sweep, rows)
        carry_rows(problem, sweep, at)
        swap_differences(sweep, rows)
    elif kind == GIVEN:
        give_ndf(sweep, (tape[at + AT_TIME] - tape[at + SECOND]) / h if h > 0.0 else 0.0, int(tape[at + FOURTH]))
        give_out(problem, sweep, at)


PLAN = Planner(_plan_ndf)
