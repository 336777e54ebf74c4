"""Loops and prescribed joints at the level of whole vectors: gathering rows, dropping redundant ones.

The linear algebra here is dense and small: constrained forward dynamics solves

    [ M  -A^T ] [ a      ]   [ tau - ID(q, v, 0) ]
    [ A    0  ] [ lambda ] = [ -(dA/dt) v        ]          with prescribed accelerations moved to the right.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import shown
from supple.compilation.binder import Bound
from supple.errors import ModelError, SingularError, warn

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: A row of the constraint matrix is redundant if what is left of it is below this part of its size.
REDUNDANT = 1e-8
#: ... or below this part of the largest row: a row that is zero but for rounding.
ZERO_ROW = 1e-13
#: How far from the assembled configuration redundancy is judged (coordinates, see `generic_rank`).
GENERIC = 1e-3
#: Conditions worse than one over this leave nothing but rounding in a solution.
EPSILON = float(np.finfo(float).eps)
#: A loop is closed when its error is below this (rad and m).
CLOSED = 1e-10


class LoopTerms(NamedTuple):
    """All rows of all loops at a state."""

    error: Array  #: e, (nc,)
    slip: Array  #: A v, (nc,)
    rate: Array  #: A a + (dA/dt) v, (nc,)
    jacobian: Array  #: A, (nc, n)
    error_derivative: Array  #: de/dq, (nc, n)
    slip_dq: Array  #: d(A v)/dq, (nc, n)
    rate_dq: Array  #: d(rate)/dq, (nc, n)
    rate_dv: Array  #: d(rate)/dv, (nc, n)

    def stabilised(self, T: float) -> tuple[Array, Array, Array]:
        """rate + (2/T) A v + e/T^2 and its derivatives by q and v: Baumgarte with time constant T (0: none)."""
        if T == 0.0:
            return self.rate, self.rate_dq, self.rate_dv
        return (
            self.rate + 2.0 / T * self.slip + self.error / T / T,  # T squared may overflow
            self.rate_dq + 2.0 / T * self.slip_dq + self.error_derivative / T / T,
            self.rate_dv + 2.0 / T * self.jacobian,
        )


class Multipliers:
    """Multipliers of loops: a vector of kept rows, and full wrenches by the loop's name.

    ``np.asarray(m)`` is the (nc,) vector; ``m["top"]`` the wrench [moment; force] (6,) on a in frame B.
    Along a trajectory both have a leading axis of times.
    """

    def __init__(self, values: Array, loops: dict[str, tuple[int, Array]]) -> None:
        self.values = values
        self.loops = loops

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.values, dtype=dtype)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the vector of kept rows."""
        return self.values.shape

    def __getitem__(self, name: str) -> Array:
        try:
            first, perp = self.loops[name]
        except (KeyError, TypeError):
            raise ModelError(f"there is no loop {shown(name)}; loops are: {', '.join(self.loops) or 'none'}") from None
        return np.asarray(self.values[..., first : first + perp.shape[1]] @ perp.T)

    def __repr__(self) -> str:
        if self.values.ndim > 1:  # along a motion
            return f"<Multipliers of {', '.join(self.loops) or 'no loops'}: {self.values.shape}>"
        return f"Multipliers({', '.join(f'{name}={self[name]}' for name in self.loops)})"


def loop_terms(model: Model, q: Array, v: Array, a: Array, loops: tuple[Bound, ...]) -> LoopTerms:
    """Gather the rows of all loops."""
    work = model.workspace
    n, nc = model.n, sum(loop.data.perp.shape[1] for loop in loops)
    vectors, matrices = np.zeros((3, nc)), np.zeros((5, nc, n))
    if loops:
        work.functions.rows_at(work.tree, work.own()[1], q, v, a, vectors, matrices)
    return LoopTerms(*vectors, *matrices)


def loop_error(model: Model, q: ArrayLike) -> Array:
    """e (nc,): how far loops are open, in frame B of each (rad, m)."""
    return _checked_terms(model, q).error


def loop_error_derivative(model: Model, q: ArrayLike) -> Array:
    """de/dq, (nc, n)."""
    return _checked_terms(model, q).error_derivative


def loop_jacobian(model: Model, q: ArrayLike) -> Array:
    """A (nc, n): the relative twist of the frames along constrained axes is A v."""
    return _checked_terms(model, q).jacobian


