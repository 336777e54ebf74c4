"""The thread that moves a robot: wishes are coalesced, nothing is left running."""

import threading
import time
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from supple.studio.engine import BUDGET, LATE, PATIENT, RATE, THOROUGH, Engine
from supple.studio.modes import DYNAMICS, MOTION, POSE, STATICS, Act


class Audience:
    """Keeps what it was shown."""

    def __init__(self):
        self.shots, self.came = [], threading.Condition()

    def __call__(self, shot):
        with self.came:
            self.shots = [*self.shots[-200:], shot]
            self.came.notify_all()

    def wait(self, test, timeout=300.0):
        with self.came:
            assert self.came.wait_for(lambda: any(test(shot) for shot in self.shots), timeout)
            return next(shot for shot in reversed(self.shots) if test(shot))


@pytest.fixture
def stage(arm, request):
    engines = []

    def start(mode, **options):
        audience = Audience()
        engine = Engine(Act.of(arm), audience, mode, **options)
        engines.append(engine)
        engine.start()
        return engine, audience

    yield start
    for engine in engines:
        engine.stop(60.0)
        assert not engine.alive


def come_to_rest(engine):
    """Wait until nothing is shown or computed any more, which a robot that plays would be thirty times per second."""
    end = time.monotonic() + 60.0
    while True:
        before = engine.shots, engine.act.t
        time.sleep(0.3)
        if (engine.shots, engine.act.t) == before:
            return
        assert time.monotonic() < end, "it goes on"


def test_sliders_move_an_equilibrium(stage, arm):
    engine, audience = stage(STATICS)
    engine.wish(inputs={0: 4.0})
    shot = audience.wait(lambda shot: shot.state.u[0] == 4.0)
    assert_allclose(shot.state.q, arm.statics([4.0, 0.0]).q, atol=1e-8)
    assert shot.mode == STATICS


def test_while_there_is_no_equilibrium_sliders_are_answered_quickly(stage, monkeypatch):
    """Searches after one that failed are short; when sliders rest comes a thorough one."""
    allowed, exists = [], threading.Event()

    def search(act, globalise=True, seconds=np.inf):
        allowed.append(seconds)
        act.message = "" if exists.is_set() else f"none, {len(allowed)}"

    monkeypatch.setattr("supple.studio.engine.rest", search)
    engine, audience = stage(STATICS)
    for k in range(4):
        engine.wish(inputs={0: 1.0 + k})
        audience.wait(lambda shot, k=k: shot.state.u[0] == 1.0 + k)
    audience.wait(lambda shot: shot.message == "none, 5")
    come_to_rest(engine)
    assert allowed == [PATIENT, BUDGET, BUDGET, BUDGET, THOROUGH]
    exists.set()
    for value in (8.0, 9.0):
        engine.wish(inputs={0: value})
        audience.wait(lambda shot, value=value: shot.state.u[0] == value and not shot.message)
    come_to_rest(engine)
    assert allowed[5:] == [BUDGET, PATIENT]


def test_ten_thousand_slider_events_keep_memory_flat(stage):
    engine, audience = stage(STATICS)
    engine.wish(inputs={0: 0.1})
    audience.wait(lambda shot: shot.state.u[0] == 0.1)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for k in range(10_000):
        engine.wish(inputs={k % 2: 1e-4 * k})
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert held < 200_000
    shot = audience.wait(lambda shot: shot.state.u[1] == 1e-4 * 9999)
    assert shot.state.u[0] == pytest.approx(1e-4 * 9998)  # the newest of each, none lost
    assert engine.shots < 5_000


def test_what_sleep_is_late_the_next_picture_makes_good(arm, monkeypatch):
    """Without, every picture would come a little late, and there would never be thirty per second."""
    clock, shots = [0.0], []

    def sleep(seconds):
        clock[0] += seconds + 0.006

    def show(shot):
        shots.append(shot)
        engine._ended = len(shots) == 90

    monkeypatch.setattr("supple.studio.engine.time", SimpleNamespace(perf_counter=lambda: clock[0], sleep=sleep))
    engine = Engine(Act.of(arm), show, DYNAMICS, playing=True)
    engine._run()
    assert clock[0] == pytest.approx(90 / RATE, abs=0.01)


