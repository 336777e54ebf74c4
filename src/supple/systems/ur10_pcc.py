"""A UR10 that carries a passive soft cylinder on its tip, controlled by partial feedback linearisation."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bases import Legendre
from supple.control import computed_torque, partial_feedback_linearization
from supple.laws import Sine
from supple.lie.pose import pose
from supple.robot.bodies import Rod
from supple.robot.robot import Robot
from supple.sections import Circle, Material
from supple.solvers.integrators import NDF
from supple.systems.system import System
from supple.systems.universal_robots import add_arm

if TYPE_CHECKING:
    from supple.model.model import Model


def ur10_pcc(complete: bool = True, kp: float = 100.0, kd: float = 50.0) -> System:
    """A UR10 lets its joints follow a cosine, with a soft cylinder of 0.8 m on its tip ([AGNOSTIC-ID] S6).

    Parameters
    ----------
    complete : bool
        Whether the controller knows of the cylinder; else it knows the arm alone.
    kp, kd : float
        Gains, 1/s^2 and 1/s.
    """
    material = Material(young=6.0 * 8e6, poisson=0.5, density=1070.0, damping_time=0.054)
    strain = Legendre(bend_y=0, bend_z=0, stretch=0)
    rod = Rod(length=0.8, section=Circle(radius=0.02), material=material, strain=strain, points=4)
    robot = Robot("ur10-pcc")
    flange = add_arm(robot, "UR10")
    robot.add_link("cylinder", rod, parent=flange, at=pose(rpy=(0.0, -0.5 * pi, 0.0)))  # along z of the flange
    reference = Sine(np.ones(6), 0.5 / pi, phase=0.5 * pi)

    def linearisation(model: Model) -> Callable[..., Any]:
        if complete:
            return partial_feedback_linearization(model, reference, kp, kd)
        alone = Robot("UR10")
        add_arm(alone, "UR10")
        law = computed_torque(alone.compile(), reference, kp, kd)
        return lambda t, q, v: law(t, q[:6], v[:6])

    return System(
        name="ur10-pcc",
        robot=robot,
        t_end=10.0,
        dt=0.01,
        q0=np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, pi / 4.0, -pi / 4.0, 0.0]),
        control=linearisation,
        method=NDF(rtol=1e-5, atol=1e-8),
        watch=(("cylinder", 1.0), ("wrist_3", 1.0)),
        source="AGNOSTIC-ID, Simulation 9",
        note="The elastic parameter, printed in GPa, is read in MPa, with Young's modulus 6 C. The cylinder goes on "
        "from the flange along its axis. Numbers of the arm are its maker's; gears and motors have no inertia.",
    )
