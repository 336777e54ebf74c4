"""Fourier series over the whole rod."""

from __future__ import annotations

from typing import final

import numpy as np

from supple.bases.protocol import MOST_FUNCTIONS, Family, Functions
from supple.checks import Array, whole_number


@final
class Fourier(Family[int]):
    """Trigonometric series with n harmonics: 1, cos 2 pi s, sin 2 pi s, ..., cos 2 pi n s, sin 2 pi n s.

    2 n + 1 functions, equal at base and tip: made for travelling waves, not for a cantilever.

    Examples
    --------
    >>> Fourier(bend_z=1).values(0.25).round(12) + 0.0
    array([1., 0., 1.])
    """

    def functions(self, order: int) -> Functions:
        """The constant and ``order`` pairs of cosine and sine."""
        n = whole_number(order, "number of harmonics", maximum=MOST_FUNCTIONS // 2)

        def evaluate(s: float | Array) -> Array:
            angles = (2.0 * np.pi * np.asarray(s, dtype=np.float64))[..., None] * np.arange(1, n + 1)
            values = np.ones((*np.shape(s), 2 * n + 1))
            values[..., 1::2], values[..., 2::2] = np.cos(angles), np.sin(angles)
            return values

        return Functions(2 * n + 1, evaluate, min_points=2 * n + 1, broadcasts=True)
