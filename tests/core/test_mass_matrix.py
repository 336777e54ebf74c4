"""The mass matrix: columns of inverse dynamics, symmetry, positivity, kinetic energy."""

import numpy as np
import pytest

import supple as sp
from helpers import ROBOTS, case, relative_error

SEEDS = range(ROBOTS)


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_are_inverse_dynamics_of_unit_accelerations(seed):
    _, model, q, v, _ = case(seed)
    rest = np.zeros(model.n)
    bias = model.inverse_dynamics(q, rest, rest)
    columns = np.stack([model.inverse_dynamics(q, rest, e) - bias for e in np.eye(model.n)], axis=1)
    M = model.mass_matrix(q)
    assert relative_error(M, columns) < 1e-11
    assert relative_error(M, model.inverse_dynamics_derivatives(q, v, v).mass) < 1e-13


@pytest.mark.parametrize("seed", SEEDS)
def test_symmetric_and_positive_definite(seed):
    """Every motion has kinetic energy; judged after scaling to a unit diagonal, since rad and m do not compare."""
    _, model, q, _, _ = case(seed)
    M = model.mass_matrix(q)
    assert relative_error(M, M.T) < 1e-14
    scale = np.sqrt(np.diag(M))
    assert np.linalg.eigvalsh(M / np.outer(scale, scale))[0] > 1e-10


@pytest.mark.parametrize("seed", SEEDS)
def test_quadratic_form_is_twice_the_kinetic_energy(seed):
    _, model, q, v, _ = case(seed)
    assert model.energy(q, v).kinetic == pytest.approx(0.5 * v @ model.mass_matrix(q) @ v, rel=1e-12)


def test_total_mass_of_a_translated_robot():
    """On a translational joint the whole robot weighs what its parts weigh: a cone's Gauss sum is exact."""
    robot = sp.Robot("cart")
    robot.add_link("cart", sp.Rigid(2.0, np.ones(3), com=(0.1, 0.2, 0.3)), joint=sp.Translational())
    material = sp.Material(young=1e5, density=1000.0)
    rod = sp.Rod(0.4, sp.Circle((0.03, 0.02)), material, sp.Legendre(bend_y=1), points=3)
    robot.add_link("rod", rod, parent="cart", at=sp.pose(rpy=(0.3, 0.2, 0.1)))
    model = robot.compile()
    mass = 2.0 + 1000.0 * np.pi * 0.4 * (0.03**2 + 0.03 * 0.02 + 0.02**2) / 3.0
    assert relative_error(model.mass_matrix(np.array([1.0, 2.0, 3.0, 0.5, -0.4]))[:3, :3], mass * np.eye(3)) < 1e-13
