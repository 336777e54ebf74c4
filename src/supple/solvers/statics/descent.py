"""Walking down to an equilibrium on what loops allow: a trust region in the metric of `solvers.statics.reduced`.

From a closed configuration the walk goes on along directions that loops allow, and closes them again after every step.
With the tangent stiffness diagonal along them (values mu, forces g), a step is y = -g / (|mu| + sigma): Newton's where
the robot resists, downhill where it gives way.  Sigma grows until the work that forces do along the step comes near the
one that was expected, ((R(q) + R(q')) / 2) . (q' - q) against g . y + y . mu y / 2, and falls while they agree.  No
potential is asked for, so follower loads are welcome, though nothing promises that the walk ends with them.

Near the end Newton's method takes over; where nothing resists some motion, with steps that leave it alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core.residual import residual, residual_tangent
from supple.solvers.rounding import NOTHING, ROUNDED_STIFFNESS, WEAK
from supple.solvers.stage.newton import CLOSED
from supple.solvers.stage.status import CONVERGED, NOT_FINITE, SLOW
from supple.solvers.statics.reduced import (
    ROUNDING,
    UNANSWERED,
    Allowed,
    Metric,
    Spectrum,
    across,
    allowed_at,
    metric_at,
    spectrum_of,
)

if TYPE_CHECKING:
    from supple.solvers.statics.search import Solver

Array = np.ndarray

#: Steps of a walk, and trials of one step.
STEPS, TRIALS = 150, 30
#: Farthest that a step may move a coordinate (rad, or strain, or m).
LONGEST = 1.0
#: Newton's method is tried after steps shorter than this, and after every so many.
NEAR, NOW_AND_THEN = 0.05, 10
#: Newton steps that may take over from a walk.
ENDING = 8
#: Force that is rounding beside those of the stiffest coordinate at size one.
NO_FORCE = 1e-15
#: Steps that close loops again.
CLOSING = 8


class Place(NamedTuple):
    """A closed configuration."""

    q: Array  #: (n,)
    forces: Array  #: (nf,) unbalanced, without those of loops
    allowed: Allowed


class Descent:
    """A walk of one robot under the inputs that its solver was loaded with."""

    def __init__(self, solver: Solver, q: Array) -> None:
        self.solver, self.model = solver, solver.model
        self.free = self.model.free_coordinates
        self.zero = np.zeros(self.model.n)
        self.metric: Metric = metric_at(self.model, q)
        self.steps = 0

    # ------------------------------------------------------------------ the robot

    def forces(self, q: Array, multipliers: Array | float = 0.0) -> Array | None:
        """Unbalanced forces (nf,); None if they are not finite."""
        problem = self.solver.workspace.problem
        problem.multipliers[:] = multipliers
        function, handles = self.model.workspace.functions.residual, self.solver.workspace.handles
        finite = residual(function, *handles, q, self.zero, self.zero, problem.residual)
        return problem.residual[self.free] if finite else None

    def tangent(self, q: Array, multipliers: Array) -> Array | None:
        """Tangent stiffness (nf, nf); None if it is not finite."""
        problem, handles = self.solver.workspace.problem, self.solver.workspace.handles
        problem.multipliers[:] = multipliers
        function = self.model.workspace.functions.residual
        finite = residual_tangent(
            function, *handles, q, self.zero, self.zero, 0.0, 0.0, problem.residual, problem.tangent
        )
        T = problem.tangent[np.ix_(self.free, self.free)]
        return T if finite and np.isfinite(T).all() else None

    def rows(self, q: Array) -> tuple[Array, Array, Array]:
        """Errors (nc,) of loops, A and de/dq (nc, nf)."""
        problem = self.solver.workspace.problem
        if self.model.nc:
            handles = self.solver.workspace.handles
            rows_at = self.model.workspace.functions.rows_at
            rows_at(*handles, q, self.zero, self.zero, problem.vectors, problem.matrices)
        return problem.vectors[0].copy(), problem.matrices[0][:, self.free], problem.matrices[1][:, self.free]

    def rewrapped(self, q: Array) -> Array:
        """The same configuration with rotation vectors no longer than pi: at 2 pi they are singular."""
        for _, first, turning, size in self.solver.workspace.problem.charts:
            if np.linalg.norm(q[first : first + turning]) > np.pi:
                own = slice(first, first + size)
                q = q.copy()
                q[own] = self.model.rewrap(q, self.zero)[0][own]
        return q

    def place(self, q: Array) -> Place | None:
        """q closed again, if few steps of least size do that and forces are finite there."""
        q, last = q.copy(), np.inf
        for k in range(CLOSING):
            errors, A, slopes = self.rows(q)
            size = float(np.abs(errors).max(initial=0.0))
            if size < CLOSED:
                forces = self.forces(q)
                return None if forces is None else Place(q, forces, allowed_at(self.metric, A))
            if not size < 0.5 * last and k > 1:
                return None
            last = size
            q[self.free] += self.metric.inverse.T @ _least(slopes @ self.metric.inverse.T, -errors)
        return None

    # ------------------------------------------------------------------ the walk

    def walk(self, q: Array, tolerance: float) -> int:
        """Walk from a configuration that is nearly closed to a stable equilibrium.  Returns a status.

        Whatever comes of it, the solver's problem holds the last state.  It ends early if the solver is late.
        """
        q = self.rewrapped(q)
        place = self.place(q)
        if place is None:
            self.show(q, np.zeros(self.model.nc))
            return NOT_FINITE if self.forces(q) is None else SLOW
        sigma = 0.0
        for k in range(STEPS):
            self.steps += 1
            multipliers = place.allowed.balance @ place.forces
            T = self.tangent(place.q, multipliers)
            if T is None:
                self.show(place.q, multipliers)
                return NOT_FINITE
            found = spectrum_of(place.allowed, T)
            if k == 0:
                sigma = 1e-2 * float(np.median(np.abs(found.values))) if len(found.values) else 0.0
            step = self._step(place, found, sigma)
            if step is None:
                if self._end(place, found, tolerance):
                    return CONVERGED
                break
            length = float(np.abs(step.place.q - place.q).max(initial=0.0))
            place, sigma = step.place, step.sigma
            if (length < NEAR or k % NOW_AND_THEN == NOW_AND_THEN - 1) and self._end(place, found, tolerance):
                return CONVERGED
            q = self.rewrapped(place.q)
            if q is not place.q:
                place = self.place(q) or place
            if self.solver.is_late():
                break
        self.show(place.q, place.allowed.balance @ place.forces)
        return SLOW

    def _step(self, place: Place, found: Spectrum, sigma: float) -> _Step | None:
        """The longest step that does about the work that is expected of it, if there is one."""
        force = found.directions.T @ place.forces
        floor = ROUNDED_STIFFNESS * float(np.abs(found.values).max(initial=0.0)) + NOTHING
        for _ in range(TRIALS):
            y = -force / np.maximum(np.abs(found.values) + sigma, floor)
            move = found.directions @ y
            if np.abs(move).max(initial=0.0) <= LONGEST:
                q = place.q.copy()
                q[self.free] += move
                new = self.place(q)
                if new is not None:
                    expected = force @ y + 0.5 * y @ (found.values * y)
                    done = 0.5 * (place.forces + new.forces) @ (new.q - place.q)[self.free]
                    if done <= 0.1 * expected:
                        if done <= 0.75 * expected:
                            sigma *= 0.2
                        elif done > 0.25 * expected:
                            sigma *= 3.0
                        return _Step(new, sigma)
            sigma = max(4.0 * sigma, 1e3 * floor)
        return None

    def _end(self, place: Place, found: Spectrum, tolerance: float) -> bool:
        """Whether Newton's method finds a stable (or neutral) equilibrium from here; the problem holds it then."""
        neutral = (np.abs(found.values) <= UNANSWERED / ROUNDING * found.rounding).any()
        dependent = found.directions.shape[1] > len(self.free) - self.model.nc  # rows of loops, just here
        if (neutral or dependent) and self.settle(place.q, tolerance, ENDING) == CONVERGED:
            return self.is_stable()
        self.solver.put(place.q, place.allowed.balance @ place.forces)
        if self.solver.newton(0.0, tolerance, ENDING, LONGEST) != CONVERGED:
            return False
        return self.is_stable()

    def is_stable(self) -> bool:
        """Whether nothing gives way at this state; for forces without a potential: whether nothing diverges."""
        problem = self.solver.workspace.problem
        T = self.tangent(problem.q, problem.multipliers.copy())
        if T is None:
            return False
        allowed = allowed_at(self.metric, self.rows(problem.q)[1])
        found = spectrum_of(allowed, T)
        if found.symmetric:
            return bool((found.values >= -found.rounding).all())
        values = np.linalg.eigvals(allowed.basis.T @ T @ allowed.basis)
        return bool((values.real >= -found.rounding.max()).all())

    # ------------------------------------------------------------------ Newton's method where nothing resists

    def settle(self, q: Array, tolerance: float, most: int) -> int:
        """Newton steps of least size: motions that nothing resists are left alone.  Returns a status.

        The unbalanced force along them must be rounding: else the robot is no nearer to rest wherever it goes.
        """
        q, last, status = q.copy(), np.inf, SLOW
        multipliers = np.zeros(self.model.nc)
        for _ in range(most):
            self.steps += 1
            errors, A, slopes = self.rows(q)
            forces, allowed = self.forces(q), allowed_at(self.metric, A)
            if forces is None:
                return NOT_FINITE
            multipliers = allowed.balance @ forces
            T = self.tangent(q, multipliers)
            if T is None:
                return NOT_FINITE
            move = self.metric.inverse.T @ _least(slopes @ self.metric.inverse.T, -errors)
            loose, along = across(allowed, T, forces + T @ move)
            move += along
            size = self.solver.size_of(move)
            if not np.isfinite(size) or np.abs(move).max(initial=0.0) > LONGEST or size > 2.0 * last:
                break
            q[self.free] += move
            last = size
            if size <= tolerance:
                unsure = ROUNDING * self._force_terms(q, forces, A.T @ multipliers)
                unsure += np.abs(T) @ (tolerance * self.solver.weights)  # coordinates are no better known
                along = np.abs(loose).T @ unsure + NO_FORCE * self.metric.size
                status = CONVERGED if (np.abs(loose.T @ forces) <= along).all() else SLOW
                break
        if status == CONVERGED:
            errors, A, _ = self.rows(q)
            forces = self.forces(q)
            if forces is None:
                return NOT_FINITE
            multipliers = allowed_at(self.metric, A).balance @ forces
        self.show(q, multipliers)
        return status

    def _force_terms(self, q: Array, forces: Array, loops: Array) -> Array:
        """Size (nf,) of the terms whose sum unbalanced forces are: elastic ones, those of loops, loads and weight."""
        model = self.model
        elastic = (model.stiffness @ (q - model.rest))[self.free]
        weight = np.linalg.norm(model.parameters.gravity) * np.sqrt(
            model.parameters.segments["inertia"][:, 3, 3].sum() * self.metric.mass.diagonal()
        )
        return np.asarray(np.abs(elastic) + np.abs(loops) + np.abs(forces - elastic) + weight)

    def show(self, q: Array, multipliers: Array) -> None:
        """Leave a state on the problem, with its forces and errors of loops."""
        problem = self.solver.workspace.problem
        problem.q[:] = q
        self.forces(q, multipliers)
        self.rows(q)


class _Step(NamedTuple):
    """A step that was taken, and the damping of the next one."""

    place: Place
    sigma: float


def _least(matrix: Array, right: Array) -> Array:
    """The least solution of matrix x = right."""
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=WEAK)[0])
