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
from supple.files.routes import HelicalRoute
from supple.files.samples import Samples
from supple.robot import bodies, compound_shapes, domains, kinematics, rigid_shapes
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
}

#: Fields whose keys are names of links.
BY_LINK: dict[str, tuple[str, ...]] = {
    "Tendon": ("route", "until", "slope"),
    "ElasticTendon": ("route", "until", "slope"),
    "Chamber": ("route", "until", "slope"),
    "Fluid": ("drag", "added_mass"),
}

#: Fields that hold files, which are relative to the model file.
FILES = {"MeshShape": "file"}

#: Fields that may be the very object of another field, by whose name they are then written: a rod against itself.
SAME = {"Contact": ("b", "a")}

#: Kinds that stand in none of the packages.
EXTRA = (Controller, PartOfState, HelicalRoute, Samples)


@cache
def kinds() -> dict[str, type]:
    """Classes by name."""
    found: dict[str, type] = {}
    rooms = joints, bodies, sections, bases, laws, loads, rigid_shapes, compound_shapes, domains, kinematics
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


def default(field: Field[Any]) -> Any:
    """What a field is if it is left out; `MISSING` if it must be given."""
    return field.default_factory() if field.default_factory is not MISSING else field.default


def required(kind: str) -> Iterable[str]:
    """Fields that must be given."""
    return (name for name, field in fields_of(kind).items() if default(field) is MISSING)
