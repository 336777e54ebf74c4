"""Equilibria: Newton's method from a guess, then letting go step by step, then relaxation."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import floats, shown, why
from supple.core.residual import RESIDUAL, residual
from supple.errors import ConvergenceError, ModelWarning, ShapeError, StateError
from supple.model.constraints import Multipliers, loop_terms
from supple.model.law_program import make_program
from supple.model.summary import counted
from supple.readouts.along import Readings
from supple.solvers import newton as _newton
from supple.solvers.desk import ITERATIONS, Office, make_desk
from supple.solvers.inputs import check_tensions, constant_inputs, input_array
from supple.solvers.stage import CONVERGED, NOT_FINITE

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.readouts.parts import State

Array = np.ndarray

#: Farthest that one Newton step may move a coordinate (rad, or strain, or m).
LONGEST = 2.0
#: Smallest share that is let go of at once.
SMALLEST_SHARE = 1e-3
#: Steps of relaxation.
RELAXATIONS = 2000
#: Coordinates of linear strains matter at this size.
STRAIN_WEIGHT = 0.1


@dataclass(frozen=True, eq=False, repr=False)
class Equilibrium(Readings):
    """A state of rest under inputs and loads.

    Its read-outs (`contact`, `reaction`, `strain`, `stress`, `inner_forces`, `tensions`, ...) are those of `Model`.

    Attributes
    ----------
    q : (n,)
    u : (nu,)
    t : float
        Time at which laws were taken, s.
    efforts : (ne,)
        Of prescribed joints.
    multipliers : Multipliers
        Of loops.
    residual : float
        Largest unbalanced generalised force.
    loop_error : float
        Largest error of loops (rad, m).
    iterations : int
        Newton steps, of all attempts.
    converged : bool
    how : str
        "newton", "steps" (let go step by step) or "relaxation".
    message : str
        What happened; why it failed if it did.
    """

    q: Array
    u: Array
    t: float
    efforts: Array
    multipliers: Multipliers
    residual: float
    loop_error: float
    iterations: int
    converged: bool
    how: str
    message: str
    model: Model = field(repr=False)

    _single = True

    def __bool__(self) -> bool:
        return self.converged

    def __repr__(self) -> str:
        how = f"{self.how}, {counted(self.iterations, 'iteration')}" if self.converged else "not converged"
        size = f"{counted(self.model.n, 'coordinate')}, residual {self.residual:.1e}"
        return f"<Equilibrium of {self.model.name!r}: {size}, {how}>"

    def _need_model(self) -> Model:
        return self.model

    def _clock(self) -> tuple[Array, str]:
        return np.array([self.t]), "time [s]"

    def _states(self) -> list[State]:
        from supple.readouts.parts import make_state

        u = self.u if self.model.nu else None
        return [make_state(self.model, self.q, u=u, lam=np.asarray(self.multipliers), t=self.t)]

    @cached_property
    def stiffness(self) -> Array:
        """Tangent stiffness dR/dq (n, n), with loads and loops."""
        zero = np.zeros(self.model.n)
        multipliers = np.asarray(self.multipliers)
        return self.model.residual_tangent(self.q, zero, zero, self.u, multipliers, self.t)[1]

    @cached_property
    def eigenvalues(self) -> Array:
        """Eigenvalues of the tangent stiffness on what loops and prescribed joints allow, by rising real part."""
        basis = allowed_directions(self.model, self.q)
        reduced = basis.T @ self.stiffness @ basis
        scale = np.abs(reduced).max(initial=1e-300)
        if np.abs(reduced - reduced.T).max(initial=0.0) < 1e-9 * scale:
            return np.linalg.eigvalsh(0.5 * (reduced + reduced.T))
        values = np.linalg.eigvals(reduced)
        return np.asarray(values[np.argsort(values.real)])

    @property
    def smallest_eigenvalue(self) -> float:
        """Smallest real part of `eigenvalues`."""
        return float(self.eigenvalues[0].real) if len(self.eigenvalues) else np.inf

    @property
    def stable(self) -> bool:
        """Whether every small disturbance meets a restoring force (for follower loads: no divergence)."""
        return self.smallest_eigenvalue > 0.0


class Equilibria(NamedTuple):
    """Many equilibria, one per row of inputs."""

    q: Array  #: (N, n)
    multipliers: Array  #: (N, nc)
    residual: Array  #: (N,) largest unbalanced generalised force
    iterations: Array  #: (N,) Newton steps
    converged: Array  #: (N,) bool

    def __repr__(self) -> str:
        return f"<Equilibria: {len(self.q)}, {int(np.sum(self.converged))} of them converged>"


class Found(NamedTuple):
    """How a search ended."""

    status: int
    iterations: int
    how: str


#: Name of an attempt, and the attempt: it returns a status and Newton steps.
Way: TypeAlias = tuple[str, Callable[[], tuple[int, int]]]


class Solver:
    """A desk for equilibria of one model; not shared between threads."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.office: Office = make_desk(model, make_program([], []), np.zeros((0, 2), np.int64), stabilised=False)
        desk = self.office.desk
        size = len(desk.free) + model.nc
        self.held, self.space = np.zeros(size), np.zeros((4, size))
        desk.weights[0] = np.where(model.topology.component >= 3, STRAIN_WEIGHT, 1.0)
        self.u, self.t = np.zeros(model.nu), 0.0

    def load(self, u: Array, t: float) -> None:
        """Inputs, signals and prescribed coordinates."""
        desk, model = self.office.desk, self.model
        self.u, self.t = u, t
        desk.inputs[:] = u
        if model.demand.laws:
            model._fill_signals(desk.signals, t)
        for joint in model.prescribed:
            desk.motion[:, list(joint.coordinates)] = joint.motion(t)

    def put(self, q: Array, multipliers: Array | None) -> None:
        """Where to begin."""
        self.office.desk.q[:] = q
        self.office.desk.multipliers[:] = 0.0 if multipliers is None else multipliers

    def newton(self, share: float, tolerance: float, most: int, longest: float) -> int:
        """Newton's method; returns a status."""
        return int(_newton.solve_newton(self.office.table, 0.0, share, self.held, tolerance, most, longest, self.space))

    def let_go(self, q: Array, multipliers: Array | None, tolerance: float, most: int) -> tuple[int, int]:
        """Hold what is unbalanced at q, and let go of it step by step.  Returns a status and Newton steps."""
        desk = self.office.desk
        self.put(q, multipliers)
        self._hold()
        share, step, count, status = 1.0, 0.25, 0, CONVERGED
        good = desk.q.copy(), desk.multipliers.copy()
        while share > 0.0:
            wanted = max(share - step, 0.0)
            status = self.newton(wanted, tolerance, most, 0.5)
            count += int(desk.flags[ITERATIONS])
            if status == CONVERGED:
                share, good = wanted, (desk.q.copy(), desk.multipliers.copy())
                step = min(2.0 * step if desk.flags[ITERATIONS] <= 5 else step, 0.5)
            else:
                desk.q[:], desk.multipliers[:] = good
                step *= 0.5
                if step < SMALLEST_SHARE:
                    break
        return status, count

    def search(self, q: Array, multipliers: Array | None, tolerance: float, most: int, globalise: bool) -> Found:
        """Newton's method from q; then, if ``globalise`` and it fails or finds an unstable equilibrium, other ways.

        Multipliers that hold the robot at q, as far as they can, are a far better beginning than none: without them a
        robot that stands on its loops seems to hang from them, and its tangent is that of another robot.
        """
        if multipliers is None:
            multipliers = balancing_multipliers(self.model, self._prescribed(q), self.u, self.t)
        self.put(q, multipliers)
        status = self.newton(0.0, tolerance, most, LONGEST)
        found = Found(status, int(self.office.desk.flags[ITERATIONS]), "newton")
        if not globalise:
            return found
        if status == CONVERGED:
            return found if self._stable() or self.model.nc else self._prefer_stable(q, tolerance, found)
        count = found.iterations
        for how, attempt in self._ways(q, multipliers, tolerance, most):
            status, more = attempt()
            count += more
            found = Found(status, count, how)
            if status == CONVERGED:
                break
        return found

    def _stable(self) -> bool:
        """Whether the last tangent stiffness is positive definite; loops are not looked at.

        One that is not symmetric (follower loads, dead moments) passes: no potential tells which way is down.
        """
        desk = self.office.desk
        T = desk.T[np.ix_(desk.free, desk.free)]
        try:
            np.linalg.cholesky(T + T.T)
        except np.linalg.LinAlgError:
            return bool(np.abs(T - T.T).max() > 1e-6 * np.abs(T).max())
        return True

    def _prefer_stable(self, q: Array, tolerance: float, found: Found) -> Found:
        """Relax from q to a stable equilibrium, if there is one that way; else stay with the unstable one."""
        desk = self.office.desk
        unstable = desk.q.copy()
        status, more = self.relax(q, None, tolerance)
        if status == CONVERGED and self._stable():
            return Found(status, found.iterations + more, "relaxation")
        self.put(unstable, None)
        return found._replace(status=self.newton(0.0, tolerance, 5, LONGEST))

    def _ways(self, q: Array, multipliers: Array | None, tolerance: float, most: int) -> list[Way]:
        """What to try when Newton's method fails: relaxation first, unless loops may be open, which it cannot close."""
        steps: Way = "steps", lambda: self.let_go(q, multipliers, tolerance, most)
        relaxation: Way = "relaxation", lambda: self.relax(q, multipliers, tolerance)
        return [steps, relaxation] if self.model.nc else [relaxation, steps]

    def _hold(self) -> None:
        """held = residual and loop errors at the desk's state."""
        desk, model = self.office.desk, self.model
        desk.q[:] = self._prescribed(desk.q)
        zero = np.zeros(model.n)
        residual(RESIDUAL.address, *self.office.handles, desk.q, zero, zero, desk.R)
        self.held[: len(desk.free)] = desk.R[desk.free]
        if model.nc:
            self.held[len(desk.free) :] = loop_terms(model, desk.q, zero, zero, model.loops).error

    def _prescribed(self, q: Array) -> Array:
        """q with prescribed coordinates where their laws say."""
        desk, placed = self.office.desk, q.copy()
        placed[desk.fixed] = desk.motion[0, desk.fixed]
        return placed

    def relax(self, q: Array, multipliers: Array | None, tolerance: float) -> tuple[int, int]:
        """Relaxation; returns a status and steps."""
        desk = self.office.desk
        self.put(q, multipliers)
        self.held[:] = 0.0
        status = int(_newton.relax(self.office.table, 0.0, self.held, tolerance, RELAXATIONS, 0.5, self.space))
        return status, int(desk.flags[ITERATIONS])


