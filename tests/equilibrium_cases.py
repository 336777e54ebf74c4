"""Robots with several equilibria that are known: columns, trusses, four-bars, and what is known of them."""

import numpy as np
from scipy.special import ellipe, ellipk

import supple as sp

NONE = (0.0, 0.0, 0.0)
EULER = np.pi**2 / 4.0  #: load at which a clamped column of unit length and stiffness buckles, N


def growing(wrench):
    """In proportion to s, on both sides of zero."""
    return lambda s: s * np.array(wrench, dtype=float)


def column(load, *items, order=8, points=20, **strains):
    """A clamped rod of unit length and stiffness under an axial push at its tip; constant, or a law of s."""
    section = sp.Section(np.ones(6), [1e-3, 1e-3, 1e-3, 1.0, 1.0, 1.0])
    robot = sp.Robot("column", gravity=NONE)
    robot.add_link("rod", sp.Rod(1.0, section, strain=sp.Legendre(**(strains or {"bend_z": order})), points=points))
    robot.add(sp.PointWrench("rod", load if callable(load) else [0.0, 0.0, 0.0, -load, 0.0, 0.0]))
    for item in items:
        robot.add(item)
    return robot.compile()


def elastica(angle):
    """Load, tip (x, y) and potential energy above that of the straight column, by the angle of the tip."""
    k2 = np.sin(0.5 * angle) ** 2
    K, E = ellipk(k2), ellipe(k2)
    load, x, y = K**2, 2.0 * E / K - 1.0, 2.0 * np.sqrt(k2) / K
    return load, x, y, load * (2.0 * x - np.cos(angle) - 1.0)


def tip_angle(model, q):
    """Of the column."""
    R = model.pose(q, "rod")[:3, :3]
    return np.arctan2(R[1, 0], R[0, 0])


HALF, SPRING = 1.0, 100.0


def apex_force(x, z, height):
    """Forces (x, z) that two springs to (-1, 0) and (1, 0), unloaded with their apex at (0, height), take up."""
    rest = np.hypot(HALF, height)
    left, right = np.hypot(x + HALF, z), np.hypot(x - HALF, z)
    a, b = SPRING * (1.0 - rest / left), SPRING * (1.0 - rest / right)
    return a * (x + HALF) + b * (x - HALF), (a + b) * z


def truss(height, load, *joints):
    """An apex on two springs, led by prismatic joints along the given axes, under a load downwards."""
    robot = sp.Robot("truss", gravity=NONE)
    parent = "world"
    for axis in joints:
        robot.add_link(axis, sp.Rigid(1.0, np.ones(3)), sp.Prismatic(axis), parent=parent)
        parent = axis
    for name, x in (("left", -HALF), ("right", HALF)):
        foot = ("world", 0.0, sp.pose((x, 0.0, 0.0)))
        rest = np.hypot(HALF, height)
        robot.add(sp.Spring(name, a=foot, b=(parent, 0.0), stiffness=SPRING, rest_length=rest))
    robot.add(sp.PointWrench(parent, load if callable(load) else [0.0, 0.0, 0.0, 0.0, 0.0, -load]))
    return robot.compile()


def truss_of_links(height, load):
    """The same of four links and a loop: bars turn and give way along their length."""
    robot = sp.Robot("truss", gravity=NONE)
    for name, x, angle in (("left", -HALF, 0.0), ("right", HALF, np.pi)):
        at = sp.pose((x, 0.0, 0.0), rpy=(0.0, 0.0, angle))
        robot.add_link(f"{name}_hinge", sp.Rigid(1.0, np.ones(3)), sp.Revolute("y"), at=at)
        slider = sp.Prismatic("x", stiffness=SPRING, rest=np.hypot(HALF, height))
        robot.add_link(name, sp.Rigid(1.0, np.ones(3)), slider, parent=f"{name}_hinge")
    back = sp.pose(rpy=(0.0, 0.0, np.pi))  # frames turn against each other about y alone
    robot.add(sp.Loop("apex", a=("left", sp.pose()), b=("right", back), joint=sp.Spherical()))
    robot.add(sp.PointWrench("left", load))
    return robot.compile()


CRANK, COUPLER, ROCKER, GROUND = 0.3, 0.5, 0.4, 0.6
ANCHOR, FOUR_BAR_SPRING, FOUR_BAR_REST = np.array([0.3, 0.6]), 50.0, 0.2


def four_bar():
    """Four bars under their weight (1 kg each), a spring from the crank's end to a point above."""
    robot = sp.Robot("four-bar")

    def bar(length):
        return sp.Rigid(1.0, np.diag([1e-3, 1e-2, 1e-2]), com=(0.5 * length, 0, 0), tip=sp.pose((length, 0, 0)))

    robot.add_link("crank", bar(CRANK), sp.Revolute("y"))
    robot.add_link("coupler", bar(COUPLER), sp.Revolute("y"), parent="crank")
    robot.add_link("rocker", bar(ROCKER), sp.Revolute("y"), at=sp.pose((GROUND, 0.0, 0.0)))
    robot.add(sp.Loop("pin", a=("coupler", sp.pose()), b=("rocker", sp.pose()), joint=sp.Revolute("y")))
    anchor = ("world", 0.0, sp.pose((ANCHOR[0], 0.0, ANCHOR[1])))
    robot.add(
        sp.Spring("spring", a=("crank", 1.0), b=anchor, stiffness=FOUR_BAR_SPRING, rest_length=FOUR_BAR_REST)
    )
    return robot.compile()


def four_bar_energy(angle, side):
    """Of the crank's angle, with the coupler on one side (1) or the other (-1)."""
    a = CRANK * np.array([np.cos(angle), -np.sin(angle)])
    way = np.array([GROUND, 0.0]) - a
    d = np.hypot(*way)
    turn = np.arctan2(-way[1], way[0]) + side * np.arccos((COUPLER**2 + d**2 - ROCKER**2) / (2.0 * COUPLER * d))
    b = a + COUPLER * np.array([np.cos(turn), -np.sin(turn)])
    length = np.hypot(*(a - ANCHOR))
    return 9.81 * (a[1] + b[1]) + 0.5 * FOUR_BAR_SPRING * (length - FOUR_BAR_REST) ** 2


def inclined_bar(load):
    """An upright bar of unit length, a spring from its end down to the ground at 45 degrees: a transcritical point."""
    robot = sp.Robot("bar", gravity=NONE)
    upright = sp.pose(rpy=(0.0, -0.5 * np.pi, 0.0))
    body = sp.Rigid(1.0, np.ones(3), tip=sp.pose((1.0, 0.0, 0.0)))
    robot.add_link("bar", body, sp.Revolute("y"), at=upright)
    foot = ("world", 0.0, sp.pose((1.0, 0.0, 0.0)))
    robot.add(sp.Spring("spring", a=foot, b=("bar", 1.0), stiffness=10.0, rest_length=np.sqrt(2.0)))
    robot.add(sp.PointWrench("bar", growing([0.0, 0.0, 0.0, 0.0, 0.0, -load])))
    return robot.compile()
