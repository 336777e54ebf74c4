"""Hairer's pair of order 8."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from supple.solvers.integrators.explicit import Pair
from supple.solvers.integrators.rk45 import RK45


@dataclass(frozen=True)
class DOP853(RK45, name="dop853"):
    """Hairer's explicit pair of order 8 (5, 3), on accelerations: for tight tolerances. Options as for `RK45`."""

    def pair(self) -> Pair:
        """SciPy's tableau, with its two estimates of the error."""
        from scipy import integrate  # type: ignore[import-untyped]

        known: Any = integrate.DOP853
        A, c = known.A[: known.n_stages, : known.n_stages], known.C[: known.n_stages]
        return Pair(A, known.B, c, [known.E5, known.E3], known.error_estimator_order)
