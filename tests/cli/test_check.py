"""``supple check``: right derivatives pass, on every system; one that is off is named."""

import numpy as np
import pytest

from command import inside, process
from supple.cli import check, derivatives
from supple.cli.derivatives import Comparison, compare_derivatives
from supple.systems import SYSTEMS


def test_one_system(tmp_path):
    result = process("check", "cable-manipulator", "--seed", "3", folder=tmp_path)
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    verdicts = [line.split()[-1] for line in lines[1:] if line.startswith(("d", "M", "motion", "fused", "tangent"))]
    assert set(verdicts) == {"ok"}
    assert "motion: load 'cable5' alone" in result.out
    assert "motion: dR/dq" in result.out
    assert " within 1e-06 " in lines[-1]


def test_an_error_above_the_tolerance_fails(capfd):
    result = inside(capfd, "check", "serial-arm", "--tolerance", "1e-17")
    assert result.code == 1
    assert " off" in result.out


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_system(name):
    system = SYSTEMS[name]()
    lines = compare_derivatives(system, system.compile(), seed=1, t_end=min(0.1, system.t_end))
    worst = max(lines, key=lambda line: line.error)
    assert worst.error < 1e-6, worst


def test_contact_is_seen_along_the_motion():
    """Two seconds into its motion the manipulator leans on the wall of the cylinder."""
    system = SYSTEMS["contact-cylinder"](radius=0.06)
    model = system.compile()
    run = system.simulate(model, np.linspace(0.0, 2.0, 4), progress=False)
    report = model.check_derivatives(run.q[-1], run.v[-1], run.a[-1], run.u[-1], 2.0)
    assert any(row.load == "wall" and row.size > 1.0 for row in report.rows)
    assert all(line.error < 1e-6 for line in compare_derivatives(system, model))


def test_all_tells_which_system_is_off(capfd, monkeypatch):
    def compare(system, model, seed):
        error = {"serial-arm": np.nan, "parallel-robot": 1e-3}.get(system.name, 1e-9)
        return [Comparison("M", "mass_matrix(q)", 1e-12), Comparison("dID/dq", "central differences", error)]

    names = ["cable-manipulator", "serial-arm"]
    monkeypatch.setattr(derivatives, "compare_derivatives", compare)
    monkeypatch.setattr(check, "SYSTEMS", {name: SYSTEMS[name] for name in names})
    result = inside(capfd, "check", "--all")
    assert result.code == 1
    lines = [line.split() for line in result.out.splitlines()]
    assert ["cable-manipulator", "2", "of", "2", "dID/dq", "1.0e-09", "ok"] in lines
    assert ["serial-arm", "1", "of", "2", "dID/dq", "nan", "off"] in lines
    assert "  dID/dq, against central differences: nan" in result.out
    assert inside(capfd, "check").out == result.out
