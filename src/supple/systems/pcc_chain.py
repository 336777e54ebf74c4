"""A chain of planar bodies of constant curvature, each a soft body with one coordinate."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from supple.lie.pose import pose
from supple.robot.bodies import SoftBody
from supple.robot.domains import Cylinder
from supple.robot.robot import Robot
from supple.sections import Material
from supple.solvers.integrators import NDF
from supple.systems.system import System


@dataclass(frozen=True)
class PlanarArc:
    """Kinematics of a body that bends into an arc by the angle q about z ([AGNOSTIC-ID], toy example).

    A positive angle bends towards -y, as in the paper. Sections stay plane and rigid.
    """

    length: float
    n: int = 1
    labels: tuple[str, ...] = ("bend",)
    rigid_sections: bool = True

    def __call__(self, x: Any, q: Any) -> Any:
        """Place of a material point."""
        angle = q[0] * x[0] / self.length
        half = np.sinc(0.5 * angle / pi)
        along = x[0] * np.sinc(angle / pi) + x[1] * np.sin(angle)
        across = -0.5 * x[0] * angle * half * half + x[1] * np.cos(angle)  # (cos a - 1) / a = -a sinc(a/2)^2 / 2
        return np.stack([along, across, x[2]])


def pcc_chain(
    bodies: int = 6,
    length: float = 0.3,
    radius: float = 0.03,
    density: float = 1000.0,
    young: float = 1e6,
    damping_time: float = 0.1,
    angle: float = 1.0,
    points: int | tuple[int, int, int] = (6, 2, 6),
) -> System:
    """A hanging chain of cylinders of constant curvature swings in a plane ([AGNOSTIC-ID] Fig. 11).

    Parameters
    ----------
    bodies : int
        Their number, 1 to 20 in the paper.
    length, radius : float
        Of each, m.
    density : float
        kg/m^3.
    young, damping_time : float
        Stiffness in Pa, and damping as a time in s.
    angle : float
        By which all are bent at first, rad.
    points : int or (3,)
        Material points of every body, see `SoftBody`.
    """
    material = Material(young=young, poisson=0.5, density=density, damping_time=damping_time)
    body = SoftBody(PlanarArc(length), Cylinder(length, radius), material, points=points)
    robot, parent, at = Robot("pcc-chain"), "world", pose(rpy=(0.0, pi / 2.0, 0.0))  # local x points down
    for k in range(1, bodies + 1):
        robot.add_link(f"body{k}", body, parent=parent, at=at)
        parent, at = f"body{k}", pose()
    return System(
        name="pcc-chain",
        robot=robot,
        t_end=5.0,
        dt=0.01,
        q0=np.full(bodies, angle),
        method=NDF(rtol=1e-5, atol=1e-8),
        watch=((parent, 1.0), ("body1", 1.0)),
        source="AGNOSTIC-ID, Simulation 3",
        note="The paper evaluates inertial and centrifugal forces of this chain and does not simulate it: stiffness, "
        "damping and gravity along the straight chain are chosen here. All angles are 1 rad at first, as there.",
    )
