"""Whether results are finite: every entry counts."""

import itertools

import numpy as np
import pytest

from kernel_entry import entry
from supple.core import finite

_vector, _matrix, _matrices = map(entry, (finite.finite_vector, finite.finite_matrix, finite.finite_matrices))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_one_entry_is_enough(bad):
    row = np.full(4, np.nan)  # what was there does not count
    x, X = np.ones(4), np.ones((3, 4))
    assert _vector(x)
    assert _matrix(X, row)
    assert _matrices(X, X, X, row)
    for i, j in itertools.product(range(3), range(4)):
        X[i, j] = bad
        assert not _vector(X[i])
        assert not _matrix(X, row)
        Y = np.ones((3, 4))
        assert not any(_matrices(*parts, row) for parts in ((X, Y, Y), (Y, X, Y), (Y, Y, X)))
        X[i, j] = 1.0


def test_nothing_is_finite():
    assert _vector(np.zeros(0))