def test_what_browsers_cannot_take_yet_they_get_before_the_next_picture(arm, monkeypatch):
    """A page that answers a little late would miss a whole picture otherwise."""
    monkeypatch.setattr("supple.studio.engine.RATE", 1.0)  # so that the next one is far away
    audience, free = Audience(), threading.Event()
    engine = Engine(Act.of(arm), audience, DYNAMICS, playing=True, ready=free.is_set)
    began = time.monotonic()
    engine.start()
    while engine._held is None:
        time.sleep(0.001)
    free.set()
    engine.nudge()
    held = audience.wait(lambda shot: True)
    assert time.monotonic() - began < 0.9
    assert held.state.t == pytest.approx(1.0)
    engine.stop()


def test_the_pace_is_that_of_the_clock_though_pictures_come_in_bursts(arm):
    engine = Engine(Act.of(arm), lambda shot: None, DYNAMICS)
    for _ in range(60):
        for passed in (0.097, 0.001, 0.002):  # three pictures in a tenth of a second
            engine._advanced = 0.5 / RATE
            engine._measure(passed)
    assert engine.pace == pytest.approx(0.5, abs=0.15)


def test_sliders_that_pause_for_a_moment_cost_no_picture(arm, monkeypatch):
    """After a late picture there may be nothing to do for a moment; what is to be made good is not forgotten then."""
    clock, shots = [0.0], []

    def show(shot):
        shots.append(clock[0])
        clock[0] += 0.09 if len(shots) == 1 else 0.001  # the first one comes late
        engine._ended = len(shots) == 30

    def doze():
        clock[0] += 0.005
        engine._wishes["again"] = True

    time_of_its_own = SimpleNamespace(perf_counter=lambda: clock[0], sleep=lambda s: clock.__setitem__(0, clock[0] + s))
    monkeypatch.setattr("supple.studio.engine.time", time_of_its_own)
    monkeypatch.setattr("supple.studio.engine.rest", lambda act, seconds: None)
    engine = Engine(Act.of(arm), show, STATICS)
    monkeypatch.setattr(engine, "_doze", doze)
    engine._run()
    assert shots[-1] == pytest.approx(29 / RATE, abs=0.01)


def test_pictures_come_no_faster_than_their_rate(stage):
    engine, _ = stage(DYNAMICS, playing=True)
    time.sleep(0.2)
    began = time.perf_counter()
    first = engine.shots
    time.sleep(0.5)
    assert engine.shots - first <= RATE * (time.perf_counter() - began + LATE) + 2


def test_dynamics_play_pause_step_and_reset(stage):
    engine, audience = stage(DYNAMICS, playing=True)
    audience.wait(lambda shot: shot.state.t > 0.05)
    engine.wish(playing=False)
    audience.wait(lambda shot: not shot.playing)
    come_to_rest(engine)
    t = engine.act.t
    engine.wish(step=True)
    audience.wait(lambda shot: shot.state.t > t)
    assert engine.act.t == pytest.approx(t + engine.act.step)
    engine.wish(reset=True)
    audience.wait(lambda shot: shot.state.t == 0.0 and not shot.playing)


def test_nobody_watching_nothing_is_computed(stage):
    engine, audience = stage(DYNAMICS, playing=True)
    audience.wait(lambda shot: shot.state.t > 0.0)
    engine.pause(True)
    come_to_rest(engine)
    engine.pause(False)
    t = engine.act.t
    audience.wait(lambda shot: shot.state.t > t)


def test_it_sleeps_as_long_as_there_is_any_reason(stage):
    engine, audience = stage(DYNAMICS, playing=True)
    audience.wait(lambda shot: shot.state.t > 0.0)
    engine.pause(True, "a video is recorded")
    engine.pause(True)
    engine.pause(False)  # a page came back; the video is not done
    come_to_rest(engine)
    t = engine.act.t
    engine.pause(False, "a video is recorded")
    audience.wait(lambda shot: shot.state.t > t)


