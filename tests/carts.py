"""Two carts of which one feels its acceleration: the smallest robots whose forward dynamics must iterate."""

import numpy as np

import supple as sp
from load_laws import Waving

FORCE = 5.0


def saturating(t, g, eta, etadot, xi):
    """-2 tanh of the linear acceleration."""
    return np.concatenate([np.zeros(3), -2.0 * np.tanh(etadot[3:])])


def saturating_tangent(t, g, eta, etadot, xi):
    T = np.zeros((6, 6))
    T[3:, 3:] = np.diag(-2.0 / np.cosh(np.minimum(np.abs(etadot[3:]), 300.0)) ** 2)
    return T


def carts(*loads, law=saturating, tangent=saturating_tangent):
    """A cart on a cart; the second one is pushed, and feels its acceleration."""
    robot = sp.Robot("carts")
    robot.add_link("x", sp.Rigid.sphere(0.1, density=1e3), joint=sp.Prismatic("z"))
    robot.add_link("y", sp.Rigid.sphere(0.1, density=300.0), joint=sp.Prismatic("x"), parent="x")
    robot.add(sp.PointLaw("felt", "y", law, tangent=tangent, uses=("acceleration",)))
    robot.add(sp.PointWrench("y", [0, 0, 0, FORCE, 0, 0]))
    for load in loads:
        robot.add(load)
    return robot.compile()


HELD = {
    "free": (),
    "prescribed": (sp.Prescribed("x", Waving(1)),),
    "loop": (sp.Loop("rail", ("x", sp.pose()), ("world", sp.pose()), sp.Planar("z")),),
}


def jumping(t, g, eta, etadot, xi):
    """A force that jumps where the acceleration passes 0.3: no acceleration balances it."""
    return np.array([0.0, 0.0, 0.0, -20.0 if etadot[3] > 0.3 else 20.0, 0.0, 0.0])


def flat(t, g, eta, etadot, xi):
    return np.zeros((6, 6))
