"""Looking for rest: Newton's method from a guess, then other ways.

Without loops these are relaxation and letting go step by step (`solvers.statics.newton`).  With loops the robot is
closed first and then walks down on what they allow (`solvers.statics.descent`): a robot that relaxes with its loops
open is another robot.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from supple.compilation.law_program import make_program
from supple.core.residual import residual, residual_tangent
from supple.errors import ConvergenceError, ModelWarning, StateError
from supple.model.accelerations import joint_efforts
from supple.model.arguments import number
from supple.model.assembly import assemble
from supple.model.constraints import loop_terms, named_multipliers
from supple.model.open_loops import WIDE, dropped_gap, is_wide_open
from supple.solvers.inputs import check_tensions, constant_inputs
from supple.solvers.problem import ITERATIONS, OVER_TREE, SolverWorkspace, make_workspace
from supple.solvers.rounding import NO_RANK, NOTHING, WEAK
from supple.solvers.stage.status import CONVERGED, NOT_FINITE, SLOW
from supple.solvers.statics import newton as _newton
from supple.solvers.statics.descent import STEPS, Descent
from supple.solvers.statics.equilibrium import Equilibria as Equilibria
from supple.solvers.statics.equilibrium import Equilibrium
from supple.solvers.statics.reduced import allowed_directions

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: Farthest that one Newton step may move a coordinate (rad, or strain, or m).
LONGEST = 2.0
#: Smallest share that is let go of at once.
SMALLEST_SHARE = 1e-3
#: Steps of relaxation, and how many there are at least where time is short.
RELAXATIONS, FEWEST_RELAXATIONS = 2000, 20
#: Newton steps in which a robot with loops is let go of.
LETTING_GO = 150
#: Pivots of a tangent, rows scaled to one, below which something may move freely.
DOUBTFUL = 1e-6
#: Coordinates of linear strains matter at this size.
STRAIN_WEIGHT = 0.1


class Found(NamedTuple):
    """How a search ended."""

    status: int
    iterations: int
    how: str
    neutral: bool = False  #: whether motions that nothing resists may have been left alone
    why: str = ""  #: what was in the way, if that is known


#: Name of an attempt, and the attempt: it returns a status and Newton steps.
Way: TypeAlias = tuple[str, Callable[[], tuple[int, int]]]


class Solver:
    """A problem for equilibria of one model; not shared between threads."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.workspace: SolverWorkspace = make_workspace(
            model, make_program([], []), np.zeros((0, 2), np.int64), stabilised=False
        )
        problem = self.workspace.problem
        size = len(problem.free) + model.nc
        self.held, self.space = np.zeros(size), np.zeros((4, size))
        problem.weights[0] = np.where(model.topology.component[: model.n] >= 3, STRAIN_WEIGHT, 1.0)
        self.weights = problem.weights[0][model.free_coordinates]
        self.u, self.t = np.zeros(model.nu), 0.0
        self.end, self.pace = np.inf, 0.0  # time of the clock to give up at, and that of a Newton step, s

    def load(self, u: Array, t: float) -> None:
        """Inputs, signals and prescribed coordinates."""
        problem, model = self.workspace.problem, self.model
        self.u, self.t = u, t
        problem.inputs[:] = u
        if model.demand.laws:
            model.workspace.fill_signals(problem.signals, t)
        for joint in model.prescribed:
            problem.motion[:, list(joint.coordinates)] = joint.motion(t)

    def put(self, q: Array, multipliers: Array | None) -> None:
        """Where to begin; nothing is held, for zero times what an earlier search held (infinity) is not zero."""
        self.held[:] = 0.0
        self.workspace.problem.q[:] = q
        self.workspace.problem.multipliers[:] = 0.0 if multipliers is None else multipliers

    def newton(self, share: float, tolerance: float, most: int, longest: float) -> int:
        """Newton's method; returns a status."""
        return int(
            _newton.solve_newton(self.workspace.table, 0.0, share, self.held, tolerance, most, longest, self.space)
        )

    def let_go(
        self, q: Array, multipliers: Array | None, tolerance: float, most: int, budget: float = np.inf
    ) -> tuple[int, int]:
        """Hold what is unbalanced at q, and let go of it step by step.  Returns a status and Newton steps."""
        problem = self.workspace.problem
        self.put(q, multipliers)
        self._hold()
        share, step, count, status = 1.0, 0.25, 0, CONVERGED
        good = problem.q.copy(), problem.multipliers.copy()
        while share > 0.0:
            wanted = max(share - step, 0.0)
            status = self.newton(wanted, tolerance, most, 0.5)
            count += int(problem.flags[ITERATIONS])
            if status == CONVERGED:
                share, good = wanted, (problem.q.copy(), problem.multipliers.copy())
                step = min(2.0 * step if problem.flags[ITERATIONS] <= 5 else step, 0.5)
            else:
                problem.q[:], problem.multipliers[:] = good
                step *= 0.5
            if share > 0.0 and (step < SMALLEST_SHARE or count >= budget or self.is_late()):
                status = status if status != CONVERGED else SLOW
                break
        return status, count

    def is_late(self) -> bool:
        """Whether the time for other ways than Newton's method is up."""
        return time.perf_counter() >= self.end

    def search(
        self,
        q: Array,
        multipliers: Array | None,
        tolerance: float,
        most: int,
        globalise: bool,
        seconds: float = np.inf,
    ) -> Found:
        """Newton's method from q; then, if ``globalise`` and it fails or finds an unstable equilibrium, other ways.

        These begin no further step after so many ``seconds`` from now on.
        Multipliers that hold the robot at q, as far as they can, are a far better beginning than none: without them a
        robot that stands on its loops seems to hang from them, and its tangent is that of another robot.
        """
        if multipliers is None:
            multipliers = balancing_multipliers(self.model, self._prescribed(q), self.u, self.t)
        self.put(q, multipliers)
        began = time.perf_counter()
        self.end = began + seconds
        status = self._closed(self.newton(0.0, tolerance, most, LONGEST))
        found = Found(status, int(self.workspace.problem.flags[ITERATIONS]), "newton")
        self.pace = (time.perf_counter() - began) / max(found.iterations, 1)
        if status == CONVERGED:
            return found if not globalise or self._stable() else self._prefer_stable(q, tolerance, found)
        if not globalise:
            return self._settle(q, tolerance, most, found)
        if self.model.nc:
            return self._close_and_balance(q, tolerance, found)
        count = found.iterations
        for how, attempt in self._ways(q, multipliers, tolerance, most):
            status, more = attempt()
            count += more
            found = Found(status, count, how, neutral=True)
            if status == CONVERGED:
                break
        return found

    def _closed(self, status: int) -> int:
        """The status, but `SLOW` where loops hold by the rows that are left alone: no place of the robot."""
        open_there = status == CONVERGED and is_wide_open(self.model, self.workspace.problem.q)
        return SLOW if open_there else status

    def _settle(self, q: Array, tolerance: float, most: int, found: Found) -> Found:
        """Newton's method failed: perhaps only because something moves freely.  Else the problem is left as it was."""
        problem = self.workspace.problem
        left = problem.q.copy(), problem.multipliers.copy(), problem.residual.copy(), problem.vectors.copy()
        descent = Descent(self, self._prescribed(q))
        status = self._closed(descent.settle(self._prescribed(q), tolerance, most))
        if status == CONVERGED:
            return Found(status, found.iterations + descent.steps, "newton", neutral=True)
        problem.q[:], problem.multipliers[:], problem.residual[:], problem.vectors[:] = left
        return found._replace(iterations=found.iterations + descent.steps)

    def _close_and_balance(self, q: Array, tolerance: float, found: Found) -> Found:
        """With loops: close them, walk down on what they allow; if that fails, let go of the closed robot by steps."""
        model, problem, count = self.model, self.workspace.problem, found.iterations
        try:
            closed = assemble(model, self._prescribed(q), model.loops, model.fixed_coordinates)
        except ConvergenceError as error:
            return found._replace(why=str(error))
        descent = Descent(self, closed)
        status = self._closed(descent.walk(closed, tolerance))
        count += descent.steps
        if status != CONVERGED:
            left, multipliers = problem.q.copy(), problem.multipliers.copy()
            again, more = self.let_go(closed, None, tolerance, 15, LETTING_GO)
            count += more
            if self._closed(again) == CONVERGED:
                return Found(again, count, "steps", neutral=True)
            descent.show(left, multipliers)
        return Found(status, count, "descent", neutral=True)

    def _stable(self) -> bool:
        """Whether the last tangent stiffness is positive definite on what loops allow.

        One that is not symmetric (follower loads, dead moments) passes: no potential tells which way is down.
        """
        problem = self.workspace.problem
        T = self._stiffness()[np.ix_(problem.free, problem.free)]
        if self.model.nc:  # stiff against leaving what loops allow; where that is not enough, look more closely
            A = problem.matrices[0][:, problem.free]
            T = T + 1e3 * np.abs(T).max() / max((A * A).sum(axis=1).min(), NOTHING) * (A.T @ A)
        try:
            np.linalg.cholesky(T + T.T)
        except np.linalg.LinAlgError:
            if self.model.nc:
                return Descent(self, problem.q.copy()).is_stable()
            return bool(np.abs(T - T.T).max() > 1e-6 * np.abs(T).max())
        return True

    def _stiffness(self) -> Array:
        """The last tangent stiffness (n, n), where it was factorised over the tree formed only now."""
        problem, zero, forces = self.workspace.problem, np.zeros(self.model.n), np.zeros(self.model.n)
        if problem.flags[OVER_TREE]:
            at = (self.model.workspace.functions.residual, *self.workspace.handles)
            residual_tangent(*at, problem.q, zero, zero, 0.0, 0.0, forces, problem.tangent)
        return np.asarray(problem.tangent)

    def smallest_pivot(self) -> float:
        """Of the last factors, rows being scaled to size one."""
        if self.workspace.problem.flags[OVER_TREE] and self.workspace.factors is not None:
            return float(self.workspace.factors.smallest[0])
        return float(np.abs(self.workspace.problem.matrix.diagonal()).min(initial=1.0))

    def _prefer_stable(self, q: Array, tolerance: float, found: Found) -> Found:
        """Walk or relax from q to a stable equilibrium, if there is one that way; else stay with the unstable one."""
        problem = self.workspace.problem
        unstable = problem.q.copy(), problem.multipliers.copy() if self.model.nc else None
        if self.model.nc:
            other = self._close_and_balance(q, tolerance, found)
            if other.status == CONVERGED and Descent(self, problem.q.copy()).is_stable():
                return other
        else:
            status, more = self.relax(q, None, tolerance)
            if status == CONVERGED and self._stable():
                return Found(status, found.iterations + more, "relaxation", neutral=True)
        self.put(*unstable)
        return found._replace(status=self.newton(0.0, tolerance, 5, LONGEST))

    def _ways(self, q: Array, multipliers: Array | None, tolerance: float, most: int) -> list[Way]:
        """What to try without loops when Newton's method fails."""
        return [
            ("relaxation", lambda: self.relax(q, multipliers, tolerance)),
            ("steps", lambda: self.let_go(q, multipliers, tolerance, most)),
        ]

    def size_of(self, move: Array) -> float:
        """Weighted root mean square of a step (nf,) of the free coordinates, as in `solvers.statics.newton`."""
        return float(np.sqrt(np.mean((move / self.weights) ** 2))) if len(move) else 0.0

    def _hold(self) -> None:
        """held = residual and loop errors at the problem's state."""
        problem, model = self.workspace.problem, self.model
        problem.q[:] = self._prescribed(problem.q)
        zero = np.zeros(model.n)
        residual(model.workspace.functions.residual, *self.workspace.handles, problem.q, zero, zero, problem.residual)
        self.held[: len(problem.free)] = problem.residual[problem.free]
        if model.nc:
            self.held[len(problem.free) :] = loop_terms(model, problem.q, zero, zero, model.loops).error

    def _prescribed(self, q: Array) -> Array:
        """q with prescribed coordinates where their laws say."""
        problem, placed = self.workspace.problem, q.copy()
        placed[problem.fixed] = problem.motion[0, problem.fixed]
        return placed

    def relax(self, q: Array, multipliers: Array | None, tolerance: float) -> tuple[int, int]:
        """Relaxation; returns a status and steps."""
        problem = self.workspace.problem
        self.put(q, multipliers)
        self.held[:] = 0.0
        most = RELAXATIONS
        if np.isfinite(self.end):
            left = (self.end - time.perf_counter()) / max(self.pace, NOTHING)
            most = int(np.clip(left, FEWEST_RELAXATIONS, RELAXATIONS))
        status = int(_newton.relax(self.workspace.table, 0.0, self.held, tolerance, most, 0.5, self.space))
        return status, int(problem.flags[ITERATIONS])


