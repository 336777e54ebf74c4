"""Loads on the two sides of R = ID - tau: each function has its own, with the same derivatives (`core.loads`)."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error, size
from kernel_entry import entry
from line_robots import branched_robot, random_motion
from supple.core import loads


@pytest.fixture(scope="module")
def model():
    """External and internal loads of every sort: on points, at nodes of rods, on joints, on pairs, along lines."""
    return branched_robot(
        sp.PointWrench("b", [0.1, 0.2, 0.3, 1.0, 2.0, 3.0], s=0.4),
        sp.Spring("across", a=("b", 0.37), b=("d", 1.0), stiffness=50.0, damping=3.0, rest_length=0.1),
        sp.Tendon("tendon", {"a": (0.01, 0.0)}),
        sp.JointDrive("drive", "c"),
        sp.Cable("cable", [("b", 0.6), ("body", 1.0), ("d", 0.0)], stiffness=200.0, rest_length=0.05, damping=5.0),
    )


def test_the_residual_is_what_both_sides_say(model):
    q, v, a = random_motion(model, 0)
    u = np.linspace(1.0, 3.0, model.nu)
    force = model.inverse_dynamics(q, v, a) - model.internal_force(q, v, u)
    assert relative_error(model.residual(q, v, a, u), force) < 1e-12


def test_its_derivatives_are_what_both_sides_say(model):
    q, v, a = random_motion(model, 1)
    u = np.linspace(1.0, 3.0, model.nu)
    whole = model.residual_derivatives(q, v, a, u)
    outer, inner = model.inverse_dynamics_derivatives(q, v, a), model.internal_force_derivatives(q, v, u)
    assert size(inner.dq) > 0.0
    assert relative_error(whole.dq, outer.dq - inner.dq) < 1e-12
    assert relative_error(whole.dv, outer.dv - inner.dv) < 1e-12
    _, tangent = model.residual_tangent(q, v, a, u, cv=3.0, ca=7.0)
    assert relative_error(tangent, whole.dq + 3.0 * whole.dv + 7.0 * whole.da) < 1e-12


def test_internal_forces_by_differences(model):
    """Drives of joints whose screws do not commute, stresses and lines among them."""
    q, v, _ = random_motion(model, 2)
    u = np.linspace(1.0, 3.0, model.nu)
    found = model.internal_force_derivatives(q, v, u)
    assert relative_error(found.dq, difference_jacobian(lambda x: model.internal_force(x, v, u), q)) < 1e-8
    assert relative_error(found.dv, difference_jacobian(lambda x: model.internal_force(q, x, u), v)) < 1e-8
    B = difference_jacobian(lambda x: model.internal_force(q, v, x), u, 1.0)
    assert relative_error(model.actuation(q), B) < 1e-11


def test_matrices_without_entries_are_recognised():
    any_entry, A = entry(loads.any_entry), np.zeros((6, 6))
    assert not any_entry(A)
    for value in (1e-300, np.nan):
        A[5, 5] = value
        assert any_entry(A)
