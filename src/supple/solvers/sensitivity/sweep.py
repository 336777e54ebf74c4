"""Along a tape, forward with variations or backward with cotangents: one compiled loop for all schemes.

Entries that only Python understands (feedback that was sampled) end the loop; it is entered again behind them.
"""

from __future__ import annotations

from functools import partial

from supple.core.records import pose_t
from supple.core.views import address_of
from supple.jit import Work, calling, inner, kernel, local_array, local_record
from supple.solvers.integrators.tape import CHARTED, FIRST, HEADER, KIND, SAMPLED, SECOND
from supple.solvers.problem import FEEDBACK, TREE_AT, problem_at
from supple.solvers.sensitivity.arrays import (
    COUPLED_AT,
    COUPLED_SIGNATURE,
    FORWARD_AT,
    INSTRUCTIONS,
    LATEST_OF,
    MET,
    MOST_STAGES,
    MOVES_AT,
    OUT,
    POWER_AT,
    STAGES_OF,
    TIME_OF,
    sweep_at,
)
from supple.solvers.sensitivity.chart_moves import call_chart_moves
from supple.solvers.sensitivity.parameter_products import ask_followers, push_placement
from supple.solvers.sensitivity.plans import plan
from supple.solvers.sensitivity.program import ACCELERATE, CARRY, COMBINE, COUPLED, GIVE, combine
from supple.solvers.sensitivity.stage_forward import call_forward
from supple.solvers.sensitivity.stage_products import add_parameters, pull_back_inputs, pull_back_stage
from supple.solvers.sensitivity.stage_tangents import linearise_stage
from supple.solvers.stage.status import CONVERGED

#: See `solvers.sensitivity.coupled_stages`, which is compiled when a motion of Radau IIA is differentiated.
call_coupled_stages = calling(COUPLED_SIGNATURE)

_joint, _pose = local_array(18), local_record(pose_t)
_rotation, _position = local_array(3, 3), local_array(3)


@inner
def run_stage(problem, sweep, k, backward):
    """Run one SOLVE or ACCELERATE.  Returns a status."""
    codes = sweep.codes[k]
    accelerates, s, end = codes[0] == ACCELERATE, codes[3], sweep.registers[codes[1]]
    nu = sweep.power.shape[0]
    status = linearise_stage(problem, sweep, s, accelerates, not backward or problem.flags[FEEDBACK] != 0)
    if status != CONVERGED:
        return status
    if backward:
        for u in range(nu):
            sweep.power[u] = 0.0
        status = pull_back_stage(problem, sweep, s, accelerates, end)
        if status == CONVERGED and sweep.calls[POWER_AT] != 0:
            pull_back_inputs(problem, sweep)
        if status == CONVERGED:
            status = add_parameters(problem, sweep)
        if status == CONVERGED:
            status = ask_followers(problem, sweep)
    else:
        at = (address_of(problem), address_of(sweep), s, 1 if accelerates else 0, codes[1])
        status = call_forward(sweep.calls[FORWARD_AT], at)
    if status != CONVERGED:
        return status
    sweep.times[sweep.counts[MET]] = min(sweep.stages[s, TIME_OF], sweep.stages[s, LATEST_OF])
    sweep.counts[MET] += 1
    return CONVERGED


@inner
def run_coupled(problem, sweep, k, backward):
    """Run one COUPLED.  Returns a status."""
    at = (address_of(problem), address_of(sweep), sweep.codes[k, 1], sweep.factors[k, 1], 1 if backward else 0)
    return call_coupled_stages(sweep.calls[COUPLED_AT], at)


