"""Generalised-alpha (Chung and Hulbert; for constraints Arnold and Bruels)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from numpy.typing import ArrayLike

from supple.checks import finite_float
from supple.errors import ModelError
from supple.solvers.integrators.formula import Formula, Known, Stage
from supple.solvers.integrators.implicit import Implicit, check_adaptive
from supple.solvers.integrators.option_checks import keep

#: Least error constant: schemes without an error of third order still have one.
LEAST_ERROR = 1.0 / 12.0


def alpha_formula(am: float, af: float, beta: float, gamma: float) -> Formula:
    """A step with the auxiliary acceleration A, delayed against a:

        q+ = q + h v + h^2 ((1/2 - beta) A + beta A+) + P mu,     v+ = v + h ((1 - gamma) A + gamma A+)
        (1 - alpha_m) A+ + alpha_m A = (1 - alpha_f) a+ + alpha_f a.

    A+ is told by a+, not by q+, which holds the correction P mu of loops.  Newton's method begins with an unchanged
    acceleration.  Internal states follow the trapezoidal rule.
    """
    known = Known()
    new, now, A = known.new, known.now, known.lagged
    next_A = (new.q - now.q - now.v - (0.5 - beta) * A) / beta
    v = now.v + (1.0 - gamma) * A + gamma * next_A
    a = ((1.0 - am) * next_A + am * A - af * now.a) / (1.0 - af)
    guess = now.q + now.v + (0.5 - beta) * A + beta * (now.a - am * A) / (1.0 - am)
    z = 2.0 * (new.q - now.q) - now.v
    stage = Stage(v, a, guess, z, guess_z=now.q + now.v)
    return Formula([stage], lagged=((1.0 - af) * new.a + af * now.a - am * A) / (1.0 - am), lag=am - af)


def alpha_error(am: float, af: float, beta: float) -> float:
    """C = beta + (alpha_m - alpha_f)/2 - 1/6 of the error C h^3 y'''."""
    return max(abs(beta + 0.5 * (am - af) - 1.0 / 6.0), LEAST_ERROR)


class AlphaScheme(Implicit):
    """A scheme of this family: its options say what alpha_m, alpha_f, beta and gamma are."""

    order = 2
    starter = True

    @property
    @abstractmethod
    def coefficients(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""

    def formula(self, past: tuple[float, ...]) -> Formula:
        """See `alpha_formula`."""
        return alpha_formula(*self.coefficients)

    @property
    def error_constant(self) -> float:
        """See `alpha_error`."""
        return alpha_error(*self.coefficients[:3])


@dataclass(frozen=True)
class GeneralizedAlpha(AlphaScheme, name="generalized-alpha"):
    """Generalised-alpha of second order with high-frequency damping: the default with loops.

    Parameters
    ----------
    rho_inf : float
        What is left of the highest frequencies after a step, 0 to 1.
    dt : float, optional
        Fixed step, s; omitted, the step adapts to ``rtol`` and ``atol``.
    loops : "stabilised" or "index3"
    newton_rtol, newton_atol : float
        How well fixed steps are solved: v to this part of itself and this size (per s), q to what that moves in a step.
    """

    rho_inf: float = 0.8
    dt: float | None = None
    rtol: float = 1e-4
    atol: ArrayLike = 1e-6
    max_step: float | None = None
    first_step: float | None = None
    loops: str = "stabilised"
    newton_rtol: float = 1e-10
    newton_atol: float = 1e-11

    def __post_init__(self) -> None:
        keep(self, "rho_inf", finite_float(self.rho_inf, "GeneralizedAlpha: rho_inf"))
        if not 0.0 <= self.rho_inf <= 1.0:
            raise ModelError(f"GeneralizedAlpha: rho_inf is {self.rho_inf:g}, must lie between 0 and 1")
        check_adaptive(self)

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        rho = self.rho_inf
        am, af = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        return am, af, 0.25 * (1.0 - am + af) ** 2, 0.5 - am + af
