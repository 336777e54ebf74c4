"""Fourier series: order of functions and orthogonality."""

import numpy as np
from numpy.testing import assert_allclose

from supple.bases import Fourier


def test_values():
    s = 0.2
    angle = 2 * np.pi * s
    expected = [1, np.cos(angle), np.sin(angle), np.cos(2 * angle), np.sin(2 * angle)]
    assert_allclose(Fourier(bend_z=2).values(s), expected, atol=1e-15)


def test_functions_are_orthogonal_over_the_rod():
    table = np.array([Fourier(bend_z=2).values(s) for s in np.arange(16) / 16])
    assert_allclose(table.T @ table / 16, np.diag([1, 0.5, 0.5, 0.5, 0.5]), atol=1e-14)


def test_points_needed():
    assert Fourier(bend_z=2).min_points == 5
    assert Fourier(bend_z=0).values(0.7) == [1.0]
