"""Coefficients of a fluid's forces: matrices as users give them, or made from the size of a section or a body."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, ask, finite_array, finite_float, nonnegative_float, real_array, shown
from supple.errors import ModelError

if TYPE_CHECKING:
    pass


class Sizes(NamedTuple):
    """What coefficients multiply: half extents of a section, or areas of a rigid body."""

    frontal: Array  #: (3,) area seen along x, y, z [m^2]; per metre of rod [m], 0 along x
    skin: float  #: lateral surface [m^2]; per metre of rod [m]
    reference: Array  #: (3,) volume that added-mass coefficients along x, y, z refer to [m^3]; per metre of rod [m^2]


@dataclass(frozen=True)
class Drag:
    """Drag and lift from the size of a section or of a body.

    Parameters
    ----------
    normal : float
        Coefficient of pressure drag across a rod and along all axes of a rigid body: rho/2 C A with the area A seen
        along the motion, which is rho C r per metre of a round rod.
    tangential : float
        Coefficient of skin friction along the x axis: rho/2 C S with the lateral surface S.
    lift : float
        Coefficient C of the force rho C r |v| (0, v_z, -v_y), on rods only; its sign is the handedness of the motion.

    Notes
    -----
    The linear block of D is, for a round rod of radius r, rho r [[pi tangential, 0, 0], [0, normal, -lift],
    [0, lift, normal]]; spin is not resisted.  The defaults are those of soft flagella and stiff shafts in water.
    """

    normal: float = 1.1
    tangential: float = 0.01
    lift: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "normal", nonnegative_float(self.normal, "Drag: normal"))
        object.__setattr__(self, "tangential", nonnegative_float(self.tangential, "Drag: tangential"))
        object.__setattr__(self, "lift", finite_float(self.lift, "Drag: lift"))

    def matrix(self, density: float, sizes: Sizes) -> Array:
        """D, (6, 6)."""
        D = np.zeros((6, 6))
        D[3:, 3:] = np.diag(0.5 * density * self.normal * sizes.frontal)
        D[3, 3] += 0.5 * density * self.tangential * sizes.skin
        if sizes.frontal[0] == 0.0:
            lift = 0.5 * density * self.lift * math.sqrt(sizes.frontal[1] * sizes.frontal[2])
            D[4, 5], D[5, 4] = -lift, lift
        return D


@dataclass(frozen=True)
class AddedMass:
    """Added mass from the size of a section or of a body.

    Parameters
    ----------
    x, y, z : float
        Coefficients along the axes of the section or body.  Rods: of rho pi h^2 per metre, h half the width across the
        motion (ideal fluid: 1 for circles and ellipses).  Rigid bodies: of rho V (ideal fluid: 0.5 for a sphere).
    """

    x: float = 0.0
    y: float = 0.6
    z: float = 0.6

    def __post_init__(self) -> None:
        for axis in "xyz":
            object.__setattr__(self, axis, nonnegative_float(getattr(self, axis), f"AddedMass: {axis}"))

    def matrix(self, density: float, sizes: Sizes) -> Array:
        """M_a, (6, 6)."""
        return np.diag(np.append(np.zeros(3), density * np.array([self.x, self.y, self.z]) * sizes.reference))


#: A (6, 6) matrix, its diagonal (6,), a function of s giving either, or coefficients.
Coefficients: TypeAlias = ArrayLike | Callable[[float], ArrayLike] | Drag | AddedMass


def coefficient_matrix(
    table: Any, link: str, body: Any, s: float | None, density: float, what: str
) -> Array:
    """Matrix of a link as its user gave it, (6, 6)."""
    given = table.get(link) if isinstance(table, Mapping) else table
    if given is None:
        return np.zeros((6, 6))
    if isinstance(given, (Drag, AddedMass)):
        if isinstance(given, Drag) != (what == "drag"):
            raise ModelError(f"{what} is {given!r}: drag takes Drag(...), added_mass takes AddedMass(...)")
        sizes = _rigid_sizes(body, what) if s is None else _section_sizes(body, s, what)
        return finite_array(given.matrix(density, sizes), (6, 6), what)
    if table is given:
        raise ModelError(
            f"{what} is {shown(given)}, must be a dict of links or {'Drag' if what == 'drag' else 'AddedMass'}(...)"
        )
    if callable(given):
        if s is None:
            raise ModelError(
                f"{what} is a function of s, but the link is rigid: give one matrix, at its centre of mass"
            )
        what = f"{what} at s = {s:.2f}"
        given = ask(given, (s,), what, ModelError)
    matrix = real_array(given, what)
    return finite_array(np.diag(matrix) if matrix.shape == (6,) else matrix, (6, 6), what)


def _section_sizes(body: Any, s: float, what: str) -> Sizes:
    if not body.section.has_outline:
        raise ModelError(f"{what} needs the size of the section: give Section(..., radius=...), or a matrix")
    y, z = body.section.half_extents(s)
    return Sizes(np.array([0.0, 2.0 * z, 2.0 * y]), np.pi * (y + z), np.pi * np.array([y * z, z * z, y * y]))


def _rigid_sizes(body: Any, what: str) -> Sizes:
    from supple.robot.rigid_shapes import BoxShape, FrustumShape, SphereShape

    shape = body.shape
    if isinstance(shape, BoxShape):
        x, y, z = shape.size
        frontal, skin = np.array([y * z, z * x, x * y]), 2.0 * x * (y + z)
    elif isinstance(shape, SphereShape):
        frontal, skin = np.full(3, np.pi * shape.radius**2), 0.0
    elif isinstance(shape, FrustumShape):
        a, b, length = shape.base_radius, shape.tip_radius, shape.length
        side = (a + b) * length
        frontal, skin = np.array([np.pi * max(a, b) ** 2, side, side]), np.pi * (a + b) * math.hypot(length, a - b)
    elif body.mass == 0.0:  # an adapter
        return Sizes(np.zeros(3), 0.0, np.zeros(3))
    else:
        raise ModelError(f"{what} needs the shape of the body: give a matrix, or make it by Rigid.box and the like")
    return Sizes(frontal, skin, np.full(3, shape.volume))


def displaced_volume(body: Any, s: float | None) -> float:
    """Volume of a rigid body, or area of a rod's section at s."""
    if s is None:
        if body.volume is None and body.mass > 0.0:
            raise ModelError(
                "buoyancy needs the volume of this rigid body: give Rigid(..., volume=...), or leave the link out of "
                "Fluid(links=...), or set buoyancy=False"
            )
        return float(body.volume or 0.0)
    if hasattr(body.section, "area"):
        return float(body.section.area(s))
    if not body.section.has_outline:
        raise ModelError("buoyancy needs the size of the section: give Section(..., radius=...) or set buoyancy=False")
    return float(np.pi * body.section.outline_radius(s) ** 2)
