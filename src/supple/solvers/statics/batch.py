"""Many equilibria at once, on several threads.

Ctrl-C reaches the main thread only, and a thread that waits without end does not notice it: the main thread looks up
ten times per second, the others before every row.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from supple.errors import Interrupted, ShapeError
from supple.model.arguments import number
from supple.solvers.inputs import check_tensions, input_array
from supple.solvers.stage.status import CONVERGED
from supple.solvers.statics.equilibrium import Equilibria
from supple.solvers.statics.search import first_guesses, solver_of

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

#: How often the main thread looks up, s.
LOOKING_UP = 0.1


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
        )
        self.lock, self.stopped = threading.Lock(), threading.Event()

    def work(self, rows: range) -> None:
        """Solve some rows, as long as nobody says stop."""
        with self.lock:  # reading kernels from the cache is not safe in parallel
            solver = solver_of(self.model)
        problem, found = solver.workspace.problem, self.found
        for i in rows:
            if self.stopped.is_set():
                return
            solver.load(self.inputs[i], self.t)
            end = solver.search(self.guesses[i], None, self.tolerance, self.most, True)
            found.q[i], found.multipliers[i] = problem.q, problem.multipliers
            found.residual[i] = np.abs(problem.residual[problem.free]).max(initial=0.0)
            found.iterations[i], found.converged[i] = end.iterations, end.status == CONVERGED
            found.done[i] = True  # last: a row that is done is complete

    def share(self, workers: int) -> None:
        """Solve all rows on several threads."""
        N = len(self.inputs)
        pool = ThreadPoolExecutor(workers)
        try:
            running = {pool.submit(self.work, range(k, N, workers)) for k in range(workers)}
            while running:
                ended, running = wait(running, LOOKING_UP, FIRST_EXCEPTION)
                for future in ended:
                    future.result()
        finally:
            self.stopped.set()
            pool.shutdown(wait=False, cancel_futures=True)

    def so_far(self) -> Equilibria:
        """What is complete, with zeros in all other rows; threads may still be at work on these."""
        done = self.found.done.copy()
        parts = [np.where(done.reshape(-1, *[1] * (part.ndim - 1)), part, 0).astype(part.dtype) for part in self.found]
        return Equilibria._make([*parts[:-1], done])


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
    guesses = first_guesses(model, q0, len(inputs))
    batch = _Batch(model, inputs, guesses, number("t", t), tolerance, max_iterations)
    workers = max(1, min(threads or os.cpu_count() or 1, len(inputs)))
    try:
        if workers == 1:
            batch.work(range(len(inputs)))
        else:
            batch.share(workers)
    except KeyboardInterrupt:
        result = batch.so_far()
        message = f"interrupted after {int(result.done.sum())} of {len(inputs)} equilibria, which are kept in .result"
        raise Interrupted(message, result) from None
    return batch.found
