"""All searches for equilibria from one start, beside what is known: Newton's method, a walk down, deflation.

Each of them has its own list of what is known, so that many can be made at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.errors import ConvergenceError, StateError
from supple.model.assembly import assemble
from supple.solvers.stage.status import CONVERGED, NO_PIVOT
from supple.solvers.statics.configurations import Configurations
from supple.solvers.statics.deflation import deflated_newton
from supple.solvers.statics.descent import Descent
from supple.solvers.statics.equilibrium import Equilibrium
from supple.solvers.statics.search import LONGEST, balancing_multipliers, find, solver_of

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.solvers.options import HuntOptions

Array = np.ndarray

#: Equilibria that deflation may find from one start.
DEFLATIONS = 4
#: Steps of sliding along what nothing resists, and how far one goes.
SLIDES, SLIDE = 60, 0.3


class Start(NamedTuple):
    """Where to look."""

    q: Array
    walk: bool = True  #: whether to walk down from there


class Search:
    """Searches from one start, under inputs u at time t.

    Attributes
    ----------
    known : list of Equilibrium
        Those that were known before, and behind them those that are new.
    met : list of int
        Which of them were met, in order.
    """

    def __init__(
        self,
        model: Model,
        places: Configurations,
        u: Array,
        t: float,
        options: HuntOptions,
        start: Start,
        known: Sequence[Equilibrium],
        neutral: bool,
    ) -> None:
        self.model, self.places, self.u, self.t, self.options, self.start = model, places, u, t, options, start
        self.known, self.neutral = list(known), neutral
        self.met: list[int] = []

    def run(self) -> None:
        """Make them, in the thread that calls."""
        self.solver = solver_of(self.model)
        with suppress(StateError, np.linalg.LinAlgError):  # a start so wild that forces are not finite there
            self._look(self.start)

    def _enough(self) -> bool:
        """Whether as many are known as were asked for."""
        return self.options.most is not None and len(self.known) >= self.options.most

    def _look(self, start: Start) -> None:
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

    def _take_in(self) -> int | None:
        """Compare what the solver holds with what is known.  Returns which it is, if it is an equilibrium."""
        problem = self.solver.workspace.problem
        if not np.isfinite(problem.q).all():
            return None
        q, lam = self.places.wrapped(problem.q), problem.multipliers.copy()
        index = index_of(self.places, self.known, q)
        if index is None:
            found = find(self.model, self.u, q, self.t, lam, self.options.tolerance, self.options.iterations, False)
            if not found.converged:
                return None
            index = index_of(self.places, self.known, found.q)
            if index is None and moves_freely(found):
                index = slides_to(self.places, self.known, found)
            if index is None:
                index = len(self.known)
                self.known.append(found)
                self.neutral = self.neutral or moves_freely(found)
        self.met.append(index)
        return index


def moves_freely(found: Equilibrium) -> bool:
    """Whether something moves freely at an equilibrium, as far as can be told."""
    return found.doubtful and found.free_directions.shape[1] > 0


def index_of(places: Configurations, known: Sequence[Equilibrium], q: Array) -> int | None:
    """Which of the known equilibria has this configuration."""
    return next((k for k, other in enumerate(known) if places.same(other.q, q)), None)


def slides_to(places: Configurations, known: Sequence[Equilibrium], found: Equilibrium) -> int | None:
    """Which of the known equilibria is reached from a neutral one along what nothing resists."""
    count = found.free_directions.shape[1]
    for k, other in enumerate(known):
        if other.free_directions.shape[1] != count:
            continue
        here, last = found, np.inf
        for _ in range(SLIDES):
            gap = places.difference(here.q, other.q)
            step = here.free_directions @ (here.free_directions.T @ gap)
            size = float(np.abs(step / places.scales).max(initial=0.0))
            distance = float(np.linalg.norm(gap / places.scales))
            if size < 1e-9 or distance >= last:
                break
            last = distance
            q = here.q + step * min(1.0, SLIDE / size)
            here = find(found.model, found.u, q, found.t, np.asarray(here.multipliers), globalise=False)
            if not here.converged:
                break
            if places.same(here.q, other.q):
                return k
    return None
