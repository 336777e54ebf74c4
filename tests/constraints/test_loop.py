"""Closed loops: against SoRoSim, against differences, and the conservation laws that internal forces obey."""

from pathlib import Path

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from supple.constraints.loop import constrained_twists
from supple.model.constraints import loop_terms

REFERENCE = np.load(Path(__file__).parents[1] / "data" / "sorosim_loop.npz")
BAUMGARTE = 0.01


@pytest.fixture(scope="module")
def closed():
    """SoRoSim's `loop`: tips of two branches joined by a spherical joint."""
    material = sp.Material(young=1e6, poisson=0.5, density=1000.0, viscosity=1e4)
    first = sp.Legendre(torsion=2, bend_y=2, bend_z=2, stretch=1, shear_y=1, shear_z=1)
    second = sp.Legendre(torsion=1, bend_y=2, bend_z=2, stretch=1, shear_y=0, shear_z=0)
    robot = sp.Robot("loop")
    robot.add_link("one", sp.Rod(0.4, sp.Circle((0.02, 0.014)), material, first, points=5))
    shaft = sp.Rigid.cylinder(0.25, 0.015, density=1000.0)
    robot.add_link("two", shaft, joint=sp.Revolute("z"), at=REFERENCE["g_ini"][1])
    third = sp.Rod(0.3, sp.Circle(0.015), material, second, points=5)
    robot.add_link("three", third, parent="two", at=REFERENCE["g_ini"][2])
    robot.add(sp.Loop("top", a=("one", sp.pose()), b=("three", sp.pose()), joint=sp.Spherical()))
    return robot.compile()


def offset_loop(joint, b="right"):
    """A free tree whose branches are closed by ``joint`` between frames that coincide with no computational point."""
    material = sp.Material(young=1e5, poisson=0.4, density=1000.0)
    strain = sp.Legendre(torsion=1, bend_y=2, bend_z=1, stretch=0)
    robot = sp.Robot("offset")
    robot.add_link("body", sp.Rigid(1.0, [0.01, 0.02, 0.02], com=(0.01, 0.0, 0.02)), joint=sp.Free())
    for name, side in (("left", 1.0), ("right", -1.0)):
        at = sp.pose((0.0, 0.05 * side, 0.0), (0.0, 0.5 * side, 0.2))
        robot.add_link(name, sp.Rod(0.3, sp.Circle(0.01), material, strain, points=3), parent="body", at=at)
    frame_a = sp.pose((0.02, 0.01, -0.03), (0.3, -0.2, 0.5))
    frame_b = sp.pose((0.01, -0.02, 0.04), (-0.4, 0.1, 0.2))
    robot.add(sp.Loop("ring", a=("left", frame_a, 0.63), b=(b, frame_b), joint=joint))
    return robot


def differences(function, x, step=1e-5):
    """Fourth-order central differences, one column per entry of x."""
    columns = [
        (8.0 * (function(x + d) - function(x - d)) - (function(x + 2 * d) - function(x - 2 * d))) / (12.0 * step)
        for d in step * np.eye(len(x))
    ]
    return np.array(columns).T


@pytest.mark.parametrize("k", range(5))
def test_rows_agree_with_sorosim(closed, k):
    q, v = REFERENCE["q"][k], REFERENCE["qd"][k]
    assert closed.nc == 3
    assert relative_error(closed.loop_jacobian(q), REFERENCE["A"][k]) < 1e-12
    np.testing.assert_allclose(closed.loop_error(q), REFERENCE["e"][k], atol=1e-14)
    assert relative_error(closed.loop_error_derivative(q), REFERENCE["de_dq_index3"][k]) < 1e-12
    assert relative_error(closed.loop_rate(q, v), REFERENCE["Adot_qd"][k]) < 1e-10


@pytest.mark.parametrize("k", range(5))
def test_forces_and_index_one_agree_with_sorosim(closed, k):
    # contiguous, as kernels are compiled for: `loop_terms` is inside the border that sees to it
    q, v, a, lam = (REFERENCE[key][k].copy() for key in ("q", "qd", "qdd_id", "lambda_id"))
    force = closed.residual(q, v, a, lam=lam) + closed.internal_force(q, v)
    assert relative_error(force, REFERENCE["ID"][k]) < 1e-12
    partial = closed.residual_derivatives(q, v, a, lam=lam)
    assert relative_error(partial.dq - closed.stiffness, REFERENCE["dID_dq"][k]) < 1e-9
    assert relative_error(partial.dv - closed.damping, REFERENCE["dID_dqd"][k]) < 1e-9
    rate, rate_dq, rate_dv = loop_terms(closed, q, v, a, closed.loops).stabilised(BAUMGARTE)
    assert relative_error(rate, REFERENCE["e_index1"][k]) < 1e-9
    assert relative_error(rate_dq, REFERENCE["de1_dq"][k]) < 1e-9
    assert relative_error(rate_dv, REFERENCE["de1_dqd"][k]) < 1e-9


