"""Arrays on the stack: their shape, that two of them are two, that calls share nothing."""

import numpy as np
import pytest

from kernel_entry import entry
from supple.jit import inner, local_array

_pair, _cube = local_array(2), local_array(2, 3, 4)


@inner
def _fill(x, value):
    for i in range(x.shape[0]):
        x[i] = value


@inner
def _two(out):
    a, b = _pair(), _pair()
    _fill(a, 1.0)
    _fill(b, 2.0)
    out[0], out[1], out[2], out[3] = a[0], a[1], b[0], b[1]


@inner
def _fibonacci(n):
    """A function that calls itself has its array anew."""
    x = _pair()
    x[0], x[1] = 1.0, 1.0
    if n > 1:
        x[0] = _fibonacci(n - 1)
        x[1] = _fibonacci(n - 2)
        return x[0] + x[1]
    return 1.0


@inner
def _ordered(out):
    x = _cube()
    count = 0.0
    for i in range(2):
        for j in range(3):
            for k in range(4):
                x[i, j, k] = count
                count += 1.0
    flat = x.reshape(24)
    for i in range(24):
        out[i] = flat[i]
    return x.shape[0] * 100 + x.shape[1] * 10 + x.shape[2]


def test_two_arrays_do_not_overlap():
    out = np.zeros(4)
    entry(_two)(out)
    assert out.tolist() == [1.0, 1.0, 2.0, 2.0]


def test_entries_follow_one_another():
    out = np.zeros(24)
    assert entry(_ordered)(out) == 234
    assert np.array_equal(out, np.arange(24.0))


def test_each_call_has_its_own():
    assert entry(_fibonacci)(10) == pytest.approx(89.0)
