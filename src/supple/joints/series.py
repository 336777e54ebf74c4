"""Joints in series: three rotations one after the other, and any joints one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, read_only, shown
from supple.errors import ModelError
from supple.joints.axes import screw, unit_axis
from supple.joints.factors import Factor, generic_subspace
from supple.joints.friction import Friction
from supple.joints.movable import MovableJoint

#: Smallest singular value, relative to the largest, of columns that count as independent.
INDEPENDENT = 1e-9


@final
@dataclass(frozen=True, eq=False)
class Euler(MovableJoint):
    """Three rotations about axes of the moving frame; q holds the angles in rad, in the order of the letters.

    ``Euler("zyx")`` turns by q[0] about z, then by q[1] about the new y, then by q[2] about the new x:
    R = Rz(q[0]) Ry(q[1]) Rx(q[2]).  Neighbouring letters differ; the first and the last may be the same.

    Notes
    -----
    Every such chart is singular somewhere: where the second angle is +-pi/2 (three different letters), or 0 or pi
    (first and last the same), the first and the last axis fall together, the mass matrix is singular, and
    accelerations are not defined.  `Spherical` has no such place; `Euler` is for joints that are built of three
    motors, and for angles that have springs, limits or laws of their own.
    """

    order: str = "xyz"

    def factors(self) -> tuple[Factor, ...]:
        """Screw blocks (6, k_i), angular part first."""
        order = self.order
        if not isinstance(order, str) or len(order) != 3 or not set(order) <= set("xyz"):
            raise ModelError(
                f"Euler: order is {shown(order)}, must be three of the letters x, y, z, such as 'zyx' "
                "(lower case: each rotation is about an axis of the frame that the ones before have turned)"
            )
        if order[0] == order[1] or order[1] == order[2]:
            raise ModelError(f"Euler: order is {order!r}, neighbouring axes must differ")
        return tuple(screw(angular=unit_axis(letter, "Euler: order")) for letter in order)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate."""
        return ("rotation_1", "rotation_2", "rotation_3")


@final
@dataclass(frozen=True, eq=False, init=False)
class Composite(MovableJoint):
    """Joints one after the other: each moves in the frame after the one before; q holds their coordinates in order.

    Parameters
    ----------
    *series : Joint
        Two at least, such as ``Composite(Translational(), Euler("zyx"))``.  They keep their own springs, dampers and
        limits, and may be composites themselves.
    joints : sequence of Joint
        The same as one argument.
    stiffness, damping, rest, limits, limit_stiffness, limit_width, friction
        As for every joint, for all coordinates together, where the joints have none of their own.
    """

    joints: tuple[MovableJoint, ...]

    def __init__(
        self,
        *series: MovableJoint,
        joints: Sequence[MovableJoint] = (),
        stiffness: ArrayLike | None = None,
        damping: ArrayLike | None = None,
        rest: ArrayLike | None = None,
        limits: Sequence[Any] | None = None,
        limit_stiffness: ArrayLike | None = None,
        limit_width: ArrayLike | None = None,
        friction: ArrayLike | Friction | None = None,
    ) -> None:
        if not isinstance(joints, (tuple, list)):
            raise ModelError(f"Composite: joints is {shown(joints)}, must be a list of joints")
        joints = (*series, *joints)
        for joint in joints:
            if not isinstance(joint, MovableJoint):
                raise ModelError(f"Composite: {shown(joint)} is no joint that moves")
        if len(joints) < 2:
            raise ModelError(f"Composite has {len(joints)} joints, must have two or more")
        options: dict[str, Any] = {"stiffness": stiffness, "damping": damping, "rest": rest, "limits": limits}
        options |= {"limit_stiffness": limit_stiffness, "limit_width": limit_width}
        options |= {"friction": friction}
        for name, value in {"joints": joints, **options}.items():
            object.__setattr__(self, name, value)
        self.__post_init__()
        for name in ("stiffness", "damping", "rest", "limits", "friction"):
            self._refuse_twice(name)
        sizes = np.linalg.svd(generic_subspace(self._screwed()), compute_uv=False)
        if sizes[-1] < INDEPENDENT * sizes[0]:
            names = ", ".join(type(joint).__name__ for joint in joints)
            raise ModelError(f"Composite: its joints ({names}) move the link in the same way twice; leave one out")

    def _screwed(self) -> tuple[Factor, ...]:
        """Factors up to the first map, which is looked at when a robot is compiled."""
        factors = self.factors()
        return factors if all(isinstance(factor, np.ndarray) for factor in factors) else (np.eye(6)[:, :1],)

    def _refuse_twice(self, name: str) -> None:
        if getattr(self, name) is None:
            return
        for joint in self.joints:
            own = joint.limit_bounds if name == "limits" else given_by(joint, name)
            if np.any(np.isfinite(own)) if name == "limits" else np.any(own):
                raise ModelError(
                    f"Composite: {name} is given, but its {type(joint).__name__} has its own; give one of them"
                )

    def factors(self) -> tuple[Factor, ...]:
        """Screw blocks (6, k_i), angular part first, of all joints in order."""
        return tuple(factor for joint in self.joints for factor in joint.factors())

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate: the joint's own, and its number."""
        return tuple(f"{label}_{i}" for i, joint in enumerate(self.joints, 1) for label in joint.labels)

    @cached_property
    def stiffness_matrix(self) -> Array:
        """Stiffness of the joint spring, (k, k)."""
        return self._together("stiffness") if self.stiffness is None else self._matrix("stiffness")

    @cached_property
    def damping_matrix(self) -> Array:
        """Damping of the joint, (k, k)."""
        return self._damped(self._together("damping") if self.damping is None else self._matrix("damping"))

    @cached_property
    def friction_numbers(self) -> Array:
        """Coulomb and static friction, Stribeck and slip velocity of each coordinate, (k, 4)."""
        return self._joined("friction_numbers") if self.friction is None else super().friction_numbers

    @cached_property
    def rest_vector(self) -> Array:
        """Coordinates at which the spring is slack, (k,)."""
        return self._joined("rest_vector") if self.rest is None else self._vector("rest")

    @cached_property
    def limit_stiffnesses(self) -> Array:
        """Stiffness of the soft limit of each coordinate, (k,)."""
        return self._joined("limit_stiffnesses") if self.limit_stiffness is None else self._positive("limit_stiffness")

    @cached_property
    def limit_widths(self) -> Array:
        """Width of the soft limit of each coordinate, (k,)."""
        return self._joined("limit_widths") if self.limit_width is None else self._positive("limit_width")

    @cached_property
    def limit_bounds(self) -> Array:
        """Lower and upper limit of each coordinate, (k, 2); infinite where free."""
        return self._joined("limit_bounds") if self.limits is None else self._own_bounds()

    def _joined(self, name: str) -> Array:
        return read_only(np.concatenate([getattr(joint, name) for joint in self.joints]))

    def _together(self, name: str) -> Array:
        """Matrices of all joints along the diagonal."""
        out, first = np.zeros((self.dof, self.dof)), 0
        for joint in self.joints:
            last = first + joint.dof
            out[first:last, first:last] = getattr(joint, f"{name}_matrix")
            first = last
        return read_only(out)


def given_by(joint: MovableJoint, name: str) -> Array:
    """The stiffness, damping, rest or friction that a joint has."""
    if name == "friction":
        return joint.friction_numbers[:, :2]
    return joint.rest_vector if name == "rest" else np.asarray(getattr(joint, f"{name}_matrix"))
