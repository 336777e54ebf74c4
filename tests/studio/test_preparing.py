"""Robots are shown before their statics and dynamics are ready."""

import threading
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from supple.studio import actor as acting
from supple.studio import studio as studios
from supple.studio.modes import DYNAMICS, MOTION, POSE, STATICS, Act
from supple.studio.preparing import make_plan
from supple.studio.viewing import view


def wait_for(test, timeout=300.0):
    end = time.monotonic() + timeout
    while not test():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


@pytest.fixture
def slow(monkeypatch):
    """Plans that are made when the test says so."""
    go = threading.Event()

    def later(*arguments):
        assert go.wait(300.0)
        return make_plan(*arguments)

    monkeypatch.setattr(acting, "make_plan", later)
    monkeypatch.setattr(studios, "SOON", 0.05)
    yield go
    go.set()


def test_a_plan_leaves_the_act_alone(arm):
    act = Act.of(arm)
    before = act.q.copy()
    plan = make_plan(act, None, None, 10.0)
    assert plan.mode == STATICS
    assert_allclose(act.q, before)
    assert_allclose(plan.act.q, arm.statics().q, atol=1e-8)
    assert [reach.name for reach in plan.inputs] == ["left", "right"]


def test_a_robot_that_has_no_accelerations_is_posed():
    """Files of arms without inertias are looked at, too."""
    robot = sp.Robot("skeleton", massless="allow")
    for name, parent in (("upper", "world"), ("lower", "upper")):
        robot.add_link(name, sp.Rigid(0.0, np.zeros(3), tip=sp.pose((0.3, 0.0, 0.0))), sp.Revolute("y"), parent)
    act = Act.of(robot.compile())
    plan = make_plan(act, None, None, 10.0)
    assert plan.mode == POSE
    assert plan.act.message == ""
    assert make_plan(act, None, DYNAMICS, 10.0).mode == DYNAMICS  # who asks for it is told why it does not move


def test_a_robot_can_be_posed_while_it_is_prepared(arm, slow):
    with view(arm, open_browser=False, wait=False) as studio:
        (actor,) = studio.actors
        engine, panel = actor.engine, actor.panel
        engine.pause(False)
        assert not studio.settled.is_set()
        assert engine.mode == POSE
        assert panel.mode.disabled
        assert "compiled" in panel.status.content
        assert panel.pose_folder.visible
        assert not panel.input_folder.visible
        engine.wish(coordinates={0: 0.4})
        wait_for(lambda: engine.act.q[0] == 0.4)
        wait_for(lambda: engine.shots >= 1)
        assert engine.act.state.u is None  # nothing is asked of laws yet
        first = actor.stage
        slow.set()
        assert studio.settled.wait(300.0)
        assert actor.stage is not first
        wait_for(lambda: engine.mode == STATICS)
        wait_for(lambda: np.allclose(engine.act.q, arm.statics().q, atol=1e-7))
        assert tuple(panel.mode.options) == (STATICS, DYNAMICS, POSE)
        assert not panel.mode.disabled
        assert panel.input_folder.visible
        assert set(panel.inputs) == {0, 1}
        wait_for(lambda: panel.status.content == "in equilibrium")
        assert len(actor.window.nodes) == len(actor.stage.pieces)
        names = [node.name for node in actor.window.nodes]
        assert len(set(names)) == len(names)


def test_a_motion_plays_while_it_is_prepared(motion, slow):
    with view(motion, open_browser=False, wait=False) as studio:
        (actor,) = studio.actors
        actor.engine.pause(False)
        wait_for(lambda: actor.engine.act.t > 0.1)
        assert actor.engine.mode == MOTION
        slow.set()
        assert studio.settled.wait(300.0)
        assert MOTION in actor.panel.mode.options
        t = actor.engine.act.t
        wait_for(lambda: actor.engine.act.t != t)


def test_what_goes_wrong_later_is_told_on_the_page(arm, slow, monkeypatch):
    def broken(*arguments):
        assert slow.wait(300.0)
        raise sp.StateError("no such *thing*")

    monkeypatch.setattr(acting, "make_plan", broken)
    with view(arm, open_browser=False, wait=False) as studio:
        (actor,) = studio.actors
        slow.set()
        wait_for(lambda: "no such" in actor.panel.status.content)
        assert actor.panel.status.content.startswith("⚠")
        assert actor.panel.mode.disabled


def test_what_goes_wrong_at_once_is_raised(arm, monkeypatch):
    def broken(*arguments):
        raise sp.StateError("no such thing")

    monkeypatch.setattr(acting, "make_plan", broken)
    monkeypatch.setattr(studios, "SOON", 300.0)
    before = {one.name for one in threading.enumerate()}
    with pytest.raises(sp.StateError, match="no such thing"):
        view(arm, open_browser=False, wait=False)
    wait_for(lambda: not {one.name for one in threading.enumerate() if "supple" in one.name} - before)


def test_a_studio_that_is_stopped_while_it_prepares_leaves_nothing(arm, slow):
    studio = view(arm, open_browser=False, wait=False)
    threading.Timer(0.1, slow.set).start()
    studio.stop()
    assert not [one for one in threading.enumerate() if "supple studio" in one.name]
