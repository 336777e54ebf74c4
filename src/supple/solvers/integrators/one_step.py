"""One step of a formula from a state, as a run makes its first: start, charts, stages; nothing is remembered.

What a derivative of the step needs is written down: the rows of its stages, and the directions P in which loops
correct positions (`solvers.problem`) of every stage.
"""

from __future__ import annotations

from supple.jit import kernel
from supple.solvers.integrators import implicit_loop
from supple.solvers.integrators.formula import STAGES
from supple.solvers.integrators.implicit_loop import AT, MAIN_STAGES, STARTED, begin_stage, newton_weights
from supple.solvers.integrators.rows import copy_row, write_row
from supple.solvers.integrators.run import DONE, END_TIME, FAILURE, NEWTON, TIME, run_at
from supple.solvers.problem import problem_at
from supple.solvers.stage.calls import accelerate, solve_stage
from supple.solvers.stage.status import CONVERGED


@kernel
def implicit_step(problem_table, run_table, own_table, rows, directions):
    """One step of a formula from the problem's q, v, z at TIME to END_TIME.

    ``rows`` (S + 1, N) receives the beginning and every stage, ``directions`` (S, n, nc) P of every stage.  Returns
    DONE or a failure.
    """
    problem, run = problem_at(problem_table.ctypes.data), run_at(run_table.ctypes.data)
    own = implicit_loop.own_at(own_table.ctypes.data)
    t, h = run.reals[TIME], run.reals[END_TIME] - run.reals[TIME]
    status = accelerate(problem, t, 0.0)
    if status != CONVERGED:
        return FAILURE + status
    implicit_loop.begin(problem, run, own)
    implicit_loop.recentre(problem, run, own)
    copy_row(own.memory[0], rows[0])
    first, count = 0, int(own.settings[MAIN_STAGES])
    if own.settings[STARTED] > 0.0:
        first, count = count, own.factors.shape[0] - count
    newton_weights(problem, own.settings, own.memory[0], h)
    for i in range(problem.before.shape[0]):
        problem.before[i] = own.memory[0, i]
    for s in range(count):
        begin_stage(problem, own, first + s, h)
        status = solve_stage(problem, t + own.factors[first + s, AT] * h, run.reals[NEWTON])
        if status != CONVERGED:
            return FAILURE + status
        write_row(problem, rows[s + 1])
        if s + 1 < count:
            copy_row(rows[s + 1], own.memory[STAGES + s])
            copy_row(problem.rates, own.rates[STAGES + s])
        for i in range(directions.shape[1]):
            for k in range(directions.shape[2]):
                directions[s, i, k] = problem.P[i, k]
    return DONE
