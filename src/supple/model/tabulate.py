"""Functions along a rod (basis, rest strain), evaluable after compile without the user's callables.

Built-in bases are kept as they are: they are exact and picklable.  A user's function (custom basis, rest strain) is
replaced by Chebyshev interpolants, one per Magnus step, refined until they match the function to rounding.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from supple.errors import ModelWarning

#: Degrees tried for an interpolant, and the error (relative to the function's size) at which to stop.
DEGREES = (15, 31, 63)
ACCURACY = 1e-12


class ChebyshevTable:
    """Piecewise Chebyshev interpolant of a vector-valued function of s on [0, 1].

    Parameters
    ----------
    function : callable
        s -> (m,) array.
    knots : ndarray, shape (P,)
        Ends of the pieces, ascending, from 0 to 1.
    what : str
        Name for the warning that the function is not smooth between the knots.
    """

    def __init__(self, function: Callable[[float], np.ndarray], knots: np.ndarray, what: str) -> None:
        self.knots = np.asarray(knots, dtype=float)
        self.coefficients = [
            self._fit(function, a, b, what) for a, b in zip(self.knots[:-1], self.knots[1:], strict=True)
        ]

    @staticmethod
    def _fit(function: Callable[[float], np.ndarray], a: float, b: float, what: str) -> np.ndarray:
        chebyshev = np.polynomial.chebyshev
        probes = np.linspace(-0.97, 0.93, 7)
        exact = np.array([function(a + 0.5 * (b - a) * (x + 1.0)) for x in probes])
        for degree in DEGREES:
            x = chebyshev.chebpts1(degree + 1)
            values = np.array([function(a + 0.5 * (b - a) * (y + 1.0)) for y in x])
            coefficients = chebyshev.chebfit(x, values, degree)
            error = np.abs(chebyshev.chebval(probes, coefficients).T - exact).max(initial=0.0)
            if error <= ACCURACY * max(1.0, np.abs(values).max(initial=0.0)):
                return coefficients
        warnings.warn(
            f"{what}: not smooth between s = {a:.3f} and s = {b:.3f} (interpolation error {error:.1e}); poses between "
            "points use the interpolant. Put extra_points at the kinks.",
            ModelWarning,
            stacklevel=4,
        )
        return coefficients

    def __call__(self, s: float) -> np.ndarray:
        """Value at s."""
        i = int(np.clip(np.searchsorted(self.knots, s, side="right") - 1, 0, len(self.coefficients) - 1))
        a, b = self.knots[i], self.knots[i + 1]
        return np.asarray(np.polynomial.chebyshev.chebval(2.0 * (s - a) / (b - a) - 1.0, self.coefficients[i]))


class ConstantField:
    """A function of s that does not vary."""

    def __init__(self, value: np.ndarray) -> None:
        self.value = np.asarray(value, dtype=float)

    def __call__(self, s: float) -> np.ndarray:
        """The value."""
        return self.value
