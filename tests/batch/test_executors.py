"""Executors of other libraries, as far as they are installed; what is missing is named."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import supple as sp
from supple.batch.executors import Executors, dask_executor, joblib_executor, ray_executor


@pytest.mark.parametrize(
    ("make", "package"), [(joblib_executor, "joblib"), (dask_executor, "distributed"), (ray_executor, "ray")]
)
def test_a_library_that_is_not_installed_is_named(make, package, monkeypatch):
    for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(sp.MissingExtraError, match=f"needs {package}, which is not installed: pip install {package}"):
        make()


def test_executors_of_users_are_left_open_and_those_made_here_are_shut_down():
    own = ThreadPoolExecutor(3)
    given = Executors(own)
    assert given.workers == 3
    assert not given.renew()  # how it was made is not known
    given.close()
    assert own.submit(int, "3").result() == 3
    made = Executors(lambda: ThreadPoolExecutor(2))
    first = made.now
    assert made.renew()
    assert made.now is not first
    with pytest.raises(RuntimeError, match="shutdown"):
        first.submit(int, "3")
    made.close()
    own.shutdown()


def test_functions_of_notebooks_go_to_processes_of_joblib():
    offset = 2.0
    assert sp.sweep(lambda x: x + offset, [1.0], joblib_executor(1))[0] == 3.0
