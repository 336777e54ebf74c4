"""Joints that turn without end: charts are re-centred on the way, and nothing shows it."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import supple as sp
from motions import free_body

METHODS = {
    "NDF": (sp.NDF(rtol=1e-9, atol=1e-10), 1e-6),
    "GeneralizedAlpha": (sp.GeneralizedAlpha(dt=2e-5), 1e-5),
    "adaptive": (sp.GeneralizedAlpha(rtol=1e-8, atol=1e-9), 3e-4),
    "BDF2": (sp.BDF2(dt=2e-5), 1e-4),
    "RK45": (sp.RK45(rtol=1e-9, atol=1e-10), 1e-6),
    "DOP853": (sp.DOP853(rtol=1e-10, atol=1e-11), 1e-7),
    "Nystrom": (sp.Nystrom(rtol=1e-9, atol=1e-10), 1e-6),
    "Nystrom of order 4": (sp.Nystrom(rtol=1e-9, atol=1e-10, order=4), 1e-6),
}


def free_rotation(inertia, omega, t):
    """Orientations (T, 3, 3) and body rates (T, 3) of a body without torque: Euler's equations with quaternions."""

    def rates(_, y):
        x, w = y[:4], y[4:]
        turn = np.array([[0, *-w], [w[0], 0, w[2], -w[1]], [w[1], -w[2], 0, w[0]], [w[2], w[1], -w[0], 0]])
        return np.concatenate([0.5 * turn @ x, np.cross(inertia * w, w) / inertia])

    y = solve_ivp(rates, (0, t[-1]), [1, 0, 0, 0, *omega], "DOP853", t, rtol=1e-13, atol=1e-13).y
    return Rotation.from_quat(y[[1, 2, 3, 0]].T).as_matrix(), y[4:].T


@pytest.mark.parametrize("name", METHODS)
def test_a_free_body_tumbles_through_fifty_revolutions(name):
    """Orientation, twist and acceleration follow Euler's equations; the centre of mass keeps its straight line."""
    method, tolerance = METHODS[name]
    inertia, omega = np.array([0.1, 0.2, 0.3]), np.array([60.0, 10.0, 20.0])
    model, t = free_body(inertia), np.linspace(0, 5.2, 521)
    com = np.array([0.1, 0.05, -0.1])
    v0 = np.concatenate([omega, np.array([0.3, 0.2, -0.1]) - np.cross(omega, com)])
    run = model.simulate(t, v0=v0, method=method)
    orientation, rates = free_rotation(inertia, omega, t)
    poses = run.pose("body", 0.0)
    turned = np.sum(np.linalg.norm(rates[1:], axis=1) * np.diff(t)) / (2 * np.pi)
    assert turned > 50.0
    assert run.stats["recentred"] > 50
    assert np.abs(poses[:, :3, :3] - orientation).max() < 100 * tolerance
    centre = poses[:, :3, 3] + poses[:, :3, :3] @ com
    assert np.abs(centre - com - np.outer(t, [0.3, 0.2, -0.1])).max() < 100 * tolerance
    twists = np.array([model.twist(q, v, "body", 0.0) for q, v in zip(run.q, run.v, strict=True)])
    assert np.abs(twists[:, :3] - rates).max() < 1e4 * tolerance
    exact = np.array([model.forward_dynamics(q, v).a for q, v in zip(run.q, run.v, strict=True)])
    assert np.abs(run.a - exact).max() < 1e-3 * np.abs(exact).max()


def test_a_body_that_spins_steadily_is_not_outrun():
    """About a principal axis coordinates are linear in time and errors zero: steps must still not jump over a turn."""
    robot = sp.Robot("spinner", gravity=(0, 0, 0))
    robot.add_link("disc", sp.Rigid(1.0, (0.1, 0.1, 0.2)), joint=sp.Spherical())
    model = robot.compile()
    t = np.linspace(0, 10.0, 101)
    for method in (sp.NDF(), sp.RK45(), sp.GeneralizedAlpha()):
        run = model.simulate(t, v0=[0, 0, 31.0], method=method)
        expected = Rotation.from_rotvec(np.outer(t, [0, 0, 31.0])).as_matrix()
        assert np.abs(run.pose("disc", 0.0)[:, :3, :3] - expected).max() < 1e-5
        np.testing.assert_allclose(run.energy()[:, 0], 0.5 * 0.2 * 31.0**2, rtol=1e-9)


def fast_top():
    robot = sp.Robot("fast top")
    body = sp.Rigid(15.0, (0.234375, 0.46875, 0.234375), com=(0, 1, 0))
    robot.add_link("top", body, joint=sp.Spherical())
    return robot.compile()


def test_recentring_costs_few_steps():
    """A fast top in rotation vectors, against the same one in two angles and a spin, which need no charts."""
    rate = [0.0, 150.0, -4.61538]
    method = sp.NDF(rtol=1e-7, atol=1e-8)
    run = fast_top().simulate([0.0, 1.0], v0=rate, method=method)
    robot = sp.Robot("gimbal")
    still = sp.Rigid(0.0, (0, 0, 0))
    robot.add_link("azimuth", still, joint=sp.Revolute("z"))
    robot.add_link("elevation", still, joint=sp.Revolute("x"), parent="azimuth")
    body = sp.Rigid(15.0, (0.234375, 0.46875, 0.234375), com=(0, 1, 0))
    robot.add_link("top", body, joint=sp.Revolute("y"), parent="elevation")
    angles = robot.compile().simulate([0.0, 1.0], v0=[-4.61538, 0.0, 150.0], method=method)
    np.testing.assert_allclose(run.pose("top", 0.0)[-1], angles.pose("top", 0.0)[-1], atol=1e-3)
    assert run.stats["recentred"] > 90
    assert run.stats["steps"] <= 1.5 * angles.stats["steps"]


def test_planar_joints_turn_without_end():
    robot = sp.Robot("puck", gravity=(0, 0, 0))
    robot.add_link("puck", sp.Rigid(1.0, (0.1, 0.1, 0.2), com=(0.3, 0, 0)), joint=sp.Planar("z"))
    model, t = robot.compile(), np.linspace(0, 8.0, 81)
    run = model.simulate(t, v0=[20.0, 0.0, -6.0], method=sp.NDF(rtol=1e-9, atol=1e-10))
    angle = run.pose("puck", 0.0)[:, :3, 0]
    np.testing.assert_allclose(angle[:, :2], np.column_stack([np.cos(20 * t), np.sin(20 * t)]), atol=1e-5)
    assert run.stats["recentred"] > 50
