"""Arms of Universal Robots, by the numbers that their maker publishes.

Lengths, masses and centres of mass: Universal Robots, "DH parameters for calculations of kinematics and dynamics"
(universal-robots.com/articles/ur/application-installation/dh-parameters-for-calculations-of-kinematics-and-dynamics).
Masses once more, and inertias about the centres of mass: the maker's description for ROS 2,
github.com/UniversalRobots/Universal_Robots_ROS2_Description, config/ur10/physical_parameters.yaml and
config/ur10e/physical_parameters.yaml, which gives both arms the same inertias.  Lengths of both arms were compared
with those that others took from the first page: ``UR10_PARAMS`` and ``UR10e_PARAMS`` of COMPAS FAB
(compas_fab, kinematics of offset wrists), and, with masses and centres of mass, ``models.DH.UR10`` of the Robotics
Toolbox for Python; they are the same.
"""

from __future__ import annotations

from math import pi
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.joints import Revolute
from supple.lie.pose import pose
from supple.loads import JointDrive
from supple.robot.bodies import Rigid
from supple.robot.compound_shapes import Compound
from supple.robot.rigid_shapes import FrustumShape, Moved, SolidShape
from supple.robot.robot import Robot

#: Names of the six links, as in the maker's description for ROS.
LINKS = ("shoulder", "upper_arm", "forearm", "wrist_1", "wrist_2", "wrist_3")
#: Radii of tubes in pictures, m.
RADII = (0.06, 0.055, 0.045, 0.04, 0.04, 0.035)


class Arm(NamedTuple):
    """Numbers of an arm: link i turns about z of frame i - 1, frame i is Rz(q) Tz(d) Tx(a) Rx(alpha) in it."""

    d: tuple[float, ...]  #: m
    a: tuple[float, ...]  #: m
    mass: tuple[float, ...]  #: kg


ALPHA = (0.5 * pi, 0.0, 0.0, 0.5 * pi, -0.5 * pi, 0.0)
#: Centres of mass in frame i of link i, m; those of both arms are the same.
CENTRES = (
    (0.021, 0.0, 0.027),
    (0.38, 0.0, 0.158),
    (0.24, 0.0, 0.068),
    (0.0, 0.007, 0.018),
    (0.0, 0.007, 0.018),
    (0.0, 0.0, -0.026),
)
#: Inertias about the centres of mass in axes of frame i, kg m^2: xx, xy, xz, yy, yz, zz; likewise of both.
INERTIAS = (
    (0.03408, 0.00002, -0.00425, 0.03529, 0.00008, 0.02156),
    (0.02814, 0.00005, -0.01561, 0.77068, 0.00002, 0.76943),
    (0.01014, 0.00008, 0.00916, 0.30928, 0.0, 0.30646),
    (0.00296, -0.00001, 0.0, 0.00222, -0.00024, 0.00258),
    (0.00296, -0.00001, 0.0, 0.00222, -0.00024, 0.00258),
    (0.00040, 0.0, 0.0, 0.00041, 0.0, 0.00034),
)

#: Both arms, by the sources above.
ARMS = {
    "UR10": Arm(
        d=(0.1273, 0.0, 0.0, 0.163941, 0.1157, 0.0922),
        a=(0.0, -0.612, -0.5723, 0.0, 0.0, 0.0),
        mass=(7.1, 12.7, 4.27, 2.0, 2.0, 0.365),
    ),
    "UR10e": Arm(
        d=(0.1807, 0.0, 0.0, 0.17415, 0.11985, 0.11655),
        a=(0.0, -0.6127, -0.57155, 0.0, 0.0, 0.0),
        mass=(7.369, 13.051, 3.989, 2.1, 1.98, 0.615),
    ),
}


def _look(tip: np.ndarray, radius: float) -> SolidShape:
    """Tubes from joint to joint: along z, then along x."""
    turned = {"x": pose(rpy=(0.0, 0.0, pi)), "z": pose(rpy=(0.0, -0.5 * pi, 0.0))}  # local x of a tube
    hub = Moved(FrustumShape(2.0 * radius, radius, radius), pose(xyz=(0.0, 0.0, -radius)) @ turned["z"])
    parts: list[SolidShape] = [hub]
    if tip[2, 3] > 0.0:
        parts.append(Moved(FrustumShape(float(tip[2, 3]), 0.8 * radius, 0.8 * radius), turned["z"]))
    if tip[0, 3] < 0.0:
        parts.append(Moved(FrustumShape(-float(tip[0, 3]), 0.8 * radius, 0.8 * radius), turned["x"]))
    return Compound(tuple(parts))


def add_arm(robot: Robot, kind: str = "UR10e", at: ArrayLike | None = None) -> str:
    """Add the six links of an arm, with a motor each, to a robot; its base stands at the pose ``at`` in the world.

    Returns the name of the last link, at whose tip, the tool's flange, z points outward.
    """
    numbers, parent = ARMS[kind], "world"
    placed = pose() if at is None else at
    for link, d, a, alpha, mass, com, inertia, radius in zip(
        LINKS, numbers.d, numbers.a, ALPHA, numbers.mass, CENTRES, INERTIAS, RADII, strict=True
    ):
        tip = pose(xyz=(a, 0.0, d)) @ pose(rpy=(alpha, 0.0, 0.0))
        xx, xy, xz, yy, yz, zz = inertia
        turned = tip[:3, :3] @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ tip[:3, :3].T
        centre = tip[:3, :3] @ np.array(com) + tip[:3, 3]
        body = Rigid(mass, 0.5 * (turned + turned.T), centre, tip, shape=_look(tip, radius))
        robot.add_link(link, body, Revolute("z"), parent=parent, at=placed)
        robot.add(JointDrive(f"{link} motor", link))
        parent, placed = link, pose()
    return parent
