"""Distributed loads: virtual work summed at the rod's nodes, frames, laws."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error
from load_cases import generalised_force
from reference_robots import manipulator_rod

WRENCH = np.array([0.1, -0.3, 0.2, 1.0, 2.0, -1.5])


def arm(*loads):
    robot = sp.Robot("arm", gravity=(0.0, 0.0, 0.0))
    robot.add_link("shaft", sp.Rigid.cylinder(0.2, 0.03, density=800.0), joint=sp.Spherical())
    robot.add_link("rod", manipulator_rod(), joint=sp.Revolute("y"), parent="shaft")
    for load in loads:
        robot.add(load)
    return robot.compile()


def state(model, seed=1):
    return 0.4 * np.random.default_rng(seed).standard_normal(model.n)


def summed(model, q, law, frame):
    """sum w J^T W at the Gauss nodes, from the public Jacobians."""
    x, w = np.polynomial.legendre.leggauss(5)
    total = np.zeros(model.n)
    for s, weight in zip(0.5 * (x + 1.0), 0.25 * w, strict=True):
        wrench, R = np.asarray(law(s)), model.pose(q, "rod", s)[:3, :3]
        if frame == "world":
            wrench = np.concatenate((R.T @ wrench[:3], R.T @ wrench[3:]))
        total += weight * model.jacobian(q, "rod", s).T @ wrench
    return total


LAWS = {
    "constant": (WRENCH, lambda s: WRENCH),
    "of place": (lambda s: (1.0 + s * s) * WRENCH, lambda s: (1.0 + s * s) * WRENCH),
    "of place with a bound constant": (lambda s, w=WRENCH: (1.0 - s) * w, lambda s: (1.0 - s) * WRENCH),
    "of time and place": (lambda t, s: np.sin(t + s) * WRENCH, lambda s: np.sin(0.7 + s) * WRENCH),
}


@pytest.mark.parametrize("frame", ["world", "local"])
@pytest.mark.parametrize("law", LAWS)
def test_generalised_force_is_the_sum_of_work(law, frame):
    given, expected = LAWS[law]
    model = arm(sp.Distributed("rod", given, frame))
    q = state(model)
    assert relative_error(generalised_force(model, q, t=0.7), summed(model, q, expected, frame)) < 1e-13
    displacement = np.random.default_rng(5).standard_normal(model.n)
    work = generalised_force(model, q, t=0.7) @ displacement
    assert work == pytest.approx(summed(model, q, expected, frame) @ displacement, rel=1e-11)


@pytest.mark.parametrize("frame", ["world", "local"])
@pytest.mark.parametrize("law", LAWS)
def test_derivatives(law, frame):
    model = arm(sp.Distributed("rod", LAWS[law][0], frame, name="wind"))
    report = model.check_derivatives(state(model), state(model, 2), state(model, 3), t=0.7)
    assert report.ok(1e-9), str(report)


def test_a_dead_load_is_weight():
    """m g per metre equals gravity on a rod of uniform section."""
    material = sp.Material(young=1e6, poisson=0.5, density=1000.0)
    rod = sp.Rod(0.5, sp.Circle(0.02), material, sp.Legendre(torsion=1, bend_y=2, bend_z=2), points=4)
    weight = 1000.0 * np.pi * 0.02**2 * 9.81
    heavy, loaded = sp.Robot("heavy"), sp.Robot("loaded", gravity=(0.0, 0.0, 0.0))
    for robot in (heavy, loaded):
        robot.add_link("rod", rod, joint=sp.Spherical())
    loaded.add(sp.Distributed("rod", [0.0, 0.0, 0.0, 0.0, 0.0, -weight]))
    heavy, loaded = heavy.compile(), loaded.compile()
    q, v, a = np.random.default_rng(6).standard_normal((3, heavy.n))
    assert relative_error(loaded.residual(q, v, a), heavy.residual(q, v, a)) < 1e-13
    exact, other = heavy.residual_derivatives(q, v, a), loaded.residual_derivatives(q, v, a)
    assert relative_error(other.dq, exact.dq) < 1e-12
    work = difference_jacobian(lambda x: heavy.energy(x, v).gravitational, q)
    assert relative_error(-generalised_force(loaded, q), work) < 1e-10


def test_extra_points_carry_nothing():
    models = []
    for extra in ((), (0.21, 0.77)):
        robot = sp.Robot("rod", gravity=(0.0, 0.0, 0.0))
        material = sp.Material(young=1e6, poisson=0.5, density=1000.0)
        strain = sp.Legendre(stretch=1)
        robot.add_link("rod", sp.Rod(0.5, sp.Circle(0.02), material, strain, 4, extra_points=extra))
        robot.add(sp.Distributed("rod", WRENCH, "local"))
        models.append(robot.compile())
    q = np.array([0.1, -0.05])
    assert relative_error(generalised_force(models[0], q), generalised_force(models[1], q)) < 1e-13


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"frame": "wrold"},
            r"Distributed 'wind': frame is 'wrold', must be \"world\" \(dead\) or \"local\" \(follower\)",
        ),
        ({"link": "shaft"}, r"Distributed 'wind': link 'shaft' is rigid, but this load acts along a rod"),
        ({"link": "leg"}, r"Distributed 'wind': there is no link 'leg'"),
        ({"wrench": lambda s: np.zeros(3)}, r"Distributed 'wind': wrench at s = 0\.05"),
        ({"wrench": np.full(6, np.nan)}, r"Distributed 'wind': wrench at s"),
    ],
)
def test_bad_input_is_named(options, message):
    with pytest.raises(sp.ModelError, match=message):
        arm(sp.Distributed(**({"link": "rod", "wrench": WRENCH, "name": "wind"} | options)))


def test_a_law_of_time_that_returns_too_few_numbers_is_refused():
    model = arm(sp.Distributed("rod", lambda t, s: np.zeros(3)))
    with pytest.raises(sp.StateError, match="6 finite numbers"):
        model.residual(np.zeros(model.n), np.zeros(model.n), np.zeros(model.n))
