"""Thrusters: a wrench that turns with its link, as inputs."""

import pickle

import numpy as np
import pytest

import supple as sp
from helpers import STATES, random_coordinates, random_pose, random_robot, relative_error
from load_cases import generalised_force, random_station
from reference_robots import manipulator_rod


def thrust_case(seed, axes=None):
    """A random robot with a thruster anywhere; its inputs."""
    rng = np.random.default_rng([53, seed])
    while True:
        robot = random_robot(rng)
        link = robot.links[rng.integers(len(robot.links))]
        place = {"s": random_station(rng, link), "offset": random_pose(rng)}
        if place["s"] > 0.0 or link.joint.dof:
            break
    robot.add(sp.Thruster("jet", link.name, axes=axes, **place))
    model = robot.compile()
    return robot, model, link.name, place, random_coordinates(rng, robot, STATES[seed % len(STATES)]), rng


@pytest.mark.parametrize("seed", range(16))
def test_it_pushes_like_a_follower_wrench(seed):
    axes = np.random.default_rng(seed).standard_normal((6, 1 + seed % 5))
    robot, model, link, place, q, rng = thrust_case(seed, axes)
    u = rng.standard_normal(axes.shape[1])
    given = sp.Robot("given", gravity=robot.gravity)
    for spec in robot.links:
        given.add_link(spec.name, spec.body, joint=spec.joint, parent=spec.parent, at=spec.at)
    given.add(sp.PointWrench(link, axes @ u, frame="local", **place))
    expected = generalised_force(given.compile(), q)
    assert relative_error(generalised_force(model, q, u=u), expected) < 1e-13
    assert relative_error(model.actuation(q) @ u, expected) < 1e-13


@pytest.mark.parametrize("seed", range(12))
def test_derivatives(seed):
    _, model, _, _, q, rng = thrust_case(seed)
    report = model.check_derivatives(q, *rng.standard_normal((2, model.n)), u=rng.standard_normal(6))
    assert report.ok(1e-6), report


def test_power_is_wrench_times_twist():
    robot = sp.Robot("arm")
    robot.add_link("shaft", sp.Rigid.cylinder(0.2, 0.03, density=800.0), joint=sp.Spherical())
    robot.add_link("rod", manipulator_rod(), joint=sp.Revolute("y"), parent="shaft")
    robot.add(sp.Thruster("jet", "rod", s=0.6))
    model, rng = robot.compile(), np.random.default_rng(1)
    q, v, u = 0.3 * rng.standard_normal(model.n), rng.standard_normal(model.n), rng.standard_normal(6)
    assert generalised_force(model, q, u=u) @ v == pytest.approx(u @ model.twist(q, v, "rod", 0.6), rel=1e-12)
    assert model.input_names == ("jet.mx", "jet.my", "jet.mz", "jet.fx", "jet.fy", "jet.fz")
    assert np.array_equal(pickle.loads(pickle.dumps(model)).actuation(q), model.actuation(q))


def drone(actuator):
    robot = sp.Robot("drone")
    robot.add_link("drone", sp.Rigid(2.0, (0.1, 0.2, 0.25), com=(0.1, 0.0, 0.2)), joint=sp.Free())
    robot.add(actuator)
    return robot.compile()


def test_on_a_free_body_it_is_a_drive_of_its_joint():
    q, v, u = np.random.default_rng(0).standard_normal((3, 6))
    found, expected = (drone(kind("m", "drone")).forward_dynamics(q, v, u).a for kind in (sp.Thruster, sp.JointDrive))
    np.testing.assert_allclose(found, expected, rtol=1e-11)


def test_given_directions_are_inputs():
    """A propeller with its reaction torque, and four of them at the corners of a drone."""
    propeller = np.array([0.0, 0.0, 0.02, 0.0, 0.0, 1.0])
    assert drone(sp.Thruster("lift", "drone", axes=propeller)).input_names == ("lift",)
    arms = np.array([(0.2, 0.0), (0.0, 0.2), (-0.2, 0.0), (0.0, -0.2)])
    axes = np.array([(y, -x, 0.02 * (-1) ** k, 0.0, 0.0, 1.0) for k, (x, y) in enumerate(arms)]).T
    model = drone(sp.Thruster("p", "drone", axes=axes))
    assert model.input_names == ("p.1", "p.2", "p.3", "p.4")
    np.testing.assert_allclose(model.actuation(np.zeros(6)), axes, atol=1e-15)
    hover = 2.0 * 9.81 / 4.0
    # the centre of mass is off the middle, so equal thrusts lift it and turn the drone
    lift = model.momentum(np.zeros(6), model.forward_dynamics(np.zeros(6), np.zeros(6), np.full(4, hover)).a)
    assert lift[3:] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"link": "nobody"}, "no link 'nobody'"),
        ({"link": "world"}, "Thruster 'jet': link 'world' does not move"),
        ({"link": "rod", "s": 0.0}, "link 'rod' does not move at s = 0: a thruster there does nothing"),
        ({"link": "rod", "s": 1.5}, "s is 1.5 on link 'rod'"),
        ({"link": "rod", "axes": np.ones((3, 2))}, r"axes has shape \(3, 2\), must be \(6,\) or \(6, k\)"),
        ({"link": "rod", "axes": np.zeros((6, 0))}, r"axes has shape \(6, 0\)"),
        ({"link": "rod", "axes": np.eye(6)[:, :2] * [1.0, 0.0]}, "axes: column 1 is zero"),
        ({"link": "rod", "axes": np.full(6, np.nan)}, "axes is .* must be finite"),
    ],
)
def test_bad_input(options, message):
    robot = sp.Robot("arm")
    robot.add_link("rod", manipulator_rod())
    robot.add(sp.Thruster("jet", **options))
    with pytest.raises((sp.ModelError, sp.ShapeError), match=message):
        robot.compile()


def test_two_thrusters_need_two_names():
    robot = sp.Robot("arm")
    robot.add_link("rod", manipulator_rod())
    robot.add(sp.Thruster("jet", "rod"))
    robot.add(sp.Thruster("jet.mx", "rod", s=0.5, axes=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0)))
    with pytest.raises(sp.ModelError, match=r"input 'jet\.mx' exists already"):
        robot.compile()
