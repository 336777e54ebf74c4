"""A stage and accelerations as the loops of all schemes call them: by address, so that they are compiled once for all.

Newton's method with its factors is most of an implicit scheme: inside every loop, each would compile it again.
"""

from __future__ import annotations

from typing import Any

from numba import types

from supple.core.views import address_of
from supple.jit import AddressedKernel, Work, calling, inner, stamp_of
from supple.solvers.problem import ACCELERATION_AT, STAGE_AT, problem_at
from supple.solvers.stage import acceleration, newton

SIGNATURE = types.int64(types.int64, types.float64, types.float64)
_call = calling(SIGNATURE)


def _stage(problem_address, t, tolerance):
    """`newton.solve_stage` of the problem at an address."""
    return newton.solve_stage(problem_at(problem_address), t, tolerance)


def _acceleration(problem_address, t, baumgarte):
    """`acceleration.accelerate` of the problem at an address."""
    return acceleration.accelerate(problem_at(problem_address), t, baumgarte)


STAGE = AddressedKernel(_stage, SIGNATURE, stamp_of("solvers"), Work.BOOKKEEPING)
ACCELERATION = AddressedKernel(_acceleration, SIGNATURE, stamp_of("solvers"), Work.BOOKKEEPING)


def put_addresses(calls: Any, stages: bool) -> None:
    """Complete the addresses of a problem; ``stages``: whether stages are solved one by one."""
    calls[ACCELERATION_AT] = ACCELERATION.address
    if stages:
        calls[STAGE_AT] = STAGE.address


@inner
def solve_stage(problem, t, tolerance):
    """Solve the stage that begins at q0, v0, a0, z0, at time t (`newton.solve_stage`).  Returns a status."""
    return _call(problem.calls[STAGE_AT], (address_of(problem), t, tolerance))


@inner
def accelerate(problem, t, baumgarte):
    """Accelerations at the problem's q, v, z and time t (`acceleration.accelerate`).  Returns a status."""
    return _call(problem.calls[ACCELERATION_AT], (address_of(problem), t, baumgarte))
