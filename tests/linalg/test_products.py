"""Products of 6 x 6 matrices with sets of columns, against NumPy; columns beside those meant are left alone."""

import numpy as np

from helpers import relative_error
from kernel_entry import entry
from oracle import coad
from supple.linalg import products

RNG = np.random.default_rng(0)
A, B, F = RNG.standard_normal((6, 6)), RNG.standard_normal((6, 6)), RNG.standard_normal(6)
X, Y = RNG.standard_normal((2, 6, 12))
C, N, START = 3, 5, 2  # columns 3 to 8 of X; coordinates 2 to 7
OWN = slice(C, C + N)


def written(function, *arguments, shape=(6, 12)):
    """An array of ones after a function wrote into it, its last argument."""
    out = np.ones(shape)
    entry(function)(*arguments, out)
    return out


def beside(rows, columns, shape=(6, 12)):
    """Ones, but for a block."""
    out = np.ones(shape)
    out[:rows.shape[0], columns] = rows
    return out


def test_maps_of_columns():
    first = slice(0, N)
    assert relative_error(written(products.map_columns, A, X, C, N), beside(A @ X[:, OWN], first)) < 1e-14
    assert relative_error(written(products.add_map_columns, A, X, C, N), beside(1 + A @ X[:, OWN], first)) < 1e-14
    expected = beside(A @ X[:, OWN] + 2.0 * B @ Y[:, OWN], first)
    assert relative_error(written(products.map_two_columns, A, X, 2.0, B, Y, C, N), expected) < 1e-14


def test_wrenches_that_turn_with_columns():
    expected = beside(1.0 + np.stack([coad(x) @ F for x in X[:, OWN].T], axis=1), slice(0, N))
    assert relative_error(written(products.add_coad_columns, F, X, C, N), expected) < 1e-14


def test_sums_at_other_places():
    own = slice(START, START + N)
    out = np.ones((6, 12))
    entry(products.add_map_columns_transposed)(A, X, C, N, out, START)
    assert relative_error(out, beside(1.0 + A.T @ X[:, OWN], own)) < 1e-14
    out = np.ones((6, 12))
    entry(products.add_columns)(X, N, out, START)
    assert relative_error(out, beside(1.0 + X[:, :N], own)) < 1e-15


def test_projections_onto_coordinates():
    expected = np.ones((9, 9))
    expected[START : START + N, START : START + N] += X[:, OWN].T @ Y[:, :N]
    assert relative_error(written(products.add_projection, X, C, Y, N, START, shape=(9, 9)), expected) < 1e-14
    i, lo, hi = 4, 2, 7
    for function, arguments, row, start in (
        (products.project_range, (X, i, Y), X[:, i] @ Y[:, lo:hi], 0.0),
        (products.add_project_range, (X, i, Y), X[:, i] @ Y[:, lo:hi], 1.0),
        (products.project_two_range, (X, Y, 0.5, Y, X, i), X[:, i] @ Y[:, lo:hi] + 0.5 * Y[:, i] @ X[:, lo:hi], 0.0),
    ):
        expected = np.ones((9, 9))
        expected[i, lo:hi] = start + row
        assert relative_error(written(function, *arguments, lo, hi, shape=(9, 9)), expected) < 1e-14


def test_clearing():
    expected = np.ones((9, 9))
    expected[4, 2:7] = 0.0
    assert np.array_equal(written(products.clear_range, 4, 2, 7, shape=(9, 9)), expected)
