"""Rotation vectors brought back below pi: same pose, same twist."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import supple as sp
from supple.model.chart_changes import MOST_ANGLE, exponential_map, rewrap_joint


def test_the_exponential_of_a_turn_about_an_axis():
    g, T = exponential_map(np.array([0.0, 0.0, np.pi / 2.0, 1.0, 0.0, 0.0]))
    assert_allclose(g[:3, :3], [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], atol=1e-15)
    assert_allclose(g[:3, 3], [2.0 / np.pi, 2.0 / np.pi, 0.0], atol=1e-15)
    assert_allclose(T @ [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, *(T[3:, 2])], atol=1e-15)


@pytest.mark.parametrize("angle", [4.0, 7.5, 30.0])
def test_pose_and_twist_stay(angle):
    rng = np.random.default_rng(3)
    screws, q, v = np.eye(6), rng.standard_normal(6), rng.standard_normal(6)
    q[:3] *= angle / np.linalg.norm(q[:3])
    new, rates = rewrap_joint(screws, q, v)
    assert np.linalg.norm(new[:3]) <= np.pi + 1e-12
    (g, T), (h, S) = exponential_map(q), exponential_map(new)
    assert_allclose(h, g, atol=1e-12)
    assert_allclose(S @ rates, T @ v, atol=1e-11)


def test_short_rotation_vectors_are_left_alone():
    q, v = np.full(3, 0.5), np.ones(3)
    new, rates = rewrap_joint(np.eye(6, 3), q, v)
    assert_array_equal(new, q)
    assert_array_equal(rates, v)
    assert new is not q


def test_an_absurd_angle_is_refused():
    with pytest.raises(sp.StateError, match="cannot be wrapped"):
        rewrap_joint(np.eye(6, 3), np.full(3, 2.0 * MOST_ANGLE), np.ones(3))
