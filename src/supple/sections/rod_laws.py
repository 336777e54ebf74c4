"""Laws between the strains of a rod and its stress resultants, as energies per metre; nonlinear ones, beside stiffness.

With e = xi - xi_rest (6,) and the section's stiffness K (6, 6), the linear rod has W = e^T K e / 2.  Any other
W(e, K, s) gives the stress resultants dW/de (moments N m, forces N) and the tangent d^2W/de^2, both exact: it is traced
once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from supple.checks import finite_float, nonnegative_float, positive_float, shown
from supple.errors import ModelError


class RodLaw(ABC):
    """How a rod resists strains: an energy per metre.

    Viscosity stays what the material or the section says, that of small strain rates about the state at rest.
    """

    @abstractmethod
    def energy(self, e: Any, K: Any, s: Any) -> Any:
        """Energy per metre of rod at rest, J/m: a NumPy function, traced once.

        ``e`` (6,) is the strain less the rest strain (1/m, then 1), ``K`` (6, 6) the section's stiffness there
        (N m^2, N), ``s`` the station.
        """

    def check(self, K: Any) -> None:
        """Whether it suits sections of stiffness K (m, 6, 6): raises `ModelError`."""
        return None

    def numbers(self) -> dict[str, float]:
        """Its own numbers by name: what a design may differentiate by."""
        given = {name: getattr(self, name) for name in getattr(self, "__dataclass_fields__", ())}
        return {name: value for name, value in given.items() if isinstance(value, float)}

    def energy_with(self, numbers: dict[str, Any], e: Any, K: Any, s: Any) -> Any:
        """`energy` with other numbers in place of its own."""
        law = copy(self)
        for name, value in numbers.items():
            object.__setattr__(law, name, value)
        return law.energy(e, K, s)


@dataclass(frozen=True)
class StrainEnergy(RodLaw):
    """A law of your own.

    Parameters
    ----------
    function : callable
        ``W(e, K, s)``: energy per metre of rod, J/m, of the strain less the rest strain e (6,) in the order torsion,
        bend_y, bend_z (1/m), stretch, shear_y, shear_z; of the section's stiffness K (6, 6) and the station s. A plain
        NumPy function (arithmetic, powers, the usual ufuncs, ``@``, ``np.where`` with a condition on s). It is run
        once, on symbols: stresses dW/de and their tangent are exact, and nothing is compiled.
    given : dict of str to float
        Further numbers that the function takes by name. Those that a `Design` differentiates by belong here, since
        others are part of the formula, whose shape may change with them (as where a factor happens to be 1).

    Examples
    --------
    >>> law = StrainEnergy(lambda e, K, s, c: 0.5 * e @ K @ e + c * e[1] ** 4, {"c": 1e-4})
    """

    function: Callable[..., Any]
    given: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError(f"StrainEnergy: function is {shown(self.function)}, must be a function W(e, K, s)")
        if not isinstance(self.given, dict) or not all(isinstance(name, str) for name in self.given):
            raise ModelError(f"StrainEnergy: given is {shown(self.given)}, must be numbers by name")
        given = {name: finite_float(value, f"StrainEnergy: {name}") for name, value in self.given.items()}
        object.__setattr__(self, "given", given)

    def energy(self, e: Any, K: Any, s: Any) -> Any:
        """What the function returns."""
        return self.function(e, K, s, **self.given)

    def numbers(self) -> dict[str, float]:
        """Those given."""
        return self.given

    def energy_with(self, numbers: dict[str, Any], e: Any, K: Any, s: Any) -> Any:
        """`energy` with other numbers in place of its own."""
        return self.function(e, K, s, **numbers)


@dataclass(frozen=True)
class QuadraticEnergy(RodLaw):
    """The linear law, W = e^T K e / 2: what a rod has without a law, by the way of those that have one."""

    def energy(self, e: Any, K: Any, s: Any) -> Any:
        """e^T K e / 2."""
        return 0.5 * e @ K @ e


@dataclass(frozen=True)
class MooneyRivlinRod(RodLaw):
    """A rod of incompressible rubber, W = C_1 (I_1 - 3) + C_2 (I_2 - 3), whose sections shrink as it is stretched.

    Parameters
    ----------
    share : float
        C_2 / (C_1 + C_2), in [0, 1]; 0 is neo-Hookean rubber.

    Notes
    -----
    E = 6 (C_1 + C_2), G = E / 3; stiffnesses are those of section and material, so the rod is the linear one for small
    strains. With the stretch l = 1 + e_4 sections shrink by 1/sqrt(l) in each direction. Fibres at a distance y from
    the axis are stretched to l + kappa y / sqrt(l), each as by a pure tension; to second order in bending, twist, shear

        W = EA/6 [C_1' (l^2 + 2/l - 3) + C_2' (2 l + 1/l^2 - 3)] + EI/2 kappa^2 [C_1' (1 + 2/l^3)/3 + C_2'/l^4]/l
            + GJ/2 tau^2 [C_1'/l + C_2'/l^2] + GA/2 gamma^2 [C_1' + C_2'/l],        C_2' = share = 1 - C_1'.

    Stretches must stay positive. Sections must not couple strains (a diagonal K).
    """

    share: float = 0.0

    def __post_init__(self) -> None:
        share = finite_float(self.share, "MooneyRivlinRod: share")
        if not 0.0 <= share <= 1.0:
            raise ModelError(f"MooneyRivlinRod: share is {share:g}, must lie in [0, 1]")
        object.__setattr__(self, "share", share)

    def check(self, K: Any) -> None:
        """Sections do not couple strains."""
        _check_diagonal(self, K)

    def energy(self, e: Any, K: Any, s: Any) -> Any:
        """By stretch, bending, twist and shear."""
        second = self.share
        first, k = 1.0 - second, np.diagonal(K)
        r = 1.0 / (1.0 + e[3])  # one over the stretch: all but one term are powers of it
        tension = first * ((1.0 + e[3]) ** 2 + 2.0 * r - 3.0) + second * (2.0 * (1.0 + e[3]) + r**2 - 3.0)
        bending = (k[1] * e[1] ** 2 + k[2] * e[2] ** 2) * (first * (1.0 + 2.0 * r**3) / 3.0 + second * r**4) * r
        twist = k[0] * e[0] ** 2 * (first * r + second * r**2)
        shear = (k[4] * e[4] ** 2 + k[5] * e[5] ** 2) * (first + second * r)
        return k[3] / 6.0 * tension + 0.5 * (bending + twist + shear)


@dataclass(frozen=True)
class PerStrain(RodLaw):
    """A law that goes beyond the linear one along each strain by itself, with one number for each that does."""

    torsion: float | None = None
    bend_y: float | None = None
    bend_z: float | None = None
    stretch: float | None = None
    shear_y: float | None = None
    shear_z: float | None = None

    def __post_init__(self) -> None:
        for name in (part.name for part in fields(self)):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, self.checked(value, f"{type(self).__name__}: {name}"))

    @abstractmethod
    def checked(self, value: Any, what: str) -> float:
        """A number of the law, or a `ModelError`."""

    @abstractmethod
    def beyond(self, number: Any, k: Any, x: Any) -> Any:
        """What a strain x of stiffness k stores beyond k x^2 / 2, J/m."""

    def energy(self, e: Any, K: Any, s: Any) -> Any:
        """e^T K e / 2 and what strains store beyond."""
        total = 0.5 * e @ K @ e
        for part, k, x in zip(fields(self), np.diagonal(K), e, strict=True):
            number = getattr(self, part.name)
            if number is not None:
                total = total + self.beyond(number, k, x)
        return total


@dataclass(frozen=True)
class Stiffening(PerStrain):
    """Strains that are resisted the more the larger they are: stress K e + K_ii c_i e_i^3 along component i.

    Parameters
    ----------
    torsion, bend_y, bend_z : float, optional
        c of the angular strains, m^2; omitted: linear.
    stretch, shear_y, shear_z : float, optional
        c of the linear strains, without unit.
    """

    def checked(self, value: Any, what: str) -> float:
        """At least 0."""
        return nonnegative_float(value, what)

    def beyond(self, c: Any, k: Any, x: Any) -> Any:
        """K_ii c_i e_i^4 / 4."""
        return 0.25 * c * k * x**4


@dataclass(frozen=True)
class Saturating(PerStrain):
    """Strains whose stress levels off: K_ii e_i / sqrt(1 + (e_i / e_max)^2), which nears K_ii e_max, along component i.

    Parameters
    ----------
    torsion, bend_y, bend_z : float, optional
        e_max of the angular strains, 1/m; omitted: linear.
    stretch, shear_y, shear_z : float, optional
        e_max of the linear strains.

    Notes
    -----
    Stiffness between different strains (entries of K off its diagonal) stays linear.
    """

    def checked(self, value: Any, what: str) -> float:
        """Above 0."""
        return positive_float(value, what)

    def beyond(self, limit: Any, k: Any, x: Any) -> Any:
        """K_ii e_max^2 (sqrt(1 + (e_i/e_max)^2) - 1) in place of K_ii e_i^2 / 2."""
        return k * (limit**2 * (np.sqrt(1.0 + (x / limit) ** 2) - 1.0) - 0.5 * x**2)


def _check_diagonal(law: RodLaw, K: Any) -> None:
    off = np.abs(K - K * np.eye(6)).max(initial=0.0)
    if off > 0.0:
        raise ModelError(
            f"{type(law).__name__} is for sections that do not couple strains, but the stiffness has entries up to "
            f"{off:g} off its diagonal; write a StrainEnergy of your own"
        )
