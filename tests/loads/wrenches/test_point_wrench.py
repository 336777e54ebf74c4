"""Point wrenches: virtual work, frames, places, laws of time."""

import numpy as np
import pytest

import supple as sp
from helpers import (
    STATES,
    body_twist,
    central_difference,
    difference_jacobian,
    random_coordinates,
    random_pose,
    random_robot,
    relative_error,
    size,
)
from load_cases import generalised_force, random_station
from reference_robots import manipulator_rod

FRAMES = ("world", "local")


def arm(*loads):
    robot = sp.Robot("arm", gravity=(0.0, 0.0, 0.0))
    robot.add_link("shaft", sp.Rigid.cylinder(0.2, 0.03, density=800.0), joint=sp.Spherical())
    robot.add_link("rod", manipulator_rod(), joint=sp.Revolute("y"), parent="shaft")
    for load in loads:
        robot.add(load)
    return robot.compile()


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("seed", range(24))
def test_generalised_force_is_the_virtual_work(seed, frame):
    """Q . dq = wrench . (motion of the point), the motion from differences of poses."""
    rng = np.random.default_rng([31, seed])
    robot = random_robot(rng)
    link = robot.links[rng.integers(len(robot.links))]
    s, offset, wrench = random_station(rng, link), random_pose(rng), rng.standard_normal(6)
    robot.add(sp.PointWrench(link.name, wrench, s=s, offset=offset, frame=frame))
    model = robot.compile()
    q = random_coordinates(rng, robot, STATES[seed % 4])
    force = generalised_force(model, q)
    pose = model.pose(q, link.name, s) @ offset
    turn = np.eye(3) if frame == "local" else pose[:3, :3]
    for _ in range(3):
        x = rng.standard_normal(model.n)
        rate = central_difference(lambda e, x=x: model.pose(q + e * x, link.name, s) @ offset, 1e-3)
        motion = body_twist(pose, rate)
        moved = np.concatenate((turn @ motion[:3], turn @ motion[3:]))
        assert force @ x == pytest.approx(wrench @ moved, abs=1e-9 * (1.0 + np.abs(force) @ np.abs(x)))


@pytest.mark.parametrize("s", [0.0, 0.13, 0.5, 1.0])
@pytest.mark.parametrize("frame", FRAMES)
def test_body_jacobian_carries_it(s, frame):
    """Without an offset: Q = J^T W, W in body axes."""
    wrench = np.array([0.3, -0.2, 0.5, 1.0, 2.0, -1.5])
    model = arm(sp.PointWrench("rod", wrench, s=s, frame=frame))
    q = 0.4 * np.random.default_rng(2).standard_normal(model.n)
    R = model.pose(q, "rod", s)[:3, :3]
    body = wrench if frame == "local" else np.concatenate((R.T @ wrench[:3], R.T @ wrench[3:]))
    assert relative_error(generalised_force(model, q), model.jacobian(q, "rod", s).T @ body) < 1e-13


def test_a_dead_force_is_minus_the_gradient_of_its_potential():
    force = np.array([1.0, -2.0, 0.5])
    model = arm(sp.PointWrench("rod", [0.0, 0.0, 0.0, *force], s=0.4, offset=sp.pose((0.0, 0.02, 0.01))))
    q = 0.4 * np.random.default_rng(3).standard_normal(model.n)
    place = np.array([0.0, 0.02, 0.01, 1.0])
    work = difference_jacobian(lambda x: force @ (model.pose(x, "rod", 0.4) @ place)[:3], q)
    assert relative_error(generalised_force(model, q), work) < 1e-11
    slopes = model.check_derivatives(q, q, q)
    assert slopes.ok(1e-9)


def test_derivative_of_a_dead_force_is_symmetric_and_of_a_follower_is_not():
    """A dead force has a potential: its stiffness is symmetric."""
    stiffness = {}
    for frame in FRAMES:
        model = arm(sp.PointWrench("rod", [0.0, 0.0, 0.0, 1.0, -2.0, 0.5], s=0.6, frame=frame))
        bare = arm()
        q = 0.4 * np.random.default_rng(3).standard_normal(model.n)
        zero = np.zeros(model.n)
        part = model.residual_derivatives(q, zero, zero).dq - bare.residual_derivatives(q, zero, zero).dq
        stiffness[frame] = size(part - part.T) / size(part)
    assert stiffness["world"] < 1e-11
    assert stiffness["local"] > 1e-2