def allowed_directions(model: Model, q: Array) -> Array:
    """Orthonormal basis (n, k) of velocities that loops and prescribed joints allow at q."""
    free = model._free
    basis = np.zeros((model.n, len(free)))
    basis[free, np.arange(len(free))] = 1.0
    if not model.nc:
        return basis
    _, sizes, rows = np.linalg.svd(model.loop_jacobian(q)[:, free])
    rank = int((sizes > 1e-9 * sizes.max(initial=0.0)).sum())
    return np.asarray(basis @ rows[rank:].T)


def balancing_multipliers(model: Model, q: Array, u: Array, t: float) -> Array:
    """Multipliers (nc,) of loops that come nearest to holding the robot at rest at q."""
    if not model.nc:
        return np.zeros(0)
    free, zero = model._free, np.zeros(model.n)
    forces = model.residual(q, zero, zero, u, None, t)[free]
    return np.asarray(np.linalg.lstsq(model.loop_jacobian(q)[:, free].T, forces, rcond=None)[0])


def solver_of(model: Model) -> Solver:
    """This thread's solver of a model."""
    kept = model._threads.__dict__
    if "statics" not in kept:
        kept["statics"] = Solver(model)
    return kept["statics"]  # type: ignore[no-any-return]


def given_inputs(model: Model, u: Any) -> Array:
    """Inputs (nu,) from what users give; tensions must not be negative."""
    array = constant_inputs(model, u)
    check_tensions(model, array)
    return array


