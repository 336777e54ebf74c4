"""From a section and a material to the 6x6 matrices per unit length that the mechanics needs.

Order of rows and columns: torsion, bend_y, bend_z, stretch, shear_y, shear_z (angular first).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.checks import Array, shown
from supple.errors import ModelError
from supple.sections.direct import Section
from supple.sections.materials import Material
from supple.sections.shapes import Annulus, Circle, Ellipse, Rectangle, Shape


class SectionProperties(NamedTuple):
    """Matrices of a section per unit length of rod, each (6, 6)."""

    stiffness: Array
    """Wrench per strain, N m^2 and N."""
    damping: Array
    """Wrench per strain rate, N m^2 s and N s."""
    inertia: Array
    """Spatial inertia per metre in the local frame, kg m and kg/m."""


def section_properties(section: Shape | Section, material: Material | None, s: float) -> SectionProperties:
    """Stiffness, damping and inertia per unit length at s.

    Parameters
    ----------
    section : Shape or Section
        Shape with its dimensions, or the matrices themselves.
    material : Material or None
        Required with a shape; None with a `Section`.
    s : float
        Position along the rod, 0 at the base, 1 at the tip.

    Notes
    -----
    With k_y, k_z the shear factors, eta the viscosity, mu the damping time, rho the density::

        stiffness = diag(G Jx, E Jy, E Jz, E A, k_y G A, k_z G A)
        damping   = eta diag(Jx, 3 Jy, 3 Jz, 3 A, A, A) + mu stiffness
        inertia   = rho diag(Jy + Jz, Jy, Jz, A, A, A)

    The factor 3 is the ratio E/G of an incompressible material. Jx is the torsion constant.

    Raises
    ------
    ModelError
        If the material is missing or superfluous, or a dimension is not positive at s.
    """
    check_material(section, material)
    if isinstance(section, Section):
        return SectionProperties(section.stiffness_at(s), section.damping_at(s), section.inertia_at(s))
    assert material is not None
    area, (polar, y, z) = section.area(s), section.second_moments(s)
    plain = section.torsion_constant is None and type(section).torsion is Shape.torsion
    torsion = polar if plain else section.torsion(s)  # a user's function of s is asked no more often than need be
    factor_y, factor_z = section.shear_factors
    young, shear = material.young, material.shear_modulus
    stiffness, damping, inertia = np.zeros((3, 6, 6))
    stiffness.flat[::7] = (
        shear * torsion,
        young * y,
        young * z,
        young * area,
        factor_y * shear * area,
        factor_z * shear * area,
    )
    damping.flat[::7] = (torsion, 3.0 * y, 3.0 * z, 3.0 * area, area, area)
    damping *= material.viscosity
    inertia.flat[::7] = (polar, y, z, area, area, area)
    inertia *= material.density
    return SectionProperties(stiffness, damping + material.damping_time * stiffness, inertia)


def is_uniform(section: Shape | Section) -> bool:
    """Whether a section is known to be the same all along a rod: numbers for dimensions, constant matrices.

    Only our own shapes are known that well; one derived from them may do with s what it likes.
    """
    if type(section) is Section:
        parts = (section.stiffness, section.inertia, section.damping, section.radius)
        return not any(callable(part) or isinstance(part, tuple) for part in parts) and (
            section.shape is None or is_uniform(section.shape)
        )
    if type(section) not in (Annulus, Circle, Ellipse, Rectangle):
        return False
    assert isinstance(section, Shape)
    given = [getattr(section, name) for name in section.dimensions]
    return all(isinstance(value, float) for value in given) and not (
        callable(section.torsion_constant) or isinstance(section.torsion_constant, tuple)
    )


def check_material(section: Shape | Section, material: Material | None) -> None:
    """A shape needs a material, a `Section` must not have one."""
    if isinstance(section, Section):
        if material is not None:
            raise ModelError("a Section holds its own stiffness and inertia: leave the material out")
    elif not isinstance(section, Shape):
        raise ModelError(f"section is {shown(section)}, must be a shape such as Circle(radius=0.01) or a Section")
    elif material is None:
        raise ModelError(f"a {type(section).__name__} needs a material: give material=Material(...)")
    elif not isinstance(material, Material):
        raise ModelError(f"material is {shown(material)}, must be a Material")
