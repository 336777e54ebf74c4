"""Cholesky factors in place: against SciPy, and what is said of matrices that have none."""

import numpy as np
import pytest
from scipy import linalg

from helpers import random_spd, relative_error
from kernel_entry import entry
from supple.linalg import cholesky as cholesky_module

cholesky, cholesky_solve = entry(cholesky_module.cholesky), entry(cholesky_module.cholesky_solve)


@pytest.mark.parametrize("n", [1, 2, 5, 24, 80])
def test_factor_and_solution(n):
    rng = np.random.default_rng(n)
    A, B = random_spd(rng, n), rng.standard_normal((n, 3))
    U, x = A.copy(), B.copy()
    assert cholesky(U) == -1
    assert relative_error(np.triu(U), linalg.cholesky(A)) < 1e-12
    cholesky_solve(U, x)
    assert relative_error(A @ x, B) < 1e-10


def test_the_lower_triangle_is_neither_read_nor_written():
    A = random_spd(np.random.default_rng(0), 6)
    whole, upper = A.copy(), np.triu(A) + np.tril(np.full((6, 6), np.nan), -1)
    cholesky(whole)
    cholesky(upper)
    assert np.array_equal(np.triu(whole), np.triu(upper))


@pytest.mark.parametrize("k", range(4))
def test_the_first_coordinate_without_inertia_is_named(k):
    A = random_spd(np.random.default_rng(0), 4)
    A[k], A[:, k] = 0.0, 0.0
    assert cholesky(A.copy()) == k
    A[k, k] = np.nan
    assert cholesky(A.copy()) == k


def test_a_coordinate_that_moves_what_another_moves():
    J = np.random.default_rng(0).standard_normal((6, 4))
    J[:, 2] = J[:, 0] - 2.0 * J[:, 1]
    assert cholesky(J.T @ J) == 2


def test_small_inertias_are_no_missing_ones():
    """Coordinates in other units: 1e-9 kg m^2 beside 10 kg."""
    scale = np.diag([1.0, 1e-9, 10.0])
    A = scale @ random_spd(np.random.default_rng(0), 3) @ scale
    assert cholesky(A) == -1
