"""Every function of a model that takes a state, called; and a robot with a joint of every kind."""

from functools import cache

import numpy as np

import supple as sp
import supple.core
from helpers import JOINTS, random_joint, random_rigid


def serial_chain():
    """Every joint once, then a rod of mixed families: all coordinates lie on the way to the last link."""
    rng = np.random.default_rng(1)
    robot = sp.Robot("chain")
    parent = "world"
    for kind in (kind for kind in JOINTS if kind != "Fixed"):
        robot.add_link(kind.lower(), random_rigid(rng), joint=random_joint(rng, kind, bare=True), parent=parent)
        parent = kind.lower()
    material = sp.Material(young=1e5, density=1000.0)
    strain = sp.Strain(torsion=sp.Legendre(1), bend_y=sp.Hat(2), bend_z=sp.PiecewiseConstant(2))
    robot.add_link("rod", sp.Rod(0.5, sp.Circle(0.05), material, strain, points=3), parent=parent)
    return robot


@cache
def chain():
    return serial_chain().compile()


def station(model):
    """A station of the last link, between points if that is a rod."""
    return 0.0 if model.layouts[-1].rod is None else 0.37


#: Every method of a model that takes a state, with the states it takes.
CALLS = {
    "points": (lambda m, q, v, a: m.points(q), "q"),
    "pose": (lambda m, q, v, a: m.pose(q, m.link_names[-1]), "q"),
    "pose between points": (lambda m, q, v, a: m.pose(q, m.link_names[-1], station(m)), "q"),
    "jacobian": (lambda m, q, v, a: m.jacobian(q, m.link_names[-1]), "q"),
    "jacobian_rate": (lambda m, q, v, a: m.jacobian_rate(q, v, m.link_names[-1]), "qv"),
    "twist": (lambda m, q, v, a: m.twist(q, v, m.link_names[-1]), "qv"),
    "station": (lambda m, q, v, a: m.station(q, v, m.link_names[-1]), "qv"),
    "inverse_dynamics": (lambda m, q, v, a: m.inverse_dynamics(q, v, a), "qva"),
    "inverse_dynamics_derivatives": (lambda m, q, v, a: m.inverse_dynamics_derivatives(q, v, a), "qva"),
    "mass_matrix": (lambda m, q, v, a: m.mass_matrix(q), "q"),
    "internal_force": (lambda m, q, v, a: m.internal_force(q, v), "qv"),
    "internal_force_derivatives": (lambda m, q, v, a: m.internal_force_derivatives(q, v), "qv"),
    "residual": (lambda m, q, v, a: m.residual(q, v, a), "qva"),
    "residual_tangent": (lambda m, q, v, a: m.residual_tangent(q, v, a, cv=1.0, ca=2.0), "qva"),
    "residual_derivatives": (lambda m, q, v, a: m.residual_derivatives(q, v, a), "qva"),
    "tangent_product": (lambda m, q, v, a: m.tangent_product(q, v, a, v, 1.0, 2.0), "qva"),
    "transposed tangent_product": (lambda m, q, v, a: m.tangent_product(q, v, a, v, transposed=True), "qva"),
    "forward_dynamics": (lambda m, q, v, a: m.forward_dynamics(q, v), "qv"),
    "forward_dynamics_derivatives": (lambda m, q, v, a: m.forward_dynamics_derivatives(q, v), "qv"),
    "energy": (lambda m, q, v, a: m.energy(q, v), "qv"),
    "momentum": (lambda m, q, v, a: m.momentum(q, v), "qv"),
}


def state(model, seed=0):
    return np.random.default_rng(seed).uniform(-0.8, 0.8, (3, model.n))


def flat(result):
    """All numbers of a result in one vector."""
    if isinstance(result, tuple):
        return np.concatenate([flat(part) for part in result])
    return np.atleast_1d(np.asarray(result, dtype=float)).ravel()


def everything(model, q, v, a):
    return np.concatenate([flat(call(model, q, v, a)) for call, _ in CALLS.values()])
