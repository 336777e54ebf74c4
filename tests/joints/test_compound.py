"""Screws of joints with several coordinates."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from supple.errors import ModelError
from supple.joints import Cylindrical, Fixed, Free, Planar, Spherical, Translational, Universal


def test_cylindrical_is_rotation_then_translation():
    (block,) = Cylindrical("y").factors()
    assert_array_equal(block, np.eye(6)[:, [1, 4]])
    assert Cylindrical("y").labels == ("rotation", "translation")


def test_universal_is_two_rotations_in_series():
    first, second = Universal("y", "z").factors()
    assert_array_equal(first, np.eye(6)[:, [1]])
    assert_array_equal(second, np.eye(6)[:, [2]])
    assert Universal("y", "z").labels == ("rotation_1", "rotation_2")


@pytest.mark.parametrize(
    ("normal", "columns", "labels"),
    [("z", [2, 3, 4], "xy"), ("x", [0, 4, 5], "yz"), ("y", [1, 5, 3], "zx")],
)
def test_planar_in_coordinate_planes(normal, columns, labels):
    assert_array_equal(Planar(normal).factors()[0], np.eye(6)[:, columns])
    assert Planar(normal).labels == ("rotation", *labels)


@pytest.mark.parametrize("normal", ["-z", (1, 1, 0)])
def test_planar_in_other_planes_names_its_directions_u_and_v(normal):
    assert Planar(normal).labels == ("rotation", "u", "v")


def test_identity_blocks():
    assert_array_equal(Translational().factors()[0], np.eye(6)[:, 3:])
    assert_array_equal(Spherical().factors()[0], np.eye(6)[:, :3])
    assert_array_equal(Free().factors()[0], np.eye(6))
    assert Translational().labels == ("x", "y", "z")
    assert Spherical().labels == ("wx", "wy", "wz")
    assert Free().labels == ("wx", "wy", "wz", "x", "y", "z")


def test_fixed_takes_no_options():
    with pytest.raises(TypeError):
        Fixed(stiffness=1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Universal("y", (0, -2, 0)), "Universal: axis1 and axis2 are parallel, must differ"),
        (lambda: Universal("y", "a"), "Universal: axis2 is 'a'"),
        (lambda: Planar("a"), "Planar: normal is 'a'"),
        (lambda: Cylindrical((0, 0, 0)), "Cylindrical: axis is the zero vector"),
    ],
)
def test_joints_are_checked_when_made(make, message):
    with pytest.raises(ModelError, match=message):
        make()
