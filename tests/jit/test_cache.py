"""Kernels from the cache, in a process that compiles nothing at first, and something later."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import supple as sp

SOURCE = str(Path(sp.__file__).parents[1])

#: A kernel that no process has compiled before, called last.
SCRIPT = """
import sys
import numpy as np
import supple as sp
from supple.jit import cache, kernel

robot = sp.Robot()
robot.add_link("arm", sp.Rigid.box((0.5, 0.1, 0.1), density=1000.0), sp.Revolute("y"))
model = robot.compile()
print(repr(float(model.inverse_dynamics([0.3], [0.1], [0.2])[0])), len(cache.compiled_here))
print("numba.np.arraymath" in sys.modules, "scipy.linalg" in sys.modules)

def further(x):
    return np.sin(x).sum() + x.max()

print(repr(float(kernel(further)(np.arange(3.0)))), len(cache.compiled_here))
print(repr(float(model.forward_dynamics([0.3], [0.1]).a[0])))
"""


@pytest.fixture(scope="module")
def expected():
    """The same numbers here; afterwards all kernels are in the cache."""
    robot = sp.Robot()
    robot.add_link("arm", sp.Rigid.box((0.5, 0.1, 0.1), density=1000.0), sp.Revolute("y"))
    model = robot.compile()
    return model.inverse_dynamics([0.3], [0.1], [0.2])[0], model.forward_dynamics([0.3], [0.1]).a[0]


def test_loaded_kernels_need_nothing_of_what_compiling_needs(expected, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": SOURCE, "SUPPLE_QUIET": "1"}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    inverse, ready, later, forward = (line.split() for line in done.stdout.splitlines())
    if inverse[1] != "0":
        pytest.skip("nothing is kept here: no folder can be written to")
    assert float(inverse[0]) == expected[0]
    assert ready == ["False", "False"]
    # and what is compiled later is what it would be at first
    assert float(later[0]) == pytest.approx(np.sin(np.arange(3.0)).sum() + 2.0, rel=1e-15)
    assert later[1] == "1"
    assert float(forward[0]) == expected[1]
