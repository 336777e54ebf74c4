"""Friction of joints: its law, tangents, powers and gradients, and what it does to motions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from helpers import central_difference, difference_jacobian, random_rigid

RICH = sp.Friction(0.3, static=0.5, stribeck_velocity=0.4, slip_velocity=0.2, viscous=0.1)


def law(v, c=0.3, s=0.5, w=0.4, e=0.2):
    return -(c + (s - c) * np.exp(-((v / w) ** 2))) * v / np.hypot(v, e)


def arm(friction=RICH, couple=False, build=sp.Revolute, **changes):
    rng = np.random.default_rng(0)
    robot = sp.Robot("arm")
    robot.add_link("a", random_rigid(rng), sp.Revolute("y", friction=friction))
    robot.add_link("b", random_rigid(rng), sp.Spherical(friction=(0.1, 0.2, 0.0)), parent="a")
    robot.add_link("c", random_rigid(rng), sp.Composite(sp.Prismatic("x", friction=0.4), sp.Revolute("z")), parent="b")
    if couple:
        robot.add_link("d", random_rigid(rng), sp.Revolute("x", friction=friction), parent="c")
        robot.couple("d", to="a", function=lambda a: 0.5 * a + 0.2 * a**2)
    return robot


def state(model, seed=1):
    return 0.4 * np.random.default_rng(seed).standard_normal((3, model.n))


def test_the_law():
    model, free = arm().compile(), arm(0.0).compile()
    q, v, _ = state(model)
    difference = model.internal_force(q, v) - free.internal_force(q, v)
    assert difference[0] == pytest.approx(law(v[0]) - 0.1 * v[0], rel=1e-12)
    assert_allclose(difference[1:], 0.0, atol=1e-13)
    assert_allclose(model.internal_force(q, 0 * v), free.internal_force(q, 0 * v), atol=1e-13)  # none at rest
    single = sp.Friction(2.0).numbers(3)
    assert_allclose(single, np.tile([2.0, 2.0, 0.05, 1e-3], (3, 1)))


@pytest.mark.parametrize("couple", [False, True])
def test_tangents(couple):
    model = arm(couple=couple).compile()
    q, v, a = state(model)
    v[[2, 4]] = 0.7, -0.6  # those with small slip velocities, away from rest
    x = np.arange(1.0, 1.0 + model.n)
    assert model.check_derivatives(q, v, a).ok(1e-7)
    tau = model.internal_force_derivatives(q, v)
    assert_allclose(tau.dv, difference_jacobian(lambda y: model.internal_force(q, y), v, 1e-3), atol=1e-7)
    T = model.residual_tangent(q, v, a, cv=2.0, ca=3.0)[1]
    for transposed in (False, True):
        product = model.tangent_product(q, v, a, x, 2.0, 3.0, transposed)
        assert_allclose(product, (T.T if transposed else T) @ x, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("couple", [False, True])
def test_power(couple):
    model = arm(couple=couple).compile()
    q, v, _ = state(model)
    found = model.power(q, v, model.forward_dynamics(q, v).a)
    assert found.joints["a"] == pytest.approx(law(v[0]) * v[0] - 0.1 * v[0] ** 2)
    assert all(power <= 0.0 for power in found.joints.values())
    assert abs(found.balance) < 1e-10
    a = np.zeros(model.n)
    gradient = model.power_derivatives(q, v, a).joints["a"].dv
    numbers = [central_difference(lambda h, e=e: model.power(q, v + h * e, a).joints["a"]) for e in np.eye(model.n)]
    assert_allclose(gradient, numbers, atol=1e-9)


def test_a_block_on_a_slope_sticks_or_slides():
    """Below the cone of friction it creeps at the share of the slip velocity that holds it; above, it accelerates."""
    for force, sticks in ((3.0, True), (6.0, False)):
        robot = sp.Robot("block", gravity=(force, 0.0, 0.0))
        slide = sp.Prismatic("x", friction=sp.Friction(4.0, static=5.0, stribeck_velocity=0.01, slip_velocity=1e-4))
        robot.add_link("block", sp.Rigid(1.0, (0.1, 0.1, 0.1)), slide)
        model = robot.compile()
        for method in (sp.NDF(rtol=1e-6, atol=1e-9), sp.GeneralizedAlpha(dt=1e-3), sp.BDF2(dt=1e-3)):
            v = model.simulate(1.0, method=method).v[-1, 0]
            if sticks:
                assert 0.0 < v < 1e-4
                assert law(v, 4.0, 5.0, 0.01, 1e-4) == pytest.approx(-force, rel=1e-3)
            else:
                assert v == pytest.approx(force - 4.0, rel=0.05)


def test_statics_know_no_friction():
    found, free = arm(couple=False).compile(), arm(0.0).compile()
    assert_allclose(found.internal_force(np.ones(found.n), np.zeros(found.n)),
                    free.internal_force(np.ones(found.n), np.zeros(found.n)))  # fmt: skip


def test_gradients_by_friction():
    def build(numbers=(0.3, 0.5, 0.4, 0.2)):
        c, s, w, e = numbers
        return arm(sp.Friction(c, static=s, stribeck_velocity=w, slip_velocity=e))

    design = sp.Design(build, numbers=np.array([0.3, 0.5, 0.4, 0.2]))
    model = design.model()
    method, v0 = sp.GeneralizedAlpha(dt=5e-3), np.full(model.n, 0.4)
    motion = model.simulate(0.05, v0=v0, method=method, record=True)
    bar = np.random.default_rng(3).standard_normal(motion.q.shape)
    found = motion.vjp(q=bar).p["numbers"]
    for k, e in enumerate(1e-4 * np.eye(4)):
        ends = [design.model(numbers=design.values["numbers"] + x * e) for x in (1.0, -1.0)]
        high, low = (np.sum(end.simulate(0.05, v0=v0, method=method).q * bar) for end in ends)
        assert found[k] == pytest.approx((high - low) / 2e-4, rel=1e-4, abs=1e-8)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sp.Friction(-1.0), "Friction: coulomb is -1, must be at least 0"),
        (lambda: sp.Friction(1.0, slip_velocity=0.0), "Friction: slip_velocity is 0, must be positive"),
        (lambda: sp.Friction(1.0, stribeck_velocity=-1.0), "Friction: stribeck_velocity is -1, must be positive"),
        (lambda: sp.Friction(np.nan), "Friction: coulomb"),
        (lambda: sp.Friction([[1.0]]), r"must be a number or \(k,\) of them"),
        (lambda: sp.Revolute("x", friction=sp.Friction(2.0, static=1.0)), "Revolute: .*static is 1, must be at least"),
        (lambda: sp.Revolute("x", friction=(1.0, 2.0)), "coulomb"),
        (lambda: sp.Revolute("x", friction="rough"), "friction"),
        (
            lambda: sp.Composite(sp.Revolute("x", friction=1.0), sp.Revolute("y"), friction=2.0),
            "Composite: friction is given, but its Revolute has its own",
        ),
    ],
)
def test_bad_friction_is_refused(make, message):
    with pytest.raises(sp.ModelError, match=message):
        make()
