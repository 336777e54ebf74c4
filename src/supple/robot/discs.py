"""Discs along a rod: where they are, and the body of each."""

from __future__ import annotations

import math
from typing import Any

from supple.checks import positive_float
from supple.errors import ModelError
from supple.robot.bodies import Rigid
from supple.robot.validate import disc_stations


def checked_discs(
    n: Any, at: Any, radius: Any, thickness: Any, density: Any, mass: Any
) -> tuple[list[float], Rigid, float]:
    """Stations, body and thickness [m] of discs, as `Robot.add_discs` takes them."""
    stations = disc_stations(n, at)
    radius, thickness = positive_float(radius, "radius", "m"), positive_float(thickness, "thickness", "m")
    if (density is None) == (mass is None):
        raise ModelError("give either their density or the mass of each")
    if density is None:
        density = positive_float(mass, "mass", "kg") / (math.pi * radius**2 * thickness)
    return stations, Rigid.cylinder(thickness, radius, density=density), thickness
