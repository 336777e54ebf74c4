"""The examples and the README's lines give the numbers they promise."""

import importlib.util
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipe, ellipk

from supple.systems import SYSTEMS

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
README = (ROOT / "README.md").read_text(encoding="utf-8")


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_tested_here():
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    first = {"soft_arm_on_shaft", "sagging_rod", "swinging_rod", "swinging_arm"}
    joints = {"coupled_hand", "roller_coaster", "four_bar_rope"}
    others = {"buckling", "fit_viscosity", "throw", "optimise_taper", "bounce", "train_policy", "realtime_controller"}
    assert names == first | joints | others


def test_readme_shows_the_first_example():
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    source = (EXAMPLES / "swinging_arm.py").read_text(encoding="utf-8")
    assert blocks[0] in source
    assert len([line for line in blocks[0].splitlines() if line.strip()]) <= 20


def test_readme_derivatives_run():
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    model = SYSTEMS["cable-manipulator"]().compile()
    names = {"model": model, "q": model.rest, "v": model.rest, "a": model.rest, "u": np.ones(5)}
    exec(blocks[1], names)
    assert names["tangent"].shape == names["da_dq"].shape == (24, 24)


def test_readme_gradients_run(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names = runpy.run_path(str(EXAMPLES / "swinging_arm.py"))
    tips = names["model"].simulate(2.0, q0=names["rest"].q).tip("arm")
    exec(blocks[2], names | {"weights": np.ones_like(tips)})
    assert "(15,) (15,) (1,)" in capsys.readouterr().out


def test_soft_arm_on_shaft(capsys):
    names = runpy.run_path(str(EXAMPLES / "soft_arm_on_shaft.py"))
    np.testing.assert_allclose(names["dq"][:, 3], names["difference"], atol=1e-8)
    assert "16 coordinates" in capsys.readouterr().out


def test_a_controller_in_real_time():
    """How many deadlines are missed is the machine's affair: it is only reported."""
    report, before, after = load("realtime_controller").main(duration=0.5, paced=False)
    assert len(report.work) == 500
    assert report.failures == ()
    assert after < 0.5 * before
    assert "deadlines missed" in str(report)


def test_sagging_rod_agrees_with_beam_theory():
    sag, beam, steps = load("sagging_rod").main()
    assert sag == pytest.approx(beam, rel=1e-3)
    assert steps <= 4


def test_swinging_rod_conserves_energy_to_second_order():
    example = load("swinging_rod")
    lowest, coarse = example.main(h=2e-3, duration=0.2)
    _, fine = example.main(h=1e-3, duration=0.2)
    assert lowest < -0.05
    assert fine < 1e-5
    assert 3.0 < coarse / fine < 5.0


def test_swinging_arm(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = runpy.run_path(str(EXAMPLES / "swinging_arm.py"))
    assert names["rest"].stable
    np.testing.assert_allclose(names["tip"][0], names["model"].pose(names["rest"].q, "arm")[:3, 3], atol=1e-9)
    assert names["tip"][:, 2].min() < -0.3 < 0.1 < names["tip"][0, 2]
    printed = capsys.readouterr().out
    assert printed in README
    assert (tmp_path / "swing.png").stat().st_size > 10_000


def test_fitting_finds_the_viscosity():
    viscosity, _ = load("fit_viscosity").main()
    assert viscosity == pytest.approx(2500.0, rel=0.02)


def test_a_column_buckles_into_the_elastica():
    energies, stable, critical, s, tips = load("buckling").main()
    assert stable == [True, True, False]
    assert energies[0] == pytest.approx(energies[1])
    assert energies[1] < energies[2] == pytest.approx(0.0, abs=1e-12)
    assert critical == pytest.approx(1.0, rel=1e-5)
    load_of = np.pi**2 / 4.0 * s[1:]
    k2 = np.array([brentq(lambda m, P=P: ellipk(m) ** 2 - P, 1e-12, 0.99) for P in load_of])
    np.testing.assert_allclose(tips[1:, 0], 2.0 * ellipe(k2) / ellipk(k2) - 1.0, atol=1e-4)
    np.testing.assert_allclose(np.abs(tips[1:, 1]), 2.0 * np.sqrt(k2) / ellipk(k2), atol=1e-3)


def test_throwing_hits_the_target():
    first, best, _ = load("throw").main()
    assert best < 0.01 < 0.5 < first


def test_a_taper_presses_harder():
    straight, best, radii = load("optimise_taper").main()
    assert best > 1.5 * straight
    assert np.mean(radii**2) == pytest.approx(0.008**2, rel=1e-6)


def test_a_gradient_through_a_bounce():
    exact, differences = load("bounce").main()
    np.testing.assert_allclose(exact, differences, atol=0.01)
    assert abs(exact[3]) > 0.1


def test_a_policy_learns_through_the_simulator():
    before, after = load("train_policy").main()
    assert after < 0.1 * before


def test_readme_names_one_command_that_tests():
    # `.ci/run` takes the command from here
    assert len(re.findall(r"^python3 .*-m pytest$", README, flags=re.MULTILINE)) == 1


def test_roller_coaster_keeps_its_energy_and_rubs_to_rest():
    laps, lost, speed = load("roller_coaster").main(duration=2.0)
    assert laps > 0.3
    assert lost < 1e-4
    assert abs(speed) < 0.05


def test_a_rope_hangs_in_a_four_bar():
    sag, catenary, drift, lowest = load("four_bar_rope").main()
    assert sag == pytest.approx(catenary, rel=5e-3)
    assert drift < 1e-6
    assert lowest == pytest.approx(-0.4763, abs=2e-4)  # at steps of 2, 1, 0.5 and 0.25 ms


def test_a_coupled_hand_holds_a_ball():
    coordinates, angle, forces = load("coupled_hand").main()
    assert coordinates == 3
    assert 0.005 < angle < 0.5
    assert forces.min() > 0.05
    np.testing.assert_allclose(forces, forces.mean(), rtol=0.2)
