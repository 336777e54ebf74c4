"""The flagellated underwater vehicle: a free body, two shafts, six hooked flagella in water."""

from __future__ import annotations

from math import log, pi
from typing import Any

import numpy as np

from supple.bases import Legendre
from supple.joints import Fixed, Free, Revolute
from supple.lie.pose import pose
from supple.loads import Fluid, JointDrive
from supple.robot.bodies import Rigid, Rod
from supple.robot.rigid_shapes import CapsuleShape
from supple.robot.robot import Robot
from supple.sections import Circle
from supple.systems.cable_manipulator import SILICONE
from supple.systems.system import System

#: Density of water [kg/m^3]; length of the hooks [m].
WATER, HOOK = 1000.0, 0.05


def body_added_mass(radius: float, displaced: float) -> np.ndarray:
    """Added mass (6, 6) of a prolate ellipsoid with semi-axes radius + 15 mm and radius, along x."""
    e = 1.0 - (radius / (radius + 0.015)) ** 2
    bulge = 0.5 * log((1.0 + e) / (1.0 - e))
    alpha = 2.0 * (1.0 - e**2) / e**3 * (bulge - e)
    beta = 1.0 / e**2 - (1.0 - e**2) / e**3 * bulge
    along, across = alpha / (2.0 - alpha), beta / (2.0 - beta)
    return displaced * np.diag([0.0, 0.0, 0.0, along, across, across])


def flagellum_drag(radius: float, lift: float) -> np.ndarray:
    """Drag-lift matrix (6, 6) per metre: transverse drag 1.1, lift 0.1 of either hand."""
    D = np.zeros((6, 6))
    D[3:, 3:] = WATER * radius * np.array([[0.0, 0.0, 0.0], [0.0, 1.1, -lift], [0.0, lift, 1.1]])
    return D


def flagellum_added_mass(radius: float) -> np.ndarray:
    """Added mass (6, 6) per metre."""
    return WATER * pi * radius**2 * np.diag([0.0, 0.0, 0.0, 0.0, 0.6, 0.6])


def _add_shaft(robot: Robot, end: str, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A driven shaft at one end of the body; returns its drag and added mass (6, 6)."""
    length, radius = 0.015, 0.0025
    shaft = Rigid.cylinder(length=length, radius=radius, density=WATER)
    # both turn about the body's x axis, so that opposite torques balance on the body
    axis = (1.0, 0.0, 0.0) if end == "front" else (-1.0, 0.0, 0.0)
    robot.add_link(end, shaft, joint=Revolute(axis), parent="body", at=at)
    robot.add(JointDrive(f"{end} torque", end))
    areas = 0.5 * WATER * radius * length * np.array([2.0 * pi * 0.01, 2.5, 2.5])
    volume = pi * radius**2 * length
    return np.diag([0.0, 0.0, 0.0, *areas]), WATER * volume * np.diag([0.0, 0.0, 0.0, 0.0, 1.5, 1.5])


def _add_hook(robot: Robot, name: str, shaft: str, radius: float, spin: float) -> None:
    """A hook that leads from a shaft outward at 45 degrees, turned about it by ``spin``."""
    hook = Rigid.cylinder(length=HOOK, radius=radius, density=WATER)
    outward = pose(rpy=(spin, 0.0, 0.0)) @ pose(rpy=(0.0, 0.0, pi / 4.0))
    robot.add_link(name, hook, joint=Fixed(), parent=shaft, at=outward)


def underwater_vehicle(
    torque: float = 0.25,
    front_length: float = 0.35,
    rear_length: float = 0.5,
    base_radius: float = 0.0125,
    tip_radius: float = 0.002,
    points: int = 6,
) -> System:
    """Two counter-rotating shafts, each with three soft flagella ([GVS-AD] Fig. 16): 80 coordinates."""
    robot = Robot("underwater-vehicle")
    length, body_radius, middle = 0.21, 0.09, 0.03
    volume = 4.0 / 3.0 * pi * body_radius**3 + pi * body_radius**2 * middle
    hull = CapsuleShape(middle, body_radius)
    body = Rigid(mass=WATER * volume, inertia=np.diag([0.0130, 0.01528, 0.01528]), volume=volume, shape=hull)
    robot.add_link("body", body, joint=Free())
    drag: dict[str, Any] = {"body": np.diag([0.05271, 0.0, 0.0, 12.72345, 28.92345, 28.92345])}
    added: dict[str, Any] = {"body": body_added_mass(body_radius, WATER * volume)}
    turns = {
        "front": pose(xyz=(0.5 * length, 0.0, 0.0)),
        "rear": pose(xyz=(-0.5 * length, 0.0, 0.0), rpy=(0.0, 0.0, pi)),
    }
    for end, at in turns.items():
        drag[end], added[end] = _add_shaft(robot, end, at)
        rod = Rod(
            length=front_length if end == "front" else rear_length,
            section=Circle(radius=(base_radius, tip_radius)),
            material=SILICONE,
            strain=Legendre(torsion=3, bend_y=3, bend_z=3),
            points=points,
        )
        lift = 0.1 if end == "front" else -0.1
        for k in range(3):
            hook, name = f"{end} hook {k + 1}", f"{end} flagellum {k + 1}"
            _add_hook(robot, hook, end, base_radius, 2.0 * pi * k / 3.0)
            robot.add_link(name, rod, joint=Fixed(), parent=hook)
            drag[hook] = HOOK * flagellum_drag(base_radius, lift)
            added[hook] = HOOK * flagellum_added_mass(base_radius)
            drag[name] = lambda s, lift=lift: flagellum_drag(base_radius + (tip_radius - base_radius) * s, lift)
            added[name] = lambda s: flagellum_added_mass(base_radius + (tip_radius - base_radius) * s)
    robot.add(Fluid(density=WATER, drag=drag, added_mass=added, buoyancy=True))
    return System(
        name="underwater-vehicle",
        robot=robot,
        t_end=10.0,
        u=[torque, -torque],
        dt=0.01,
        watch=(("body", 0.0), ("rear flagellum 1", 1.0)),
        source="GVS-AD, Fig. 16",
        note="Six hooks at 45 degrees; the printed base radius of 12.5 cm is read as 12.5 mm; the material is that of "
        "the other examples, as the paper says; body, shafts and coefficients of the water as in the authors' "
        "four-flagella robot.",
    )
