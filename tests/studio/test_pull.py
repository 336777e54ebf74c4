"""The spring between a link and the hand that drags it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from supple.studio.modes import Act, move
from supple.studio.pull import QUICK, grip_near, impulse
from supple.viz.view import State


def state_of(model, rng):
    q = model.assemble() if model.loops else model.rest + 0.1 * rng.normal(size=model.n)
    v = rng.normal(size=model.n)
    if model.nc:  # rates that loops allow
        rows = model.loop_jacobian(q)
        v = v - np.linalg.pinv(rows) @ (rows @ v)
    return State(q, v, np.zeros(model.nu), 0.0)


def point_and_rate(model, grip, state):
    """The grip and its velocity, by differences of poses."""
    e = 1e-6
    ends = [grip.point(model, state.q + x * state.v) for x in (-e, e)]
    return grip.point(model, state.q), (ends[1] - ends[0]) / (2.0 * e)


@pytest.mark.parametrize("name", ["arm", "four_bar"])
def test_the_jump_satisfies_its_equation(name, request):
    model, rng, h = request.getfixturevalue(name), np.random.default_rng(1), 0.01
    state = state_of(model, rng)
    link = model.link_names[0]
    near = model.pose(state.q, link, 0.6 if name == "arm" else 0.0)[:3, 3] + [0.0, 0.01, 0.02]
    grip = grip_near(model, state.q, link, near)
    assert_allclose(grip.point(model, state.q), near, atol=1e-12)
    target = near + rng.normal(size=3)
    dv = impulse(model, state, grip, target, h)
    point, rate = point_and_rate(model, grip, state)
    after = point_and_rate(model, grip, state._replace(v=state.v + dv))[1]
    # what the mass takes up must be the spring's pull at the end of the step, and what loops give
    mass, rows = model.mass_matrix(state.q), model.loop_jacobian(state.q)
    J = np.array([point_and_rate(model, grip, state._replace(v=e))[1] for e in np.eye(model.n)]).T
    bordered = np.block([[mass, rows.T], [rows, np.zeros((model.nc, model.nc))]])
    light = np.trace(J @ np.linalg.solve(bordered, np.vstack([J.T, np.zeros((model.nc, 3))]))[: model.n]) / 3.0
    k, c = 1.0 / (light * QUICK**2), 2.0 / (light * QUICK)
    force = k * (target - point - h * after) - c * after
    right = np.concatenate([h * J.T @ force, np.zeros(model.nc)])
    assert_allclose(dv, np.linalg.solve(bordered, right)[: model.n], rtol=1e-5, atol=1e-7)
    assert np.linalg.norm(after - rate) > 1e-3


def test_a_free_body_comes_to_the_hand_without_swinging():
    robot = sp.Robot("ball", gravity=(0, 0, 0))
    robot.add_link("ball", sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Free())
    act = Act.of(robot.compile())
    act.grip, act.target = grip_near(act.model, act.q, "ball", np.zeros(3)), np.array([0.5, 0.2, -0.1])
    furthest = 0.0
    for _ in range(60):
        assert move(act, 1.0 / 60.0)
        furthest = max(furthest, np.linalg.norm(act.grip.point(act.model, act.q)))
    assert_allclose(act.grip.point(act.model, act.q), act.target, atol=3e-3)
    assert furthest < 1.02 * np.linalg.norm(act.target)


def test_a_heavy_pull_on_a_light_link_is_stable(arm):
    act = Act.of(arm, step=1.0 / 30.0)
    act.grip = grip_near(arm, act.q, "arm", arm.pose(act.q, "arm", 1.0)[:3, 3])
    act.target = np.array([0.0, 3.0, 0.0])  # far out of reach
    assert move(act, 1.0)
    assert np.abs(act.q).max() < 100.0


def test_loops_stay_closed_while_one_pulls(four_bar):
    act = Act.of(four_bar)
    act.grip = grip_near(four_bar, act.q, "top", four_bar.pose(act.q, "top", 0.0)[:3, 3])
    act.target = act.grip.point(four_bar, act.q) + np.array([0.3, 0.5, 0.0])  # also out of the plane, which resists
    assert move(act, 0.3)
    assert np.abs(four_bar.loop_error(act.q)).max() < 1e-6


def test_what_cannot_move_does_not():
    robot = sp.Robot("post")
    robot.add_link("post", sp.Rigid.box((0.1, 0.1, 0.1), density=1000.0))
    robot.add_link("arm", sp.Rigid.box((0.1, 0.1, 0.1), density=1000.0), joint=sp.Revolute("z"), parent="post")
    model = robot.compile()
    state = State(model.rest, np.zeros(1), np.zeros(0), 0.0)
    grip = grip_near(model, model.rest, "post", np.zeros(3))
    assert_allclose(impulse(model, state, grip, np.ones(3), 0.01), 0.0)
