"""Many simulations of one robot on several threads, each with the numbers that it would have alone.

Every run is a `Simulation` with arrays of its own; threads share the model, which never changes.  Which thread makes
which run, and in which order, changes nothing.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.batch.failure import Failure, warn_of_failures
from supple.batch.folder import RunFolder, key_of
from supple.batch.motions import KIND, InFiles, InMemory, Motions, robot_digest
from supple.batch.tally import Tally, checked_progress
from supple.checks import file_path, flag, floats, shown, why
from supple.errors import Interrupted, ModelError, ShapeError, SimulationError, StateError, StorageError
from supple.fingerprint import fingerprint
from supple.solvers.integrators import Method
from supple.solvers.motion.plan import Plan
from supple.solvers.motion.simulation import Simulation
from supple.solvers.motion.start import output_times
from supple.solvers.motion.trajectory import Trajectory
from supple.solvers.options import thread_count
from supple.threads import Queue, share, worker_count

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


class PerRun:
    """One argument of all runs: how many runs it is for, and what each of them gets.

    ``count`` is None for what all runs share.
    """

    def __init__(self, count: int | None, of: Callable[[int], Any]) -> None:
        self.count, self.of = count, of


def states_of(model: Model, name: str, given: ArrayLike | None) -> PerRun:
    """q0 or v0: (n,) for all runs, or (B, n)."""
    if given is None:
        return PerRun(None, lambda i: None)
    try:
        array = floats(given)
    except ValueError as reason:
        raise ShapeError(f"{name} is {shown(given)}, must be real numbers{why(reason)}") from None
    if array.shape == (model.n,):
        return PerRun(None, lambda i: array)
    if array.ndim == 2 and array.shape[1] == model.n:
        return PerRun(len(array), lambda i: np.array(array[i]))
    raise ShapeError(f"{name} has shape {array.shape}, model {model.name!r} needs ({model.n},) or (B, {model.n})")


def inputs_of(model: Model, u: Any, times: int) -> PerRun:
    """Inputs: what all runs share (numbers (nu,), a dict, a law, a function), or one for each run.

    Arrays (B, nu) are constants of each run, (B, T, nu) samples at the output times, of all runs if B is 1; a list
    of other things than numbers holds for each run what `Model.simulate` takes.
    """
    if u is None or callable(u) or isinstance(u, Mapping):
        return PerRun(None, lambda i: u)
    try:
        array = floats(u)
    except ValueError as reason:
        if not isinstance(u, (list, tuple)):
            raise ShapeError(f"u is {shown(u)}, must be numbers, laws, or a list with one of these per run") from reason
        return PerRun(len(u), lambda i: u[i])
    nu = model.nu
    if array.shape == (nu,):
        return PerRun(None, lambda i: array)
    if array.ndim == 2 and array.shape[1] == nu:
        return PerRun(len(array), lambda i: np.array(array[i]))
    if array.ndim == 3 and array.shape[1:] == (times, nu):
        shared = len(array) == 1
        return PerRun(None if shared else len(array), lambda i: np.array(array[0 if shared else i]))
    raise ShapeError(f"u has shape {array.shape}, must be ({nu},), (B, {nu}), (B, {times}, {nu}) or (1, {times}, {nu})")


def run_count(given: Mapping[str, PerRun]) -> int:
    """How many runs there are: as many as all arguments with a leading axis agree on."""
    counts = {name: part.count for name, part in given.items() if part.count is not None}
    if not counts:
        raise ShapeError("nothing says how many runs there are: give q0 (B, n), v0 (B, n) or u (B, nu)")
    if len(set(counts.values())) > 1:
        said = ", ".join(f"{name} is for {count}" for name, count in counts.items())
        raise ShapeError(f"arguments are for different numbers of runs: {said}; samples that all share are (1, T, nu)")
    return next(iter(counts.values()))


class Batch:
    """Runs, and what became of them so far."""

    def __init__(self, plan: Plan, given: dict[str, PerRun], method: Method | None, options: dict[str, Any]) -> None:
        assert plan.wanted is not None
        self.plan, self.model, self.times = plan, plan.model, plan.wanted
        self.given, self.method, self.options = given, method, options
        self.count = run_count(given)
        self.done = np.zeros(self.count, dtype=bool)
        self.failures: dict[int, Failure] = {}
        self.memory: InMemory | None = None
        self.folder: RunFolder | None = None
        self._first = threading.Lock()
        self._warm = False

    def open_folder(self, path: str | os.PathLike[str], resume: bool) -> None:
        """Keep results in a folder; those that it has already are not computed again."""
        options, unknown = fingerprint(self.options)
        content = {
            "robot": robot_digest(self.model),
            "times": fingerprint(self.times).digest,
            "method": fingerprint(repr(self.method)).digest,
            "options": options,
        }
        given = self.given.values()
        keys = [key_of([part.of(i) for part in given]) for i in range(self.count)]
        self.folder = RunFolder(path, KIND, content, keys, resume, {"t": self.times.tolist()}, unknown)
        self.done[sorted(self.folder.there)] = True

    def simulation(self, i: int, queue: Queue) -> Simulation:
        """The i-th run, ready to go."""
        q0, v0, u = (self.given[name].of(i) for name in ("q0", "v0", "u"))
        return Simulation.of(self.plan, q0, v0, u, lambda: queue.stopped)

    def work(self, queue: Queue, look: Callable[[], None] | None = None) -> None:
        """Make runs as long as there are any, and nobody says stop; ``look`` is called after each."""
        for i in queue:
            if self.done[i]:
                continue
            if not self.run(i, queue):
                return  # cut off in the middle: not done
            if look is not None:
                look()

    def run(self, i: int, queue: Queue) -> bool:
        """Make one run, and keep what became of it; False if it was cut off."""
        simulation = None
        try:
            if self._warm:
                simulation = self.simulation(i, queue)
            else:
                with self._first:  # kernels are read from the cache, or compiled, once
                    simulation = self.simulation(i, queue)
                    self._warm = True
            simulation.make()
            if queue.stopped and simulation.stopped:
                return False
            motion = self.motion_of(i, simulation)
        except SimulationError as error:
            self.fail(i, Failure.of(i, error, error.t), error.trajectory)
        except Exception as error:
            if queue.stopped:
                return False
            self.fail(i, Failure.of(i, error), None)
        else:
            self.finish(i, motion)
        finally:
            if simulation is not None:
                simulation.close()
        return True

    def motion_of(self, i: int, run: Simulation) -> Trajectory | None:
        """What a run has recorded; None if it went straight into the arrays of the batch, as most do."""
        if self.memory is None or self.plan.record:
            return run.trajectory()
        t, rows = run.record.times(), run.record.quantities(run.sampled)
        return None if self.memory.keep(i, t, rows, run.stats()) else run.trajectory()

    def finish(self, i: int, motion: Trajectory | None) -> None:
        """Keep the motion of a run, unless that is done."""
        if self.folder is not None:
            self.save(i, motion, None)
        elif self.memory is not None and motion is not None:
            self.memory.keep_motion(i, motion)
        self.done[i] = True  # last: a run that is done is complete

    def fail(self, i: int, failure: Failure, motion: Trajectory | None) -> None:
        """Keep why a run could not go on, and what there is of it."""
        if self.memory is not None:
            if motion is None:
                self.memory.keep_nothing(i)
            else:
                self.memory.keep_motion(i, motion)
        else:
            self.save(i, motion, failure)
        self.failures[i] = failure
        self.done[i] = True

    def save(self, i: int, motion: Trajectory | None, failure: Failure | None) -> None:
        """Write a motion into the folder, and note what went wrong."""
        assert self.folder is not None
        try:
            if motion is not None:
                motion.save(self.folder.file(i) if failure is None else self.folder.part(i))
        except (StorageError, StateError) as error:
            if failure is None:
                failure = self.failures[i] = Failure.of(i, error, float(self.times[-1]))
        self.folder.note(failure)

    def so_far(self) -> Motions:
        """What is there."""
        done, failures, times = self.done.copy(), dict(self.failures), self.times.copy()
        if self.folder is not None:
            store = InFiles(self.model, times, self.count, self.folder.path)
            return Motions(self.model, times, store, done, failures, self.folder.path)
        assert self.memory is not None
        for i in np.flatnonzero(~done).tolist():
            self.memory.keep_nothing(i)
        return Motions(self.model, times, self.memory, done, failures, None)

    def share(self, threads: int | None, progress: Any) -> Motions:
        """Make all runs."""
        tally = Tally(self.model.name, self.count, progress)
        queue = Queue(range(self.count))

        def look() -> None:
            if tally.update(int(self.done.sum()), len(self.failures)):
                queue.stop()

        workers = worker_count(threads, self.count - int(self.done.sum()))
        alone = workers == 1
        try:
            share(queue, lambda rows: self.work(rows, look if alone else None), workers, look)
        except KeyboardInterrupt:
            motions = self.so_far()
            done = int(motions.done.sum())
            message = f"interrupted after {done} of {self.count} runs, which are kept in .result"
            raise Interrupted(message, motions) from None
        finally:
            tally.close()
            if self.folder is not None:
                self.folder.close()
        warn_of_failures([self.failures[i] for i in sorted(self.failures)], self.count)
        return self.so_far()


def simulate_batch(
    model: Model,
    t: ArrayLike,
    q0: ArrayLike | None,
    v0: ArrayLike | None,
    u: Any,
    method: Method | None,
    *,
    threads: int | None,
    folder: str | os.PathLike[str] | None,
    resume: bool,
    progress: Any,
    checkpoint: Any,
    **options: Any,
) -> Motions:
    """Make many runs; see `Model.simulate_batch`.  Arguments that all runs share are checked first."""
    _, _, times = output_times(t)
    if times is None:
        raise ShapeError(f"t is {shown(t)}, but runs of a batch share output times: give np.linspace(0, t, 101), say")
    if checkpoint is not None:
        raise ModelError("checkpoint= is for one run; of many, folder= keeps what is done, and goes on from there")
    if method is not None and not isinstance(method, Method):
        given = f"the class {method.__name__}" if isinstance(method, type) else shown(method)
        raise ModelError(f"method is {given}, must be a method object, such as NDF()")
    plan = Plan(model, times, method, **options)
    if options["record"] and folder is not None:
        raise ModelError("record=True keeps what derivatives need, which files do not hold: omit folder=")
    threads, resume, progress = thread_count(threads), flag(resume, "resume"), checked_progress(progress)
    given = {"q0": states_of(model, "q0", q0), "v0": states_of(model, "v0", v0), "u": inputs_of(model, u, len(times))}
    batch = Batch(plan, given, method, options)
    if folder is not None:
        batch.open_folder(file_path(folder, "folder"), resume)
    else:
        batch.memory = InMemory(model, times, batch.count)
    return batch.share(threads, progress)
