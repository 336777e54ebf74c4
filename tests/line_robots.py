"""A free robot with rods, rigid links and a branch, and the checks that every load on it must pass."""

import numpy as np

import supple as sp
from helpers import central_difference, difference_jacobian, relative_error

OFFSET = sp.pose((0.02, 0.03, -0.01), (0.3, 0.2, -0.4))


def branched_robot(*items, gravity=(0.0, 0.0, -9.81)):
    """Body (free) with rods a and b; rigid c on a (spherical), rigid d on c (universal)."""
    robot = sp.Robot("branched", gravity=gravity)
    material = sp.Material(1e5, poisson=0.4, density=1000.0, viscosity=100.0)
    section, tip = sp.Circle((0.02, 0.01)), sp.pose((0.1, 0.0, 0.05), (0.1, 0.2, 0.3))
    strain_a = sp.Legendre(torsion=1, bend_y=2, bend_z=1, stretch=0)
    strain_b = sp.Legendre(torsion=1, bend_y=2, bend_z=1, shear_y=0)
    small = sp.Rigid(0.1, [1e-3, 2e-3, 2e-3], com=(0.01, 0.0, 0.02), tip=tip)
    robot.add_link("body", sp.Rigid(1.0, [0.01, 0.02, 0.02], com=(0.01, 0.0, 0.02), tip=tip), joint=sp.Free())
    robot.add_link("a", sp.Rod(0.3, section, material, strain_a, points=4), parent="body", at=sp.pose((0, 0.05, 0)))
    at_b = sp.pose((0.0, -0.05, 0.0), (0.0, -0.5, 0.2))
    robot.add_link("b", sp.Rod(0.3, section, material, strain_b, points=4), sp.Revolute("z"), "body", at_b)
    robot.add_link("c", small, sp.Spherical(), "a")
    robot.add_link("d", small, sp.Universal("x", "y"), "c")
    for item in items:
        robot.add(item)
    return robot.compile()


def random_motion(model, seed, size=0.5):
    """q, v, a."""
    return size * np.random.default_rng(seed).standard_normal((3, model.n))


def check_tangents(model, q, v, a, u, tolerance=1e-7):
    """All Jacobians against differences, and all ways to compute them against each other."""
    D = model.residual_derivatives(q, v, a, u)
    step = 1e-3
    assert relative_error(D.dq, difference_jacobian(lambda x: model.residual(x, v, a, u), q, step)) < tolerance
    assert relative_error(D.dv, difference_jacobian(lambda x: model.residual(q, x, a, u), v, step)) < tolerance
    if model.nu:
        by_u = difference_jacobian(lambda x: model.residual(q, v, a, x), u, 1e-3)
        assert relative_error(D.du, by_u) < tolerance
    cv, ca = 1.7, 2.3
    R, T = model.residual_tangent(q, v, a, u, cv=cv, ca=ca)
    assert relative_error(R, model.residual(q, v, a, u)) < 1e-12
    assert relative_error(T, D.dq + cv * D.dv + ca * D.da) < 1e-12
    x = np.random.default_rng(0).standard_normal(model.n)
    assert relative_error(model.tangent_product(q, v, a, x, cv, ca, u=u), T @ x) < 1e-12
    assert relative_error(model.tangent_product(q, v, a, x, cv, ca, True, u=u), T.T @ x) < 1e-12


def momentum_rate(model, q, v, u):
    """Rate of change of the momentum along a motion, relative to the size of the terms that cancel in it."""
    a = model.forward_dynamics(q, v, u).a
    along = central_difference(lambda h: model.momentum(q + h * v, v), 1e-3)
    terms = np.array([model.momentum(q, x * e) for x, e in zip(a, np.eye(model.n), strict=True)])
    return np.abs(along + terms.sum(axis=0)).max() / np.abs(terms).sum(axis=0).max()
