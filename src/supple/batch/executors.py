"""Executors: where the runs of a sweep are computed, and what is done if one breaks.

A sweep takes any `concurrent.futures.Executor`.  Those of other libraries are made here, if they are installed:
`joblib_executor`, `dask_executor`, `ray_executor`.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any, TypeGuard

from supple.checks import shown
from supple.errors import MissingExtraError, ModelError

#: Seconds after which processes of joblib that have nothing to do end; starting one takes some.
IDLE = 300


def joblib_executor(workers: int | None = None) -> Executor:
    """Processes of joblib (loky), which also take functions of notebooks: lambdas, closures."""
    try:
        from joblib.externals.loky import get_reusable_executor
    except ImportError:
        raise _missing("joblib") from None
    return get_reusable_executor(max_workers=workers, timeout=IDLE)  # type: ignore[no-any-return]


def dask_executor(client: Any = None) -> Executor:
    """Workers of a Dask cluster: of a ``distributed.Client``, or of a local cluster if none is given."""
    try:
        from distributed import Client
    except ImportError:
        raise _missing("distributed") from None
    # not pure: asked again, Dask would give the answer, or the death, that it remembers of the same call
    return (Client() if client is None else client).get_executor(pure=False)  # type: ignore[no-any-return]


def ray_executor(**options: Any) -> Executor:
    """Workers of Ray; ``options`` are those of ``ray.remote``, such as ``num_cpus=1``."""
    try:
        import ray
    except ImportError:
        raise _missing("ray") from None
    if not ray.is_initialized():
        ray.init()
    return _RayExecutor(ray, options)


class _RayExecutor(Executor):
    """Tasks of Ray as futures; one that dies is not tried again by Ray, so that it is named."""

    def __init__(self, ray: Any, options: dict[str, Any]) -> None:
        self._remote = ray.remote(**{"max_retries": 0, **options})(_call)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `Executor.submit`."""
        ended: Future[Any] = Future()
        ended.set_running_or_notify_cancel()
        self._remote.remote(fn, args, kwargs).future().add_done_callback(lambda task: _hand_on(task, ended))
        return ended


def _hand_on(task: Future[Any], ended: Future[Any]) -> None:
    """What became of a task of Ray; of what it raised, that which the function did, not what Ray made of it."""
    error = task.exception()
    if error is None:
        ended.set_result(task.result())
    else:
        cause = getattr(error, "cause", None)
        ended.set_exception(cause if isinstance(cause, BaseException) else error)


def _call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return function(*args, **kwargs)


def worker_died(error: BaseException) -> bool:
    """Whether a run was given up since workers died that had it, while the executor lives on.

    Dask blames all runs that waited on a worker for its death; which of them it was is to be found out.
    """
    return type(error).__name__ == "KilledWorker" and type(error).__module__.startswith("distributed")


def _missing(package: str) -> MissingExtraError:
    return MissingExtraError(f"this executor needs {package}, which is not installed: pip install {package}")


#: What a sweep takes.
WANTED = "concurrent.futures.Executor, or a function that makes one"


class Executors:
    """The executor of a sweep, and others like it once it is broken.

    Parameters
    ----------
    given : Executor, or a function without arguments that makes one
        A function is asked again when a worker has died and taken the executor with it; of a process pool, one like it
        is made.  Executors that are made here are shut down here.
    """

    def __init__(self, given: Executor | Callable[[], Executor]) -> None:
        self._make: Callable[[], Executor] | None
        if _is_executor(given):
            self.now, self._made, self._make = given, False, _maker(given)
        elif callable(given):
            self.now, self._made, self._make = _made_by(given), True, given
        else:
            raise ModelError(f"executor is {shown(given)}, must be a {WANTED}")

    def renew(self) -> bool:
        """Take a new executor in place of a broken one; whether there is one."""
        if self._make is None:
            return False
        self.close()
        self.now, self._made = _made_by(self._make), True
        return True

    def close(self) -> None:
        """End what was made here; nobody waits for it."""
        if self._made:
            self.now.shutdown(wait=False)

    @property
    def workers(self) -> int:
        """How many runs it works on at once, if it tells; else many."""
        return int(getattr(self.now, "_max_workers", 0) or 64)


def _is_executor(given: Any) -> TypeGuard[Executor]:
    """Whether runs can be submitted to something; a class, of which one is made first, does not count."""
    return not isinstance(given, type) and callable(getattr(given, "submit", None))


def _made_by(make: Callable[[], Executor]) -> Executor:
    """What a user's function makes, if it is an executor."""
    made = make()
    if not _is_executor(made):
        raise ModelError(f"executor: the function made {shown(made)}, must make a {WANTED}")
    return made


def _maker(given: Executor) -> Callable[[], Executor] | None:
    """How to make another executor like one that may break; None if that is not known."""
    own = vars(given)
    workers = own.get("_max_workers")
    if isinstance(given, ProcessPoolExecutor):
        rest = own.get("_mp_context"), own.get("_initializer"), own.get("_initargs", ())
        return lambda: ProcessPoolExecutor(workers, *rest)
    if "loky" in type(given).__module__:
        return lambda: joblib_executor(workers)
    return None
