"""Robots that tests of the bridges share: small enough that a first call takes milliseconds."""

import numpy as np

import supple as sp

#: Three tensions of `arm`.
TENSIONS = np.array([0.5, 0.2, 0.1])


def arm():
    """A soft arm that hangs, with three tendons."""
    robot = sp.Robot("arm")
    material = sp.Material(2e5, density=1000.0, viscosity=500.0)
    strain = sp.Legendre(bend_y=2, bend_z=2)
    robot.add_link("arm", sp.Rod(0.4, sp.Circle((0.012, 0.008)), material, strain, points=6))
    for name, route in (("up", (0.0, 0.006)), ("left", (0.005, -0.003)), ("right", (-0.005, -0.003))):
        robot.add(sp.Tendon(name, {"arm": route}))
    return robot.compile()


def bow():
    """A rod whose tip is pinned, bowed by a tendon and a motor: a loop."""
    robot = sp.Robot("bow")
    rod = sp.Rod(0.4, sp.Circle(0.01), sp.Material(2e5, density=1000.0), sp.Legendre(bend_y=3, stretch=1), points=6)
    robot.add_link("bow", rod, sp.Revolute("y", stiffness=0.01))
    robot.add(sp.Tendon("string", {"bow": (0.0, 0.008)}))
    robot.add(sp.JointDrive("motor", "bow"))
    robot.add(sp.Loop("pin", ("bow", sp.pose()), ("world", sp.pose((0.36, 0.0, 0.05))), sp.Spherical()))
    return robot.compile()


def pendulum():
    """Two rigid links, a motor on each, in a ball joint and a hinge."""
    robot = sp.Robot("pendulum")
    body = sp.Rigid(1.0, [0.01, 0.02, 0.03], com=(0.2, 0.0, 0.0), tip=sp.pose((0.4, 0.0, 0.0)))
    robot.add_link("upper", body, sp.Spherical(damping=0.1))
    robot.add_link("lower", body, sp.Revolute("y", damping=0.1), parent="upper")
    robot.add(sp.JointDrive("shoulder", "upper"))
    robot.add(sp.JointDrive("elbow", "lower"))
    return robot.compile()
