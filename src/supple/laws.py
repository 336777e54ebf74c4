"""Laws of time: small picklable functions for loads, inputs and prescribed motions.

A law is called as ``law(t)`` and knows its exact ``rate(t)`` and ``acceleration(t)``.  Values are numbers or arrays of
one shape.  ``breaks`` are the times at which the law or its rate jumps; there its derivatives are those from the right.
Laws add and multiply: ``Ramp(0, 1, 0, 2) * Sine(0.3, 1.5)``.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import choice, finite_float, flag, read_only, real_array, shown
from supple.errors import ModelError

__all__ = ["Constant", "Law", "Polynomial", "Product", "Ramp", "Sine", "Spline", "Steps", "Sum", "Table"]

#: Highest frequency of a sine [Hz], and what its acceleration must stay below: far from what float64 can hold.
FASTEST, LARGEST = 1e100, 1e300

#: A value of a law: a float, or an array of fixed shape.
Value = Any


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
        _set(self, value=_value(self.value, "Constant: value"))

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
class Ramp(Law):
    """From ``start`` until t0 linearly to ``end`` at t1, and constant from there.

    Examples
    --------
    >>> law = Ramp(0.0, 10.0, t0=1.0, t1=3.0)
    >>> law(0.0), law(1.5), law(9.0), law.rate(1.5)
    (0.0, 2.5, 10.0, 5.0)
    """

    start: Any
    end: Any
    t0: float = 0.0
    t1: float = 1.0

    def __post_init__(self) -> None:
        start, end = _same("Ramp", start=self.start, end=self.end)
        t0, t1 = finite_float(self.t0, "Ramp: t0"), finite_float(self.t1, "Ramp: t1")
        if t1 <= t0:
            raise ModelError(f"Ramp: t1 is {t1:g} s, must be later than t0 = {t0:g} s")
        _set(self, start=start, end=end, t0=t0, t1=t1)

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        x = min(max((t - self.t0) / (self.t1 - self.t0), 0.0), 1.0)
        return self.start * (1.0 - x) + self.end * x

    def rate(self, t: float) -> Value:
        """Slope between t0 and t1, else zero."""
        inside = 1.0 if self.t0 <= t < self.t1 else 0.0
        return (self.end - self.start) * (inside / (self.t1 - self.t0))

    def acceleration(self, t: float) -> Value:
        """Zero."""
        return 0.0 * (self.end - self.start)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Begin and end of the ramp."""
        return self.t0, self.t1


@dataclass(frozen=True, eq=False)
class Sine(Law):
    """``offset + amplitude sin(2 pi frequency t + phase)``, frequency in hertz, phase in radians."""

    amplitude: Any
    frequency: float
    phase: Any = 0.0
    offset: Any = 0.0

    def __post_init__(self) -> None:
        amplitude, phase, offset = _same("Sine", amplitude=self.amplitude, phase=self.phase, offset=self.offset)
        frequency = finite_float(self.frequency, "Sine: frequency")
        if not np.all(np.abs(amplitude) * (2.0 * math.pi * min(abs(frequency), FASTEST)) ** 2 < LARGEST):
            raise ModelError(f"Sine: amplitude {shown(self.amplitude)} at {frequency:g} Hz: its acceleration overflows")
        if abs(frequency) > FASTEST:
            raise ModelError(f"Sine: frequency is {frequency:g} Hz, must be at most {FASTEST:g} Hz")
        shapes = [np.shape(x) for x in (phase, offset) if np.ndim(x)]
        if shapes and np.ndim(amplitude) == 0:  # rates must have the shape of values
            amplitude = read_only(np.full(shapes[0], amplitude))
        _set(self, frequency=frequency)
        _set(self, amplitude=amplitude, phase=phase, offset=offset)

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        return self.offset + self.amplitude * _sin(self._angle(t))

    def rate(self, t: float) -> Value:
        """First derivative."""
        return self.amplitude * (2.0 * math.pi * self.frequency) * _sin(self._angle(t) + 0.5 * math.pi)

    def acceleration(self, t: float) -> Value:
        """Second derivative."""
        return self.amplitude * -((2.0 * math.pi * self.frequency) ** 2) * _sin(self._angle(t))

    def _angle(self, t: float) -> Value:
        return 2.0 * math.pi * self.frequency * t + self.phase


@dataclass(frozen=True, eq=False)
class Steps(Law):
    """Piecewise constant: ``values[i]`` from ``times[i]`` (included) to the next; ``values[0]`` before the first.

    Examples
    --------
    >>> law = Steps([0.0, 1.0, 2.0], [0.0, 5.0, 3.0])
    >>> law(0.5), law(1.0), law(7.0), law.breaks
    (0.0, 5.0, 3.0, (0.0, 1.0, 2.0))
    """

    times: Any
    values: Any

    def __post_init__(self) -> None:
        times, values = _table("Steps", self.times, self.values, 1)
        _set(self, times=times, values=values)

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        return _plain(self.values[max(bisect_right(self.times, t) - 1, 0)])

    def rate(self, t: float) -> Value:
        """Zero."""
        return _plain(0.0 * self.values[0])

    def acceleration(self, t: float) -> Value:
        """Zero."""
        return _plain(0.0 * self.values[0])

    @property
    def breaks(self) -> tuple[float, ...]:
        """The times of the jumps."""
        return tuple(self.times)


