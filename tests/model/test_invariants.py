"""Energy and momentum against their definitions: M, the elastic work, heights, twists of all points."""

import numpy as np
import pytest

import supple as sp
from helpers import case, difference_jacobian, relative_error


@pytest.mark.parametrize("seed", range(4))
def test_kinetic_energy_is_that_of_the_mass_matrix(seed):
    c = case(seed)
    model, q, v = c.model, c.q, c.v
    found = model.energy(q, v)
    assert found.kinetic == pytest.approx(0.5 * v @ model.mass_matrix(q) @ v, rel=1e-9)
    assert found.loads == 0.0


@pytest.mark.parametrize("seed", range(4))
def test_momentum_is_the_slope_of_the_kinetic_energy_of_a_free_base(seed):
    """For a robot on a free joint at the identity, dT/dv of the first six coordinates is the momentum there."""
    robot = sp.Robot("free", gravity=(0.0, 0.0, 0.0))
    rng = np.random.default_rng(seed)
    inertia = np.diag(rng.uniform(0.2, 0.3, 3))
    robot.add_link("body", sp.Rigid(2.0, inertia, com=(0.1, 0.2, 0.3)), joint=sp.Free())
    robot.add_link("arm", sp.Rigid(1.0, inertia, com=(0.3, 0.0, 0.0)), joint=sp.Revolute("z"), parent="body")
    model = robot.compile()
    q, v = np.zeros(model.n), rng.standard_normal(model.n)
    q[6] = 0.4
    slope = difference_jacobian(lambda x: np.array([model.energy(q, x).kinetic]), v, 0.1)[0]
    assert relative_error(model.momentum(q, v), slope[:6]) < 1e-9


def test_gravitational_energy_is_weight_times_height():
    robot = sp.Robot("mass")
    robot.add_link("body", sp.Rigid(2.0, np.eye(3), com=(0.0, 0.0, 0.5)), joint=sp.Prismatic("z"))
    model = robot.compile()
    assert model.energy([1.5], [0.0]).gravitational == pytest.approx(2.0 * 9.81 * 2.0)
