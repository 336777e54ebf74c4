"""Dormand and Prince's pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.solvers.integrators.explicit import Explicit, Pair


@dataclass(frozen=True)
class RK45(Explicit, name="rk45"):
    """Dormand and Prince's explicit pair of order 5 (4), on accelerations: for robots that are not stiff.

    ``baumgarte`` [s] pulls loops that drift back, with this time constant; 0 lets them drift.
    """

    def pair(self) -> Pair:
        """SciPy's tableau."""
        from scipy import integrate  # type: ignore[import-untyped]

        known: Any = integrate.RK45
        A = np.pad(known.A, ((0, 0), (0, 1)))  # SciPy leaves the last column out, which is zero
        return Pair(A, known.B, known.C, [known.E], known.error_estimator_order)
