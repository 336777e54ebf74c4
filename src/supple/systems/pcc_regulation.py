"""A soft arm of three bodies of constant curvature, whose shape is regulated by PD+."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bases import Legendre
from supple.control import PDPlus, pd_plus
from supple.laws import Steps
from supple.lie.pose import pose
from supple.loads import Chamber
from supple.robot.bodies import Rod
from supple.robot.robot import Robot
from supple.sections import Circle, Material
from supple.solvers.integrators import NDF
from supple.systems.system import System

if TYPE_CHECKING:
    from supple.model.model import Model

#: Shapes to take one after the other: per body angles about y and z, and elongation, m. The last one is printed.
SHAPES = (
    (0.5, 0.0, 0.01, 0.5, 0.0, 0.0, 0.5, 0.0, -0.01),
    (-0.5, 0.8, 0.0, 0.4, -0.4, 0.01, 0.8, 0.5, 0.0),
    (0.5, 0.5, 0.0, -0.3, 0.3, 0.0, -1.0, 1.0, 0.0),
)


def pcc_regulation(
    kp: float = 0.2, kd: float = 0.1, hold: float = 5.0, length: float = 0.2, radius: float = 0.02
) -> System:
    """An arm of three bodies of constant curvature takes three shapes, one after the other ([AGNOSTIC-ID] S7).

    Parameters
    ----------
    kp, kd : float
        Gains on angles, N m and N m s, and on elongations, N/m and N s/m.
    hold : float
        Time for each shape, s.
    length, radius : float
        Of each body, m.
    """
    material = Material(young=6.0 * 5.55e6, poisson=0.5, density=1070.0, damping_time=0.066)
    strain = Legendre(bend_y=0, bend_z=0, stretch=0)
    rod = Rod(length=length, section=Circle(radius=radius), material=material, strain=strain, points=4)
    robot, parent, at = Robot("pcc-regulation"), "world", pose(rpy=(0.0, pi / 2.0, 0.0))  # hangs along gravity
    for k in range(1, 4):
        robot.add_link(f"body{k}", rod, parent=parent, at=at)
        parent, at = f"body{k}", pose()
        for j in range(3):
            angle = 2.0 * pi * j / 3.0
            place: Any = (0.75 * radius * cos(angle), 0.75 * radius * sin(angle))
            robot.add(Chamber(f"chamber{k}{j + 1}", {f"body{k}": place}, area=1e-4))
    unit = np.tile([1.0, 1.0, length], 3)  # of the paper's coordinates in ours: elongations are strains times length
    shapes = Steps([0.0, hold, 2.0 * hold], np.array(SHAPES) / unit)

    def regulator(model: Model) -> PDPlus:
        return pd_plus(model, shapes, kp * unit**2, kd * unit**2)

    return System(
        name="pcc-regulation",
        robot=robot,
        t_end=3.0 * hold,
        dt=0.01,
        control=regulator,
        breaks=shapes.breaks,
        method=NDF(rtol=1e-5, atol=1e-8),
        watch=(("body3", 1.0), ("body1", 1.0)),
        source="AGNOSTIC-ID, Simulation 10",
        note="The paper takes generalised forces as inputs; here three chambers per body give them, whose forces "
        "do not depend on the shape. Of the three shapes the last one is printed. The elastic parameter, printed in "
        "GPa, is read in MPa, with Young's modulus 6 C. Gains on elongations are per metre, as printed.",
    )
