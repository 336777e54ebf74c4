"""A robot that has something of everything, and a short motion of it."""

import numpy as np
import pytest

import supple as sp


def make_robot():
    silicone = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e4)
    rod = sp.Rod(0.4, sp.Circle(radius=(0.03, 0.02)), silicone, sp.Legendre(bend_y=2, bend_z=2), points=3)
    robot = sp.Robot("test arm")
    robot.add_link("arm", rod, joint=sp.Revolute("z"))
    robot.add_link("hand", sp.Rigid.box((0.05, 0.1, 0.1), density=500.0), parent="arm")
    robot.add(sp.Tendon("left", {"arm": lambda X: (0.015, 0.0)}))
    robot.add(sp.Tendon("right", {"arm": lambda X: (-0.015, 0.0)}))
    robot.add(sp.PointWrench("hand", sp.laws.Ramp(np.zeros(6), np.array([0, 0, 0, 0, 0, 4.0]), t0=0.0, t1=2.0)))
    robot.add(sp.Contact("ball", sp.Spheres("arm", n=3), sp.Ball(0.05, (0.2, 0.0, -0.4)), stiffness=1e3))
    return robot


@pytest.fixture(scope="session")
def robot():
    return make_robot()


@pytest.fixture(scope="session")
def model(robot):
    return robot.compile()


@pytest.fixture(scope="session")
def motion(model):
    return model.simulate(np.linspace(0.0, 0.3, 16), u=[1.0, 0.0])
