"""Few directions of the parameters that tell how all numbers of a robot follow many: learned once, checked at each use.

Differences by every parameter build the robot twice for each of them.  In an optimisation that is done anew at every
iterate, though two things mostly stay as they are:

- *Which* number follows which parameters.  Parameters that no number follows together are moved together, as columns of
  sparse Jacobians are [COLOURING]: masses of links, radii at knots.
- *By what combination* a number follows the entries of an array.  Coefficients c of a profile r(s) = c . f(s) enter the
  numbers at a node as r there, in whatever way: dx/dc = x'(r) f(s), of which only the factor x'(r) changes.  One
  direction d of the whole array gives it, x'(r) = (dx along d) / (f . d), for all nodes at once.

Neither is certain for a function that a user wrote.  Along one further direction, which moves all parameters by random
amounts, what the recalled slopes come to must agree with a difference of the robot itself, number by number; else they
are not used (`stands`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

Array = np.ndarray

#: Designs with fewer parameters are differenced by each of them.
FEWEST = 8
#: Directions along which entries of one array are moved, at most, before the array is taken as a whole.
COLOURS = 8
#: What a combination must come to along its direction, as a part of the largest.
CLEAR = 0.02
#: How far differences along the direction of the check and recalled slopes may be apart, relative to what they sum.
TRUSTED = 1e-8
#: The largest doubt about a number that is known by differences, and by how many of its doubts it may be off.
DOUBTFUL, DOUBTS = 1e-3, 10.0
#: Directions by which doubts are found.
CHECKS = 5
#: Rounding of a number that is tabulated, relative to its size.
ROUNDING = 16.0 * float(np.finfo(float).eps)
#: Numbers of a table of all numbers by all parameters, at most.
LARGEST = 10_000_000


class Entries(NamedTuple):
    """A sparse matrix d(numbers)/d(parameters)."""

    rows: Array  #: (k,) which number
    columns: Array  #: (k,) which parameter
    values: Array  #: (k,)
    size: int  #: number of numbers


class Probe(NamedTuple):
    """What numbers did along one direction of the parameters."""

    change: Array  #: (size,) of all numbers from one end to the other
    move: Array  #: (count,) of all parameters


@dataclass(frozen=True)
class ProbePlan:
    """Directions, in steps of each parameter."""

    directions: Array  #: (m, count)
    checks: Array  #: (CHECKS, count) those of checks: the first at every use, all where slopes are learned
    column: Array  #: (count,) what a parameter is moved as: itself, or its whole array; -1: differenced by itself
    probe: Array  #: (columns,) by which direction

    @property
    def apart(self) -> Array:
        """Parameters that are differenced by themselves."""
        return np.flatnonzero(self.column < 0)


@dataclass(frozen=True)
class Pattern:
    """What is remembered of some numbers of a robot: entries by one direction, up to a factor for each number."""

    entries: Entries  #: but for those of parameters that are differenced by themselves
    pair: Array  #: (k,) which factor an entry has
    row: Array  #: (pairs,) the number that it is of
    probe: Array  #: (pairs,) by which direction it is found
    doubt: Array  #: (size,) what the check is off by where slopes were differenced by each parameter, relatively


def rounding(arrays: Sequence[Array]) -> Array:
    """By how much numbers may differ by rounding; those that are zero but for it, as zeros of their array do."""
    parts = []
    for array in arrays:
        sizes = np.abs(np.nan_to_num(array.reshape(-1), posinf=0.0, neginf=0.0))
        largest = float(sizes.max(initial=0.0))
        parts.append(ROUNDING * np.where(sizes <= 4.0 * ROUNDING * largest, largest, sizes))
    return np.concatenate([np.zeros(0), *parts])


def probe_plan(
    entries: Entries, noise: Array, steps: Array, blocks: Sequence[slice], apart: Array
) -> ProbePlan | None:
    """Directions for all parameters but those ``apart`` (count,); None where they would not be much fewer.

    ``noise`` (size,) is that of `rounding`, ``steps`` (count,) those of differences, ``blocks`` the entries of each
    named parameter.
    """
    count = len(steps)
    if count < FEWEST or entries.size * count > LARGEST:
        return None
    slopes = _table(entries, noise, steps)
    shades, column, probe, vectors = list[Array](), np.full(count, -1), list[int](), list[Array]()
    for block in blocks:
        own = np.array([j for j in range(block.start, block.stop) if not apart[j]], dtype=np.int64)
        whole = len(own) > COLOURS and len(_coloured(slopes[own] != 0.0)) > COLOURS
        vector = common_direction(slopes[own]) if whole else None
        if whole and vector is None:
            continue  # by themselves
        for group in [own] if whole else [np.array([j]) for j in own]:
            k = _fitting(shades, (slopes[group] != 0.0).any(axis=0))
            if k == len(vectors):
                vectors.append(np.zeros(count))
            vectors[k][group] = 1.0 if vector is None else vector
            column[group] = len(probe)
            probe.append(k)
    builds = len(vectors) + 1 + int((column < 0).sum())
    if 2 * builds > count or not probe:
        return None
    rng, shape = np.random.default_rng(count), (CHECKS, count)
    checks = np.where(column < 0, 0.0, rng.choice([-1.0, 1.0], shape) * rng.uniform(0.5, 1.0, shape) / np.sqrt(count))
    return ProbePlan(np.array(vectors), checks, column, np.array(probe))


def common_direction(slopes: Array) -> Array | None:
    """A direction (b,) along which all columns of slopes (b, size) change clearly; None if none is found."""
    moved = slopes[:, (slopes != 0.0).any(axis=0)]
    units = moved / np.linalg.norm(moved, axis=0)
    units = np.unique(np.round(units, 9), axis=1)
    units = units[:, ~(units == 0.0).all(axis=0)]
    if not units.shape[1]:
        return np.full(len(slopes), 1.0 / np.sqrt(len(slopes)))
    rng = np.random.default_rng(len(slopes))
    tried = [np.linalg.lstsq(units.T, np.ones(units.shape[1]), rcond=1e-6)[0], *rng.standard_normal((32, len(slopes)))]
    clear = [np.abs(units.T @ x).min() / max(np.abs(units.T @ x).max(), 1e-300) for x in tried]
    best = int(np.argmax(clear))
    if not clear[best] > CLEAR:
        return None
    largest = float(np.abs(units.T @ tried[best]).max())
    return np.asarray(tried[best] / (largest * np.sqrt(len(slopes))))


def learned_pattern(
    entries: Entries, noise: Array, steps: Array, plan: ProbePlan, checks: Sequence[Probe]
) -> Pattern | None:
    """What to remember of numbers whose entries are known; None if the directions of a plan do not tell them apart.

    ``checks`` are what numbers do along the plan's checks at the same place: some are themselves found by differences
    (the slope of a route that takes no complex numbers), and no slopes of theirs are better than that.
    """
    own = (plan.column[entries.columns] >= 0) & _loud(entries, noise, steps)
    rows, columns, values = entries.rows[own], entries.columns[own], entries.values[own]
    probes = plan.probe[plan.column[columns]] if len(columns) else np.zeros(0, dtype=np.int64)
    keys, pair = np.unique(rows * len(plan.directions) + probes, return_inverse=True)
    row, probe = np.divmod(keys, len(plan.directions))
    first = np.full(len(keys), -1)
    first[pair] = plan.column[columns]
    if (first[pair] != plan.column[columns]).any():
        return None  # two that are moved together
    found = Entries(rows, columns, values, entries.size)
    doubt = np.zeros(entries.size)
    for check in checks:
        sums, sizes = _along(found, check)
        off = np.maximum(np.abs(sums - check.change) - noise, 0.0)
        doubt = np.maximum(doubt, np.divide(off, sizes, out=np.zeros_like(off), where=sizes > 0.0))
    return Pattern(found, pair, row, probe, DOUBTS * np.minimum(doubt, DOUBTFUL))


def recalled(pattern: Pattern, probes: Sequence[Probe]) -> Entries | None:
    """Entries from what numbers did along all directions; None if a direction tells too little."""
    rows, columns, values, size = pattern.entries
    if not len(rows):
        return pattern.entries
    moves, changes = np.array([probe.move for probe in probes]), np.array([probe.change for probe in probes])
    terms = values * moves[pattern.probe[pattern.pair], columns]
    along, total = (np.bincount(pattern.pair, x, len(pattern.row)) for x in (terms, terms * terms))
    if not (np.abs(along) > CLEAR * np.sqrt(total)).all():
        return None  # steps have changed so much that the direction is none any more
    values = values * (changes[pattern.probe, pattern.row] / along)[pattern.pair]
    return Entries(rows, columns, values, size)


def stands(
    entries: Entries, check: Probe, noise: Array, doubt: Array, sizes: Callable[[Array], Array] = np.asarray
) -> bool:
    """Whether entries come to what numbers did along the direction of the check.

    ``doubt`` (size,) is a pattern's; ``sizes`` makes of what each number sums (size,) what it may be off by a part of.
    """
    found, total = _along(entries, check)
    return bool((np.abs(found - check.change) <= TRUSTED * sizes(total) + doubt * total + sizes(noise)).all())


def _along(entries: Entries, probe: Probe) -> tuple[Array, Array]:
    """What all numbers should do along a move, (size,), and the root of the sum of squares of what that sums."""
    terms = entries.values * probe.move[entries.columns]
    sums, squares = (np.bincount(entries.rows, x, entries.size) for x in (terms, terms * terms))
    return sums, np.sqrt(squares)


def _table(entries: Entries, noise: Array, steps: Array) -> Array:
    """What all numbers do along a step of each parameter, (count, size); zero where that is rounding."""
    found, loud = np.zeros((len(steps), entries.size)), _loud(entries, noise, steps)
    found[entries.columns[loud], entries.rows[loud]] = (entries.values * steps[entries.columns])[loud]
    return found


def _loud(entries: Entries, noise: Array, steps: Array) -> Array:
    """(k,) whether entries are more than rounding."""
    return np.asarray(np.abs(entries.values) * 2.0 * steps[entries.columns] > noise[entries.rows])


def _coloured(follow: Array) -> list[Array]:
    """Numbers (size,) that follow each group of rows of ``follow`` (b, size), so that none follows two of a group.

    Ends with one group too many.
    """
    shades: list[Array] = []
    for one in follow:
        _fitting(shades, one)
        if len(shades) > COLOURS:
            break
    return shades


def _fitting(shades: list[Array], one: Array) -> int:
    """The first group that shares no number with ``one`` (size,), which then joins it."""
    for k, shade in enumerate(shades):
        if not (shade & one).any():
            shades[k] = shade | one
            return k
    shades.append(one.copy())
    return len(shades) - 1