@pytest.mark.parametrize("k", range(5))
def test_forward_dynamics_agrees_with_sorosim(closed, k):
    """Compared as forces: M times accelerations, since cond(M) is 1e8."""
    q, v, M = REFERENCE["q"][k], REFERENCE["qd"][k], REFERENCE["M"][k]
    motion = closed.forward_dynamics(q, v, baumgarte=BAUMGARTE)
    assert relative_error(M @ motion.a, M @ REFERENCE["qdd"][k]) < 1e-9
    assert relative_error(np.asarray(motion.multipliers), REFERENCE["lambda"][k]) < 1e-9
    np.testing.assert_allclose(motion.multipliers["top"], [0, 0, 0, *np.asarray(motion.multipliers)], rtol=1e-15)
    partial = closed.forward_dynamics_derivatives(q, v, baumgarte=BAUMGARTE)
    assert relative_error(M @ partial.dq, M @ REFERENCE["dFD_dq"][k]) < 1e-7
    assert relative_error(M @ partial.dv, M @ REFERENCE["dFD_dqd"][k]) < 1e-7


@pytest.mark.parametrize(
    ("joint", "rows"),
    [
        (sp.Fixed(), 6),
        (sp.Revolute("y"), 5),
        (sp.Prismatic((1.0, 2.0, -1.0)), 5),
        (sp.Helical("x", 0.1), 5),
        (sp.Cylindrical("z"), 4),
        (sp.Planar("y"), 3),
        (sp.Translational(), 3),
        (sp.Spherical(), 3),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, int) else str(value),
)
def test_offset_frames_of_every_joint_against_differences(joint, rows):
    """Frames away from all computational points, off the manifold, with multipliers."""
    model = offset_loop(joint).compile()
    rng = np.random.default_rng(rows)
    q, v, a = 0.4 * rng.normal(size=(3, model.n))
    lam = rng.normal(size=model.nc)
    assert model.nc == rows
    terms = loop_terms(model, q, v, a, model.loops)
    assert relative_error(terms.error_derivative, differences(model.loop_error, q)) < 1e-8
    rate = differences(lambda x: loop_terms(model, x, v, a, model.loops).rate, q)
    assert relative_error(terms.rate_dq, rate) < 1e-8
    assert relative_error(terms.rate_dv, differences(lambda x: loop_terms(model, q, x, a, model.loops).rate, v)) < 1e-8
    assert relative_error(terms.slip_dq, differences(lambda x: loop_terms(model, x, v, a, model.loops).slip, q)) < 1e-8
    residual_dq = differences(lambda x: model.residual(x, v, a, lam=lam), q)
    partial = model.residual_derivatives(q, v, a, lam=lam)
    assert relative_error(partial.dq, residual_dq) < 1e-8
    np.testing.assert_array_equal(partial.dlam, -model.loop_jacobian(q).T)
    tangent = model.residual_tangent(q, v, a, lam=lam, cv=2.0, ca=3.0)[1]
    assert relative_error(tangent, partial.dq + 2.0 * partial.dv + 3.0 * partial.da) < 1e-12
    np.testing.assert_allclose(model.residual_tangent(q, v, a, lam=lam)[0], model.residual(q, v, a, lam=lam), atol=1e-9)


def test_a_loop_conserves_the_momentum_of_a_free_robot():
    """A^T lambda is an internal force: without gravity it changes no momentum (rates to 1e-12 of the forces)."""
    robot = offset_loop(sp.Revolute("x"))
    free = sp.Robot("free", gravity=(0.0, 0.0, 0.0))
    for link in robot.links:
        free.add_link(link.name, link.body, link.joint, link.parent, link.at)
    free.add(robot.items[0])
    model = free.compile()
    rng = np.random.default_rng(1)
    q, v = 0.3 * rng.normal(size=(2, model.n))
    v *= 0.0
    a = model.forward_dynamics(q, v).a
    lam = np.asarray(model.forward_dynamics(q, v).multipliers)
    step = 1e-3
    change = model.momentum(q, v + step * a) - model.momentum(q, v - step * a)
    assert np.abs(lam).max() > 1e-6, "the loop must carry a load for the test to mean anything"
    np.testing.assert_allclose(change / (2.0 * step), 0.0, atol=1e-11 * max(1.0, np.abs(lam).max()))


