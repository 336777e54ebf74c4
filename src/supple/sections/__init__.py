"""Cross-sections and materials of rods."""

from supple.sections.direct import Section
from supple.sections.hyperelastic import EnergyDensity, NeoHookean
from supple.sections.materials import Material
from supple.sections.properties import SectionProperties, section_properties
from supple.sections.shapes import Annulus, Circle, Ellipse, Rectangle, Shape

__all__ = [
    "Annulus",
    "Circle",
    "Ellipse",
    "EnergyDensity",
    "Material",
    "NeoHookean",
    "Rectangle",
    "Section",
    "SectionProperties",
    "Shape",
    "section_properties",
]
