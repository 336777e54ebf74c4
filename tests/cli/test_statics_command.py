"""``supple statics``: equilibria as the library finds them."""

import numpy as np

from command import error_of, inside, process
from supple.systems import SYSTEMS


def test_under_the_inputs_of_a_time(tmp_path):
    result = process("statics", "cable-manipulator", "--t", "2.5", "--no-plots", folder=tmp_path)
    assert result.code == 0, result.err
    system = SYSTEMS["cable-manipulator"]()
    model = system.compile()
    expected = model.statics([law(2.5) for law in system.u], t=2.5)
    tip = ", ".join(f"{x:.6g}" for x in model.pose(expected.q, "arm")[:3, 3])
    assert f"({tip}) m" in result.out
    lines = [line.split() for line in result.out.splitlines()]
    assert ["cable2", "5"] in lines
    assert ["stable", "yes"] in [line[:2] for line in lines]
    with np.load(tmp_path / "cable-manipulator" / "equilibrium.npz") as saved:
        np.testing.assert_allclose(saved["q"], expected.q, atol=1e-9)
        np.testing.assert_allclose(saved["u"], expected.u)


def test_given_inputs_by_name_and_in_order(capfd, tmp_path):
    options = ("--no-plots", "--out", str(tmp_path / "rest"))
    named = inside(capfd, "statics", "cable-manipulator", "--u", "cable1=8, cable5=2", *options)
    listed = inside(capfd, "statics", "cable-manipulator", "--u", "8,0,0,0,2", *options)
    assert named == listed
    assert named.code == 0


def test_efforts_and_wrenches_of_loops(capfd, tmp_path):
    result = inside(capfd, "statics", "fin-ray", "--t", "1.2", "--no-plots", "--out", str(tmp_path))
    assert result.code == 0, result.err
    lines = [line.split() for line in result.out.splitlines()]
    (effort,) = [float(line[1]) for line in lines if line[:1] == ["left1.translation"]]
    assert abs(effort) > 1e-3
    (wrench,) = [line[1:] for line in lines if line[:1] == ["top"]]
    assert len(wrench) == 6


def test_no_equilibrium(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = inside(capfd, "statics", "underwater-vehicle")
    assert result.code == 1
    assert "nothing resists front.rotation" in error_of(result)
    assert list(tmp_path.iterdir()) == []
