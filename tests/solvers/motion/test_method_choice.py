"""Which method a model gets, and what it is told when a run crawls."""

import pytest

import supple as sp
from motions import four_bar, pendulum, soft_arm
from supple.solvers.motion import choice, diagnosis
from supple.solvers.motion.choice import choose_method, fast_damping


def test_damping_decides():
    assert isinstance(choose_method(soft_arm(0.0)).method, sp.Radau)
    chosen = choose_method(soft_arm(0.05))
    assert isinstance(chosen.method, sp.NDF)
    assert "damped" in chosen.reason
    assert isinstance(choose_method(pendulum()).method, sp.NDF)


def test_loops_and_contact_decide():
    assert isinstance(choose_method(four_bar()[0]).method, sp.GeneralizedAlpha)
    floor = sp.Contact("floor", sp.Spheres("rod", n=4), sp.Plane(height=-1.0), stiffness=1e3)
    chosen = choose_method(soft_arm(0.0, floor))
    assert isinstance(chosen.method, sp.NDF)
    assert "contact" in chosen.reason


def test_joints_that_may_spin_decide():
    steel = sp.Material(young=1e11, poisson=0.3, density=7800.0)
    rod = sp.Rod(5.0, sp.Circle(0.005), steel, sp.Legendre(bend_y=7), points=10)
    for joint, chosen, reason in ((sp.Free(), sp.NDF, "spin"), (sp.Fixed(), sp.Radau, "damping ratio")):
        robot = sp.Robot("wire")
        robot.add_link("wire", rod, joint)
        found = choose_method(robot.compile())
        assert isinstance(found.method, chosen)
        assert reason in found.reason


def test_many_coordinates_decide(monkeypatch):
    monkeypatch.setattr(choice, "MOST_COORDINATES", 2)
    chosen = choose_method(soft_arm(0.0))
    assert isinstance(chosen.method, sp.NDF)
    assert "more than 2 coordinates" in chosen.reason


def test_damping_ratios_of_kelvin_voigt():
    """zeta = omega tau / 2."""
    ratio, frequency = fast_damping(soft_arm(1e-4))
    assert ratio == pytest.approx(0.5 * frequency * 1e-4, rel=0.05)


def test_the_reason_is_told():
    run = soft_arm(0.05).simulate(0.01)
    assert "damped" in run.stats["reason"]
    assert soft_arm(0.05).simulate(0.01, method=sp.NDF()).stats["reason"] == "given"


def test_a_run_that_crawls_says_what_to_change_once(monkeypatch):
    monkeypatch.setattr(diagnosis, "PATIENCE", 10)
    monkeypatch.setattr(diagnosis, "CRAWL", 50)
    with pytest.warns(sp.ModelWarning, match=r"NDF takes steps of .* take Radau\(\)") as told:
        soft_arm(0.0).simulate(1.0, method=sp.NDF(rtol=1e-5))
    assert len(told) == 1


@pytest.mark.parametrize("t0", [100.0, -100.0])
def test_runs_that_go_on_or_switch_inputs_are_told_that_they_crawl(t0, monkeypatch, tmp_path):
    """The mean step is that since the beginning, wherever that is on the clock."""
    monkeypatch.setattr(diagnosis, "CRAWL", 50)
    model, times, method = soft_arm(0.0, sp.Tendon("pull", {"rod": (0.0, 0.005)})), (t0, t0 + 1.0), sp.NDF(rtol=1e-5)
    told = 0

    def soon(*_):
        nonlocal told
        told += 1
        return told == 3

    saved = {"checkpoint": tmp_path / "run.npz", "method": method}
    monkeypatch.setattr(diagnosis, "PATIENCE", 10**9)
    assert model.simulate(times, progress=soon, **saved).stats["stopped"]
    monkeypatch.setattr(diagnosis, "PATIENCE", 10)
    with pytest.warns(sp.ModelWarning, match=r"NDF takes steps of"):
        model.simulate(times, progress=lambda *_: told > 3, resume=True, **saved)
    switch = sp.Event(lambda t, q, v: t - t0 - 1e-5, lambda t, q, v: sp.Switch(u=[0.0]))
    with pytest.warns(sp.ModelWarning, match=r"NDF takes steps of"):
        model.simulate(times, u=[0.1], method=method, events=[switch])


def test_ndf_refuses_index_3():
    with pytest.raises(sp.ModelError, match=r'NDF: loops="index3" does not go.*Radau'):
        sp.NDF(loops="index3")
