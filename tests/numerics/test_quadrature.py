"""Gauss-Legendre rules on [0, 1], and the computational points of a rod."""

from math import factorial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from supple.numerics.quadrature import gauss_legendre, rod_stations


@pytest.mark.parametrize("n", range(1, 12))
def test_exact_for_polynomials_of_degree_2n_minus_1(n):
    """And for no more: the error of the next power is (n!)^4 / ((2 n + 1) (2 n)!^2)."""
    x, w = gauss_legendre(n)
    for degree in range(2 * n):
        assert w @ x**degree == pytest.approx(1.0 / (degree + 1), rel=1e-14)
    error = factorial(n) ** 4 / ((2 * n + 1) * factorial(2 * n) ** 2)
    assert 1.0 / (2 * n + 1) - w @ x ** (2 * n) == pytest.approx(error, rel=1e-6, abs=1e-15)


def test_points_of_a_smooth_rod():
    """Base, nodes, tip; no weight at the ends."""
    s, weight = rod_stations(3)
    x, w = gauss_legendre(3)
    assert_array_equal(s, [0.0, *x, 1.0])
    assert_array_equal(weight, [0.0, *w, 0.0])


def test_pieces_have_nodes_of_their_own():
    """A kink splits the rule: |s - 0.3| is integrated exactly by its two pieces."""
    s, weight = rod_stations(2, breaks=(0.3,))
    assert len(s) == 2 * 2 + 3
    assert weight.sum() == pytest.approx(1.0, rel=1e-15)
    assert weight @ np.abs(s - 0.3) == pytest.approx((0.3**2 + 0.7**2) / 2, rel=1e-14)


def test_extra_points_have_no_weight():
    s, weight = rod_stations(2, extra=(0.9, 0.5))
    plain, plain_weight = rod_stations(2)
    assert_allclose(np.setdiff1d(s, plain), [0.5, 0.9])
    assert_array_equal(weight[np.isin(s, plain)], plain_weight)
    assert not weight[np.isin(s, [0.5, 0.9])].any()
    assert np.all(np.diff(s) > 0.0)


def test_an_extra_point_on_a_node_keeps_the_weight():
    x, w = gauss_legendre(3)
    s, weight = rod_stations(3, extra=(x[1],))
    assert_array_equal(s, [0.0, *x, 1.0])
    assert weight[2] == w[1]
