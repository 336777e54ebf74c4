"""Factors of large matrices, by fours and by LAPACK: against `linalg.lu`, NumPy, and in a model."""

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from kernel_entry import entry
from supple.linalg import lu
from supple.solvers.stage.large_matrix import FACTORISE_LARGE, LARGE, VERY_LARGE, call_large, lapack_address

_small, _solve, _solve_transposed = entry(lu.factorise), entry(lu.solve), entry(lu.solve_transposed)
_call = entry(call_large)


def factorised(A, lapack=0, apart=0):
    """Factors, pivots, scales and status, rows of A lying ``apart`` floats further from one another."""
    m = len(A)
    memory = np.zeros((m, m + apart))
    memory[:, :m] = A
    pivots, scales = np.zeros(m, dtype=np.int64), np.zeros(m)
    where = (memory.ctypes.data, m + apart, m, pivots.ctypes.data, scales.ctypes.data, lapack)
    status = _call(FACTORISE_LARGE.address, where)
    assert not memory[:, m:].any()
    return np.ascontiguousarray(memory[:, :m]), pivots, scales, status


@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 50, 51, 102, 131])
@pytest.mark.parametrize("apart", [0, 3])
def test_fours_are_the_small_factors(m, apart):
    A = np.random.default_rng(m).standard_normal((m, m))
    factors, pivots, scales, status = factorised(A, apart=apart)
    small, others, sizes = A.copy(), np.zeros(m, dtype=np.int64), np.zeros(m)
    assert status == _small(small, others, sizes) == -1
    np.testing.assert_array_equal(pivots, others)
    np.testing.assert_array_equal(scales, sizes)
    assert relative_error(factors, small) < 1e-13


@pytest.mark.parametrize("apart", [0, 5])
def test_lapack_solves(apart):
    m = VERY_LARGE + 1
    rng = np.random.default_rng(0)
    A, b = np.logspace(-3, 3, m)[:, None] * rng.standard_normal((m, m)), rng.standard_normal(m)
    factors, pivots, scales, status = factorised(A, lapack_address(m), apart)
    assert status == -1
    assert not np.array_equal(factors, factorised(A)[0])  # LAPACK was asked: it takes other pivots
    x, y = b.copy(), b.copy()
    _solve(factors, pivots, scales, x)
    _solve_transposed(factors, pivots, scales, y)
    assert relative_error(x, np.linalg.solve(A, b)) < 1e-9
    assert relative_error(y, np.linalg.solve(A.T, b)) < 1e-9


def test_lapack_is_not_asked_for_zeros():
    m = VERY_LARGE
    A = np.eye(m) + np.tri(m, k=-1) * (np.arange(m) < 20)
    np.testing.assert_array_equal(factorised(A, lapack_address(m))[0], factorised(A)[0])


@pytest.mark.parametrize("lapack", [False, True])
def test_singular_and_not_finite(lapack):
    m = VERY_LARGE
    A = np.random.default_rng(1).standard_normal((m, m))
    asked = lapack_address(m) if lapack else 0
    A[:, 77] = 0.0
    assert factorised(A, asked)[3] == 77
    A[:, 77] = np.nan
    assert factorised(A, asked)[3] >= 0
    A[5] = 0.0
    assert factorised(A, asked)[3] == 5


def test_lapack_is_looked_up_only_for_the_very_large():
    assert lapack_address(VERY_LARGE - 1) == 0
    assert lapack_address(VERY_LARGE) != 0


@pytest.mark.parametrize("count", [LARGE, VERY_LARGE])
def test_a_body_of_many_coordinates_rests(count):
    """A soft beam with as many strain functions: one dense matrix."""
    material = sp.Material(young=1e6, poisson=0.5, density=1000.0)
    robot = sp.Robot("beam")
    rod = sp.Rod(0.3, sp.Circle(0.02), material, sp.Legendre(bend_y=count, bend_z=2), points=count + 2)
    robot.add_link("beam", rod)
    model = robot.compile()
    found = model.statics()
    force = model.residual(found.q, model.rest, model.rest)
    assert abs(force).max() < 1e-9 * abs(model.residual(model.rest, model.rest, model.rest)).max()
