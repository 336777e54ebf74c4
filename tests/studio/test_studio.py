"""The studio as browsers get it: nodes of the scene, sliders, threads; all without a browser."""

import gc
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from gltf_reader import Glb
from numpy.testing import assert_allclose

import supple as sp
from supple.studio.engine import Shot
from supple.studio.modes import DYNAMICS, MOTION, POSE, STATICS
from supple.studio.pieces import wxyz
from supple.studio.viewing import view
from supple.viz.view import State

pytestmark = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


@pytest.fixture
def open_studio():
    studios = []

    def start(*what, **options):
        studio = view(*what, open_browser=False, wait=False, **options)
        studios.append(studio)
        assert studio.settled.wait(300.0)
        for actor in studio.actors:
            actor.engine.pause(False)  # as if a browser had come
            # where plans took long the robot entered without, and goes over to its mode in its own thread
            wait_for(lambda actor=actor: actor.engine.mode == actor.plan.mode)
        return studio

    yield start
    for studio in studios:
        studio.stop()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # sockets that viser's server leaves to the collector
        gc.collect()


def wait_for(test, timeout=300.0):
    end = time.monotonic() + timeout
    while not test():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.01)


class Event:
    """A change that a browser makes."""

    def __init__(self, target, value):
        self.client, self.client_id, self.target = object(), 0, target
        target._impl.value = value


def change(handle, value):
    """Move a slider as a browser does."""
    event = Event(handle, value)
    for callback in handle._impl.update_cb:
        callback(event)


def node_of(actor, name):
    k = next(k for k, piece in enumerate(actor.stage.pieces) if piece.name == name)
    return actor.stage.pieces[k], actor.window.nodes[k]


def test_a_model_with_inputs_begins_at_rest_and_follows_its_sliders(open_studio, arm):
    (actor,) = open_studio(arm).actors
    assert actor.engine.mode == STATICS
    wait_for(lambda: actor.engine.shots > 0)
    change(actor.panel.inputs[0], 3.0)
    expected = arm.statics([3.0, 0.0]).q
    wait_for(lambda: np.allclose(actor.engine.act.q, expected, atol=1e-7))
    piece, node = node_of(actor, "links/hand")
    pose = arm.pose(expected, "hand", 0.0)
    wait_for(lambda: np.allclose(node.position, pose[:3, 3], atol=1e-6))
    wait_for(lambda: np.allclose(node.wxyz, wxyz(pose[:3, :3]), atol=1e-6))
    piece, node = node_of(actor, "links/arm")
    places = actor.stage.at(actor.engine.act.state)
    skin = piece.world(places[actor.stage.pieces.index(piece)])
    wait_for(lambda: np.allclose(node.vertices, skin, atol=1e-6))
    _, line = node_of(actor, "lines/left")
    wait_for(lambda: tuple(line.color) != tuple(node_of(actor, "lines/right")[1].color))
    wait_for(lambda: actor.panel.status.content == "in equilibrium")


def test_modes_show_what_they_need(open_studio, arm):
    (actor,) = open_studio(arm).actors
    panel = actor.panel
    assert not panel.run.visible
    assert panel.input_folder.visible
    assert not panel.pose_folder.visible
    change(panel.mode, POSE)
    assert panel.pose_folder.visible
    change(panel.coordinates[0], 0.4)
    wait_for(lambda: actor.engine.act.q[0] == 0.4)
    change(panel.mode, DYNAMICS)
    assert panel.run.visible
    wait_for(lambda: actor.engine.act.t > 0.05)
    panel._run("Pause")
    wait_for(lambda: not actor.engine.playing)
    panel._run("Reset")
    wait_for(lambda: actor.engine.act.t == 0.0)
    panel._run("Step")
    wait_for(lambda: actor.engine.act.t > 0.0)