def loop_rate(model: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """(dA/dt) v, (nc,)."""
    work, check = model.workspace, model.arguments
    q, v = check.state("q", q), check.state("v", v)
    return check.finite(loop_terms(model, q, v, work.zero, model.loops).rate, q=q, v=v)


def _checked_terms(model: Model, q: ArrayLike) -> LoopTerms:
    """Rows of all loops at rest at q, if they are finite."""
    work, check = model.workspace, model.arguments
    q = check.state("q", q)
    terms = loop_terms(model, q, work.zero, work.zero, model.loops)
    check.finite(np.column_stack((terms.error, terms.jacobian, terms.error_derivative)), q=q)
    return terms


def named_multipliers(model: Model, values: Array) -> Multipliers:
    """Multipliers (..., nc) of a model's loops, with their names."""
    return Multipliers(values, {loop.name: (int(loop.data.where[0, 2]), loop.data.perp) for loop in model.loops})


class Rows(NamedTuple):
    """Rows of all loops: those that are kept, and those that hold by themselves, whatever the robot does."""

    kept: list[int]
    idle: list[int]


def independent_rows(model: Model, q: Array, loops: tuple[Bound, ...], fixed: Array) -> Rows:
    """Rows that are independent at a generic point near q, the first of each dependent set kept.

    At q itself a special configuration (a collinear four-bar) could hide rows that hold everywhere else.
    """
    rng = np.random.default_rng(0)
    free = np.setdiff1d(np.arange(model.n), fixed)
    zero = np.zeros(model.n)
    nearby = q + GENERIC * rng.standard_normal(model.n)
    rows = loop_terms(model, nearby, zero, zero, loops).jacobian[:, free]
    rounding = ZERO_ROW * np.linalg.norm(rows, axis=1).max(initial=0.0)
    kept: list[int] = []
    idle: list[int] = []
    basis = np.zeros((0, len(free)))
    for i, row in enumerate(rows):
        if np.linalg.norm(row) <= rounding:
            idle.append(i)
            continue
        rest = row - basis.T @ (basis @ row)
        rest -= basis.T @ (basis @ rest)
        size = np.linalg.norm(rest)
        if size > max(REDUNDANT * float(np.linalg.norm(row)), rounding):
            basis = np.vstack([basis, rest / size])
            kept.append(i)
    return Rows(kept, idle)


def dropped_rows(loops: tuple[Bound, ...], rows: Rows) -> list[int]:
    """How many rows of every loop follow from others, beside those that hold by themselves."""
    staying, counts, first = {*rows.kept, *rows.idle}, [], 0
    for loop in loops:
        own = range(first, first + loop.data.perp.shape[1])
        counts.append(len(own) - len(staying.intersection(own)))
        first += len(own)
    return counts


def keep_rows(loops: tuple[Bound, ...], rows: Rows) -> tuple[Bound, ...]:
    """Loops with redundant rows dropped, and multipliers numbered anew; warns of rows that constrain twice.

    Those that hold by themselves go silently: a planar mechanism has them out of its plane.
    """
    reduced, first, number = [], 0, 0
    for loop, dropped in zip(loops, dropped_rows(loops, rows), strict=True):
        where, perp = loop.data.where, loop.data.perp
        own = range(first, first + perp.shape[1])
        mine = [i - first for i in rows.kept if i in own]
        if dropped:
            warn(
                f"Loop {loop.name!r}: {dropped} of {len(own)} constraint rows follow from others and are dropped; "
                "multipliers are those of the rows that are left"
            )
        first += perp.shape[1]
        where = where.copy()
        where[0, 2] = number
        number += len(mine)
        kept = loop.data._replace(where=where, perp=np.ascontiguousarray(perp[:, mine]))
        reduced.append(loop._replace(data=kept))
    return tuple(reduced)


def solve_constrained(
    M: Array, A: Array, force: Array, rate: Array, free: Array, fixed: Array, given: Array
) -> tuple[Array, Array]:
    """a (n, m) and lambda (nc, m) of M a - A^T lambda = force, A a = rate, with a[fixed] = given.

    The rows of ``fixed`` are dropped; right-hand sides are columns.  The system is scaled by the diagonal of M, since
    the units of coordinates differ.
    """
    n, m = force.shape
    nf, nc = len(free), len(A)
    a = np.zeros((n, m))
    if len(fixed):
        a[fixed] = given
        force, rate = (force - M @ a)[free], rate - A @ a
        M, A = M[np.ix_(free, free)], A[:, free]
    sizes = np.abs(M.diagonal())  # loads that feel accelerations may make it zero or negative
    scale = 1.0 / np.sqrt(np.where(sizes > 0.0, sizes, 1.0))
    rows = A * scale
    sizes = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    sizes[sizes == 0.0] = 1.0
    rows /= sizes[:, None]
    matrix, right = np.zeros((nf + nc, nf + nc)), np.empty((nf + nc, m))
    matrix[:nf, :nf] = scale[:, None] * M * scale
    matrix[:nf, nf:] = -rows.T
    matrix[nf:, :nf] = rows
    right[:nf] = scale[:, None] * force
    right[nf:] = rate / sizes[:, None]
    solution = solve_regular(matrix, right)
    a[free] = scale[:, None] * solution[:nf]
    return a, solution[nf:] / sizes[:, None]


def solve_regular(matrix: Array, right: Array) -> Array:
    """Solution (n, m) of a scaled system; one that is singular to rounding is refused: its solution would be noise."""
    from scipy.linalg import lapack  # type: ignore[import-untyped]

    if not matrix.size:
        return right
    factors, pivots, failed = lapack.dgetrf(matrix)
    if not failed and isfinite(factors.sum()):
        failed = lapack.dgecon(factors, lapack.dlange("1", matrix))[0] < EPSILON
    if failed:
        raise SingularError(
            "the constrained mass matrix is singular: some coordinate moves no inertia, or the loops are in a "
            "configuration where their rows depend on each other"
        )
    return np.asarray(lapack.dgetrs(factors, pivots, right)[0])
