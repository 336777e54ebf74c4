"""What tests of users' own laws share: laws, a robot to act on, a check of tangents."""


import numba
import numpy as np

import supple as sp
from helpers import (
    difference_jacobian,
    relative_error,
    size,
)

ALL = ("pose", "twist", "acceleration", "strain")


@numba.njit
def viscous(t, g, eta, etadot, xi):
    return (-eta[0], -eta[1], -eta[2], -3.0 * eta[3], -3.0 * eta[4], -3.0 * eta[5])


@numba.njit
def joining(t, h, eta):
    F = np.empty(6)
    for i in range(3):
        F[i] = 0.5 * h[i, (i + 1) % 3] + 0.1 * eta[i] * h[i, 3]
        F[3 + i] = 4.0 * h[i, 3] + np.sin(t) * eta[3 + i] + 0.2 * eta[3 + i] ** 2
    return F


def check_tangents(model, q, v, a, t=0.3):
    _, dq, dv, da = model.inverse_dynamics_derivatives(q, v, a, t=t)  # tau has kinks at soft limits
    ID = model.inverse_dynamics
    assert relative_error(dq, difference_jacobian(lambda x: ID(x, v, a, t), q), floor=1.0) < 1e-7
    assert relative_error(dv, difference_jacobian(lambda x: ID(q, x, a, t), v), floor=1.0) < 1e-7
    assert relative_error(da, difference_jacobian(lambda x: ID(q, v, x, t), a), floor=1.0) < 1e-7
    total = model.residual_derivatives(q, v, a, t=t)
    fused = total.dq + 1.7 * total.dv + 0.6 * total.da
    residual, tangent = model.residual_tangent(q, v, a, t=t, cv=1.7, ca=0.6)
    assert relative_error(tangent, fused) < 1e-9
    assert relative_error(residual, model.residual(q, v, a, t=t), floor=1.0) < 1e-10
    x = np.linspace(-1.0, 1.0, model.n)
    assert relative_error(model.tangent_product(q, v, a, x, cv=1.7, ca=0.6, t=t), fused @ x, size(fused)) < 1e-9
    transposed = model.tangent_product(q, v, a, x, cv=1.7, ca=0.6, t=t, transposed=True)
    assert relative_error(transposed, fused.T @ x, size(fused)) < 1e-9


def arm():
    robot = sp.Robot("arm")
    material = sp.Material(young=1e5, density=1000.0)
    rod = sp.Rod(0.5, sp.Circle(0.03), material, sp.Legendre(bend_y=1, torsion=0, stretch=0), points=4)
    robot.add_link("arm", rod, joint=sp.Revolute("y"))
    return robot
