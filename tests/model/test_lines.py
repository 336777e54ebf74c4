"""Lengths of lines and their Jacobian."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error
from reference_robots import cable_manipulator


def lined():
    robot = cable_manipulator()
    robot.add(sp.Tendon("a", {"arm": lambda X: (0.0, 0.01)}))
    robot.add(sp.PointWrench("arm", np.ones(6)))
    robot.add(sp.Chamber("b", {"arm": lambda X: (0.01, 0.0)}, area=1e-4, until={"arm": 0.2}))
    return robot.compile()


def test_lines_are_named_in_the_order_they_were_added():
    model = lined()
    assert model.line_lengths(np.zeros(24)) == {"a": pytest.approx(0.5), "b": pytest.approx(0.2e-4)}


def test_jacobian():
    model = lined()
    q = 0.3 * np.random.default_rng(0).standard_normal(24)
    J = model.line_jacobian(q)
    assert J.shape == (2, 24)
    by_difference = difference_jacobian(lambda x: np.array(list(model.line_lengths(x).values())), q)
    assert relative_error(J, by_difference) < 1e-11
    B = model.actuation(q)
    assert relative_error(J, np.stack((-B[:, 0], B[:, 1]))) < 1e-14


def test_rates_that_change_by_themselves():
    model = lined()
    q, v = 0.3 * np.random.default_rng(1).standard_normal((2, 24))
    found, h = model.line_biases(q, v), 1e-5
    ahead, behind = model.lines(q + h * v, v), model.lines(q - h * v, v)
    assert list(found) == ["a", "b"]
    for name, bias in found.items():
        expected = (ahead[name].rate - behind[name].rate) / (2.0 * h)
        assert bias == pytest.approx(expected, abs=1e-8 * np.abs(ahead[name].gradient).max())


def test_a_stretched_rod_stretches_its_lines():
    model = lined()
    q = np.zeros(24)
    q[model.coordinate_names.index("arm.stretch_0")] = 0.1
    assert model.line_lengths(q) == {"a": pytest.approx(0.55), "b": pytest.approx(0.22e-4)}


def test_a_robot_without_lines():
    model = cable_manipulator().compile()
    assert model.line_lengths(np.zeros(24)) == {}
    assert model.line_jacobian(np.zeros(24)).shape == (0, 24)


def test_bad_coordinates_are_refused():
    with pytest.raises(sp.StateError, match=r"q\[3\]"):
        lined().line_lengths([0.0, 0.0, 0.0, np.nan, *[0.0] * 20])


def test_inputs_of_tendons_are_tensions_and_no_others():
    robot = cable_manipulator()
    robot.add_link("wheel", sp.Rigid(1.0, [1.0, 1.0, 1.0]), sp.Revolute("z"), parent="arm")
    robot.add(sp.Chamber("pressure", {"arm": lambda X: (0.01, 0.0)}, area=1e-4))
    robot.add(sp.Tendon("inside", {"arm": lambda X: (0.0, 0.01)}))
    robot.add(sp.ElasticTendon("winch", {"arm": lambda X: (0.01, 0.0)}, stiffness=100.0))
    robot.add(sp.Tendon("outside", {"arm": lambda X: (0.0, -0.01), "world": [(0.3, 0.2, 0.1)]}))
    robot.add(sp.Cable("stay", [("world", 0.0), ("arm", 1.0)], stiffness=10.0))
    robot.add(sp.JointDrive("motor", "wheel"))
    model = robot.compile()
    assert model.tension_inputs == ("inside", "outside")
    assert model.demand.tensions == tuple(name in ("inside", "outside") for name in model.input_names)
    assert len(model.demand.tensions) == model.nu
    assert cable_manipulator().compile().tension_inputs == ()
