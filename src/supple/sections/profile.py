"""A quantity along a rod: a number, a linear taper ``(base, tip)``, or a callable of s in [0, 1]."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from supple.checks import LONGEST, ask, finite_float
from supple.errors import ModelError

Profile: TypeAlias = float | tuple[float, float] | Callable[[float], float]


def as_profile(value: Any, what: str, unit: str = "m") -> Profile:
    """Normalise what the user wrote to a float, a pair of floats or a callable.

    A plain number must be positive. Tapers and callables are judged where they are evaluated: a cone that
    ends in a point, ``(0.03, 0.0)``, is fine at every quadrature node.
    """
    if callable(value):
        return value  # type: ignore[no-any-return]
    if not isinstance(value, (tuple, list)) and not (isinstance(value, np.ndarray) and value.ndim):
        number = finite_float(value, what)
        if number <= 0.0:
            raise ModelError(f"{what} is {number:g} {unit}, must be positive")
        return number
    if len(value) != 2:
        raise ModelError(f"{what} has {len(value)} values, must be a number, (base, tip) or a callable of s")
    base, tip = value
    return finite_float(base, f"{what} at the base"), finite_float(tip, f"{what} at the tip")


def evaluate(profile: Profile, s: float, what: str, unit: str = "m", *, allow_zero: bool = False) -> float:
    """Value of ``profile`` at s in [0, 1], refused unless positive (or zero, where that is allowed)."""
    if callable(profile):
        value = finite_float(ask(profile, (s,), f"{what} at s = {s:.2f}", ModelError), f"{what} at s = {s:.2f}")
        hint = "check the callable"
    elif isinstance(profile, tuple):
        value = (1.0 - s) * profile[0] + s * profile[1]
        hint = "check the taper"
    else:
        value, hint = profile, "check the number"
    if unit == "m" and value > LONGEST:
        raise ModelError(f"{what} at s = {s:.2f} is {value:.3g} m, must be at most {LONGEST:g} m ({hint})")
    if value < 0.0 or (value == 0.0 and not allow_zero):
        demand = "must not be negative" if allow_zero else "must be positive"
        raise ModelError(f"{what} at s = {s:.2f} is {value:.3g} {unit}, {demand} ({hint})")
    return value
