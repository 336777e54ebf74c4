"""Looking for all equilibria: many starts, deflation, and walks down from whatever gives way.

From every start three searches go out: Newton's method, which takes what it meets, stable or not; the search of
`Model.statics`, if that was not stable; and deflated Newton's method, again and again, until it meets nothing new.
Every equilibrium that is new is a start of its own: along the directions in which it gives way the robot falls to
others, and deflation begins beside it.  Nothing promises that all are found; ``hits`` tell how often each was.

Starts go out in rounds: those of one know the same, and are made on several threads.
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import floats, shown, why
from supple.errors import Interrupted, ModelWarning, ShapeError, StateError
from supple.solvers.progress import SearchProgress
from supple.solvers.statics.configurations import Configurations
from supple.solvers.statics.equilibrium import Equilibrium
from supple.solvers.statics.equilibrium_set import EquilibriumSet
from supple.solvers.statics.potential import acts_from_outside, has_potential, stored_energy, work_between
from supple.solvers.statics.search import find, given_inputs
from supple.solvers.statics.start_search import Search, Start, index_of, moves_freely, slides_to
from supple.threads import Queue, share, worker_count

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.options import HuntOptions
    from supple.solvers.progress import Report

Array = np.ndarray

#: How far beside an equilibrium searches from it begin, in the sizes at which coordinates matter.
BESIDE = 0.2
#: Directions of an equilibrium along which it is left.
DIRECTIONS = 3
#: One of so many starts is random, even if there are places beside what was found.
EVERY = 3
#: Energies that differ by less, beside the largest, are equal.
SAME_ENERGY = 1e-9
#: Starts from which searches go out with the same knowledge, each on the next free thread: the same for any number of
#: threads, and with it what is found.
ROUND = 4


class _Hunt:
    """What was found so far, under inputs u at time t."""

    def __init__(self, model: Model, u: Array, t: float, guesses: Array, options: HuntOptions) -> None:
        self.model, self.u, self.t, self.options = model, u, t, options
        self.guesses = guesses.copy()
        for joint in model.prescribed:
            self.guesses[:, list(joint.coordinates)] = joint.motion(t)[0]
        self.places = Configurations(model, self.guesses[0], options.spread)
        self.rng = np.random.default_rng(options.seed)
        self.known: list[Equilibrium] = []
        self.hits: list[int] = []
        self.neutral = False  #: whether something known moves freely
        self.beside: deque[Start] = deque()
        self.starts, self.began = 0, time.perf_counter()
        self.planned, self.drawn = max(options.starts, len(guesses)), 0

    # ------------------------------------------------------------------ the hunt

    def run(self, tally: SearchProgress, threads: int | None) -> str:
        """Look everywhere.  Returns why it ended."""
        seconds = self.options.seconds
        while self.starts < self.planned:
            count, before = self._round(), len(self.known)
            for search in self._searches([self._start(self.starts + k) for k in range(count)], threads):
                self._merge(search, before)
                self.starts += 1
                if self._enough():
                    return f"ended with {len(self.known)} equilibria, as many as were asked for"
                if tally.update(self.starts, len(self.known)):
                    return "ended by the function that was told of the progress"
                if seconds is not None and time.perf_counter() - self.began > seconds:
                    return f"ended after {seconds:g} s"
        return f"ended after {self.starts} starts"

    def _round(self) -> int:
        """From how many starts to look next with the same knowledge; from the first one alone, for all build on it."""
        return 1 if self.starts == 0 else min(ROUND, self.planned - self.starts)

    def _searches(self, starts: list[Start], threads: int | None) -> list[Search]:
        """Look from several starts at once."""
        searches = [
            Search(self.model, self.places, self.u, self.t, self.options, start, self.known, self.neutral)
            for start in starts
        ]

        def work(queue: Queue) -> None:
            for k in queue:
                searches[k].run()

        share(Queue(range(len(searches))), work, worker_count(threads, len(searches)))
        return searches

    def _merge(self, search: Search, before: int) -> None:
        """Take in what a search has met, which knew of the first ``before`` equilibria."""
        numbers = {k: k for k in range(before)}
        for k in search.met:
            if k not in numbers:
                found = search.known[k]
                index = index_of(self.places, self.known, found.q)
                if index is None and moves_freely(found):
                    index = slides_to(self.places, self.known, found)
                if index is None and self._enough():
                    return
                numbers[k] = self._add(found) if index is None else index
            self.hits[numbers[k]] += 1

    def _enough(self) -> bool:
        """Whether as many are known as were asked for."""
        return self.options.most is not None and len(self.known) >= self.options.most

    def _start(self, number: int) -> Start:
        """Given ones first; then beside what was found, and around the given ones, by turns."""
        if number < len(self.guesses):
            return Start(self.guesses[number])
        if self.beside and number % EVERY != 0:
            return self.beside.popleft()
        self.drawn += 1
        return Start(self.places.random(self.guesses[self.drawn % len(self.guesses)], self.rng))

    # ------------------------------------------------------------------ what is found

    def _add(self, found: Equilibrium) -> int:
        """A new one: look beside it, too."""
        self.known.append(found)
        self.neutral = self.neutral or moves_freely(found)
        self.hits.append(0)
        for direction in found.unstable_directions.T[:DIRECTIONS]:
            for sign in (1.0, -1.0):
                self.beside.append(Start(self._moved(found.q, sign * direction)))
        for sign in (1.0, -1.0):
            self.beside.append(Start(self._moved(found.q, sign * found.softest_direction), walk=False))
        return len(self.known) - 1

    def _moved(self, q: Array, direction: Array) -> Array:
        """q, moved a little along a direction (n,)."""
        size = float(np.abs(direction / self.places.scales).max(initial=0.0))
        return q + direction * (BESIDE / size if size > 0.0 else 0.0)

    # ------------------------------------------------------------------ the result

    def result(self, complete: bool, message: str) -> EquilibriumSet:
        """What was found, by rising energy."""
        energies, conservative = self._energies()
        unit = SAME_ENERGY * float(np.abs(energies).max(initial=0.0)) or 1.0
        order = np.argsort(np.round(energies / unit), kind="stable")  # equal ones, but for rounding, as they were met
        return EquilibriumSet(
            equilibria=tuple(self.known[k] for k in order),
            energies=energies[order],
            hits=np.array(self.hits, dtype=np.int64)[order],
            starts=self.starts,
            complete=complete,
            conservative=conservative,
            message=message,
            model=self.model,
        )

    def _energies(self) -> tuple[Array, bool]:
        """Potential energies [J], and whether all forces have a potential; if not, what is stored alone."""
        model, u, t = self.model, self.u, self.t
        stored = np.array([stored_energy(model, found.q, u, t) for found in self.known])
        if not acts_from_outside(model):
            return stored, True
        begin = self._reference()
        if not all(has_potential(model, begin, found.q, u, t) for found in self.known):
            return stored, False
        rest = stored_energy(model, begin, u, t)
        return np.array([rest + work_between(model, begin, found.q, u, t) for found in self.known]), True

    def _reference(self) -> Array:
        """Where loads from outside have no energy: at rest, prescribed joints where their laws say."""
        q = self.model.rest.copy()
        q[self.model.fixed_coordinates] = self.guesses[0][self.model.fixed_coordinates]
        return q


def statics_all(
    model: Model,
    u: Any,
    q0: ArrayLike | None,
    t: float,
    options: HuntOptions,
    progress: bool | Report | None,
    threads: int | None,
) -> EquilibriumSet:
    """See `Model.statics_all`."""
    inputs, guesses = given_inputs(model, u), _guesses(model, q0)
    hunt = _Hunt(model, inputs, t, guesses, options)
    tally = SearchProgress(f"equilibria of {model.name}", hunt.planned, progress)
    try:
        message = hunt.run(tally, threads)
    except KeyboardInterrupt:
        message = f"interrupted after {hunt.starts} starts"
        result = hunt.result(False, message)
        raise Interrupted(f"{message}, with {len(result)} equilibria, which are kept in .result", result) from None
    finally:
        tally.close()
    if not hunt.known:
        message = f"no equilibrium found, {message}; {find(model, inputs, guesses[0], t).message}"
        warnings.warn(message, ModelWarning, stacklevel=3)
    return hunt.result(hunt.starts == hunt.planned, message)


def _guesses(model: Model, q0: ArrayLike | None) -> Array:
    """First starts (K, n), K at least 1."""
    try:
        given = np.atleast_2d(floats(model.rest if q0 is None else q0))
    except ValueError as reason:
        raise ShapeError(f"q0 is {shown(q0)}, must be real numbers{why(reason)}") from None
    if given.ndim != 2 or given.shape[1] != model.n or not len(given):
        raise ShapeError(f"q0 has shape {given.shape}, must be ({model.n},) or (K, {model.n})")
    if not np.isfinite(given).all():
        raise StateError("q0 holds values that are not finite")
    return np.array(given)
