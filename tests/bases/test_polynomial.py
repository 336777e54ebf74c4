"""Polynomial families against their recurrences and definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from supple.bases import Chebyshev, Legendre, Monomial


@pytest.mark.parametrize("s", [0.0, 0.3, 1.0])
def test_values(s):
    x = 2 * s - 1
    assert_allclose(Legendre(bend_y=3).values(s), [1, x, (3 * x**2 - 1) / 2, (5 * x**3 - 3 * x) / 2], atol=1e-15)
    assert_allclose(Chebyshev(bend_y=3).values(s), np.cos(np.arange(4) * np.arccos(x)), atol=1e-14)
    assert_allclose(Monomial(bend_y=3).values(s), [1, s, s**2, s**3], atol=1e-15)


def test_legendre_is_orthogonal_at_the_fewest_nodes():
    basis = Legendre(bend_y=4)
    x, w = np.polynomial.legendre.leggauss(basis.min_points)
    table = np.array([basis.values((node + 1) / 2) for node in x])
    assert_allclose(table.T @ np.diag(w / 2) @ table, np.diag(1 / (2 * np.arange(5) + 1)), atol=1e-14)


@pytest.mark.parametrize("family", [Legendre, Chebyshev, Monomial])
def test_points_needed_are_the_highest_order_plus_one(family):
    assert family(torsion=1, bend_y=4).min_points == 5
