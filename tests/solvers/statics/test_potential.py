"""Potential energies: work along a way against energies that are known, whatever the way; what has none."""

import numpy as np
import pytest

import supple as sp
from equilibrium_cases import column, four_bar
from supple.solvers.statics.potential import acts_from_outside, has_potential, stored_energy, work_between

NO_INPUTS = np.zeros(0)


def test_work_is_the_difference_of_what_is_stored():
    """Gravity, springs, loops left open on the way."""
    model = four_bar()
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, model.n))
    assert not acts_from_outside(model)
    gap = stored_energy(model, b, NO_INPUTS, 0.0) - stored_energy(model, a, NO_INPUTS, 0.0)
    assert work_between(model, a, b, NO_INPUTS, 0.0) == pytest.approx(gap, rel=1e-9)


def test_dead_loads_and_contacts_have_a_potential():
    """That of a push is its way; a contact k d^1.5 has 2/5 k d^2.5 in it."""
    ball = sp.Ball(0.1, center=(0.0, 0.0, 0.0), link="body")
    robot = sp.Robot("ball", gravity=(0.0, 0.0, 0.0))
    robot.add_link("body", sp.Rigid(1.0, np.ones(3)), sp.Prismatic("z"))
    robot.add(sp.Contact("floor", a=ball, b=sp.Plane((0, 0, 1)), stiffness=1e3, exponent=1.5))
    robot.add(sp.PointWrench("body", [0.0, 0.0, 0.0, 0.0, 0.0, -3.0]))
    model = robot.compile()
    assert acts_from_outside(model)
    a, b = np.array([0.5]), np.array([0.05])
    expected = -3.0 * 0.45 + 0.4 * 1e3 * 0.05**2.5
    assert work_between(model, a, b, NO_INPUTS, 0.0) == pytest.approx(expected, rel=1e-7)
    assert has_potential(model, a, b, NO_INPUTS, 0.0)


def test_work_does_not_depend_on_the_way():
    model = column(3.0)
    rng = np.random.default_rng(1)
    a, b, c = rng.normal(size=(3, model.n))
    both = work_between(model, a, c, NO_INPUTS, 0.0) + work_between(model, c, b, NO_INPUTS, 0.0)
    assert work_between(model, a, b, NO_INPUTS, 0.0) == pytest.approx(both, rel=1e-9)
    assert work_between(model, a, a, NO_INPUTS, 0.0) == 0.0


def test_follower_loads_have_none():
    model = column(1.0, sp.PointWrench("rod", [0.0, 0.0, 0.0, 0.0, 2.0, 0.0], frame="local"))
    assert not has_potential(model, np.zeros(model.n), np.full(model.n, 0.3), NO_INPUTS, 0.0)