@dataclass(frozen=True, eq=False)
class Spline(Law):
    """Cubic spline through ``values`` at ``times`` (two continuous derivatives); the end values are held outside.

    Parameters
    ----------
    times : (m,)
        Increasing, s.
    values : (m,) or (m, ...)
        One value per time.
    ends : "not-a-knot", "natural" or "clamped"
        Condition at both ends; clamped: at rest, so that the rate is continuous with the held values.
    """

    times: Any
    values: Any
    ends: str = "not-a-knot"

    def __post_init__(self) -> None:
        times, values = _table("Spline", self.times, self.values, 2)
        choice(self.ends, ("not-a-knot", "natural", "clamped"), "Spline: ends")
        _set(self, times=times, values=values)

    @cached_property
    def coefficients(self) -> np.ndarray:
        """(4, m - 1, ...) of the pieces, highest power first; found when first asked for, since SciPy loads slowly."""
        from scipy.interpolate import CubicSpline  # type: ignore[import-untyped]

        try:
            found = np.array(CubicSpline(self.times, self.values, bc_type=self.ends).c)
        except ValueError as error:
            raise ModelError(f"Spline: no spline goes through these values ({error})") from None
        if not np.isfinite(found).all():
            raise ModelError("Spline: no spline goes through these values: it overflows between some times")
        return read_only(found)

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        if t <= self.times[0]:
            return _plain(self.values[0])
        if t >= self.times[-1]:
            return _plain(self.values[-1])
        x, (a, b, c, d) = self._piece(t)
        return _plain(d + x * (c + x * (b + x * a)))

    def rate(self, t: float) -> Value:
        """First derivative; zero outside."""
        if not self.times[0] <= t < self.times[-1]:
            return _plain(0.0 * self.values[0])
        x, (a, b, c, _) = self._piece(t)
        return _plain(c + x * (2.0 * b + x * (3.0 * a)))

    def acceleration(self, t: float) -> Value:
        """Second derivative; zero outside."""
        if not self.times[0] <= t < self.times[-1]:
            return _plain(0.0 * self.values[0])
        x, (a, b, _, _) = self._piece(t)
        return _plain(2.0 * b + x * (6.0 * a))

    @property
    def breaks(self) -> tuple[float, ...]:
        """Begin and end, where the spline meets the held values."""
        return self.times[0], self.times[-1]

    def _piece(self, t: float) -> tuple[float, Any]:
        """Time since the last knot, and the four coefficients from there."""
        i = min(bisect_right(self.times, t), len(self.times) - 1) - 1
        return t - self.times[i], self.coefficients[:, i]


@dataclass(frozen=True, eq=False)
class Table(Law):
    """Samples joined by straight lines, or each held until the next; the end values are held outside.

    Parameters
    ----------
    times : (m,)
        Increasing, s.
    values : (m,) or (m, ...)
        One value per time.
    hold : bool
        Hold every value until the next time, as `Steps` does.

    Notes
    -----
    ``breaks`` are the times at which the value (hold) or the slope changes, so that integrators stop at almost every
    sample.  For many samples of something smooth, `Spline` is faster: it breaks only at its ends.

    Examples
    --------
    >>> law = Table([0.0, 1.0, 2.0, 4.0], [0.0, 5.0, 10.0, 6.0])
    >>> law(0.5), law(3.0), law(7.0), law.rate(3.0), law.breaks
    (2.5, 8.0, 6.0, -2.0, (0.0, 2.0, 4.0))
    """

    times: Any
    values: Any
    hold: bool = False
    slopes: Any = field(init=False, repr=False)  #: (m - 1, ...) between the times

    def __post_init__(self) -> None:
        times, values = _table("Table", self.times, self.values, 1)
        lengths = np.diff(times).reshape(-1, *[1] * (values.ndim - 1))
        _set(
            self,
            times=times,
            values=values,
            hold=flag(self.hold, "Table: hold"),
            slopes=read_only(np.diff(values, axis=0) / lengths),
        )

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        i = bisect_right(self.times, t) - 1
        if self.hold or not self._inside(t):
            return _plain(self.values[max(i, 0)])
        return _plain(self.values[i] + (t - self.times[i]) * self.slopes[i])

    def rate(self, t: float) -> Value:
        """Slope; zero outside, and everywhere if values are held."""
        if self.hold or not self._inside(t):
            return _plain(0.0 * self.values[0])
        return _plain(self.slopes[bisect_right(self.times, t) - 1])

    def acceleration(self, t: float) -> Value:
        """Zero."""
        return _plain(0.0 * self.values[0])

    @property
    def breaks(self) -> tuple[float, ...]:
        """Where the value or the slope jumps."""
        values = self.values.reshape(len(self.times), -1)
        if self.hold:
            jumps = np.diff(values, axis=0, prepend=values[:1])
        else:
            still = np.zeros((1, values.shape[1]))
            jumps = np.diff(self.slopes.reshape(-1, values.shape[1]), axis=0, prepend=still, append=still)
        return tuple(t for t, jump in zip(self.times, jumps.any(axis=1), strict=True) if jump)

    def _inside(self, t: float) -> bool:
        return bool(self.times[0] <= t < self.times[-1])


