"""Derivatives of accelerations with loops, prescribed joints, or loads that feel accelerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core import constrained_derivatives as _constrained
from supple.core.articulated import SOLVED
from supple.model.balance import Given, State, allowed_columns, balance
from supple.model.constraints import loop_terms
from supple.model.dynamics import residual_blocks
from supple.model.results import AccelerationDerivatives

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


class HeldDerivatives(NamedTuple):
    """Derivatives of accelerations, and what loops say of the state that they are at."""

    accelerations: AccelerationDerivatives
    rows: Array  #: (nc, n) A
    turning: Array  #: (nc, n) d(A v)/dq


def held_derivatives(model: Model, state: State, baumgarte: float, fleeting: bool = False) -> HeldDerivatives:
    """da/dq, da/dv, da/du at a state that was checked, u among it; ``baumgarte`` as in `forward_dynamics`.

    If ``fleeting``, the first two may be overwritten by the next call of this thread.
    One kernel does it all, unless loads feel accelerations or coordinates follow others; where rows of loops may
    depend on each other, or something is not finite, the dense system tells better.
    """
    found = None if model.demand.implicit or model.dense else _compiled(model, state, baumgarte, fleeting)
    return _dense(model, state, baumgarte) if found is None else found


def _compiled(model: Model, state: State, baumgarte: float, fleeting: bool = False) -> HeldDerivatives | None:
    """All of it by one kernel; None if that is in doubt."""
    work, n, nc = model.workspace, model.n, model.nc
    q, v, u, t, z = state
    # scratch is kept: memory that is new to the process costs as much as a tenth of the kernel's work
    out, loops = work.remembered("derivatives", "constrained", lambda: _scratch(model), 1)
    rows, du = np.empty((5, nc, n)), np.empty((n, model.nu))
    calls, space = work.constrained_calls, work.scratch(t, z)
    if not calls[_constrained.OPERATIONS]:
        out[3 * n] = Given(model, t).a
    status = _constrained.constrained_derivatives(calls, space, q, v, u, t, baumgarte, out, du, rows, loops)
    if status != SOLVED:
        return None
    dq, dv = out[:n], out[n : 2 * n]
    if not fleeting:
        dq, dv = dq.copy(), dv.copy()
    return HeldDerivatives(tuple.__new__(AccelerationDerivatives, (dq, dv, du)), rows[0], rows[2])


def _scratch(model: Model) -> tuple[Array, Array]:
    """What the kernel works in beside its results."""
    n, nc = model.n, model.nc
    return np.empty((5 * n + 2, n)), np.empty((n + nc + 3 + max(n, model.nu), nc))


def _dense(model: Model, state: State, baumgarte: float) -> HeldDerivatives:
    """The same by the Jacobians and the dense system of M and the rows of loops."""
    check, n, fixed = model.arguments, model.n, model.fixed_coordinates
    q, v, u, t, z = state
    motion = balance(model, state, baumgarte, Given(model, t))
    by_q, by_v, by_a, by_u = residual_blocks(model, q, v, motion.a, u, motion.multipliers, t, z)
    terms = loop_terms(model, q, v, motion.a, model.loops)
    force = -np.hstack([by_q, by_v, by_u])
    _, rate_dq, rate_dv = terms.stabilised(baumgarte)
    rate = -np.hstack([rate_dq, rate_dv, np.zeros((model.nc, model.nu))])
    M = by_a if model.demand.implicit else None
    a, _ = allowed_columns(model, q, M, terms.jacobian, force, rate, model.workspace.free)
    dq, dv, du = (np.ascontiguousarray(part) for part in np.split(a, [n, 2 * n], axis=1))
    dq[:, fixed], dv[:, fixed] = 0.0, 0.0
    for block in (dq, dv, du):
        check.finite(block, q=q, v=v)
    return HeldDerivatives(AccelerationDerivatives(dq, dv, du), terms.jacobian, terms.slip_dq)
