"""exp, the tangent operator T and its rates on SE(3), seen through a free joint, against series in 50 digits.

A free joint has g = exp(q) and the body Jacobian Ad_g^-1 T(q), so T = Ad_g J; likewise for the time derivative.
"""

from functools import cache

import mpmath
import numpy as np
import pytest

import supple as sp
from helpers import hat, relative_error
from oracle import Ad, ad

ANGLES = [0.0, 1e-12, 1e-9, 1e-6, 1e-4, 1e-2, 0.1, 1.0, 1.41421, 1.41422, 2.0, 3.0, np.pi, 4.0, 5.5, 6.2]


@cache
def free_body():
    robot = sp.Robot("free", gravity=(0, 0, 0))
    robot.add_link("body", sp.Rigid(1.0, np.ones(3)), joint=sp.Free())
    return robot.compile()


def coordinates(angle, seed=0):
    rng = np.random.default_rng(seed)
    q = rng.standard_normal(6)
    q[:3] *= angle / np.linalg.norm(q[:3])
    return q, rng.standard_normal(6)


def series(A, first):
    """sum_k A^k / (k + first)! in 50 digits."""
    with mpmath.workdps(50):
        A = mpmath.matrix(A.tolist())
        power, total = mpmath.eye(A.rows), mpmath.zeros(A.rows)
        for k in range(80):
            total += power / mpmath.factorial(k + first)
            power = power * A
        return np.array(total.tolist(), dtype=float)


def series_rate(A, dA):
    """d/dt sum_k A^k / (k + 1)! along dA."""
    with mpmath.workdps(50):
        A, dA = mpmath.matrix(A.tolist()), mpmath.matrix(dA.tolist())
        power, rate, total = mpmath.eye(A.rows), mpmath.zeros(A.rows), mpmath.zeros(A.rows)
        for k in range(80):
            total += rate / mpmath.factorial(k + 1)
            rate = rate * A + power * dA
            power = power * A
        return np.array(total.tolist(), dtype=float)


@pytest.mark.parametrize("angle", ANGLES)
def test_exponential(angle):
    q, _ = coordinates(angle)
    assert relative_error(free_body().pose(q, "body", 0.0), series(hat(q), 0)) < 2e-15


@pytest.mark.parametrize("angle", ANGLES)
def test_tangent_operator(angle):
    """T(Omega) = sum ad^k / (k + 1)!: rates of coordinates to the twist in the frame before the joint."""
    q, _ = coordinates(angle)
    model = free_body()
    T = Ad(model.pose(q, "body", 0.0)) @ model.jacobian(q, "body", 0.0)
    assert relative_error(T, series(ad(q), 1)) < 5e-15


@pytest.mark.parametrize("angle", ANGLES)
def test_rate_of_the_tangent_operator(angle):
    """J = Ad_g^-1 T, hence dT/dt = Ad_g (dJ/dt + ad_eta J)."""
    q, v = coordinates(angle)
    model = free_body()
    J, Jd = model.jacobian(q, "body", 0.0), model.jacobian_rate(q, v, "body", 0.0)
    Td = Ad(model.pose(q, "body", 0.0)) @ (Jd + ad(J @ v) @ J)
    assert relative_error(Td, series_rate(ad(q), ad(v)), floor=0.1) < 2e-14


def test_turning_by_a_full_revolution_comes_back():
    """exp has period 2 pi in the angle, at every number of turns."""
    model = free_body()
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    for turns in (1, 2, 10):
        far = np.concatenate([(0.5 + 2 * np.pi * turns) * axis, np.zeros(3)])
        near = np.concatenate([0.5 * axis, np.zeros(3)])
        assert relative_error(model.pose(far, "body", 0.0), model.pose(near, "body", 0.0)) < 1e-13
