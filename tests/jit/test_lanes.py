"""Four numbers at once: arithmetic lane by lane, with plain numbers, and choices that hold for each lane."""

import numba
import numpy as np
import pytest

from supple.core.arrays import aligned
from supple.core.records import LANES as FOUR_OF_RECORDS
from supple.core.views import Layout
from supple.jit import (
    LANES,
    all_below,
    any_below,
    blend,
    cosine,
    gather_four,
    lane_matrix_at,
    lane_sum,
    lane_vector_at,
    last_of,
    local_lanes,
    local_like,
    root,
    running_sum,
    scatter_four,
    sine,
)
from supple.lie.coefficients import SERIES_LIMIT, stumpff, stumpff_exponential

_pair, _like = local_lanes(2), local_like(2)


def lanes(values):
    """Numbers (..., 4) where lanes may begin."""
    memory = aligned(np.size(values))
    memory[:] = np.ravel(values)
    return memory


@numba.njit
def arithmetic(at, out_at):
    x, out = lane_vector_at(at, (2,)), lane_vector_at(out_at, (9,))
    a, b = x[0], x[1]
    out[0], out[1], out[2], out[3] = a + b, a - b, a * b, a / b
    out[4] = 2 * a - 0.5
    out[5] = -a
    c = 0.0
    for _ in range(3):
        c += a
    c -= b
    c *= 2.0
    out[6] = c
    out[7] = 1.0
    out[8] = root(b) + sine(a) * cosine(a)


def test_arithmetic():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal(4), 1.0 + rng.random(4)
    given, out = lanes([a, b]), aligned(36)
    arithmetic(given.ctypes.data, out.ctypes.data)
    expected = [a + b, a - b, a * b, a / b, 2 * a - 0.5, -a, 2.0 * (3.0 * a - b), np.ones(4)]
    expected.append(np.sqrt(b) + np.sin(a) * np.cos(a))
    np.testing.assert_allclose(out.reshape(9, 4), expected, rtol=1e-15, atol=1e-15)


@numba.njit
def choices(at, limit, out_at):
    x, out = lane_vector_at(at, (1,))[0], lane_vector_at(out_at, (1,))
    out[0] = blend(x, limit, 10.0 * x, -1.0)
    return all_below(x, limit), any_below(x, limit), lane_sum(x)


@pytest.mark.parametrize("x", [(1, 2, 3, 4), (1, 5, 6, 7), (5, 6, 7, 8), (1, np.nan, 3, 4), (np.nan,) * 4])
def test_choices(x):
    given, out = lanes(np.array(x, dtype=float)), aligned(4)
    every, some, total = choices(given.ctypes.data, 4.5, out.ctypes.data)
    below = np.array(x) < 4.5
    assert (every, some) == (below.all(), below.any())
    np.testing.assert_array_equal(out, np.where(below, 10.0 * np.array(x), -1.0))
    np.testing.assert_array_equal(total, np.sum(x))


@numba.njit
def plain_choices(x, limit):
    return all_below(x, limit), any_below(x, limit), blend(x, limit, 1.0, 2.0), root(x), sine(x), cosine(x)


@pytest.mark.parametrize("x", [0.5, 4.5, 7.0])
def test_plain_numbers_know_the_same(x):
    assert plain_choices(x, 4.5) == (x < 4.5, x < 4.5, 1.0 if x < 4.5 else 2.0, np.sqrt(x), np.sin(x), np.cos(x))


@numba.njit
def on_the_stack(at, plain, out_at):
    x, out = lane_matrix_at(at, (2, 2)), lane_vector_at(out_at, (2,))
    a, b, c = _pair(), _like(x[0]), _like(plain)
    for k in range(2):
        a[k], b[k], c[k] = x[0, k], x[1, k], plain[k]
    out[0], out[1] = a[0] * b[1] + c[0], c[1]
    return c[1]


def test_arrays_on_the_stack():
    x, plain, out = np.arange(16.0).reshape(2, 2, 4), np.array([3.0, 5.0]), aligned(8)
    given = lanes(x)
    assert on_the_stack(given.ctypes.data, plain, out.ctypes.data) == 5.0
    np.testing.assert_array_equal(out.reshape(2, 4), [x[0, 0] * x[1, 1] + 3.0, [5.0] * 4])


@numba.njit
def coefficients_of_four(at, out_at):
    x, out = lane_vector_at(at, (1,))[0], lane_vector_at(out_at, (12,))
    out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8] = stumpff(x)
    out[9], out[10], out[11] = stumpff_exponential(x)


@numba.njit
def coefficients_of_one(x, out):
    out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8] = stumpff(x)
    out[9], out[10], out[11] = stumpff_exponential(x)


@pytest.mark.parametrize(
    "x", [(0, 1e-9, 0.5, 1.9), (3, 9, 30, 2), (1e-12, 7, 1.999, SERIES_LIMIT), (np.nan, 0.1, 5, 0)]
)
def test_coefficients_on_both_sides_of_their_switch(x):
    """Some lanes small, some large: each as if it were alone."""
    given, out, one = lanes(np.array(x, dtype=float)), aligned(48), np.zeros(12)
    coefficients_of_four(given.ctypes.data, out.ctypes.data)
    for k, number in enumerate(x):
        coefficients_of_one(float(number), one)
        np.testing.assert_allclose(out.reshape(12, 4)[:, k], one, rtol=4e-16, atol=0)


@numba.njit
def there_and_back(a, b, c, d, at, out):
    first = a.ctypes.data, b.ctypes.data, c.ctypes.data, d.ctypes.data
    for k in range(0, 8, 4):
        gather_four(first, k, at)
    x = lane_vector_at(at, (8,))
    for k in range(8):
        x[k] = 2.0 * x[k]
    second = out[0].ctypes.data, out[1].ctypes.data, out[2].ctypes.data, out[2].ctypes.data
    for k in range(0, 8, 4):
        scatter_four(at, k, second)


def test_numbers_at_four_addresses():
    """Gathered and scattered; where two addresses are the same, the first one's numbers stay."""
    given, memory, out = np.arange(40.0).reshape(4, 10), aligned(32), np.full((3, 9), -1.0)
    there_and_back(given[0, 1:], given[1, 1:], given[2, 1:], given[3, 1:], memory.ctypes.data, out)
    np.testing.assert_array_equal(memory.reshape(8, 4), 2.0 * given[:, 1:9].T)
    np.testing.assert_array_equal(out[:, :8], 2.0 * given[:3, 1:9])
    np.testing.assert_array_equal(out[:, 8], -1.0)


@numba.njit
def sums(at, out_at):
    x, out = lane_vector_at(at, (1,))[0], lane_vector_at(out_at, (2,))
    out[0], out[1] = running_sum(x), last_of(x)


def test_running_sums():
    given, out = lanes([1.0, 2.0, 4.0, 8.0]), aligned(8)
    sums(given.ctypes.data, out.ctypes.data)
    np.testing.assert_array_equal(out.reshape(2, 4), [[1, 3, 7, 15], [8, 8, 8, 8]])


def test_records_count_as_many():
    assert LANES == FOUR_OF_RECORDS
    with pytest.raises(AssertionError):
        Layout("of three", np.dtype([("x", "f8", (3,))]), of_lanes=True)
