"""Energies and momentum."""

import numpy as np
import pytest

import supple as sp
from helpers import ROBOTS, case, central_difference, difference_jacobian, make_case, rebuilt, relative_error, size


def test_energies_of_a_body_by_hand():
    robot = sp.Robot("body", gravity=(1.0, 0.0, -9.81))
    joint = sp.Prismatic("x", stiffness=10.0, rest=0.1)
    robot.add_link("body", sp.Rigid(2.0, np.ones(3), com=(0.1, 0.2, 0.3)), joint=joint, at=sp.pose((1, 2, 3)))
    energy = robot.compile().energy([0.5], [3.0])
    assert energy.kinetic == pytest.approx(9.0, rel=1e-14)
    assert energy.elastic == pytest.approx(0.5 * 10.0 * 0.16, rel=1e-14)
    assert energy.gravitational == pytest.approx(-2.0 * (1.0 * 1.6 - 9.81 * 3.3), rel=1e-14)
    assert energy.total == energy.kinetic + energy.elastic + energy.gravitational


@pytest.mark.parametrize("seed", range(ROBOTS))
def test_gradient_of_the_gravitational_energy_is_the_static_force(seed):
    _, model, q, _, _ = case(seed)
    rest = np.zeros(model.n)
    gradient = difference_jacobian(lambda x: model.energy(x, rest).gravitational, q)
    assert relative_error(model.inverse_dynamics(q, rest, rest), gradient, floor=size(model.mass_matrix(q))) < 1e-9


@pytest.mark.parametrize("seed", range(0, ROBOTS, 2))
def test_momentum_is_the_sum_over_all_points(seed):
    """Mass times velocity, and moments of momentum, from `points` and twists: an independent sum over the bodies."""
    robot, model, q, v, _ = case(seed)
    total = np.zeros(6)
    poses = model.points(q)
    stations = dict(zip(model.point_table, poses, strict=True))
    for link in robot.links:
        if isinstance(link.body, sp.Rigid):
            parts = [(0.0, link.body.spatial_inertia())]
        else:
            layout = model.layouts[model.link_names.index(link.name)]
            parts = list(zip(layout.rod.s.tolist(), layout.rod.inertia, strict=True))
        for s, inertia in parts:
            g = stations[link.name, s]
            moment, force = np.split(inertia @ model.twist(q, v, link.name, s), 2)
            force = g[:3, :3] @ force
            total += np.concatenate([g[:3, :3] @ moment + np.cross(g[:3, 3], force), force])
    assert relative_error(model.momentum(q, v), total, floor=1e-3 * size(model.mass_matrix(q))) < 1e-12


@pytest.mark.parametrize("seed", range(0, ROBOTS, 5))
def test_momentum_about_another_origin(seed):
    """The robot moved by d: linear momentum stays, the angular one gains d x p; energy loses m g.d, m from p."""
    robot, model, q, v, _ = case(seed)
    d = np.array([3.0, -2.0, 5.0])
    away = sp.pose(xyz=d)
    moved = rebuilt(robot, at=lambda link: away @ link.at if link.parent == "world" else link.at).compile()
    before, after = model.momentum(q, v), moved.momentum(q, v)
    assert relative_error(after[3:], before[3:], floor=1.0) < 1e-12
    assert relative_error(after[:3], before[:3] + np.cross(d, before[3:]), floor=1.0) < 1e-12
    one, two = model.energy(q, v), moved.energy(q, v)
    assert two.kinetic == pytest.approx(one.kinetic, rel=1e-12)
    assert two.elastic == one.elastic
    mass = sum(total_mass(link.body) for link in robot.links)
    assert two.gravitational - one.gravitational == pytest.approx(-mass * robot.gravity @ d, abs=1e-9)


def total_mass(body):
    """Of a body; rods as their Gauss nodes weigh them."""
    if isinstance(body, sp.Rigid):
        return body.mass
    robot = sp.Robot("alone")
    robot.add_link("rod", body, joint=sp.Translational())
    model = robot.compile()
    return model.mass_matrix(np.zeros(model.n))[0, 0]


@pytest.mark.parametrize("seed", range(60))
def test_momentum_of_a_floating_robot_is_a_row_of_the_mass_matrix(seed):
    """The base's rows of M v are the momentum in the base frame, carried by its Jacobian: h = Ad^-T X^-T (M v)."""
    _, model, q, v, _ = make_case(seed, root="Free", bare_root=True)
    layout = model.layouts[model.link_names.index("link0")]
    own = slice(layout.coordinates.start, layout.coordinates.start + 6)
    g, J = model.pose(q, "link0", 0.0), model.jacobian(q, "link0", 0.0)
    body = np.linalg.solve(J[:, own].T, (model.mass_matrix(q) @ v)[own])
    moment, force = g[:3, :3] @ body[:3], g[:3, :3] @ body[3:]
    world = np.concatenate([moment + np.cross(g[:3, 3], force), force])
    assert relative_error(model.momentum(q, v), world, floor=1.0) < 1e-9


def momentum_rate(model, q, v, a):
    """dp/dt: by differences in q; momentum is linear in v, so the part of the acceleration is exact."""
    return central_difference(lambda t: model.momentum(q + t * v, v)) + model.momentum(q, a)


@pytest.mark.parametrize("seed", range(60))
def test_momentum_is_conserved_by_forward_dynamics(seed):
    """A floating robot without gravity: springs, dampers and limits inside it change nothing."""
    _, model, q, v, _ = make_case(seed, root="Free", bare_root=True, gravity=(0.0, 0.0, 0.0))
    a = model.forward_dynamics(q, v).a
    rate = momentum_rate(model, q, v, a)
    assert size(rate) < 1e-9 * size(model.mass_matrix(q)) * (size(a) + size(v) ** 2)


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_gravity_changes_the_momentum_by_the_weight(seed):
    """dp/dt = m g, and about the centre of mass nothing turns: dL/dt = c x m g."""
    gravity = np.array([1.0, -2.0, -9.0])
    robot, model, q, v, _ = make_case(seed, root="Free", bare_root=True, gravity=gravity)
    a = model.forward_dynamics(q, v).a
    rate = momentum_rate(model, q, v, a)
    mass = sum(total_mass(link.body) for link in robot.links)
    # the centre of mass from the energies of three gravities: U = -m g.c
    centre = [-rebuilt(robot, gravity=e).compile().energy(q, 0 * v).gravitational / mass for e in np.eye(3)]
    expected = np.concatenate([np.cross(centre, mass * gravity), mass * gravity])
    assert size(rate - expected) < 1e-9 * size(model.mass_matrix(q)) * (size(a) + size(v) ** 2)
