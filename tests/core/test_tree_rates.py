"""Products with the part of a tangent that follows rates, before it is factorised over the tree."""

import numpy as np
import pytest

from helpers import ROBOTS, case
from load_kinds import KINDS, add_kinds, host
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
