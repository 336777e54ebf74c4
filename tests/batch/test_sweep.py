"""Sweeps: any executor gives what a loop gives; whoever fails, dies or cannot be saved is named, and stops no other."""

import json
import os
import signal
import sys
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import supple as sp
import supple.batch.result_file as files
from motions import wheel
from supple.batch.executors import joblib_executor

GRID = {"a": [1.0, 2.0, 3.0], "b": [10.0, 20.0]}


def product(a, b):
    return a * b


def square(x):
    return x * x


def deadly(x):
    """A worker that works on 3 is killed."""
    if x == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return 2.0 * x


def processes():
    return ProcessPoolExecutor(2, get_context("spawn"))


EXECUTORS = {
    "here": lambda: None,
    "threads": lambda: ThreadPoolExecutor(2),
    "processes": processes,
    "joblib": lambda: joblib_executor(2),
}


@pytest.mark.parametrize("kind", EXECUTORS)
def test_all_combinations_of_a_grid(kind):
    found = sp.sweep(product, GRID, EXECUTORS[kind]())
    assert found.array().tolist() == [[10.0, 20.0], [20.0, 40.0], [30.0, 60.0]]
    assert found.points[3] == {"a": 2.0, "b": 20.0}
    assert (found.shape, found.names, len(found)) == ((3, 2), ("a", "b"), 6)
    assert list(found) == [10.0, 20.0, 20.0, 40.0, 30.0, 60.0]
    assert found[1:3] == [20.0, 20.0]
    assert repr(found) == "<Sweep: 6 runs (3 a x 2 b)>"


def test_samples_one_by_one():
    assert sp.sweep(square, [1, 2, 3]).array().tolist() == [1.0, 4.0, 9.0]
    assert sp.sweep(product, [{"a": 1.0, "b": 2.0}])[0] == 2.0
    rows = np.arange(6.0).reshape(3, 2)
    assert np.array_equal(sp.sweep(square, rows).array(), rows**2)
    assert sp.sweep(lambda x: {"y": x}, range(3)).array(lambda result: result["y"]).tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(sp.ModelError, match="run 0 returned"):
        sp.sweep(lambda x: {"y": x}, range(3)).array()
    with pytest.raises(sp.ModelError, match="different shapes"):
        sp.sweep(np.zeros, [1, 2]).array()


@pytest.mark.parametrize("kind", EXECUTORS)
def test_what_fails_is_named_and_stops_no_other(kind):
    with pytest.warns(sp.ModelWarning, match="1 of 4 runs failed, the first is run 2: ZeroDivisionError"):
        found = sp.sweep(divide, [1.0, 2.0, 0.0, 4.0], EXECUTORS[kind]())
    assert found.array()[[0, 1, 3]].tolist() == [1.0, 0.5, 0.25]
    assert np.isnan(found.array()[2])
    assert found[2] is None
    assert found.failed.tolist() == [False, False, True, False]
    assert "run 2: ZeroDivisionError" in str(found)


def divide(x):
    if x == 0.0:
        raise ZeroDivisionError("x is zero")
    return 1.0 / x


DYING = {"processes": processes, "joblib": lambda: joblib_executor(2), "function": lambda: processes}


@pytest.mark.parametrize("kind", DYING)
def test_a_worker_that_dies_loses_only_its_own_run(kind, tmp_path):
    """Killed by SIGKILL, as the system does when memory runs out."""
    executor = DYING[kind]()
    with pytest.warns(sp.ModelWarning, match=r"1 of 12 runs failed, the first is run 3: BrokenExecutor: .* died"):
        found = sp.sweep(deadly, range(12), executor, folder=tmp_path)
    assert found.failed.nonzero()[0].tolist() == [3]
    assert found.done.all()
    good = [i for i in range(12) if i != 3]
    assert found.array()[good].tolist() == [2.0 * i for i in good]
    assert json.loads((tmp_path / "index.json").read_text())["failures"][0]["run"] == 3


