"""Reactions of joints and of the base: balance of free bodies, hand-computable cases, derivatives."""

import numpy as np
import pytest

import supple as sp
from helpers import central_difference, difference_jacobian, random_coordinates, random_robot, relative_error
from readout_cases import everything, random_case, varied
from supple.core.records import EXPONENTIAL, SCREW
from supple.readouts import reaction as read

LINKS = ("world", "hull", "arm", "hand", "fin", "tail", "leg", "foot", "post")


@pytest.mark.parametrize("frame", ["world", "local"])
@pytest.mark.parametrize("link", LINKS)
def test_derivatives_agree_with_differences(link, frame):
    model, state = random_case(0)
    exact = read.reaction_derivatives(model, state, link, frame)
    assert relative_error(exact.wrench, read.reaction(model, state, link, frame)) < 1e-12
    for argument in ("q", "v", "a", "u", "lam"):

        def function(x, argument=argument):
            return read.reaction(model, varied(state, argument, x), link, frame)

        reference = difference_jacobian(function, getattr(state, argument), 1e-5)
        size = np.abs(exact.wrench).max()
        assert relative_error(getattr(exact, f"d{argument}"), reference, size) < 1e-6, argument


@pytest.mark.parametrize("seed", range(8))
def test_the_base_takes_what_changes_the_momentum(seed):
    """dh/dt = reaction of the base + weight, about the world's origin, for robots on which nothing else acts."""
    rng = np.random.default_rng([21, seed])
    robot = random_robot(rng)
    model = robot.compile()
    q = random_coordinates(rng, robot, "moderate")
    v, a = rng.standard_normal((2, model.n))
    rate = central_difference(lambda t: model.momentum(q + t * v + 0.5 * t**2 * a, v + t * a), 1e-3)
    weight = model.mass.total * robot.gravity
    moment = np.cross(model.center_of_mass(q).position, weight)
    assert relative_error(model.reaction(q, "world", v, a), rate - np.concatenate([moment, weight]), 1.0) < 1e-7


@pytest.mark.parametrize("seed", range(8))
def test_along_free_axes_it_is_the_generalised_force(seed):
    rng = np.random.default_rng([22, seed])
    robot = random_robot(rng)
    model = robot.compile()
    q = random_coordinates(rng, robot, "moderate")
    v, a = rng.standard_normal((2, model.n))
    force = model.inverse_dynamics(q, v, a)
    for layout in model.layouts:
        block = model.topology.blocks[layout.blocks[0]]
        if block["kind"] in (SCREW, EXPONENTIAL) and block["n"]:
            own = slice(int(block["start"]), int(block["start"] + block["n"]))
            if block["kind"] == SCREW:
                screws = model.parameters.screws[:, own]
                expected = screws.T @ model.reaction(q, layout.name, v, a, frame="local")
                assert relative_error(force[own], expected, np.abs(force).max()) < 1e-10


@pytest.mark.parametrize("seed", range(8))
def test_links_on_the_world_add_up_to_the_base(seed):
    rng = np.random.default_rng([23, seed])
    robot = random_robot(rng)
    model = robot.compile()
    q = random_coordinates(rng, robot, "moderate")
    v, a = rng.standard_normal((2, model.n))
    total = np.zeros(6)
    for link in robot.links:
        if link.parent == "world":
            wrench, arm = model.reaction(q, link.name, v, a), np.asarray(link.at)[:3, 3]
            total += np.concatenate([wrench[:3] + np.cross(arm, wrench[3:]), wrench[3:]])
            local = model.reaction(q, link.name, v, a, frame="local")
            assert wrench[3:] == pytest.approx(np.asarray(link.at)[:3, :3] @ local[3:])
    base = model.reaction(q, "world", v, a)
    assert relative_error(base, total, np.abs(base).max()) < 1e-10


