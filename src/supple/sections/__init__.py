"""Cross-sections and materials of rods."""

from supple.sections.direct import Section
from supple.sections.hyperelastic import EnergyDensity, NeoHookean
from supple.sections.materials import Material
from supple.sections.properties import SectionProperties, section_properties
from supple.sections.rod_laws import MooneyRivlinRod, QuadraticEnergy, RodLaw, Saturating, Stiffening, StrainEnergy
from supple.sections.shapes import Annulus, Circle, Ellipse, Rectangle, Shape

__all__ = [
    "Annulus",
    "Circle",
    "Ellipse",
    "EnergyDensity",
    "Material",
    "MooneyRivlinRod",
    "NeoHookean",
    "QuadraticEnergy",
    "Rectangle",
    "RodLaw",
    "Saturating",
    "Section",
    "SectionProperties",
    "Shape",
    "Stiffening",
    "StrainEnergy",
    "section_properties",
]
