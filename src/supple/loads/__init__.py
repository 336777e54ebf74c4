"""Loads and actuators: one file per kind, and the recipe to add one in `docs/extending.md`."""

from supple.loads.cable import Cable
from supple.loads.chamber import Chamber
from supple.loads.contact import Contact
from supple.loads.distributed import Distributed
from supple.loads.elastic_tendon import ElasticTendon
from supple.loads.fluid import Fluid
from supple.loads.fluid_coefficients import AddedMass, Drag
from supple.loads.joint_drive import JointDrive
from supple.loads.loop import Loop
from supple.loads.point_wrench import PointWrench
from supple.loads.prescribed import Prescribed
from supple.loads.shapes import Ball, Box, Capsule, Plane, Spheres, Tube
from supple.loads.spring import Spring
from supple.loads.tendon import Tendon
from supple.loads.thruster import Thruster
from supple.loads.user import PairLaw, PointLaw
from supple.loads.wake import Wake

#: Everything `Robot.add` takes.
KINDS = (
    Cable,
    Chamber,
    Contact,
    Distributed,
    ElasticTendon,
    Fluid,
    JointDrive,
    Loop,
    PairLaw,
    PointLaw,
    PointWrench,
    Prescribed,
    Spring,
    Tendon,
    Thruster,
    Wake,
)

__all__ = [
    "AddedMass",
    "Ball",
    "Box",
    "Cable",
    "Capsule",
    "Chamber",
    "Contact",
    "Distributed",
    "Drag",
    "ElasticTendon",
    "Fluid",
    "JointDrive",
    "Loop",
    "PairLaw",
    "Plane",
    "PointLaw",
    "PointWrench",
    "Prescribed",
    "Spheres",
    "Spring",
    "Tendon",
    "Thruster",
    "Tube",
    "Wake",
]
