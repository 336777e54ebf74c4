"""A rod evaluated at its computational points: what compile keeps of section, material, basis and rest strain."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from supple.bases import CustomBasis
from supple.bases.protocol import COMPONENTS, StrainBasis
from supple.errors import ModelError
from supple.model.links import Rod
from supple.model.tabulate import ChebyshevTable, ConstantField
from supple.numerics.quadrature import rod_stations

#: Collocation points of the Magnus step in [0, 1]: Gauss points (order 4), midpoint twice (order 2).
COLLOCATION = {4: (0.5 - math.sqrt(3.0) / 6.0, 0.5 + math.sqrt(3.0) / 6.0), 2: (0.5, 0.5)}


#: Stations closer than this (in s) are one.
SAME_STATION = 1e-12


@dataclass(frozen=True)
class RodTable:
    """Numbers of one rod; P points (base, nodes, tip), P - 1 steps, n coordinates.

    Attributes
    ----------
    s, weight : ndarray, shape (P,)
        Stations in [0, 1] and quadrature weights in metres (zero at both ends).
    component : ndarray of int, shape (n,)
        Strain component of each coordinate.
    half, bracket : ndarray, shape (P - 1,)
        h/2 and sqrt(3) h^2 / 12 of each step (0 for second-order steps).
    rest : ndarray, shape (P - 1, 2, 6)
        Rest strain at the collocation points.
    phi : ndarray, shape (2, P - 1, n)
        Basis functions at the collocation points; angular ones divided by the length.
    inertia : ndarray, shape (P, 6, 6)
        Inertia of each point, weight included.
    stiffness, damping : ndarray, shape (n, n)
        K and D.
    basis, rest_strain : callable
        s -> (n,) (scaled like ``phi``) and s -> (6,), without the user's functions.
    """

    length: float
    magnus: int
    s: np.ndarray
    weight: np.ndarray
    component: np.ndarray
    half: np.ndarray
    bracket: np.ndarray
    rest: np.ndarray
    phi: np.ndarray
    inertia: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    basis: Callable[[float], np.ndarray]
    rest_strain: Callable[[float], np.ndarray]

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.component)

    def point_before(self, s: float) -> int:
        """Index of the last computational point at or before station s."""
        return int(np.searchsorted(self.s, s + SAME_STATION, side="right")) - 1

    def point_at(self, s: float) -> int | None:
        """Index of the computational point at station s, None if s lies between two."""
        i = self.point_before(s)
        return i if s - self.s[i] <= SAME_STATION else None

    def point_under(self, s: float) -> int:
        """Index of the last computational point before station s > 0: where the step that ends at s begins."""
        return self.point_before(s) - (self.point_at(s) is not None)

    def step(self, a: float, b: float) -> tuple[float, float, np.ndarray, np.ndarray]:
        """half, bracket, rest (2, 6) and phi (2, n) of a Magnus step from s = a to s = b."""
        return magnus_step(self.length, self.magnus, a, b, self.basis, self.rest_strain)


@dataclass(frozen=True)
class ScaledBasis:
    """Values of a built-in basis in strain units: angular functions divided by the rod's length."""

    basis: StrainBasis
    scale: np.ndarray

    def __call__(self, s: float) -> np.ndarray:
        """Values at s, (n,)."""
        return self.scale * self.basis.values(s)


def magnus_step(
    length: float,
    order: int,
    a: float,
    b: float,
    basis: Callable[[float], np.ndarray],
    rest_strain: Callable[[float], np.ndarray],
) -> tuple[float, float, np.ndarray, np.ndarray]:
    """half, bracket, rest (2, 6) and phi (2, n) of one Magnus step ([GVS-AD] C1)."""
    h = (b - a) * length
    x = [a + c * (b - a) for c in COLLOCATION[order]]
    bracket = math.sqrt(3.0) * h * h / 12.0 if order == 4 else 0.0
    return 0.5 * h, bracket, np.array([rest_strain(y) for y in x]), np.array([basis(y) for y in x])


def tabulate_rod(rod: Rod) -> RodTable:
    """Evaluate a rod at its points.  Raises `ModelError` for sections that are not positive somewhere."""
    strain = rod.strain
    component = strain.components
    scale = np.where(component < 3, 1.0 / rod.length, 1.0)
    exact = ScaledBasis(strain, scale)
    s, weight = rod_stations(rod.points, strain.breaks, rod.extra_points)
    weight = weight * rod.length
    steps = [magnus_step(rod.length, rod.magnus, a, b, exact, rod.rest_strain_at) for a, b in pairwise(s.tolist())]
    n = len(component)
    inertia = np.zeros((len(s), 6, 6))
    stiffness, damping = np.zeros((n, n)), np.zeros((n, n))
    for i, (x, w) in enumerate(zip(s.tolist(), weight.tolist(), strict=True)):
        if w == 0.0:  # a taper may end in a point, but not beyond
            rod.section.half_extents(x)
        else:
            properties = rod.properties_at(x)
            inertia[i] = w * properties.inertia
            phi = np.zeros((6, n))
            phi[component, np.arange(n)] = exact(x)
            stiffness += w * phi.T @ properties.stiffness @ phi
            damping += w * phi.T @ properties.damping @ phi
    if not np.trace(inertia[:, 3:, 3:].sum(axis=0)) > 0.0:
        raise ModelError("the rod has no mass (density or inertia is zero): dynamics need one; give it a density")
    _check_stiffness(stiffness, component)
    return RodTable(
        length=rod.length,
        magnus=rod.magnus,
        s=s,
        weight=weight,
        component=component,
        half=np.array([step[0] for step in steps]),
        bracket=np.array([step[1] for step in steps]),
        rest=np.array([step[2] for step in steps]),
        phi=np.array([step[3] for step in steps]).transpose(1, 0, 2),
        inertia=inertia,
        stiffness=stiffness,
        damping=damping,
        basis=ChebyshevTable(exact, s, "custom basis") if _is_custom(strain) else exact,
        rest_strain=_kept_rest_strain(rod, s),
    )


def _kept_rest_strain(rod: Rod, s: np.ndarray) -> Callable[[float], np.ndarray]:
    if callable(rod.rest_strain):
        return ChebyshevTable(rod.rest_strain_at, s, "rest_strain")
    return ConstantField(rod.rest_strain_at(0.0))


def _is_custom(strain: Any) -> bool:
    """Whether a user's function stands behind some component."""
    return isinstance(strain, CustomBasis) or any(
        isinstance(getattr(strain, name, None), CustomBasis) for name in COMPONENTS
    )


def _check_stiffness(stiffness: np.ndarray, component: np.ndarray) -> None:
    """A free strain without stiffness would move without resistance."""
    bare = np.flatnonzero(np.diag(stiffness) <= 0.0)
    if bare.size:
        name = COMPONENTS[component[bare[0]]]
        raise ModelError(
            f"{name} is free but has no stiffness; lock it ({name}=None) or give the section a stiffness for it"
        )
