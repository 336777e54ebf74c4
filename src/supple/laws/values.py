"""Values of laws: numbers or arrays of one shape, checked once, when a law is made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import finite_float, read_only, real_array
from supple.errors import ModelError

if TYPE_CHECKING:
    from supple.laws.law import Law

#: A value of a law: a float, or an array of fixed shape.
Value = Any


def set_fields(law: Law, **values: Any) -> None:
    """Fields of a frozen law."""
    for name, value in values.items():
        object.__setattr__(law, name, value)


def plain(value: Any) -> Value:
    """A float instead of a NumPy scalar."""
    if type(value) is float:  # asking NumPy would take longer than most laws
        return value
    return float(value) if np.ndim(value) == 0 else value


def sine(angle: Any) -> Value:
    """sin of a float, or of every entry of an array."""
    return math.sin(angle) if isinstance(angle, float) else np.sin(angle)


def checked_value(value: ArrayLike, what: str) -> Value:
    """A finite float, or a read-only finite array."""
    array = real_array(value, what)
    if array.ndim == 0:
        return finite_float(array, what)
    if not np.isfinite(array).all():
        raise ModelError(f"{what} is {array.tolist()}, must be finite")
    return read_only(array)


def same_shapes(kind: str, **values: ArrayLike) -> list[Value]:
    """Values of one shape; numbers go with any."""
    checked = {name: checked_value(value, f"{kind}: {name}") for name, value in values.items()}
    shapes = {name: np.shape(value) for name, value in checked.items() if np.ndim(value)}
    if len(set(shapes.values())) > 1:
        raise ModelError(f"{kind}: {' and '.join(f'{n} of shape {s}' for n, s in shapes.items())} do not go together")
    return list(checked.values())


def checked_table(kind: str, times: ArrayLike, values: ArrayLike, least: int) -> tuple[list[float], Any]:
    """Increasing times as a list, and as many values."""
    t, x = real_array(times, f"{kind}: times"), real_array(values, f"{kind}: values")
    if t.ndim != 1 or len(t) < least:
        raise ModelError(f"{kind}: times has shape {t.shape}, must be at least {least} times")
    if x.shape[:1] != t.shape:
        raise ModelError(f"{kind}: values has shape {x.shape}, must have one value for each of the {len(t)} times")
    if not (np.isfinite(t).all() and np.isfinite(x).all()):
        raise ModelError(f"{kind}: times and values must be finite")
    if (np.diff(t) <= 0.0).any():
        i = int(np.flatnonzero(np.diff(t) <= 0.0)[0])
        raise ModelError(f"{kind}: times must increase, but times[{i + 1}] = {t[i + 1]:g} follows {t[i]:g}")
    return t.tolist(), read_only(x)
