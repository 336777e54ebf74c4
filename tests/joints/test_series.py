"""Euler angles and joints in series against rotations written out, Pinocchio's formulas and chains of links."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

import supple as sp
from helpers import random_frames, random_pose, random_rigid, relative_error

ORDERS = ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"]


def one_body(joint, seed=0):
    rng = np.random.default_rng(seed)
    robot = sp.Robot("one", gravity=(1.0, 2.0, -9.0))
    robot.add_link("body", random_rigid(rng), joint=joint, at=random_pose(rng))
    return robot.compile()


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_turn_about_axes_of_the_moving_frame(order):
    model = one_body(sp.Euler(order))
    q = np.array([0.4, -0.9, 1.7])
    start = model.pose(np.zeros(3), "body", 0.0)
    turned = np.linalg.inv(start) @ model.pose(q, "body", 0.0)
    assert_allclose(turned[:3, :3], Rotation.from_euler(order.upper(), q).as_matrix(), atol=1e-14)
    assert_allclose(turned[:3, 3], 0.0, atol=1e-15)


def test_euler_dynamics_are_those_of_a_ball_joint():
    """M = S^T M_b S and ID = S^T (M_b (S a + S' v) + ...): the same body on a spherical joint, by the same motion."""
    euler, ball = one_body(sp.Euler("zyx"), 3), one_body(sp.Spherical(), 3)
    rng = np.random.default_rng(1)
    q, v, a = rng.standard_normal((3, 3)) * 0.6
    w = Rotation.from_euler("ZYX", q).as_rotvec()
    step = 1e-4

    def vector(t):
        return Rotation.from_euler("ZYX", q + t * v + 0.5 * t * t * a).as_rotvec()

    rate = (8 * (vector(step) - vector(-step)) - (vector(2 * step) - vector(-2 * step))) / (12 * step)
    slopes = [(Rotation.from_euler("ZYX", q + h).as_rotvec() - Rotation.from_euler("ZYX", q - h).as_rotvec()) / 2e-6
              for h in 1e-6 * np.eye(3)]  # fmt: skip
    E = np.array(slopes).T
    bend = (16 * (vector(step) + vector(-step)) - vector(2 * step) - vector(-2 * step) - 30 * w) / (12 * step**2)
    assert relative_error(euler.mass_matrix(q), E.T @ ball.mass_matrix(w) @ E) < 1e-8
    assert relative_error(euler.inverse_dynamics(q, v, a), E.T @ ball.inverse_dynamics(w, rate, bend)) < 1e-6


def test_series_of_joints_is_a_chain_of_links():
    rng = np.random.default_rng(2)
    frames, body, at = random_frames(rng), random_rigid(rng), random_pose(rng)
    joints = sp.Prismatic("y", stiffness=3.0, rest=0.1), sp.CurveJoint(frames, damping=0.4), sp.Spherical()
    one, chain = sp.Robot("one"), sp.Robot("chain")
    one.add_link("body", body, joint=sp.Composite(*joints), at=at)
    none = sp.Rigid(0.0, np.zeros(3))
    chain.add_link("a", none, joint=joints[0], at=at)
    chain.add_link("b", none, joint=joints[1], parent="a")
    chain.add_link("body", body, joint=joints[2], parent="b")
    one, chain = one.compile(), chain.compile()
    assert one.coordinate_names[:2] == ("body.translation_1", "body.parameter_2")
    q, v, a = rng.standard_normal((3, 5)) * 0.5
    for x, y in zip(one.residual_derivatives(q, v, a), chain.residual_derivatives(q, v, a), strict=True):
        assert relative_error(x, y, 1e-9) < 1e-12
    assert_allclose(one.residual(q, v, a), chain.residual(q, v, a), rtol=1e-12, atol=1e-12)


def test_joints_that_turn_far_are_recentred_in_a_series():
    model = one_body(sp.Composite(sp.Translational(), sp.Spherical()))
    motion = model.simulate(2.0, v0=[0.1, 0.2, 0.3, 4.0, 3.0, 1.0], method=sp.NDF(rtol=1e-7, atol=1e-9))
    energy = [model.energy(q, v).total for q, v in zip(motion.q, motion.v, strict=True)]
    assert np.abs(motion.q[:, 3:]).max() > 1.0
    assert np.ptp(energy) < 1e-4 * np.abs(energy).max()


def test_options_come_from_the_joints_or_from_the_whole():
    inner = sp.Composite(sp.Revolute("x", stiffness=2.0, limits=(-1.0, 1.0)), sp.Prismatic("x", rest=0.3, damping=0.1))
    assert_allclose(inner.stiffness_matrix, np.diag([2.0, 0.0]))
    assert_allclose(inner.damping_matrix, np.diag([0.0, 0.1]))
    assert_allclose(inner.rest_vector, [0.0, 0.3])
    assert_allclose(inner.limit_bounds, [[-1.0, 1.0], [-np.inf, np.inf]])
    assert inner.keeps_chart
    assert_allclose(pickle.loads(pickle.dumps(inner)).stiffness_matrix, inner.stiffness_matrix)


def test_joints_in_series_close_loops_like_the_one_joint_that_frees_as_much():
    from supple.constraints.loop import constrained_twists

    slide = sp.Composite(sp.Prismatic("x"), sp.Revolute("z"), sp.Prismatic("y"))
    assert_allclose(constrained_twists(sp.Euler("zyz")), constrained_twists(sp.Spherical()), atol=1e-12)
    assert_allclose(constrained_twists(slide), constrained_twists(sp.Planar("z")), atol=1e-12)
    for joint, message in (
        (sp.Composite(sp.Revolute("x"), sp.Prismatic("z")), "Composite is two joints in series"),
        (sp.CurveJoint(random_frames(np.random.default_rng(0))), "CurveJoint follows a spline"),
    ):
        with pytest.raises(sp.ModelError, match=message):
            constrained_twists(joint)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sp.Euler("XYZ"), "Euler: order is 'XYZ', must be three of the letters x, y, z"),
        (lambda: sp.Euler("xxy"), "Euler: order is 'xxy', neighbouring axes must differ"),
        (lambda: sp.Euler(3), "Euler: order is 3"),
        (lambda: sp.Composite(sp.Revolute("x")), "Composite has 1 joints, must have two"),
        (lambda: sp.Composite(sp.Revolute("x"), sp.Fixed()), "is no joint that moves"),
        (lambda: sp.Composite(sp.Revolute("x"), sp.Revolute("x")), "move the link in the same way twice"),
        (
            lambda: sp.Composite(sp.Revolute("x", stiffness=1.0), sp.Revolute("y"), stiffness=2.0),
            "Composite: stiffness is given, but its Revolute has its own",
        ),
        (
            lambda: sp.Composite(sp.Revolute("x", limits=(0, 1)), sp.Revolute("y"), limits=[(0, 1), None]),
            "Composite: limits is given, but its Revolute has its own",
        ),
    ],
)
def test_bad_series_are_refused(make, message):
    with pytest.raises(sp.ModelError, match=message):
        make()