@inner
def carry(problem, sweep, k, backward):
    """(q, v, a) = J (q, v, a) of a joint in another chart, J^T backward: run one CARRY."""
    codes, n = sweep.codes[k], problem.q.shape[0]
    joint, register, J = codes[3], sweep.registers[codes[1]], sweep.move
    b, start, size = problem.charts[joint, 0], problem.charts[joint, 1], problem.charts[joint, 3]
    if codes[5] == 0:
        old, new = problem.placement[b : b + 1].ctypes.data, problem.home[b : b + 1].ctypes.data
    else:
        old = sweep.tape.ctypes.data + 8 * codes[5]
        new = old + 8 * 12
    motion = sweep.tape.ctypes.data + 8 * codes[4]
    call_chart_moves(sweep.calls[MOVES_AT], (problem.calls[TREE_AT], b, old, new, motion, J.ctypes.data))
    x = _joint()
    for i in range(3 * size):
        x[i] = 0.0
        for j in range(3 * size):
            at = (j // size) * n + start + j % size
            x[i] += (J[j, i] if backward else J[i, j]) * register[at]
    for i in range(3 * size):
        register[(i // size) * n + start + i % size] = x[i]


@inner
def give(sweep, k, backward):
    """Run one GIVE: a row of results is taken, or its cotangent put."""
    number, out = sweep.codes[k, 1], sweep.registers[OUT]
    row = sweep.given[number if number >= 0 else sweep.given.shape[0] - 1]
    if backward:
        for i in range(out.shape[0]):
            out[i] = row[i] if i < row.shape[0] else 0.0
    else:
        for i in range(row.shape[0]):
            row[i] = out[i]


@inner
def run_program(problem, sweep, backward):
    """All instructions, from the end if ``backward``.  Returns a status."""
    count = sweep.counts[INSTRUCTIONS]
    for i in range(count):
        k = count - 1 - i if backward else i
        code = sweep.codes[k, 0]
        if code == COMBINE:
            combine(problem, sweep, k, backward)
        elif code == CARRY:
            carry(problem, sweep, k, backward)
        elif code == GIVE:
            give(sweep, k, backward)
        else:
            coupled = code == COUPLED
            status = run_coupled(problem, sweep, k, backward) if coupled else run_stage(problem, sweep, k, backward)
            if status != CONVERGED:
                return status
    return CONVERGED


@inner
def place_chart(problem, sweep, at, backward):
    """The chart of a joint before it was re-centred (``backward``), or after."""
    tape = sweep.tape
    joint, rows = int(tape[at + FIRST]), int(tape[at + SECOND])
    pose = problem.placement[problem.charts[joint, 0]]
    first = at + HEADER + rows * 3 * problem.charts[joint, 3] + (0 if backward else 12)
    old = _pose()
    for i in range(3):
        for j in range(3):
            old.R[i, j], pose.R[i, j] = pose.R[i, j], tape[first + 3 * i + j]
        old.p[i], pose.p[i] = pose.p[i], tape[first + 9 + i]
    if sweep.placement_sums.shape[0] > 0:
        bar = sweep.placement_sums[problem.charts[joint, 0]]
        if backward:
            move_placement(bar, pose, old)
        else:
            push_placement(bar, old, pose)


@inner
def move_placement(bar, before, after):
    """Cotangents of a chart's place, from those of the chart after a change to those of the one before.

    after = before rel with a constant rel, so R_bar <- R_bar rel.R^T + p_bar rel.p^T, and p_bar stays.
    """
    R, p = _rotation(), _position()
    for i in range(3):
        p[i] = 0.0
        for k in range(3):
            p[i] += before.R[k, i] * (after.p[k] - before.p[k])
    for i in range(3):
        for j in range(3):
            R[i, j] = bar.p[i] * p[j]
            for k in range(3):
                rel = before.R[0, j] * after.R[0, k] + before.R[1, j] * after.R[1, k] + before.R[2, j] * after.R[2, k]
                R[i, j] += bar.R[i, k] * rel
    for i in range(3):
        for j in range(3):
            bar.R[i, j] = R[i, j]


@partial(kernel, work=Work.BOOKKEEPING)
def sweep_tape(problem_table, sweep_table, position, backward, state):
    """From a position on the tape to its end, or backward to its beginning, or to an entry of Python's.

    Returns a status; state (2,) is where the sweep has come to, and the entry that ended it (-1: none).
    """
    problem, sweep = problem_at(problem_table.ctypes.data), sweep_at(sweep_table.ctypes.data)
    tape = sweep.tape
    state[1] = -1
    while (position > 0) if backward else (position < tape.shape[0]):
        at = position - int(tape[position - 1]) if backward else position
        after = at if backward else at + int(tape[at])
        if tape[at + KIND] == SAMPLED or sweep.counts[MET] + MOST_STAGES > sweep.times.shape[0]:
            state[0], state[1] = (after, at) if tape[at + KIND] == SAMPLED else (position, -1)
            return CONVERGED
        plan(problem, sweep, at)
        status = run_program(problem, sweep, backward)
        if status != CONVERGED:
            state[0], state[1] = position, at
            return status
        if tape[at + KIND] == CHARTED:
            place_chart(problem, sweep, at, backward)
        position = after
    state[0] = position
    return CONVERGED


@partial(kernel, work=Work.BOOKKEEPING)
def stage_times(problem_table, sweep_table, position):
    """Times of the laws of all stages that a forward sweep from a position meets.  Returns how many they are."""
    problem, sweep = problem_at(problem_table.ctypes.data), sweep_at(sweep_table.ctypes.data)
    tape, count = sweep.tape, 0
    while position < tape.shape[0]:
        if tape[position + KIND] == SAMPLED or count + MOST_STAGES > sweep.times.shape[0]:
            break
        plan(problem, sweep, position)
        for s in range(sweep.counts[STAGES_OF]):
            sweep.times[count] = min(sweep.stages[s, TIME_OF], sweep.stages[s, LATEST_OF])
            count += 1
        position += int(tape[position])
    return count

