"""The hybrid serial robot: seven rigid links with given angles, and a soft rod at the end."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi

import numpy as np

from supple import laws
from supple.bases import Legendre
from supple.joints import Fixed, Revolute
from supple.lie.pose import pose
from supple.loads import Prescribed
from supple.robot.bodies import Rigid, Rod
from supple.robot.robot import Robot
from supple.sections import Circle
from supple.systems.cable_manipulator import SILICONE, one_minus_cosine
from supple.systems.system import System

#: Axes of the seven joints; x is along the links.
AXES = "xyxyxyx"


def quartic(amplitude: float, duration: float) -> laws.Polynomial:
    """amplitude x^2 (1 - x)^2 with x = t / duration: there and back, at rest at both ends."""
    scale = amplitude / duration ** np.arange(5)
    return laws.Polynomial(scale * np.array([0.0, 0.0, 1.0, -2.0, 1.0]))


def given_angles(duration: float) -> list[laws.Law]:
    """Angles of the seven joints, rad; all begin at rest at zero."""
    return [
        one_minus_cosine(0.6, 0.8),
        quartic(12.0, duration),
        one_minus_cosine(-0.5, 1.1),
        quartic(-10.0, duration),
        laws.Constant(0.0),
        one_minus_cosine(0.7, 1.5),
        laws.Constant(0.0),
    ]


def serial_arm(
    link_length: float = 0.2,
    link_radius: float = 0.03,
    rod_length: float = 0.5,
    points: int = 5,
    angles: Sequence[laws.Law] | None = None,
) -> System:
    """Seven rigid cylinders with prescribed angles carry a soft Kirchhoff rod ([GVS-AD] Fig. 7).

    ``angles`` are laws of the seven joints in rad, those of `given_angles` if omitted.
    """
    robot = Robot("serial-arm")
    parent, at = "world", pose(rpy=(0.0, -pi / 2.0, 0.0))  # local x points up
    body = Rigid.cylinder(length=link_length, radius=link_radius, density=1000.0)
    for k, (axis, law) in enumerate(zip(AXES, given_angles(10.0) if angles is None else angles, strict=True), start=1):
        robot.add_link(f"link{k}", body, joint=Revolute(axis), parent=parent, at=at)
        robot.add(Prescribed(f"link{k}", law))
        parent, at = f"link{k}", pose()
    rod = Rod(
        length=rod_length,
        section=Circle(radius=(0.015, 0.01)),
        material=SILICONE,
        strain=Legendre(torsion=4, bend_y=4, bend_z=4, stretch=4),
        points=points,
    )
    robot.add_link("rod", rod, joint=Fixed(), parent=parent)
    return System(
        name="serial-arm",
        robot=robot,
        t_end=10.0,
        dt=0.001,
        watch=(("rod", 1.0),),
        source="GVS-AD, Fig. 7",
        note="Sizes of the rigid links, the order of axes and the angles are not printed; chosen here.",
    )
