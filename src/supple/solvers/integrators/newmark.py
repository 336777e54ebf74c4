"""Newmark's scheme: generalised-alpha without alphas."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from supple.errors import ModelError, warn
from supple.solvers.integrators.generalized_alpha import AlphaScheme
from supple.solvers.integrators.implicit import check_adaptive
from supple.solvers.integrators.option_checks import positive


@dataclass(frozen=True)
class Newmark(AlphaScheme, name="newmark"):
    """Newmark's scheme; (1/4, 1/2) conserves energy nearly and damps nothing.

    Parameters
    ----------
    beta, gamma : float
    dt : float, optional
        Fixed step, s; omitted, the step adapts to ``rtol`` and ``atol``.
    loops : "stabilised" or "index3"
    newton_rtol, newton_atol : float
        As for `GeneralizedAlpha`.
    """

    beta: float = 0.25
    gamma: float = 0.5
    dt: float | None = None
    rtol: float = 1e-4
    atol: ArrayLike = 1e-6
    max_step: float | None = None
    first_step: float | None = None
    loops: str = "stabilised"
    newton_rtol: float = 1e-10
    newton_atol: float = 1e-11

    def __post_init__(self) -> None:
        positive(self, "beta")
        if positive(self, "gamma") < 0.5:
            raise ModelError(f"Newmark: gamma is {self.gamma:g}; below 1/2 the scheme is unstable")
        if self.beta < 0.25 * (self.gamma + 0.5) * (self.gamma + 0.5) - 1e-12:  # infinite, where a power would raise
            warn(f"Newmark: beta = {self.beta:g} is below (gamma + 1/2)^2 / 4: stable for small steps only")
        check_adaptive(self)
        if self.loops == "index3" and self.gamma == 0.5:
            warn(
                "Newmark with gamma = 1/2 and loops in index 3: multipliers of rigid loops grow without bound; "
                'use loops="stabilised", GeneralizedAlpha, or gamma > 1/2'
            )

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        return 0.0, 0.0, self.beta, self.gamma
