"""Functions inside kernels that one process lowered and another takes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from supple.jit.mode import in_use

SOURCE = str(Path(sp.__file__).parents[1])

pytestmark = pytest.mark.skipif(in_use()[0] != "fast", reason="plain Numba keeps kernels only")

#: A kernel of this file's own, which is compiled wherever the file stands, of functions of the package.
SCRIPT = """
import sys
import numpy as np
from supple.jit import kernel
from supple.lie import log, tangent

def logarithm(R, p, out, inverse):
    log.log(R, p, out, inverse)

def inverted(A, out):
    log.inverse3(A, out)

R, out, inverse = np.eye(3), np.zeros(6), np.zeros((2, 3, 3))
R[:2, :2] = [[0.8, -0.6], [0.6, 0.8]]
if sys.argv[1:] == ["inverse first"]:
    kernel(inverted)(R, inverse[0])
kernel(logarithm)(R, np.array([1.0, 2.0, 3.0]), out, inverse)
print(*(sum(f.stats.cache_hits.values()) for f in (log.log, log.inverse3, tangent.tangent_operators)))
print(*(repr(float(number)) for number in out))
"""


@pytest.fixture
def run(tmp_path):
    """Run the script in a process of its own from a place of its own: which parts it found, and its numbers."""

    def run(place, *arguments):
        folder = tmp_path / place
        folder.mkdir()
        (folder / "script.py").write_text(SCRIPT)
        environment = {**os.environ, "PYTHONPATH": SOURCE, "SUPPLE_QUIET": "1", "SUPPLE_CACHE_DIR": str(tmp_path / "c")}
        command = [sys.executable, folder / "script.py", *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found, numbers = done.stdout.splitlines()
        return [int(count) for count in found.split()], numbers

    return run


def test_another_process_finds_what_one_has_lowered(run, tmp_path):
    found, numbers = run("first")
    assert found == [0, 0, 0]
    assert np.linalg.norm([float(x) for x in numbers.split()][:3]) == pytest.approx(np.arccos(0.8), rel=1e-12)
    # what the logarithm calls comes with it, and nobody asks for that
    assert run("second") == ([1, 0, 0], numbers)


@pytest.mark.parametrize("damage", ["removed", "damaged"])
def test_what_calls_a_part_that_is_lost_is_lowered_anew(run, tmp_path, damage):
    _, numbers = run("first")
    (part,) = tmp_path.rglob("supple.lie.log.inverse3-*.nbc")
    part.unlink() if damage == "removed" else part.write_bytes(part.read_bytes()[:-10])
    assert run("second") == ([0, 0, 1], numbers)
    assert run("third") == ([1, 0, 0], numbers)


def test_a_part_of_another_name_is_not_called(run, tmp_path):
    """Names for the linker differ between processes."""
    _, numbers = run("first")
    (part,) = tmp_path.rglob("supple.lie.log.inverse3-*.nbc")
    part.unlink()
    assert run("second", "inverse first") == ([0, 0, 1], numbers)
    assert run("third", "inverse first") == ([1, 1, 0], numbers)
