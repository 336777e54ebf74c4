"""The linear system of small changes about a state of rest, from one call of compiled code.

At rest R(q, u, lambda) = 0 in the free coordinates and e(q) = 0 in the loops; small changes of both meet

    [ K_ff  -A_f^T ]
    [ E_f    0     ],      K = dR/dq,  E = de/dq,

whose entries differ by ten orders of magnitude before they are balanced.  Whether the state is surely stable is told
in passing (`solvers.statics.stability`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core.input_forces import call_input_columns
from supple.core.loops import call_constraint_rows
from supple.core.residual import call_residual
from supple.core.residual_jacobians import call_residual_jacobians
from supple.jit import kernel
from supple.solvers.statics.stability import NEEDS_RATES, STABLE, balance_and_test

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.statics.equilibrium import Equilibrium

Array = np.ndarray

#: Entries of ``calls``: addresses of the residual, of its Jacobians (0 if its tangent is enough), of the rows of loops,
#: of the derivatives by inputs (0 if there are none).
RESIDUAL_AT, JACOBIANS_AT, ROWS_AT, COLUMNS_AT = 0, 1, 2, 3
#: What the kernel returns where K or R is not finite.
NOT_FINITE = -1


class RestSystem(NamedTuple):
    """The matrix [K, -A^T; E, 0] of the free coordinates and the multipliers, what it is made of; what inputs do."""

    K: Array  #: (n, n) dR/dq
    A: Array  #: (nc, n) rows of loops, velocities
    E: Array  #: (nc, n) de/dq
    by_input: Array  #: (nu, n) dR/du, transposed; (0, n) if it was not asked for
    matrix: Array  #: (nf + nc, nf + nc) with entries of about one
    scale: Array  #: (nf + nc,) by which rows and columns were multiplied
    norm: float  #: largest sum of the sizes of a row
    told: int  #: what `solvers.statics.stability.balance_and_test` tells

    @property
    def stable(self) -> bool:
        """Whether small motions surely die away, or have a potential with a minimum there."""
        return self.told == STABLE


class Scratch(NamedTuple):
    """Arrays that no result is made of, and that are written before they are read."""

    calls: Array  #: (4,) int64
    residual: Array  #: (n,)
    rates: Array  #: (2, n, n) dR/dv and dR/da; (0, n, n) without
    vectors: Array  #: (3, nc), see core.loops
    norm: Array  #: (1,)
    rows: Array  #: (2, nf + nc), as `balance_and_test` takes them
    sizes: Array  #: (nf + nc, nf + nc)
    space: Array  #: (3, nf + nc, nf)


def rest_system(equilibrium: Equilibrium, with_inputs: bool = True) -> RestSystem:
    """That of an equilibrium, whose numbers have been checked when it was found.

    Without inputs, what these do is left out, (0, n): nobody compiles it who asks for stability alone.
    """
    model = equilibrium.model
    nu = model.nu if with_inputs else 0
    trusted = not model.demand.implicit  # loads that feel accelerations may make M indefinite
    # with loops, stability often takes all three Jacobians, which cost little more than one
    found = _linearised(equilibrium, nu, with_rates=trusted and bool(model.nc))
    return _linearised(equilibrium, nu, with_rates=True) if found.told == NEEDS_RATES and trusted else found


def _linearised(equilibrium: Equilibrium, nu: int, with_rates: bool) -> RestSystem:
    """The system with nu inputs (all or none), its stability told with or without damping and mass."""
    model, q, free = equilibrium.model, equilibrium.q, equilibrium.model.free_coordinates
    n, nc, m, work, check = model.n, model.nc, len(free) + model.nc, model.workspace, model.arguments
    scratch = work.remembered("rest", (n, m, nu, with_rates), lambda: _make_scratch(model, nu, with_rates), 2)
    space = work.space(equilibrium.u, equilibrium.t, equilibrium.multipliers.values if nc else None)
    K, by_input, matrices = np.empty((n, n)), np.empty((nu, n)), np.zeros((5, nc, n))
    matrix, scale = np.empty((m, m)), np.empty(m)
    at = work.tree, space, check.state("q", q), work.zero, free
    status = linearise_at_rest(*at, K, by_input, matrices, matrix, scale, *scratch)
    if status == NOT_FINITE:
        check.finite(np.vstack((scratch.residual, K)), q=q)
    A, E, norm = matrices[0], matrices[1], float(scratch.norm[0])
    return RestSystem(K, A, E, by_input, matrix, scale, norm, status)


def _make_scratch(model: Model, nu: int, with_rates: bool) -> Scratch:
    n, nf, nc, functions = model.n, len(model.free_coordinates), model.nc, model.workspace.functions
    m = nf + nc
    jacobians, rows = functions.jacobians if with_rates else 0, functions.rows if nc else 0
    calls = functions.residual, jacobians, rows, functions.input_columns if nu else 0
    return Scratch(
        calls=np.array(calls, dtype=np.int64),
        residual=np.zeros(n),
        rates=np.zeros((2 if with_rates else 0, n, n)),
        vectors=np.zeros((3, nc)),
        norm=np.zeros(1),
        rows=np.zeros((2, m)),
        sizes=np.zeros((m, m)),
        space=np.zeros((3, m, nf)),
    )


@kernel
def linearise_at_rest(
    tree,
    handle,
    q,
    zero,
    free,
    K,
    by_input,
    matrices,
    matrix,
    scale,
    calls,
    residual,
    rates,
    vectors,
    norm,
    rows,
    sizes,
    space,
):
    """K, dR/du, rows of loops and the balanced system at (q, 0, 0).

    Returns what `balance_and_test` tells, or `NOT_FINITE`.

    ``handle`` is that of the scratch of the robot, with inputs, signals and multipliers in it.
    """
    at = (tree.ctypes.data, handle.ctypes.data, q.ctypes.data, zero.ctypes.data, zero.ctypes.data)
    apart = rates.shape[0] > 0
    if apart:
        into = (residual.ctypes.data, K.ctypes.data, rates[0].ctypes.data, rates[1].ctypes.data)
        finite = call_residual_jacobians(calls[JACOBIANS_AT], (*at, *into))
    else:
        finite = call_residual(calls[RESIDUAL_AT], (*at, 0.0, 0.0, residual.ctypes.data, K.ctypes.data))
    if finite == 0:
        return NOT_FINITE
    if matrices.shape[1] > 0:
        into_rows = (tree.ctypes.data, handle.ctypes.data, vectors.ctypes.data, matrices.ctypes.data)
        call_constraint_rows(calls[ROWS_AT], into_rows)
    if by_input.shape[0] > 0:
        call_input_columns(calls[COLUMNS_AT], (*at[:4], by_input.ctypes.data))  # last: it overwrites wrenches
    C, M = (rates[0], rates[1]) if apart else (K[:0], K[:0])
    return balance_and_test(K, matrices[0], matrices[1], C, M, free, matrix, norm, scale, rows, sizes, space)
