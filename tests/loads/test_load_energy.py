"""Potential energy of loads: its gradient is minus their generalised force, and motions keep the total."""

import numpy as np
import pytest

import supple as sp
from helpers import central_difference, difference_jacobian, relative_error, size
from line_robots import OFFSET, branched_robot, random_motion
from load_cases import loaded_case

ROUTE = {"body": [(0.05, 0.02, 0.0)], "a": lambda X: (0.008, 0.004)}
POINTS = [("world", 0.0, OFFSET), ("a", 0.4), ("c", 0.0, OFFSET), ("b", 0.95)]


def stored(model, q, u=None):
    return model.energy(q, np.zeros(model.n), u).loads


def static_force(model, q, u=None):
    """Generalised force of all loads at rest."""
    bare, zero = branched_robot(), np.zeros(model.n)
    return bare.residual(q, zero, zero) - model.residual(q, zero, zero, u)


@pytest.mark.parametrize("width", [0.0, 0.3, 10.0])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "load",
    [
        lambda width: sp.Spring("s", ("a", 0.55), ("b", 0.9, OFFSET), 30.0, 0.1, damping=2.0),
        lambda width: sp.Spring("s", ("world", 0.0, OFFSET), ("d", 1.0), 30.0, 0.5),
        lambda width: sp.Cable("s", POINTS, 40.0, 0.2, damping=1.0, smoothing=width),
        lambda width: sp.ElasticTendon("s", ROUTE, 50.0, 1.0, rest_length=0.1, smoothing=width),
    ],
)
def test_gradient_is_minus_the_force_at_rest(load, seed, width):
    model = branched_robot(load(width))
    q = random_motion(model, seed)[0]
    u = None if model.nu == 0 else [0.05]
    gradient = difference_jacobian(lambda x: stored(model, x, u), q, 1e-4)
    force = static_force(model, q, u)
    assert size(force) > 1e-3
    assert relative_error(gradient, -force) < 1e-8


@pytest.mark.parametrize("seed", range(12))
def test_energies_of_several_loads_add_up(seed):
    """Random robots with springs and loads that store nothing, which must not be asked."""
    case = loaded_case(seed)
    expected = 0.0
    for item in case.robot.items:
        if isinstance(item, sp.Spring):
            a, b = (placed(case.model, case.q, end) for end in (item.a, item.b))
            expected += 0.5 * item.stiffness * (np.linalg.norm(b - a) - item.rest_length) ** 2
    assert case.model.energy(case.q, case.v, case.u).loads == pytest.approx(expected, rel=1e-11)


def placed(model, q, end):
    link, s, offset = end
    return ((np.eye(4) if link == "world" else model.pose(q, link, s)) @ offset)[:3, 3]


def test_by_hand():
    robot = sp.Robot("slider", gravity=(0.0, 0.0, 0.0))
    robot.add_link("block", sp.Rigid(2.0, np.ones(3)), joint=sp.Prismatic("x"))
    robot.add(sp.Spring("spring", ("world", 0.0), ("block", 0.0), stiffness=10.0, rest_length=0.2))
    robot.add(sp.Cable("cable", [("world", 0.0), ("block", 0.0)], stiffness=100.0, rest_length=0.5, smoothing=0.0))
    model = robot.compile()
    energy = model.energy([0.6], [3.0])
    assert energy.loads == pytest.approx(0.5 * 10.0 * 0.4**2 + 0.5 * 100.0 * 0.1**2)
    assert energy.total == pytest.approx(9.0 + energy.loads)
    assert model.energy([0.0], [0.0]).loads == pytest.approx(0.5 * 10.0 * 0.2**2)  # ends that meet; a slack cable


def test_the_ramp_of_a_tightening_cable_ends_where_the_straight_line_begins():
    robot = sp.Robot("slider", gravity=(0.0, 0.0, 0.0))
    robot.add_link("block", sp.Rigid(2.0, np.ones(3)), joint=sp.Prismatic("x"))
    robot.add(sp.Cable("cable", [("world", 0.0), ("block", 0.0)], stiffness=100.0, rest_length=0.5, smoothing=0.1))
    model = robot.compile()
    below, above = stored(model, [0.6 - 1e-12]), stored(model, [0.6 + 1e-12])
    assert below == pytest.approx(above, rel=1e-9)
    assert above == pytest.approx(100.0 * 0.1**2 * 0.4)  # the integral of w x^3 (6 - 8 x + 3 x^2) w dx
    assert stored(model, [0.5]) == 0.0


def test_loads_without_a_potential_store_nothing():
    model = branched_robot(
        sp.Spring("law", ("a", 0.5), ("b", 1.0), law=lambda l, rate: 3.0 * l),
        sp.Tendon("tendon", ROUTE),
        sp.PointWrench("c", np.ones(6)),
    )
    q = random_motion(model, 1)[0]
    assert stored(model, q, [5.0]) == 0.0


def test_a_motion_keeps_the_total_energy():
    """Energy rate along forward dynamics, damped by the rods alone."""
    model = branched_robot(
        sp.Spring("s", ("a", 0.55), ("d", 1.0), 30.0, 0.1),
        sp.Cable("c", POINTS, 40.0, 0.2),
        sp.ElasticTendon("t", ROUTE, 50.0, rest_length=0.1),
    )
    q, v, _ = random_motion(model, 7)
    u = [0.03]
    a = model.forward_dynamics(q, v, u).a
    rate = central_difference(lambda h: model.energy(q + h * v, v, u).total, 1e-4) + v @ model.mass_matrix(q) @ a
    assert rate == pytest.approx(-v @ model.damping @ v, rel=1e-7)
