"""Small robots for tests of the studio: an arm with tendons, and a loop of bars."""

import numpy as np

import supple as sp


def make_arm(**joint):
    silicone = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e4)
    rod = sp.Rod(0.4, sp.Circle(radius=(0.03, 0.02)), silicone, sp.Legendre(bend_y=2, bend_z=2), points=3)
    robot = sp.Robot("test arm")
    robot.add_link("arm", rod, joint=sp.Revolute("z", stiffness=2.0, damping=0.1, **joint))
    robot.add_link("hand", sp.Rigid.box((0.05, 0.1, 0.1), density=500.0), parent="arm")
    robot.add(sp.Tendon("left", {"arm": lambda X: (0.015, 0.0)}))
    robot.add(sp.Tendon("right", {"arm": lambda X: (-0.015, 0.0)}))
    return robot


def make_four_bar():
    bar = sp.Rigid.cylinder(length=1.0, radius=0.01, density=2000.0)
    robot = sp.Robot("four bar")
    robot.add_link("left", bar, joint=sp.Revolute("y"), at=sp.pose(rpy=(0.0, -np.pi / 2, 0.0)))
    robot.add_link("top", bar, joint=sp.Revolute("y"), parent="left", at=sp.pose(rpy=(0.0, np.pi / 2, 0.0)))
    robot.add_link("right", bar, joint=sp.Revolute("y"), at=sp.pose((1.0, 0.0, 0.0), (0.0, -np.pi / 2, 0.0)))
    robot.add(sp.Loop("corner", a=("top", sp.pose()), b=("right", sp.pose()), joint=sp.Revolute("y")))
    robot.add(sp.JointDrive("motor", "left"))
    return robot
