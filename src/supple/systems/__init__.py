"""The papers' robots, ready to run: each a function of its parameters that returns a `System`."""

from __future__ import annotations

from collections.abc import Callable

from supple.systems.cable_manipulator import cable_manipulator, contact_cylinder
from supple.systems.system import System

__all__ = ["SYSTEMS", "System", "cable_manipulator", "contact_cylinder"]

#: All systems by name.
SYSTEMS: dict[str, Callable[..., System]] = {
    "cable-manipulator": cable_manipulator,
    "contact-cylinder": contact_cylinder,
}
