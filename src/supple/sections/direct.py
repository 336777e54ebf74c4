"""Cross-sections by their matrices: stiffness, inertia and damping per unit length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import ROUNDING, Array, ask, nonnegative_float, shown, symmetric_psd
from supple.errors import ModelError
from supple.sections.profile import Profile, as_profile, evaluate
from supple.sections.shapes import Shape, round_outline

#: A (6, 6) matrix, its diagonal (6,), or a callable of s in [0, 1] giving either.
MatrixProfile: TypeAlias = ArrayLike | Callable[[float], ArrayLike]


@dataclass(frozen=True, eq=False)
class Section:
    """A section given by its 6x6 matrices per unit length; the rod then takes no material.

    Rows and columns follow the strain order: torsion, bend_y, bend_z, stretch, shear_y, shear_z.

    Parameters
    ----------
    stiffness : (6, 6), (6,) or callable of s
        Wrench per strain: N m^2 in the angular block, N in the linear one. Symmetric, positive semi-definite.
    inertia : (6, 6), (6,) or callable of s
        Spatial inertia per metre of rod in the local frame: kg m, kg/m. Its mass must be positive.
    damping : (6, 6), (6,) or callable of s, optional
        Wrench per strain rate; none if omitted.
    radius : number, (base, tip) or callable of s, optional
        Size in m for pictures and contacts; without it the rod is its centreline.
    shape : Shape, optional
        What pictures and contacts see instead of a circle, such as ``Ellipse``; matrices do not depend on it.
    """

    stiffness: MatrixProfile
    inertia: MatrixProfile
    damping: MatrixProfile | None = None
    radius: Profile | None = None
    shape: Shape | None = None

    def __post_init__(self) -> None:
        for name in ("stiffness", "inertia", "damping"):
            value = getattr(self, name)
            if (value is not None or name != "damping") and not callable(value):
                object.__setattr__(self, name, symmetric_psd(value, 6, f"Section: {name}"))
        if not callable(self.inertia):
            self.inertia_at(0.0)
        if self.radius is not None:
            object.__setattr__(self, "radius", as_profile(self.radius, "Section: radius"))
        if self.shape is not None and not isinstance(self.shape, Shape):
            raise ModelError(f"Section: shape is {shown(self.shape)}, must be a shape such as Ellipse(0.02, 0.01)")
        if self.shape is not None and self.radius is not None:
            raise ModelError("Section: radius and shape are both given, but one of them says how large it is")

    @classmethod
    def from_stiffness(
        cls,
        *,
        EA: Profile,
        EI_y: Profile,
        EI_z: Profile,
        GJ: Profile,
        GA_y: Profile | None = None,
        GA_z: Profile | None = None,
        mass_per_length: Profile,
        rotary_inertia: tuple[Profile, Profile, Profile] = (0.0, 0.0, 0.0),
        damping: MatrixProfile | None = None,
        damping_time: float = 0.0,
        radius: Profile | None = None,
        shape: Shape | None = None,
    ) -> Section:
        """Section from engineering constants, each a number, a taper ``(base, tip)`` or a callable of s.

        Parameters
        ----------
        EA : profile
            Axial stiffness, N.
        EI_y, EI_z : profile
            Bending stiffness about y and z, N m^2.
        GJ : profile
            Torsional stiffness, N m^2.
        GA_y, GA_z : profile, optional
            Shear stiffness along y and z, N. May be omitted only where that strain is locked.
        mass_per_length : profile
            Mass per metre, kg/m.
        rotary_inertia : three profiles
            Moments of inertia per metre about x, y, z, kg m. Zero: a thin rod.
        damping : (6, 6), (6,) or callable of s, optional
            Wrench per strain rate.
        damping_time : float
            Kelvin-Voigt time in s: adds ``damping_time`` times the stiffness to the damping.
        radius : profile, optional
            Size in m for pictures and contacts.
        shape : Shape, optional
            What pictures and contacts see instead of a circle.
        """
        stiffness = _diagonal(
            {"GJ": GJ, "EI_y": EI_y, "EI_z": EI_z, "EA": EA, "GA_y": GA_y, "GA_z": GA_z},
            ("N m^2",) * 3 + ("N",) * 3,
        )
        try:
            x, y, z = rotary_inertia
        except (TypeError, ValueError):
            raise ModelError(f"Section: rotary_inertia is {shown(rotary_inertia)}, must be three numbers") from None
        mass = as_profile(mass_per_length, "Section: mass_per_length", "kg/m")
        rotary = {"rotary inertia x": x, "rotary inertia y": y, "rotary inertia z": z}
        linear = dict.fromkeys(("mass_per_length", "mass_per_length (y)", "mass_per_length (z)"), mass)
        inertia = _diagonal({**rotary, **linear}, ("kg m",) * 3 + ("kg/m",) * 3)
        time = nonnegative_float(damping_time, "Section: damping_time", "s")
        return cls(stiffness, inertia, _damping(stiffness, damping, time), radius, shape)

    def stiffness_at(self, s: float) -> Array:
        """Stiffness per unit length at s, (6, 6)."""
        return _matrix(self.stiffness, s, "stiffness")

    def damping_at(self, s: float) -> Array:
        """Damping per unit length at s, (6, 6)."""
        return np.zeros((6, 6)) if self.damping is None else _matrix(self.damping, s, "damping")

    def inertia_at(self, s: float) -> Array:
        """Inertia per unit length at s, (6, 6)."""
        inertia = _matrix(self.inertia, s, "inertia")
        if np.any(np.diag(inertia)[3:] <= 0.0):
            raise ModelError(f"inertia at s = {s:.2f} has no mass (diagonal entries 3 to 5): a rod needs mass")
        mass, coupling = inertia[3:, 3:], inertia[:3, 3:]
        off = max(np.abs(mass - mass[0, 0] * np.eye(3)).max(), np.abs(coupling + coupling.T).max())
        if off > ROUNDING * mass[0, 0]:
            raise ModelError(
                f"inertia at s = {s:.2f} is not that of a body: its linear block must be a mass per metre times the "
                "identity and its coupling block antisymmetric (added mass belongs to the fluid, not to the section)"
            )
        return inertia

    def half_extents(self, s: float) -> tuple[float, float]:
        """Half the size along y and z at s, m; zero without a ``radius`` or a ``shape``."""
        if self.shape is not None:
            return self.shape.half_extents(s)
        size = 0.0 if self.radius is None else evaluate(self.radius, s, "radius", allow_zero=True)
        return size, size

    def outline_radius(self, s: float) -> float:
        """Radius about the centreline at s, m; zero without a ``radius`` or a ``shape``."""
        return max(self.half_extents(s)) if self.shape is None else self.shape.outline_radius(s)

    def outline(self, s: float) -> Array:
        """Vertices (y, z) of the ``shape`` at s, or of a circle of the ``radius``, (K, 2), m; for pictures."""
        return round_outline(*self.half_extents(s)) if self.shape is None else self.shape.outline(s)

    def hole(self, s: float) -> Array | None:
        """That of the ``shape``, if there is one."""
        return None if self.shape is None else self.shape.hole(s)

    @property
    def has_outline(self) -> bool:
        """Whether a ``radius`` or a ``shape`` was given."""
        return self.radius is not None or self.shape is not None


def _matrix(value: MatrixProfile, s: float, name: str) -> Array:
    if callable(value):
        what = f"{name} at s = {s:.2f}"
        return symmetric_psd(ask(value, (s,), what, ModelError), 6, what)
    return np.asarray(value, dtype=np.float64)


def _diagonal(entries: dict[str, Profile | None], units: tuple[str, ...]) -> MatrixProfile:
    """Diagonal of six profiles: constant if all are numbers, else a callable of s. None and 0 mean zero."""
    profiles: list[Profile] = []
    for (name, value), unit in zip(entries.items(), units, strict=True):
        zero = value is None or (isinstance(value, (int, float)) and value == 0.0)
        profiles.append(0.0 if zero else as_profile(value, f"Section: {name}", unit))
    if all(isinstance(profile, float) for profile in profiles):
        return np.array(profiles)

    def along(s: float) -> Array:
        values = zip(profiles, entries, units, strict=True)
        return np.array([evaluate(profile, s, name, unit, allow_zero=True) for profile, name, unit in values])

    return along


def _damping(stiffness: MatrixProfile, damping: MatrixProfile | None, time: float) -> MatrixProfile | None:
    """``damping`` plus ``time`` times the stiffness."""
    if time == 0.0:
        return damping
    if damping is None and not callable(stiffness):
        return time * np.asarray(stiffness)

    def along(s: float) -> Array:
        total = time * _matrix_or_diagonal(stiffness, s)
        return total if damping is None else total + _matrix_or_diagonal(damping, s)

    return along


def _matrix_or_diagonal(value: MatrixProfile, s: float) -> Array:
    return _matrix(value, s, "damping") if callable(value) else symmetric_psd(value, 6, "Section: damping")
