"""Tendons and channels through soft bodies, against the same lines in a rod and against differences."""

import numpy as np
import pytest

import supple as sp
from soft_robots import soft_cone
from supple.errors import ModelError

L = 0.3
MATERIAL = sp.Material(young=2e5, poisson=0.45, density=1100.0, viscosity=200.0)
RODS = sp.Legendre(bend_y=0, bend_z=0, stretch=0)


def arm(body, *loads):
    """A body on a turning box, with a sliding box at its tip."""
    robot = sp.Robot("arm")
    robot.add_link("base", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), joint=sp.Revolute("y"))
    robot.add_link("arm", body, parent="base", at=sp.pose((0.1, 0.0, 0.05), (0.1, 0.2, 0.3)))
    robot.add_link("box", sp.Rigid.box((0.05, 0.02, 0.02), density=900.0), parent="arm", joint=sp.Prismatic("z"))
    for load in loads:
        robot.add(load)
    return robot.compile()


def soft_arm(*loads):
    domain = sp.HollowCylinder(L, 0.02, 0.01)
    return arm(sp.SoftBody(sp.ConstantCurvature(L, stretch=True), domain, MATERIAL, points=(6, 3, 8)), *loads)


def rod_arm(*loads):
    return arm(sp.Rod(L, sp.Annulus(0.02, 0.01), MATERIAL, RODS, points=6), *loads)


def lines():
    """Every way a line can take through the arm."""
    base, box = [(0.05, 0.02, 0.0)], [(0.02, 0.01, 0.01)]
    return (
        sp.Tendon("curved", {"arm": lambda X: (0.01 + 0.02 * X, 0.005 - 0.3 * X**2)}),
        sp.Tendon("partial", {"arm": (0.01, 0.0)}, until={"arm": 0.2}),
        sp.Tendon("spans", {"base": base, "arm": (0.01, 0.0), "box": box}, until={"arm": 0.21}),
        sp.Tendon("eyelets", {"base": base, "arm": [(0.1, 0.01, 0.0), (0.2, -0.01, 0.01)], "box": box}),
        sp.ElasticTendon("elastic", {"base": base, "arm": (0.01, 0.0), "box": box}, stiffness=200.0, damping=3.0),
        sp.Chamber("channel", {"arm": (0.0, 0.012)}, area=lambda s: 1e-4 * (1.0 + s)),
    )


def state(model, seed):
    rng = np.random.default_rng(seed)
    q, v, a = 0.3 * rng.standard_normal((3, model.n))
    u = np.abs(rng.standard_normal(model.nu))
    for i, name in enumerate(model.input_names):
        u[i] *= {"channel": 1e4, "elastic": 0.05}.get(name, 1.0)
    return q, v, a, u


@pytest.mark.parametrize("seed", range(3))
def test_lines_through_a_constant_curvature_body_are_those_of_the_same_rod(seed):
    soft, rod = soft_arm(*lines()), rod_arm(*lines())
    q, v, _, u = state(soft, seed)
    np.testing.assert_allclose(soft.internal_force(q, v, u), rod.internal_force(q, v, u), rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(soft.actuation(q), rod.actuation(q), rtol=1e-10, atol=1e-12)
    for mine, theirs in zip(
        soft.internal_force_derivatives(q, v, u), rod.internal_force_derivatives(q, v, u), strict=True
    ):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)
    measured, expected = soft.lines(q, v, u), rod.lines(q, v, u)
    for name in expected:
        np.testing.assert_allclose(measured[name].length, expected[name].length, rtol=1e-12)
        np.testing.assert_allclose(measured[name].rate, expected[name].rate, rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(measured[name].tension, expected[name].tension, rtol=1e-11)
        np.testing.assert_allclose(measured[name].gradient, expected[name].gradient, rtol=1e-9, atol=1e-14)


def test_an_elastic_tendon_rests_as_long_as_it_is_and_stores_energy_as_in_a_rod():
    soft, rod = soft_arm(*lines()), rod_arm(*lines())
    q, v, _, u = state(soft, 5)
    assert soft.energy(q, v, u=u).loads == pytest.approx(rod.energy(q, v, u=u).loads, rel=1e-11)
    assert abs(soft.internal_force(soft.rest, 0.0 * v)).max() < 1e-10


@pytest.mark.parametrize("seed", range(3))
def test_derivatives_of_lines_through_bodies_of_any_kinematics(seed):
    """Against differences, with all lines at once."""
    model = arm(soft_cone(seed, L), *lines())
    q, v, a, u = state(model, seed)
    report = model.check_derivatives(q, v, a, u)
    assert report.worst.error < 1e-8, str(report)


def test_tension_derivatives_know_coordinates_of_soft_bodies():
    soft, rod = soft_arm(*lines()), rod_arm(*lines())
    q, v, _, u = state(soft, 2)
    mine, theirs = (model.tension_derivatives(q, "elastic", v, u) for model in (soft, rod))
    for a, b in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)


