"""Complex LU factors whose parts stand apart: against NumPy, zeros that stay, and singular matrices."""

import numpy as np
import pytest

from kernel_entry import entry
from supple.solvers.integrators import complex_lu

_factorise, _solve = entry(complex_lu.factorise_complex), entry(complex_lu.solve_complex)


def factorised(A):
    re, im, m = A.real.copy(), A.imag.copy(), len(A)
    pivots, scales = np.zeros(m, dtype=np.int64), np.zeros(m)
    return re, im, pivots, scales, _factorise(re, im, pivots, scales)


@pytest.mark.parametrize("m", [1, 2, 7, 40])
def test_it_solves(m):
    rng = np.random.default_rng(m)
    A = rng.standard_normal((m, m)) + 1j * rng.standard_normal((m, m))
    A *= np.logspace(-4, 4, m)[:, None]
    b = rng.standard_normal(m) + 1j * rng.standard_normal(m)
    *factors, status = factorised(A)
    assert status == -1
    x, y = b.real.copy(), b.imag.copy()
    _solve(*factors, x, y)
    exact = np.linalg.solve(A, b)
    assert np.abs(x + 1j * y - exact).max() < 1e-9 * np.abs(exact).max()


def test_real_matrices_stay_real():
    A = np.random.default_rng(3).standard_normal((6, 6))
    _, im, _, _, status = factorised(A.astype(complex))
    assert status == -1
    assert not im.any()


def test_columns_without_a_pivot_are_named():
    A = np.diag([1.0 + 1j, 2.0, 3.0])
    A[1] = A[0]
    assert factorised(A)[-1] == 1
    assert factorised(np.zeros((2, 2), dtype=complex))[-1] == 0
