"""Dry friction in joints: Coulomb's, with Stribeck's rise towards rest, regularised near it.

    F(v) = -(c + (s - c) exp(-(v / w)^2)) v / sqrt(v^2 + e^2)

of a coordinate's rate v: Coulomb friction c, static friction s, Stribeck velocity w, slip velocity e.  Viscous friction
is ``damping``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, read_only, real_array, shown
from supple.errors import ModelError

#: Stribeck and slip velocity if nothing is said of them, rad/s or m/s.
_STRIBECK, _SLIP = 0.05, 1e-3


@dataclass(frozen=True, eq=False)
class Friction:
    """Friction of a joint, per coordinate: numbers, or (k,) for a joint with k coordinates.

    Parameters
    ----------
    coulomb : float or (k,)
        Friction of a joint that slides, N m or N.
    static : float or (k,), optional
        Friction at breaking loose, N m or N, not less than ``coulomb``, which it is if omitted.
    stribeck_velocity : float or (k,)
        Rate over which the one falls to the other, rad/s or m/s.
    slip_velocity : float or (k,)
        Rate at which friction has reached 71 % of its size, rad/s or m/s.
    viscous : float or (k,)
        Adds to the joint's ``damping``, N m s/rad or N s/m.

    Notes
    -----
    The force is smooth, and zero at rest: in statics there is no friction, and a joint that sticks creeps, by the slip
    velocity times the share of the friction that holds it.  Smaller slip velocities are truer to sticking and stiffer;
    implicit methods take them.  The size of friction is given; friction that follows what the joint carries is
    `BearingFriction`.
    """

    coulomb: ArrayLike
    static: ArrayLike | None = None
    stribeck_velocity: ArrayLike = _STRIBECK
    slip_velocity: ArrayLike = _SLIP
    viscous: ArrayLike = 0.0

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if value is not None:
                array = real_array(value, f"Friction: {entry.name}")
                if array.ndim > 1:
                    raise ModelError(f"Friction: {entry.name} is {shown(value)}, must be a number or (k,) of them")
                size = array.size if array.ndim else 1
                self._numbers(entry.name, size)

    def _numbers(self, name: str, size: int) -> Array:
        value = real_array(getattr(self, name), f"Friction: {name}")
        array = finite_array(np.tile(value, size) if value.ndim == 0 else value, (size,), f"Friction: {name}")
        positive = name.endswith("velocity")
        if np.any(array <= 0.0) if positive else np.any(array < 0.0):
            bound = "positive" if positive else "at least 0"
            raise ModelError(f"Friction: {name} is {array.min():g}, must be {bound}")
        return array

    def numbers(self, size: int) -> Array:
        """(size, 4): Coulomb and static friction, Stribeck and slip velocity of every coordinate."""
        coulomb = self._numbers("coulomb", size)
        static = coulomb if self.static is None else self._numbers("static", size)
        if np.any(static < coulomb):
            k = int(np.argmax(static < coulomb))
            raise ModelError(f"Friction: static is {static[k]:g}, must be at least coulomb, {coulomb[k]:g}")
        velocities = self._numbers("stribeck_velocity", size), self._numbers("slip_velocity", size)
        return read_only(np.column_stack([coulomb, static, *velocities]))

    def damping(self, size: int) -> Array:
        """(size,) viscous friction."""
        return self._numbers("viscous", size)


def plain_friction(coulomb: float, size: int) -> Array:
    """As `Friction(coulomb).numbers(size)`, for a number that is finite and not negative."""
    numbers = np.empty((size, 4))
    numbers[:] = coulomb, coulomb, _STRIBECK, _SLIP
    return read_only(numbers)


#: Numbers of a coordinate without friction.
NO_FRICTION = (0.0, 0.0, 1.0, 1.0)
