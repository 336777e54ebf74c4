"""Entries of a tape as programs: what all families of schemes share.

Each family turns its entries into programs by a kernel of its own (`plan_ndf`, `plan_formula`, `plan_pair`,
`plan_radau`), which sweeps call by address: who differentiates motions of one family compiles none of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types

from supple.core.views import address_of
from supple.jit import AddressedKernel, Work, calling, inner, stamp_of
from supple.solvers.integrators.tape import (
    FIRST,
    FORMULA_FAMILY,
    HEADER,
    KIND,
    LATEST,
    NDF_FAMILY,
    PAIR_FAMILY,
    RADAU_FAMILY,
    SECOND,
    STAGE_HEADER,
    START,
)
from supple.solvers.sensitivity.arrays import (
    CA_OF,
    CV_OF,
    CZ_OF,
    END,
    INSTRUCTIONS,
    LATEST_OF,
    OUT,
    P_OF,
    PLAN_AT,
    STAGES_OF,
    STATE_AT,
    TIME_OF,
)
from supple.solvers.sensitivity.program import ACCELERATE, CARRY, GIVE, add_instruction, begin_from, solve_into

#: Addresses of the problem and the sweep, and where on the tape the entry begins.
SIGNATURE = types.void(*[types.int64] * 3)

_call = calling(SIGNATURE)


class Planner(AddressedKernel):
    """The kernel ``plan(problem, sweep, at)`` of a family; only entries of numbers have a program."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, SIGNATURE, stamp_of("solvers"), Work.BOOKKEEPING)


def planner(family: int) -> Planner:
    """That of a family."""
    from supple.solvers.sensitivity import plan_formula, plan_ndf, plan_pair, plan_radau

    planners = {
        NDF_FAMILY: plan_ndf.PLAN,
        FORMULA_FAMILY: plan_formula.PLAN,
        PAIR_FAMILY: plan_pair.PLAN,
        RADAU_FAMILY: plan_radau.PLAN,
    }
    return planners[family]


@inner
def plan(problem, sweep, at):
    """The program of the entry that begins at ``at``, by the planner of the scheme's family."""
    _call(sweep.calls[PLAN_AT], (address_of(problem), address_of(sweep), at))


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
def begin_plan(problem, sweep, at):
    """An empty program; that of a start begins by accelerations at its state.  Returns the kind of the entry.

    The state is that of the caller, or of the newest row.
    """
    sweep.counts[INSTRUCTIONS], sweep.counts[STAGES_OF] = 0, 0
    kind = int(sweep.tape[at + KIND])
    if kind == START:
        read_stage(problem, sweep, at, 0)
        if sweep.tape[at + FIRST] == 0.0:
            begin_from(sweep, 0)  # the newest row is the first register of all families
        solve_into(sweep, END, ACCELERATE)
    return kind


@inner
def carry_rows(problem, sweep, at):
    """A joint is carried to a new chart in all rows that are remembered."""
    joint, rows = int(sweep.tape[at + FIRST]), int(sweep.tape[at + SECOND])
    size = 3 * problem.charts[joint, 3]
    poses = at + HEADER + rows * size
    for k in range(rows):
        add_instruction(sweep, CARRY, k, 0, joint, at + HEADER + k * size, poses, 0.0, 0.0)


@inner
def give_out(problem, sweep, at):
    """OUT, which has been computed, is given out in the model's own charts."""
    first = at + HEADER
    for i in range(problem.charts.shape[0]):
        add_instruction(sweep, CARRY, OUT, 0, i, first, 0, 0.0, 0.0)
        first += 3 * problem.charts[i, 3]
    add_instruction(sweep, GIVE, int(sweep.tape[at + FIRST]), 0, 0, 0, 0, 0.0, 0.0)
