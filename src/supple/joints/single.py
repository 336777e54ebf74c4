"""Joints with one coordinate: revolute, prismatic, helical."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from supple.checks import Array, finite_float
from supple.joints.axes import Axis, screw, unit_axis
from supple.joints.movable import MovableJoint


@final
@dataclass(frozen=True, eq=False)
class Revolute(MovableJoint):
    """Rotation about ``axis``; q is the angle in rad.

    Examples
    --------
    >>> Revolute("y").factors()[0].T
    array([[0., 1., 0., 0., 0., 0.]])
    """

    axis: Axis = "z"

    def factors(self) -> tuple[Array, ...]:
        """Screw blocks (6, k_i), angular part first."""
        return (screw(angular=unit_axis(self.axis, "Revolute: axis")),)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        return ("rotation",)


@final
@dataclass(frozen=True, eq=False)
class Prismatic(MovableJoint):
    """Translation along ``axis``; q is the displacement in m."""

    axis: Axis

    def factors(self) -> tuple[Array, ...]:
        """Screw blocks (6, k_i), angular part first."""
        return (screw(linear=unit_axis(self.axis, "Prismatic: axis")),)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        return ("translation",)


@final
@dataclass(frozen=True, eq=False)
class Helical(MovableJoint):
    """Rotation about ``axis`` with ``pitch`` metres of advance per radian; q is the angle in rad."""

    axis: Axis
    pitch: float

    def factors(self) -> tuple[Array, ...]:
        """Screw blocks (6, k_i), angular part first."""
        axis = unit_axis(self.axis, "Helical: axis")
        return (screw(axis, finite_float(self.pitch, "Helical: pitch") * axis),)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        return ("rotation",)
