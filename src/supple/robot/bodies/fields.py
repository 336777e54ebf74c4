"""Functions along a rod (basis, rest strain), evaluable after compile without the user's callables.

Built-in bases are kept as they are: they are exact and picklable.  A user's function (custom basis, rest strain) is
replaced by Chebyshev interpolants, one per Magnus step, refined until they match the function to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from supple.errors import warn

#: Degrees tried for an interpolant, and the error (relative to the function's size) at which to stop.
DEGREES = (15, 31, 63)
ACCURACY = 1e-12

#: Where an interpolant is compared with its function, in [-1, 1].
CHECKED = np.linspace(-0.97, 0.93, 7)


@lru_cache(maxsize=len(DEGREES))
def _interpolation(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Chebyshev points (degree + 1,) and the matrix that turns values there into coefficients.

    T_k are orthogonal over these points: c_k = 2 / (degree + 1) sum_j T_k(x_j) f(x_j), half of it for k = 0.
    """
    x = np.polynomial.chebyshev.chebpts1(degree + 1)
    matrix = np.polynomial.chebyshev.chebvander(x, degree).T * (2.0 / (degree + 1))
    matrix[0] *= 0.5
    return x, matrix


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
        pieces = zip(self.knots[:-1].tolist(), self.knots[1:].tolist(), strict=True)
        fits = [self._fit(function, a, b) for a, b in pieces]
        self.coefficients = [coefficients for coefficients, _ in fits]
        errors = np.array([error for _, error in fits])
        if errors.any():
            worst, others = int(errors.argmax()), int(np.count_nonzero(errors)) - 1
            warn(
                f"{what}: not smooth between s = {self.knots[worst]:.3f} and s = {self.knots[worst + 1]:.3f} "
                f"(interpolation error {errors[worst]:.1e}){f', and in {others} more places' if others else ''}; "
                "poses between points use the interpolant. Put extra_points at the kinks."
            )

    @staticmethod
    def _fit(function: Callable[[float], np.ndarray], a: float, b: float) -> tuple[np.ndarray, float]:
        """Coefficients of one piece, and how far they miss the function; 0 if by no more than `ACCURACY`."""
        exact = np.array([function(a + 0.5 * (b - a) * (x + 1.0)) for x in CHECKED])
        for degree in DEGREES:
            x, matrix = _interpolation(degree)
            values = np.array([function(a + 0.5 * (b - a) * (y + 1.0)) for y in x.tolist()])
            coefficients = matrix @ values
            error = np.abs(np.polynomial.chebyshev.chebval(CHECKED, coefficients).T - exact).max(initial=0.0)
            if error <= ACCURACY * max(1.0, np.abs(values).max(initial=0.0)):
                return coefficients, 0.0
        return coefficients, float(error)

    def __call__(self, s: float | np.ndarray) -> np.ndarray:
        """Value at s, (m,); at stations s (M,), (M, m)."""
        stations = np.atleast_1d(np.asarray(s, dtype=float))
        piece = np.clip(np.searchsorted(self.knots, stations, side="right") - 1, 0, len(self.coefficients) - 1)
        values = np.empty((len(stations), self.coefficients[0].shape[1]))
        for i in np.unique(piece).tolist():
            a, b = self.knots[i], self.knots[i + 1]
            x = 2.0 * (stations[piece == i] - a) / (b - a) - 1.0
            values[piece == i] = np.polynomial.chebyshev.chebval(x, self.coefficients[i]).T
        return values[0] if np.ndim(s) == 0 else values


class ConstantField:
    """A function of s that does not vary."""

    def __init__(self, value: np.ndarray) -> None:
        self.value = np.asarray(value, dtype=float)

    def __call__(self, s: float | np.ndarray) -> np.ndarray:
        """The value, (m,); at stations s (M,), (M, m)."""
        return self.value if np.ndim(s) == 0 else np.tile(self.value, (len(np.asarray(s)), 1))