def test_a_pendulum_that_hangs_and_one_that_swings():
    robot = sp.Robot("pendulum")
    robot.add_link("bob", sp.Rigid(2.0, np.zeros(3), com=(0, 0, -0.5)), joint=sp.Revolute("y"), at=sp.pose((1, 0, 0)))
    model = robot.compile()
    assert model.reaction([0.0], "bob") == pytest.approx([0, 0, 0, 0, 0, 2 * 9.81])
    assert model.reaction([0.0]) == pytest.approx([0, -2 * 9.81, 0, 0, 0, 2 * 9.81])
    swing = model.reaction([0.0], "bob", v=[3.0], a=[0.0])
    assert swing == pytest.approx([0, 0, 0, 0, 0, 2 * 9.81 + 2 * 9.0 * 0.5])


def test_a_cantilever_bears_weight_and_load_at_its_clamp():
    stiff = sp.Material(young=1e12, poisson=0.3, density=1000.0)
    robot = sp.Robot("cantilever")
    robot.add_link("arm", sp.Rod(0.8, sp.Circle(0.01), stiff, sp.Legendre(bend_y=2, bend_z=2)))
    robot.add(sp.PointWrench("arm", [0, 0, 0, 0, 3.0, -2.0]))
    found = robot.compile().statics()
    weight = 1000.0 * np.pi * 0.01**2 * 0.8 * 9.81
    moment_y, moment_z = -(2.0 * 0.8 + weight * 0.4), -3.0 * 0.8
    expected = [0.0, moment_y, moment_z, 0.0, -3.0, 2.0 + weight]
    assert found.reaction("arm") == pytest.approx(expected, abs=1e-5)
    assert found.reaction("arm", "local") == pytest.approx(expected, abs=1e-5)
    assert found.reaction() == pytest.approx(expected, abs=1e-5)


def test_a_closed_loop_shares_the_load():
    """A beam on a wall and on a post, all hinged: each bears half of it, and the post bears itself."""
    robot = sp.Robot("bridge")
    beam = sp.Rigid(3.0, 0.1 * np.eye(3), com=(0.5, 0, 0), tip=sp.pose((1, 0, 0)))
    post = sp.Rigid(1.0, 0.1 * np.eye(3), com=(0, 0, 0.2), tip=sp.pose((0, 0, 0.5)))
    robot.add_link("beam", beam, joint=sp.Revolute("y"))
    robot.add_link("post", post, joint=sp.Revolute("y"), at=sp.pose((1, 0, -0.5)))
    robot.add(sp.Loop("hinge", a=("beam", sp.pose()), b=("post", sp.pose()), joint=sp.Revolute("y")))
    found = robot.compile().statics()
    assert found.converged
    assert found.reaction("beam") == pytest.approx([0, 0, 0, 0, 0, 3.0 * 9.81 / 2], abs=1e-9)
    assert found.reaction("post") == pytest.approx([0, 0, 0, 0, 0, (1.0 + 3.0 / 2) * 9.81], abs=1e-9)
    assert found.reaction()[5] == pytest.approx(4.0 * 9.81)
    assert found.multipliers["hinge"][5] == pytest.approx(3.0 * 9.81 / 2)


def test_a_prescribed_joint_transmits_its_effort():
    robot = sp.Robot("driven")
    robot.add_link("arm", sp.Rigid(1.0, 0.02 * np.eye(3), com=(0.3, 0, 0)), joint=sp.Revolute("y"))
    robot.add(sp.Prescribed("arm", lambda t: (np.sin(t), np.cos(t), -np.sin(t))))
    model, t = robot.compile(), 0.7
    q, v = [np.sin(t)], [np.cos(t)]
    found = model.forward_dynamics(q, v, t=t)
    assert model.reaction(q, "arm", v, found.a, t=t, frame="local")[1] == pytest.approx(found.efforts[0])


def test_wrong_names_say_what_there_is():
    model = everything()
    with pytest.raises(sp.ModelError, match=r"no link 'knee'; ask for 'world' .the base. or a link: hull, arm"):
        model.reaction(model.rest, "knee")
    with pytest.raises(sp.ModelError, match="frame is 'body', must be 'world' or 'local'"):
        model.reaction(model.rest, "arm", frame="body")