def balancing_multipliers(model: Model, q: Array, u: Array, t: float) -> Array:
    """Multipliers (nc,) of loops that come nearest to holding the robot at rest at q."""
    if not model.nc:
        return np.zeros(0)
    free, zero = model.free_coordinates, np.zeros(model.n)
    forces = model.residual(q, zero, zero, u, None, t)[free]
    return np.asarray(np.linalg.lstsq(model.loop_jacobian(q)[:, free].T, forces, rcond=None)[0])


def solver_of(model: Model) -> Solver:
    """This thread's solver of a model."""
    return model.workspace.remembered("statics", None, lambda: Solver(model), 1)


def given_inputs(model: Model, u: Any) -> Array:
    """Inputs (nu,) from what users give; tensions must not be negative."""
    array = constant_inputs(model, u)
    check_tensions(model, array)
    return array


def first_guess(model: Model, q0: ArrayLike | None) -> Array:
    """Where to begin: the given coordinates, which must be finite, or rest."""
    q = model.rest if q0 is None else model.arguments.state("q0", q0)
    bad = np.flatnonzero(~np.isfinite(q))
    if bad.size:
        raise StateError(f"q0[{bad[0]}] ({model.coordinate_names[bad[0]]}) is {q[bad[0]]}, must be finite")
    return np.array(q)


