"""The fin-ray finger: two walls that meet at the top, joined by ribs, bent by sliding the base of one of them."""

from __future__ import annotations

from math import asin, cos, pi, sin

import numpy as np

from supple import laws
from supple.bases import Legendre
from supple.joints import Fixed, Prismatic, Revolute
from supple.lie.pose import pose
from supple.loads import Loop, Prescribed
from supple.robot.bodies import Rod
from supple.robot.robot import Robot
from supple.sections import Material, Rectangle
from supple.solvers.integrators import GeneralizedAlpha
from supple.systems.system import System

ABS = Material(young=2e9, poisson=0.35, density=1040.0, viscosity=1e5)


def fin_ray(
    base_width: float = 0.06, segments: int = 6, segment_length: float = 0.03, stroke: float = 0.025, points: int = 5
) -> System:
    """The fin-ray finger of [GVS-AD] Fig. 10: 17 soft links, 74 coordinates, six closed loops.

    The finger stands along x in the x-z plane; the base of its left wall slides along z.
    """
    height = segments * segment_length
    lean = asin(0.5 * base_width / height)  # of each wall against x
    wall, rib_section = Rectangle(height=0.025, width=0.001), Rectangle(height=0.01, width=0.001)
    strain = Legendre(bend_y=1, stretch=0, shear_z=0)
    robot = Robot("fin-ray", gravity=(0.0, 0.0, 0.0))

    def rod(length: float, section: Rectangle) -> Rod:
        return Rod(length=length, section=section, material=ABS, strain=strain, points=points)

    for side, z, turn in (("left", -0.5 * base_width, -lean), ("right", 0.5 * base_width, lean)):
        parent = "world"
        for k in range(1, segments + 1):
            first = parent == "world"
            joint = Prismatic((sin(lean), 0.0, cos(lean))) if first and side == "left" else Fixed()
            at = pose(xyz=(0.0, 0.0, z), rpy=(0.0, turn, 0.0)) if first else pose()
            robot.add_link(f"{side}{k}", rod(segment_length, wall), joint=joint, parent=parent, at=at)
            parent = f"{side}{k}"
    sliding = laws.Sine(stroke, 1.0 / 5.0) * _rise(2.0)
    robot.add(Prescribed("left1", sliding))
    for k in range(1, segments):
        gap = base_width * (1.0 - k / segments)
        # from the left wall's node straight along +z: the wall leans by -lean, so +z is turned by lean - pi/2 in it
        across = pose(rpy=(0.0, lean - pi / 2.0, 0.0))
        robot.add_link(f"rib{k}", rod(gap, rib_section), joint=Revolute("y"), parent=f"left{k}", at=across)
        robot.add(Loop(f"hinge{k}", a=(f"rib{k}", pose()), b=(f"right{k}", pose()), joint=Revolute("y")))
    meeting = pose(rpy=(0.0, -2.0 * lean, 0.0))  # the left wall's direction, seen from the right wall
    robot.add(Loop("top", a=(f"left{segments}", pose()), b=(f"right{segments}", meeting), joint=Fixed()))
    return System(
        name="fin-ray",
        robot=robot,
        t_end=10.0,
        dt=0.01,
        method=GeneralizedAlpha(dt=0.01),  # variable steps would follow every rib that buckles
        watch=((f"left{segments}", 1.0), ("left3", 1.0)),
        source="GVS-AD, Fig. 10",
        note="Base width, density, damping and the law of the slider are not printed; chosen here.",
    )


def _rise(rate: float, until: float = 10.0) -> laws.Law:
    """1 - exp(-rate t), as a spline that is exact to 1e-9."""
    times = np.linspace(0.0, until, 2001)
    return laws.Spline(times, 1.0 - np.exp(-rate * times))
