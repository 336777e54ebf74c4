"""Forward dynamics: it solves the equations of motion, and so do its derivatives."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import cho_factor, cho_solve

import supple as sp
from helpers import ROBOTS, case, difference_jacobian, rebuilt, relative_error, size
from reference_robots import floating_tree

SEEDS = range(ROBOTS)


@pytest.mark.parametrize("seed", SEEDS)
def test_solves_the_equations_of_motion(seed):
    """R(q, v, a) = 0, measured in forces: accelerations themselves carry the condition number of M."""
    _, model, q, v, _ = case(seed)
    found = model.forward_dynamics(q, v)
    terms = size(model.residual(q, v, 0 * q)) + size(model.mass_matrix(q)) * size(found.a)
    assert size(model.residual(q, v, found.a)) < 1e-12 * terms
    assert found.efforts.shape == (0,)
    assert found.multipliers.shape == (model.nc,)


@pytest.mark.parametrize("seed", SEEDS)
def test_inverts_inverse_dynamics(seed):
    """With the internal force a motion leaves, forward dynamics returns the acceleration of that motion."""
    _, model, q, v, _ = case(seed)
    M = model.mass_matrix(q)
    force = model.internal_force(q, v) - model.inverse_dynamics(q, v, 0 * q)
    scale = np.sqrt(np.diag(M))
    scaled = M / np.outer(scale, scale)
    # one triangle, as the kernel: rounding makes both differ by more than a solution's own error
    expected = cho_solve(cho_factor(scaled), force / scale)
    found = model.forward_dynamics(q, v).a
    assert relative_error(scale * found, expected) < 1e-14 * np.linalg.cond(scaled)


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_solve_the_varied_equations(seed):
    """M da/dq = -dR/dq and M da/dv = -dR/dv at the acceleration of the motion."""
    _, model, q, v, _ = case(seed)
    found = model.forward_dynamics_derivatives(q, v)
    blocks = model.residual_derivatives(q, v, model.forward_dynamics(q, v).a)
    M = blocks.da
    for derivative, block in ((found.dq, blocks.dq), (found.dv, blocks.dv)):
        rounding = 1e-14 * size(M)  # where nothing varies: beside accelerations of size one
        assert size(M @ derivative + block) <= 1e-11 * (size(M) * size(derivative) + size(block)) + rounding
    assert found.du.shape == (model.n, model.nu)


def without_limits(link):
    return replace(link.joint, limits=None) if link.joint.dof else link.joint


@pytest.mark.parametrize("seed", range(40))
def test_derivatives_against_differences(seed):
    """Soft limits are taken off: their kinks spoil differences.  Rows are scaled to equal inertia."""
    robot, _, q, v, _ = case(seed)
    model = rebuilt(robot, joint=without_limits).compile()
    found = model.forward_dynamics_derivatives(q, v)
    M = model.mass_matrix(q)
    scale = np.sqrt(np.diag(M))[:, None]
    dq = difference_jacobian(lambda x: model.forward_dynamics(x, v).a, q, 1e-3)
    dv = difference_jacobian(lambda x: model.forward_dynamics(q, x).a, v, 1.0)
    assert relative_error(scale * found.dq, scale * dq) < 1e-6
    assert relative_error(scale * found.dv, scale * dv, floor=1e-6 * size(scale * found.dq)) < 1e-7


def test_free_fall():
    """A free body in gravity falls with g, whatever it looks like."""
    robot = sp.Robot("stone", gravity=(1.0, 2.0, -9.0))
    robot.add_link("stone", sp.Rigid(3.0, (0.1, 0.2, 0.25), com=(0.1, -0.2, 0.3)), joint=sp.Free())
    model = robot.compile()
    a = model.forward_dynamics(np.zeros(6), np.zeros(6)).a
    assert a == pytest.approx([0, 0, 0, 1.0, 2.0, -9.0], abs=1e-12)


def test_torque_free_euler_top():
    """Euler's equations I w' = (I w) x w at the origin of the chart, where rates are body rates up to first order."""
    inertia = np.array([0.1, 0.2, 0.25])
    robot = sp.Robot("top", gravity=(0, 0, 0))
    robot.add_link("top", sp.Rigid(1.0, inertia), joint=sp.Spherical())
    model = robot.compile()
    w = np.array([1.0, -2.0, 0.5])
    assert model.forward_dynamics(np.zeros(3), w).a == pytest.approx(np.cross(inertia * w, w) / inertia, rel=1e-13)


def test_a_large_robot():
    model = floating_tree().compile()
    rng = np.random.default_rng(0)
    q, v = 0.3 * rng.standard_normal((2, model.n))
    a = model.forward_dynamics(q, v).a
    terms = size(model.residual(q, v, 0 * q)) + size(model.mass_matrix(q) @ a)
    assert size(model.residual(q, v, a)) < 1e-11 * terms


def test_a_coordinate_without_inertia_is_named():
    """A point mass on the axis of a massless shaft: the shaft turns nothing."""
    robot = sp.Robot("shaft")
    robot.add_link("shaft", sp.Rigid(0.0, np.zeros(3)), joint=sp.Revolute("x"))
    robot.add_link("bead", sp.Rigid(1.0, np.zeros(3)), joint=sp.Prismatic("x"), parent="shaft")
    model = robot.compile()
    for call in (model.forward_dynamics, model.forward_dynamics_derivatives):
        with pytest.raises(sp.SingularError, match=r"singular at shaft\.rotation.*moves no inertia"):
            call(np.zeros(2), np.zeros(2))
