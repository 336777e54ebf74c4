"""Parallel projection: axes, windows, views that suit a robot."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from supple.viz.camera import FACING, OBLIQUE, Camera, Window, level_axes
from supple.viz.style import Style

Z = np.array([0.0, 0.0, 1.0])


def test_from_x_one_sees_y_to_the_right_and_z_up():
    camera = Camera.looking(0.0, 0.0, Z)
    assert_allclose(camera.project(np.array([[5.0, 2.0, 3.0]])), [[2.0, 3.0]], atol=1e-15)
    assert_allclose(camera.depth(np.array([[5.0, 2.0, 3.0]])), [5.0], atol=1e-15)


@pytest.mark.parametrize("vertical", [(0, 0, 1), (0, 1, 0), (1, 1, 1), (0, 0, -2)])
def test_axes_are_orthonormal(vertical):
    axes = np.array(level_axes(np.array(vertical, dtype=float)))
    assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    camera = Camera.looking(33.0, -20.0, np.array(vertical, dtype=float))
    axes = np.array([camera.right, camera.up, camera.toward])
    assert_allclose(axes @ axes.T, np.eye(3), atol=1e-14)


def test_a_window_holds_the_points_and_can_be_resized():
    window = Camera.looking(0.0, 0.0, Z).window(np.array([[0.0, -1.0, 0.0], [0.0, 3.0, 2.0]]))
    assert -1.04 < window.left <= -1.0  # with a little room
    assert 3.0 <= window.right < 3.04
    assert window.height == pytest.approx(2.0, rel=0.02)
    assert Window(0.0, 4.0, 0.0, 2.0).resized((2.0, 6.0)) == Window(1.0, 3.0, -2.0, 4.0)
    assert window.resized(None) is window


def test_the_view_suits_the_extents():
    rng = np.random.default_rng(0)
    cube = rng.uniform(-1.0, 1.0, (200, 3))
    weight = np.array([0.0, 0.0, -9.81])
    expected = Camera.looking(*OBLIQUE, Z)
    assert_allclose(Camera.choose(Style(), cube, weight).toward, expected.toward, atol=1e-12)
    flat = cube * [1.0, 1.0, 0.01]
    assert_allclose(Camera.choose(Style(), flat, np.zeros(3)).toward, Camera.looking(*FACING[2], Z).toward, atol=1e-12)
    given = Camera.choose(Style(view=(10.0, 20.0)), cube, weight)
    assert_allclose(given.toward, Camera.looking(10.0, 20.0, Z).toward, atol=1e-12)