def statics(
    model: Model,
    u: Any,
    q0: ArrayLike | None,
    t: float,
    multipliers: ArrayLike | None,
    tolerance: float,
    max_iterations: int,
    globalise: bool,
) -> Equilibrium:
    """See `Model.statics`."""
    found = find(model, u, q0, t, multipliers, tolerance, max_iterations, globalise)
    if not found.converged:
        warnings.warn(found.message, ModelWarning, stacklevel=3)
    return found


def find(
    model: Model,
    u: Any = None,
    q0: ArrayLike | None = None,
    t: float = 0.0,
    multipliers: ArrayLike | None = None,
    tolerance: float = 1e-10,
    max_iterations: int = 60,
    globalise: bool = True,
    seconds: float = np.inf,
) -> Equilibrium:
    """`statics` without a warning; other ways than Newton's method are given up after so many ``seconds``."""
    inputs, q = given_inputs(model, u), first_guess(model, q0)
    solver = solver_of(model)
    lam = None if multipliers is None else model.arguments.inputs("multipliers", multipliers, model.nc)
    t = number("t", t)
    solver.load(inputs, t)
    found = solver.search(q, lam, tolerance, max_iterations, globalise, seconds)
    problem = solver.workspace.problem
    q, forces = problem.q.copy(), problem.residual.copy()
    result = Equilibrium(
        q=q,
        u=inputs,
        t=t,
        efforts=joint_efforts(model, q, forces),
        multipliers=named_multipliers(model, problem.multipliers.copy()),
        residual=float(np.abs(forces[problem.free]).max(initial=0.0)),
        loop_error=float(np.abs(problem.vectors[0]).max(initial=0.0)),
        iterations=found.iterations,
        converged=found.status == CONVERGED and bool(np.isfinite(q).all()),
        how=found.how,
        note=f"converged in {found.iterations} Newton steps ({found.how})",
        doubtful=found.neutral or solver.smallest_pivot() < DOUBTFUL,
        model=model,
    )
    return result if result.converged else _failed(result, found, forces, globalise, solver.is_late())


