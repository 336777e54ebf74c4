"""Springs and dampers: energy, power, momentum, ends anywhere."""

import numpy as np
import pytest

import supple as sp
from helpers import (
    STATES,
    central_difference,
    difference_jacobian,
    random_coordinates,
    random_robot,
    size,
)
from load_cases import generalised_force, random_end, random_ends

LAW = {"stiffness": 30.0, "rest_length": 0.25, "damping": 0.0}


def sprung(seed, free=False, **law):
    """A random robot with one spring, and its ends."""
    rng = np.random.default_rng([51, seed])
    options = {"root": "Free", "bare_root": True, "gravity": (0.0, 0.0, 0.0), "links": 3} if free else {}
    robot = random_robot(rng, **options)
    ends = (
        random_ends(rng, robot) if free or rng.random() < 0.6 else random_ends(rng, robot, random_end(rng, robot, 1.0))
    )
    robot.add(sp.Spring("spring", *ends, **(LAW | law)))
    model = robot.compile()
    q = random_coordinates(rng, robot, STATES[seed % 4])
    return model, ends, q, rng.standard_normal(model.n)


def point(model, q, end):
    link, s, offset = end
    return (offset if link == "world" else model.pose(q, link, s) @ offset)[:3, 3]


def length(model, q, ends):
    return float(np.linalg.norm(point(model, q, ends[1]) - point(model, q, ends[0])))


@pytest.mark.parametrize("seed", range(32))
def test_force_is_minus_the_gradient_of_the_energy(seed):
    model, ends, q, _ = sprung(seed)
    gradient = difference_jacobian(lambda x: 15.0 * (length(model, x, ends) - 0.25) ** 2, q, 3e-4)
    assert size(generalised_force(model, q) + gradient) < 1e-9 * max(size(gradient), 10.0)


@pytest.mark.parametrize("seed", range(32))
def test_a_damper_takes_the_square_of_the_rate(seed):
    """Q . v = -c (dl/dt)^2: it never gives energy."""
    model, ends, q, v = sprung(seed, stiffness=0.0, damping=1.7)
    rate = central_difference(lambda t: length(model, q + t * v, ends), 1e-4)
    assert generalised_force(model, q, v) @ v == pytest.approx(-1.7 * rate**2, rel=1e-7, abs=1e-9)


@pytest.mark.parametrize("seed", range(32))
def test_derivatives(seed):
    model, _, q, v = sprung(seed, damping=0.8)
    report = model.check_derivatives(q, v, v)
    assert report.ok(1e-8), str(report)


@pytest.mark.parametrize("seed", range(12))
def test_a_free_robot_keeps_its_momentum(seed):
    """Sum of forces and of moments vanish: nothing on the free base; M a + ... of the base is zero."""
    model, _, q, v = sprung(seed, free=True, damping=0.5)
    base = model.layouts[model.link_names.index("link0")].coordinates[:6]
    force = generalised_force(model, q, v)
    assert size(force[base]) < 1e-12 * max(size(force), 30.0)


def test_momentum_of_two_bodies_stays_zero():
    """Two free bodies and nothing else: linear and angular momentum do not change."""
    robot = sp.Robot("pair", gravity=(0.0, 0.0, 0.0))
    for i, x in enumerate((0.0, 1.0)):
        robot.add_link(
            f"b{i}", sp.Rigid(1.0 + i, (0.1, 0.2, 0.25), com=(0.1, 0.0, 0.0)), joint=sp.Free(), at=sp.pose((x, 0, 0))
        )
    offset = sp.pose((0.1, 0.2, -0.1))
    robot.add(sp.Spring("s", ("b0", 0.0, offset), ("b1", 0.0), stiffness=40.0, rest_length=0.3, damping=2.0))
    model = robot.compile()
    q, v = 0.5 * np.random.default_rng(3).standard_normal((2, 12))
    a = model.forward_dynamics(q, v).a
    rate = central_difference(lambda t: model.momentum(q + t * v, v), 1e-3) + model.momentum(q, a)
    assert size(rate) < 1e-11 * size(model.momentum(q, np.abs(a)))
    one = model.forward_dynamics(q, np.zeros(12)).a
    linear = model.momentum(q, one)
    assert size(linear) < 1e-12 * 40.0


