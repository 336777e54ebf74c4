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

WATER = 1000.0


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
    shaft_length, shaft_radius = 0.015, 0.0025
    shaft_volume = pi * shaft_radius**2 * shaft_length
    turns = {
        "front": pose(xyz=(0.5 * length, 0.0, 0.0)),
        "rear": pose(xyz=(-0.5 * length, 0.0, 0.0), rpy=(0.0, 0.0, pi)),
    }
    for end, at in turns.items():
        shaft = Rigid.cylinder(length=shaft_length, radius=shaft_radius, density=WATER)
        # both turn about the body's x axis, so that opposite torques balance on the body
        axis = (1.0, 0.0, 0.0) if end == "front" else (-1.0, 0.0, 0.0)
        robot.add_link(end, shaft, joint=Revolute(axis), parent="body", at=at)
        robot.add(JointDrive(f"{end} torque", end))
        areas = 0.5 * WATER * shaft_radius * shaft_length * np.array([2.0 * pi * 0.01, 2.5, 2.5])
        drag[end] = np.diag([0.0, 0.0, 0.0, *areas])
        added[end] = WATER * shaft_volume * np.diag([0.0, 0.0, 0.0, 0.0, 1.5, 1.5])
        lift = 0.1 if end == "front" else -0.1
        for k in range(3):
            spin = 2.0 * pi * k / 3.0
            name = f"{end} flagellum {k + 1}"
            hook = Rigid.cylinder(length=0.05, radius=base_radius, density=WATER)
            # a hook leads from the shaft outward at 45 degrees
            outward = pose(rpy=(spin, 0.0, 0.0)) @ pose(rpy=(0.0, 0.0, pi / 4.0))
            robot.add_link(f"{end} hook {k + 1}", hook, joint=Fixed(), parent=end, at=outward)
            drag[f"{end} hook {k + 1}"] = 0.05 * flagellum_drag(base_radius, lift)
            added[f"{end} hook {k + 1}"] = 0.05 * flagellum_added_mass(base_radius)
            rod = Rod(
                length=front_length if end == "front" else rear_length,
                section=Circle(radius=(base_radius, tip_radius)),
                material=SILICONE,
                strain=Legendre(torsion=3, bend_y=3, bend_z=3),
                points=points,
            )
            robot.add_link(name, rod, joint=Fixed(), parent=f"{end} hook {k + 1}")

            def radius(s: float) -> float:
                return base_radius + (tip_radius - base_radius) * s

            drag[name] = lambda s, lift=lift: flagellum_drag(radius(s), lift)
            added[name] = lambda s: flagellum_added_mass(radius(s))
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