def _failed(result: Equilibrium, found: Found, forces: Array, globalise: bool, late: bool) -> Equilibrium:
    """The same with a message that says why, as far as that can be told."""
    model = result.model
    for load in model.loads:
        if load.guard is not None:
            load.guard.explain()
    free = model.free_coordinates
    worst = free[np.abs(forces[free]).argmax()] if len(free) else 0
    loose = None if found.status == NOT_FINITE or found.why else _unresisted(result)
    gap, name = dropped_gap(model, result.q) if np.isfinite(result.q).all() else (0.0, "")
    if found.why:
        why = found.why
    elif gap > WIDE and result.loop_error < WIDE:
        why = (
            f"the search ended where loop {name!r} is open by {gap:.3g} (rad, m): its rows that were dropped follow "
            "from the others only near model.assemble()"
        )
    elif loose is not None:
        why = f"nothing resists {model.coordinate_names[loose]} (the tangent stiffness is singular)"
    elif found.status == NOT_FINITE:
        why = "the residual is not finite"
    elif globalise and late:
        why = "Newton's method stalled, and no time was left for other ways"
    elif globalise and model.nc:
        why = (
            f"loops are closed, but walking down from there ({STEPS} steps at most) and letting go step by step "
            "did not come to rest"
        )
    elif globalise:
        why = "Newton's method, letting go step by step and relaxation all stalled"
    else:
        why = "Newton's method stalled"
    message = (
        f"model {model.name!r}: no equilibrium found in {result.iterations} Newton steps: {why}; the largest "
        f"unbalanced force is {result.residual:.3g}, at {model.coordinate_names[worst]}; try another q0, smaller "
        "inputs, or equilibrium_path from a state that you know"
    )
    return replace(result, note=message)


