"""Derivatives of inner forces: every load at once, contacts between the points of rods, children, velocities."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, random_robot, rebuilt, relative_error
from load_kinds import KINDS, add_kinds, pick
from readout_cases import random_case
from supple.readouts.parts import make_state

STATIONS = [0.0, 0.13, 0.5, 0.77, 1.0]
#: Of differences: friction turns round within the slip velocity, 1 mm/s; accelerations enter linearly.
STEP = {"q": 1e-5, "v": 1e-5, "a": 0.1}


def derivatives_by_differences(model, state, link, s):
    def along(which):
        def wrench(x):
            changed = state._replace(**{which: x})
            return model.inner_forces(changed.q, link, s, *changed[1:]).ravel()

        return difference_jacobian(wrench, getattr(state, which), STEP[which]).reshape(len(s), 6, model.n)

    return [along(which) for which in ("q", "v", "a")]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("link", ["arm", "leg"])
def test_derivatives_with_every_load_at_once(link, seed):
    model, state = random_case(seed)
    found = model.inner_force_derivatives(state.q, link, STATIONS, *state[1:])
    assert np.array_equal(found.wrench, model.inner_forces(state.q, link, STATIONS, *state[1:]))
    for exact, differences in zip(found[1:], derivatives_by_differences(model, state, link, STATIONS), strict=True):
        assert relative_error(exact, differences) < 1e-6


def test_one_station_has_no_axis_of_stations():
    model, state = random_case(0)
    one = model.inner_force_derivatives(state.q, "arm", 0.5, *state[1:])
    many = model.inner_force_derivatives(state.q, "arm", [0.5], *state[1:])
    assert [x.shape for x in one] == [(6,), *[(6, model.n)] * 3]
    assert all(np.array_equal(x, y[0]) for x, y in zip(one, many, strict=True))


def test_at_the_base_forces_are_those_of_the_reaction():
    model, state = random_case(1)
    found = model.inner_force_derivatives(state.q, "arm", 0.0, *state[1:])
    joint = model.reaction_derivatives(state.q, "arm", *state[1:])
    R = model.pose(state.q, "arm", 0.0)[:3, :3]
    assert relative_error(R @ found.da[3:], -joint.da[3:]) < 1e-10
    assert relative_error(R @ found.dv[3:], -joint.dv[3:]) < 1e-10


def test_a_contact_on_what_hangs_beyond_a_cut_is_felt():
    """A rod on a rod: the floor under the second one presses on the cut of the first, with its derivative."""
    robot = sp.Robot("two", gravity=(0.0, 0.0, 0.0))
    rod = sp.Rod(0.3, sp.Circle(0.02), sp.Material(1e6, density=1000.0), sp.Legendre(bend_y=1), points=4)
    robot.add_link("first", rod)
    robot.add_link("second", rod, parent="first")
    robot.add(sp.Contact("floor", sp.Spheres("second", n=9), sp.Plane(height=-0.01), stiffness=1e4))
    model = robot.compile()
    q = np.full(model.n, 0.4)
    force = model.contact(q, "floor").force.sum(axis=0)
    assert np.linalg.norm(force) > 0.1
    pose = model.pose(q, "first", 0.5)
    found = model.inner_force_derivatives(q, "first", 0.5)
    assert found.wrench[3:] == pytest.approx(pose[:3, :3].T @ force, rel=1e-9)
    by_differences = difference_jacobian(lambda x: model.inner_forces(x, "first", 0.5), q)
    assert relative_error(found.dq, by_differences) < 1e-6


def test_contacts_that_touch_nothing_add_nothing():
    """At stations that sleep: none is awake, and none is left to be summed."""
    rod = sp.Rod(0.3, sp.Circle(0.02), sp.Material(1e6, density=1000.0), sp.Legendre(bend_y=1), points=4)
    robots = [sp.Robot("rod"), sp.Robot("rod")]
    for robot in robots:
        robot.add_link("rod", rod)
    robots[1].add(sp.Contact("floor", sp.Spheres("rod", n=9), sp.Plane(height=-5.0), stiffness=1e4))
    bare, far = (robot.compile() for robot in robots)
    q = np.full(bare.n, 0.4)
    for one, other in zip(*(model.inner_force_derivatives(q, "rod", [0.0, 0.5]) for model in (bare, far)), strict=True):
        assert np.array_equal(one, other)


def random_rods(seed):
    """A random robot with branches, links along rods, and some loads of any kinds; and one of its rods."""
    rng = np.random.default_rng(seed)
    robot = random_robot(rng, links=int(rng.integers(2, 6)), rods=0.7)
    rods = [link.name for link in robot.links if isinstance(link.body, sp.Rod)]
    stations = {link.name: pick(rng, (0.5, rng.uniform(0.02, 0.98), 1.0)) for link in robot.links}
    robot = rebuilt(robot, station=lambda link: stations[link.name] if link.parent in rods else link.station)
    robot = add_kinds(rng, robot, [str(kind) for kind in rng.choice(list(KINDS), size=4, replace=False)])
    return rng, robot.compile(), pick(rng, rods)


@pytest.mark.parametrize("seed", [1, 2, 4, 5, 7, 8])
@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
def test_derivatives_on_random_robots(seed):
    """The best of three steps of differences: loads differ in how far they are smooth."""
    rng, model, link = random_rods(seed)
    q, v, a = 0.3 * rng.standard_normal((3, model.n))
    u, lam = rng.uniform(0.01, 0.1, model.nu), rng.standard_normal(model.nc)
    state = make_state(model, q, v, a, u if model.nu else None, lam, 0.3)
    found = model.inner_force_derivatives(q, link, STATIONS, *state[1:])
    for exact, which in zip(found[1:], "qva", strict=True):

        def wrench(x, which=which):
            changed = state._replace(**{which: x})
            return model.inner_forces(changed.q, link, STATIONS, *changed[1:]).ravel()

        at = getattr(state, which)
        rough = [difference_jacobian(wrench, at, h).reshape(exact.shape) for h in (1e-3, 1e-4, 1e-5)]
        assert min(relative_error(exact, found, floor=1e-3) for found in rough) < 1e-7