def test_tension_by_hand():
    robot = sp.Robot("slider", gravity=(0.0, 0.0, 0.0))
    robot.add_link("mass", sp.Rigid(2.0, (1.0, 1.0, 1.0)), joint=sp.Prismatic("x"))
    robot.add(sp.Spring("s", ("world", 0.0), ("mass", 0.0), stiffness=10.0, rest_length=0.5, damping=3.0))
    model = robot.compile()
    assert generalised_force(model, np.array([0.8]), np.array([0.2])) == pytest.approx([-(10.0 * 0.3 + 3.0 * 0.2)])
    assert generalised_force(model, np.array([0.3])) == pytest.approx([2.0])
    assert generalised_force(model, np.array([-0.3])) == pytest.approx([-2.0])
    assert model.residual_derivatives([0.8], [0.2], [0.0]).dq[0, 0] == pytest.approx(10.0)
    assert model.residual_derivatives([0.8], [0.2], [0.0]).dv[0, 0] == pytest.approx(3.0)


def test_ends_that_meet_do_not_pull():
    robot = sp.Robot("slider", gravity=(0.0, 0.0, 0.0))
    robot.add_link("mass", sp.Rigid(2.0, (1.0, 1.0, 1.0)), joint=sp.Prismatic("x"))
    robot.add(sp.Spring("s", ("world", 0.0), ("mass", 0.0), stiffness=10.0, rest_length=0.5))
    model = robot.compile()
    residual, tangent = model.residual_tangent([0.0], [1.0], [0.0])
    assert residual == pytest.approx([0.0])
    assert np.isfinite(tangent).all()


def test_a_spring_within_one_body_does_nothing():
    robot = sp.Robot("body")
    robot.add_link("body", sp.Rigid.box((0.1, 0.2, 0.3), density=100.0, tip=sp.pose((0.3, 0, 0))), joint=sp.Free())
    robot.add(sp.Spring("s", ("body", 0.0), ("body", 1.0), stiffness=100.0))
    model = robot.compile()
    q, v = np.random.default_rng(2).standard_normal((2, 6))
    assert size(generalised_force(model, q, v)) < 1e-13


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"a": ("world", 0.0), "b": ("world", 0.0)}, r"Spring 's': both ends are on the world"),
        ({"a": ("leg", 0.0)}, r"Spring 's': there is no link 'leg'"),
        ({"a": "mass"}, r"Spring 's': a is 'mass', must be \(link, s\) or \(link, s, offset\)"),
        ({"b": ("mass", "tip")}, r"Spring 's': b: s"),
        ({"b": ("mass", 2.0)}, r"Spring 's': s is 2\.0 on link 'mass'"),
        ({"b": ("mass", 0.5)}, r"Spring 's': s is 0\.5, but link 'mass' is rigid: 0 is its body frame, 1 its tip"),
        ({"b": ("mass", 0.0, np.ones(3))}, r"Spring 's': b: offset"),
        ({"stiffness": -1.0}, r"Spring 's': stiffness"),
        ({"damping": np.nan}, r"Spring 's': damping"),
        ({"rest_length": -0.1}, r"Spring 's': rest_length"),
    ],
)
def test_bad_input_is_named(options, message):
    robot = sp.Robot("slider")
    robot.add_link("mass", sp.Rigid(2.0, (1.0, 1.0, 1.0)), joint=sp.Prismatic("x"))
    robot.add(sp.Spring(**({"name": "s", "a": ("world", 0.0), "b": ("mass", 0.0)} | options)))
    with pytest.raises(sp.ModelError, match=message):
        robot.compile()
