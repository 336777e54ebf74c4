"""The hybrid parallel robot: a rigid platform on three soft pillars."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np

from supple import laws
from supple.bases import Legendre
from supple.joints import Fixed, Revolute, Spherical
from supple.lie.pose import pose
from supple.loads import Loop, PointWrench
from supple.robot.bodies import Rigid, Rod
from supple.robot.rigid_shapes import PrismShape
from supple.robot.robot import Robot
from supple.sections import Rectangle
from supple.solvers.integrators import NDF
from supple.systems.cable_manipulator import SILICONE
from supple.systems.system import System


def sine(amplitude: float, omega: float, axis: int) -> laws.Law:
    """amplitude sin(omega t) in one component of a wrench."""
    return laws.Sine(amplitude * np.eye(6)[axis], omega / (2.0 * pi))


def given_wrench() -> laws.Law:
    """World wrench [m; f] on the platform's centre: N m, N."""
    w = pi / 5.0
    return (
        sine(0.04, 2.0 * w, 0)
        + sine(-0.04, w, 1)
        + sine(0.02, 4.0 * w, 2)
        + sine(0.4, w, 3)
        + sine(0.4, 2.0 * w, 4)
        + sine(-0.2, w, 5)
    )


def parallel_robot(
    side: float = 0.2,
    thickness: float = 0.01,
    pillar_length: float = 0.15,
    points: int = 5,
    wrench: laws.Law | None = None,
) -> System:
    """Three soft pillars carry a triangular platform ([GVS-AD] Fig. 12): 63 coordinates, two closed loops.

    Pillar 1 is clamped, the platform hangs on it by a spherical joint, and the other pillars hang on the platform and
    stand on the ground with revolute joints, whose axes are tangents of the circle on which the pillars stand.
    ``wrench`` [m; f] acts on the platform's centre, in world axes; that of `given_wrench` if omitted.
    """
    radius = side / sqrt(3.0)
    pillar = Rod(
        length=pillar_length,
        section=Rectangle(height=0.03, width=0.015),
        material=SILICONE,
        strain=Legendre(torsion=3, bend_y=3, bend_z=3, stretch=1, shear_y=1, shear_z=1),
        points=points,
    )
    area = sqrt(3.0) / 4.0 * side**2
    mass = SILICONE.density * area * thickness
    flat = mass * side**2 / 24.0 + mass * thickness**2 / 12.0  # in the plane of the triangle
    robot = Robot("parallel-robot")
    angles = (0.0, 2.0 * pi / 3.0, 4.0 * pi / 3.0)
    corners = [np.array([radius * cos(a), radius * sin(a), 0.0]) for a in angles]
    up, down = pose(rpy=(0.0, -pi / 2.0, 0.0)), pose(rpy=(0.0, pi / 2.0, 0.0))
    robot.add_link("pillar1", pillar, joint=Fixed(), at=pose(xyz=corners[0]) @ up)
    # the platform's frame has world axes, its origin at the first corner
    triangle = PrismShape([(corner - corners[0])[:2] for corner in corners], thickness)
    inertia = np.diag([flat, flat, mass * side**2 / 12.0])
    platform = Rigid(mass=mass, inertia=inertia, com=-corners[0], shape=triangle)
    robot.add_link("platform", platform, joint=Spherical(), parent="pillar1", at=np.linalg.inv(up))
    for k in (2, 3):
        corner, hanging = corners[k - 1], pose(rpy=(0.0, 0.0, angles[k - 1])) @ down
        at = pose(xyz=corner - corners[0]) @ hanging
        robot.add_link(f"pillar{k}", pillar, joint=Spherical(), parent="platform", at=at)
        foot = ("world", pose(xyz=corner) @ hanging)
        robot.add(Loop(f"foot{k}", a=(f"pillar{k}", pose()), b=foot, joint=Revolute("y")))
    robot.add(
        PointWrench(
            "platform",
            wrench=given_wrench() if wrench is None else wrench,
            s=0.0,
            offset=pose(xyz=-corners[0]),
            frame="world",
        )
    )
    return System(
        name="parallel-robot",
        robot=robot,
        t_end=10.0,
        dt=0.01,
        method=NDF(),
        watch=(("platform", 0.0),),
        source="GVS-AD, Fig. 12",
        note="The wrench is printed as a figure and the places of the pillars are not; chosen here.",
    )
