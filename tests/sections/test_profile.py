"""Quantities along a rod: numbers, tapers, callables."""

import numpy as np
import pytest

from supple.errors import ModelError
from supple.sections.profile import as_profile, evaluate


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (3, 3.0),
        ((3, 1), 2.5),
        ([3, 1], 2.5),
        (np.array([3, 1]), 2.5),
        (lambda s: 4 * s, 1.0),
        (np.float32(3), 3.0),
    ],
)
def test_value_a_quarter_along(given, expected):
    assert evaluate(as_profile(given, "radius"), 0.25, "radius") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (-0.01, "radius is -0.01 m, must be positive"),
        (0, "radius is 0 m, must be positive"),
        ((1, 2, 3), r"radius has 3 values, must be a number, \(base, tip\) or a callable"),
        ("thin", "radius is 'thin', must be a number"),
        ((1, np.nan), "radius at the tip is nan, must be finite"),
        ((None, 1), "radius at the base is None, must be a number"),
    ],
)
def test_as_profile_refuses(given, message):
    with pytest.raises(ModelError, match=message):
        as_profile(given, "radius")


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        ((0.003, -0.009), r"radius at s = 0\.50 is -0\.003 m, must be positive \(check the taper\)"),
        (lambda s: 0.0, r"radius at s = 0\.50 is 0 m, must be positive \(check the callable\)"),
        (lambda s: np.nan, r"radius at s = 0\.50 is nan, must be finite"),
        (lambda s: [1.0, 2.0], r"radius at s = 0\.50 is \[1\.0, 2\.0\], must be a number"),
    ],
)
def test_evaluate_refuses(profile, message):
    with pytest.raises(ModelError, match=message):
        evaluate(profile, 0.5, "radius")


def test_zero_is_allowed_where_said_and_negative_never():
    assert evaluate((1.0, 0.0), 1.0, "radius", allow_zero=True) == 0.0
    with pytest.raises(ModelError, match="must not be negative"):
        evaluate((1.0, -1.0), 1.0, "radius", allow_zero=True)
