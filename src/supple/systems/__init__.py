"""The papers' robots, ready to run: each a function of its parameters that returns a `System`."""

from __future__ import annotations

from collections.abc import Callable

from supple.systems.cable_manipulator import cable_manipulator, contact_cylinder
from supple.systems.fin_ray import fin_ray
from supple.systems.parallel_robot import parallel_robot
from supple.systems.serial_arm import serial_arm
from supple.systems.system import System
from supple.systems.underwater_vehicle import underwater_vehicle

__all__ = [
    "SYSTEMS",
    "System",
    "cable_manipulator",
    "contact_cylinder",
    "fin_ray",
    "parallel_robot",
    "serial_arm",
    "underwater_vehicle",
]

#: All systems by name.
SYSTEMS: dict[str, Callable[..., System]] = {
    "cable-manipulator": cable_manipulator,
    "serial-arm": serial_arm,
    "fin-ray": fin_ray,
    "parallel-robot": parallel_robot,
    "contact-cylinder": contact_cylinder,
    "underwater-vehicle": underwater_vehicle,
}
