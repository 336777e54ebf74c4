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
