"""Computed torque gives all coordinates the acceleration that is asked for."""

import numpy as np
import pytest

import supple as sp
from control_cases import soft_arm, trunk
from coupled_cases import hand
from soft_robots import mixed_robot
from supple.errors import ModelError, SingularError


def pendulum(*items):
    """Three bars, two motors beside those in ``items``."""
    robot, parent = sp.Robot("pendulum"), "world"
    for k in range(3):
        robot.add_link(f"b{k}", sp.Rigid.cylinder(0.3, 0.02, density=900.0), sp.Revolute("yzy"[k]), parent=parent)
        parent = f"b{k}"
    for item in items:
        robot.add(item)
    return robot.compile()


@pytest.mark.parametrize("model", [trunk(2).compile(), pendulum(*(sp.JointDrive(f"m{k}", f"b{k}") for k in range(3)))])
def test_accelerations_are_those_asked_for(model):
    rng = np.random.default_rng(0)
    q, v = 0.5 * rng.standard_normal(model.n), rng.standard_normal(model.n)
    reference = sp.laws.Sine(np.linspace(0.1, 0.5, model.n), 0.4)
    law = sp.control.computed_torque(model, reference, 9.0, 6.0)
    a = model.forward_dynamics(q, v, law(0.2, q, v), 0.2).a
    wanted = reference.acceleration(0.2) + 9.0 * (reference(0.2) - q) + 6.0 * (reference.rate(0.2) - v)
    np.testing.assert_allclose(a, wanted, atol=1e-9 * np.abs(wanted).max())


def test_prescribed_joints_are_left_alone():
    model = pendulum(sp.Prescribed("b1", sp.laws.Sine(0.4, 1.0)), sp.JointDrive("m0", "b0"), sp.JointDrive("m2", "b2"))
    rng = np.random.default_rng(1)
    q, v = rng.standard_normal(3), rng.standard_normal(3)
    law = sp.control.computed_torque(model, [0.1, -0.2], 9.0, 6.0)
    a = model.forward_dynamics(q, v, law(0.2, q, v), 0.2).a
    np.testing.assert_allclose(a[[0, 2]], 9.0 * (np.array([0.1, -0.2]) - q[[0, 2]]) - 6.0 * v[[0, 2]], atol=1e-9)


def test_more_inputs_than_coordinates_share():
    model = pendulum(*(sp.JointDrive(f"m{k}{j}", f"b{k}") for k in range(3) for j in range(2)))
    law = sp.control.computed_torque(model, np.zeros(3), 9.0, 6.0)
    u = law(0.0, np.full(3, 0.3), np.zeros(3))
    np.testing.assert_allclose(u[0::2], u[1::2])
    np.testing.assert_allclose(model.forward_dynamics(np.full(3, 0.3), np.zeros(3), u).a, -2.7, atol=1e-10)


def test_a_reference_is_followed():
    model = trunk(1).compile()
    reference = sp.laws.Sine(np.array([0.5, -0.8, 0.05]), 1.0)
    law = sp.control.computed_torque(model, reference, 100.0, 20.0)
    t = np.linspace(0.0, 0.5, 6)
    v0 = reference.rate(0.0)
    motion = model.simulate(t, v0=v0, u=law, method=sp.NDF(rtol=1e-7, atol=1e-9))
    np.testing.assert_allclose(motion.q, [reference(x) for x in t], atol=1e-6)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (soft_arm().compile(), "2 inputs cannot move 7 coordinates; partial_feedback_linearization"),
        (mixed_robot().compile(), "has closed loops"),
        (hand().compile(), "2 inputs cannot move"),
    ],
)
def test_robots_that_are_not_fully_actuated_are_refused(model, message):
    with pytest.raises(ModelError, match=message):
        sp.control.computed_torque(model, np.zeros(model.n), 1.0, 1.0)


def test_a_matrix_without_full_rank_is_told():
    model = pendulum(sp.JointDrive("m0", "b0"), sp.JointDrive("m1", "b1"), sp.JointDrive("again", "b1"))
    law = sp.control.computed_torque(model, np.zeros(3), 1.0, 1.0)
    with pytest.raises(SingularError, match="the inputs move only 2 of 3 coordinates"):
        law(0.0, np.zeros(3), np.zeros(3))
