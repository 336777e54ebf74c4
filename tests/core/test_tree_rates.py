"""Products with the part of a tangent that follows rates, before it is factorised over the tree."""

import numpy as np
import pytest

import supple as sp
from helpers import ROBOTS, case
from load_kinds import KINDS, add_kinds, host
from soft_robots import CREEPING, mixed_robot, soft_cone
from tree_entry import TreeCase


def check(model, q, v, a, u=None, lam=None, t=0.0):
    """Against dR/dv and dR/da; weights against the diagonal of M, K, D."""
    cv, ca = 30.0, 700.0
    tree = TreeCase(model)
    tree.evaluate(q, v, a, cv, ca, u, lam, t)
    P = np.random.default_rng(0).standard_normal((model.n, 2))
    d = model.residual_derivatives(q, v, a, u, lam, t)
    wanted = (cv * d.dv + ca * d.da) @ P
    size = (np.abs(cv * d.dv) + np.abs(ca * d.da)) @ np.abs(P)
    assert (np.abs(tree.rate_products(P) - wanted) <= 1e-12 * size.max(axis=0)).all()
    for other, wanted in (((1.0, 0.0), d.dv @ P), ((0.0, 1.0), d.da @ P)):
        size = np.abs(cv * d.dv) @ np.abs(P) / cv + np.abs(d.da) @ np.abs(P) * (cv if other[0] else 1.0)
        assert (np.abs(tree.rate_products(P, other) - wanted) <= 1e-12 * size.max(axis=0)).all()
    return tree


@pytest.mark.parametrize("seed", range(0, ROBOTS, 10))
def test_products_and_weights(seed):
    _, model, q, v, a = case(seed)
    tree = check(model, q, v, a)
    mass = np.diag(model.mass_matrix(q))
    wanted = 700.0 * mass + np.diag(model.stiffness) + 30.0 * np.diag(model.damping)
    np.testing.assert_allclose(tree.weights(), wanted, rtol=1e-9, atol=1e-12 * wanted.max())


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("kind", [kind for kind in KINDS if "contact_of_rod" not in kind])
def test_every_load(kind):
    rng = np.random.default_rng(5)
    model = add_kinds(rng, host(), [kind]).compile()
    q, v, a = 0.3 * rng.standard_normal((3, model.n))
    check(model, q, v, a, rng.uniform(0.0, 2.0, model.nu), rng.standard_normal(model.nc), 0.3)


def test_soft_bodies():
    """Fields of mass, with loads and loops."""
    model = mixed_robot().compile()
    rng = np.random.default_rng(6)
    q, v, a = 0.2 * rng.standard_normal((3, model.n))
    check(model, q, v, a, rng.uniform(0.0, 1.0, model.nu), rng.standard_normal(model.nc))


def test_slopes_by_rates_of_joint_forces():
    """Of soft bodies that creep, and of friction in joints."""
    robot = sp.Robot("soft")
    robot.add_link("a", soft_cone(0, material=CREEPING), sp.Revolute("y", friction=sp.Friction(0.5, slip_velocity=0.2)))
    robot.add_link("b", soft_cone(1, material=CREEPING), sp.Prismatic("y", friction=0.3), parent="a")
    model = robot.compile()
    q, v, a = 0.2 * np.random.default_rng(7).standard_normal((3, model.n))
    tree = check(model, q, v, a)
    d = model.internal_force_derivatives(q, v)  # all that resists but inertia
    resists = 700.0 * np.diag(model.mass_matrix(q)) + np.abs(np.diag(d.dq) + 30.0 * np.diag(d.dv))
    np.testing.assert_allclose(tree.weights(), resists, rtol=1e-9, atol=1e-12 * resists.max())
