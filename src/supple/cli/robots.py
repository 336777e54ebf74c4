"""Robots that the command line and the benchmarks show."""

from __future__ import annotations

from supple.model.robot import Robot
from supple.systems.cable_manipulator import manipulator_rod


def cable_manipulator() -> Robot:
    """The 24-dof soft manipulator of [GVS-AD] section 4.5: one clamped tapered rod of silicone, along x.

    Its five cables are left out: they are inputs, and neither the inertia nor the elasticity depends on them.
    """
    robot = Robot("cable-manipulator", gravity=(0.0, 0.0, -9.81))
    robot.add_link("arm", manipulator_rod())
    return robot
