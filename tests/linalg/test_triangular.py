"""Solutions with a triangular factor, against SciPy; the lower triangle is not read."""

import numpy as np
import pytest
from scipy import linalg

from helpers import relative_error
from kernel_entry import entry
from supple.linalg import triangular

solve_upper, solve_upper_transposed = entry(triangular.solve_upper), entry(triangular.solve_upper_transposed)


def factor(rng, n):
    """An upper triangle whose solutions do not grow; below it nothing that may be read."""
    U = np.triu(rng.standard_normal((n, n)) / n) + np.diag(rng.choice([-1.0, 1.0], n) * rng.uniform(1.0, 2.0, n))
    return U, U + np.tril(np.full((n, n), np.nan), -1)


@pytest.mark.parametrize("n", [1, 2, 5, 24])
@pytest.mark.parametrize("columns", [1, 3, 8])
@pytest.mark.parametrize(("solve", "transposed"), [(solve_upper, False), (solve_upper_transposed, True)])
def test_solutions(n, columns, solve, transposed):
    rng = np.random.default_rng([n, columns])
    U, given = factor(rng, n)
    B = rng.standard_normal((n, columns))
    X = B.copy()
    solve(given, X)
    assert relative_error(X, linalg.solve_triangular(U, B, trans=int(transposed))) < 1e-14


def test_no_columns_and_no_rows():
    for shape in ((3, 0), (0, 2)):
        B = np.zeros(shape)
        solve_upper(np.eye(shape[0]), B)
        solve_upper_transposed(np.eye(shape[0]), B)
        assert B.shape == shape
