"""The contract of joints, and the recipe to add one.

A joint moves a link relative to its parent by g = exp(Phi_1 q_1) exp(Phi_2 q_2) ...: a product of
exponentials of constant screw blocks, in the joint frame, angular part first. Most joints have one block;
a universal joint has two. A factor may also be a `JointMap`, any smooth map g(q) by a compiled function of
`supple.maps`. This is all the mechanics knows about joints, so a new one is a new set of numbers, never a new branch.

**To add a joint:** a frozen dataclass deriving from `MovableJoint` with ``factors()`` and ``labels``, its
export in `joints/__init__.py`, and an entry in the list of `tests/joints/test_joint_contract.py`. Springs,
dampers and limits come with `MovableJoint`. Columns of a block must be linearly independent; unit screws keep
coordinates in rad and m.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from supple.checks import Array
from supple.joints.factors import Factor
from supple.joints.friction import NO_FRICTION


class Joint(ABC):
    """A joint between a link and its parent; k is its number of coordinates."""

    @abstractmethod
    def factors(self) -> tuple[Factor, ...]:
        """Screw blocks (6, k_i), angular part first: g = exp(Phi_1 q_1) exp(Phi_2 q_2) ...; or maps in their place."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate, (k,)."""

    @cached_property
    def dof(self) -> int:
        """Number of coordinates k."""
        return sum(block.shape[1] for block in self.factors())

    @property
    @abstractmethod
    def stiffness_matrix(self) -> Array:
        """Stiffness K of the joint spring, (k, k): force -K (q - rest)."""

    @property
    @abstractmethod
    def damping_matrix(self) -> Array:
        """Damping D of the joint, (k, k): force -D v."""

    @property
    @abstractmethod
    def rest_vector(self) -> Array:
        """Coordinates at which the spring is slack, (k,)."""

    @property
    @abstractmethod
    def limit_bounds(self) -> Array:
        """Lower and upper limit of each coordinate, (k, 2); -inf and inf where there is none."""

    @property
    @abstractmethod
    def limit_stiffnesses(self) -> Array:
        """Stiffness of the soft stop of each coordinate, (k,)."""

    @property
    @abstractmethod
    def limit_widths(self) -> Array:
        """Width of the soft stop of each coordinate, (k,)."""

    @property
    def friction_numbers(self) -> Array:
        """Coulomb and static friction, Stribeck and slip velocity of each coordinate, (k, 4)."""
        return np.tile(NO_FRICTION, (self.dof, 1))

    @property
    @abstractmethod
    def keeps_chart(self) -> bool:
        """Whether a spring, damper, rest or limit gives q itself a meaning: solvers must not re-centre it."""
