"""Poses as people write them: a position and three angles, or a position and a rotation matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, read_only
from supple.errors import ModelError

#: Largest deviation from orthonormality accepted in a rotation matrix.
ORTHONORMAL = 1e-8


def pose(xyz: ArrayLike = (0.0, 0.0, 0.0), rpy: ArrayLike | None = None, *, rotation: ArrayLike | None = None) -> Array:
    """Pose of a frame from its position and its roll, pitch and yaw.

    Parameters
    ----------
    xyz : array_like, shape (3,)
        Origin of the frame in the reference frame, m.
    rpy : array_like, shape (3,), optional
        Roll, pitch, yaw in rad; zero if omitted.
    rotation : array_like, shape (3, 3), optional
        Rotation matrix instead of ``rpy``; its columns are the axes of the frame.

    Returns
    -------
    g : ndarray, shape (4, 4)
        Maps coordinates in the frame to coordinates in the reference frame.

    Notes
    -----
    R = Rz(yaw) Ry(pitch) Rx(roll): turn about the fixed x, then the fixed y, then the fixed z axis.

    Examples
    --------
    >>> pose(xyz=(1, 0, 0), rpy=(0, 0, np.pi / 2)).round(3) + 0.0
    array([[ 0., -1.,  0.,  1.],
           [ 1.,  0.,  0.,  0.],
           [ 0.,  0.,  1.,  0.],
           [ 0.,  0.,  0.,  1.]])
    """
    if rpy is not None and rotation is not None:
        raise ModelError("pose: rpy and rotation exclude each other, give one of them")
    g = np.eye(4)
    g[:3, 3] = finite_array(xyz, (3,), "pose: xyz")
    if rotation is not None:
        g[:3, :3] = finite_array(rotation, (3, 3), "pose: rotation")
        return check_pose(g, "pose").copy()
    roll, pitch, yaw = finite_array(np.zeros(3) if rpy is None else rpy, (3,), "pose: rpy")
    g[:3, :3] = _turn(2, yaw) @ _turn(1, pitch) @ _turn(0, roll)
    return g


def check_pose(g: Any, what: str) -> Array:
    """Return ``g`` as a read-only float64 array if it is a pose.

    Parameters
    ----------
    g : array_like, shape (4, 4)
        Homogeneous matrix [[R, p], [0, 1]].
    what : str
        Begins the error message, such as ``"link 'arm': at"``.

    Raises
    ------
    ModelError
        If the shape is wrong, an entry is not finite, the last row is not (0, 0, 0, 1), or R is not a
        rotation (R^T R = 1 within 1e-8, det R > 0).
    """
    g = np.array(finite_array(g, (4, 4), what))
    if np.any(np.abs(g[3] - (0.0, 0.0, 0.0, 1.0)) > ORTHONORMAL):
        raise ModelError(f"{what} has the last row {g[3].tolist()}, must be [0, 0, 0, 1] (transposed?)")
    g[3] = (0.0, 0.0, 0.0, 1.0)
    rotation = g[:3, :3]
    error = float(np.max(np.abs(rotation.T @ rotation - np.eye(3))))
    if error > ORTHONORMAL:
        raise ModelError(f"{what} has a rotation part that is off orthonormal by {error:.2g} (max {ORTHONORMAL:g})")
    if np.linalg.det(rotation) < 0.0:
        raise ModelError(f"{what} has a reflection (determinant -1) for its rotation part; flip one axis")
    return read_only(g)


def _turn(axis: int, angle: float) -> Array:
    """Rotation by ``angle`` about coordinate axis ``axis``."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    rotation = np.eye(3)
    rotation[j, j] = rotation[k, k] = np.cos(angle)
    rotation[k, j] = np.sin(angle)
    rotation[j, k] = -np.sin(angle)
    return rotation
