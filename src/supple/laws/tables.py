"""Laws given by values at times: held, joined by splines, or by straight lines."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from supple.checks import choice, flag, read_only
from supple.errors import ModelError
from supple.laws.law import Law
from supple.laws.values import Value, checked_table, plain, set_fields


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
        times, values = checked_table("Steps", self.times, self.values, 1)
        set_fields(self, times=times, values=values)

    def __call__(self, t: float) -> Value:
        """Value at time t [s]."""
        return plain(self.values[max(bisect_right(self.times, t) - 1, 0)])

    def rate(self, t: float) -> Value:
        """Zero."""
        return plain(0.0 * self.values[0])

    def acceleration(self, t: float) -> Value:
        """Zero."""
        return plain(0.0 * self.values[0])

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
        times, values = checked_table("Spline", self.times, self.values, 2)
        choice(self.ends, ("not-a-knot", "natural", "clamped"), "Spline: ends")
        set_fields(self, times=times, values=values)

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
            return plain(self.values[0])
        if t >= self.times[-1]:
            return plain(self.values[-1])
        x, (a, b, c, d) = self._piece(t)
        return plain(d + x * (c + x * (b + x * a)))

    def rate(self, t: float) -> Value:
        """First derivative; zero outside."""
        if not self.times[0] <= t < self.times[-1]:
            return plain(0.0 * self.values[0])
        x, (a, b, c, _) = self._piece(t)
        return plain(c + x * (2.0 * b + x * (3.0 * a)))

    def acceleration(self, t: float) -> Value:
        """Second derivative; zero outside."""
        if not self.times[0] <= t < self.times[-1]:
            return plain(0.0 * self.values[0])
        x, (a, b, _, _) = self._piece(t)
        return plain(2.0 * b + x * (6.0 * a))

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
        times, values = checked_table("Table", self.times, self.values, 1)
        lengths = np.diff(times).reshape(-1, *[1] * (values.ndim - 1))
        set_fields(
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
            return plain(self.values[max(i, 0)])
        return plain(self.values[i] + (t - self.times[i]) * self.slopes[i])

    def rate(self, t: float) -> Value:
        """Slope; zero outside, and everywhere if values are held."""
        if self.hold or not self._inside(t):
            return plain(0.0 * self.values[0])
        return plain(self.slopes[bisect_right(self.times, t) - 1])

    def acceleration(self, t: float) -> Value:
        """Zero."""
        return plain(0.0 * self.values[0])

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
