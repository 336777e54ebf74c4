"""Bases given by the user's own functions: measured modes, splines, anything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

from numpy.typing import ArrayLike

from supple.bases.protocol import MOST_FUNCTIONS, Family, Functions
from supple.checks import Array, ask, finite_array, real_array, real_vector, shown
from supple.errors import ModelError


@final
@dataclass(frozen=True, repr=False)
class CustomBasis(Family[Callable[[float], ArrayLike]]):
    """Any functions: per component a callable of s in [0, 1] that returns the values of all its functions.

    Parameters
    ----------
    order, torsion, bend_y, bend_z, stretch, shear_y, shear_z : callable, optional
        In place of an order, a function s -> (n,) values; n is found by calling it. Scale values to O(1).
    pieces : sequence of float
        Points in (0, 1) where a function is not smooth; quadrature nodes are aligned to them.

    Notes
    -----
    As many Gauss nodes are required as there are functions; whether the functions are linearly independent
    at these nodes is up to the user.

    Examples
    --------
    >>> mode = CustomBasis(bend_y=lambda s: [s, s**2])
    >>> mode.labels
    ['bend_y_0', 'bend_y_1']
    """

    pieces: tuple[float, ...] = field(default=(), kw_only=True)

    def functions(self, order: Callable[[float], ArrayLike]) -> Functions:
        """The user's functions, called at s = 0, 0.5 and 1 to check them."""
        if not callable(order):
            raise ModelError(f"{shown(order)} must be a function of s that returns the values of the basis")
        count = real_array(ask(order, (0.5,), "the function at s = 0.50", ModelError), "value at s = 0.50").size
        if count == 0:
            raise ModelError("the function returns no values: it needs at least one")
        if count > MOST_FUNCTIONS:
            raise ModelError(f"the function returns {count} values, must return at most {MOST_FUNCTIONS}")

        def evaluate(s: float) -> Array:
            # A count that changes with s shows up here as a wrong shape.
            value = ask(order, (s,), f"the function at s = {s:.2f}", ModelError)
            return finite_array(value, (count,), f"value at s = {s:.2f}")

        for s in (0.0, 0.5, 1.0):
            evaluate(s)
        breaks = tuple(sorted(real_vector(self.pieces, "pieces", MOST_FUNCTIONS)))
        if breaks and not (breaks[0] > 0.0 and breaks[-1] < 1.0):
            raise ModelError(f"pieces are cut at {breaks}, must lie inside (0, 1)")
        return Functions(count, evaluate, -(-count // (len(breaks) + 1)), breaks)
