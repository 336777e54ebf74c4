"""A UR10e with a soft arm and a soft gripper: reach, swing up, grasp."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bases import Legendre
from supple.control import partial_feedback_linearization, pd_plus
from supple.joints import Fixed
from supple.lie.pose import pose
from supple.loads import Cavity, Tendon
from supple.robot.bodies import Rod, SoftBody
from supple.robot.domains import HollowCylinder
from supple.robot.kinematics import PolynomialMode, Source, Stretch, VolumePreserving
from supple.robot.robot import Robot
from supple.sections import Circle, Material, NeoHookean
from supple.solvers.integrators import NDF
from supple.systems.system import System
from supple.systems.universal_robots import LINKS, add_arm

if TYPE_CHECKING:
    from supple.model.model import Model

#: Where the arm goes, rad, and when it is there, s.
REACHED, REACHING = np.array([pi / 2, -pi / 4, -pi / 4, -pi / 5, pi / 8, -pi / 2]), 3.0
#: Shape of the soft arm after its swing (angles about y and z, elongation in m), when that begins, and the grasp, s.
SWUNG, SWINGING, GRASPING = (-pi / 2, pi / 4, -0.02), 3.0, 5.0


def reaching(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles of the arm with rates and accelerations: a cubic from rest to rest."""
    x = min(t / REACHING, 1.0)
    moves = 1.0 if t < REACHING else 0.0
    rate, acceleration = 6.0 * x * (1.0 - x) / REACHING, 6.0 * (1.0 - 2.0 * x) / REACHING**2
    return REACHED * x * x * (3.0 - 2.0 * x), REACHED * moves * rate, REACHED * moves * acceleration


class Task:
    """Inputs of all three parts of the task: motors, then tendons, then pressure."""

    def __init__(self, model: Model, kp: float, kd: float, soft_kp: Any, soft_kd: Any, pressure: float, length: float):
        motors = [f"{link} motor" for link in LINKS]
        tendons = ["tendon1", "tendon2", "tendon3"]
        self.pressure, self.index = pressure, model.input_names.index("pressure")
        self.arm = partial_feedback_linearization(model, reaching, kp, kd, inputs=motors)
        unit = np.array([1.0, 1.0, length])
        self.soft = pd_plus(
            model,
            np.array(SWUNG) / unit,
            soft_kp * unit**2,
            soft_kd * unit**2,
            compensation="state",
            coordinates=[name for name in model.coordinate_names if name.startswith("soft arm.")],
            inputs=tendons,
            limits=(0.0, np.inf),
        )

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """All inputs."""
        u = self._pressed(t)
        return self.arm(t, q, v, self.soft(t, q, v, u) if t >= SWINGING else u)

    def slopes(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray | None:
        """Derivatives of all inputs by q and v: motors know what tendons do."""
        u = self._pressed(t)
        if t < SWINGING:
            return self.arm.slopes(t, q, v, u)
        return self.arm.slopes(t, q, v, self.soft(t, q, v, u), self.soft.slopes(t, q, v, u))

    def _pressed(self, t: float) -> np.ndarray:
        """Inputs with the pressure alone."""
        u = np.zeros(self.soft.model.nu)
        if t >= GRASPING:
            u[self.index] = self.pressure
        return u


def hybrid_arm(
    kp: float = 100.0,
    kd: float = 10.0,
    soft_kp: tuple[float, float, float] = (1.0, 1.0, 2000.0),
    soft_kd: tuple[float, float, float] = (0.2, 0.2, 20.0),
    pressure: float = 2e6,
    points: tuple[int, int, int] = (4, 2, 6),
) -> System:
    """A UR10e reaches out, swings up the soft arm that it carries, and closes a soft gripper ([AGNOSTIC-ID] Fig. 8).

    Parameters
    ----------
    kp, kd : float
        Gains of the arm's joints, 1/s^2 and 1/s.
    soft_kp, soft_kd : (3,)
        Gains of the soft arm: two angles, N m and N m s, and the elongation, N/m and N s/m.
    pressure : float
        In the gripper, Pa.
    points : (3,)
        Material points of the gripper along its axis, outward and around.
    """
    length, offset = 0.3, 0.015
    rubber = Material(young=6.0 * 0.17857e6, poisson=0.5, density=1070.0, damping_time=0.1)
    strain = Legendre(bend_y=0, bend_z=0, stretch=0)
    robot = Robot("hybrid-arm")
    flange = add_arm(robot, "UR10e")
    rod = Rod(length=length, section=Circle(radius=0.02), material=rubber, strain=strain, points=4)
    robot.add_link("soft arm", rod, Fixed(), parent=flange, at=pose(rpy=(0.0, -0.5 * pi, 0.0)))
    for j in range(3):
        angle = 2.0 * pi * j / 3.0
        place: Any = (offset * cos(angle), offset * sin(angle))
        robot.add(Tendon(f"tendon{j + 1}", {"soft arm": place}))
    L, outer, inner, C = 0.08, 0.03, 0.02, 22.2e6
    grows = PolynomialMode((0.0, 0.0, 1.0), L)
    silicone = NeoHookean(young=6.0 * C, poisson=0.5, density=960.0, viscosity=0.05 * 2.0 * C)
    rim = [(L, outer, 0.0), (L, 0.0, outer), (L, -outer, 0.0)]
    swells = PolynomialMode((0.0, 0.0, inner**2), L)  # of the bore's square: coordinates of the size of angles
    kinematics = VolumePreserving([Stretch(grows), Source(swells)])
    gripper = SoftBody(kinematics, HollowCylinder(L, outer, inner), silicone, points=points, tip=rim, moving_base=True)
    robot.add_link("gripper", gripper, Fixed(), parent="soft arm")
    robot.add(Cavity("pressure", "gripper"))
    return System(
        name="hybrid-arm",
        robot=robot,
        t_end=6.0,
        dt=0.01,
        control=lambda model: Task(model, kp, kd, np.asarray(soft_kp), np.asarray(soft_kd), pressure, length),
        breaks=(SWINGING, GRASPING),
        method=NDF(rtol=1e-4, atol=1e-7),
        watch=(("soft arm", 1.0), ("wrist_3", 1.0)),
        source="AGNOSTIC-ID, Simulation 2",
        note="Sizes of the gripper are not printed, nor are the gains of the soft arm; chosen here. Its elastic "
        "parameters are read as C of W = C (I1 - 3), Young's modulus 6 C. The source of Table 5 is measured in squares "
        "of the bore's radius. Tendons do not push: what the regulator asks of them is cut off at zero. The arm is "
        "controlled to the end, knowing what tendons and pressure do.",
    )
