"""Directions by name or vector, and the in-plane pair of planar joints."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from supple.errors import ModelError
from supple.joints.axes import in_plane_pair, screw, unit_axis

X, Y, Z = np.eye(3)


@pytest.mark.parametrize(
    ("axis", "expected"), [("x", X), ("y", Y), ("z", Z), ("-x", -X), ("-z", -Z), ((0, 3, 4), [0, 0.6, 0.8])]
)
def test_unit_axis(axis, expected):
    assert_allclose(unit_axis(axis, "axis"), expected, atol=1e-16)


def test_named_axes_are_copies():
    unit_axis("x", "axis")[0] = 5.0
    assert_array_equal(unit_axis("x", "axis"), X)


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ("w", "Revolute: axis is 'w', must be one of x, y, z, -x, -y, -z or a vector"),
        ((0, 0, 0), "Revolute: axis is the zero vector, must have a direction"),
        ((1, 0), r"Revolute: axis has shape \(2,\), must have shape \(3,\)"),
        ((1, 0, np.nan), "Revolute: axis is .* must be finite"),
    ],
)
def test_unit_axis_refuses(axis, message):
    with pytest.raises(ModelError, match=message):
        unit_axis(axis, "Revolute: axis")


@pytest.mark.parametrize(("normal", "pair"), [(Z, (X, Y)), (X, (Y, Z)), (Y, (Z, X)), (-Z, (X, -Y))])
def test_in_plane_pair_of_coordinate_axes(normal, pair):
    assert_array_equal(in_plane_pair(normal), pair)


@pytest.mark.parametrize("seed", range(5))
def test_in_plane_pair_is_right_handed(seed):
    normal = unit_axis(np.random.default_rng(seed).normal(size=3), "normal")
    first, second = in_plane_pair(normal)
    frame = np.column_stack([first, second, normal])
    assert_allclose(frame.T @ frame, np.eye(3), atol=1e-15)
    assert np.linalg.det(frame) > 0


def test_screw_has_its_angular_part_first():
    assert_array_equal(screw((1, 2, 3), (4, 5, 6)), [[1], [2], [3], [4], [5], [6]])