def first_guess(model: Model, q0: ArrayLike | None) -> Array:
    """Where to begin: the given coordinates, which must be finite, or rest."""
    q = model.rest if q0 is None else model._state("q0", q0)
    bad = np.flatnonzero(~np.isfinite(q))
    if bad.size:
        raise StateError(f"q0[{bad[0]}] ({model.coordinate_names[bad[0]]}) is {q[bad[0]]}, must be finite")
    return np.array(q)


def first_guesses(model: Model, q0: ArrayLike | None, count: int) -> Array:
    """Where to begin each of so many searches, (count, n): one guess for all, or one for each."""
    try:
        given = floats(model.rest if q0 is None else q0)
    except ValueError as reason:
        raise ShapeError(f"q0 is {shown(q0)}, must be real numbers{why(reason)}") from None
    if given.shape not in ((model.n,), (count, model.n)):
        raise ShapeError(f"q0 has shape {given.shape}, must be ({model.n},) or ({count}, {model.n})")
    if not np.isfinite(given).all():
        raise StateError("q0 holds values that are not finite")
    return np.broadcast_to(given, (count, model.n))


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
) -> Equilibrium:
    """`statics` without a warning."""
    inputs, q = given_inputs(model, u), first_guess(model, q0)
    solver = solver_of(model)
    lam = None if multipliers is None else model._inputs("multipliers", multipliers, model.nc)
    t = model._number("t", t)
    solver.load(inputs, t)
    found = solver.search(q, lam, tolerance, max_iterations, globalise)
    desk = solver.office.desk
    q, forces = desk.q.copy(), desk.R.copy()
    result = Equilibrium(
        q=q,
        u=inputs,
        t=t,
        efforts=model._efforts(q, forces),
        multipliers=model._multipliers(desk.multipliers.copy()),
        residual=float(np.abs(forces[desk.free]).max(initial=0.0)),
        loop_error=float(np.abs(desk.vectors[0]).max(initial=0.0)),
        iterations=found.iterations,
        converged=found.status == CONVERGED and bool(np.isfinite(q).all()),
        how=found.how,
        message=f"converged in {found.iterations} Newton steps ({found.how})",
        model=model,
    )
    return result if result.converged else _failed(result, found.status, forces, globalise)


