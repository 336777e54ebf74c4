"""Functions along rods as tables: what a Python function of s (or of X) is in a file.

A file holds the values that a model of the robot asked for, so that compiling the robot of the file gives the same
numbers to the bit; in between, cubic polynomials through the four nearest samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, real_array, shown
from supple.errors import ModelError
from supple.rest import Curve


@dataclass(frozen=True, eq=False)
class Samples:
    """A function of one number, given by ``values`` (M, ...) ``at`` increasing places (M,).

    Examples
    --------
    >>> radius = Samples([0.0, 0.5, 1.0], [0.02, 0.018, 0.01])
    >>> radius(0.5), round(radius(0.25), 6)
    (0.018, 0.01975)
    """

    at: ArrayLike
    values: ArrayLike

    def __post_init__(self) -> None:
        at, values = real_array(self.at, "Samples: at"), real_array(self.values, "Samples: values")
        if at.ndim != 1 or len(at) == 0 or values.shape[:1] != at.shape:
            raise ModelError(f"Samples: {shown(at.shape)} places and values of shape {values.shape} do not go together")
        if not np.all(np.diff(at) > 0.0):
            raise ModelError("Samples: at must increase")
        object.__setattr__(self, "at", finite_array(at, at.shape, "Samples: at"))
        object.__setattr__(self, "values", finite_array(values, values.shape, "Samples: values"))

    @cached_property
    def _rows(self) -> dict[float, int]:
        return {x: i for i, x in enumerate(np.asarray(self.at).tolist())}

    def __call__(self, x: float) -> Any:
        """Value at x: a float, or an array like one of the values."""
        values, row = np.asarray(self.values), self._rows.get(float(x))
        found = self._between(float(x)) if row is None else values[row]
        return float(found) if values.ndim == 1 else found.copy()

    def _between(self, x: float) -> Array:
        """The polynomial through the nearest samples, by Lagrange's formula."""
        at, values = np.asarray(self.at), np.asarray(self.values)
        count = min(4, len(at))
        first = int(np.clip(np.searchsorted(at, x) - count // 2, 0, len(at) - count))
        near = at[first : first + count]
        weights = [np.prod([(x - b) / (a - b) for b in near if b != a]) for a in near]
        return np.asarray(np.tensordot(weights, values[first : first + count], 1))


@dataclass(frozen=True, eq=False)
class PointSamples:
    """A function of a material point, given by ``values`` (M,), numbers or truth values, ``at`` points (M, 3).

    Elsewhere it is what it is at the nearest of them.

    Examples
    --------
    >>> density = PointSamples([(0.0, 0.0, 0.0), (0.1, 0.0, 0.0)], [1000.0, 900.0])
    >>> density(np.array([0.09, 0.0, 0.0]))
    900.0
    """

    at: ArrayLike
    values: ArrayLike

    def __post_init__(self) -> None:
        at = real_array(self.at, "PointSamples: at")
        object.__setattr__(self, "at", finite_array(at, (len(at) if at.ndim else 1, 3), "PointSamples: at"))
        given = np.asarray(self.values)
        if given.dtype != bool:
            given = finite_array(real_array(self.values, "PointSamples: values"), (len(at),), "PointSamples: values")
        if given.shape != (len(at),) or not len(at):
            raise ModelError(f"PointSamples: {len(at)} points and values of shape {given.shape} do not go together")
        object.__setattr__(self, "values", given)

    def __call__(self, x: Array) -> Any:
        """Value at the point nearest to x (3,)."""
        away = np.asarray(self.at) - np.asarray(x, dtype=float)
        return np.asarray(self.values)[int(np.argmin(np.einsum("ij,ij->i", away, away)))].item()


class Recorder:
    """A function of a number, or of a material point, that remembers what it was asked and what it answered."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function
        self.answers: dict[Any, Any] = {}

    def __call__(self, x: Any) -> Any:
        """As the function answers."""
        answer = self.function(x)
        self.answers[tuple(map(float, x)) if np.ndim(x) else float(x)] = answer
        return answer

    def samples(self) -> Samples | PointSamples:
        """All that was answered."""
        if any(isinstance(x, tuple) for x in self.answers):
            return PointSamples(list(self.answers), list(self.answers.values()))
        return _table(self.answers)


class RecordedCurve(Curve):
    """A rest curve that remembers; it is asked for many stations at once."""

    def __init__(self, curve: Curve) -> None:
        self.curve, self.length, self.base = curve, curve.length, curve.base
        self.answers: dict[float, Any] = {}

    def __call__(self, s: float | Array) -> Array:
        """Strain at station s, (6,); at stations (M,), (M, 6)."""
        answer = self.curve(s)
        rows = answer if np.ndim(s) else [answer]
        self.answers.update(zip(np.atleast_1d(s).tolist(), rows, strict=True))
        return answer

    def samples(self) -> Samples:
        """All that was answered."""
        return _table(self.answers)


def _table(answers: dict[float, Any]) -> Samples:
    places = sorted(answers)
    return Samples(np.array(places), np.array([np.asarray(answers[x], dtype=float) for x in places]))
