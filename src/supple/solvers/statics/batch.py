"""Many equilibria at once, on several threads."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import floats, why
from supple.errors import Interrupted, ShapeError, StateError, warn
from supple.model.arguments import number
from supple.solvers.inputs import check_tensions
from supple.solvers.stage.status import CONVERGED
from supple.solvers.statics.equilibrium import Equilibria
from supple.solvers.statics.search import Solver, solver_of
from supple.threads import Queue, share, worker_count

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


class _Batch:
    """Rows of inputs and guesses, and what was found for them so far."""

    def __init__(self, model: Model, inputs: Array, guesses: Array, t: float, tolerance: float, most: int) -> None:
        self.model, self.inputs, self.guesses, self.t = model, inputs, guesses, t
        self.tolerance, self.most = tolerance, most
        N = len(inputs)
        self.found = Equilibria(
            q=np.zeros((N, model.n)),
            multipliers=np.zeros((N, model.nc)),
            residual=np.zeros(N),
            iterations=np.zeros(N, np.int64),
            converged=np.zeros(N, bool),
            done=np.zeros(N, bool),
            failures={},
        )
        self.lock = threading.Lock()

    def work(self, queue: Queue) -> None:
        """Solve rows, as long as there are any and nobody says stop."""
        with self.lock:  # reading kernels from the cache is not safe in parallel
            solver = solver_of(self.model)
        for i in queue:
            try:
                self.solve(solver, i)
            except Exception as error:
                self.found.failures[i] = error
                for part in self.found[:3]:
                    part[i] = np.nan
            self.found.done[i] = True  # last: a row that is done is complete

    def solve(self, solver: Solver, i: int) -> None:
        """One row."""
        problem, found, model = solver.workspace.problem, self.found, self.model
        check_finite(model, self.inputs[i], self.guesses[i])
        check_tensions(model, self.inputs[i])
        solver.load(self.inputs[i], self.t)
        end = solver.search(self.guesses[i], None, self.tolerance, self.most, True)
        found.q[i], found.multipliers[i] = problem.q, problem.multipliers
        found.residual[i] = np.abs(problem.residual[problem.free]).max(initial=0.0)
        found.iterations[i], found.converged[i] = end.iterations, end.status == CONVERGED

    def so_far(self) -> Equilibria:
        """What is complete, with zeros in all other rows."""
        done, found = self.found.done.copy(), self.found
        parts = [found.q, found.multipliers, found.residual, found.iterations, found.converged]
        kept = [np.where(done.reshape(-1, *[1] * (part.ndim - 1)), part, 0).astype(part.dtype) for part in parts]
        return Equilibria._make([*kept, done, dict(found.failures)])


def check_finite(model: Model, u: Array, q0: Array) -> None:
    """Refuse a row, or what all rows share, with a NaN."""
    for name, values, labels in (("u", u, model.input_names), ("q0", q0, model.coordinate_names)):
        bad = np.flatnonzero(~np.isfinite(values))
        if bad.size:
            raise StateError(f"{name}[{bad[0]}] ({labels[bad[0]]}) is {values[bad[0]]}, must be finite")


def rows_of(model: Model, u: ArrayLike | None, q0: ArrayLike | None) -> tuple[Array, Array]:
    """Inputs (N, nu) and guesses (N, n) of all rows."""
    try:
        inputs = floats(np.zeros(model.nu) if u is None else u)
        guesses = floats(model.rest if q0 is None else q0)
    except ValueError as reason:
        raise ShapeError(f"u and q0 must be real numbers{why(reason)}") from None
    if guesses.ndim not in (1, 2) or guesses.shape[-1] != model.n:
        raise ShapeError(f"q0 has shape {guesses.shape}, must be ({model.n},) or (N, {model.n})")
    if inputs.ndim not in (1, 2) or inputs.shape[-1] != model.nu or inputs.ndim + guesses.ndim < 3:
        also = f", or ({model.nu},) with q0 (N, {model.n})"
        raise ShapeError(f"u has shape {inputs.shape}, must be (N, {model.nu}){also}")
    shared = inputs if inputs.ndim == 1 else np.zeros(model.nu), guesses if guesses.ndim == 1 else model.rest
    check_finite(model, *shared)  # what is wrong in every row is an error, in one of many a failure of that one
    count = len(inputs) if inputs.ndim == 2 else len(guesses)
    if guesses.ndim == 2 and len(guesses) != count:
        raise ShapeError(f"q0 has shape {guesses.shape}, must be ({model.n},) or ({count}, {model.n})")
    return np.broadcast_to(inputs, (count, model.nu)), np.broadcast_to(guesses, (count, model.n))


def statics_batch(
    model: Model,
    u: ArrayLike | None,
    q0: ArrayLike | None,
    t: float,
    tolerance: float,
    max_iterations: int,
    threads: int | None,
) -> Equilibria:
    """See `Model.statics_batch`."""
    inputs, guesses = rows_of(model, u, q0)
    batch = _Batch(model, inputs, guesses, number("t", t), tolerance, max_iterations)
    try:
        share(Queue(range(len(inputs))), batch.work, worker_count(threads, len(inputs)))
    except KeyboardInterrupt:
        result = batch.so_far()
        message = f"interrupted after {int(result.done.sum())} of {len(inputs)} equilibria, which are kept in .result"
        raise Interrupted(message, result) from None
    failures = batch.found.failures
    if failures:
        first = min(failures)
        warn(f"{len(failures)} of {len(inputs)} rows failed, the first is row {first}: {failures[first]}")
    return batch.found
