"""Poses from positions and angles, and the check of poses given as matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from supple.errors import ModelError
from supple.lie.pose import check_pose, pose


def test_default_is_the_identity():
    assert_array_equal(pose(), np.eye(4))


def test_roll_pitch_yaw_turn_about_fixed_axes():
    g = pose(xyz=(1.0, 2.0, 3.0), rpy=(0.3, -0.4, 0.5))
    assert_allclose(g[:3, :3], Rotation.from_euler("xyz", [0.3, -0.4, 0.5]).as_matrix(), atol=1e-15)
    assert_array_equal(g[:3, 3], [1.0, 2.0, 3.0])
    assert_array_equal(g[3], [0.0, 0.0, 0.0, 1.0])


def test_each_angle_has_its_sign():
    assert_allclose(pose(rpy=(np.pi / 2, 0, 0))[:3, :3] @ [0, 1, 0], [0, 0, 1], atol=1e-15)
    assert_allclose(pose(rpy=(0, np.pi / 2, 0))[:3, :3] @ [0, 0, 1], [1, 0, 0], atol=1e-15)
    assert_allclose(pose(rpy=(0, 0, np.pi / 2))[:3, :3] @ [1, 0, 0], [0, 1, 0], atol=1e-15)


def test_rotation_matrix_instead_of_angles():
    rotation = Rotation.from_rotvec([0.1, 0.2, 0.3]).as_matrix()
    g = pose((0, 0, 1), rotation=rotation)
    assert_array_equal(g[:3, :3], rotation)
    g[0, 3] = 5.0  # poses belong to the user: writable


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rpy": (0, 0, 0), "rotation": np.eye(3)}, "rpy and rotation exclude each other"),
        ({"xyz": (0, 0)}, r"pose: xyz has shape \(2,\), must have shape \(3,\)"),
        ({"xyz": (0, 0, np.nan)}, "pose: xyz is .* must be finite"),
        ({"rpy": (0, 0, np.inf)}, "pose: rpy is .* must be finite"),
        ({"rotation": 2 * np.eye(3)}, "pose has a rotation part that is off orthonormal by 3"),
    ],
)
def test_pose_refuses(arguments, message):
    with pytest.raises(ModelError, match=message):
        pose(**arguments)


def _spoiled(index, value):
    g = np.eye(4)
    g[index] = value
    return g


@pytest.mark.parametrize(
    ("g", "message"),
    [
        (np.eye(3), r"link 'a': at has shape \(3, 3\), must have shape \(4, 4\)"),
        (_spoiled((0, 3), np.nan), "link 'a': at is .*must be finite"),
        (_spoiled((3, 0), 1.0), r"link 'a': at has the last row .*transposed"),
        (_spoiled((0, 1), 1e-6), "link 'a': at has a rotation part that is off orthonormal by 1e-06"),
        (_spoiled((2, 2), -1.0), "link 'a': at has a reflection"),
    ],
)
def test_check_pose_refuses(g, message):
    with pytest.raises(ModelError, match=message):
        check_pose(g, "link 'a': at")


def test_check_pose_returns_a_read_only_copy():
    g = np.eye(4)
    checked = check_pose(g, "g")
    g[0, 3] = 1.0
    assert checked[0, 3] == 0.0
    assert not checked.flags.writeable
    assert_array_equal(check_pose(_spoiled((0, 1), 1e-9), "g")[3], [0, 0, 0, 1])
