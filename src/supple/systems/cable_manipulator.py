"""The cable-driven soft manipulator, alone and inside a cylinder."""

from __future__ import annotations

from math import cos, pi, sin

import numpy as np

from supple import laws
from supple.bases import Legendre
from supple.lie.pose import pose
from supple.loads import Contact, Spheres, Tendon, Tube
from supple.loads.lines.routes import Route
from supple.numerics.quadrature import rod_stations
from supple.robot.bodies import Rod
from supple.robot.robot import Robot
from supple.sections import Circle, Material
from supple.systems.system import System

#: Material of all examples of [GVS-AD].
SILICONE = Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e4)


def one_minus_cosine(amplitude: float, omega: float) -> laws.Sine:
    """amplitude (1 - cos(omega t))."""
    return laws.Sine(-amplitude, omega / (2.0 * pi), 0.5 * pi, amplitude)


def manipulator_rod(length: float = 0.5, radii: tuple[float, float] = (0.03, 0.015), points: int = 5) -> Rod:
    """The tapered rod of 24 coordinates."""
    strain = Legendre(torsion=4, bend_y=4, bend_z=4, stretch=2, shear_y=2, shear_z=2)
    return Rod(length=length, section=Circle(radius=radii), material=SILICONE, strain=strain, points=points)


def manipulator(
    name: str, length: float, radii: tuple[float, float], points: int, at: np.ndarray, helix_turns: float = 2.0
) -> Robot:
    """A clamped tapered rod of 24 coordinates with three straight and two helical tendons (Table 2)."""
    base, tip = radii
    robot = Robot(name)
    robot.add_link("arm", manipulator_rod(length, radii, points), at=at)

    def radius(X: float) -> float:
        return base + (tip - base) * X / length

    def straight(angle: float) -> Route:
        return lambda X: (-sin(angle) * radius(X), cos(angle) * radius(X))

    def helix(sign: float) -> Route:
        turn = 2.0 * pi * helix_turns / length
        return lambda X: (tip * np.sin(turn * X), sign * tip * np.cos(turn * X))

    for k, angle in enumerate((0.0, 2.0 * pi / 3.0, 4.0 * pi / 3.0)):
        robot.add(Tendon(f"cable{k + 1}", {"arm": straight(angle)}))
    for k, sign in ((4, 1.0), (5, -1.0)):
        robot.add(Tendon(f"cable{k}", {"arm": helix(sign)}))
    return robot


def tensions() -> list[laws.Law]:
    """Tensions of the five cables, N: two sines, a ramp, two steps."""
    return [
        one_minus_cosine(10.0, 2.0),
        laws.Polynomial([0.0, 2.0]),
        one_minus_cosine(10.0, 3.0),
        laws.Steps([0.0, 2.0, 5.0], [0.0, 10.0, 0.0]),
        laws.Steps([0.0, 4.0, 8.0], [0.0, 10.0, 0.0]),
    ]


def cable_manipulator(
    length: float = 0.5, base_radius: float = 0.03, tip_radius: float = 0.015, points: int = 5
) -> System:
    """The manipulator of [GVS-AD] section 4.5, bent by three straight and twisted by two helical cables."""
    return System(
        name="cable-manipulator",
        robot=manipulator("cable-manipulator", length, (base_radius, tip_radius), points, pose()),
        t_end=10.0,
        u=tensions(),
        dt=0.002,
        watch=(("arm", 1.0),),
        source="GVS-AD, Fig. 3 and Table 2",
        note="The paper prints tensions as a figure; the laws here are two sines, a ramp and two steps like it.",
    )


def contact_cylinder(
    radius: float = 0.15, stiffness: float = 1e5, exponent: float = 1.5, points: int = 10
) -> System:
    """The same manipulator hanging inside a cylinder, which it touches ([GVS-AD] section 6.2).

    Spheres of the rod's own radius stand at its computational points: base, Gauss nodes, tip.
    """
    robot = manipulator("contact-cylinder", 0.5, (0.03, 0.015), points, pose(rpy=(0.0, pi / 2.0, 0.0)))
    wall = Tube((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), radius, inside=True)
    places = rod_stations(points)[0].tolist()
    robot.add(Contact("wall", a=Spheres("arm", at=places), b=wall, stiffness=stiffness, exponent=exponent))
    return System(
        name="contact-cylinder",
        robot=robot,
        t_end=10.0,
        u=tensions(),
        dt=0.002,
        watch=(("arm", 1.0),),
        source="GVS-AD, Fig. 14",
        note="Inputs as for cable-manipulator; the rod hangs along the axis of the cylinder.",
    )
