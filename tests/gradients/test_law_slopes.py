"""Laws of time that follow parameters: of loads, of prescribed joints; controllers are differenced."""

import numpy as np
import pytest

import supple as sp
from supple.errors import ModelWarning


def build(force=2.0, amplitude=0.3, gain=1.0, controlled=0.0, idle=1.0):
    robot = sp.Robot("cart", gravity=(0.0, 0.0, -9.81))
    body = sp.Rigid(1.0 + 0.0 * idle, [0.1, 0.1, 0.1])
    robot.add_link("cart", body, sp.Prismatic("x"))
    robot.add_link("arm", body, sp.Revolute("y", stiffness=gain), parent="cart")
    robot.add(sp.PointWrench("arm", lambda t: force * np.cos(t) * np.ones(6)))
    robot.add(sp.PointWrench("arm", sp.laws.Ramp(np.zeros(6), np.ones(6), 0.0, 1.0)))
    robot.add(sp.Prescribed("cart", sp.laws.Sine(amplitude, 0.5)))
    if controlled:
        robot.add(sp.JointDrive("motor", "arm"))
        robot.add(sp.Controller((0.0,), lambda t, q, v, z: -z, lambda t, q, v, z: np.array([controlled * z[0]])))
    return robot


def test_only_laws_that_follow_parameters_are_asked():
    design = sp.Design(build, force=2.0, amplitude=0.3, gain=1.0)
    laws = design.model().design.laws
    assert laws.parameters == (0, 1)
    t = 0.7
    signals, joints = laws.of_signals(t), laws.of_joints(t)
    assert np.allclose(signals[:6, 0], np.cos(t), rtol=1e-9)
    assert not signals[6:].any()
    assert not signals[:, 1:].any()
    w = np.pi
    expected = np.array([np.sin(w * t), w * np.cos(w * t), -w * w * np.sin(w * t)])
    assert np.allclose(joints[:, 0, 1], expected, rtol=1e-9)
    bar = np.arange(12.0)
    assert laws.pulled_back(t, bar, np.ones((3, 1))) == pytest.approx([15.0 * np.cos(t), expected.sum(), 0.0], rel=1e-8)


def test_equilibria_follow_laws():
    design = sp.Design(build, force=2.0, amplitude=0.3, gain=30.0)
    model = design.model()
    eq = model.statics(t=0.3)
    gradient = eq.vjp([1.0, 2.0])
    for k, name in enumerate(design.names):
        h = 1e-4 * design.values[name]
        ends = [design.model(**{name: design.values[name] + x * h}).statics(q0=eq.q, t=0.3).q for x in (1, -1)]
        expected = (ends[0] - ends[1]) @ [1.0, 2.0] / (2.0 * h)
        assert gradient.p[name] == pytest.approx(expected, rel=1e-6), (k, name)


def test_a_controller_that_follows_a_parameter_is_differenced_with_a_notice():
    model = sp.Design(build, controlled=1.0).model()
    with pytest.warns(ModelWarning, match=r"Controller .*: how parameters change what it does is not known"):
        _ = model.design.slopes
    assert model.design.feedback.parameters == {0}