@dataclass(frozen=True, eq=False)
class Polynomial(Law):
    """``coefficients[0] + coefficients[1] x + coefficients[2] x^2 + ...`` with x = t - t0.

    Parameters
    ----------
    coefficients : (m,) or (m, ...)
        Lowest power first; units of the value over s^i.
    t0 : float
        Origin of time, s.
    t1 : float, optional
        If given, the values at t0 and t1 are held before t0 and from t1 on; else the polynomial goes on for ever.

    Examples
    --------
    >>> law = Polynomial([0.0, 0.0, 3.0, -2.0], t0=1.0, t1=2.0)  # from 0 to 1, at rest at both ends
    >>> law(0.0), law(1.5), law(9.0), law.rate(1.5)
    (0.0, 0.5, 1.0, 1.5)
    """

    coefficients: Any
    t0: float = 0.0
    t1: float | None = None

    def __post_init__(self) -> None:
        c = _value(self.coefficients, "Polynomial: coefficients")
        if np.ndim(c) == 0 or len(c) == 0:
            raise ModelError(
                f"Polynomial: coefficients is {shown(self.coefficients)}, must be a list, lowest power first"
            )
        t0 = finite_float(self.t0, "Polynomial: t0")
        t1 = None if self.t1 is None else finite_float(self.t1, "Polynomial: t1")
        if t1 is not None and t1 <= t0:
            raise ModelError(f"Polynomial: t1 is {t1:g} s, must be later than t0 = {t0:g} s")
        _set(self, coefficients=c, t0=t0, t1=t1)

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        return self._derivative(t if self.t1 is None else min(max(t, self.t0), self.t1), 0)

    def rate(self, t: float) -> Value:
        """First derivative; zero where values are held."""
        return self._derivative(t, 1) if self._moves(t) else _plain(0.0 * self.coefficients[0])

    def acceleration(self, t: float) -> Value:
        """Second derivative; zero where values are held."""
        return self._derivative(t, 2) if self._moves(t) else _plain(0.0 * self.coefficients[0])

    @property
    def breaks(self) -> tuple[float, ...]:
        """Begin and end, if it has an end."""
        return () if self.t1 is None else (self.t0, self.t1)

    def _moves(self, t: float) -> bool:
        return self.t1 is None or self.t0 <= t < self.t1

    def _derivative(self, t: float, order: int) -> Value:
        x, total = t - self.t0, 0.0 * self.coefficients[0]
        for i in range(len(self.coefficients) - 1, order - 1, -1):
            total = total * x + math.perm(i, order) * self.coefficients[i]
        return _plain(total)


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


# ---------------------------------------------------------------------- checks


def _set(law: Law, **values: Any) -> None:
    """Fields of a frozen law."""
    for name, value in values.items():
        object.__setattr__(law, name, value)


def _plain(value: Any) -> Value:
    """A float instead of a NumPy scalar."""
    return float(value) if np.ndim(value) == 0 else value


def _sin(angle: Any) -> Value:
    return math.sin(angle) if isinstance(angle, float) else np.sin(angle)


def _value(value: ArrayLike, what: str) -> Value:
    """A finite float, or a read-only finite array."""
    array = real_array(value, what)
    if array.ndim == 0:
        return finite_float(array, what)
    if not np.isfinite(array).all():
        raise ModelError(f"{what} is {array.tolist()}, must be finite")
    return read_only(array)


def _same(kind: str, **values: ArrayLike) -> list[Value]:
    """Values of one shape; numbers go with any."""
    checked = {name: _value(value, f"{kind}: {name}") for name, value in values.items()}
    shapes = {name: np.shape(value) for name, value in checked.items() if np.ndim(value)}
    if len(set(shapes.values())) > 1:
        raise ModelError(f"{kind}: {' and '.join(f'{n} of shape {s}' for n, s in shapes.items())} do not go together")
    return list(checked.values())


def _table(kind: str, times: ArrayLike, values: ArrayLike, least: int) -> tuple[list[float], Any]:
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


def _check_pair(law: _Pair) -> None:
    """Two laws whose values go together."""
    kind = type(law).__name__
    for name, part in (("a", law.a), ("b", law.b)):
        if not isinstance(part, Law):
            raise ModelError(f"{kind}: {name} is {shown(part)}, must be a law")
    shapes = np.shape(law.a(0.0)), np.shape(law.b(0.0))
    if () not in shapes and shapes[0] != shapes[1]:
        raise ModelError(f"{kind}: values of shape {shapes[0]} and {shapes[1]} do not go together")
