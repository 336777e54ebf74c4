"""Forces of contacts, pair by pair: balance with the load itself, and derivatives."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error
from readout_cases import everything, random_case, varied
from supple.readouts import contact as read
from supple.readouts import parts

CONTACTS = ("floor", "bed", "clash")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", CONTACTS)
def test_forces_of_all_pairs_do_the_work_of_the_load(name, seed):
    model, state = random_case(seed)
    (index,) = [i for i, load in enumerate(model.loads) if load.name == name]
    forces = read.contact(model, state, name)
    assert len(forces.gap) > 0
    assert (forces.gap < 0.0).all()
    expected = -parts.alone(model, index).residual(*state) @ state.v
    assert forces.power.sum() == pytest.approx(expected, rel=1e-10)
    assert (forces.dissipated >= -1e-12 * np.abs(forces.power).max()).all()


@pytest.mark.parametrize("name", CONTACTS)
def test_the_law_holds_at_every_pair(name):
    model, state = random_case(1)
    forces = read.contact(model, state, name)
    press = np.sum(forces.force * forces.normal, axis=1)
    assert np.allclose(np.linalg.norm(forces.normal, axis=1), 1.0)
    slip = forces.velocity - np.sum(forces.velocity * forces.normal, axis=1)[:, None] * forces.normal
    expected = -0.4 * press[:, None] * slip / np.sqrt((slip**2).sum(axis=1) + 0.1**2)[:, None]
    assert relative_error(forces.friction, expected) < 1e-12
    assert relative_error(forces.force, press[:, None] * forces.normal + expected) < 1e-12
    assert relative_error(forces.wrench_a.sum(axis=0), forces.total) < 1e-12
    assert np.array_equal(forces.wrench_a, -forces.wrench_b)
    links = {link for link, _ in (*forces.a, *forces.b)}
    assert np.abs(sum(forces.on(link) for link in links)).max() < 1e-12 * np.abs(forces.total).max()
    assert relative_error(sum(forces.on(link) for link in {link for link, _ in forces.a}), forces.total) < 1e-12


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", CONTACTS)
def test_derivatives_agree_with_differences(name, seed):
    model, state = random_case(seed)
    exact = read.contact_derivatives(model, state, name)
    chosen = np.flatnonzero(read.touching(read.meeting(model, name), state))

    def slopes(argument, value):
        def function(x):
            forces = read.forces(read.meeting(model, name), varied(state, argument, x), chosen)
            return value(forces)

        return difference_jacobian(function, getattr(state, argument), 1e-5)

    for argument in ("q", "v"):
        force, total = (getattr(exact, f"{what}_d{argument}") for what in ("force", "total"))
        assert relative_error(force, slopes(argument, lambda f: f.force)) < 1e-6
        assert relative_error(total, slopes(argument, lambda f: f.total)) < 1e-6
    assert relative_error(exact.gap_dq, slopes("q", lambda f: f.gap)) < 1e-8


def test_every_pair_lists_gaps_of_those_apart_too():
    model, state = random_case(0)
    listed, touching = read.contact(model, state, "floor", True), read.contact(model, state, "floor")
    assert len(listed.gap) == 13
    assert listed.touching.sum() == len(touching.gap)
    assert np.array_equal(listed.total, touching.total)
    apart = ~listed.touching
    assert (listed.force[apart] == 0.0).all()
    assert [s for _, s in listed.a] == pytest.approx(np.linspace(0.0, 1.0, 13))
    assert {link for link, _ in listed.b} == {"world"}
    plane = np.array([0.1, 0.0, 1.0]) / np.sqrt(1.01)
    stations = model.poses(state.q, listed.a)[:, :3, 3]
    radii = np.linspace(0.03, 0.02, 13)
    assert listed.gap == pytest.approx(stations @ plane - 0.12 - radii, abs=1e-12)


def test_a_ball_on_the_floor_carries_its_weight():
    robot = sp.Robot("ball")
    robot.add_link("ball", sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Translational())
    robot.add(sp.Contact("floor", sp.Ball(0.1, link="ball"), sp.Plane(), stiffness=1e5))
    model = robot.compile()
    found = model.statics(q0=[0.3, 0.2, 0.0999])
    weight = model.mass.total * 9.81
    forces = found.contact("floor")
    assert forces.total[3:] == pytest.approx([0.0, 0.0, weight], abs=1e-8)
    assert forces.point[0, :2] == pytest.approx([0.3, 0.2])
    assert forces.a == (("ball", 0.0),)
    assert forces.b == (("world", 0.0),)
    assert found.reaction() == pytest.approx(np.zeros(6), abs=1e-8)


def test_stations_sleep_again():
    """A read-out in between changes nothing: the next residual is the same bit for bit."""
    model, state = random_case(2)
    before = model.residual_tangent(*state[:6])
    read.contact_derivatives(model, state, "floor", True)
    model.inner_forces(state.q, "arm", [0.1, 0.9], *state[1:])
    after = model.residual_tangent(*state[:6])
    assert all(np.array_equal(x, y) for x, y in zip(before, after, strict=True))


def test_a_wrong_name_lists_those_there_are():
    with pytest.raises(sp.ModelError, match="no contact 'wall'; it has: floor, bed, clash"):
        everything().contact(everything().rest, "wall")
    with pytest.raises(sp.ShapeError, match="q has shape"):
        everything().contact(np.zeros(3), "floor")
