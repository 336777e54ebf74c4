"""Values of laws: plain floats or read-only arrays of one shape, tables whose times increase."""

import numpy as np
import pytest

from supple.errors import ModelError
from supple.laws.values import checked_table, checked_value, plain, same_shapes, sine


def test_numbers_stay_plain_and_arrays_are_frozen():
    assert type(checked_value(np.float64(2.0), "x")) is float
    found = checked_value([1, 2], "x")
    assert found.dtype == float
    assert not found.flags.writeable
    assert type(plain(np.float64(1.0))) is float
    assert plain(found) is found
    assert type(sine(0.5)) is float
    assert sine(np.array([0.0, 0.5])) == pytest.approx(np.sin([0.0, 0.5]))


def test_numbers_go_with_any_shape():
    a, b = same_shapes("Ramp", low=1.0, high=[1.0, 2.0])
    assert (a, b.tolist()) == (1.0, [1.0, 2.0])
    with pytest.raises(ModelError, match=r"Ramp: low of shape \(3,\) and high of shape \(2,\) do not go together"):
        same_shapes("Ramp", low=np.ones(3), high=np.ones(2))
    with pytest.raises(ModelError, match=r"x is \[nan\], must be finite"):
        checked_value([np.nan], "x")


@pytest.mark.parametrize(
    ("times", "values", "message"),
    [
        ([0.0], [1.0], "must be at least 2 times"),
        ([[0.0, 1.0]], [1.0, 2.0], "must be at least 2 times"),
        ([0.0, 1.0], [1.0], "must have one value for each of the 2 times"),
        ([0.0, np.inf], [1.0, 2.0], "must be finite"),
        ([0.0, 1.0, 1.0], [1.0, 2.0, 3.0], r"times\[2\] = 1 follows 1"),
    ],
)
def test_bad_tables_are_named(times, values, message):
    with pytest.raises(ModelError, match=message):
        checked_table("Table", times, values, 2)


def test_a_good_table():
    t, x = checked_table("Table", [0, 1], [[1, 2], [3, 4]], 2)
    assert t == [0.0, 1.0]
    assert x.shape == (2, 2)
