"""Robots whose joints follow others, and the same with all their coordinates."""

from __future__ import annotations

import numpy as np

import supple as sp

MATERIAL = sp.Material(young=1e5, poisson=0.4, density=1000.0, viscosity=10.0)
BOX = sp.Rigid.box((0.3, 0.05, 0.05), density=500.0, tip=sp.pose((0.2, 0.02, 0.01)))


SLIDE = sp.Prismatic("x", stiffness=20.0, limits=(-1.0, -0.3), limit_stiffness=5.0, limit_width=1.0)  # always in it


def bent(a, x):
    return 0.7 * np.sin(a) + 0.3 * a**2 + 0.1 * x * a


def _spiral(b):
    return 0.1 * b * np.exp(0.2 * b)


def hand(kind="linear", couple=True, young=1e5, ratio=0.7, prescribed=False, loop=False, ball=False):
    """A palm, three phalanges and a soft fingertip; ``kind`` of coupling: "linear" or "bent"."""
    material = sp.Material(young=young, poisson=0.4, density=1000.0, viscosity=10.0)
    robot = sp.Robot("hand")
    robot.add_link("palm", BOX, sp.Spherical() if ball else sp.Revolute("z", damping=0.1))
    robot.add_link("b", BOX, sp.Revolute("y", stiffness=2.0, rest=0.1, damping=0.05), parent="a")
    robot.add_link("a", BOX, sp.Revolute("y", stiffness=1.0, rest=0.2), parent="palm")
    robot.add_link("c", BOX, SLIDE, parent="b")
    robot.add_link("rod", sp.Rod(0.3, sp.Circle(0.02), material, sp.Legendre(bend_y=1, bend_z=0)), parent="c")
    robot.add(sp.Spring("s", a=("rod", 1.0), b=("world", 0.0, sp.pose((0, 1, 0))), stiffness=3.0, damping=0.2))
    robot.add(sp.JointDrive("m", "b"))
    robot.add(sp.Tendon("t", {"rod": (0.0, 0.01)}))
    floor = sp.Plane(normal=(0, 0, 1), height=-0.02)
    robot.add(sp.Contact("floor", a=sp.Spheres("rod", n=3), b=floor, stiffness=50.0, friction=0.3, damping=0.1))
    if prescribed:
        robot.add(sp.Prescribed("a", sp.laws.Sine(0.3, 1.0)))
    if loop:
        strut, at = sp.Rigid.box((0.2, 0.03, 0.03), density=500.0, tip=sp.pose((0.3, 0, 0))), sp.pose((0.9, 0.3, 0))
        robot.add_link("strut", strut, sp.Spherical(stiffness=0.5), at=at)
        robot.add(sp.Loop("close", a=("strut", sp.pose()), b=("rod", sp.pose()), joint=sp.Spherical()))
    if couple and kind == "linear":
        robot.couple("b", to="a", ratio=ratio, offset=0.1)
        robot.couple("c", to={"b": 0.1} if ball else {"b": 0.1, "palm": -0.05})
    elif couple:
        robot.couple("b", to=["a", "rod.bend_y_0"], function=bent)
        robot.couple("c", to=_spiral if ball else (lambda b, palm: 0.1 * b * np.exp(palm)))
    return robot


def follower(function, count=1):
    """The model of bars x0, x1, ... and one, f, that follows them by a function."""
    robot, bar = sp.Robot("pair"), sp.Rigid.box((0.2, 0.02, 0.02), density=1000.0)
    for k in range(count):
        robot.add_link(f"x{k}", bar, sp.Revolute("y"))
    robot.add_link("f", bar, sp.Revolute("z"), parent="x0")
    robot.couple("f", to=[f"x{k}" for k in range(count)], function=function)
    return robot.compile()
