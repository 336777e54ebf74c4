"""Joints along splines: their maps against splines written out in NumPy, their mechanics against differences."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm, logm

import supple as sp
from helpers import (
    central_difference,
    hat,
    random_coordinates,
    random_frames,
    random_pose,
    random_rigid,
    random_robot,
    random_surface,
    relative_error,
    vee,
)
from supple.joints.factors import exponential, logarithm
from supple.maps.evaluation import evaluate

RNG = np.random.default_rng(5)
FRAMES, VALUES = random_frames(RNG, 6), random_surface(RNG, 5, 6)


def spline_pose(frames, q, cyclic):
    """The curve as the cumulative basis functions say it, all frames at once."""
    m, k = len(frames), int(np.floor(q))
    k = k if cyclic else min(max(k, 0), m - 4)
    u = q - k
    blend = ((5 + 3 * u - 3 * u**2 + u**3) / 6, (1 + 3 * u + 3 * u**2 - 2 * u**3) / 6, u**3 / 6)
    g = frames[k % m]
    for i, b in enumerate(blend, k + 1):
        g = g @ expm(b * np.real(logm(np.linalg.inv(frames[(i - 1) % m]) @ frames[i % m])))
    return g


def surface_pose(values, q):
    """A tensor product of uniform cubic B-splines, by the recursion of Cox and de Boor."""

    def spline(row, x):  # knots are the integers -3, -2, ...
        def N(i, degree):
            if degree == 0:
                return float(i <= x < i + 1)
            return ((x - i) * N(i, degree - 1) + (i + degree + 1 - x) * N(i + 1, degree - 1)) / degree

        return sum(row[i] * N(i - 3, 3) for i in range(len(row)))

    f = [spline([spline(row, q[1]) for row in table], q[0]) for table in values]
    turns = [expm(hat([*(np.eye(3)[k] * f[3 + k]), 0, 0, 0])) for k in range(3)]
    return sp.pose(f[:3]) @ turns[0] @ turns[1] @ turns[2]


def bound(joint):
    return joint.factors()[0].bound()


@pytest.mark.parametrize(("cyclic", "places"), [(False, (0.2, 1.7, 2.9)), (True, (0.2, 3.4, 5.9, -2.7, 17.3))])
def test_curves_are_cumulative_splines(cyclic, places):
    joint = sp.CurveJoint(FRAMES, cyclic)
    for x in places:
        assert_allclose(evaluate(bound(joint), np.array([x])).pose, spline_pose(FRAMES, x, cyclic), atol=1e-13)


def test_surfaces_are_tensor_splines():
    for q in ((0.3, 0.4), (1.6, 2.8)):
        found = evaluate(bound(sp.SurfaceJoint(VALUES)), np.array(q)).pose
        assert_allclose(found, surface_pose(VALUES, q), atol=1e-14)


JOINTS = {
    "open": (sp.CurveJoint(FRAMES), [[0.3], [1.8], [-0.4], [3.6]]),
    "closed": (sp.CurveJoint(FRAMES, cyclic=True), [[5.5], [-7.2]]),
    "patch": (sp.SurfaceJoint(VALUES[:, :4, :4]), [[0.3, 0.8], [-0.2, 1.3]]),
    "surface": (sp.SurfaceJoint(VALUES), [[1.3, 2.2], [0.4, 3.4]]),
}


@pytest.mark.parametrize("name", JOINTS)
def test_columns_and_their_derivatives_are_those_of_the_pose(name):
    joint, places = JOINTS[name]
    this, rng = bound(joint), np.random.default_rng(0)
    for q in np.array(places):
        v = rng.standard_normal(len(q))
        found = evaluate(this, q, v)
        for k, e in enumerate(np.eye(len(q))):
            rate = central_difference(lambda h, e=e, q=q: evaluate(this, q + h * e).pose)
            assert_allclose(found.S[:, k], vee(rate @ np.linalg.inv(found.pose)), atol=1e-11)
            slope = central_difference(lambda h, e=e, q=q: evaluate(this, q + h * e).S)
            assert_allclose(found.dS[k], slope, atol=1e-11)
        bend = central_difference(lambda h, q=q, v=v: np.einsum("kij,k->ij", evaluate(this, q + h * v).dS, v))
        assert_allclose(found.ddS, bend, atol=1e-10)


@pytest.mark.parametrize("cyclic", [False, True])
def test_curves_are_twice_differentiable_between_pieces(cyclic):
    this = bound(sp.CurveJoint(FRAMES, cyclic))
    for k in (1, 2, 5, 6) if cyclic else (1, 2):
        below, above = (evaluate(this, np.array([x])) for x in (np.nextafter(k, -9), float(k)))
        for part in (0, 1, 2):
            assert_allclose(below[part], above[part], atol=1e-12)


def test_logarithms_undo_exponentials():
    rng = np.random.default_rng(3)
    for angle in (0.0, 1e-9, 1e-3, 0.0999, 0.1001, 1.0, 3.0):
        direction = rng.standard_normal(3)
        twist = np.concatenate([angle * direction / np.linalg.norm(direction), rng.standard_normal(3)])
        assert_allclose(exponential(twist), expm(hat(twist)), atol=1e-14)
        assert_allclose(logarithm(exponential(twist)), twist, atol=1e-13)


def slider(joint, seed=0):
    """A body on a spline, with a rod and a spring on it, that hangs on a pendulum."""
    rng = np.random.default_rng(seed)
    robot = sp.Robot("slider")
    robot.add_link("swing", random_rigid(rng), joint=sp.Revolute("y"))
    robot.add_link("body", random_rigid(rng), joint=joint, parent="swing", at=random_pose(rng))
    material = sp.Material(young=1e5, poisson=0.4, density=1000.0, viscosity=10.0)
    robot.add_link("rod", sp.Rod(0.3, sp.Circle(0.02), material, sp.Legendre(bend_y=1)), parent="body")
    robot.add(sp.Spring("s", a=("body", 1.0), b=("world", 0.0, sp.pose((0, 1, 0))), stiffness=3.0, damping=0.2))
    robot.add(sp.JointDrive("drive", "body"))
    return robot


@pytest.mark.parametrize("name", JOINTS)
def test_mechanics_on_splines(name):
    joint, places = JOINTS[name]
    model = slider(joint).compile()
    rng = np.random.default_rng(1)
    for place in places:
        q, v, a = rng.standard_normal((3, model.n))
        q[1 : 1 + joint.dof] = place
        assert model.check_derivatives(q, v, a, rng.standard_normal(model.nu)).ok(1e-8)
        drift = model.inverse_dynamics(q, v, np.zeros(model.n))
        assert_allclose(model.inverse_dynamics(q, v, a), model.mass_matrix(q) @ a + drift, atol=1e-9)
        power = central_difference(lambda h, q=q, v=v: model.energy(q + h * v, v).kinetic)  # v fixed: v.M'v/2
        M_rate = central_difference(lambda h, q=q, v=v: model.mass_matrix(q + h * v))
        assert abs(power - 0.5 * v @ M_rate @ v) < 1e-8 * (1 + abs(power))


@pytest.mark.parametrize("seed", range(25))
def test_random_robots_with_splines(seed):
    """Derivatives, products with the tangent, and accelerations in linear time, as for all other joints."""
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, splines=0.6)
    model = robot.compile()
    q = random_coordinates(rng, robot, "moderate")
    v, a, x = rng.standard_normal((3, model.n))
    assert model.check_derivatives(q, v, a).ok(1e-7)
    _, T = model.residual_tangent(q, v, a, cv=2.0, ca=3.0)
    for transposed in (False, True):
        product = model.tangent_product(q, v, a, x, 2.0, 3.0, transposed)
        assert relative_error(product, (T.T if transposed else T) @ x) < 1e-11
    found = model.forward_dynamics(q, v).a
    assert relative_error(model.residual(q, v, found), np.zeros(model.n), np.abs(T).max()) < 1e-9


def test_a_motion_along_a_closed_curve_keeps_its_energy():
    turns = np.linspace(0, 2 * np.pi, 8, endpoint=False)
    track = [sp.pose((np.cos(t), np.sin(t), 0.2 * np.sin(2 * t)), (0, 0, t + np.pi / 2)) for t in turns]
    robot = sp.Robot("train")
    robot.add_link("car", sp.Rigid.box((0.2, 0.1, 0.1), density=500.0), joint=sp.CurveJoint(track, cyclic=True))
    model = robot.compile()
    motion = model.simulate(5.0, v0=[4.0], method=sp.NDF(rtol=1e-8, atol=1e-10))
    energy = np.array([model.energy(q, v).total for q, v in zip(motion.q, motion.v, strict=True)])
    assert motion.q[-1, 0] > 8.0  # more than once around
    assert np.ptp(energy) < 1e-5 * energy[0]


def test_splines_pickle_and_models_tell_them_apart():
    model, other = slider(sp.CurveJoint(FRAMES)).compile(), slider(sp.CurveJoint(FRAMES[::-1])).compile()
    again = pickle.loads(pickle.dumps(model))
    q = np.full(model.n, 0.3)
    assert_allclose(again.mass_matrix(q), model.mass_matrix(q), rtol=0, atol=0)
    assert model.digest.parts["link 'body'"] == again.digest.parts["link 'body'"]
    assert model.digest.parts["link 'body'"]["joint"] != other.digest.parts["link 'body'"]["joint"]


@pytest.mark.parametrize("method", [sp.GeneralizedAlpha(dt=1e-2), sp.RK45(), sp.BDF2(dt=1e-2)])
def test_methods_and_laws_work_on_splines(method):
    robot = slider(sp.CurveJoint(FRAMES, stiffness=2.0, rest=1.0, limits=(0.0, 3.0)))
    robot.add(sp.Prescribed("swing", sp.laws.Sine(0.2, 1.0)))
    motion = robot.compile().simulate(0.2, method=method)
    assert np.isfinite(motion.q).all()
    balance = robot.compile().statics()
    assert balance.converged


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sp.CurveJoint(FRAMES[:3]), "must be 4 poses"),
        (lambda: sp.CurveJoint(FRAMES[:2], cyclic=True), "must be 3 poses"),
        (lambda: sp.CurveJoint(3.0), "CurveJoint: frames is 3.0"),
        (lambda: sp.CurveJoint([*FRAMES, np.ones((4, 4))]), r"CurveJoint: frames\[6\]"),
        (lambda: sp.CurveJoint(FRAMES, cyclic="yes"), "CurveJoint: cyclic"),
        (
            lambda: sp.CurveJoint([sp.pose(), sp.pose(rpy=(3.12, 0, 0)), sp.pose(), sp.pose()]),
            r"frames\[1\] is turned by 3.12 rad from frames\[0\]",
        ),
        (lambda: sp.SurfaceJoint(np.zeros((6, 3, 4))), r"SurfaceJoint: values has shape \(6, 3, 4\)"),
        (lambda: sp.SurfaceJoint(np.full((6, 4, 4), np.nan)), "SurfaceJoint: values"),
    ],
)
def test_bad_splines_are_refused(make, message):
    with pytest.raises(sp.ModelError, match=message):
        make()


def test_a_spline_that_stands_still_is_refused():
    robot = sp.Robot("still")
    robot.add_link("body", sp.Rigid.sphere(0.1, density=100.0), joint=sp.CurveJoint([sp.pose()] * 4))
    with pytest.raises(sp.ModelError, match="CurveJoint joint moves no inertia"):
        robot.compile()
