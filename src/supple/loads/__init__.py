"""Loads and actuators: one file per kind, and the recipe to add one in `docs/extending/load.md`."""

from supple.constraints.loop import Loop
from supple.constraints.prescribed import Prescribed
from supple.loads.bearing_friction import BearingFriction
from supple.loads.contact.contact import Contact
from supple.loads.contact.shapes import Ball, Box, Capsule, Plane, Spheres, Tube
from supple.loads.fluid.coefficients import AddedMass, Drag
from supple.loads.fluid.fluid import Fluid
from supple.loads.fluid.thruster import Thruster
from supple.loads.fluid.wake import Wake
from supple.loads.joint_drive import JointDrive
from supple.loads.lines.cable import Cable
from supple.loads.lines.cavity import Cavity
from supple.loads.lines.chamber import Chamber
from supple.loads.lines.elastic_tendon import ElasticTendon
from supple.loads.lines.tendon import Tendon
from supple.loads.nets import SpringNet
from supple.loads.spring import Spring
from supple.loads.springs import Springs
from supple.loads.user.laws import PairLaw, PointLaw
from supple.loads.wrenches.distributed import Distributed
from supple.loads.wrenches.point_wrench import PointWrench

#: Everything `Robot.add` takes.
KINDS = (
    BearingFriction,
    Cable,
    Cavity,
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
    Springs,
    Tendon,
    Thruster,
    Wake,
)

__all__ = [
    "AddedMass",
    "Ball",
    "BearingFriction",
    "Box",
    "Cable",
    "Capsule",
    "Cavity",
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
    "SpringNet",
    "Springs",
    "Tendon",
    "Thruster",
    "Tube",
    "Wake",
]