def test_a_motion_plays_to_its_end_and_begins_again(stage, motion):
    engine, audience = stage(MOTION, trajectory=motion, playing=True)
    audience.wait(lambda shot: shot.state.t > 0.2)
    audience.wait(lambda shot: shot.state.t > 0.2)
    with audience.came:
        audience.shots = []
    audience.wait(lambda shot: shot.state.t < 0.1)  # it went round
    engine.wish(looping=False)
    audience.wait(lambda shot: not shot.playing)
    assert engine.act.t == pytest.approx(0.3)
    engine.wish(time=0.11)
    audience.wait(lambda shot: shot.state.t == 0.11)


def test_a_motion_can_be_left_for_other_modes(stage, motion):
    engine, audience = stage(MOTION, trajectory=motion)
    engine.wish(mode=POSE, coordinates={0: 0.25})
    shot = audience.wait(lambda shot: shot.mode == POSE)
    assert shot.state.q[0] == pytest.approx(0.25)


def test_an_error_of_supple_stops_the_play_and_not_the_thread(stage, monkeypatch):
    engine, audience = stage(DYNAMICS)
    engine.wish(inputs={0: -1.0}, playing=True)  # a negative tension is refused
    shot = audience.wait(lambda shot: bool(shot.message))
    assert "tension" in shot.message
    engine.wish(inputs={0: 1.0}, playing=True)
    audience.wait(lambda shot: shot.state.t > 0.0 and not shot.message)


def test_a_stopped_engine_leaves_no_thread(arm):
    before = threading.active_count()
    engine = Engine(Act.of(arm), lambda shot: None, DYNAMICS, playing=True)
    engine.start()
    assert threading.active_count() == before + 1
    engine.stop()
    assert threading.active_count() == before
    engine.stop()  # twice is fine


def test_what_is_dragged_comes_to_the_hand(stage, arm):
    from supple.studio.pull import grip_near

    engine, audience = stage(DYNAMICS, playing=True)
    tip = arm.pose(engine.act.start[0], "hand", 0.0)[:3, 3]
    grip = grip_near(arm, engine.act.start[0], "hand", tip)
    target = arm.pose(arm.statics().q, "hand", 0.0)[:3, 3] + np.array([0.0, 0.1, 0.0])
    engine.wish(grip=grip, target=target)
    shot = audience.wait(lambda shot: shot.pull is not None and np.linalg.norm(shot.pull[0] - target) < 0.05)
    assert_allclose(shot.pull[1], target)
    engine.wish(grip=None)
    audience.wait(lambda shot: shot.pull is None)


def test_whatever_a_law_raises_is_told_and_the_thread_lives_on(arm):
    def law(t, q, v):
        if t > 0.02:
            raise ZeroDivisionError("a law of mine")
        return np.zeros(2)

    audience = Audience()
    engine = Engine(Act.of(arm, u=law), audience, DYNAMICS, playing=True)
    engine.start()
    shot = audience.wait(lambda shot: bool(shot.message))
    assert "a law of mine" in shot.message
    assert not shot.playing
    engine.wish(inputs={0: 0.0, 1: 0.0}, playing=True)
    audience.wait(lambda shot: shot.state.t > 0.1)
    engine.stop()


def test_busy_browsers_get_the_newest_state_later(arm):
    audience, free, followed = Audience(), threading.Event(), []
    engine = Engine(Act.of(arm), audience, STATICS, follow=followed.append, ready=free.is_set)
    engine.start()
    for value in (1.0, 2.0, 3.0):
        engine.wish(inputs={0: value})
        end = time.monotonic() + 300.0
        while not (followed and followed[-1].state.u[0] == value):
            assert time.monotonic() < end
            time.sleep(0.005)
    assert engine.shots == 0  # the robot went on, nobody was told
    free.set()
    engine.nudge()
    shot = audience.wait(lambda shot: True)
    assert shot.state.u[0] == 3.0
    assert engine.shots == 1
    engine.stop()
