"""Named frames: the poses of what they are fixed to, moved."""

import pickle

import numpy as np
import pytest

import supple as sp
from helpers import random_pose, random_robot


@pytest.mark.parametrize("seed", range(4))
def test_frames_move_with_their_links(seed):
    rng = np.random.default_rng(seed)
    robot = random_robot(rng)
    places = {}
    for i, link in enumerate(robot.links):
        s = float(rng.uniform()) if isinstance(link.body, sp.Rod) else float(rng.integers(2))
        places[f"frame{i}"] = link.name, s, random_pose(rng)
        robot.add_frame(f"frame{i}", (link.name, s), places[f"frame{i}"][2])
    more = random_pose(rng)
    robot.add_frame("on a frame", "frame0", more)
    places["on a frame"] = *places["frame0"][:2], places["frame0"][2] @ more
    model = pickle.loads(pickle.dumps(robot.compile())) if seed == 0 else robot.compile()
    assert model.frame_names == tuple(places)
    q, v = 0.5 * rng.standard_normal((2, model.n))
    for name, (link, s, at) in places.items():
        np.testing.assert_allclose(model.pose(q, name), model.pose(q, link, s) @ at, atol=1e-13)
        np.testing.assert_allclose(model.poses(q, [(name, 1.0), (link, s)])[0], model.pose(q, name), atol=1e-13)
        np.testing.assert_allclose(model.pose(np.stack([q, v]), name)[1], model.pose(v, name), atol=1e-13)
        found = model.station(q, v, name)
        np.testing.assert_allclose(found.jacobian @ v, found.twist, atol=1e-12)
        h = 1e-6
        rate = (model.pose(q + h * v, name) - model.pose(q - h * v, name)) / (2.0 * h)
        body = np.linalg.solve(found.pose, rate)
        moved = [body[2, 1], body[0, 2], body[1, 0], *body[:3, 3]]
        np.testing.assert_allclose(found.twist, moved, atol=1e-7 * (1.0 + np.abs(moved).max()))


def test_links_hang_on_frames():
    robots = sp.Robot("by frame"), sp.Robot("directly")
    at, further = sp.pose((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), sp.pose((0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    ball = sp.Rigid.sphere(0.1, density=1000.0, tip=sp.pose((0.0, 0.1, 0.0)))
    for robot in robots:
        robot.add_link("a", ball, sp.Revolute("y"))
    robots[0].add_frame("tool", "a", at)
    robots[0].add_link("b", ball, sp.Revolute("x"), "tool", further)
    robots[1].add_link("b", ball, sp.Revolute("x"), "a", at @ further)
    q = np.array([0.3, 0.4])
    np.testing.assert_allclose(*(robot.compile().mass_matrix(q) for robot in robots), atol=1e-15)


def test_frames_are_refused_where_they_cannot_be():
    robot = sp.Robot("r")
    robot.add_link("a", sp.Rigid.sphere(0.1, density=1000.0), sp.Revolute("y"))
    robot.add_frame("tool", "a")
    with pytest.raises(sp.ModelError, match=r"'tool'.*added before"):
        robot.add_frame("tool", "a")
    with pytest.raises(sp.ModelError, match=r"'tool'.*added before"):
        robot.add_link("tool", sp.Rigid.sphere(0.1, density=1000.0))
    with pytest.raises(sp.ModelError, match="not to 'world'"):
        robot.add_frame("here", "world")
    model = robot.compile()
    for ask in (lambda: model.pose(np.zeros(1), "tool", 0.5), lambda: model.poses(np.zeros(1), [("tool", 0.5)])):
        with pytest.raises(sp.ModelError, match="'tool' is a frame"):
            ask()
    robot.add_frame("lost", "b")
    with pytest.raises(sp.ModelError, match=r"frame 'lost': link 'b' is unknown.*'a'"):
        robot.compile()
    other = sp.Robot("s")
    other.add_link("a", sp.Rigid.sphere(0.1, density=1000.0), sp.Revolute("y"))
    other.add_frame("half", ("a", 0.5))
    with pytest.raises(sp.ModelError, match=r"frame 'half': s is 0.5, but 'a' is rigid"):
        other.compile()


def test_joints_without_inertia_can_be_allowed():
    nothing = sp.Rigid(0.0, np.zeros(3), tip=sp.pose((0.0, 0.0, 1.0)))
    for massless in ("refuse", "allow"):
        robot = sp.Robot("r", massless=massless)
        robot.add_link("a", sp.Rigid.sphere(0.1, density=1000.0), sp.Prismatic("x"))
        robot.add_link("b", nothing, sp.Revolute("y"), "a")
        if massless == "refuse":
            with pytest.raises(sp.ModelError, match="moves no inertia"):
                robot.compile()
    model = robot.compile()
    assert model.inverse_dynamics(np.ones(2), np.ones(2), np.ones(2))[1] == 0.0
    with pytest.raises(sp.SingularError, match=r"b\.rotation"):
        model.forward_dynamics(np.ones(2), np.ones(2))
    with pytest.raises(sp.ModelError, match="massless is 'maybe'"):
        sp.Robot("r", massless="maybe")
