"""Arrows of contacts and reactions, and trails."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from supple.studio.engine import Shot
from supple.studio.extras import TRAIL, Extras, Pushes, _Arrows, contact_forces, reactions
from supple.studio.modes import POSE, STATICS
from supple.viz.view import State


class Node:
    def __init__(self, points):
        self.points, self.visible, self.removed = points, True, False

    def remove(self):
        self.removed = True


class Scene:
    def __init__(self):
        self.nodes = []

    def add_arrows(self, name, points, colours, **options):
        self.nodes.append(Node(points))
        return self.nodes[-1]

    def add_line_segments(self, name, points, colours, **options):
        self.nodes.append(Node(points))
        return self.nodes[-1]


def window_of(model, hidden=()):
    layers = {name: SimpleNamespace(visible=name not in hidden) for name in ("forces", "reactions", "trails")}
    stage = SimpleNamespace(model=model, size=1.0)
    return SimpleNamespace(root="/robot", stage=stage, layers=layers, server=SimpleNamespace(scene=Scene()))


@pytest.fixture(scope="module")
def ball():
    robot = sp.Robot("ball")
    robot.add_link("ball", sp.Rigid.sphere(0.1, density=1000.0), joint=sp.Translational())
    robot.add(sp.Contact("floor", a=sp.Ball(0.1, (0, 0, 0), "ball"), b=sp.Plane((0, 0, 1), 0.0), stiffness=1e5))
    return robot.compile()


def test_contact_forces_are_those_of_the_model(ball):
    state = State(np.array([0.0, 0.0, 0.09]), np.zeros(3))
    found = contact_forces(ball, state)
    expected = ball.contact(state.q, "floor", state.v)
    assert_allclose(found.points, expected.point)
    assert_allclose(found.vectors, expected.force)
    assert found.vectors[0, 2] > 1.0
    assert len(contact_forces(ball, State(np.array([0.0, 0.0, 0.5]), np.zeros(3))).points) == 0


def test_at_rest_reactions_carry_the_weight(arm):
    found = arm.statics([2.0, 0.0])
    forces, moments = reactions(arm, State(found.q, np.zeros(arm.n), np.array([2.0, 0.0])), found.multipliers)
    weight = arm.mass.total * 9.81
    assert_allclose(forces.vectors, [[0.0, 0.0, weight]], atol=1e-6 * weight)
    assert_allclose(forces.points, [[0.0, 0.0, 0.0]], atol=1e-12)
    assert_allclose(moments.vectors[0], arm.reaction(found.q, "arm", u=[2.0, 0.0])[:3], atol=1e-9)


def test_in_motion_reactions_follow_accelerations(arm):
    q, v = np.zeros(arm.n), np.zeros(arm.n)
    forces, _ = reactions(arm, State(q, v, np.zeros(2)), None)
    a = arm.forward_dynamics(q, v, np.zeros(2)).a
    assert_allclose(forces.vectors[0], arm.reaction(q, "arm", v, a, np.zeros(2))[3:], rtol=1e-9)
    assert abs(forces.vectors[0, 2]) < arm.mass.total * 9.81  # it falls


def test_loops_show_what_they_hold(four_bar):
    q = four_bar.assemble()
    found = four_bar.forward_dynamics(q, np.zeros(four_bar.n), np.zeros(four_bar.nu))
    forces, _ = reactions(four_bar, State(q, np.zeros(four_bar.n), np.zeros(four_bar.nu)), None)
    assert len(forces.points) == 3  # two bearings on the world, and the loop
    wrench = np.asarray(found.multipliers["corner"])
    assert np.linalg.norm(forces.vectors[-1]) == pytest.approx(np.linalg.norm(wrench[3:]))
    assert np.linalg.norm(wrench[3:]) > 1e-3


def test_arrows_keep_their_scale_and_are_left_out_where_faint(arm):
    window = window_of(arm)
    arrows = _Arrows(window, "forces", "contacts", "#ff0000")
    point = np.zeros((1, 3))
    arrows.show(Pushes(point, np.array([[0.0, 0.0, 10.0]])))
    (node,) = window.server.scene.nodes
    longest = np.linalg.norm(node.points[0, 1] - node.points[0, 0])
    arrows.show(Pushes(point, np.array([[0.0, 5.0, 0.0]])))
    assert np.linalg.norm(node.points[0, 1] - node.points[0, 0]) == pytest.approx(0.5 * longest)
    arrows.show(Pushes(point, np.array([[0.0, 1e-3, 0.0]])))
    assert not node.visible
    arrows.show(Pushes(np.zeros((2, 3)), np.eye(3)[:2]))
    assert node.removed
    assert len(window.server.scene.nodes[-1].points) == 2


def test_hidden_layers_cost_nothing(ball, monkeypatch):
    extras = Extras(window_of(ball, hidden=("forces", "reactions", "trails")), (("ball", 1.0),))
    monkeypatch.setattr("supple.studio.extras.contact_forces", None)
    extras.show(Shot(State(np.zeros(3), np.zeros(3)), STATICS, False, 0.0, ""), True)
    assert not extras.window.server.scene.nodes


def test_a_robot_that_is_posed_has_no_reactions(arm):
    extras = Extras(window_of(arm), (("hand", 1.0),))
    assert extras.used == ("reactions", "trails")
    found = arm.statics()
    state = State(found.q, np.zeros(arm.n), np.zeros(2))
    extras.show(Shot(state, STATICS, False, 0.0, "", None, found.multipliers), True)
    nodes = extras.window.server.scene.nodes
    assert nodes[0].visible
    extras.show(Shot(state, POSE, False, 0.0, ""), True)
    assert not any(node.visible for node in nodes)


def test_trails_have_bounded_length_and_begin_anew(arm):
    extras = Extras(window_of(arm, hidden=("reactions",)), (("hand", 1.0),))
    rng = np.random.default_rng(1)
    for k in range(TRAIL + 50):
        extras.follow(State(0.3 * rng.standard_normal(arm.n), t=0.01 * k))
    assert len(extras.trail) == TRAIL
    extras.show(Shot(State(np.zeros(arm.n), t=9.0), POSE, False, 0.0, ""), False)
    (lines,) = extras.window.server.scene.nodes
    assert lines.points.shape == (TRAIL - 1, 2, 3)
    assert_allclose(lines.points[-1, 1], extras.trail[-1][0], atol=1e-6)
    extras.follow(State(np.zeros(arm.n), t=0.0))
    assert len(extras.trail) == 1
