"""Looking for all equilibria: many starts, deflation, and walks down from whatever gives way.

From every start three searches go out: Newton's method, which takes what it meets, stable or not; the search of
`Model.statics`, if that was not stable; and deflated Newton's method, again and again, until it meets nothing new.
Every equilibrium that is new is a start of its own: along the directions in which it gives way the robot falls to
others, and deflation begins beside it.  Nothing promises that all are found; ``hits`` tell how often each was.
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import floats, shown, why
from supple.errors import ConvergenceError, Interrupted, ModelWarning, ShapeError, StateError
from supple.model.assembly import assemble
from supple.solvers.progress import SearchProgress
from supple.solvers.stage.status import CONVERGED, NO_PIVOT
from supple.solvers.statics.configurations import Configurations
from supple.solvers.statics.deflation import deflated_newton
from supple.solvers.statics.descent import Descent
from supple.solvers.statics.equilibrium import Equilibrium
from supple.solvers.statics.equilibrium_set import EquilibriumSet
from supple.solvers.statics.potential import acts_from_outside, has_potential, stored_energy, work_between
from supple.solvers.statics.search import (
    LONGEST,
    balancing_multipliers,
    find,
    given_inputs,
    solver_of,
)

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.options import HuntOptions
    from supple.solvers.progress import Report

Array = np.ndarray

#: Equilibria that deflation may find from one start.
DEFLATIONS = 4
#: How far beside an equilibrium searches from it begin, in the sizes at which coordinates matter.
BESIDE = 0.2
#: Directions of an equilibrium along which it is left.
DIRECTIONS = 3
#: One of so many starts is random, even if there are places beside what was found.
EVERY = 3
#: Energies that differ by less, beside the largest, are equal.
SAME_ENERGY = 1e-9
#: Steps of sliding along what nothing resists, and how far one goes.
SLIDES, SLIDE = 60, 0.3


class _Start(NamedTuple):
    """Where to look."""

    q: Array
    walk: bool = True  #: whether to walk down from there


class _Hunt:
    """What was found so far, under inputs u at time t."""

    def __init__(self, model: Model, u: Array, t: float, guesses: Array, options: HuntOptions) -> None:
        self.model, self.u, self.t, self.options = model, u, t, options
        self.solver = solver_of(model)
        self.solver.load(u, t)
        self.guesses = guesses.copy()
        for joint in model.prescribed:
            self.guesses[:, list(joint.coordinates)] = joint.motion(t)[0]
        self.places = Configurations(model, self.guesses[0], options.spread)
        self.rng = np.random.default_rng(options.seed)
        self.known: list[Equilibrium] = []
        self.hits: list[int] = []
        self.neutral = False  #: whether something known moves freely
        self.beside: deque[_Start] = deque()
        self.starts, self.began = 0, time.perf_counter()
        self.planned, self.drawn = max(options.starts, len(guesses)), 0

    # ------------------------------------------------------------------ the hunt

    def run(self, tally: SearchProgress) -> str:
        """Look everywhere.  Returns why it ended."""
        seconds = self.options.seconds
        while self.starts < self.planned:
            with suppress(StateError, np.linalg.LinAlgError):  # a start so wild that forces are not finite there
                self._look(self._next_start())
            self.starts += 1
            if self._enough():
                return f"ended with {len(self.known)} equilibria, as many as were asked for"
            if tally.update(self.starts, len(self.known)):
                return "ended by the function that was told of the progress"
            if seconds is not None and time.perf_counter() - self.began > seconds:
                return f"ended after {seconds:g} s"
        return f"ended after {self.starts} starts"

    def _enough(self) -> bool:
        """Whether as many are known as were asked for."""
        return self.options.most is not None and len(self.known) >= self.options.most

    def _next_start(self) -> _Start:
        """Given ones first; then beside what was found, and around the given ones, by turns."""
        if self.starts < len(self.guesses):
            return _Start(self.guesses[self.starts])
        if self.beside and self.starts % EVERY != 0:
            return self.beside.popleft()
        self.drawn += 1
        return _Start(self.places.random(self.guesses[self.drawn % len(self.guesses)], self.rng))

    def _look(self, start: _Start) -> None:
        """All searches from one start."""
        q = self._closed(start.q)
        found = self._newton(q)
        if start.walk and not self._enough() and (found is None or self.known[found].stable is not True):
            self.solver.load(self.u, self.t)
            if self.solver.search(q, None, self.options.tolerance, self.options.iterations, True).status == CONVERGED:
                self._take_in()
        for _ in range(DEFLATIONS):
            if self._enough():
                break
            known = [other.q for other in self.known]
            lam = balancing_multipliers(self.model, q, self.u, self.t)
            end = deflated_newton(self.model, self.places, self.u, self.t, (q, lam), known, self.neutral)
            if end is None:
                break
            count = len(self.known)
            self._newton(*end)
            if len(self.known) == count:
                break

    def _closed(self, q: Array) -> Array:
        """q with its loops closed, if they can be closed from there."""
        if not self.model.nc:
            return q
        try:
            return assemble(self.model, q, self.model.loops, self.model.fixed_coordinates)
        except ConvergenceError:
            return q

    def _newton(self, q: Array, lam: Array | None = None) -> int | None:
        """Newton's method from q.  Returns which equilibrium it met."""
        solver, options = self.solver, self.options
        solver.load(self.u, self.t)
        solver.put(q, balancing_multipliers(self.model, q, self.u, self.t) if lam is None else lam)
        status = solver.newton(0.0, options.tolerance, options.iterations, LONGEST)
        if status != CONVERGED and (self.neutral or status == NO_PIVOT):  # perhaps only since something moves freely
            status = Descent(solver, q).settle(q, options.tolerance, options.iterations)
        return self._take_in() if status == CONVERGED else None

    # ------------------------------------------------------------------ what is found

    def _take_in(self) -> int | None:
        """Compare what the solver holds with what is known.  Returns which it is, if it is an equilibrium."""
        problem = self.solver.workspace.problem
        if not np.isfinite(problem.q).all():
            return None
        q, lam = self.places.wrapped(problem.q), problem.multipliers.copy()
        index = self._index_of(q)
        if index is None:
            found = find(self.model, self.u, q, self.t, lam, self.options.tolerance, self.options.iterations, False)
            if not found.converged:
                return None
            index = self._index_of(found.q)
            if index is None and found.doubtful and found.free_directions.shape[1]:
                index = self._slides_to(found)
            if index is None:
                return self._add(found)
        self.hits[index] += 1
        return index

    def _index_of(self, q: Array) -> int | None:
        """Which of the known equilibria has this configuration."""
        return next((k for k, other in enumerate(self.known) if self.places.same(other.q, q)), None)

    def _slides_to(self, found: Equilibrium) -> int | None:
        """Which of the known equilibria is reached from a neutral one along what nothing resists."""
        count = found.free_directions.shape[1]
        for k, other in enumerate(self.known):
            if other.free_directions.shape[1] != count:
                continue
            here, last = found, np.inf
            for _ in range(SLIDES):
                gap = self.places.difference(here.q, other.q)
                step = here.free_directions @ (here.free_directions.T @ gap)
                size = float(np.abs(step / self.places.scales).max(initial=0.0))
                distance = float(np.linalg.norm(gap / self.places.scales))
                if size < 1e-9 or distance >= last:
                    break
                last = distance
                q = here.q + step * min(1.0, SLIDE / size)
                here = find(self.model, self.u, q, self.t, np.asarray(here.multipliers), globalise=False)
                if not here.converged:
                    break
                if self.places.same(here.q, other.q):
                    return k
        return None

    def _add(self, found: Equilibrium) -> int:
        """A new one: look beside it, too."""
        self.known.append(found)
        self.neutral = self.neutral or (found.doubtful and found.free_directions.shape[1] > 0)
        self.hits.append(1)
        for direction in found.unstable_directions.T[:DIRECTIONS]:
            for sign in (1.0, -1.0):
                self.beside.append(_Start(self._moved(found.q, sign * direction)))
        for sign in (1.0, -1.0):
            self.beside.append(_Start(self._moved(found.q, sign * found.softest_direction), walk=False))
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
    model: Model, u: Any, q0: ArrayLike | None, t: float, options: HuntOptions, progress: bool | Report | None
) -> EquilibriumSet:
    """See `Model.statics_all`."""
    inputs, guesses = given_inputs(model, u), _guesses(model, q0)
    hunt = _Hunt(model, inputs, t, guesses, options)
    tally = SearchProgress(f"equilibria of {model.name}", hunt.planned, progress)
    try:
        message = hunt.run(tally)
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