class Moody(Executor):
    """An executor that refuses every third run, and of the others computes them at once."""

    def __init__(self):
        self.asked = 0

    def submit(self, fn, /, *args, **kwargs):
        self.asked += 1
        if self.asked % 3 == 0:
            raise RuntimeError("no room")
        future = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class Broken(Executor):
    """An executor that is broken from the second run on."""

    def __init__(self):
        self.asked = 0

    def submit(self, fn, /, *args, **kwargs):
        self.asked += 1
        future = Future()
        if self.asked > 1:
            future.set_exception(BrokenExecutor("gone"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def test_an_executor_that_raises():
    with pytest.warns(sp.ModelWarning, match="2 of 6 runs failed, the first is run 2: RuntimeError: no room"):
        found = sp.sweep(square, range(6), Moody())
    assert found.failed.nonzero()[0].tolist() == [2, 5]
    assert [found[i] for i in (0, 1, 3, 4)] == [0, 1, 9, 16]
    with pytest.warns(sp.ModelWarning, match="5 of 6 runs failed.*how to make another is not known"):
        found = sp.sweep(square, range(6), Broken())
    assert found[0] == 0
    with pytest.warns(sp.ModelWarning, match="2 of 6 runs failed, the first is run 2: .* died: gone"):
        found = sp.sweep(square, range(6), Broken)  # every new one makes one run, and breaks at the next
    assert [i for i in range(6) if not found.failed[i]] == [0, 1, 3, 5]


def gone():
    """A pool whose worker has died."""
    pool = ProcessPoolExecutor(1, get_context("spawn"))
    with pytest.raises(BrokenExecutor):
        pool.submit(os._exit, 1).result()
    return pool


class Scarce(Broken):
    """An executor of which no third can be made."""

    made = 0

    def __init__(self):
        super().__init__()
        Scarce.made += 1
        if Scarce.made > 2:
            raise OSError("no more processes")


def test_executors_that_are_broken_whenever_they_are_made_end_the_sweep():
    pool = gone()
    with pytest.warns(sp.ModelWarning, match="3 of 3 runs failed, the first is run 0: BrokenExecutor"):
        found = sp.sweep(square, range(3), lambda: pool)
    assert found.done.all()
    with pytest.warns(sp.ModelWarning, match="4 of 6 runs failed") as caught:
        found = sp.sweep(square, range(6), Scarce)
    assert "run 2: BrokenExecutor: the worker that computed it died: gone" in str(caught[0].message)
    assert "no other can be made: OSError: no more processes" in found.failures[1].message
    assert list(found)[:2] == [0, 1]


def leaving(x):
    return sys.exit(x) if x == 3 else x


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_a_function_that_exits_fails_alone(kind):
    with pytest.warns(sp.ModelWarning, match="1 of 5 runs failed, the first is run 3: SystemExit: 3"):
        found = sp.sweep(leaving, range(5), EXECUTORS[kind]())
    assert [found[i] for i in (0, 1, 2, 4)] == [0, 1, 2, 4]


def test_an_executor_that_gives_no_futures_is_named():
    class Eager(Executor):
        def submit(self, fn, /, *args, **kwargs):
            return fn(*args, **kwargs)

    with pytest.raises(sp.ModelError, match=r"submit\(\) returned 0, must return a concurrent.futures.Future"):
        sp.sweep(square, range(3), Eager())


class Counted:
    """A function that counts its calls, which are no part of what it is."""

    calls = 0

    def __fingerprint__(self):
        return "counted"

    def __call__(self, x):
        Counted.calls += 1
        if x == 2 and Counted.calls < 4:
            raise RuntimeError("not yet")
        return {"x": x, "rows": np.arange(x), "pair": (1.0, "text"), "list": [None, True, np.float64(0.1)], 3: {}}


def test_a_folder_is_gone_on_with(tmp_path, monkeypatch):
    monkeypatch.setattr(Counted, "calls", 0)
    with pytest.warns(sp.ModelWarning, match="1 of 3 runs failed, the first is run 2: RuntimeError: not yet"):
        first = sp.sweep(Counted(), range(3), folder=tmp_path)
    again = sp.sweep(Counted(), range(4), ThreadPoolExecutor(2), folder=tmp_path)
    assert Counted.calls == 5  # three, the one that failed again, and the new one
    assert [x["x"] for x in again] == [0, 1, 2, 3]
    assert np.array_equal(again[1]["rows"], first[1]["rows"])
    assert again[1]["rows"].dtype == first[1]["rows"].dtype == np.int64
    assert (again[2]["pair"], again[2]["list"], again[2][3]) == ((1.0, "text"), [None, True, 0.1], {})
    with pytest.raises(sp.StorageError, match="holds other sweep: they differ in function"):
        sp.sweep(square, range(3), folder=tmp_path)
    assert sp.sweep(square, range(3), folder=tmp_path, resume=False)[2] == 4
    index = json.loads((tmp_path / "index.json").read_text())
    assert (index["count"], index["points"]) == (3, ["0", "1", "2"])


def test_points_that_hardly_differ_are_different(tmp_path):
    for step in (1e-10, 2e-10):
        found = sp.sweep(square, [1.0, 1.0 + step, np.array([1e9, step])], folder=tmp_path)
        assert found[1] == (1.0 + step) ** 2
        assert found[2][1] == step**2


def test_what_cannot_be_looked_into_is_made_again_or_told(tmp_path):
    def counting(begin):
        yield from range(begin, begin + 3)

    assert list(sp.sweep(sum, [counting(0), 1.0 * np.ones(2)], folder=tmp_path / "points")) == [3, 2.0]
    with pytest.warns(sp.ModelWarning, match="1 runs hold what cannot be looked into .* made again"):
        assert list(sp.sweep(sum, [counting(5), 1.0 * np.ones(2)], folder=tmp_path / "points")) == [18, 2.0]
    source = counting(0)
    sp.sweep(lambda x: x + next(source), [0, 1], folder=tmp_path / "function")
    with pytest.warns(sp.ModelWarning, match="cannot tell whether .* an object of type generator cannot be looked"):
        sp.sweep(lambda x: x + next(source), [0, 1], folder=tmp_path / "function")


def test_motions_are_results(tmp_path):
    model, t = wheel(), np.linspace(0.0, 0.1, 3)

    def run(tension):
        return model.simulate(t, u=[tension])

    found = sp.sweep(run, {"tension": [1.0, 2.0]}, ThreadPoolExecutor(2), folder=tmp_path)
    assert np.array_equal(found[1].q, run(2.0).q)
    assert np.array_equal(found.array(lambda motion: motion.q)[1], run(2.0).q)


def test_results_that_files_cannot_hold_and_full_disks_are_named(tmp_path, monkeypatch):
    with pytest.warns(sp.ModelWarning, match=r"run 0: StateError: the result\['m'\] is a object, which a folder"):
        found = sp.sweep(lambda x: {"m": object()}, range(2), folder=tmp_path / "a")
    assert found.failed.all()
    assert found[0]["m"] is not None  # this process still has it
    with pytest.warns(sp.ModelWarning, match="StateError: the result is an array of complex128"):
        sp.sweep(lambda x: np.zeros(2, complex), range(1), folder=tmp_path / "b")
    own = []
    own.append(own)
    strange = [10**6000, own, np.ma.array([1.0, 2.0], mask=[False, True]), np.longdouble(0.5)]
    with pytest.warns(sp.ModelWarning, match="3 of 4 runs failed, the first is run 0: StateError: .*4000 digits"):
        found = sp.sweep(lambda k: strange[k], range(4), folder=tmp_path / "d")
    assert [failure.kind for failure in found.failures] == ["StateError"] * 3
    assert "nested too deep" in found.failures[1].message
    assert "masked entries" in found.failures[2].message
    assert files.load_result(tmp_path / "d" / "run-000003.npz") == 0.5
    write = files.write_npz

    def full(path, arrays):
        if "000001" in str(path):
            raise sp.StorageError("No space left on device")
        return write(path, arrays)

    monkeypatch.setattr(files, "write_npz", full)
    with pytest.warns(sp.ModelWarning, match="1 of 3 runs failed, the first is run 1: StorageError: No space left"):
        found = sp.sweep(square, range(3), folder=tmp_path / "c")
    assert found.failed.tolist() == [False, True, False]
    assert list(found) == [0, 1, 4]


def test_damaged_results_are_named(tmp_path):
    found = sp.sweep(square, range(2), folder=tmp_path)
    path = tmp_path / "run-000001.npz"
    path.write_bytes(path.read_bytes()[:-20])
    assert found[0] == 0
    with pytest.raises(sp.StorageError, match="run-000001"):
        found[1]
    with pytest.raises(IndexError, match="there is no run 2: there are 2"):
        found[2]


# an interrupt between opening a file and the block that closes it leaves that to the collector, which says so
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("kind", ["here", "threads"])
def test_ctrl_c_keeps_what_is_done(kind, tmp_path):
    def slow(x):
        time.sleep(0.02)
        if x == 20:  # is begun only when earlier ones are done
            os.kill(os.getpid(), signal.SIGINT)
        return x

    with pytest.raises(sp.Interrupted, match=r"interrupted after \d+ of 1000 runs") as caught:
        sp.sweep(slow, range(1000), EXECUTORS[kind](), folder=tmp_path)
    found = caught.value.result
    assert 0 < found.done.sum() < 1000
    for k in np.flatnonzero(found.done):
        assert found[int(k)] == k


def test_progress_may_end_a_sweep():
    found = sp.sweep(square, range(9), progress=lambda done, count: done >= 4)
    assert found.done.sum() == 4
    assert "5 not done" in repr(found)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"function": 3}, "function is 3, must be callable"),
        ({"samples": 3}, "samples are 3"),
        ({"samples": "abc"}, "samples are 'abc'"),
        ({"samples": np.array(3.0)}, "must be a sequence"),
        ({"samples": {}}, "the grid is empty"),
        ({"samples": {"a": 3}}, "the grid's 'a' is 3"),
        ({"samples": {1: [3]}}, "the grid has a key 1"),
        ({"samples": [{1: 3}]}, "sample 0 is"),
        ({"samples": {"a": range(10**4), "b": range(10**4)}}, "the grid has 100000000 points"),
        ({"executor": 3}, "executor is 3, must be a concurrent.futures.Executor"),
        ({"executor": lambda: 3}, "the function made 3"),
        ({"folder": 3}, "folder is 3"),
        ({"resume": 3}, "resume is 3"),
        ({"progress": 3}, "progress is 3"),
    ],
)
def test_what_is_wrong_is_named(arguments, message):
    given = {"function": square, "samples": [1, 2]} | arguments
    with pytest.raises(sp.ModelError, match=message):
        sp.sweep(**given)
