"""Screws of joints with one coordinate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from supple.errors import ModelError
from supple.joints import Helical, Prismatic, Revolute


def test_screws():
    assert_array_equal(Revolute().factors()[0][:, 0], [0, 0, 1, 0, 0, 0])
    assert_array_equal(Revolute("-x").factors()[0][:, 0], [-1, 0, 0, 0, 0, 0])
    assert_array_equal(Prismatic("y").factors()[0][:, 0], [0, 0, 0, 0, 1, 0])
    assert_allclose(Helical((0, 3, 4), 0.5).factors()[0][:, 0], [0, 0.6, 0.8, 0, 0.3, 0.4])


def test_labels():
    assert Revolute().labels == ("rotation",)
    assert Prismatic("x").labels == ("translation",)
    assert Helical("x", 0.1).labels == ("rotation",)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Revolute("q"), "Revolute: axis is 'q'"),
        (lambda: Prismatic((0, 0, 0)), "Prismatic: axis is the zero vector"),
        (lambda: Helical("up", 1.0), "Helical: axis is 'up'"),
        (lambda: Helical("x", np.inf), "Helical: pitch is inf, must be finite"),
    ],
)
def test_joints_are_checked_when_made(make, message):
    with pytest.raises(ModelError, match=message):
        make()
