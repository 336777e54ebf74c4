"""Laws given by a formula: ramps, sines, polynomials."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.checks import finite_float, read_only, shown
from supple.errors import ModelError
from supple.laws.law import Law
from supple.laws.values import Value, checked_value, plain, same_shapes, set_fields, sine

#: Highest frequency of a sine [Hz], and what its acceleration must stay below: far from what float64 can hold.
FASTEST, LARGEST = 1e100, 1e300


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
        start, end = same_shapes("Ramp", start=self.start, end=self.end)
        t0, t1 = finite_float(self.t0, "Ramp: t0"), finite_float(self.t1, "Ramp: t1")
        if t1 <= t0:
            raise ModelError(f"Ramp: t1 is {t1:g} s, must be later than t0 = {t0:g} s")
        set_fields(self, start=start, end=end, t0=t0, t1=t1)

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
        amplitude, phase, offset = same_shapes("Sine", amplitude=self.amplitude, phase=self.phase, offset=self.offset)
        frequency = finite_float(self.frequency, "Sine: frequency")
        if not np.all(np.abs(amplitude) * (2.0 * math.pi * min(abs(frequency), FASTEST)) ** 2 < LARGEST):
            raise ModelError(f"Sine: amplitude {shown(self.amplitude)} at {frequency:g} Hz: its acceleration overflows")
        if abs(frequency) > FASTEST:
            raise ModelError(f"Sine: frequency is {frequency:g} Hz, must be at most {FASTEST:g} Hz")
        shapes = [np.shape(x) for x in (phase, offset) if np.ndim(x)]
        if shapes and np.ndim(amplitude) == 0:  # rates must have the shape of values
            amplitude = read_only(np.full(shapes[0], amplitude))
        set_fields(self, frequency=frequency)
        set_fields(self, amplitude=amplitude, phase=phase, offset=offset)

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        return self.offset + self.amplitude * sine(self._angle(t))

    def rate(self, t: float) -> Value:
        """First derivative."""
        return self.amplitude * (2.0 * math.pi * self.frequency) * sine(self._angle(t) + 0.5 * math.pi)

    def acceleration(self, t: float) -> Value:
        """Second derivative."""
        return self.amplitude * -((2.0 * math.pi * self.frequency) ** 2) * sine(self._angle(t))

    def _angle(self, t: float) -> Value:
        return 2.0 * math.pi * self.frequency * t + self.phase


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
        c = checked_value(self.coefficients, "Polynomial: coefficients")
        if np.ndim(c) == 0 or len(c) == 0:
            raise ModelError(
                f"Polynomial: coefficients is {shown(self.coefficients)}, must be a list, lowest power first"
            )
        t0 = finite_float(self.t0, "Polynomial: t0")
        t1 = None if self.t1 is None else finite_float(self.t1, "Polynomial: t1")
        if t1 is not None and t1 <= t0:
            raise ModelError(f"Polynomial: t1 is {t1:g} s, must be later than t0 = {t0:g} s")
        set_fields(self, coefficients=c, t0=t0, t1=t1)

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        return self._derivative(t if self.t1 is None else min(max(t, self.t0), self.t1), 0)

    def rate(self, t: float) -> Value:
        """First derivative; zero where values are held."""
        return self._derivative(t, 1) if self._moves(t) else plain(0.0 * self.coefficients[0])

    def acceleration(self, t: float) -> Value:
        """Second derivative; zero where values are held."""
        return self._derivative(t, 2) if self._moves(t) else plain(0.0 * self.coefficients[0])

    @property
    def breaks(self) -> tuple[float, ...]:
        """Begin and end, if it has an end."""
        return () if self.t1 is None else (self.t0, self.t1)

    def _moves(self, t: float) -> bool:
        return self.t1 is None or self.t0 <= t < self.t1

    def _derivative(self, t: float, order: int) -> Value:
        coefficients = self.coefficients
        if coefficients.ndim == 1:
            coefficients = coefficients.tolist()  # sums of plain floats are much faster than of NumPy's
        x, total = t - self.t0, 0.0 * coefficients[0]
        for i in range(len(coefficients) - 1, order - 1, -1):
            total = total * x + math.perm(i, order) * coefficients[i]
        return plain(total)