def _failed(result: Equilibrium, status: int, forces: Array, globalise: bool) -> Equilibrium:
    """The same with a message that says why, as far as that can be told."""
    model = result.model
    for load in model.loads:
        if load.guard is not None:
            load.guard.explain()
    free = model._free
    worst = free[np.abs(forces[free]).argmax()] if len(free) else 0
    loose = None if status == NOT_FINITE else _unresisted(result)
    if loose is not None:
        why = f"nothing resists {model.coordinate_names[loose]} (the tangent stiffness is singular)"
    elif status == NOT_FINITE:
        why = "the residual is not finite"
    elif globalise:
        why = "Newton's method, letting go step by step and relaxation all stalled"
    else:
        why = "Newton's method stalled"
    message = (
        f"model {model.name!r}: no equilibrium found in {result.iterations} Newton steps: {why}; the largest "
        f"unbalanced force is {result.residual:.3g}, at {model.coordinate_names[worst]}; try another q0, smaller "
        "inputs, or equilibrium_path from a state that you know"
    )
    return replace(result, message=message)


def _unresisted(result: Equilibrium) -> int | None:
    """The coordinate that moves most where an unbalanced force meets no stiffness, if there is such a motion."""
    basis = allowed_directions(result.model, result.q)
    reduced = basis.T @ result.stiffness @ basis
    zero, multipliers = np.zeros(result.model.n), np.asarray(result.multipliers)
    forces = basis.T @ result.model.residual(result.q, zero, zero, result.u, multipliers, result.t)
    sizes = np.sqrt(np.maximum(np.abs(reduced).max(axis=1, initial=0.0), 1e-300))
    weights = np.where(sizes > 1e-12 * sizes.max(initial=0.0), sizes, 1.0)
    left, values, _ = np.linalg.svd(reduced / weights[:, None] / weights)
    loose = left[:, values <= 1e-10 * max(values.max(initial=0.0), 1e-300)]
    along = loose @ (loose.T @ (forces / weights))
    if np.linalg.norm(along) <= 1e-6 * np.linalg.norm(forces / weights):
        return None
    return int(np.abs(basis @ (along / weights)).argmax())


def statics_batch(
    model: Model,
    u: ArrayLike,
    q0: ArrayLike | None,
    t: float,
    tolerance: float,
    max_iterations: int,
    threads: int | None,
) -> Equilibria:
    """See `Model.statics_batch`."""
    inputs = input_array(model, u)
    if inputs.ndim != 2 or inputs.shape[1] != model.nu:
        raise ShapeError(f"u has shape {inputs.shape}, must be (N, {model.nu})")
    check_tensions(model, inputs)
    N, t = len(inputs), model._number("t", t)
    guesses = first_guesses(model, q0, N)
    result = Equilibria(
        np.zeros((N, model.n)), np.zeros((N, model.nc)), np.zeros(N), np.zeros(N, np.int64), np.zeros(N, bool)
    )
    workers = max(1, min(threads or os.cpu_count() or 1, N))
    lock = threading.Lock()

    def work(rows: range) -> None:
        with lock:  # reading kernels from the cache is not safe in parallel
            solver = solver_of(model)
        desk = solver.office.desk
        for i in rows:
            solver.load(inputs[i], t)
            found = solver.search(guesses[i], None, tolerance, max_iterations, True)
            result.q[i], result.multipliers[i] = desk.q, desk.multipliers
            result.residual[i] = np.abs(desk.R[desk.free]).max(initial=0.0)
            result.iterations[i], result.converged[i] = found.iterations, found.status == CONVERGED

    if workers == 1:
        work(range(N))
    else:
        with ThreadPoolExecutor(workers) as pool:
            for done in [pool.submit(work, range(k, N, workers)) for k in range(workers)]:
                done.result()
    return result


def assemble_at_rest(model: Model, q0: ArrayLike | None, u: Any, t: float) -> Array:
    """Coordinates of the equilibrium in which all loops are closed."""
    found = find(model, u, q0, t, max_iterations=100)
    if not found.converged:
        raise ConvergenceError(found.message)
    return found.q
