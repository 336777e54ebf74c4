"""Commands with files: what they say of a robot in a file, and ``supple convert``."""

import numpy as np
import pytest

import supple as sp
from command import inside
from mjcf_robots import ARM
from urdf_robots import seven_axis_arm

pytest.importorskip("yaml")

PENDULUM = """supple: 1
name: pendulum
parameters: {length: 0.5, ends: [0.02, 0.01]}
links:
  - name: bob
    joint: {Revolute: {axis: y}}
    body: {Rigid: {mass: 1.0, inertia: [0.01, 0.01, 0.01], com: ["${length}", 0, 0]}}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    (tmp_path / "arm.urdf").write_text(seven_axis_arm(np.random.default_rng(0)))
    (tmp_path / "mujoco.xml").write_text(ARM)
    return tmp_path


def test_files_are_described(folder, capfd):
    out = inside(capfd, "info", "pendulum.yaml", "--set", "length=0.7").out
    lines = [line.split() for line in out.splitlines()]
    assert "pendulum: the robot of pendulum.yaml" in out
    assert ["length", "a", "number", "0.5", "0.7"] in lines
    urdf = inside(capfd, "info", "arm.urdf", "--set", "base=free").out
    assert "n = 13" in urdf
    assert ["base", "one", "of", "fixed,", "free", "fixed", "free"] in [line.split() for line in urdf.splitlines()]


def test_files_are_run(folder, capfd):
    result = inside(capfd, "run", "pendulum.yaml", "--t-end", "0.1", "--no-plots", "--set", "length=0.3")
    assert result.code == 0, result.err
    motion = sp.Trajectory.load(folder / "pendulum" / "trajectory.npz", sp.load("pendulum.yaml", length=0.3).compile())
    # sin(theta) ~ 1 - ...: theta'' = m g l / (I + m l^2) at the beginning
    assert motion.a[0, 0] == pytest.approx(9.81 * 0.3 / (0.01 + 0.09))


@pytest.mark.filterwarnings("default::supple.errors.ModelWarning")
def test_files_are_converted(folder, capfd):
    result = inside(capfd, "convert", "arm.urdf", "floating.json", "--set", "base=free")
    assert result.code == 0, result.err
    assert "saved floating.json: 8 links" in result.out
    assert sp.load("floating.json").compile().n == 13
    assert inside(capfd, "convert", "serial-arm", "serial.yaml").code == 0
    result = inside(capfd, "convert", "mujoco.xml", "mujoco.yaml", "--set", "armature=false")
    assert result.code == 0
    assert "omitted or changed" in result.err
    assert sp.load("mujoco.yaml").compile().n == 5
    assert inside(capfd, "convert", "pendulum.yaml", "p.json", "--set", "ends=0.1,0.2").code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("info", "gone.yaml"), "gone.yaml: there is no such file"),
        (("info", "pendulum.yaml", "--set", "lenght=1"), "no parameter 'lenght' (did you mean 'length'?)"),
        (("convert", "arm.urdf", "arm.txt"), "arm.txt: model files end in .yaml, .yml, .json"),
        (("run", "arm.urdf", "--set", "base=flying"), "must be one of fixed, free"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(words, message, folder, capfd):
    result = inside(capfd, *words)
    assert result.code != 0
    assert message in " ".join(result.err.split())
    assert "Traceback" not in result.err
