"""LU factors in place with threshold pivoting: against NumPy, zeros that stay, and singular matrices."""

import numpy as np
import pytest

from helpers import relative_error
from kernel_entry import entry
from supple.linalg import lu

_factorise, _solve, _solve_transposed = entry(lu.factorise), entry(lu.solve), entry(lu.solve_transposed)
_solve_six_rows = entry(lu.solve_six_rows)


def factorised(A):
    """Factors, pivots, scales and status."""
    A, m = A.copy(), len(A)
    pivots, scales = np.zeros(m, dtype=np.int64), np.zeros(m)
    return A, pivots, scales, _factorise(A, pivots, scales)


def solved(A, b):
    factors, pivots, scales, status = factorised(A)
    assert status == -1
    x = b.copy()
    _solve(factors, pivots, scales, x)
    return x


@pytest.mark.parametrize("m", [1, 2, 7, 30, 90])
def test_it_solves(m):
    rng = np.random.default_rng(m)
    A, b = rng.standard_normal((m, m)), rng.standard_normal(m)
    assert relative_error(solved(A, b), np.linalg.solve(A, b)) < 1e-9


@pytest.mark.parametrize("m", [1, 2, 7, 30])
def test_it_solves_the_transposed_system(m):
    rng = np.random.default_rng(m)
    A, b = np.logspace(-3, 3, m)[:, None] * rng.standard_normal((m, m)), rng.standard_normal(m)
    factors, pivots, scales, status = factorised(A)
    assert status == -1
    x = b.copy()
    _solve_transposed(factors, pivots, scales, x)
    assert relative_error(x, np.linalg.solve(A.T, b)) < 1e-9


def test_rows_of_different_size():
    """Equations in other units: rows are scaled before pivots are compared."""
    rng = np.random.default_rng(0)
    scale = np.logspace(-12, 12, 8)
    A, b = rng.standard_normal((8, 8)), rng.standard_normal(8)
    assert relative_error(solved(scale[:, None] * A, scale * b), np.linalg.solve(A, b)) < 1e-11


def test_a_zero_pivot_is_passed_over():
    A, b = np.array([[0.0, 2.0], [3.0, 1.0]]), np.array([4.0, 5.0])
    assert relative_error(solved(A, b), np.array([1.0, 2.0])) < 1e-15


def test_the_zeros_of_a_tree_stay():
    """Diagonally dominant: the diagonal is kept as pivot, and branches that share nothing fill nothing."""
    rng = np.random.default_rng(0)
    A = np.diag(rng.uniform(1.0, 2.0, 9))
    A[:4, :4] += 0.1 * rng.standard_normal((4, 4))
    A[4:8, 4:8] += 0.1 * rng.standard_normal((4, 4))
    A[8], A[:, 8] = A[8] + 0.1, A[:, 8] + 0.1
    factors, pivots, _, status = factorised(A)
    assert status == -1
    assert np.array_equal(pivots, np.arange(9))
    assert not factors[:4, 4:8].any()
    assert not factors[4:8, :4].any()


@pytest.mark.parametrize("bad", [0.0, np.nan])
def test_a_row_of_nothing_is_named(bad):
    A = np.random.default_rng(0).standard_normal((5, 5))
    A[3] = bad
    assert factorised(A)[3] == 3


def test_a_column_without_a_pivot_is_named():
    A = np.random.default_rng(0).standard_normal((5, 5))
    A[:, 2] = A[:, 0] + A[:, 1]
    assert factorised(A)[3] == 2


@pytest.mark.parametrize("m", [1, 2, 7, 30])
def test_it_solves_six_rows_from_the_right(m):
    """In columns of a wider matrix, of which the others stay."""
    rng = np.random.default_rng(m)
    A, B = np.logspace(-3, 3, m)[:, None] * rng.standard_normal((m, m)), rng.standard_normal((6, m + 5))
    factors, pivots, scales, status = factorised(A)
    assert status == -1
    X = B.copy()
    _solve_six_rows(factors, pivots, scales, X, 3)
    assert relative_error(X[:, 3 : m + 3], np.linalg.solve(A.T, B[:, 3 : m + 3].T).T) < 1e-9
    assert np.array_equal(X[:, :3], B[:, :3])
    assert np.array_equal(X[:, m + 3 :], B[:, m + 3 :])