def test_power_of_inputs_is_tension_times_rate():
    model = soft_arm(*lines())
    q, v, _, u = state(model, 3)
    states, forces = model.lines(q, v, u), model.actuation(q).T @ v
    for i, name in enumerate(model.input_names):
        if name not in ("elastic", "channel"):
            assert forces[i] == pytest.approx(-states[name].rate, rel=1e-12)
    assert forces[model.input_names.index("channel")] == pytest.approx(states["channel"].rate, rel=1e-12)


def test_a_motion_with_a_tendon_through_a_soft_body_is_that_of_the_rod():
    tendon = sp.Tendon("t", {"arm": (0.01, 0.0)})
    motions = [
        model.simulate(0.1, u=np.array([2.0]), method=sp.GeneralizedAlpha(dt=5e-3)) for model in
        (soft_arm(tendon), arm(sp.Rod(L, sp.Annulus(0.02, 0.01), MATERIAL, RODS, points=6), tendon))
    ]  # fmt: skip
    # sections of the rod have no inertia of their own within a step: agreement to what the quadrature leaves
    assert abs(motions[0].q[-1] - motions[1].q[-1]).max() < 2e-3 * abs(motions[1].q[-1]).max()


def test_routes_need_an_axis_and_end_on_it():
    points = sp.Points(np.random.default_rng(0).uniform(0.0, 0.2, (20, 3)), np.full(20, 0.01))
    cloud = sp.SoftBody(sp.ConstantCurvature(L), points, stiffness=np.eye(2))
    with pytest.raises(ModelError, match="runs along an axis, which the domain of link 'arm', Points, does not have"):
        arm(cloud, sp.Tendon("t", {"arm": (0.0, 0.01)}))
    with pytest.raises(ModelError, match=r"until of link 'arm' is 0.5 m, must lie in \(0, 0.3\]"):
        soft_arm(sp.Tendon("t", {"arm": (0.0, 0.01)}, until={"arm": 0.5}))


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
def test_saved_with_its_route_and_its_material_points(tmp_path):
    robot = sp.Robot("arm")
    domain = sp.Cylinder(L, 0.02)
    robot.add_link("arm", sp.SoftBody(sp.ConstantCurvature(L), domain, MATERIAL, points=(6, 2, 8)))
    robot.add(sp.Tendon("t", {"arm": lambda X: (0.01 + 0.02 * X, 0.0)}))
    robot.add(sp.PointWrench("arm", (0.0, 0.1, 0.0, 1.0, 2.0, 3.0), s=(0.1, 0.01, 0.0)))
    robot.add_frame("skin", ("arm", (0.2, 0.0, 0.02)))
    robot.save(tmp_path / "arm.yaml")
    model, again = robot.compile(), sp.load(tmp_path / "arm.yaml").compile()
    q, v = np.array([0.3, -0.4]), np.array([0.1, 0.2])
    np.testing.assert_allclose(
        again.residual(q, v, v, np.array([2.0])), model.residual(q, v, v, np.array([2.0])), rtol=1e-9
    )
    np.testing.assert_allclose(again.pose(q, "skin"), model.pose(q, "skin"), rtol=1e-12)


def test_inputs_act_at_the_state_that_is_asked_for():
    """Whatever state the call before was about."""
    model = soft_arm(*lines())
    (q, v, _, u), other = state(model, 4), state(model, 5)[0]
    for before in (q, other):
        model.internal_force(before, v, u)
        B, h = model.input_forces(q, v, u), 1e-6 * (1.0 + np.abs(u))
        for i in range(model.nu):
            e = h[i] * np.eye(model.nu)[i]
            slope = (model.internal_force(q, v, u + e) - model.internal_force(q, v, u - e)) / (2.0 * h[i])
            model.internal_force(before, v, u)
            np.testing.assert_allclose(B[:, i], slope, atol=1e-7 * np.abs(B[:, i]).max())


@pytest.mark.parametrize("make", [soft_arm, rod_arm])
def test_lengths_that_accelerate_by_themselves(make):
    model = make(*lines())
    q, v, _, _ = state(model, 6)
    found, h = model.line_biases(q, v), 1e-5
    ahead, behind = model.lines(q + h * v, v), model.lines(q - h * v, v)
    sizes = {name: np.linalg.norm(line.gradient) * (v @ v) for name, line in ahead.items()}
    assert list(found) == list(ahead)
    for name, bias in found.items():
        assert bias == pytest.approx((ahead[name].rate - behind[name].rate) / (2.0 * h), abs=1e-8 * sizes[name])
