"""Masses and the centre of mass."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, random_coordinates, random_robot, relative_error
from readout_cases import random_case


@pytest.mark.parametrize("seed", range(6))
def test_the_centre_moves_with_the_momentum(seed):
    rng = np.random.default_rng([31, seed])
    robot = random_robot(rng)
    model = robot.compile()
    q, v = random_coordinates(rng, robot, "moderate"), rng.standard_normal(model.n)
    found = model.center_of_mass(q, v)
    assert relative_error(found.velocity * model.mass.total, model.momentum(q, v)[3:], 1.0) < 1e-12
    reference = difference_jacobian(lambda x: model.center_of_mass(x).position, q, 1e-3)
    assert relative_error(found.jacobian, reference, 1.0) < 1e-9


def test_fluid_is_not_counted():
    """The same robot in water and in air has the same masses and centre."""
    robots = []
    for wet in (False, True):
        robot = sp.Robot("swimmer")
        robot.add_link("body", sp.Rigid.box((0.2, 0.1, 0.1), density=900.0, tip=sp.pose((0.1, 0, 0))), joint=sp.Free())
        rubber = sp.Material(young=1e6, poisson=0.5, density=1100.0)
        robot.add_link("tail", sp.Rod(0.4, sp.Circle((0.03, 0.01)), rubber, sp.Legendre(bend_y=2)), parent="body")
        if wet:
            robot.add(sp.Fluid(added_mass=sp.AddedMass(), drag=sp.Drag()))
        robots.append(robot.compile())
    dry, wet = robots
    q = np.random.default_rng(1).standard_normal(dry.n)
    assert wet.mass.total == pytest.approx(dry.mass.total)
    assert wet.mass.links == pytest.approx(dry.mass.links)
    assert dry.mass.links["body"] == pytest.approx(900.0 * 0.002)
    assert wet.center_of_mass(q).position == pytest.approx(dry.center_of_mass(q).position)


@pytest.mark.parametrize("seed", range(4))
def test_gravity_acts_at_the_centre(seed):
    rng = np.random.default_rng([32, seed])
    robot = random_robot(rng)
    model = robot.compile()
    q, zero = random_coordinates(rng, robot, "moderate"), np.zeros(model.n)
    expected = -model.mass.total * model.center_of_mass(q).jacobian.T @ robot.gravity
    assert relative_error(model.inverse_dynamics(q, zero, zero), expected, 1.0) < 1e-11


def test_every_link_has_a_mass():
    model, state = random_case(0)
    assert model.mass.total == pytest.approx(sum(model.mass.links.values()))
    assert set(model.mass.links) == set(model.link_names)
    assert model.mass.links["hull"] == pytest.approx(700.0 * 0.003)
    reference = difference_jacobian(lambda x: model.center_of_mass(x).position, state.q, 1e-3)
    assert relative_error(model.center_of_mass(state.q).jacobian, reference) < 1e-9
