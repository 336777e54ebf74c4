"""Materials: elastic, viscous and inertial constants of a rod."""

from __future__ import annotations

from dataclasses import dataclass, field

from supple.checks import finite_float, nonnegative_float, positive_float
from supple.errors import ModelError

#: Incompressible, as silicone and rubber nearly are: used when neither poisson nor shear is given.
INCOMPRESSIBLE = 0.5


@dataclass(frozen=True)
class Material:
    """Linear viscoelastic material.

    Parameters
    ----------
    young : float
        Young's modulus E, Pa.
    poisson : float, optional
        Poisson's ratio in (-1, 0.5]; 0.5 if neither it nor ``shear`` is given.
    shear : float, optional
        Shear modulus G in Pa, instead of ``poisson`` (for materials that are not isotropic).
    density : float
        Mass density, kg/m^3.
    viscosity : float
        Viscosity eta in Pa s: damping eta diag(Jx, 3 Jy, 3 Jz, 3 A, A, A) per metre.
    damping_time : float
        Kelvin-Voigt relaxation time mu in s: damping mu times the stiffness. Adds to ``viscosity``.

    Notes
    -----
    G = E / (2 (1 + nu)). With ``shear`` given, E and G are independent and nu is only what this relation
    would give.

    Examples
    --------
    >>> silicone = Material(young=1e6, density=1000.0, viscosity=1e4)
    >>> round(silicone.shear_modulus)
    333333
    """

    young: float
    poisson: float | None = None
    shear: float | None = None
    density: float = field(kw_only=True)
    viscosity: float = field(default=0.0, kw_only=True)
    damping_time: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        self._keep("young", positive_float(self.young, "Material: young", "Pa"))
        self._keep("density", positive_float(self.density, "Material: density", "kg/m^3"))
        self._keep("viscosity", nonnegative_float(self.viscosity, "Material: viscosity", "Pa s"))
        self._keep("damping_time", nonnegative_float(self.damping_time, "Material: damping_time", "s"))
        if self.poisson is not None and self.shear is not None:
            raise ModelError("Material: poisson and shear exclude each other, give one of them")
        if self.shear is not None:
            self._keep("shear", positive_float(self.shear, "Material: shear", "Pa"))
        if self.poisson is not None:
            self._keep("poisson", finite_float(self.poisson, "Material: poisson"))
            if not -1.0 < self.poisson <= 0.5:
                raise ModelError(f"Material: poisson is {self.poisson:g}, must lie in (-1, 0.5]")

    def _keep(self, name: str, value: float) -> None:
        object.__setattr__(self, name, value)

    @property
    def shear_modulus(self) -> float:
        """Shear modulus G, Pa."""
        if self.shear is not None:
            return self.shear
        return self.young / (2.0 * (1.0 + self.poisson_ratio))

    @property
    def poisson_ratio(self) -> float:
        """Poisson's ratio, given or implied by E and G."""
        if self.shear is not None:
            return self.young / (2.0 * self.shear) - 1.0
        return INCOMPRESSIBLE if self.poisson is None else self.poisson
