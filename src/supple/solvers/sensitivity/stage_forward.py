"""A stage forward, called by its address: who asks for gradients alone, which go backward, does not compile it."""

from __future__ import annotations

from numba import types

from supple.jit import AddressedKernel, calling, stamp_of
from supple.solvers.problem import problem_at
from supple.solvers.sensitivity.arrays import sweep_at
from supple.solvers.sensitivity.stage_products import push_stage

SIGNATURE = types.void(*[types.int64] * 5)
call_forward = calling(SIGNATURE)


def _forward(problem_address, sweep_address, s, accelerates, register):
    """Stage s, linearised just before, from BEGIN to a register."""
    sweep = sweep_at(sweep_address)
    push_stage(problem_at(problem_address), sweep, s, accelerates != 0, sweep.registers[register])


FORWARD = AddressedKernel(_forward, SIGNATURE, stamp_of("solvers"))
