"""One step of Radau IIA from a state, as a run makes its first: start, charts, three stages; nothing is remembered."""

from __future__ import annotations

from supple.jit import kernel
from supple.solvers.integrators import radau
from supple.solvers.integrators.error_control import set_weights, share_weights
from supple.solvers.integrators.radau_arrays import FACTORED, NOW, own_at
from supple.solvers.integrators.radau_stages import solve_stages
from supple.solvers.integrators.rows import copy_row
from supple.solvers.integrators.run import DONE, END_TIME, FAILURE, NEWTON, RTOL, TIME, run_at
from supple.solvers.problem import problem_at
from supple.solvers.stage.acceleration import accelerate
from supple.solvers.stage.status import CONVERGED


@kernel
def radau_step(problem_table, run_table, own_table, rows, directions):
    """One step from the problem's q, v, z at TIME to END_TIME, whatever its error.

    ``rows`` (4, N) receives the beginning and every stage, ``directions`` (3, n, nc) the P that all stages share.
    Returns DONE or a failure.
    """
    problem, run = problem_at(problem_table.ctypes.data), run_at(run_table.ctypes.data)
    own = own_at(own_table.ctypes.data)
    t, h, n = run.reals[TIME], run.reals[END_TIME] - run.reals[TIME], problem.q.shape[0]
    status = accelerate(problem, t, 0.0)
    if status != CONVERGED:
        return FAILURE + status
    radau.begin(problem, run, own)
    radau.recentre(problem, run, own)
    now, first = own.memory[NOW], 3 * n + problem.multipliers.shape[0]
    copy_row(now, rows[0])
    own.numbers[FACTORED] = 0.0
    set_weights(problem, run.reals[RTOL], run.atol, now[:n], now[n : 2 * n], now[first : first + problem.z.shape[0]])
    share_weights(problem)
    status = solve_stages(problem, 0, own, t, h, run.reals[NEWTON])
    if status == CONVERGED:
        status = radau.collect(problem, run, own, t, h)
    if status != CONVERGED:
        return FAILURE + status
    for s in range(3):
        copy_row(own.trial[s], rows[s + 1])
        for i in range(n):
            for k in range(directions.shape[2]):
                directions[s, i, k] = problem.P[i, k]
    return DONE
