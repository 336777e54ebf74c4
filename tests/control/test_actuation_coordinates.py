"""Actuation coordinates: their slope is B^T, whatever the actuator is."""

import numpy as np
import pytest

import supple as sp
from control_cases import driven, soft_arm, trunk
from helpers import difference_jacobian
from supple.errors import ModelError


@pytest.mark.parametrize("seed", range(16))
def test_slope_and_bias(seed):
    model, inputs, q, v = driven(seed)
    y = sp.control.actuation_coordinates(model, inputs)
    assert y.names == tuple(inputs)
    J = y.jacobian(q)
    np.testing.assert_allclose(difference_jacobian(y, q), J, atol=1e-7 * max(1.0, np.abs(J).max()))
    np.testing.assert_allclose(y.rate(q, v), J @ v)
    step = 1e-5
    bias = (y.jacobian(q + step * v) - y.jacobian(q - step * v)) @ v / (2.0 * step)
    np.testing.assert_allclose(y.bias(q, v), bias, atol=1e-6 * max(1.0, np.abs(bias).max()))


def test_motors_and_tendons_have_the_coordinates_one_expects():
    model = soft_arm(sp.Tendon("t", {"rod": lambda X: (0.01, 0.01 * np.sin(10.0 * X))})).compile()
    y = sp.control.actuation_coordinates(model)
    q = 0.3 * np.random.default_rng(0).standard_normal(model.n)
    shorter = model.line_lengths(0.0 * q)["t"] - model.line_lengths(q)["t"]
    np.testing.assert_allclose(y(q), [q[0], q[1], shorter], atol=1e-15)
    other = sp.control.actuation_coordinates(model, q0=q)
    np.testing.assert_allclose(other(q), 0.0, atol=1e-15)


def test_of_a_trunk_they_are_linear():
    model = trunk(1).compile()
    y = sp.control.actuation_coordinates(model)
    assert y.constant.all()
    q = np.array([1.0, -2.0, 0.1])
    np.testing.assert_allclose(y(q), model.actuation(q).T @ q, atol=1e-18)


def test_integrals_are_exact_where_lines_do_not_help():
    """The same tendon, by its length and by integration."""
    model = soft_arm(sp.Tendon("t", {"rod": lambda X: (0.01, 0.01 * np.sin(10.0 * X))})).compile()
    exact, integrated = (sp.control.actuation_coordinates(model) for _ in range(2))
    integrated._lines, integrated._integrated, integrated._start = {}, [2], np.zeros(3)
    q = 0.8 * np.random.default_rng(1).standard_normal(model.n)
    np.testing.assert_allclose(integrated(q), exact(q), atol=1e-12)
    integrated._check_potential(2, q)


def test_what_has_none_is_named():
    robot = sp.Robot("ball")
    robot.add_link("ball", sp.Rigid.box((0.1, 0.2, 0.3), density=100.0), sp.Spherical())
    robot.add(sp.JointDrive("torque", "ball"))
    with pytest.raises(ModelError, match=r"input 'torque\.wx' has none: the work that it does depends on the way"):
        sp.control.actuation_coordinates(robot.compile())


def test_coordinates_of_small_units():
    """The area that a cavity adds to a bore is in square metres: near rest is nearer for it than for an angle."""
    length = 0.08
    swell = sp.VolumePreserving([sp.Source(sp.PolynomialMode((0.0, 0.0, 1.0), length))])
    rim = [(length, 0.03, 0.0), (length, 0.0, 0.03), (length, -0.03, 0.0)]
    hollow = sp.HollowCylinder(length, 0.03, 0.02)
    body = sp.SoftBody(swell, hollow, density=900.0, stiffness=[1.0], tip=rim, moving_base=True)
    robot = soft_arm()
    robot.add_link("gripper", body, parent="rod")
    robot.add(sp.Cavity("p", "gripper"))
    model = robot.compile()
    y = sp.control.actuation_coordinates(model)
    q = np.zeros(model.n)
    q[-1] = -1e-4
    np.testing.assert_allclose(y(q)[-1], np.pi * length / 3.0 * q[-1], rtol=1e-6)  # volume: the integral of pi m(x)
    np.testing.assert_allclose(y.jacobian(q)[-1, -1], np.pi * length / 3.0, rtol=1e-6)
