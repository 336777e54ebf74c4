"""Sweeps on a local Dask cluster and on Ray, where these are installed: results, errors, workers that die."""

import os
import signal
from concurrent.futures import Future

import pytest

import supple as sp
from supple.batch.executors import _hand_on, dask_executor, ray_executor, worker_died


def fails(x):
    if x == 2:
        raise ValueError("two is too much")
    return 10 * x


def dies(x):
    if x == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return 10 * x


def assert_named(found, kind, run):
    assert found.done.all()
    assert [(failure.run, failure.kind) for failure in found.failures] == [(run, kind)]
    assert list(found) == [None if i == run else 10 * i for i in range(len(found))]


@pytest.fixture(scope="module")
def dask_client():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install supple[sweep]")
    import cloudpickle
    import dask

    cloudpickle.register_pickle_by_value(__import__(__name__))  # workers cannot import a test
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0, "logging.distributed": "critical"}),
        distributed.LocalCluster(1, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::supple.ModelWarning")
def test_dask(dask_client, tmp_path):
    """With one worker all runs wait beside the one that kills it, and only that one is to blame."""
    executor, offset = dask_executor(dask_client), 3
    assert list(sp.sweep(lambda x: x + offset, range(4), executor, folder=tmp_path / "runs")) == [3, 4, 5, 6]
    assert_named(sp.sweep(fails, range(4), executor), "ValueError", 2)
    assert_named(sp.sweep(dies, range(4), executor), "KilledWorker", 1)
    assert list(sp.sweep(int, range(4), executor)) == [0, 1, 2, 3]  # the cluster has mended itself


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::supple.ModelWarning", "ignore::FutureWarning", "ignore::DeprecationWarning")
def test_ray(monkeypatch):
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install supple[ray]")
    pickles = pytest.importorskip("ray.cloudpickle")
    pickles.register_pickle_by_value(__import__(__name__))
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        executor, offset = ray_executor(), 3
        assert list(sp.sweep(lambda x: x + offset, range(4), executor)) == [3, 4, 5, 6]
        found = sp.sweep(fails, range(4), executor)
        assert_named(found, "ValueError", 2)
        assert found.failures[0].message == "two is too much"
        assert_named(sp.sweep(dies, range(4), executor), "WorkerCrashedError", 1)
        assert list(sp.sweep(int, range(4), executor)) == [0, 1, 2, 3]
    finally:
        ray.shutdown()


class KilledWorker(Exception):  # noqa: N818
    """As Dask has it."""

    __module__ = "distributed.scheduler"


class Blaming:
    """An executor of one worker that blames all that wait for the death of a worker, as Dask does."""

    def __init__(self):
        self.waiting = []

    def submit(self, fn, function, x):
        future = Future()
        future.set_running_or_notify_cancel()
        self.waiting.append((future, function, x))
        if len(self.waiting) < 4 and not self.alone:
            return future
        killed = any(x == 1 for _, _, x in self.waiting)
        for one, function, x in self.waiting:
            if killed:
                one.set_exception(KilledWorker(x))
            else:
                one.set_result(function(x))
        self.waiting, self.alone = [], True
        return future

    alone = False


@pytest.mark.filterwarnings("ignore::supple.ModelWarning")
def test_runs_that_waited_beside_a_killer_are_made_again():
    assert worker_died(KilledWorker())
    assert not worker_died(ValueError())
    assert_named(sp.sweep(lambda x: 10 * x, range(4), Blaming()), "KilledWorker", 1)


def test_ray_hands_on_what_the_function_raised():
    class RayTaskError(Exception):
        cause = ValueError("two is too much")

    for raised, expected in ((RayTaskError(), ValueError), (OSError("gone"), OSError)):
        task, ended = Future(), Future()
        task.set_exception(raised)
        _hand_on(task, ended)
        assert type(ended.exception()) is expected
    task, ended = Future(), Future()
    task.set_result(3)
    _hand_on(task, ended)
    assert ended.result() == 3