def test_numbers_of_the_status_are_told_now_and_then_and_other_words_at_once(open_studio, arm, monkeypatch):
    """A page takes longer for a line of text than for a robot."""
    (actor,) = open_studio(arm).actors
    actor.engine.stop(60.0)
    panel, clock, told = actor.panel, [100.0], []

    class Status:
        content = property(lambda self: told[-1], lambda self, text: told.append(text))

    def tell(t, playing=True, message="", mode=DYNAMICS):
        panel.tell(Shot(State(actor.act.q, t=t), mode, playing, 1.0, message))

    panel.status = Status()
    monkeypatch.setattr("supple.studio.panel.time", SimpleNamespace(perf_counter=lambda: clock[0]))
    for k in range(61):
        clock[0] = 100.0 + k / 60.0
        tell(k / 60.0)
    assert 6 <= len(told) <= 7  # of 61, in a second
    tell(1.01, playing=False)  # it is paused
    assert told[-1].startswith("t = 1.01 s")
    tell(1.02, playing=False)  # and moved by hand: nothing may come after it
    assert told[-1].startswith("t = 1.02 s")
    tell(1.02, False, "no equilibrium, by 1.5 N", STATICS)
    tell(1.02, False, "no equilibrium, by 1.6 N", STATICS)
    assert told[-1].endswith("by 1.5 N")
    tell(1.02, False, mode=STATICS)
    assert told[-1] == "in equilibrium"


def test_links_can_be_dragged_in_dynamics_only(open_studio, arm):
    (actor,) = open_studio(arm, mode=DYNAMICS, playing=False).actors
    _, node = node_of(actor, "links/hand")
    wait_for(lambda: bool(node._impl.drag_cb))
    actor.engine.wish(mode=STATICS)
    wait_for(lambda: not node._impl.drag_cb)


def test_a_motion_begins_by_itself_and_has_a_slider_for_time(open_studio, motion):
    (actor,) = open_studio(motion).actors
    assert actor.engine.mode == MOTION
    assert actor.panel.clock.visible
    assert (actor.panel.clock.min, actor.panel.clock.max) == pytest.approx((0.0, 0.3))
    wait_for(lambda: actor.engine.act.t > 0.1)
    actor.engine.wish(playing=False)
    change(actor.panel.clock, 0.2)
    wait_for(lambda: actor.engine.act.t == pytest.approx(0.2))
    _, node = node_of(actor, "links/hand")
    wait_for(lambda: np.allclose(node.position, motion.model.pose(actor.engine.act.q, "hand", 0.0)[:3, 3], atol=1e-6))


def test_several_robots_stand_side_by_side(open_studio, arm, motion, four_bar):
    studio = open_studio(arm, motion, four_bar)
    places = [actor.window.at for actor in studio.actors]
    assert [actor.name for actor in studio.actors] == ["test arm", "test arm 2", "four bar"]
    assert len({tuple(place) for place in places}) == 3
    assert len({actor.window.root for actor in studio.actors}) == 3


def test_ten_thousand_events_of_sliders_keep_the_messages_flat(open_studio, arm):
    studio = open_studio(arm)
    (actor,) = studio.actors
    wait_for(lambda: actor.engine.shots > 0)
    buffer = studio.server._websock_server._broadcast_buffer
    slider = actor.panel.inputs[0]
    change(slider, 1.0)
    wait_for(lambda: actor.engine.act.state.u[0] == 1.0)
    time.sleep(0.1)
    before = len(buffer.message_from_id)
    for k in range(10_000):
        change(slider, 1.0 + 1e-4 * k)
    wait_for(lambda: actor.engine.act.state.u[0] == pytest.approx(1.9999))
    time.sleep(0.1)
    assert len(buffer.message_from_id) <= before + 30


def test_closing_leaves_nothing_running(arm):
    before = set(threading.enumerate())
    studio = view(arm, open_browser=False, wait=False)
    url = studio.url
    page = urllib.request.urlopen(url, timeout=60).read()
    assert b"<html" in page.lower()
    studio.stop()
    studio.stop()
    wait_for(lambda: not {one for one in set(threading.enumerate()) - before if "supple" in one.name})
    with pytest.raises((urllib.error.URLError, ConnectionError)):
        urllib.request.urlopen(url, timeout=2)
    assert "stopped" in repr(studio)


def test_without_a_page_a_script_does_not_wait_for_ever(arm):
    studio = view(arm, open_browser=False, wait=False)
    began = time.monotonic()
    studio.wait(patience=0.3)
    assert time.monotonic() - began < 300.0  # of the ten minutes that it would wait
    studio.stop()


