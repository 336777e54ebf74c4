"""What every joint that moves may have: a spring, a damper, a rest position, soft limits.

The soft limit pushes back with a force that is continuous with a continuous slope, so that Newton's method
and stiff integrators pass through it: for a penetration d = lo - q or d = q - hi, stiffness k and width w,

    f(d) = 0                 for d <= 0
           k d^2 / (2 w)     for 0 < d < w
           k (d - w / 2)     for d >= w
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, read_only, real_array, shown, symmetric_psd
from supple.errors import ModelError, naming
from supple.joints.friction import Friction, plain_friction
from supple.joints.protocol import Joint


@dataclass(frozen=True, eq=False)
class MovableJoint(Joint):
    """A joint with coordinates, and the options they all share; k is their number.

    Parameters
    ----------
    stiffness : float, (k,) or (k, k)
        Spring, N m/rad or N/m; a symmetric positive semi-definite matrix couples the coordinates.
    damping : float, (k,) or (k, k)
        Damper, N m s/rad or N s/m.
    rest : float or (k,)
        Coordinates at which the spring is slack, rad or m.
    limits : (lo, hi), or a sequence of k such pairs
        Soft limits; None in place of a pair, or an infinite end, leaves that side free.
    friction : float, (k,) or Friction
        Coulomb friction, N m or N; or all that `Friction` has.
    limit_stiffness : float or (k,)
        Stiffness of the soft limits, N m/rad or N/m.
    limit_width : float or (k,)
        Depth over which the soft limit reaches its full stiffness, rad or m.
    """

    stiffness: ArrayLike = field(default=0.0, kw_only=True)
    damping: ArrayLike = field(default=0.0, kw_only=True)
    rest: ArrayLike = field(default=0.0, kw_only=True)
    limits: Sequence[Any] | None = field(default=None, kw_only=True)
    friction: ArrayLike | Friction = field(default=0.0, kw_only=True)
    limit_stiffness: ArrayLike = field(default=1e3, kw_only=True)
    limit_width: ArrayLike = field(default=1e-2, kw_only=True)

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, np.ndarray):
                object.__setattr__(self, entry.name, read_only(real_array(value, self._what(entry.name))))
        # Evaluating them once is what validates them.
        _ = self.stiffness_matrix, self.damping_matrix, self.rest_vector
        _ = self.limit_bounds, self.limit_stiffnesses, self.limit_widths, self.friction_numbers

    @cached_property
    def stiffness_matrix(self) -> Array:
        """Stiffness of the joint spring, (k, k)."""
        return self._matrix("stiffness")

    @cached_property
    def damping_matrix(self) -> Array:
        """Damping of the joint, (k, k), viscous friction included."""
        return self._damped(self._matrix("damping"))

    @cached_property
    def rest_vector(self) -> Array:
        """Coordinates at which the spring is slack, (k,)."""
        return self._vector("rest")

    @cached_property
    def friction_numbers(self) -> Array:
        """Coulomb and static friction, Stribeck and slip velocity of each coordinate, (k, 4)."""
        if type(self.friction) is float and 0.0 <= self.friction < np.inf:  # the fast path, as below
            return plain_friction(self.friction, self.dof)
        with naming(type(self).__name__):
            return self._friction.numbers(self.dof)

    @property
    def _friction(self) -> Friction:
        if isinstance(self.friction, Friction):
            return self.friction
        return Friction(real_array(self.friction, "friction"))

    def _damped(self, matrix: Array) -> Array:
        """A damping matrix with viscous friction."""
        viscous = self._friction.damping(self.dof) if isinstance(self.friction, Friction) else np.zeros(self.dof)
        return read_only(matrix + np.diag(viscous)) if viscous.any() else matrix

    @cached_property
    def limit_stiffnesses(self) -> Array:
        """Stiffness of the soft limit of each coordinate, (k,)."""
        return self._positive("limit_stiffness")

    @cached_property
    def limit_widths(self) -> Array:
        """Width of the soft limit of each coordinate, (k,)."""
        return self._positive("limit_width")

    @cached_property
    def limit_bounds(self) -> Array:
        """Lower and upper limit of each coordinate, (k, 2); infinite where free."""
        return self._own_bounds()

    def _own_bounds(self) -> Array:
        bounds = np.tile([-np.inf, np.inf], (self.dof, 1))
        for row, pair in zip(bounds, self._pairs(), strict=True):
            if pair is not None:
                row[:] = self._pair(pair)
        return read_only(bounds)

    @cached_property
    def keeps_chart(self) -> bool:
        """Whether a spring, damper, friction, rest or limit gives q itself a meaning."""
        forces = (
            self.stiffness_matrix,
            self.damping_matrix,
            self.rest_vector,
            np.isfinite(self.limit_bounds),
            self.friction_numbers[:, :2],
        )
        return any(bool(np.any(part)) for part in forces)

    def _what(self, name: str) -> str:
        return f"{type(self).__name__}: {name}"

    def _matrix(self, name: str) -> Array:
        value = getattr(self, name)
        if type(value) is float and 0.0 <= value < np.inf:  # the fast path: defaults, and one number for all
            return read_only(np.diag(np.full(self.dof, value)))
        return symmetric_psd(self._per_coordinate(name), self.dof, self._what(name))

    def _vector(self, name: str) -> Array:
        value = getattr(self, name)
        if type(value) is float and isfinite(value):  # likewise
            return read_only(np.full(self.dof, value))
        return finite_array(self._per_coordinate(name), (self.dof,), self._what(name))

    def _per_coordinate(self, name: str) -> ArrayLike:
        """An option as given, or repeated for each coordinate if it is a single number."""
        value = real_array(getattr(self, name), self._what(name))
        return np.tile(value, self.dof) if value.ndim == 0 else value

    def _positive(self, name: str) -> Array:
        vector = self._vector(name)
        if np.any(vector <= 0.0):
            raise ModelError(f"{self._what(name)} is {vector.min():g}, must be positive")
        return vector

    def _pairs(self) -> Sequence[Any]:
        """One pair or None per coordinate; a joint with one coordinate may omit the outer brackets."""
        if self.limits is None:
            return [None] * self.dof
        if not isinstance(self.limits, (tuple, list, np.ndarray)) or getattr(self.limits, "ndim", 1) == 0:
            raise ModelError(
                f"{self._what('limits')} is {shown(self.limits)}, must be (lo, hi) or a sequence of such pairs"
            )
        pairs = list(self.limits)
        if self.dof == 1 and len(pairs) == 2:
            return [pairs]
        if len(pairs) != self.dof:
            raise ModelError(
                f"{self._what('limits')} has {len(pairs)} entries, must have a pair for each of {self.labels}"
            )
        return pairs

    def _pair(self, pair: Any) -> Array:
        what = self._what("limits")
        bounds = real_array(pair, what)
        if bounds.shape != (2,):
            raise ModelError(f"{what} holds {shown(pair)}, must be (lo, hi)")
        if not bounds[0] < bounds[1]:  # refuses NaN as well
            raise ModelError(f"{what} is ({bounds[0]:g}, {bounds[1]:g}), must have lo < hi")
        return bounds
