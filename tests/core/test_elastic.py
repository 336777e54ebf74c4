"""Springs, dampers and soft limits: the force is minus the gradient of the energy, the tangent its derivative."""

import numpy as np
import pytest

import supple as sp
from helpers import central_difference, difference_jacobian, relative_error
from kernel_entry import entry
from supple.core import elastic

limit_law = entry(elastic.limit_law)
LIMIT = np.array([-1.0, 2.0, 30.0, 0.25])  # lower, upper, stiffness, width


@pytest.mark.parametrize("q", [-2.0, -1.3, -1.1, 0.0, 1.9, 2.1, 2.4])
def test_law_of_a_limit(q):
    force, slope, energy = limit_law(q, LIMIT)
    assert force == pytest.approx(-central_difference(lambda e: limit_law(q + e, LIMIT)[2], 1e-4), abs=1e-8)
    assert slope == pytest.approx(central_difference(lambda e: limit_law(q + e, LIMIT)[0], 1e-4), abs=1e-8)
    assert (energy > 0.0) == (q < -1.0 or q > 2.0)
    assert force * q <= 0.0  # it points back inside


@pytest.mark.parametrize("edge", [-1.0, 2.0, -1.25, 2.25])
def test_a_limit_has_no_steps(edge):
    """Force and energy where it begins and where it becomes linear."""
    below, above = limit_law(edge - 1e-9, LIMIT), limit_law(edge + 1e-9, LIMIT)
    assert np.allclose(below, above, atol=1e-6)


def test_no_limit_where_none_is_given():
    assert limit_law(1e6, np.array([-np.inf, np.inf, 0.0, 1.0])) == (0.0, 0.0, 0.0)


def test_forces_of_a_link_follow_from_its_energy():
    robot = sp.Robot("springs", gravity=(0.0, 0.0, 0.0))
    body = sp.Rigid.sphere(0.1, density=1000.0)
    robot.add_link("a", body, joint=sp.Revolute("x", stiffness=3.0, damping=0.5, limits=(-0.2, 0.2)))
    robot.add_link("b", body, joint=sp.Spherical(stiffness=2.0, damping=0.1), parent="a")
    model, rng = robot.compile(), np.random.default_rng(0)
    q, v = rng.standard_normal((2, model.n))
    zero = np.zeros(model.n)
    gradient = difference_jacobian(lambda x: np.array([model.energy(x, zero).elastic]), q, 1e-4)[0]
    assert relative_error(model.internal_force(q, zero), -gradient) < 1e-9
    assert relative_error(model.internal_force(q, v), -gradient - model.damping @ v) < 1e-9
    found = model.internal_force_derivatives(q, v)
    assert relative_error(found.dq, difference_jacobian(lambda x: model.internal_force(x, v), q, 1e-4)) < 1e-9
    assert relative_error(found.dv, -model.damping) < 1e-15
