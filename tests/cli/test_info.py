"""``supple info``: a system in words and tables."""

import pytest

from command import inside, process
from supple.systems import SYSTEMS


def test_a_system_with_loops(tmp_path):
    result = process("info", "fin-ray", "--set", "stroke=0.01", folder=tmp_path)
    assert result.code == 0
    lines = [line.split() for line in result.out.splitlines()]
    assert ["rows", "of", "loops", "nc", "=", "13"] in lines
    assert ["hinge1", "rib1", "right1", "Revolute"] in lines
    assert ["stroke", "a", "number", "0.025", "0.01"] in lines
    assert ["Prescribed", "1", "left1"] in lines
    assert "warning" not in result.err


def test_inputs_and_parameters(capfd):
    out = inside(capfd, "info", "Cable_Manipulator").out
    lines = [line.split() for line in out.splitlines()]
    assert ["cable2", "Polynomial", "0", "20", "tension"] in lines
    assert ["points", "a", "whole", "number", "5"] in lines
    assert "ndf (rtol = 0.001, atol = 1e-06)" in out
    assert "two sines, a ramp and two steps" in out


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system_can_be_described(name, capfd):
    result = inside(capfd, "info", name)
    assert result.code == 0, result.err
    assert "Parameters" in result.out


def test_files_of_other_kinds_are_told_from_systems(tmp_path, capfd):
    other = tmp_path / "robot.sdf"
    other.write_text("<sdf/>", encoding="utf-8")
    result = inside(capfd, "info", str(other))
    assert result.code == 2
    assert result.err.strip().endswith("robot.sdf: files of robots end in .urdf, .yaml, .yml, .json, .xml, .mjcf")
    assert "there is no system" in inside(capfd, "info", str(tmp_path / "nowhere.sdf")).err
