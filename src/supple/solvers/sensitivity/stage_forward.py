"""A stage forward, called by its address: who asks for gradients alone, which go backward, does not compile it."""

from __future__ import annotations

from numba import types

from supple.jit import AddressedKernel, Work, calling, stamp_of
from supple.solvers.problem import problem_at
from supple.solvers.sensitivity.arrays import sweep_at
from supple.solvers.sensitivity.parameter_products import ask_followers, push_parameters
from supple.solvers.sensitivity.stage_products import push_stage
from supple.solvers.stage.status import CONVERGED

SIGNATURE = types.int64(*[types.int64] * 5)
call_forward = calling(SIGNATURE)


def _forward(problem_address, sweep_address, s, accelerates, register):
    """Stage s, linearised just before, from BEGIN to a register.  Returns a status."""
    problem, sweep = problem_at(problem_address), sweep_at(sweep_address)
    status = push_parameters(problem, sweep)
    if status == CONVERGED:
        status = ask_followers(problem, sweep)
    if status == CONVERGED:
        push_stage(problem, sweep, s, accelerates != 0, sweep.registers[register])
    return status


FORWARD = AddressedKernel(_forward, SIGNATURE, stamp_of("solvers"), Work.BOOKKEEPING)