def _unresisted(result: Equilibrium) -> int | None:
    """The coordinate that moves most where an unbalanced force meets no stiffness, if there is such a motion."""
    basis = allowed_directions(result.model, result.q)
    reduced = basis.T @ result.stiffness @ basis
    zero, multipliers = np.zeros(result.model.n), np.asarray(result.multipliers)
    forces = basis.T @ result.model.residual(result.q, zero, zero, result.u, multipliers, result.t)
    rows = np.abs(reduced).max(axis=1, initial=0.0)
    weights = np.where(rows > NO_RANK * rows.max(initial=0.0), np.sqrt(rows), 1.0)
    left, values, _ = np.linalg.svd(reduced / weights[:, None] / weights)
    loose = left[:, values <= WEAK * max(values.max(initial=0.0), NOTHING)]
    along = loose @ (loose.T @ (forces / weights))
    if np.linalg.norm(along) <= 1e-6 * np.linalg.norm(forces / weights):
        return None
    moves = np.abs(basis @ (along / weights))
    return int((moves > 0.999 * moves.max()).argmax())  # the first of those that move as far, but for rounding


def assemble_at_rest(model: Model, q0: ArrayLike | None, u: Any, t: float) -> Array:
    """Coordinates of the equilibrium in which all loops are closed."""
    found = find(model, u, q0, t, max_iterations=100)
    if not found.converged:
        raise ConvergenceError(found.message)
    return found.q
