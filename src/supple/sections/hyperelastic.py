"""Hyperelastic materials: energies per volume of the deformation gradient F = df/dx."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from supple.checks import finite_float, nonnegative_float, positive_float, shown
from supple.errors import ModelError


class Hyperelastic(ABC):
    """A material whose energy per volume at rest is a function of the deformation gradient."""

    density: float  #: kg/m^3
    viscosity: float  #: Pa s, of small strain rates about the state at rest
    kelvin_voigt: float = 0.0  #: Pa s, of rates of the Green strain

    #: Whether the energy is meant for kinematics that keep volumes only.
    incompressible: bool = False

    @abstractmethod
    def energy(self, F: Any) -> Any:
        """Energy per volume at rest, Pa, of F (3, 3): a NumPy function, traced once."""


@dataclass(frozen=True)
class NeoHookean(Hyperelastic):
    """A neo-Hookean solid: W = mu/2 (tr F^T F - 3) - mu ln J + lambda/2 (ln J)^2, J = det F.

    Parameters
    ----------
    young : float
        Young's modulus of small strains, Pa.
    poisson : float
        Poisson's ratio of small strains, in [0, 0.5]; 0.5: W = mu/2 (tr F^T F - 3), for kinematics that keep volumes.
        0.49 is nearly incompressible.
    density : float
        kg/m^3.
    viscosity : float
        Pa s: constant damping, of small strain rates about the state at rest.
    kelvin_voigt : float
        Pa s: damping by the rate of the Green strain E = (F^T F - 1) / 2, however large, with the second
        Piola-Kirchhoff stress 2 eta dev(E'). At rest it is that of ``viscosity``, to which it adds; unlike it, it
        follows the shape, and what merely turns is not damped.

    Notes
    -----
    mu = E / (2 (1 + nu)), lambda = 2 mu nu / (1 - 2 nu). A material given by W = C (I_1 - 3) has E = 6 C, nu = 0.5.
    """

    young: float
    poisson: float = 0.49
    density: float = field(kw_only=True)
    viscosity: float = field(default=0.0, kw_only=True)
    kelvin_voigt: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "young", positive_float(self.young, "NeoHookean: young", "Pa"))
        object.__setattr__(self, "poisson", finite_float(self.poisson, "NeoHookean: poisson"))
        object.__setattr__(self, "density", positive_float(self.density, "NeoHookean: density", "kg/m^3"))
        for name in ("viscosity", "kelvin_voigt"):
            object.__setattr__(self, name, nonnegative_float(getattr(self, name), f"NeoHookean: {name}", "Pa s"))
        if not 0.0 <= self.poisson <= 0.5:
            raise ModelError(f"NeoHookean: poisson is {self.poisson:g}, must lie in [0, 0.5]")

    @property
    def incompressible(self) -> bool:  # type: ignore[override]
        """Whether Poisson's ratio is 0.5."""
        return self.poisson == 0.5

    @property
    def shear_modulus(self) -> float:
        """mu, Pa."""
        return self.young / (2.0 * (1.0 + self.poisson))

    def energy(self, F: Any) -> Any:
        """Energy per volume at rest, Pa."""
        mu = self.shear_modulus
        shape = 0.5 * mu * (np.sum(F * F) - 3.0)
        if self.incompressible:
            return shape
        volume = np.log(np.linalg.det(F))
        return shape - mu * volume + mu * self.poisson / (1.0 - 2.0 * self.poisson) * volume * volume


@dataclass(frozen=True)
class EnergyDensity(Hyperelastic):
    """A material given by its energy density.

    Parameters
    ----------
    function : callable
        ``W(F)``: energy per volume at rest, Pa, of the deformation gradient F (3, 3); a NumPy function, traced once.
        It should have no stress at F = 1.
    density : float
        kg/m^3.
    viscosity : float
        Pa s: constant damping, of small strain rates about the state at rest.
    kelvin_voigt : float
        Pa s: damping by the rate of the Green strain E = (F^T F - 1) / 2, however large, with the second
        Piola-Kirchhoff stress 2 eta dev(E'). At rest it is that of ``viscosity``, to which it adds; unlike it, it
        follows the shape, and what merely turns is not damped.
    """

    function: Callable[[Any], Any]
    density: float = field(kw_only=True)
    viscosity: float = field(default=0.0, kw_only=True)
    kelvin_voigt: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ModelError(f"EnergyDensity: function is {shown(self.function)}, must be a function W(F)")
        object.__setattr__(self, "density", positive_float(self.density, "EnergyDensity: density", "kg/m^3"))
        for name in ("viscosity", "kelvin_voigt"):
            object.__setattr__(self, name, nonnegative_float(getattr(self, name), f"EnergyDensity: {name}", "Pa s"))

    def energy(self, F: Any) -> Any:
        """Energy per volume at rest, Pa."""
        return self.function(F)
