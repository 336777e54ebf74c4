"""The cotangent of a pose joins those of the segment that it is the end of, in world axes."""

import subprocess
import sys

import numpy as np
import pytest

import supple as sp
from kernel_entry import handles_of, scratch_of
from oracle import Ad
from supple.core.arrays import handle
from supple.core.station_gradient import PULL_BACK_POSE, StationData


@pytest.fixture(scope="module")
def model():
    robot = sp.Robot("arm")
    material = sp.Material(1e6, poisson=0.4, density=1000.0)
    robot.add_link("arm", sp.Rod(0.5, sp.Circle(0.02), material, sp.Legendre(bend_y=1, torsion=1), points=3))
    return robot.compile()


@pytest.mark.parametrize("segment", [1, 3])
def test_a_wrench_in_the_station_s_frame_becomes_one_about_the_origin(model, segment):
    rng = np.random.default_rng(2)
    model.inverse_dynamics(rng.normal(size=model.n), np.zeros(model.n), np.zeros(model.n))
    work = scratch_of(model).work
    work["dZ"] = before = rng.normal(size=work["dZ"].shape)
    wrench = rng.normal(size=6)
    data = StationData(np.array([[segment]]), wrench[None].copy())
    at = handle(data)
    assert PULL_BACK_POSE.address  # which compiles it
    PULL_BACK_POSE.compiled.ctypes(0, handles_of(model)[1].ctypes.data, at.ctypes.data, 0)
    g = np.eye(4)
    g[:3, :3], g[:3, 3] = work["R"][segment], work["p"][segment]
    expected = before.copy()
    expected[segment] += np.linalg.solve(Ad(g).T, wrench)
    assert work["dZ"] == pytest.approx(expected, rel=1e-12)


@pytest.mark.slow
def test_gradients_of_tips_compile_nothing_of_loops():
    """Users without loops would wait for it in vain."""
    script = """
import numpy as np, supple as sp
def arm(young=1e6, length=0.3):
    robot = sp.Robot("arm")
    robot.add_link("arm", sp.Rod(length, sp.Circle(0.01), sp.Material(young, 0.5, density=1e3), sp.Legendre(bend_y=1)))
    return robot
model = sp.Design(arm, young=1e6, length=0.3).model()
model.statics().vjp(pose={("arm", 0.5): np.ones(6)})
from supple.jit import ADDRESSED
made = {kernel.function.__module__ for kernel in ADDRESSED if kernel._address}
assert "supple.core.station_gradient" in made, made
assert not {"supple.core.loop_gradients", "supple.constraints.loop"} & made, made
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
