"""Loads and actuators: one file per kind, and the recipe to add one in `docs/extending.md`."""

from supple.loads.cable import Cable
from supple.loads.chamber import Chamber
from supple.loads.distributed import Distributed
from supple.loads.elastic_tendon import ElasticTendon
from supple.loads.joint_drive import JointDrive
from supple.loads.loop import Loop
from supple.loads.point_wrench import PointWrench
from supple.loads.prescribed import Prescribed
from supple.loads.spring import Spring
from supple.loads.tendon import Tendon

__all__ = [
    "Cable",
    "Chamber",
    "Distributed",
    "ElasticTendon",
    "JointDrive",
    "Loop",
    "PointWrench",
    "Prescribed",
    "Spring",
    "Tendon",
]