def test_accelerations_respect_the_loop():
    model = offset_loop(sp.Spherical()).compile()
    rng = np.random.default_rng(2)
    q = model.assemble(0.2 * rng.normal(size=model.n))
    v = 0.3 * rng.normal(size=model.n)
    assert np.abs(model.loop_error(q)).max() < 1e-10
    motion = model.forward_dynamics(q, v)
    terms = loop_terms(model, q, v, motion.a, model.loops)
    np.testing.assert_allclose(terms.rate, 0.0, atol=1e-8 * np.abs(motion.a).max())
    residual = model.residual(q, v, motion.a, lam=np.asarray(motion.multipliers))
    assert np.abs(residual).max() < 1e-9 * np.abs(model.inverse_dynamics(q, v, 0 * v)).max()


def four_bar(**changes):
    """Ground, crank, coupler and follower in the x-z plane, joints about y."""
    lengths = {"crank": 0.1, "coupler": 0.3, "follower": 0.25, **changes}
    robot = sp.Robot("four-bar")
    for name, parent in (("crank", "world"), ("coupler", "crank"), ("follower", "coupler")):
        body = sp.Rigid.cylinder(lengths[name], 0.01, density=1000.0)
        robot.add_link(name, body, joint=sp.Revolute("y"), parent=parent)
    robot.add(sp.Loop("pin", a=("follower",), b=("world", sp.pose((0.3, 0.0, 0.0))), joint=sp.Revolute("y")))
    return robot


def test_a_planar_four_bar_keeps_two_rows():
    """Five rows of a revolute joint, three of which hold by themselves in the plane; collinear at q = 0."""
    model = four_bar().compile()  # without a warning: nothing is constrained twice
    assert model.nc == 2
    q = model.assemble([0.8, 0.5, 0.9])
    assert np.abs(model.loop_error(q)).max() < 1e-10
    tip = model.pose(q, "follower")[:3, 3]
    np.testing.assert_allclose(tip, [0.3, 0.0, 0.0], atol=1e-9)


def test_what_is_constrained_twice_is_said():
    robot = four_bar()
    robot.add(sp.Loop("twin", a=("follower",), b=("world", sp.pose((0.3, 0.0, 0.0))), joint=sp.Revolute("y")))
    with pytest.warns(sp.ModelWarning, match="Loop 'twin': 2 of 5 constraint rows follow from others"):
        assert robot.compile().nc == 2


def test_an_impossible_loop_names_itself():
    with pytest.raises(sp.ConvergenceError, match="Loop 'pin' cannot be closed"):
        four_bar(crank=0.05, coupler=0.05, follower=0.05).compile()


@pytest.mark.parametrize(
    ("loop", "message"),
    [
        (sp.Loop("l", a=("left",), b=("left",)), "Loop 'l': a and b .* move together"),
        (sp.Loop("l", a=("nobody",), b=("left",)), "Loop 'l': there is no link 'nobody'"),
        (sp.Loop("l", a=("left",), b=("right",), joint=sp.Free()), "Loop 'l': Free frees everything"),
        (sp.Loop("l", a=("left",), b=("right",), joint=sp.Universal("x", "y")), "Loop 'l': Universal is two joints"),
        (sp.Loop("l", a=3.0, b=("right",)), "a is 3.0, must be"),
    ],
)
def test_bad_loops_are_refused(loop, message):
    robot = offset_loop(sp.Spherical())
    robot.add(loop)
    with pytest.raises(sp.ModelError, match=message):
        robot.compile()


def test_rows_of_an_oblique_joint_are_orthonormal_and_leave_it_free():
    joint = sp.Revolute((1.0, 2.0, 2.0))
    perp = constrained_twists(joint)
    np.testing.assert_allclose(perp.T @ perp, np.eye(5), atol=1e-15)
    np.testing.assert_allclose(perp.T @ joint.factors()[0], 0.0, atol=1e-15)


def test_an_unknown_loop_is_named(closed):
    motion = closed.forward_dynamics(np.zeros(closed.n), np.zeros(closed.n))
    with pytest.raises(sp.ModelError, match="there is no loop 'bottom'; loops are: top"):
        motion.multipliers["bottom"]


