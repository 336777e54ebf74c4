"""Radial bases: smooth bumps around equispaced centres."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import final

import numpy as np

from supple.bases.protocol import MOST_FUNCTIONS, Family, Functions
from supple.checks import Array, positive_float, whole_number


@final
@dataclass(frozen=True, repr=False)
class Gaussian(Family[int]):
    """Gaussians exp(-(s - c_k)^2 / (2 width^2)) centred at c_k = k / n, k = 0..n: n + 1 functions.

    Parameters
    ----------
    width : float, optional
        Standard deviation as a fraction of the rod's length. Default: the distance 1 / n of the centres;
        much wider ones become linearly dependent to rounding.
    """

    width: float | None = field(default=None, kw_only=True)

    def functions(self, order: int) -> Functions:
        """One bump per centre."""
        n = whole_number(order, "number of elements", minimum=1, maximum=MOST_FUNCTIONS)
        width = 1.0 / n if self.width is None else positive_float(self.width, "width")
        centres = np.arange(n + 1) / n

        def evaluate(s: float | Array) -> Array:
            return np.asarray(np.exp(-0.5 * ((np.asarray(s)[..., None] - centres) / width) ** 2))

        return Functions(n + 1, evaluate, min_points=n + 1, broadcasts=True)
