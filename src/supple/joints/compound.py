"""Joints with several coordinates, or none. All are one exponential, except the universal joint's two."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from supple.checks import Array
from supple.errors import ModelError
from supple.joints.axes import Axis, in_plane_pair, screw, unit_axis
from supple.joints.movable import MovableJoint
from supple.joints.protocol import Joint

#: Sine of the angle below which two axes count as parallel.
PARALLEL = 1e-6


@final
@dataclass(frozen=True)
class Fixed(Joint):
    """No motion: the link is welded to its parent."""

    def factors(self) -> tuple[Array, ...]:
        """Screw blocks (6, k_i), angular part first."""
        return ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        return ()

    @property
    def stiffness_matrix(self) -> Array:
        """Stiffness of the joint spring, (k, k)."""
        return np.zeros((0, 0))

    @property
    def damping_matrix(self) -> Array:
        """Damping of the joint, (k, k)."""
        return np.zeros((0, 0))

    @property
    def rest_vector(self) -> Array:
        """Coordinates at which the spring is slack, (k,)."""
        return np.zeros(0)

    @property
    def limit_bounds(self) -> Array:
        """Lower and upper limit of each coordinate, (k, 2); infinite where free."""
        return np.zeros((0, 2))

    @property
    def limit_stiffnesses(self) -> Array:
        """Stiffness of the soft limit of each coordinate, (k,)."""
        return np.zeros(0)

    @property
    def limit_widths(self) -> Array:
        """Width of the soft limit of each coordinate, (k,)."""
        return np.zeros(0)

    @property
    def keeps_chart(self) -> bool:
        """Whether a spring, damper, rest or limit gives q itself a meaning."""
        return False


@final
@dataclass(frozen=True, eq=False)
class Cylindrical(MovableJoint):
    """Rotation about and translation along one ``axis``; q = (angle in rad, displacement in m)."""

    axis: Axis

    def factors(self) -> tuple[Array, ...]:
        """Screw blocks (6, k_i), angular part first."""
        axis = unit_axis(self.axis, "Cylindrical: axis")
        return (np.hstack([screw(angular=axis), screw(linear=axis)]),)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        return ("rotation", "translation")


@final
@dataclass(frozen=True, eq=False)
class Universal(MovableJoint):
    """Rotation about ``axis1``, then about ``axis2`` as carried along by the first; q holds both angles, rad.

    The axes need not be perpendicular, only different.
    """

    axis1: Axis
    axis2: Axis

    def factors(self) -> tuple[Array, ...]:
        """Screw blocks (6, k_i), angular part first."""
        first, second = unit_axis(self.axis1, "Universal: axis1"), unit_axis(self.axis2, "Universal: axis2")
        if np.linalg.norm(np.cross(first, second)) < PARALLEL:
            raise ModelError("Universal: axis1 and axis2 are parallel, must differ (one axis: use Revolute)")
        return screw(angular=first), screw(angular=second)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        return ("rotation_1", "rotation_2")


@final
@dataclass(frozen=True, eq=False)
class Planar(MovableJoint):
    """Motion in the plane across ``normal``; q = (angle in rad, two displacements in m), one exponential.

    The displacements run along a right-handed in-plane pair: x, y for the normal z; y, z for x; z, x for y.
    For other normals the first direction is the coordinate axis that follows, cyclically, the largest
    component of the normal, projected on the plane; the second is normal x first. These are labelled u, v.
    """

    normal: Axis = "z"

    def factors(self) -> tuple[Array, ...]:
        """Screw blocks (6, k_i), angular part first."""
        normal = unit_axis(self.normal, "Planar: normal")
        first, second = in_plane_pair(normal)
        return (np.hstack([screw(angular=normal), screw(linear=first), screw(linear=second)]),)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        normal = unit_axis(self.normal, "Planar: normal")
        if normal.max() < 1.0:
            return ("rotation", "u", "v")
        k = int(np.argmax(normal))
        return ("rotation", "xyz"[(k + 1) % 3], "xyz"[(k + 2) % 3])


@final
@dataclass(frozen=True, eq=False)
class Translational(MovableJoint):
    """Free translation without rotation; q = (x, y, z) in m."""

    def factors(self) -> tuple[Array, ...]:
        """Screw blocks (6, k_i), angular part first."""
        return (np.eye(6)[:, 3:],)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        return ("x", "y", "z")


@final
@dataclass(frozen=True, eq=False)
class Spherical(MovableJoint):
    """Free rotation about a point; q is the rotation vector in rad, R = exp(q)."""

    def factors(self) -> tuple[Array, ...]:
        """Screw blocks (6, k_i), angular part first."""
        return (np.eye(6)[:, :3],)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        return ("wx", "wy", "wz")


@final
@dataclass(frozen=True, eq=False)
class Free(MovableJoint):
    """Free motion of a floating base: g = exp(q), q = (rotation vector in rad, linear part in m)."""

    def factors(self) -> tuple[Array, ...]:
        """Screw blocks (6, k_i), angular part first."""
        return (np.eye(6),)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        return ("wx", "wy", "wz", "x", "y", "z")
