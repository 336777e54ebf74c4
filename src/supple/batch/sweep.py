"""A function at many points, on any executor, with results in memory or in a folder that can be gone on with."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from supple.batch.executors import Executors, worker_died
from supple.batch.failure import Failure, listed, warn_of_failures
from supple.batch.folder import RunFolder, key_of, run_file
from supple.batch.points import Points, points_of
from supple.batch.tally import Report, Tally, checked_progress
from supple.checks import file_path, flag, shown
from supple.errors import Interrupted, ModelError, StateError, StorageError
from supple.fingerprint import fingerprint
from supple.threads import LOOKING_UP

Array = np.ndarray

KIND = "sweep"

#: How long ends of runs are waited for when an executor has broken, s.
ENDING = 10.0
#: How often an executor is asked whether it works again.
ANSWERS = 5


class Sweep(Sequence[Any]):
    """What a function returned at N points; ``sweep[i]`` is that of the i-th, None if there is none.

    Attributes
    ----------
    points : sequence
        The points, in order; those of a grid as dicts.
    shape : tuple of int
        Of the grid; (N,) of samples.
    names : tuple of str
        Of the axes of a grid.
    done, failed : (N,) bool
        Runs that ended, and those of them without a result.
    failures : tuple of Failure
        These by number, type of error and message.
    folder : Path or None
        Where results are; they are read whenever they are asked for.
    """

    def __init__(
        self, points: Points, done: Array, failures: Mapping[int, Failure], kept: Mapping[int, Any], folder: Path | None
    ) -> None:
        self.points, self.shape, self.names = points
        self.done, self.folder, self._kept = done, folder, kept
        self.failures = tuple(failures[i] for i in sorted(failures))
        self.failed = np.zeros(len(done), dtype=bool)
        self.failed[sorted(failures)] = True

    def __len__(self) -> int:
        return len(self.done)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        try:
            number = range(len(self))[i]
        except (IndexError, TypeError):
            raise IndexError(f"there is no run {shown(i)}: there are {len(self)}") from None
        if number in self._kept or not self.done[number] or self.folder is None:
            return self._kept.get(number)
        path = run_file(self.folder, number)
        if not path.exists():
            return None
        from supple.batch.result_file import load_result

        return load_result(path)

    def __repr__(self) -> str:
        failed, left = len(self.failures), int((~self.done).sum())
        remarks = (f", {failed} failed" if failed else "") + (f", {left} not done" if left else "")
        size = " x ".join(f"{n} {name}" for n, name in zip(self.shape, self.names, strict=False)) if self.names else ""
        return f"<Sweep: {len(self)} runs{f' ({size})' if size else ''}{remarks}>"

    def __str__(self) -> str:
        return "\n".join([repr(self), *([listed(self.failures)] if self.failures else [])])

    def array(self, read: Callable[[Any], Any] | None = None) -> Array:
        """Results as numbers, (*shape, ...), NaN where there are none; ``read`` takes them out of each result."""
        rows: list[Array | None] = []
        for i in range(len(self)):
            result = self[i] if self.done[i] and not self.failed[i] else None
            try:
                rows.append(None if result is None else np.asarray(read(result) if read else result, dtype=float))
            except (TypeError, ValueError):
                raise ModelError(f"run {i} returned {shown(result)}, no numbers: say by read= which to take") from None
        shapes = {row.shape for row in rows if row is not None}
        if len(shapes) > 1:
            raise ModelError(f"runs returned arrays of different shapes, {shown(sorted(shapes))}: say by read= ...")
        inner = next(iter(shapes), ())
        found = [np.full(inner, np.nan) if row is None else row for row in rows]
        return np.array(found).reshape(*self.shape, *inner)


def apply(function: Callable[..., Any], point: Any) -> Any:
    """A function at a point: keyword arguments, or one argument."""
    return function(**point) if isinstance(point, Mapping) else function(point)


class _Refused(Future[Any]):
    """What an executor did not take."""


class _Work:
    """Runs, and what became of them so far."""

    def __init__(self, function: Callable[..., Any], points: Points, progress: bool | Report | None) -> None:
        self.function, self.points = function, points
        self.count = len(points.values)
        self.done = np.zeros(self.count, dtype=bool)
        self.failures: dict[int, Failure] = {}
        self.kept: dict[int, Any] = {}
        self.suspects: list[int] = []  #: runs of which one may have killed its worker
        self.folder: RunFolder | None = None
        self.tally = Tally(getattr(function, "__name__", "sweep"), self.count, progress)
        self.stopped = False
        self.broken = BrokenExecutor()  #: why there is no executor any more

    def open_folder(self, path: str | os.PathLike[str], resume: bool) -> None:
        """Keep results in a folder; those that it has already are not computed again."""
        function, unknown = fingerprint(self.function)
        keys = [key_of(point) for point in self.points.values]
        values, shape, names = self.points
        told = {"shape": shape, "names": names, "points": [shown(x) for x in values]}
        self.folder = RunFolder(path, KIND, {"function": function}, keys, resume, told, unknown)
        self.done[sorted(self.folder.there)] = True

    def finish(self, i: int, result: Any, failure: Failure | None = None) -> None:
        """Keep what became of a run."""
        if failure is None and self.folder is not None:
            from supple.batch.result_file import save_result

            try:
                save_result(result, self.folder.file(i))
            except (StorageError, StateError) as error:
                failure = Failure.of(i, error)
                self.kept[i] = result  # at least for as long as this process lives
        elif failure is None:
            self.kept[i] = result
        if failure is not None:
            self.failures[i] = failure
        if self.folder is not None:
            self.folder.note(failure)
        self.done[i] = True

    def look(self) -> None:
        """Tell how far it has come; perhaps that is enough."""
        self.stopped |= self.tally.update(int(self.done.sum()), len(self.failures))

    def here(self) -> None:
        """All runs one after the other, in this thread."""
        for i in np.flatnonzero(~self.done).tolist():
            if self.stopped:
                return
            try:
                result = apply(self.function, self.points.values[i])
            except Exception as error:
                self.finish(i, None, Failure.of(i, error))
            else:
                self.finish(i, result)
            self.look()

    def away(self, executors: Executors) -> None:
        """All runs on an executor, not many more at once than it has workers."""
        waiting = deque(np.flatnonzero(~self.done).tolist())
        running: dict[Future[Any], int] = {}
        try:
            while (waiting or running) and not self.stopped:
                broken = False
                while waiting and len(running) < 2 * executors.workers and not broken:
                    broken = not self.submit(executors, running, waiting)
                ended, _ = wait(running, LOOKING_UP, FIRST_COMPLETED)
                lost = [running.pop(future) for future in ended if not self.take(future, running[future])]
                running = {future: i for future, i in running.items() if future not in ended}
                if lost or broken:
                    self.recover(executors, running, lost, waiting)
                    running = {}
                self.look()
            self.try_alone(executors)
        finally:
            for future in running:
                future.cancel()
            executors.close()

    def submit(self, executors: Executors, running: dict[Future[Any], int], waiting: deque[int]) -> bool:
        """Hand the next run to the executor; False if that is broken.  One that it refuses has failed."""
        i = waiting[0]
        future = self.handed(executors, i)
        if isinstance(future, _Refused) and isinstance(error_of(future), BrokenExecutor):
            return False
        running[future] = i
        waiting.popleft()
        return True

    def handed(self, executors: Executors, i: int) -> Future[Any]:
        """A run that is handed to the executor; what keeps it from being taken stands in the future."""
        try:
            future: Future[Any] = executors.now.submit(apply, self.function, self.points.values[i])
        except Exception as error:
            future = _Refused()
            future.set_exception(error)
        if isinstance(future, Future):
            return future
        raise ModelError(
            f"executor {shown(executors.now)}: submit() returned {shown(future)}, must return a "
            "concurrent.futures.Future"
        )

    def take(self, future: Future[Any], i: int) -> bool:
        """Keep what became of a run that has ended; False if it was lost with its executor."""
        error = error_of(future)  # what it raised, or that it was cancelled by somebody
        if error is None:
            self.finish(i, future.result())
        elif isinstance(error, BrokenExecutor):
            return False
        elif not isinstance(error, (Exception, SystemExit)):
            raise error  # Ctrl-C, which a worker was told too
        elif worker_died(error) and i not in self.suspects:
            self.suspects.append(i)
        else:
            self.finish(i, None, Failure.of(i, error))
        return True

    def recover(
        self, executors: Executors, running: dict[Future[Any], int], lost: list[int], waiting: deque[int]
    ) -> None:
        """A worker died and took the executor with it: make a new one, and find out who it was.

        Runs that were lost with it are made again one by one: whoever breaks an executor of which it has all workers
        is to blame, and nobody else.  If none was lost, the next one tells whether the new executor works.
        """
        ended, _ = wait(running, ENDING)
        lost = sorted([*lost, *(i for future, i in running.items() if future not in ended or not self.take(future, i))])
        if not lost:
            lost.append(waiting.popleft())
        renewed = self.renew(executors)
        while lost and renewed and not self.stopped:
            i = lost.pop(0)
            future = self.alone(executors, i)
            if future.done() and not self.take(future, i):
                self.blame(future, i)
                renewed = self.renew(executors)
        if not renewed:
            for i in [*lost, *waiting]:
                self.finish(i, None, Failure.of(i, self.broken))
            waiting.clear()

    def renew(self, executors: Executors) -> bool:
        """Take a new executor in place of a broken one; False if there is none, and then ``broken`` says why."""
        try:
            if executors.renew():
                return True
            how = "how to make another is not known: pass a function"
        except Exception as error:
            how = f"no other can be made: {Failure.of(0, error).reason}"
        self.broken = BrokenExecutor(f"the executor is broken, and {how}")
        return False

    def alone(self, executors: Executors, i: int) -> Future[Any]:
        """A run that is made while no other is; it has ended, unless the sweep was."""
        future = self.handed(executors, i)
        while not future.done() and not self.stopped:
            wait([future], LOOKING_UP)
            self.look()
        future.cancel()
        return future

    def blame(self, future: Future[Any], i: int) -> None:
        """A run has broken an executor that it had for itself."""
        why = Failure.of(i, error_of(future) or BrokenExecutor()).message
        self.finish(i, None, Failure(i, "BrokenExecutor", f"the worker that computed it died: {why}"))

    def try_alone(self, executors: Executors) -> None:
        """Make runs again that were given up with a worker, one by one: who kills two more by itself is to blame.

        One more would not do: clusters notice late that a worker is gone, and blame whom they sent there meanwhile.
        """
        for i in sorted(self.suspects):
            for _ in range(2):
                future = self.alone(executors, i)
                if not future.done():
                    return
                error = error_of(future)
                if error is None or not worker_died(error):
                    break
                self.await_answer(executors)
            if not self.take(future, i):
                self.blame(future, i)

    def await_answer(self, executors: Executors) -> None:
        """Wait until the executor has noticed that a worker is gone, and answers again; not for long."""
        for _ in range(ANSWERS):
            with suppress(Exception):
                executors.now.submit(int).result(ENDING)
                return

    def so_far(self) -> Sweep:
        """What is there."""
        folder = None if self.folder is None else self.folder.path
        return Sweep(self.points, self.done.copy(), dict(self.failures), dict(self.kept), folder)


def error_of(future: Future[Any]) -> BaseException | None:
    """What a run that has ended raised, or that it was cancelled."""
    try:
        return future.exception()
    except CancelledError as error:
        return error


def sweep(
    function: Callable[..., Any],
    samples: Mapping[str, Iterable[Any]] | Iterable[Any],
    executor: Executor | Callable[[], Executor] | None = None,
    folder: str | os.PathLike[str] | None = None,
    resume: bool = True,
    progress: bool | Report | None = None,
) -> Sweep:
    """A function at many points: on threads, processes or a cluster, with results in memory or in a folder.

    A run that fails is named in ``failures`` of what is returned, with a warning, and stops no other; nor does a worker
    that dies, a full disk, or an executor that refuses a run.

    Parameters
    ----------
    function : callable
        Called with the point: keyword arguments, if it is a mapping, else its one argument.
    samples : mapping or iterable
        A grid ``{"length": [0.1, 0.2], "young": [1e5, 1e6]}``, every combination of which is a point; or the points
        themselves, one by one.
    executor : Executor, or a function that makes one, optional
        Any of `concurrent.futures`; `supple.batch.executors` has those of joblib, Dask and Ray.  Omitted: runs follow
        each other in this thread.  A function is asked again if a worker died and the executor with it; process pools
        are made again without.
    folder : path, optional
        Where every result is saved as soon as it is there, with an index: numbers, texts, arrays, lists, tuples and
        dicts of these, and motions.
    resume : bool
        Whether results that the folder has already, of the same function at the same points, are kept.
    progress : bool or callable, optional
        A line on the terminal; omitted, only if it takes longer than a moment.  A function (done, count) is told
        instead; if it returns True, the sweep ends there.

    Raises
    ------
    Interrupted
        At Ctrl-C, a `KeyboardInterrupt`, with what is done in ``.result``.
    """
    if not callable(function):
        raise ModelError(f"function is {shown(function)}, must be callable")
    work = _Work(function, points_of(samples), checked_progress(progress))
    resume = flag(resume, "resume")
    executors = None if executor is None else Executors(executor)
    if folder is not None:
        work.open_folder(file_path(folder, "folder"), resume)
    try:
        if executors is None:
            work.here()
        else:
            work.away(executors)
    except KeyboardInterrupt:
        done = int(work.done.sum())
        message = f"interrupted after {done} of {work.count} runs, which are kept in .result"
        raise Interrupted(message, work.so_far()) from None
    finally:
        work.tally.close()
        if work.folder is not None:
            work.folder.close()
    warn_of_failures([work.failures[i] for i in sorted(work.failures)], work.count)
    return work.so_far()