def test_it_is_served_to_this_machine_alone_and_opens_no_files(open_studio, arm):
    studio = open_studio(arm)
    assert studio.url.startswith("http://127.0.0.1:")
    for path in ("/../../pyproject.toml", "/%2e%2e/%2e%2e/__init__.py", "//etc/passwd", "/etc/passwd"):
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(studio.url + path, timeout=60)
        assert error.value.code == 404


class Browser:
    """Takes what a button sends."""

    def __init__(self):
        self.files = {}

    def send_file_download(self, name, data):
        self.files[name] = data


def test_what_was_played_is_saved_as_a_film(open_studio, motion):
    studio = open_studio(motion)
    (actor,) = studio.actors
    wait_for(lambda: actor.engine.act.t > 0.2)
    actor.engine.wish(playing=False)
    wait_for(lambda: not actor.engine.playing)
    browser = Browser()
    studio.toolbar._save_glb(browser)
    studio.toolbar._save_html(browser)
    glb = Glb(browser.files["motion.glb"])
    meshes, _ = glb.posed(0.0)
    assert "links/arm" in meshes
    assert browser.files["motion.html"].startswith(b"<!DOCTYPE html>")


def test_a_film_shows_all_robots(open_studio, motion, four_bar):
    studio = open_studio(motion, four_bar, motion)
    first, _, last = studio.actors
    for actor in (first, last):
        wait_for(lambda actor=actor: actor.engine.act.t > 0.2)
        actor.engine.wish(playing=False)
        wait_for(lambda actor=actor: not actor.engine.playing)
    browser = Browser()
    studio.toolbar._save_glb(browser)
    studio.toolbar._save_html(browser)
    meshes, _ = Glb(browser.files["motion.glb"]).posed(0.0)
    assert {"test arm/links/hand", "four bar/links/top", "test arm 2/links/hand"} <= set(meshes)
    film = studio.toolbar.film()
    assert_allclose(np.diff(film.times), film.times[1])
    assert film.times[-1] == pytest.approx(max(np.ptp([state.t for state in actor.past]) for actor in (first, last)))
    tracks = {piece.name: (piece, places) for piece, places in film.tracks}
    one, other = (tracks[f"{actor.name}/links/hand"][1][-1].frames[0, :3, 3] for actor in (first, last))
    hands = [motion.model.pose(actor.past[-1].q, "hand", 0.0)[:3, 3] for actor in (first, last)]
    assert_allclose(one, hands[0] + first.window.at)
    assert_allclose(other, hands[1] + last.window.at)
    assert b"3 robots" in browser.files["motion.html"]
    assert film.cloud[:, 1].max() > last.window.at[1] > 0.0
    bars = np.concatenate([tracks[f"four bar/links/{name}"][0].world(tracks[f"four bar/links/{name}"][1][-1])
                           for name in ("left", "top", "right")])  # fmt: skip
    assert film.lowest <= bars[:, 2].min() + 1e-9  # wherever it went meanwhile


def test_layers_ground_and_colours_can_be_changed(open_studio, arm):
    studio = open_studio(arm)
    (actor,) = studio.actors
    toolbar = studio.toolbar
    assert set(toolbar.layers) == {"links", "lines", "reactions", "trails", "frames"}
    assert not actor.window.layers["frames"].visible
    change(toolbar.layers["frames"], True)
    assert actor.window.layers["frames"].visible
    change(toolbar.layers["lines"], False)
    assert not actor.window.layers["lines"].visible
    change(toolbar.floor, False)
    assert not studio.ground.visible
    light = tuple(studio.ground.cell_color)
    change(toolbar.dark, True)
    assert tuple(studio.ground.cell_color) != light


def test_views_look_at_the_robot(open_studio, arm):
    toolbar = open_studio(arm).toolbar
    for name, axis in (("Front", [1.0, 0.0, 0.0]), ("Side", [0.0, -1.0, 0.0]), ("Top", [0.0, 0.0, 1.0])):
        eye, middle = toolbar.place(name)
        assert_allclose((eye - middle) / np.linalg.norm(eye - middle), axis, atol=2e-3)


def test_notebooks_show_the_page_inline(open_studio, arm):
    studio = open_studio(arm)
    assert f'<iframe src="{studio.url}"' in studio._repr_html_()


