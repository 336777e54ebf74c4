"""A soft body of any kinematics p = f(x, q), given as a NumPy function that is traced once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, final

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import (
    Array,
    ask,
    finite_array,
    flag,
    positive_float,
    real_vector,
    shown,
    symmetric_psd,
    whole_number,
)
from supple.errors import ModelError
from supple.robot.bodies.densities import deviatoric_strain
from supple.robot.bodies.looks import SkinLook
from supple.robot.bodies.protocol import Body
from supple.robot.bodies.soft_table import SoftTable, frame_symbols
from supple.robot.domains import Domain, Quadrature, checked_points
from supple.sections.hyperelastic import Hyperelastic
from supple.sections.materials import Material
from supple.tracing.program import as_symbols, evaluate, trace
from supple.tracing.slopes import gradient_by_material, slopes_by
from supple.tracing.symbols import COORDINATE, Symbols

#: Points along the axis, outward from it and around it, unless told otherwise.
POINTS = (10, 2, 8)

#: Coordinates of one body: more are a slip of the pen.
MOST_COORDINATES = 1000

#: Frames along one body.
MOST_STATIONS = 1000

#: A strain below this is rounding: of volumes that must not change, of a base that must not move.
ROUNDING = 1e-9

#: How far from rest it is tried whether volumes stay.
NEARER = (0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)

#: A function of a material point (3,) and coordinates (n,) to a place (3,), m.
Kinematics = Callable[[Any, Any], Any]


class _Strains(NamedTuple):
    """Small strains of every coordinate about the state at rest."""

    by_q: Array  #: (n, P, 3, 3) symmetric
    volume: Array  #: (P,)


@final
@dataclass(frozen=True, eq=False)
class SoftBody(Body):
    """A body whose material points x move to p = f(x, q), in the frame of its base.

    Parameters
    ----------
    kinematics : callable
        ``f(x, q)`` -> (3,): a plain NumPy function of one material point x (3,) in m and the body's coordinates q (n,)
        (arithmetic, powers, the usual ufuncs, ``np.sinc``, ``np.stack``, ``@`` with constant matrices, ``np.where``
        with a condition on x). It is run once, on symbols; all derivatives are exact, and nothing is compiled. Or an
        object with such a ``__call__``, and ``n``.
    domain : Domain
        Where its material points are at rest, such as ``Cylinder(length, radius)``.
    material : Material or Hyperelastic, optional
        `Material`: linear viscoelastic, constant stiffness and damping of small strains about the state at rest.
        `NeoHookean`, `EnergyDensity`: elastic energy of finite strains. Omitted: neither, unless ``stiffness`` and
        ``damping`` are given.
    n : int, optional
        Number of coordinates; needed unless the kinematics know it.
    tip : (3, 3), optional
        Three material points (origin, a, b) of the frame at which children hang: e_y points towards a, e_x is the unit
        vector of e_y x (b - origin). Default: the end section of the domain; without one, the base.
    points : int or (along, outward, around), optional
        Points that sums run over. Default (10, 2, 8).
    density : float or callable of x, optional
        kg/m^3; default: the material's.
    stiffness, damping : (n, n), optional
        Of the coordinates (or their diagonals), in place of the material's: tau = -K (q - rest) - D v.
    rest : (n,), optional
        Coordinates without load; default zero.
    stations : sequence of float
        Further places s in (0, 1) of the axis, x = (s length, 0, 0), with a frame that `Model.pose` may ask for.
        Stations at which loads sit, links hang or named frames are need not be told, be they on the axis or any other
        material point (x, y, z).
    moving_base : bool
        Whether the map may move the domain's base. By default that is an error: the base is fixed to the joint.

    Notes
    -----
    Where sections stay rigid (``kinematics.rigid_sections``), a material resists as it does in rods: by E along the
    axis and G across it. Else by its Lame constants, for which Poisson's ratio must be less than 0.5 unless the
    kinematics keep volumes.
    """

    noun: ClassVar[str] = "a soft body"
    announced_only: ClassVar[bool] = True

    kinematics: Kinematics
    domain: Domain
    material: Material | Hyperelastic | None = None
    n: int | None = None
    tip: ArrayLike | None = None
    points: Any = POINTS
    density: Any = None
    stiffness: ArrayLike | None = None
    damping: ArrayLike | None = None
    rest: ArrayLike | None = None
    stations: Sequence[float] = ()
    moving_base: bool = False

    def __post_init__(self) -> None:
        if not callable(self.kinematics):
            raise ModelError(f"SoftBody: kinematics is {shown(self.kinematics)}, must be a function f(x, q) -> (3,)")
        if not isinstance(self.domain, Domain):
            raise ModelError(f"SoftBody: domain is {shown(self.domain)}, must be a domain such as Cylinder(0.2, 0.02)")
        if self.material is not None and not isinstance(self.material, (Material, Hyperelastic)):
            raise ModelError(f"SoftBody: material is {shown(self.material)}, must be a Material or NeoHookean(...)")
        n = getattr(self.kinematics, "n", None) if self.n is None else self.n
        if n is None:
            raise ModelError("SoftBody: n is missing; give the number of coordinates q")
        n = whole_number(n, "SoftBody: n", 1, MOST_COORDINATES)
        self._keep("n", n)
        self._check_labels()
        self._keep("points", checked_points(self.points))
        for name in ("stiffness", "damping"):
            if getattr(self, name) is not None:
                self._keep(name, symmetric_psd(getattr(self, name), n, f"SoftBody: {name}"))
        for name, shape in (("rest", (n,)), ("tip", (3, 3))):
            if getattr(self, name) is not None:
                self._keep(name, finite_array(getattr(self, name), shape, f"SoftBody: {name}"))
        self._keep("stations", tuple(real_vector(self.stations, "SoftBody: stations", MOST_STATIONS)))
        self._keep("moving_base", flag(self.moving_base, "SoftBody: moving_base"))
        if self.stations and (self.domain.length is None or not all(0.0 < s < 1.0 for s in self.stations)):
            raise ModelError("SoftBody: stations must lie in (0, 1), on a domain with an axis")
        self._check_places()
        self._check_slopes()
        self._check_tip()

    def _keep(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check_labels(self) -> None:
        """Kinematics that know their coordinates have n of them, with different names."""
        known, given = getattr(self.kinematics, "n", self.n), getattr(self.kinematics, "labels", None)
        if known != self.n:
            raise ModelError(f"SoftBody: n is {self.n}, but the kinematics have {shown(known)} coordinates")
        if given is None:
            return
        if not isinstance(given, (tuple, list)) or not all(isinstance(label, str) and label for label in given):
            raise ModelError(f"SoftBody: labels of the kinematics are {shown(given)}, must be a tuple of names")
        if len(given) != self.n or len(set(given)) != self.n:
            raise ModelError(f"SoftBody: labels of the kinematics are {shown(given)}, must be {self.n} different names")

    # ------------------------------------------------------------------ kinematics

    @cached_property
    def place(self) -> Symbols:
        """f(x, q) as symbols, (3,)."""
        assert self.n is not None
        return trace(self.kinematics, self.n, 3, (3,), "SoftBody: kinematics")

    @cached_property
    def gradient(self) -> Symbols:
        """The deformation gradient df/dx as symbols, (3, 3)."""
        return gradient_by_material(self.place)

    @cached_property
    def quadrature(self) -> Quadrature:
        """Material points and their volumes."""
        return self.domain.quadrature(self.points)

    @cached_property
    def rest_position(self) -> Array:
        """Coordinates without load (n,)."""
        assert self.n is not None
        return np.zeros(self.n) if self.rest is None else np.asarray(self.rest)

    @cached_property
    def tip_points(self) -> Array | None:
        """The three material points (3, 3) of the frame at the tip; None: that is the base."""
        return self.domain.tip if self.tip is None else np.asarray(self.tip)

    def _check_places(self) -> None:
        """The map at rest is finite and turns nothing inside out."""
        x = self.quadrature.x
        places = evaluate(self.place, x, self.rest_position)
        if not np.isfinite(places).all():
            k = int(np.flatnonzero(~np.isfinite(places).all(axis=1))[0])
            raise ModelError(f"SoftBody: kinematics at rest is {places[k]} at x = {x[k]}, must be finite")
        if self.domain.mass is None or self.material is not None:
            volume = np.linalg.det(evaluate(self.gradient, x, self.rest_position))
            if not (volume > 0.0).all():
                k = int(np.argmin(volume))
                raise ModelError(
                    f"SoftBody: kinematics at rest turn the domain inside out: det(df/dx) is {volume[k]:.3g} at "
                    f"x = {x[k]}, must be positive"
                )

    def _check_slopes(self) -> None:
        """Every coordinate moves something, smoothly at rest, and none moves the base."""
        tip = np.zeros((0, 3)) if self.tip_points is None else self.tip_points
        x = np.concatenate([self.quadrature.x, tip])
        # somewhere else, too: slopes may happen to vanish at rest
        states = [self.rest_position, self.rest_position + 0.1 * np.random.default_rng(0).standard_normal(self.size)]
        symbols = slopes_by(self.place, COORDINATE, self.size)
        found, base = [evaluate(symbols, x, q) for q in states], np.zeros((1, 3))
        for j, label in enumerate(self.labels):
            rest, other = (slopes[..., j] for slopes in found)
            if not np.isfinite(rest[: len(self.quadrature.x)]).all():
                raise ModelError(
                    f"SoftBody: the slope of the kinematics by coordinate {label!r} is not finite at rest; they must "
                    "be smooth (write np.sinc for sin(x)/x; sqrt and abs have no slope at 0)"
                )
            if not rest.any() and not other.any():
                raise ModelError(f"SoftBody: coordinate {label!r} moves no point: the kinematics do not depend on it")
            if self.domain.length is not None and not self.moving_base:
                self._check_base(label, np.stack([evaluate(symbols, base, q)[0, :, j] for q in states]))

    def _check_base(self, label: str, slopes: Array) -> None:
        """Whether a coordinate leaves the base where it is, by slopes (2, 3) of that at rest and elsewhere."""
        if not np.isfinite(slopes[0]).all():
            raise ModelError(
                f"SoftBody: the kinematics have no slope by coordinate {label!r} at the base, x = (0, 0, 0); if that "
                "is no point of the body, moving_base=True takes them as they are"
            )
        if np.nanmax(np.abs(slopes)) > ROUNDING * self.domain.length:
            raise ModelError(
                f"SoftBody: coordinate {label!r} moves the base: f((0, 0, 0), q) must "
                "not depend on q (the joint moves the base; moving_base=True allows it)"
            )

    def _check_tip(self) -> None:
        """The three points of the tip make a frame at rest."""
        if self.tip_points is None:
            return
        p, a, b = evaluate(self.place, self.tip_points, self.rest_position)
        size = np.linalg.norm(a - p) * np.linalg.norm(b - p)
        if not np.linalg.norm(np.cross(a - p, b - p)) > ROUNDING * size:
            raise ModelError(
                f"SoftBody: tip: its three points are at {p}, {a}, {b} at rest, must be finite and not on one line; "
                "give three material points tip=(origin, towards y, towards z)"
            )

    # ------------------------------------------------------------------ mass and elasticity

    @cached_property
    def masses(self) -> Array:
        """Mass of every point (P,), kg."""
        x, volume = self.quadrature
        if self.density is None and self.material is None:
            if self.domain.mass is None:
                raise ModelError("SoftBody: density is missing; give it, or a material")
            return np.asarray(self.domain.mass)
        density = self.density if self.density is not None or self.material is None else self.material.density
        if not callable(density):
            return np.asarray(volume * positive_float(density, "SoftBody: density", "kg/m^3"))
        values = [ask(density, (point,), "SoftBody: density", ModelError) for point in x]
        values = [positive_float(value, "SoftBody: density", "kg/m^3") for value in values]
        return np.asarray(volume * np.array(values))

    def _strains(self) -> _Strains:
        """Small strains by every coordinate, about the state at rest."""
        x, volume = self.quadrature
        F = evaluate(self.gradient, x, self.rest_position)
        inverse, J = np.linalg.inv(F), np.linalg.det(F)
        slopes = evaluate(slopes_by(self.gradient, COORDINATE, len(self.labels)), x, self.rest_position)
        by_q = np.moveaxis(slopes, -1, 0) @ inverse
        return _Strains(0.5 * (by_q + by_q.swapaxes(-1, -2)), volume * J)

    def _linear(self) -> tuple[Array, Array]:
        """K and D of a linear material, (n, n) each."""
        n = len(self.labels)
        K, D, material = np.zeros((n, n)), np.zeros((n, n)), self.material
        if material is not None and (self.stiffness is None or self.damping is None):
            strains, volume = self._strains()
            if isinstance(material, Hyperelastic):
                D = material.viscosity * _viscous(strains, volume)
            elif getattr(self.kinematics, "rigid_sections", False):
                unit = _rod_energy(strains, volume)
                K = material.young * unit[0] + material.shear_modulus * unit[1]
                D = material.viscosity * (3.0 * unit[0] + unit[1])
            else:
                volumetric = np.einsum("aPii->aP", strains)
                bulk = np.einsum("aP,bP,P->ab", volumetric, volumetric, volume)
                shear = _viscous(strains, volume) + 2.0 / 3.0 * bulk
                K = material.shear_modulus * shear + self._lame(material, volumetric, strains) * bulk
                D = material.viscosity * _viscous(strains, volume)
            if isinstance(material, Material):
                D = D + material.damping_time * K
        K = K if self.stiffness is None else np.asarray(self.stiffness)
        D = D if self.damping is None else np.asarray(self.damping)
        return 0.5 * (K + K.T), 0.5 * (D + D.T)

    @staticmethod
    def _lame(material: Material, volumetric: Array, strains: Array) -> float:
        """Lame's lambda, Pa; 0 if no coordinate changes volumes."""
        if np.abs(volumetric).max(initial=0.0) <= ROUNDING * max(np.abs(strains).max(initial=0.0), 1e-300):
            return 0.0
        poisson = material.poisson_ratio
        if poisson > 0.499999:
            raise ModelError(
                "SoftBody: the kinematics change volumes, which Poisson's ratio 0.5 forbids; give the material "
                "poisson=0.45 or so, or kinematics that keep volumes"
            )
        return 2.0 * material.shear_modulus * poisson / (1.0 - 2.0 * poisson)

    def _energy(self) -> Symbols | None:
        """Elastic energy per volume (1,) of a nonlinear material, as symbols."""
        material, what = self.material, "SoftBody: energy density of the material"
        if not isinstance(material, Hyperelastic) or self.stiffness is not None:
            return None
        F, rng = self.gradient, np.random.default_rng(0)
        if material.incompressible:
            away = rng.standard_normal(len(self.labels))
            J = np.ones(1)
            for size in NEARER:  # coordinates have units of their own: some maps end long before 0.1
                gradients = evaluate(F, self.quadrature.x, self.rest_position + size * away)
                if np.isfinite(gradients).all():
                    J = np.linalg.det(gradients)
                    break
            if not np.abs(J - 1.0).max() <= ROUNDING:
                raise ModelError(
                    "SoftBody: the kinematics change volumes, which Poisson's ratio 0.5 forbids; give the material "
                    "poisson=0.49 or so, or kinematics that keep volumes"
                )
        density = ask(material.energy, (F.copy(),), what, ModelError)  # functions may write into what they are given
        symbols = as_symbols(F[0, 0].graph, np.reshape(np.array(density, dtype=object), -1), (1,), what)
        self._check_energy(symbols, material, what)
        return symbols

    def _check_energy(self, symbols: Symbols, material: Hyperelastic, what: str) -> None:
        """An energy is finite and smooth at rest, and one of strains."""
        values = evaluate(symbols, self.quadrature.x, self.rest_position)
        if not np.isfinite(values).all():
            raise ModelError(f"{what} is {values[~np.isfinite(values)][0]} at rest, must be finite")
        slopes = evaluate(slopes_by(symbols, COORDINATE, self.size), self.quadrature.x, self.rest_position)
        if not np.isfinite(slopes).all():
            raise ModelError(f"{what} has no finite slope at rest, must be smooth there (sqrt and abs have none at 0)")
        if not symbols[0].graph.of_q[symbols[0].index]:  # or it is one of strains that these kinematics do not have
            free = trace(lambda x, q: [material.energy(q.reshape(3, 3))], 9, 3, (1,), what)
            if not free[0].graph.of_q[free[0].index]:
                raise ModelError(f"{what} does not depend on the deformation gradient F")

    def _kelvin_voigt(self) -> dict[str, Any]:
        """Strains whose rates dissipate, and the viscosity, of a material that has it."""
        material = self.material
        if not isinstance(material, Hyperelastic) or self.damping is not None or not material.kelvin_voigt:
            return {}
        return {"strain": deviatoric_strain(self.gradient), "viscosity": material.kelvin_voigt}

    # ------------------------------------------------------------------ what a body is asked

    @property
    def ends(self) -> str:  # type: ignore[override]
        """What its two stations are, if it has no axis."""
        return "" if self.domain.length is not None else "its stations are s = 0, the base, and s = 1, the tip"

    @property
    def labels(self) -> tuple[str, ...]:
        """Those of the kinematics, or q1, q2, ..."""
        assert self.n is not None
        given = getattr(self.kinematics, "labels", None)
        return tuple(given) if given is not None else tuple(f"q{j + 1}" for j in range(self.n))

    @property
    def continuum(self) -> SoftBody:
        """Itself."""
        return self

    def tabulate(self) -> SoftTable:
        """Programs of its points and frames, masses, stiffness."""
        K, D = self._linear()
        mass = self.masses
        tip = self.tip_points
        return SoftTable(
            stiffness=K,
            damping=D,
            rest_position=self.rest_position,
            place=self.place,
            tip_frame=frame_symbols(self.kinematics, len(self.labels), tip is not None),
            tip_points=np.zeros(9) if tip is None else np.asarray(tip, dtype=float).ravel(),
            x=self.quadrature.x,
            mass=mass,
            length=self.domain.length,
            stations=tuple(self.stations),
            energy=self._energy(),
            volume=self.quadrature.volume,
            **self._kelvin_voigt(),
        )

    def look(self, link: str) -> SkinLook:
        """Its surface."""
        return SkinLook(link, self.domain.surface, self.place)

    def summary(self) -> tuple[str, str]:
        """Its mass; its coordinates."""
        return f"soft body {self.masses.sum():.4g} kg", ", ".join(self.labels)

    def convergence(self, q: ArrayLike | None = None) -> float:
        """How much sums over its points would change with twice as many in each direction.

        The largest change of the mass matrix of its coordinates (base held), at coordinates q (n,) (default: at rest),
        relative to its largest entry.
        """
        finer = SoftBody(
            self.kinematics, self.domain, self.material, self.n, self.tip, tuple(2 * k for k in self.points),
            self.density, self.stiffness, self.damping, self.rest, self.stations, self.moving_base,
        )  # fmt: skip
        at = self.rest_position if q is None else finite_array(q, (len(self.labels),), "q")
        coarse, fine = self._own_mass(at), finer._own_mass(at)
        return float(np.abs(coarse - fine).max() / max(np.abs(fine).max(), 1e-300))

    def _own_mass(self, q: Array) -> Array:
        J = evaluate(slopes_by(self.place, COORDINATE, len(self.labels)), self.quadrature.x, q)
        return np.asarray(np.einsum("Pia,Pib,P->ab", J, J, self.masses))


def _viscous(strains: Array, volume: Array) -> Array:
    """Damping of unit viscosity, 2 e' : e' with the deviator e' of strains."""
    volumetric = np.einsum("aPii->aP", strains)
    shear = 2.0 * np.einsum("aPij,bPij,P->ab", strains, strains, volume)
    return np.asarray(shear - 2.0 / 3.0 * np.einsum("aP,bP,P->ab", volumetric, volumetric, volume))


def _rod_energy(strains: Array, volume: Array) -> tuple[Array, Array]:
    """Of Young's modulus and of the shear modulus: K = E K_1 + G K_2 where sections stay rigid."""
    along, y, z = strains[..., 0, 0], 2.0 * strains[..., 0, 1], 2.0 * strains[..., 0, 2]
    axial = np.einsum("aP,bP,P->ab", along, along, volume)
    return axial, np.einsum("aP,bP,P->ab", y, y, volume) + np.einsum("aP,bP,P->ab", z, z, volume)
