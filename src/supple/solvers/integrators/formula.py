"""Implicit schemes as data: how velocity and acceleration follow from the configuration that a stage looks for.

Within a step of length h, everything is measured in units of q: a velocity stands for h v, an acceleration for h^2 a.
What a stage knows is then a list of vectors alike,

    the points now, one step behind, two, ... :       q, h v, h^2 a of each,
    the lagged acceleration of generalised-alpha:     h^2 A,
    the stages before this one:                       q, h v, h^2 a of each,

and a linear scheme is rows of numbers over this list: with the configuration q that is looked for,

    h v = c_v q + (row) known,     h^2 a = c_a q + (row) known,     h z' = c_z z + (row) known.

Authors write these rows as their paper does, since the members of `Known` are unit vectors of NumPy:
``v = new.q - now.q`` is backward Euler.  They come out exact where they cancel: what multiplies q is subtracted before
q is.

A `Formula` is all that the compiled loop, or an adjoint of it, needs to know of a scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import ModelError

Array = np.ndarray

#: Points that are kept: now, and three behind.
POINTS = 4
#: Row of the lagged acceleration, and the first of stages, behind the rows of points.
LAGGED, STAGES = POINTS, POINTS + 1
#: Most stages of a step.
MOST_STAGES = 8

#: Part of the sum of its terms below which a coefficient is what is left of a difference.
CANCELLED = 1e-14


class Point(NamedTuple):
    """Unit vectors of one point: configuration, velocity, acceleration; of internal states, z and z' are q and v."""

    q: Array
    v: Array
    a: Array


class Known:
    """What formulas are written in: unit vectors of everything that a stage knows, and of what it looks for.

    Attributes
    ----------
    new : Point
        What the stage looks for: ``new.q`` in v and a; ``new.a`` where the next lagged acceleration is told.
    now : Point
        The beginning of the step.
    behind : tuple of Point
        Points before it, the newest first.
    lagged : (k,)
        A lagged acceleration, see `Formula`.
    stages : tuple of Point
        Stages of this step that are already solved.
    """

    def __init__(self) -> None:
        unit = np.eye(3 * (STAGES + MOST_STAGES))
        points = [Point(*unit[3 * k : 3 * k + 3]) for k in range(STAGES + MOST_STAGES)]
        self.now, self.behind = points[0], tuple(points[1:POINTS])
        self.lagged = points[LAGGED].a
        self.stages = tuple(points[STAGES:-1])
        self.new = points[-1]


@dataclass(frozen=True)
class Stage:
    """One stage: an implicit formula for v and a, solved with the robot's equations of motion for q.

    Parameters
    ----------
    v, a : (k,)
        How h v and h^2 a follow from the unknown ``new.q`` and what is known, as sums of members of `Known`.
    guess : (k,)
        Where Newton's method begins, as a sum of what is known.
    z : (k,), optional
        How h z' of internal states follows from z, as ``v`` from q; omitted, as ``v`` does.
    guess_z : (k,), optional
        As ``guess``; omitted, z now.
    at : float
        The time of the stage, as a part of the step; 1 for the last one.
    """

    v: Array
    a: Array
    guess: Array
    z: Array | None = None
    guess_z: Array | None = None
    at: float = 1.0


@dataclass(frozen=True)
class Formula:
    """A step: its stages, of which the last one is its end, and what is remembered of it.

    Parameters
    ----------
    stages : sequence of Stage
    lagged : (k,), optional
        The next lagged acceleration h^2 A, a sum of ``new.a``, ``now.a`` and ``lagged``; omitted, ``new.a``.
    lag : float
        A is the acceleration at t + lag h, so that A - a is proportional to h and is scaled when steps change.
    """

    stages: Sequence[Stage]
    lagged: Array = field(default_factory=lambda: Known().new.a)
    lag: float = 0.0


class Table(NamedTuple):
    """A formula as arrays; see `tabulated`."""

    factors: Array  #: (S, 4): time of the stage in steps, h c_v, h^2 c_a, h c_z
    weights: Array  #: (S, 3, 3 rows): guess of q, h v and h^2 a there, over (q, h v, h^2 a) of all rows
    weights_z: Array  #: (S, 2, 2 rows): guess of z and h z' there, over (z, h z') of all rows
    lagged: Array  #: (3,): next A from the new a, a now, A now
    lag: float
    uses_lagged: bool


