"""Local bases: what they interpolate, and where they are not smooth."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from supple.bases import Hat, Hermite, PiecewiseConstant
from supple.bases.local import HERMITE_PEAK

LINE = np.linspace(0, 1, 301)


@pytest.mark.parametrize("family", [PiecewiseConstant, Hat, Hermite])
def test_breaks_are_the_element_borders(family):
    assert family(bend_y=4).breaks == (0.25, 0.5, 0.75)
    assert family(bend_y=1).breaks == ()


@pytest.mark.parametrize(("family", "points"), [(PiecewiseConstant, 1), (Hat, 2), (Hermite, 4)])
@pytest.mark.parametrize("elements", [1, 2, 7])
def test_points_needed_do_not_grow_with_elements(family, points, elements):
    assert family(bend_y=elements).min_points == points


@pytest.mark.parametrize("n", [3, 7, 10, 49])
def test_piecewise_constant_borders_belong_to_the_next_element(n):
    # 49 * (k / 49) rounds below k for some k: flooring would fail here.
    basis = PiecewiseConstant(bend_y=n)
    for k in range(n):
        assert_array_equal(basis.values(k / n), np.eye(n)[k])
    assert_array_equal(basis.values(1.0), np.eye(n)[-1])


def test_hat_interpolates_linearly():
    basis = Hat(bend_y=4)
    nodes = np.arange(5) / 4
    data = np.array([1.0, -2.0, 0.5, 3.0, 1.0])
    assert_allclose([data @ basis.values(s) for s in LINE], np.interp(LINE, nodes, data), atol=1e-14)


def test_hermite_reproduces_a_cubic_from_values_and_slopes():
    n = 3
    basis = Hermite(bend_y=n)
    cubic = np.polynomial.Polynomial([1.0, -2.0, 3.0, 5.0])
    nodes = np.arange(n + 1) / n
    coordinates = np.column_stack([cubic(nodes), cubic.deriv()(nodes) * HERMITE_PEAK / n]).reshape(-1)
    assert_allclose([coordinates @ basis.values(s) for s in LINE], cubic(LINE), atol=1e-13)


@pytest.mark.parametrize("n", [1, 4])
def test_hermite_slope_functions_reach_one(n):
    table = np.array([Hermite(bend_y=n).values(s) for s in np.linspace(0, 1, 3 * n * 20 + 1)])
    assert_allclose(np.max(np.abs(table), axis=0), 1.0, atol=1e-12)


def test_hermite_slopes_are_continuous():
    basis, h = Hermite(bend_y=2), 1e-6
    before = (basis.values(0.5) - basis.values(0.5 - h)) / h
    after = (basis.values(0.5 + h) - basis.values(0.5)) / h
    assert_allclose(before, after, atol=2e-4)
