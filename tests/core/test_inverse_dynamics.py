"""Inverse dynamics: the paper's recursion, Lagrange's equations, power, and freedom from the choice of frame."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import oracle
import supple as sp
from helpers import (
    ROBOTS,
    case,
    central_difference,
    difference_jacobian,
    make_case,
    random_coordinates,
    rebuilt,
    relative_error,
    size,
)
from reference_robots import cable_manipulator, floating_tree

SEEDS = range(ROBOTS)


def special_case(name):
    """A manipulator, a tree of rods, and a chain of joints without any rod."""
    robot = {
        "manipulator": cable_manipulator,
        "tree": floating_tree,
        "chain": lambda: make_case(7, links=12, rods=0.0, most=60).robot,
    }[name]()
    model, rng = robot.compile(), np.random.default_rng(5)
    q = random_coordinates(rng, robot, "moderate")
    return model, q, rng.standard_normal(model.n), rng.standard_normal(model.n)


@pytest.mark.parametrize("seed", range(40))
def test_it_is_the_papers_recursion(seed):
    """ID = sum S^T F^C (14)-(16), and with zero acceleration minus the right-hand side F."""
    _, model, q, v, a = case(seed)
    reference = oracle.inverse_dynamics(model, q, v, a)
    assert relative_error(model.inverse_dynamics(q, v, a), reference.ID) < 1e-12
    size = float(np.abs(reference.ID).max())  # F alone may vanish
    assert relative_error(-model.inverse_dynamics(q, v, 0 * a), reference.F, size) < 1e-12


@pytest.mark.parametrize("name", ["manipulator", "tree", "chain"])
def test_it_is_the_papers_recursion_on_larger_robots(name):
    model, q, v, a = special_case(name)
    reference = oracle.inverse_dynamics(model, q, v, a)
    assert relative_error(model.inverse_dynamics(q, v, a), reference.ID) < 1e-12


@pytest.mark.parametrize("seed", SEEDS)
def test_lagranges_equations_from_the_energies(seed):
    """ID = d(M v)/dt - dT/dq + dU/dq, with T and U taken from `energy` and differentiated numerically."""
    _, model, q, v, a = case(seed)

    def generalised_momentum(t):
        return model.mass_matrix(q + t * v + 0.5 * t * t * a) @ (v + t * a)

    def lagrangian(x):
        energy = model.energy(x, v)
        return energy.kinetic - energy.gravitational

    expected = central_difference(generalised_momentum) - difference_jacobian(lagrangian, q)
    assert relative_error(model.inverse_dynamics(q, v, a), expected) < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_power_balance(seed):
    """The power of ID is the rate of kinetic plus gravitational energy along any motion."""
    _, model, q, v, a = case(seed)

    def mechanical(t):
        energy = model.energy(q + t * v + 0.5 * t * t * a, v + t * a)
        return energy.kinetic + energy.gravitational

    force = model.inverse_dynamics(q, v, a)
    assert central_difference(mechanical) == pytest.approx(v @ force, abs=1e-8 * np.abs(v) @ np.abs(force))


@pytest.mark.parametrize("seed", SEEDS)
def test_independent_of_where_the_world_origin_is(seed):
    """The same robot 100 m away: gravity is uniform, so forces and Jacobians are the same."""
    robot, model, q, v, a = case(seed)
    away = sp.pose(xyz=(60.0, -70.0, 40.0))
    moved = rebuilt(robot, at=lambda link: away @ link.at if link.parent == "world" else link.at).compile()
    here, there = model.inverse_dynamics_derivatives(q, v, a), moved.inverse_dynamics_derivatives(q, v, a)
    floor = size(here.mass)
    for x, y in zip(there, here, strict=True):
        assert relative_error(x, y, floor) < 1e-12
    assert relative_error(moved.inverse_dynamics(q, v, a), here.force) < 1e-12
    assert relative_error(moved.mass_matrix(q), here.mass) < 1e-12


@pytest.mark.parametrize("seed", range(0, ROBOTS, 5))
def test_far_from_the_world_origin(seed):
    """10 km away, where moments about the world's origin would have lost eight digits.

    Positions themselves are rounded to 1e-12 m there, so the robot is moved by whole metres and roots keep their
    places by poses that lose nothing.
    """
    robot, _, q, v, a = case(seed)

    def rounded(link, offset):
        at = np.array(link.at)
        at[:3, 3] = np.round(at[:3, 3] * 2**20) / 2**20 + offset
        return at if link.parent == "world" else link.at

    near = rebuilt(robot, at=lambda link: rounded(link, 0.0)).compile()
    far = rebuilt(robot, at=lambda link: rounded(link, (6000.0, -7000.0, 4000.0))).compile()
    here, there = near.inverse_dynamics_derivatives(q, v, a), far.inverse_dynamics_derivatives(q, v, a)
    for x, y in zip(there, here, strict=True):
        assert relative_error(x, y, floor=size(here.mass)) < 1e-9


@pytest.mark.parametrize("seed", range(0, ROBOTS, 5))
def test_independent_of_how_the_world_is_turned(seed):
    """Robot and gravity turned together: nothing changes."""
    robot, model, q, v, a = case(seed)
    turn = Rotation.from_rotvec([0.4, -1.1, 2.0]).as_matrix()
    frame = sp.pose(rotation=turn)
    turned = rebuilt(
        robot, gravity=turn @ robot.gravity, at=lambda link: frame @ link.at if link.parent == "world" else link.at
    ).compile()
    assert relative_error(turned.inverse_dynamics(q, v, a), model.inverse_dynamics(q, v, a)) < 1e-12


@pytest.mark.parametrize("seed", range(0, ROBOTS, 5))
def test_gravity_is_an_acceleration_of_the_base(seed):
    """A robot on a platform that accelerates upward at -g without gravity feels the same forces."""
    robot, model, q, v, a = case(seed)
    platform = sp.Robot("platform", gravity=(0.0, 0.0, 0.0))
    platform.add_link("platform", sp.Rigid(1.0, np.ones(3)), joint=sp.Translational())
    for link in robot.links:
        parent = "platform" if link.parent == "world" else link.parent
        platform.add_link(link.name, link.body, joint=link.joint, parent=parent, at=link.at)
    lifted = platform.compile()
    still = np.zeros(3)
    force = lifted.inverse_dynamics(
        np.concatenate([still, q]), np.concatenate([still, v]), np.concatenate([-robot.gravity, a])
    )
    assert relative_error(force[3:], model.inverse_dynamics(q, v, a)) < 1e-12


def test_a_pendulum_by_hand():
    """m l^2 a + m g l sin q for a point mass; the joint turns about y, the bob hangs along x."""
    robot = sp.Robot("pendulum", gravity=(9.81, 0.0, 0.0))
    robot.add_link("bob", sp.Rigid(2.0, np.zeros(3), com=(0.5, 0.0, 0.0)), joint=sp.Revolute("y"))
    force = robot.compile().inverse_dynamics([0.7], [3.0], [1.5])
    assert force == pytest.approx([2.0 * 0.25 * 1.5 + 2.0 * 9.81 * 0.5 * np.sin(0.7)], rel=1e-14)


def test_order_of_addition_only_permutes_coordinates():
    """Children added before their parents: same robot, coordinates follow the order of addition."""
    robot, model, q, v, a = make_case(11, links=5)
    names = [link.name for link in robot.links]
    other = sp.Robot("reversed", gravity=robot.gravity)
    for link in reversed(robot.links):
        other.add_link(link.name, link.body, joint=link.joint, parent=link.parent, at=link.at)
    swapped = other.compile()
    order = np.array([swapped.coordinate_names.index(name) for name in model.coordinate_names])
    assert len(names) > 2
    assert not np.array_equal(order, np.arange(model.n))

    def scatter(x):
        y = np.empty_like(x)
        y[order] = x
        return y

    one = model.inverse_dynamics_derivatives(q, v, a)
    two = swapped.inverse_dynamics_derivatives(scatter(q), scatter(v), scatter(a))
    assert relative_error(two.force[order], one.force) < 1e-12
    for x, y in zip(two[1:], one[1:], strict=True):
        assert relative_error(x[np.ix_(order, order)], y) < 1e-12
