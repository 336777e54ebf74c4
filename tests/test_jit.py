"""The cache of compiled kernels is stamped by all sources of the compiled ring, not by one file's time."""

import importlib.util
import pickle
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import supple
from supple import jit
from supple.core import inverse_dynamics
from supple.loads.line import lines

PACKAGE = Path(supple.__file__).parent


def digest_of(package):
    """`ring_digest` of a copy of the package, by its own copy of the module."""
    spec = importlib.util.spec_from_file_location("copied_jit", package / "jit.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.ring_digest()


@pytest.fixture
def copied(tmp_path):
    package = tmp_path / "supple"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def test_a_copy_has_the_same_digest(copied):
    """Content counts, not time stamps and not places."""
    assert digest_of(copied) == jit.ring_digest()


@pytest.mark.parametrize("folder", ["lie", "core"])
def test_an_edit_anywhere_in_the_ring_changes_the_digest(copied, folder):
    files = sorted((copied / folder).glob("*.py"))
    assert len(files) > 3
    before = digest_of(copied)
    for file in files:
        text = file.read_text()
        file.write_text(text + "# edited\n")
        assert digest_of(copied) != before, file.name
        file.write_text(text)
    (copied / folder / "added.py").write_text("")
    assert digest_of(copied) != before


def test_edits_outside_the_ring_keep_the_cache(copied):
    before = digest_of(copied)
    (copied / "model" / "robot.py").write_text("# rewritten\n")
    assert digest_of(copied) == before


def test_kernels_carry_the_digest():
    """What Numba compares with the stored stamp."""
    kernel = inverse_dynamics.inverse_dynamics
    assert kernel._cache._cache_file._source_stamp == jit.ring_digest()


def test_loads_carry_a_digest_of_the_loads_as_well():
    assert lines.address
    assert lines.compiled._cache._cache_file._source_stamp == jit.ring_digest(jit.RING + jit.LOADS)


def test_an_edit_of_a_users_load_changes_its_stamp(tmp_path):
    """Its file is in none of the folders that the digest runs over."""
    file = tmp_path / "my_load.py"
    file.write_text("force = 1.0\n")
    before = jit.load_stamp(str(file))
    assert before.startswith(jit.ring_digest(jit.RING + jit.LOADS))
    file.write_text("force = 2.0\n")
    assert jit.load_stamp(str(file)) != before


def test_a_load_pickles_without_its_machine_code():
    assert lines.address
    copy = pickle.loads(pickle.dumps(lines))
    assert copy.function is lines.function
    assert pickle.loads(pickle.dumps(lines)) is copy


def _threefold(tree, space, data, mode):
    """A load that does nothing."""
    return


def test_threads_that_ask_at_once_compile_once(monkeypatch):
    """A second compilation would free the machine code behind the first address."""
    compiled, begin = [], threading.Barrier(8)
    kernel, compile_once = jit.LoadKernel(_threefold), jit.LoadKernel._compile

    def slowly(self):
        compiled.append(self)
        time.sleep(0.1)
        return compile_once(self)

    def ask(_):
        begin.wait()
        return kernel.address

    monkeypatch.setattr(jit.LoadKernel, "_compile", slowly)
    with ThreadPoolExecutor(8) as pool:
        addresses = set(pool.map(ask, range(8)))
    assert len(addresses) == len(compiled) == 1
    assert addresses == {kernel.compiled.address}
