"""Cotangents of one segment: brackets, Magnus steps, frames."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kernel_entry import entry
from supple.core.blocks.rod import magnus_jet
from supple.core.records import pose_t, segment_t
from supple.core.segment_gradients import add_bracket, add_frame_cotangent, bracket_power, magnus_cotangents

rng = np.random.default_rng(11)


def bracket(x, y):
    """ad_x y."""
    return np.concatenate([np.cross(x[:3], y[:3]), np.cross(x[3:], y[:3]) + np.cross(x[:3], y[3:])])


def test_cotangents_of_a_bracket():
    r, x, y, dx, dy = rng.standard_normal((5, 6))
    x_bar, y_bar = np.zeros(6), np.zeros(6)
    entry(add_bracket)(r, x, y, x_bar, y_bar)
    assert x_bar @ dx + y_bar @ dy == pytest.approx(r @ (bracket(dx, y) + bracket(x, dy)), rel=1e-13)
    assert entry(bracket_power)(r, x, y) == pytest.approx(r @ bracket(x, y), rel=1e-13)


def test_cotangents_of_a_magnus_step_are_those_of_differences():
    jets, pull = entry(magnus_jet), entry(magnus_cotangents)
    xi, bar = rng.standard_normal((4, 2, 6)), rng.standard_normal((4, 6))
    numbers = rng.standard_normal(2)

    def power(xi, numbers):
        segment = np.zeros(1, segment_t)
        segment["half"], segment["bracket"] = numbers
        jet = np.zeros((3, 6))
        jets(segment[0], np.ascontiguousarray(xi[:3]), jet)
        half, c = numbers
        along = half * (xi[3, 0] + xi[3, 1]) + c * (bracket(xi[3, 0], xi[0, 1]) + bracket(xi[0, 0], xi[3, 1]))
        return float((bar[:3] * jet).sum() + bar[3] @ along)

    segment, into, out = np.zeros(1, segment_t), np.zeros(1, segment_t), np.zeros((4, 2, 6))
    segment["half"], segment["bracket"] = numbers
    pull(segment[0], xi, bar, out, into[0])
    dxi, dn = rng.standard_normal((4, 2, 6)), rng.standard_normal(2)
    h = 1e-5
    expected = (power(xi + h * dxi, numbers + h * dn) - power(xi - h * dxi, numbers - h * dn)) / (2.0 * h)
    found = (out * dxi).sum() + into["half"][0] * dn[0] + into["bracket"][0] * dn[1]
    assert found == pytest.approx(expected, rel=1e-8)
    assert np.array_equal(into["rest"][0], out[0])


def test_a_cotangent_of_a_twist_becomes_one_of_the_entries_of_a_pose():
    R = Rotation.random(random_state=1).as_matrix()
    rho, (w, v) = rng.standard_normal(6), rng.standard_normal((2, 3))
    out = np.zeros(1, pose_t)
    entry(add_frame_cotangent)(R, rho, out[0])
    dR, dp = R @ np.cross(np.eye(3), w), R @ v
    assert (out["R"][0] * dR).sum() + out["p"][0] @ dp == pytest.approx(rho @ np.concatenate([w, v]), rel=1e-13)