def tabulated(formula: Formula, owner: str) -> Table:
    """Arrays of a formula, checked; ``owner`` is the scheme that errors name."""
    known, count = Known(), len(formula.stages)
    if not 1 <= count <= MOST_STAGES:
        raise ModelError(f"{owner}: a step has {count} stages, must have 1 to {MOST_STAGES}")
    factors, weights, weights_z = np.zeros((count, 4)), [], []
    for s, stage in enumerate(formula.stages):
        where = f"{owner}: stage {s + 1}"
        v, a, guess = (_row(x, s, where, name) for x, name in ((stage.v, "v"), (stage.a, "a"), (stage.guess, "guess")))
        z = v if stage.z is None else _row(stage.z, s, where, "z")
        guess_z = known.now.q if stage.guess_z is None else _row(stage.guess_z, s, where, "guess_z")
        c_v, c_a, c_z = (float(x @ known.new.q) for x in (v, a, z))
        if not (c_v > 0.0 and c_a > 0.0 and c_z > 0.0):
            raise ModelError(f"{where}: v, a and z must grow with new.q; they do with {c_v:g}, {c_a:g}, {c_z:g}")
        if guess @ known.new.q or guess_z @ known.new.q:
            raise ModelError(f"{where}: the guess must not hold new.q, which it stands for")
        factors[s] = stage.at, c_v, c_a, c_z
        weights.append([guess, _at(v, c_v, guess, known), _at(a, c_a, guess, known)])
        weights_z.append([guess_z, _at(z, c_z, guess_z, known)])
        _check_motions(stage, v, a, where)
    if factors[-1, 0] != 1.0:
        raise ModelError(f"{owner}: the last stage is at {factors[-1, 0]:g} of the step, must be at its end, 1")
    rows = STAGES + count - 1
    over_z = np.array([3 * r + kind for r in range(rows) for kind in (0, 1)])
    if any(
        stage.z is None and np.any(_row(stage.v, s, owner, "v").reshape(-1, 3)[:, 2])
        for s, stage in enumerate(formula.stages)
    ):
        raise ModelError(f"{owner}: v holds accelerations, so internal states need a formula of their own: give z")
    table = np.array(weights)[:, :, : 3 * rows]
    lagged = np.array([formula.lagged @ x for x in (known.new.a, known.now.a, known.lagged)])
    uses = bool(np.any(table[:, :, 3 * LAGGED + 2]))
    return Table(factors, table, np.array(weights_z)[:, :, over_z], lagged, float(formula.lag), uses)


def _row(given: ArrayLike, stage: int, where: str, name: str) -> Array:
    """A row over what is known, checked."""
    row, size = np.asarray(given, dtype=float), 3 * (STAGES + MOST_STAGES)
    if row.shape != (size,) or not np.isfinite(row).all():
        raise ModelError(f"{where}: {name} must be a sum of members of Known with finite coefficients")
    if np.any(row[3 * (STAGES + stage) : -3]) or np.any(row[-2:]):
        raise ModelError(f"{where}: {name} holds a stage that is not solved yet, or new.v or new.a")
    return row


def _at(row: Array, factor: float, guess: Array, known: Known) -> Array:
    """A formula at the guess, over what is known; sums that cancel are zero."""
    rest = row - factor * known.new.q
    there = factor * guess + rest
    there[np.abs(there) <= CANCELLED * (np.abs(factor * guess) + np.abs(rest))] = 0.0
    return np.asarray(there)


def _check_motions(stage: Stage, v: Array, a: Array, where: str) -> None:
    """A formula must be right where nothing moves, however long the steps were."""
    still = np.tile([1.0, 0.0, 0.0], STAGES + MOST_STAGES)
    still[3 * LAGGED] = 0.0
    errors = abs(float(v @ still)), abs(float(a @ still)), abs(float(stage.guess @ still) - 1.0)
    sizes = np.abs(v).sum(), np.abs(a).sum(), np.abs(stage.guess).sum()
    for name, error, size in zip(("v", "a", "guess"), errors, sizes, strict=True):
        if error > 1e-10 * size:
            raise ModelError(f"{where}: {name} is wrong by {error:.3g} where nothing moves: its coefficients of q")


def diagonally_implicit(tableau: ArrayLike) -> Formula:
    """A diagonally implicit Runge-Kutta scheme with tableau A (S, S) whose last row are the weights of the step.

    Positions are unknown, so rates are written by them: with W = A^-1 and the stages Q_j,

        h Q'_s = sum_j W_sj (Q_j - q),

    and the same for accelerations from velocities.  In the stabilised form of loops, Q' is v and the correction P mu:
    rates of positions, not velocities, must be summed.  Every stage begins with the velocity that the stages before it
    lead to.
    """
    A = np.asarray(tableau, dtype=float)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or np.any(np.triu(A, 1)) or not np.all(np.diag(A) > 0.0):
        raise ModelError("a tableau must be square and lower triangular, with positive entries on its diagonal")
    W, known, stages = np.linalg.inv(A), Known(), []
    points: list[Point] = []
    for s in range(len(A)):
        c = W[s, s]
        past_q = sum((W[s, j] * (points[j].q - known.now.q) for j in range(s)), -c * known.now.q)
        past_v = sum((W[s, j] * (points[j].v - known.now.v) for j in range(s)), -c * known.now.v)
        v = c * known.new.q + past_q
        # where the stages before it lead to, and on from there with the velocity that they lead to
        guess = -(past_q + past_v / c) / c
        stages.append(Stage(v, c * v + past_v, guess, guess_z=-past_q / c, at=float(A[s].sum())))
        points.append(known.stages[s])
    stages[-1] = Stage(stages[-1].v, stages[-1].a, stages[-1].guess, guess_z=stages[-1].guess_z, at=1.0)
    if abs(A[-1].sum() - 1.0) > 1e-12:
        raise ModelError(
            f"the last row of a tableau must add up to 1: the step ends there; it adds up to {A[-1].sum():g}"
        )
    return Formula(stages)


#: Coefficient of SDIRK2, L-stable, of second order.
GAMMA = 1.0 - 1.0 / np.sqrt(2.0)
#: The scheme that makes first steps, and those behind jumps: it needs no acceleration there, which for stiff robots is
#: huge, lasts no time, and would ring in schemes that do not damp.
SDIRK2 = ((GAMMA, 0.0), (1.0 - GAMMA, GAMMA))
