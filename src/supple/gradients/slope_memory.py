"""What a design remembers of how its robots follow the parameters, and slopes at another place made from it.

See `gradients.probe_plans` for what can be remembered, and how it is checked at every use.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from supple.errors import SuppleError
from supple.gradients.array_slopes import (
    ArraySlopes,
    Ends,
    differences,
    flattened,
    joined_entries,
    jumps,
    load_ends,
    map_ends,
    numbers_of,
    structure_change,
)
from supple.gradients.feedback_slopes import feedback_slopes
from supple.gradients.law_slopes import differ, law_slopes
from supple.gradients.probe_plans import (
    FEWEST,
    Entries,
    Pattern,
    Probe,
    ProbePlan,
    learned_pattern,
    probe_plan,
    recalled,
    rounding,
    stands,
)
from supple.gradients.section_sums import rod_sums, sum_entries, with_sections

if TYPE_CHECKING:
    from supple.compilation.compiled import CompiledRobot
    from supple.gradients.design import DesignPoint

Array = np.ndarray
Numbers: TypeAlias = "Callable[[CompiledRobot], Sequence[Array]]"

#: The numbers of a model itself, among those that are remembered.
ALL = "all numbers"
#: How many sets of numbers (those of chains to stations) a design remembers.
MOST = 64
#: After so many places where what is remembered was of no use, a design remembers nothing any more.
MISSES = 3


class SlopeMemory:
    """Of one design: directions, and the pattern of each set of numbers."""

    def __init__(self) -> None:
        self._learned: tuple[ProbePlan, dict[Hashable, Pattern]] | None = None
        self._misses = 0

    @property
    def learned(self) -> tuple[ProbePlan, dict[Hashable, Pattern]] | None:
        """Directions and patterns; None if nothing is remembered."""
        return self._learned

    def miss(self) -> None:
        """What was remembered was of no use."""
        self._learned, self._misses = None, self._misses + 1

    def learn(self, point: DesignPoint, slopes: ArraySlopes) -> None:
        """Remember all numbers of a place where they are known."""
        if self._misses >= MISSES or point.compiled.demand.states:
            return
        apart = np.zeros(slopes.count, dtype=bool)
        others = {end.parameter for end in slopes.differenced} | set(point.laws.parameters) | point.feedback.parameters
        apart[sorted(others)] = True
        if slopes.count < FEWEST:
            return
        entries, noise = differences(point.ends, with_sections), rounding(with_sections(point.compiled))
        entries = _without(entries, rod_sums(point.compiled).rows)
        plan = probe_plan(entries, noise, point.steps, point.design.blocks, apart)
        if plan is None:
            return
        checks = [probe_of(with_sections, *point.moved(check * point.steps)) for check in plan.checks]
        pattern = learned_pattern(entries, noise, point.steps, plan, checks)
        if pattern is not None:
            self._learned = plan, {ALL: pattern}

    def add(self, key: Hashable, point: DesignPoint, numbers: Numbers, entries: Entries) -> None:
        """Remember further numbers of a place where they are known, if the directions tell them apart."""
        learned = self._learned
        if learned is None or key in learned[1] or len(learned[1]) >= MOST:
            return
        plan, noise = learned[0], rounding(numbers(point.compiled))
        checks = [probe_of(numbers, *point.moved(check * point.steps)) for check in plan.checks]
        pattern = learned_pattern(entries, noise, point.steps, plan, checks)
        if pattern is not None:
            learned[1][key] = pattern


class Recall(NamedTuple):
    """Robots of a place at both ends of every direction that a design remembers."""

    plan: ProbePlan
    patterns: dict[Hashable, Pattern]
    ends: tuple[tuple[Ends, Array], ...]  #: with the moves (count,) between them; the last ones are of the check
    base: CompiledRobot

    def entries(self, key: Hashable, numbers: Numbers) -> Entries | None:
        """Of some numbers, but for parameters that are differenced by themselves; None if they are not known so."""
        pattern = self.patterns.get(key)
        if pattern is None or pattern.entries.size != len(flattened(numbers(self.base))):
            return None
        probes = [probe_of(numbers, *end) for end in self.ends]
        entries, noise = recalled(pattern, probes[:-1]), rounding(numbers(self.base))
        if entries is None:
            return None
        if key != ALL:
            return entries if stands(entries, probes[-1], noise, pattern.doubt) else None
        entries = joined_entries(entries, sum_entries(self.base, entries))
        sizes = rod_sums(self.base).beside
        return entries if stands(entries, probes[-1], noise, pattern.doubt, sizes) else None


def probe_of(numbers: Numbers, ends: Ends, move: Array) -> Probe:
    """What numbers do from one end to the other; those that are infinite at both stand still."""
    high, low = flattened(numbers(ends.plus)), flattened(numbers(ends.minus))
    same = high == low
    return Probe(np.where(same, 0.0, high) - np.where(same, 0.0, low), move)


def recall(point: DesignPoint, memory: SlopeMemory) -> tuple[Recall, Entries] | None:
    """What a design remembers, at another place, with the entries of all numbers; None if that is of no use there."""
    learned = memory.learned
    if learned is None:
        return None
    plan, patterns = learned
    try:
        ends = tuple(point.moved(direction * point.steps) for direction in (*plan.directions, plan.checks[0]))
    except SuppleError:  # a robot that cannot be built: differences by each parameter say by which
        return None
    if any(_changes_more(point.compiled, end) for end, _ in ends):
        memory.miss()
        return None
    found = Recall(plan, patterns, ends, point.compiled)
    entries = found.entries(ALL, with_sections)
    if entries is None:
        memory.miss()
        return None
    return found, _first(entries, len(flattened(numbers_of(point.compiled))))


def _without(entries: Entries, rows: Array) -> Entries:
    """Entries but for those of some numbers."""
    kept = np.ones(entries.size, dtype=bool)
    kept[rows] = False
    own = kept[entries.rows]
    return Entries(entries.rows[own], entries.columns[own], entries.values[own], entries.size)


def _first(entries: Entries, size: int) -> Entries:
    """Entries of the first numbers alone."""
    own = entries.rows < size
    return Entries(entries.rows[own], entries.columns[own], entries.values[own], size)


def _changes_more(base: CompiledRobot, ends: Ends) -> bool:
    """Whether more than the numbers of a robot differs between both ends."""
    if any(structure_change(base, robot) for robot in ends[:2]) or jumps(base, *ends[:2]):
        return True
    if load_ends(0, ends) or map_ends(0, base, ends) or law_slopes(base, [ends]).parameters:
        return True
    return bool(feedback_slopes(base, [ends], tuple, differ).parameters)
