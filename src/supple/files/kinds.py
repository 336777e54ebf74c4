"""What files can hold: classes by name, and what some of their fields mean.

Every public dataclass of joints, bodies, sections, bases, laws and loads is here by itself: a new joint or load needs
no entry, unless it takes functions along a rod or something by link.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any

from supple import bases, joints, laws, loads, sections
from supple.bases.protocol import COMPONENTS
from supple.files.formulas import Formula
from supple.files.routes import HelicalRoute
from supple.files.samples import PointSamples, Samples
from supple.robot import bodies, compound_shapes, domains, kinematics, modal, rigid_shapes
from supple.robot.attaching import PartOfState
from supple.robot.controller import Controller

_PROFILES = ("radius", "outer", "inner", "height", "width", "semi_y", "semi_z", "torsion_constant")

#: Fields that may hold functions along a rod, which are saved as samples; by the name of the class.
SAMPLED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("Circle", "Annulus", "Rectangle", "Ellipse"), _PROFILES),
    "Section": ("stiffness", "inertia", "damping", "radius"),
    "Rod": ("rest_strain",),
    "CustomBasis": ("order", *COMPONENTS),
    "Tendon": ("route", "slope"),
    "ElasticTendon": ("route", "slope"),
    "Chamber": ("route", "slope", "area"),
    "Distributed": ("wrench",),
    "Fluid": ("drag", "added_mass"),
    "Wake": ("added_mass",),
    "SoftBody": ("density",),
    "Cavity": ("region",),
}

#: Fields that may hold functions that are traced, which are saved as formulas.
TRACED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("Stretch", "Twist", "Shear", "Bend", "Source"), ("modes",)),
    "SoftBody": ("kinematics",),
    "EnergyDensity": ("function",),
    "StrainEnergy": ("function",),
}

#: Fields whose keys are names, of links or of numbers.
BY_LINK: dict[str, tuple[str, ...]] = {
    "Tendon": ("route", "until", "slope"),
    "ElasticTendon": ("route", "until", "slope"),
    "Chamber": ("route", "until", "slope"),
    "Fluid": ("drag", "added_mass"),
    "StrainEnergy": ("given",),
}

#: Fields that hold files, which are relative to the model file.
FILES = {"MeshShape": "file"}

#: Fields that may be the very object of another field, by whose name they are then written: a rod against itself.
SAME = {"Contact": ("b", "a")}

#: Kinds that stand in none of the packages.
EXTRA = (Controller, PartOfState, HelicalRoute, Samples, PointSamples, Formula)


@cache
def kinds() -> dict[str, type]:
    """Classes by name."""
    found: dict[str, type] = {}
    rooms = joints, bodies, sections, bases, laws, loads, rigid_shapes, compound_shapes, domains, kinematics, modal
    for value in (*(value for room in rooms for value in vars(room).values()), *EXTRA):
        if not isinstance(value, type) or not is_dataclass(value) or getattr(value, "__abstractmethods__", None):
            continue
        if found.setdefault(value.__name__, value) is not value:
            raise AssertionError(f"two kinds are called {value.__name__}")
    return found


def kind_of(value: Any) -> str | None:
    """Name of the kind of an object; None if files cannot hold it."""
    name = type(value).__name__
    return name if kinds().get(name) is type(value) else None


@cache
def fields_of(kind: str) -> dict[str, Field[Any]]:
    """Fields of a kind that its constructor takes, by name."""
    return {field.name: field for field in fields(kinds()[kind]) if field.init}


#: What the types of fields begin with that hold numbers and functions, and never a text.
_NO_TEXT = ("ArrayLike", "float", "int", "bool", "None", "Callable", "Friction", "Sequence[float", "tuple[float")


@cache
def takes_no_text(kind: str) -> frozenset[str]:
    """Fields of a kind whose values are numbers, or lists of them, or functions."""
    return frozenset(
        name
        for name, field in fields_of(kind).items()
        if all(part.strip().startswith(_NO_TEXT) for part in str(field.type).split(" | "))
    )


def default(field: Field[Any]) -> Any:
    """What a field is if it is omitted; `MISSING` if it must be given."""
    return field.default_factory() if field.default_factory is not MISSING else field.default


def required(kind: str) -> Iterable[str]:
    """Fields that must be given."""
    return (name for name, field in fields_of(kind).items() if default(field) is MISSING)
