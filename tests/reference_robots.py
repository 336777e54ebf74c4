"""Robots whose numbers are known from elsewhere: of papers, of other libraries' references."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import supple as sp


def cable_manipulator():
    """The clamped, tapered 24-coordinate rod of [GVS-AD] section 4.5."""
    robot = sp.Robot("cdm", gravity=(0.0, 0.0, -9.81))
    robot.add_link("arm", manipulator_rod())
    return robot


def manipulator_rod():
    material = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e4)
    strain = sp.Legendre(torsion=4, bend_y=4, bend_z=4, stretch=2, shear_y=2, shear_z=2)
    return sp.Rod(0.5, sp.Circle((0.03, 0.015)), material, strain, points=5)


def serial_arm(bodies, at):
    """Three revolute rigid links (about x, y, y) and a Kirchhoff rod; ``bodies`` and ``at`` as in the reference."""
    material = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e4)
    strain = sp.Legendre(torsion=4, bend_y=4, bend_z=4, stretch=4)
    rod = sp.Rod(0.5, sp.Circle((0.015, 0.01)), material, strain, points=5)
    robot = sp.Robot("serial", gravity=(0.0, 0.0, -9.81))
    parent = "world"
    for i, (body, axis) in enumerate(zip(bodies, ("x", "y", "y"), strict=True)):
        robot.add_link(f"link{i + 1}", body, joint=sp.Revolute(axis), parent=parent, at=at[i])
        parent = f"link{i + 1}"
    robot.add_link("rod", rod, parent=parent, at=at[3])
    return robot


def floating_tree():
    """80 coordinates: a free body, two shafts, three rods on each."""
    material = sp.Material(young=2e6, poisson=0.5, density=1100.0, viscosity=1e3)
    rod = sp.Rod(0.3, sp.Circle((0.01, 0.006)), material, sp.Legendre(torsion=3, bend_y=3, bend_z=3), points=8)
    robot = sp.Robot("tree80", gravity=(0.0, 0.0, -9.81))
    robot.add_link("body", sp.Rigid(2.0, np.diag([0.02, 0.03, 0.04])), joint=sp.Free())
    for side, sign in (("left", 1.0), ("right", -1.0)):
        turn = Rotation.from_rotvec([0.7 * sign, 0.2, 0.0]).as_matrix()
        shaft = sp.Rigid(0.3, np.diag([1e-3, 1e-3, 2e-3]), com=(0.0, 0.0, 0.02))
        at = sp.pose((0.05, 0.15 * sign, -0.03), rotation=turn)
        robot.add_link(side, shaft, joint=sp.Revolute("z"), parent="body", at=at)
        for k in range(3):
            turn = Rotation.from_rotvec([0.0, 0.0, 2.0 * np.pi * k / 3.0]).as_matrix()
            at = sp.pose(turn @ [0.03, 0.0, 0.05], rotation=turn)
            robot.add_link(f"{side}_rod{k}", rod, parent=side, at=at)
    return robot


def five_joint_arm(table, kinds, gravity, joint_options=None):
    """The arm of the Pinocchio reference: rows of (parent, placement 16, mass, com 3, inertia 9)."""
    robot = sp.Robot("arm5", gravity=gravity)
    names = {0: "world"}
    for i, (row, kind) in enumerate(zip(table, kinds, strict=True)):
        options = {} if joint_options is None else joint_options[i]
        axis = str(kind)[-1].lower()
        joint = (sp.Revolute if str(kind)[-2] == "R" else sp.Prismatic)(axis, **options)
        body = sp.Rigid(row[17], row[21:30].reshape(3, 3), com=row[18:21])
        names[i + 1] = f"link{i + 1}"
        robot.add_link(names[i + 1], body, joint=joint, parent=names[int(row[0])], at=row[1:17].reshape(4, 4))
    return robot