def test_names_with_slashes_are_no_children_of_others(open_studio):
    robot = sp.Robot("a/b")
    robot.add_link("hand", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0))
    robot.add_link("hand/finger", sp.Rigid.box((0.1, 0.1, 0.1), density=500.0), joint=sp.Revolute("z"), parent="hand")
    (actor,) = open_studio(robot.compile()).actors
    names = [node.name for node in actor.window.nodes]
    assert "/a|b/links/hand|finger" in names
    assert not any(a != b and b.startswith(a + "/") for a in names for b in names)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda arm: view(), "nothing is given"),
        (lambda arm: view(3), "3 cannot be shown"),
        (lambda arm: view(arm, drak=True), "no option 'drak'; did you mean 'dark'"),
        (lambda arm: view(arm, mode="Jump"), "mode is 'Jump'"),
        (lambda arm: view(arm, mode="Motion", open_browser=False), "simulate it"),
        (lambda arm: view(arm, port=0), "port is 0"),
        (lambda arm: view(arm, step=-1.0), "step is -1"),
    ],
)
def test_what_cannot_be_shown_is_refused(arm, call, message):
    with pytest.raises(sp.PictureError, match=message):
        call(arm)


def test_an_address_that_is_not_here_is_refused(arm):
    with pytest.raises(sp.StorageError, match=r"cannot be served at 192\.0\.2\.1"):
        view(arm, host="192.0.2.1")


def test_a_missing_viser_is_named_with_its_remedy():
    program = (
        "import sys\n"
        "sys.modules['viser'] = None\n"
        "import supple as sp\n"
        "robot = sp.Robot('arm')\n"
        "robot.add_link('a', sp.Rigid.sphere(0.1, density=1.0), joint=sp.Revolute('z'))\n"
        "try:\n"
        "    robot.compile().view()\n"
        "except sp.MissingExtraError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 'pip install "supple[view]"' in done.stdout


def test_a_process_does_not_end_under_a_studio_that_did_not_come_about():
    """Kernels are read by a thread; to end while it is in compiled code would abort the process."""
    program = (
        "import sys, time\n"
        "sys.modules['viser'] = None\n"
        "import supple as sp\n"
        "from supple.studio.actor import Actor\n"
        "plan = Actor.make_plan\n"
        "Actor.make_plan = lambda actor: (time.sleep(0.5), plan(actor), print('planned', flush=True))\n"
        "robot = sp.Robot('arm')\n"
        "robot.add_link('a', sp.Rigid.sphere(0.1, density=1.0), joint=sp.Revolute('z'))\n"
        "try:\n"
        "    robot.compile().view()\n"
        "except sp.MissingExtraError as error:\n"
        "    print('missing', flush=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["missing", "planned"]


def test_nobody_loads_viser_or_matplotlib_who_does_not_ask():
    program = (
        "import sys, supple, supple.studio\n"
        "assert 'viser' not in sys.modules and 'matplotlib' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_robot_compiles_itself_to_be_viewed():
    robot = sp.Robot("ball")
    robot.add_link("ball", sp.Rigid.sphere(0.1, density=1.0), joint=sp.Revolute("z"))
    with robot.view(open_browser=False, wait=False) as studio:
        assert [actor.name for actor in studio.actors] == ["ball"]
    with view(robot, robot.compile(), open_browser=False, wait=False) as studio:
        assert [actor.name for actor in studio.actors] == ["ball", "ball 2"]


def test_hidden_layers_are_not_sent_until_they_are_shown(open_studio, arm):
    studio = open_studio(arm)
    (actor,) = studio.actors
    wait_for(lambda: actor.engine.shots > 0)
    _, node = node_of(actor, "frames/arm x")
    before = node.wxyz.copy()
    change(actor.panel.mode, POSE)
    change(actor.panel.coordinates[0], 0.4)
    wait_for(lambda: actor.engine.act.q[0] == 0.4)
    _, hand = node_of(actor, "links/hand")
    pose = arm.pose(actor.engine.act.q, "hand", 0.0)
    wait_for(lambda: np.allclose(hand.position, pose[:3, 3], atol=1e-6))
    assert_allclose(node.wxyz, before)
    change(studio.toolbar.layers["frames"], True)
    wait_for(lambda: not np.allclose(node.wxyz, before))
