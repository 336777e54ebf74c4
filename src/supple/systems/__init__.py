"""The papers' robots, ready to run: each a function of its parameters that returns a `System`."""

from __future__ import annotations

from collections.abc import Callable

from supple.systems.cable_manipulator import cable_manipulator, contact_cylinder
from supple.systems.cantilever import cantilever, soft_cantilever, stiff_cantilever
from supple.systems.continuum_parallel_robot import continuum_parallel_robot
from supple.systems.drones import drones
from supple.systems.fin_ray import fin_ray
from supple.systems.flying_rod import flying_rod, soft_flying_rod, stiff_flying_rod
from supple.systems.free_evolution import free_evolution, pac_arm, pcc_arm, pcs_arm, pgc_arm
from supple.systems.hybrid_arm import hybrid_arm
from supple.systems.parallel_robot import parallel_robot
from supple.systems.pcc_chain import pcc_chain
from supple.systems.pcc_regulation import pcc_regulation
from supple.systems.serial_arm import serial_arm
from supple.systems.swimmer import swimmer
from supple.systems.system import System
from supple.systems.trimmed_helicoid import trimmed_helicoid
from supple.systems.underwater_vehicle import underwater_vehicle
from supple.systems.ur10_pcc import ur10_pcc
from supple.systems.variable_radius import variable_radius

__all__ = [
    "SYSTEMS",
    "System",
    "cable_manipulator",
    "cantilever",
    "contact_cylinder",
    "continuum_parallel_robot",
    "drones",
    "fin_ray",
    "flying_rod",
    "free_evolution",
    "hybrid_arm",
    "pac_arm",
    "parallel_robot",
    "pcc_arm",
    "pcc_chain",
    "pcc_regulation",
    "pcs_arm",
    "pgc_arm",
    "serial_arm",
    "soft_cantilever",
    "soft_flying_rod",
    "stiff_cantilever",
    "stiff_flying_rod",
    "swimmer",
    "trimmed_helicoid",
    "underwater_vehicle",
    "ur10_pcc",
    "variable_radius",
]

#: All systems by name.
SYSTEMS: dict[str, Callable[..., System]] = {
    "cable-manipulator": cable_manipulator,
    "serial-arm": serial_arm,
    "fin-ray": fin_ray,
    "parallel-robot": parallel_robot,
    "contact-cylinder": contact_cylinder,
    "underwater-vehicle": underwater_vehicle,
    "cantilever": cantilever,
    "cantilever-stiff": stiff_cantilever,
    "flying-rod": flying_rod,
    "flying-rod-stiff": stiff_flying_rod,
    "drones": drones,
    "continuum-parallel-robot": continuum_parallel_robot,
    "swimmer": swimmer,
    "trimmed-helicoid": trimmed_helicoid,
    "hybrid-arm": hybrid_arm,
    "pcc-chain": pcc_chain,
    "variable-radius": variable_radius,
    "pgc-arm": pgc_arm,
    "pcc-arm": pcc_arm,
    "pac-arm": pac_arm,
    "pcs-arm": pcs_arm,
    "ur10-pcc": ur10_pcc,
    "pcc-regulation": pcc_regulation,
}
