"""Closing a robot: coordinates at which all loops hold.

Newton steps of least norm on e(q) = 0, halved while the error grows,

    q <- q - part E^+ e,    E = de/dq,    part = min(1, 0.5 / max |E^+ e|) / 2^k.

Where they lead nowhere (all bars on one line, a straight rod whose ends are pushed together: the error has no slope in
the direction that would close it) they begin again at places around, the same ones at every call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.compilation.binder import Bound, pose_records
from supple.errors import ConvergenceError
from supple.model.constraints import CLOSED, Rows, dropped_rows, loop_terms
from supple.model.open_loops import dropped_gap, is_wide_open, with_all_rows

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Newton steps from one start.
ASSEMBLY_STEPS = 100
#: Longest change of a coordinate in one of them.
LONGEST = 0.5
#: Singular values of de/dq below this part of the largest count as zero.
RANK = 1e-10
#: An error (rad, m) that is rounding alone: a step from there would only move what is exact.
ROUNDED = 1e-15
#: How far around a first guess further starts lie (coordinates, standard deviation).
SPREADS = (0.0, 0.1, 0.3, 0.6, 1.0, 1.5)
#: Frames that a closed loop leaves turned against each other by more than this [rad] are turned back, see `loop_turns`.
HALF_TURN = 0.75 * np.pi


class ClosingStep(NamedTuple):
    """A step that a search made."""

    q: Array  #: (n,) where it began
    part: float  #: of the step of least norm
    shortened: bool  #: whether because it was longer than `LONGEST`


def assemble(model: Model, q0: Array, loops: tuple[Bound, ...], fixed: Array) -> Array:
    """Coordinates near q0 that close the loops; ``fixed`` ones stay put.  Raises an error that names the worst loop.

    Where the rows that are left lead nowhere, or to where a loop is open by dropped ones, all rows are asked.
    """
    try:
        return closing(model, q0, loops, fixed)[0]
    except ConvergenceError:
        whole = with_all_rows(model)
        if whole is model:
            raise
        return closing(whole, q0, whole.loops, fixed)[0]


def closing(model: Model, q0: Array, loops: tuple[Bound, ...], fixed: Array) -> tuple[Array, tuple[ClosingStep, ...]]:
    """`assemble`, and the steps by which it came there, from q0 or another place that is as far from it at any q0."""
    rng = np.random.default_rng(0)
    errors, gap, name = list[Array](), 0.0, ""
    for spread in SPREADS:
        start = q0 + spread * rng.standard_normal(model.n)
        start[fixed] = q0[fixed]
        q, error, steps = _close(model, start, loops, fixed)
        if np.linalg.norm(error) < CLOSED:
            if not is_wide_open(model, q):
                return q, steps
            gap, name = dropped_gap(model, q)
        else:
            errors.append(error)
    if not errors:
        raise ConvergenceError(
            f"Loop {name!r} cannot be closed: {gap:.3g} (rad, m) are left by rows that follow from others where the "
            "robot is assembled; start nearer to there, from assemble()"
        )
    raise _cannot_be_closed(
        min(errors, key=lambda error: float(np.nan_to_num(np.linalg.norm(error), nan=np.inf))), loops
    )


def assemble_anywhere(model: Model, loops: tuple[Bound, ...], fixed: Array) -> Array:
    """Some closed configuration, looked for from rest, with prescribed joints where their laws begin."""
    given = model.rest.copy()
    for joint in model.prescribed:
        given[joint.coordinates.start : joint.coordinates.stop] = joint.motion(0.0)[0]
    return assemble(model, given, loops, fixed)


def _close(
    model: Model, q0: Array, loops: tuple[Bound, ...], fixed: Array
) -> tuple[Array, Array, tuple[ClosingStep, ...]]:
    """Where a search from one start ends: coordinates, the errors (nc,) that are left there, and its steps.

    A search that moved makes a step from the first place that counts as closed, too: else what is left there, up to
    `CLOSED` over the least singular value of de/dq, would jump with the number of steps.
    """
    q, free, closed = q0.copy(), np.setdiff1d(np.arange(model.n), fixed), False
    zero = np.zeros(model.n)
    terms = loop_terms(model, q, zero, zero, loops)
    steps: list[ClosingStep] = []
    for _ in range(ASSEMBLY_STEPS):
        size = np.linalg.norm(terms.error)
        if closed or size <= ROUNDED or not np.isfinite(size):
            break
        closed = bool(size < CLOSED)
        if closed and not steps:
            break
        step = np.zeros(model.n)
        step[free] = np.linalg.lstsq(terms.error_derivative[:, free], -terms.error, rcond=RANK)[0]
        longest = np.abs(step).max(initial=0.0)
        whole = min(1.0, LONGEST / longest) if longest > 0.0 else 1.0
        for halving in range(12):
            part = whole / 2.0**halving
            trial = q + part * step
            new = loop_terms(model, trial, zero, zero, loops)
            if np.linalg.norm(new.error) < size:
                break
        else:
            break
        steps.append(ClosingStep(q, part, whole < 1.0))
        q, terms = trial, new
    return q, terms.error, tuple(steps)


def _cannot_be_closed(error: Array, loops: tuple[Bound, ...]) -> ConvergenceError:
    """What to say of the loop with the largest error."""
    worst, first, name, turn = 0.0, 0, "", 0.0
    for loop in loops:
        perp = loop.data.perp
        own = error[first : first + perp.shape[1]]
        first += perp.shape[1]
        gap = float(np.linalg.norm(own))
        if not gap <= worst:
            worst, name, turn = gap, loop.name, float(np.linalg.norm((perp @ own)[:3]))
    remedy = "check its frames and lengths, or start nearer with assemble(q0=...)"
    if turn > 3.0:
        remedy = "its frames face each other turned by half a turn: turn one of them by pi; or " + remedy
    return ConvergenceError(
        f"Loop {name!r} cannot be closed: an error of {worst:.3g} (rad, m) is left from {len(SPREADS)} starts; {remedy}"
    )


def loop_turns(model: Model, q: Array, loops: tuple[Bound, ...], rows: Rows) -> tuple[Array | None, ...]:
    """Poses (4, 4) by which frames A of loops are to be multiplied; None where they stay.

    Errors are logarithms, and those lose their sense at half a turn: the frames of a ball joint in a planar robot may
    differ by one wherever the robot goes, and then e(q) tells of one direction in the plane only.  And where rows
    follow from others and are dropped, those that are left may vanish with the loop wide open: of frames that are
    turned out of the plane, log(g_BA) = V(w)^-1 p may be normal to both rows with p in the plane.  What a loop's joint
    allows is a group, so frame A may be replaced by A g_BA(q)^-1, measured from the closed configuration q: the
    constraint, its matrix A and its multipliers (in frame B) stay what they are, and e = log(g_BA g_BA(q)^-1) begins at
    zero.  A planar robot then turns it in its plane alone, in which V(w)^-1 leaves what is there.
    """
    zero = np.zeros(model.n)
    loop_terms(model, q, zero, zero, loops)
    segments = model.workspace.own()[0].work  # poses as the rows of loops left them, from the common origin
    turns: list[Array | None] = []
    for loop, dropped in zip(loops, dropped_rows(loops, rows), strict=True):
        where = loop.data.where
        a, b = (_pose(segments[where[0, k]]) @ _pose(record) for k, record in enumerate(loop.data.offsets))
        relative = np.linalg.solve(b, a)
        far = np.arccos(np.clip(0.5 * (np.trace(relative[:3, :3]) - 1.0), -1.0, 1.0)) > HALF_TURN
        turns.append(np.linalg.inv(relative) if far or dropped else None)
    return tuple(turns)


def recentred(loops: tuple[Bound, ...], turns: tuple[Array | None, ...]) -> tuple[Bound, ...]:
    """The same loops, frames A multiplied by some of `loop_turns`."""
    turned = []
    for loop, turn in zip(loops, turns, strict=True):
        if turn is not None:
            a, b = (_pose(record) for record in loop.data.offsets)
            a = a @ turn
            a[:3, :3] = _nearest_rotation(a[:3, :3])
            loop = loop._replace(data=loop.data._replace(offsets=pose_records([a, b])))
        turned.append(loop)
    return tuple(turned)


def _pose(record: Array) -> Array:
    """(4, 4) from the R and p of a record."""
    g = np.eye(4)
    g[:3, :3], g[:3, 3] = record["R"], record["p"]
    return g


def _nearest_rotation(R: Array) -> Array:
    """R without the rounding of a product."""
    left, _, right = np.linalg.svd(R)
    return np.asarray(left @ right)