def test_two_loops_and_a_loop_to_the_world_together():
    """Rows in the order of `add`, and the tangent of all multipliers at once."""
    robot = offset_loop(sp.Spherical())
    robot.add(sp.Loop("anchor", a=("world", sp.pose((0.2, 0.1, 0.0))), b=("left", sp.pose()), joint=sp.Planar("z")))
    robot.add(sp.Loop("weld", a=("body", sp.pose()), b=("right", sp.pose(), 0.4), joint=sp.Translational()))
    model = robot.compile()
    rng = np.random.default_rng(5)
    q, v, a = 0.3 * rng.normal(size=(3, model.n))
    lam = rng.normal(size=model.nc)
    assert model.nc == 9
    partial = model.residual_derivatives(q, v, a, lam=lam)
    assert relative_error(partial.dq, differences(lambda x: model.residual(x, v, a, lam=lam), q)) < 1e-8
    assert relative_error(model.loop_error_derivative(q), differences(model.loop_error, q)) < 1e-8
    motion = model.forward_dynamics(q, v)
    assert [len(motion.multipliers[name]) for name in ("ring", "anchor", "weld")] == [6, 6, 6]
    M = model.mass_matrix(q)
    step = 1e-5
    d = step * rng.normal(size=model.n)
    change = (model.forward_dynamics(q + d, v).a - model.forward_dynamics(q - d, v).a) / 2.0
    expected = model.forward_dynamics_derivatives(q, v).dq @ d
    assert relative_error(M @ expected, M @ change) < 1e-6


# ---------------------------------------------------------------------- closing


def test_bars_on_one_line_are_closed():
    """At q = 0 all bars lie along x and no motion has a slope that would shorten them."""
    model = four_bar().compile()
    q = model.assemble()
    assert np.abs(model.loop_error(q)).max() < 1e-10
    np.testing.assert_allclose(model.pose(q, "follower")[:3, 3], [0.3, 0.0, 0.0], atol=1e-9)
    np.testing.assert_array_equal(q, model.assemble())  # the same one every time


@pytest.mark.filterwarnings("ignore:Loop 'ball'. 1 of 3")  # rows of an oblique frame mix plane and normal
@pytest.mark.parametrize("turn", [(np.pi, 0.0, 0.0), (0.0, np.pi, 0.0), (0.0, 0.0, np.pi), (2.9, 0.3, -0.2)])
@pytest.mark.parametrize("on", ["world", "follower"])
def test_a_ball_joint_closes_a_planar_loop_whatever_its_frames(turn, on):
    """Frames of a ball joint may be turned at will; half a turn leaves the logarithm one direction in the plane."""
    robot = four_bar()
    plain, bent = sp.Robot("plain"), sp.Robot("bent")
    frame = sp.pose((0.3, 0.0, 0.0)), sp.pose()
    turned = (frame[0] @ sp.pose(rpy=turn), frame[1]) if on == "world" else (frame[0], frame[1] @ sp.pose(rpy=turn))
    for other, (b, a) in ((plain, frame), (bent, turned)):
        for link in robot.links:
            other.add_link(link.name, link.body, joint=link.joint, parent=link.parent)
        other.add(sp.Loop("ball", a=("follower", a), b=("world", b), joint=sp.Spherical()))
    model, reference = bent.compile(), plain.compile()
    guess = np.array([0.8, 0.5, 0.9])
    q = model.assemble(guess)
    np.testing.assert_allclose(model.pose(q, "follower")[:3, 3], [0.3, 0.0, 0.0], atol=1e-9)
    assert model.nc == reference.nc == 2
    # what holds the robot does not depend on the frames, either
    v = np.zeros(3)
    np.testing.assert_allclose(model.forward_dynamics(q, v).a, reference.forward_dynamics(q, v).a, rtol=1e-9)
    ahead = model.simulate(0.1, q0=q)
    np.testing.assert_allclose(ahead.q[-1], reference.simulate(0.1, q0=q).q[-1], atol=1e-3)
    np.testing.assert_allclose(model.loop_error_derivative(q), differences(model.loop_error, q), atol=1e-8)


def test_a_hinge_whose_axes_face_each_other_says_so():
    robot = four_bar()
    facing = sp.pose((0.3, 0.0, 0.0), (np.pi, 0.0, 0.0))
    robot.add(sp.Loop("back", a=("follower",), b=("world", facing), joint=sp.Revolute("y")))
    with pytest.raises(sp.ConvergenceError, match=r"Loop 'back' cannot be closed.*half a turn.*by pi"):
        robot.compile()
