"""A rod evaluated at its computational points: what compile keeps of section, material, basis and rest strain."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from supple.bases import CustomBasis
from supple.bases.protocol import COMPONENTS, StrainBasis
from supple.core.records import ROD, segment_t
from supple.errors import ModelError
from supple.numerics.quadrature import rod_stations
from supple.rest import Curve
from supple.robot.bodies.fields import ChebyshevTable, ConstantField
from supple.robot.bodies.protocol import BodyTable, Chain, LinkArrays, Located, OwnForce
from supple.robot.bodies.rod_law import LawNote, RodLawTable, trace_law
from supple.sections.properties import is_uniform

if TYPE_CHECKING:
    from supple.robot.bodies.rod import Rod

#: Collocation points of the Magnus step in [0, 1]: Gauss points (order 4), midpoint twice (order 2).
COLLOCATION = {4: (0.5 - math.sqrt(3.0) / 6.0, 0.5 + math.sqrt(3.0) / 6.0), 2: (0.5, 0.5)}

#: Stations closer than this (in s) are one.
SAME_STATION = 1e-12

#: A vector along a rod: s -> (m,), and stations (M,) -> (M, m).
Field: TypeAlias = Callable[[Any], np.ndarray]


@dataclass(frozen=True, eq=False, kw_only=True)
class RodTable(BodyTable):
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
    section_stiffness, section_damping : ndarray, shape (P, 6, 6)
        Of the sections at Gauss nodes; zero at the other points.  With a law its tangent at rest.
    breaks : tuple of float
        Interior stations where the strain is not smooth.
    basis, rest_strain : callable
        s -> (n,) (scaled like ``phi``) and s -> (6,), or (M,) -> (M, n) and (M, 6), without the user's functions.
    law : RodLawTable, optional
        A nonlinear law between strains and stresses.
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
    basis: Field
    rest_strain: Field
    section_stiffness: np.ndarray
    section_damping: np.ndarray
    breaks: tuple[float, ...]
    law: RodLawTable | None = None

    @property
    def line(self) -> RodTable:
        """Itself."""
        return self

    @property
    def points(self) -> tuple[tuple[int, float], ...]:
        """Base, nodes and tip."""
        return tuple(enumerate(self.s.tolist()))

    def locate(self, s: float) -> Located | None:
        """The computational point at station s; None if s lies between two."""
        point = self.point_at(s)
        return None if point is None else Located(point)

    def chain(self, stations: Collection[float] = (), dormant: Collection[float] = ()) -> Chain:
        """Segments in the order nodes, stations between points, tip, dormant stations.

        So an idle tip and those that sleep can be omitted at the end.
        """
        extra = [s for s in sorted(stations) if self.point_at(s) is None]
        idle = [s for s in sorted(set(dormant).difference(stations)) if self.point_at(s) is None]
        last = len(self.s) - 2  # the step that ends at the tip
        tip = last + len(extra)
        count = tip + 1 + len(idle)
        own = (*range(last), tip)
        segments, phi = np.zeros(count, segment_t), np.zeros((2, count, self.n))
        rows = list(own)
        segments["half"][rows], segments["bracket"][rows] = self.half, self.bracket
        segments["rest"][rows], segments["inertia"][rows] = self.rest, self.inertia[1:]
        phi[:, rows] = self.phi
        begins = np.zeros(count, dtype=np.int64)
        begins[rows] = range(last + 1)
        between = dict(zip((*extra, *idle), (*range(last, tip), *range(tip + 1, count)), strict=True))
        if between:
            rows, ends = list(between.values()), np.array(list(between))
            begins[rows] = [self.point_before(s) for s in between]
            steps = self.steps(self.s[begins[rows]], ends)
            segments["half"][rows], segments["bracket"][rows], segments["rest"][rows] = steps[:3]
            phi[:, rows] = steps.phi.transpose(1, 0, 2)
        loaded = any(self.point_at(s) == last + 1 for s in stations)
        return Chain(
            ROD, segments, phi, begins, own, between, self.component, dormant=len(idle), idle_tip=not loaded
        )

    def own_forces(self, link: str, block: int, frames: int, node: Callable[[str, float], int]) -> list[OwnForce]:
        """What its law adds to the linear one."""
        if self.law is None:
            return []
        from supple.fields.rod_elasticity import ROD_ELASTICITY, ROD_ELASTICITY_GRADIENT

        told = LawNote(link, self.law)
        nodes = [node(link, s) for s in self.law.s.tolist()]
        return [OwnForce(ROD_ELASTICITY, self.law.data(nodes, told.note), told, ROD_ELASTICITY_GRADIENT)]

    def aspects(self, arrays: LinkArrays) -> dict[str, Any]:
        """Its steps, basis functions and rest strain."""
        steps = [(part["half"], part["bracket"]) for part in arrays.segments]
        return {
            "length and points": (self.length, self.magnus, self.s, steps),
            "basis": (self.component, arrays.names, arrays.phi, arrays.psi),
            "rest strain": ([part["rest"] for part in arrays.segments], [node["rest"] for node in arrays.nodes]),
        }

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

    def steps(self, a: np.ndarray, b: np.ndarray) -> Steps:
        """Magnus steps from s = a to s = b, each (m,)."""
        return magnus_steps(self.length, self.magnus, a, b, self.basis, self.rest_strain)


@dataclass(frozen=True)
class ScaledBasis:
    """Values of a built-in basis in strain units: angular functions divided by the rod's length."""

    basis: StrainBasis
    scale: np.ndarray

    def __call__(self, s: float | np.ndarray) -> np.ndarray:
        """Values at s, (n,); at stations s (M,), (M, n)."""
        return self.scale * self.basis.values(s)


