"""``supple compile``: what is compiled ahead of time is there afterwards, and nothing more is said about it."""

import re

import pytest

from command import process
from supple.cli import exercises


@pytest.mark.parametrize("options", [(), ("--all",)])
def test_the_second_call_finds_everything(options, tmp_path):
    assert process("compile", *options, folder=tmp_path).code == 0
    result = process("compile", *options, folder=tmp_path)
    assert result.code == 0
    assert result.err == ""
    first, *kept = result.out.splitlines()
    assert re.fullmatch(r"everything is there: \d+ kernels", first)
    assert all(line.startswith("kept in ") for line in kept)
    assert list(tmp_path.iterdir()) == []


def test_a_first_simulation_is_told_nothing_after_it(tmp_path):
    process("compile", folder=tmp_path)
    result = process("run", "cable-manipulator", "--t-end", "0.01", "--no-plots", folder=tmp_path)
    assert result.code == 0
    assert "compiling" not in result.err


def test_everything_holds_what_a_first_simulation_needs():
    assert {e.name for e in exercises.first_simulation()} < {e.name for e in exercises.everything()}
