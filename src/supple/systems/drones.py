"""Two drones that carry a payload between two soft rods."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from supple import laws
from supple.bases import Chebyshev
from supple.joints import Free
from supple.lie.pose import pose
from supple.loads import Thruster
from supple.robot.bodies import Rigid, Rod
from supple.robot.controller import Controller
from supple.robot.robot import Robot
from supple.sections import Circle, Material
from supple.solvers.integrators import NDF
from supple.systems.system import System

if TYPE_CHECKING:
    from supple.model.model import Model

#: A velocity in world axes, m/s, as a function of time.
Velocity = Callable[[float], np.ndarray]


class VelocityControl:
    """Proportional-integral control of the velocities of bodies by wrenches on them ([IDM-TIDM] 68, 69).

    Parameters
    ----------
    robot : Robot
        The robot, which is compiled when the controller is first asked.
    targets : dict of str to callable
        Per body its velocity in world axes, law(t) -> (3,); it shall not turn.
    proportional, integral : (6,)
        Gains on the error of the twist and on its integral, both in body axes, angular part first.
    """

    def __init__(self, robot: Robot, targets: dict[str, Velocity], proportional: np.ndarray, integral: np.ndarray):
        self.robot, self.targets = robot, targets
        self.proportional, self.integral = proportional, integral
        self._known: tuple[bytes, np.ndarray] = (b"", np.zeros(0))

    @cached_property
    def model(self) -> Model:
        """The robot's kinematics."""
        return self.robot.compile()

    @property
    def states(self) -> int:
        """Number of integrals."""
        return 6 * len(self.targets)

    def rate(self, t: float, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Error of the twists in body axes, [-w; R^T v_desired - v] of every body."""
        key = np.array([t]).tobytes() + q.tobytes() + v.tobytes()
        known = self._known  # read once and written at once: another thread may ask at another state meanwhile
        if known[0] != key:  # output and rate are asked at the same state, one after the other
            known = self._known = key, np.concatenate([self._error(t, q, v, body) for body in self.targets])
        return known[1]

    def output(self, t: float, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> np.ndarray:
        """Wrenches on all bodies in their own axes."""
        errors, integrals = self.rate(t, q, v, z).reshape(-1, 6), z.reshape(-1, 6)
        return np.ravel(self.proportional * errors + self.integral * integrals)

    def _error(self, t: float, q: np.ndarray, v: np.ndarray, body: str) -> np.ndarray:
        station = self.model.station(q, v, body, 0.0)
        error = -station.twist
        error[3:] += self.targets[body](t) @ station.pose[:3, :3]
        return error


def _upward(frequency: float) -> laws.Sine:
    """sin(2 pi frequency t) along z, m/s."""
    return laws.Sine(np.array([0.0, 0.0, 1.0]), frequency)


def drones(
    rod_length: float = 1.0,
    rod_diameter: float = 0.07,
    young: float = 2.5e5,
    poisson: float = 0.5,
    density: float = 950.0,
    drone_mass: float = 3.0,
    drone_size: tuple[float, float, float] = (0.6, 0.6, 0.15),
    payload_mass: float = 2.0,
    payload_size: tuple[float, float, float] = (0.2, 0.2, 0.2),
    proportional: float = 20.0,
    integral: float = 2.5,
    modes: int = 3,
    points: int = 6,
) -> System:
    """Two hexarotors move a box between two soft rods ([IDM-TIDM] Fig. 8): 24 coordinates, 12 inputs.

    Drone, rod, payload, rod, drone stand in a row along x; the drones go up and down with two frequencies.

    Parameters
    ----------
    rod_length, rod_diameter : float
        m.
    young : float
        Pa.
    poisson, density : float
        Poisson's ratio and density (kg/m^3) of the rods.
    drone_mass, payload_mass : float
        kg.
    drone_size, payload_size : (3,)
        Boxes that give their inertia, m; the rods begin at the centres of the drones and end on the payload's faces.
    proportional, integral : float
        Gains of the velocity controllers, N s/m and N/m, in rotation N m s and N m.
    modes : int
        Functions of torsion and of each bending of a rod.
    points : int
        Gauss nodes of a rod.
    """
    material = Material(young=young, poisson=poisson, density=density)
    strain = Chebyshev(torsion=modes - 1, bend_y=modes - 1, bend_z=modes - 1)
    rod = Rod(length=rod_length, section=Circle(0.5 * rod_diameter), material=material, strain=strain, points=points)
    drone = Rigid.box(drone_size, density=drone_mass / float(np.prod(drone_size)))
    face = 0.5 * payload_size[0]
    payload = Rigid.box(payload_size, density=payload_mass / float(np.prod(payload_size)), tip=pose((face, 0.0, 0.0)))

    robot = Robot("drones", gravity=(0.0, 0.0, 0.0))
    robot.add_link("drone1", drone, joint=Free())
    robot.add_link("rod1", rod, parent="drone1")
    robot.add_link("payload", payload, parent="rod1", at=pose((face, 0.0, 0.0)))
    robot.add_link("rod2", rod, parent="payload")
    robot.add_link("drone2", drone, parent="rod2")
    targets: dict[str, Velocity] = {"drone1": _upward(0.5), "drone2": _upward(0.25)}
    for body in targets:
        robot.add(Thruster(body, body, s=0.0))
    control = VelocityControl(robot, targets, np.full(6, proportional), np.full(6, integral))
    robot.add(Controller(np.zeros(control.states), control.rate, control.output, name="velocities"))
    return System(
        name="drones",
        robot=robot,
        t_end=10.0,
        dt=0.01,
        method=NDF(rtol=1e-4, atol=1e-6),
        watch=(("drone1", 0.0), ("payload", 0.0), ("drone2", 0.0)),
        source="IDM-TIDM, Figs. 8 and 9",
        note="Masses and sizes of drones and payload, their places and Poisson's ratio are not printed; chosen here. "
        "All begin in a row, so that the motion stays in the plane of x and z, and the payload's nearly periodic path "
        "is longer than wide; the paper calls it almost circular.",
    )