class Steps(NamedTuple):
    """Magnus steps ([GVS-AD] C1), m of them: their numbers in `core.records.segment_t`, and their basis functions."""

    half: np.ndarray  #: (m,)
    bracket: np.ndarray  #: (m,)
    rest: np.ndarray  #: (m, 2, 6)
    phi: np.ndarray  #: (m, 2, n)


def magnus_steps(length: float, order: int, a: np.ndarray, b: np.ndarray, basis: Field, rest_strain: Field) -> Steps:
    """Steps from s = a to s = b, each (m,)."""
    h = (b - a) * length
    x = (a[:, None] + np.array(COLLOCATION[order]) * (b - a)[:, None]).ravel()
    bracket = math.sqrt(3.0) * h * h / 12.0 if order == 4 else np.zeros(len(h))
    return Steps(
        0.5 * h, bracket, rest_strain(x).reshape(len(h), 2, 6), basis(x).reshape(len(h), 2, -1 if len(h) else 0)
    )


def tabulate_rod(rod: Rod) -> RodTable:
    """Evaluate a rod at its points.  Raises `ModelError` for sections that are not positive somewhere."""
    strain = rod.strain
    component = strain.components
    scale = np.where(component < 3, 1.0 / rod.length, 1.0)
    exact = ScaledBasis(strain, scale)
    s, weight = rod_stations(rod.points, strain.breaks, rod.extra_points)
    weight = weight * rod.length
    steps = magnus_steps(rod.length, rod.magnus, s[:-1], s[1:], exact, rod.rest_strains)
    inertia, sections, stiffness, damping, law = _section_sums(rod, s, weight, component, exact)
    return RodTable(
        length=rod.length,
        magnus=rod.magnus,
        s=s,
        weight=weight,
        component=component,
        half=steps.half,
        bracket=steps.bracket,
        rest=steps.rest,
        phi=steps.phi.transpose(1, 0, 2),
        inertia=inertia,
        stiffness=stiffness,
        damping=damping,
        rest_position=np.zeros(len(component)),
        basis=ChebyshevTable(exact, s, "custom basis") if _is_custom(strain) else exact,
        rest_strain=_kept_rest_strain(rod, s),
        section_stiffness=sections[0],
        section_damping=sections[1],
        breaks=tuple(float(x) for x in strain.breaks),
        law=law,
    )


def _section_sums(
    rod: Rod, s: np.ndarray, weight: np.ndarray, component: np.ndarray, basis: Field
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, RodLawTable | None]:
    """Inertia of every point (P, 6, 6), weight included; stiffness and damping there (2, P, 6, 6); K and D (n, n); law.
    """
    nodes = np.flatnonzero(weight)
    same = is_uniform(rod.section)
    properties = [rod.properties_at(x) for x in s[nodes[:1] if same else nodes].tolist()]
    for x in () if same else s[weight == 0.0].tolist():  # a taper may end in a point, but not beyond
        rod.section.half_extents(x)
    inertia = np.zeros((len(s), 6, 6))
    w = weight[nodes, None, None]
    inertia[nodes] = w * np.array([given.inertia for given in properties])
    if not np.trace(inertia[:, 3:, 3:].sum(axis=0)) > 0.0:
        raise ModelError("the rod has no mass (density or inertia is zero): dynamics need one; give it a density")
    values = basis(s[nodes])
    sections = np.zeros((2, len(s), 6, 6))
    sections[:, nodes] = np.array([[x.stiffness for x in properties], [x.damping for x in properties]])
    law = None
    if rod.law is not None:
        law = trace_law(rod.law, s[nodes], weight[nodes], rod.rest_strains(s[nodes]), sections[0, nodes], component)
        sections[0, nodes] = law.linear
    stiffness, damping = (_projected(w * x[nodes], values, component) for x in sections)
    if law is None:
        _check_stiffness(stiffness, component)
    return inertia, sections, stiffness, damping, law


def _projected(matrices: np.ndarray, values: np.ndarray, component: np.ndarray) -> np.ndarray:
    """Sum over nodes of Phi^T X Phi (n, n), for X (m, 6, 6) and the functions' values (m, n).

    Component by component: sections are mostly diagonal, and entries between strains that do not couple stay zero.
    """
    out = np.zeros((len(component), len(component)))
    runs = [slice(*np.searchsorted(component, (k, k + 1))) for k in range(6)]
    for k, l in np.argwhere(matrices.any(axis=0)).tolist():
        out[runs[k], runs[l]] = (matrices[:, k, l, None] * values[:, runs[k]]).T @ values[:, runs[l]]
    return out


def _kept_rest_strain(rod: Rod, s: np.ndarray) -> Field:
    if isinstance(rod.rest_strain, Curve):
        return rod.rest_strain  # ours: it can be pickled, and takes many stations at once
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
