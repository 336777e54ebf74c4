"""Directions of joints: "x", "-y", or a vector in the joint frame."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array
from supple.errors import ModelError

Axis: TypeAlias = str | ArrayLike

_NAMES = {sign + name: (-1.0 if sign else 1.0) * np.eye(3)[k] for sign in ("", "-") for k, name in enumerate("xyz")}


def unit_axis(axis: Axis, what: str) -> Array:
    """Unit vector (3,) of an axis given by name or by a nonzero vector."""
    if isinstance(axis, str):
        if axis not in _NAMES:
            raise ModelError(f"{what} is {axis!r}, must be one of {', '.join(_NAMES)} or a vector")
        return np.array(_NAMES[axis] + 0.0)  # a copy, without negative zeros
    vector = finite_array(axis, (3,), what)
    largest = float(np.abs(vector).max())
    if largest == 0.0:
        raise ModelError(f"{what} is the zero vector, must have a direction")
    scaled = vector / largest  # squares of its entries neither vanish nor overflow
    return np.asarray(scaled / np.linalg.norm(scaled))


def in_plane_pair(normal: Array) -> tuple[Array, Array]:
    """Orthonormal pair (t1, t2) spanning the plane of a unit ``normal``; t1, t2, normal are right-handed.

    t1 is the coordinate axis that follows, cyclically, the largest component of the normal, projected on
    the plane: for z this gives (x, y), for x (y, z), for y (z, x).
    """
    follower = np.eye(3)[(int(np.argmax(np.abs(normal))) + 1) % 3]
    first = follower - (follower @ normal) * normal
    first /= np.linalg.norm(first)
    return first, np.cross(normal, first) + 0.0


def screw(angular: ArrayLike = (0.0, 0.0, 0.0), linear: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Screw as a column (6, 1), angular part first."""
    return np.concatenate([angular, linear])[:, None]
