"""How to integrate: what users pass as ``method`` to `Model.simulate`."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import choice, finite_float, nonnegative_float, positive_float, real_array, shown, whole_number
from supple.errors import ModelError, ModelWarning

__all__ = ["BDF2", "DOP853", "NDF", "RK45", "GeneralizedAlpha", "ImplicitEuler", "Method", "Newmark"]

#: How loops are held: position and velocity ("stabilised"), position alone ("index3"), acceleration ("index1").
LOOPS = ("stabilised", "index3")
#: Where tangents come from.
JACOBIANS = ("analytical", "differences")


class Method:
    """What all methods share."""


def _tolerances(method: Any) -> None:
    kind = type(method).__name__
    rtol = _positive(method, "rtol")
    if not 1e-13 <= rtol < 1.0:
        raise ModelError(f"{kind}: rtol is {rtol:g}, must be at least 1e-13 and below 1")
    atol = real_array(method.atol, f"{kind}: atol")
    if atol.ndim > 1 or not (np.isfinite(atol).all() and (atol > 0.0).all()):
        raise ModelError(f"{kind}: atol is {shown(method.atol)}, must be positive, a number or one per coordinate")
    _keep(method, "atol", tuple(atol.tolist()) if atol.ndim else float(atol))
    for name in ("max_step", "first_step"):
        if getattr(method, name) is not None:
            _positive(method, name)


def _loops(method: Any) -> None:
    choice(method.loops, LOOPS, f"{type(method).__name__}: loops")


def _keep(method: Any, name: str, value: Any) -> None:
    """Put the checked value in the place of the one given."""
    object.__setattr__(method, name, value)


def _positive(method: Any, name: str) -> float:
    """Check and keep a positive number."""
    _keep(method, name, positive_float(getattr(method, name), f"{type(method).__name__}: {name}"))
    return float(getattr(method, name))


@dataclass(frozen=True)
class NDF(Method):
    """Numerical differentiation formulas of variable step and order 1 to 5: the default without loops.

    Parameters
    ----------
    rtol, atol : float
        The error of a step in q and v is kept below atol + rtol |y|; ``atol`` may be (n,), for q and v alike, or
        (2 n,).
    max_step, first_step : float, optional
        In seconds.
    loops : "stabilised" or "index3"
        Whether loops hold in position and velocity, or in position alone.
    max_order : int
        1 to 5.  Orders above 2 let fast oscillations that nothing damps grow until steps become short; for such
        robots take 2.
    jacobian : "analytical" or "differences"
        Where the tangent of the residual comes from: the model, or as many differences of the residual as there are
        coordinates.  Differences are for comparison, and for finding a law whose tangent is wrong.
    """

    rtol: float = 1e-3
    atol: ArrayLike = 1e-6
    max_step: float | None = None
    first_step: float | None = None
    loops: str = "stabilised"
    max_order: int = 5
    jacobian: str = "analytical"

    def __post_init__(self) -> None:
        _tolerances(self)
        _loops(self)
        choice(self.jacobian, JACOBIANS, "NDF: jacobian")
        _keep(self, "max_order", whole_number(self.max_order, "NDF: max_order", 1, 5))


@dataclass(frozen=True)
class GeneralizedAlpha(Method):
    """Generalised-alpha of second order with high-frequency damping: the default with loops.

    Parameters
    ----------
    rho_inf : float
        What is left of the highest frequencies after a step, 0 to 1.
    dt : float, optional
        Fixed step, s; left out, the step adapts to ``rtol`` and ``atol``.
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
        _keep(self, "rho_inf", finite_float(self.rho_inf, "GeneralizedAlpha: rho_inf"))
        if not 0.0 <= self.rho_inf <= 1.0:
            raise ModelError(f"GeneralizedAlpha: rho_inf is {self.rho_inf:g}, must lie between 0 and 1")
        _step(self)
        _tolerances(self)
        _loops(self)

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        rho = self.rho_inf
        am, af = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        return am, af, 0.25 * (1.0 - am + af) ** 2, 0.5 - am + af


@dataclass(frozen=True)
class Newmark(Method):
    """Newmark's scheme; (1/4, 1/2) conserves energy nearly and damps nothing.

    Parameters
    ----------
    beta, gamma : float
    dt : float, optional
        Fixed step, s; left out, the step adapts to ``rtol`` and ``atol``.
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
        _positive(self, "beta")
        if _positive(self, "gamma") < 0.5:
            raise ModelError(f"Newmark: gamma is {self.gamma:g}; below 1/2 the scheme is unstable")
        if self.beta < 0.25 * (self.gamma + 0.5) ** 2 - 1e-12:
            warnings.warn(
                f"Newmark: beta = {self.beta:g} is below (gamma + 1/2)^2 / 4: stable for small steps only",
                ModelWarning,
                stacklevel=3,
            )
        _step(self)
        _tolerances(self)
        _loops(self)
        if self.loops == "index3" and self.gamma == 0.5:
            warnings.warn(
                "Newmark with gamma = 1/2 and loops in index 3: multipliers of rigid loops grow without bound; "
                'use loops="stabilised", GeneralizedAlpha, or gamma > 1/2',
                ModelWarning,
                stacklevel=3,
            )

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        """alpha_m, alpha_f, beta, gamma."""
        return 0.0, 0.0, self.beta, self.gamma


@dataclass(frozen=True)
class _Backward(Method):
    """What backward formulas of fixed step share."""

    dt: float
    loops: str = "stabilised"
    newton_rtol: float = 1e-10
    newton_atol: float = 1e-11

    def __post_init__(self) -> None:
        _step(self)
        _loops(self)


@dataclass(frozen=True)
class ImplicitEuler(_Backward):
    """Backward Euler of fixed step: first order, damps everything fast; for settling down.

    Parameters
    ----------
    dt : float
        Step, s.
    loops, newton_rtol, newton_atol
        As for `GeneralizedAlpha`.
    """


@dataclass(frozen=True)
class BDF2(_Backward):
    """The backward formula of second order and fixed step, started by SDIRK2; strong damping of what is fast.

    Options as for `ImplicitEuler`.
    """


def _step(method: Any) -> None:
    names = ("newton_rtol", "newton_atol")
    for name in names if method.dt is None and not isinstance(method, _Backward) else ("dt", *names):
        _positive(method, name)


@dataclass(frozen=True)
class RK45(Method):
    """Dormand and Prince's explicit pair of order 5 (4), on accelerations: for robots that are not stiff.

    ``baumgarte`` [s] pulls loops that drift back, with this time constant; 0 lets them drift.
    """

    rtol: float = 1e-3
    atol: ArrayLike = 1e-6
    max_step: float | None = None
    first_step: float | None = None
    baumgarte: float = 0.0

    def __post_init__(self) -> None:
        _tolerances(self)
        _keep(self, "baumgarte", nonnegative_float(self.baumgarte, f"{type(self).__name__}: baumgarte", "s"))


@dataclass(frozen=True)
class DOP853(RK45):
    """Hairer's explicit pair of order 8 (5, 3), on accelerations: for tight tolerances. Options as for `RK45`."""
