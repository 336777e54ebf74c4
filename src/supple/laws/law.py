"""What a law of time is, and how laws become others: constants, sums, products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.checks import shown
from supple.errors import ModelError
from supple.laws.values import Value, checked_value, set_fields


class Law:
    """What all laws share."""

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        raise NotImplementedError

    def rate(self, t: float) -> Value:
        """First derivative."""
        raise NotImplementedError

    def acceleration(self, t: float) -> Value:
        """Second derivative."""
        raise NotImplementedError

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which the value or the rate jumps: integrators stop there."""
        return ()

    def __add__(self, other: Any) -> Sum:
        return Sum(self, as_law(other))

    def __radd__(self, other: Any) -> Sum:
        return Sum(as_law(other), self)

    def __mul__(self, other: Any) -> Product:
        return Product(self, as_law(other))

    def __rmul__(self, other: Any) -> Product:
        return Product(as_law(other), self)

    #: Keeps NumPy from taking ``array * law`` apart.
    __array_ufunc__ = None


def as_law(value: Any) -> Law:
    """A law, or a constant made into one."""
    return value if isinstance(value, Law) else Constant(value)


@dataclass(frozen=True, eq=False)
class Constant(Law):
    """The same value at all times."""

    value: Any

    def __post_init__(self) -> None:
        set_fields(self, value=checked_value(self.value, "Constant: value"))

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        return self.value

    def rate(self, t: float) -> Value:
        """Zero."""
        return 0.0 * self.value

    def acceleration(self, t: float) -> Value:
        """Zero."""
        return 0.0 * self.value


@dataclass(frozen=True, eq=False)
class _Pair(Law):
    """Two laws that become one."""

    a: Law
    b: Law

    def __post_init__(self) -> None:
        _check_pair(self)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Those of both."""
        return tuple(sorted({*self.a.breaks, *self.b.breaks}))


@dataclass(frozen=True, eq=False)
class Sum(_Pair):
    """Sum of two laws; also written ``a + b``."""

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        return self.a(t) + self.b(t)

    def rate(self, t: float) -> Value:
        """First derivative."""
        return self.a.rate(t) + self.b.rate(t)

    def acceleration(self, t: float) -> Value:
        """Second derivative."""
        return self.a.acceleration(t) + self.b.acceleration(t)


@dataclass(frozen=True, eq=False)
class Product(_Pair):
    """Product of two laws, entry by entry; also written ``a * b``."""

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        return self.a(t) * self.b(t)

    def rate(self, t: float) -> Value:
        """First derivative."""
        return self.a.rate(t) * self.b(t) + self.a(t) * self.b.rate(t)

    def acceleration(self, t: float) -> Value:
        """Second derivative."""
        a, b = self.a, self.b
        return a.acceleration(t) * b(t) + 2.0 * a.rate(t) * b.rate(t) + a(t) * b.acceleration(t)


def _check_pair(law: _Pair) -> None:
    """Two laws whose values go together."""
    kind = type(law).__name__
    for name, part in (("a", law.a), ("b", law.b)):
        if not isinstance(part, Law):
            raise ModelError(f"{kind}: {name} is {shown(part)}, must be a law")
    shapes = np.shape(law.a(0.0)), np.shape(law.b(0.0))
    if () not in shapes and shapes[0] != shapes[1]:
        raise ModelError(f"{kind}: values of shape {shapes[0]} and {shapes[1]} do not go together")
