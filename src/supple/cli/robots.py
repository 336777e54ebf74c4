"""Robots that the command line and the benchmarks show."""

from __future__ import annotations

from supple.bases import Legendre
from supple.model.links import Rod
from supple.model.robot import Robot
from supple.sections import Circle, Material


def cable_manipulator() -> Robot:
    """The 24-dof soft manipulator of [GVS-AD] section 4.5: one clamped tapered rod of silicone, along x.

    Its five cables are left out: they are inputs, and neither the inertia nor the elasticity depends on them.
    """
    silicone = Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e4)
    strain = Legendre(torsion=4, bend_y=4, bend_z=4, stretch=2, shear_y=2, shear_z=2)
    arm = Rod(length=0.5, section=Circle(radius=(0.03, 0.015)), material=silicone, strain=strain, points=5)
    robot = Robot("cable-manipulator", gravity=(0.0, 0.0, -9.81))
    robot.add_link("arm", arm)
    return robot