def test_laws_of_time():
    law = arm(sp.PointWrench("rod", lambda t: np.array([0.0, t, 0.0, 1.0, 0.0, t * t]), s=0.3))
    q = 0.4 * np.random.default_rng(3).standard_normal(law.n)
    for t in (0.0, 1.5, -2.0):
        constant = arm(sp.PointWrench("rod", [0.0, t, 0.0, 1.0, 0.0, t * t], s=0.3))
        assert np.array_equal(law.residual(q, q, q, t=t), constant.residual(q, q, q))
        _, tangent = law.residual_tangent(q, q, q, t=t, cv=3.0, ca=5.0)
        assert np.array_equal(tangent, constant.residual_tangent(q, q, q, cv=3.0, ca=5.0)[1])
        assert np.array_equal(law.forward_dynamics(q, q, t=t).a, constant.forward_dynamics(q, q).a)


@pytest.mark.parametrize("value", [np.full(6, np.nan), np.zeros(5), 0.5, None, "gust"], ids=str)
def test_a_law_that_returns_something_else_is_refused(value):
    model = arm(sp.PointWrench("rod", lambda t: value, name="gust"))
    with pytest.raises(
        sp.StateError, match=r"PointWrench 'gust': its law returned .* at t = 2; it must return 6 finite"
    ):
        model.residual(np.zeros(model.n), np.zeros(model.n), np.zeros(model.n), t=2.0)


def test_a_load_belongs_to_the_inverse_dynamics():
    model, bare = arm(sp.PointWrench("rod", np.ones(6))), arm()
    q = 0.4 * np.random.default_rng(3).standard_normal(model.n)
    assert np.array_equal(model.internal_force(q, q), bare.internal_force(q, q))
    difference = bare.inverse_dynamics(q, q, q) - model.inverse_dynamics(q, q, q)
    assert relative_error(difference, generalised_force(model, q)) < 1e-12


def test_on_the_base_of_a_clamped_rod_it_does_nothing():
    robot = sp.Robot("clamped")
    robot.add_link("rod", manipulator_rod())
    robot.add(sp.PointWrench("rod", np.ones(6), s=0.0))
    model = robot.compile()
    assert not generalised_force(model, np.ones(24)).any()


def test_stations_do_not_change_the_bare_robot():
    """A station is a step beside the chain: the kinematics of everything else stay as they were."""
    model, bare = arm(sp.PointWrench("rod", np.zeros(6), s=0.377)), arm()
    q, v, a = 0.4 * np.random.default_rng(3).standard_normal((3, model.n))
    assert np.array_equal(model.points(q), bare.points(q))
    assert relative_error(model.inverse_dynamics(q, v, a), bare.inverse_dynamics(q, v, a)) < 1e-14
    assert relative_error(model.mass_matrix(q), bare.mass_matrix(q)) < 1e-14


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no repr")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"link": "leg"}, r"PointWrench 'wrench': there is no link 'leg'"),
        (
            {"frame": "body"},
            r'PointWrench \'wrench\': frame is \'body\', must be "world" \(dead\) or "local" \(follower\)',
        ),
        ({"s": "tip"}, r"PointWrench 'wrench': s on link 'rod'"),
        ({"s": np.nan}, r"PointWrench 'wrench': s on link 'rod'"),
        ({"link": "shaft", "s": 0.5}, r"PointWrench 'wrench': s is 0\.5, but link 'shaft' is rigid"),
        ({"s": 1.5}, r"PointWrench 'wrench': s is 1\.5 on link 'rod', must lie between 0 and 1"),
        ({"wrench": [1.0, 2.0, 3.0]}, r"PointWrench 'wrench': wrench"),
        ({"wrench": [np.inf] * 6}, r"PointWrench 'wrench': wrench"),
        ({"offset": np.ones((4, 4))}, r"PointWrench 'wrench': offset"),
        ({"name": Unprintable()}, r"PointWrench: name is <Unprintable>"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(sp.ModelError, match=message):
        arm(sp.PointWrench(**({"link": "rod", "wrench": np.zeros(6)} | options)))
