"""Which compiler is used: the fast one where Numba is as it knows it, else the plain one, which changes nothing."""

import os
import subprocess
import sys

import numba
import numpy as np
import pytest
from numba import types
from numba.core.registry import cpu_target
from numba.core.types.functions import BaseFunction

from command import ENVIRONMENT
from supple.errors import SuppleError
from supple.jit import mode, plain, store
from supple.jit.stamps import ring_digest

FAST = mode.compiler().__name__.endswith("fast")
fast_only = pytest.mark.skipif(not FAST, reason="this process compiles the plain way")


@pytest.fixture
def choose(monkeypatch):
    """`mode.compiler` as if for the first time; what passed on this machine is forgotten."""
    monkeypatch.delenv("SUPPLE_JIT", raising=False)
    monkeypatch.setattr(mode, "KNOWN", ())
    monkeypatch.setattr(store, "read", lambda *arguments: None)
    monkeypatch.setattr(store, "write", lambda *arguments: None)
    monkeypatch.setattr("supple.jit.notices._reason", "")
    return lambda: (mode.compiler.__wrapped__().MODE, mode.notices._reason)


@fast_only
def test_fast_where_numba_is_known(choose):
    assert choose() == ("fast", "")


def test_this_numba_is_known():
    """Else every user of it would first compile a test; whoever raises the bounds runs all tests and adds it here."""
    assert numba.__version__ in mode.KNOWN or mode._version(numba.__version__) in mode.TESTED or not FAST


@pytest.mark.parametrize("version", ["0.60.2", "0.99.0", "1.0", "dev"])
def test_plain_outside_of_the_tested_versions(version, choose, monkeypatch):
    monkeypatch.setattr(numba, "__version__", version)
    chosen, reason = choose()
    assert chosen == "plain"
    assert f"Numba {version} is outside of the versions" in reason


@pytest.mark.parametrize("inside", mode.INSIDES, ids=lambda inside: inside[2])
def test_plain_where_an_inside_takes_other_arguments(inside, choose, monkeypatch):
    module, owner, name, _ = inside
    monkeypatch.setattr(f"{module}.{owner}.{name}", lambda self, something_else: None)
    chosen, reason = choose()
    assert chosen == "plain"
    assert f"{owner}.{name} of Numba" in reason


@fast_only
def test_plain_where_an_inside_is_missing(choose, monkeypatch):
    monkeypatch.delattr("numba.core.codegen.JITCodeLibrary.get_pointer_to_function")
    assert choose()[0] == "plain"


@fast_only
@pytest.mark.parametrize("failure", ["raises", "wrong"])
def test_plain_where_the_small_kernel_fails(failure, choose, monkeypatch):
    def result():
        if failure == "raises":
            raise KeyError("gone")
        return 1.0

    monkeypatch.setattr("supple.jit.self_test.result", result)
    chosen, reason = choose()
    assert chosen == "plain"
    assert ("KeyError" if failure == "raises" else "gave 1 instead of 105") in reason


def test_forced(choose, monkeypatch):
    monkeypatch.setenv("SUPPLE_JIT", "plain")
    assert choose() == ("plain", "")
    monkeypatch.setenv("SUPPLE_JIT", "quick")
    with pytest.raises(SuppleError, match=r"SUPPLE_JIT is 'quick', must be 'fast' or 'plain'"):
        choose()
    monkeypatch.setenv("SUPPLE_JIT", "fast")
    monkeypatch.setattr(numba, "__version__", "0.99.0")
    with pytest.raises(SuppleError, match=r"which cannot be: Numba 0\.99\.0"):
        choose()


def _double(x, out):
    for i in range(x.shape[0]):
        out[i] = 2.0 * x[i]


def test_plain_computes_the_same():
    """The small kernel of the fast compiler's test, by the plain one."""
    record = np.dtype([("w", np.float64, (3,))])
    double = plain.leaf(_double)

    def run(records, x):
        nested = records[0].w
        double(x, nested)
        return nested[0] + nested[1] + nested[2]

    compiled = plain.kernel(run, ring_digest(()))
    assert compiled(np.zeros(1, record), np.array([1.0, 2.0, 3.0])) == 12.0


def test_users_own_numba_code_finds_numba_as_it_is():
    """Neither types are remembered for it nor nested arrays cast, in both modes."""
    context = cpu_target.target_context
    context.refresh()
    cast = context._casts.find((types.NestedArray(types.float64, (3,)), types.Array(types.float64, 1, "C")))
    assert cast.__module__.startswith("numba.")
    assert BaseFunction.get_call_type.__module__.startswith("numba.")
    assert type(context).__module__.startswith("numba.")


def test_a_new_numba_falls_back_by_itself(tmp_path):
    """As a process: one notice, a kernel that compiles, nothing of Numba changed."""
    (tmp_path / "users.py").write_text(
        "import numba\n"
        "numba.__version__ = '9.9.0'\n"
        "from supple.jit import LoadKernel\n"
        "def _nothing(tree, space, data, mode):\n    pass\n"
        "assert LoadKernel(_nothing).address\n"
        "import sys\n"
        "assert 'supple.jit.fast' not in sys.modules\n"
    )
    environment = {key: value for key, value in ENVIRONMENT.items() if key not in ("SUPPLE_QUIET", "SUPPLE_JIT")}
    done = subprocess.run(
        [sys.executable, tmp_path / "users.py"],
        env=environment | {"SUPPLE_CACHE_DIR": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (line, _) = done.stderr.splitlines()
    assert "slower" in line
    assert "Numba 9.9.0 is outside of the versions 0.61 to 0.68" in line
    assert os.path.isdir(tmp_path / "cache")
