"""Robots whose equilibria are looked for."""


import numpy as np

import supple as sp
from reference_robots import manipulator_rod

DOWN = (0.0, 0.0, -9.81)


BOB = sp.Rigid(1.0, np.full(3, 0.01), com=(0.3, 0.0, 0.0))


def one_link(body, joint=None, gravity=DOWN, *items, **options):
    robot = sp.Robot("one", gravity=gravity)
    robot.add_link("link", body, joint=joint, **options)
    for item in items:
        robot.add(item)
    return robot.compile()


def soft_rod(order=3, **options):
    strain = sp.Legendre(torsion=order, bend_y=order, bend_z=order, stretch=1)
    return sp.Rod(0.5, sp.Circle((0.02, 0.01)), sp.Material(1e6, density=1000.0), strain, points=8, **options)


def planar_rod(order=8, points=12):
    """Length and bending stiffness one, bending about y."""
    section = sp.Section(np.ones(6), [1e-3, 1e-3, 1e-3, 1.0, 1.0, 1.0])
    return sp.Rod(1.0, section, strain=sp.Legendre(bend_y=order), points=points)


def manipulator():
    """The cable-driven manipulator of [GVS-AD] section 4.5 with its five cables."""
    length, side = 0.5, np.sqrt(3.0) / 2.0

    def radius(X):
        return 0.03 - 0.015 * X / length

    def turn(X):
        return 4.0 * np.pi * X / length

    routes = [
        lambda X: (0.0 * X, radius(X)),
        lambda X: (-side * radius(X), -0.5 * radius(X)),
        lambda X: (side * radius(X), -0.5 * radius(X)),
        lambda X: (0.015 * np.sin(turn(X)), 0.015 * np.cos(turn(X))),
        lambda X: (0.015 * np.sin(turn(X)), -0.015 * np.cos(turn(X))),
    ]
    robot = sp.Robot("manipulator", gravity=DOWN)
    robot.add_link("arm", manipulator_rod())
    for i, route in enumerate(routes):
        robot.add(sp.Tendon(f"t{i}", {"arm": route}))
    return robot.compile()


def residual_at(found):
    """Residual, computed anew."""
    zero = np.zeros(found.model.n)
    return found.model.residual(found.q, zero, zero, found.u, np.asarray(found.multipliers), found.t)


def closed_frame(stiffness=2.0, load=-3.0):
    """Two soft legs, one prescribed hinge, a platform; the loop is open as described."""
    robot = sp.Robot("frame", gravity=DOWN)
    up = sp.pose(rpy=(0.0, -np.pi / 2.0, 0.0))
    left, right = up.copy(), up.copy()
    left[0, 3], right[0, 3] = -0.1, 0.1
    robot.add_link("left", soft_rod(), sp.Revolute("y"), at=left)
    robot.add_link("right", soft_rod(), sp.Revolute("y", stiffness=stiffness), at=right)
    robot.add_link("top", sp.Rigid.box((0.02, 0.02, 0.3), density=300.0), parent="left")
    robot.add(sp.Prescribed("left", lambda t: (0.2 * t, 0.2, 0.0)))
    robot.add(sp.Loop("close", a=("top", sp.pose((0.0, 0.0, -0.1))), b=("right", sp.pose()), joint=sp.Revolute("y")))
    robot.add(sp.PointWrench("top", [0.0, 0.0, 0.0, 0.5, 0.2, load]))
    return robot.compile()


def rope():
    """1.2 m, pinned at both ends 1 m apart; open as described."""
    material = sp.Material(young=3e6, density=1000.0, damping_time=0.05)
    body = sp.Rod(1.2, sp.Circle(0.004), material, sp.Legendre(bend_y=8), points=20)
    robot = sp.Robot("rope")
    robot.add_link("rope", body, joint=sp.Revolute("y"))
    robot.add(sp.Loop("end", a=("rope", sp.pose()), b=("world", sp.pose((1.0, 0, 0))), joint=sp.Revolute("y")))
    return robot.compile()
