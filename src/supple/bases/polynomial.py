"""Polynomial bases over the whole rod. An order n gives the n + 1 functions of degree 0 to n."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, final

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.polynomial.legendre import legvander

from supple.bases.protocol import MOST_FUNCTIONS, Family, Functions
from supple.checks import Array, whole_number


@lru_cache(maxsize=256)
def _at_stations(vander: Callable[[Any, int], Any], order: int, stations: bytes) -> Array:
    """Values at stations s (M,), given as bytes: designs and components of one order ask for the same again."""
    return np.asarray(vander(2.0 * np.frombuffer(stations) - 1.0, order), dtype=np.float64)


def _values(vander: Callable[[Any, int], Any], order: int, s: float | Array) -> Array:
    """Values at s, (order + 1,), or at stations, (M, order + 1)."""
    if isinstance(s, np.ndarray) and s.ndim == 1 and s.dtype == np.float64:
        return _at_stations(vander, order, s.tobytes()).copy()
    return np.asarray(vander(2.0 * s - 1.0, order), dtype=np.float64).reshape(*np.shape(s), order + 1)


@final
class Legendre(Family[int]):
    """Legendre polynomials P_k(2 s - 1), k = 0..order, not normalised: P_k(1) = 1.

    Orthogonal on the rod, hence a well-conditioned stiffness: the default choice.

    Examples
    --------
    >>> Legendre(bend_y=2).values(1.0)
    array([1., 1., 1.])
    """

    def functions(self, order: int) -> Functions:
        """P_0 to P_order."""
        n = whole_number(order, "order", maximum=MOST_FUNCTIONS)

        def evaluate(s: float | Array) -> Array:
            return _values(legvander, n, s)

        return Functions(n + 1, evaluate, min_points=n + 1, broadcasts=True)


@final
class Chebyshev(Family[int]):
    """Chebyshev polynomials of the first kind T_k(2 s - 1), k = 0..order."""

    def functions(self, order: int) -> Functions:
        """T_0 to T_order."""
        n = whole_number(order, "order", maximum=MOST_FUNCTIONS)

        def evaluate(s: float | Array) -> Array:
            return _values(chebvander, n, s)

        return Functions(n + 1, evaluate, min_points=n + 1, broadcasts=True)


@final
class Monomial(Family[int]):
    """Powers s^k, k = 0..order. Readable coordinates, but badly conditioned above order 5 or so."""

    def functions(self, order: int) -> Functions:
        """1 to s^order."""
        n = whole_number(order, "order", maximum=MOST_FUNCTIONS)

        def evaluate(s: float | Array) -> Array:
            return np.power(np.asarray(s, dtype=np.float64)[..., None], np.arange(n + 1, dtype=np.float64))

        return Functions(n + 1, evaluate, min_points=n + 1, broadcasts=True)
