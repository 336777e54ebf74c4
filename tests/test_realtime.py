"""Real time: steps are those of Model.step, failures leave the last good state, deadlines are counted honestly."""

import gc
import os
import time

import numpy as np
import pytest

import supple as sp
import supple.realtime as realtime
from interrupts import ctrl_c_inside
from motions import four_bar, soft_arm, wheel

DT = 1e-3


@pytest.mark.parametrize("method", [None, sp.ImplicitEuler(dt=1.0), sp.RK45(), sp.Radau()])
def test_steps_are_those_of_the_model(method):
    model = soft_arm(0.01)
    q, v = np.full(model.n, 0.1), np.zeros(model.n)
    stepper = realtime.Stepper(model, DT, q, v, method=method, t0=0.5)
    for k in range(5):
        status = stepper.step()
        q, v = model.step(q, v, None, DT, method, t=0.5 + k * DT)
        assert np.array_equal(stepper.q, q)
        assert np.array_equal(stepper.v, v)
        assert status.good
        assert stepper.t == 0.5 + (k + 1) * DT
    assert (stepper.steps, stepper.failed) == (5, 0)


def test_loops_begin_closed_and_stay_so():
    model, q = four_bar()
    stepper = realtime.Stepper(model, DT, q)
    for _ in range(20):
        assert stepper.step().good
    assert np.abs(model.loop_error(stepper.q)).max() < 1e-10


def test_a_step_that_cannot_be_made_leaves_the_last_good_state():
    model = wheel()
    stepper = realtime.Stepper(model, DT)
    stepper.step([1.0])
    q, v = stepper.q.copy(), stepper.v.copy()
    status = stepper.step([np.nan])
    assert not status.good
    assert "finite" in status.reason
    assert (stepper.failed, stepper.steps) == (1, 2)
    assert stepper.t == 2 * DT  # time goes on
    assert np.array_equal(stepper.q, q)
    assert np.array_equal(stepper.v, v)
    assert not stepper.step([1e308]).good
    assert stepper.step([1.0]).good
    with pytest.raises(sp.ShapeError, match="u has shape"):
        stepper.step([1.0, 2.0])


def test_steps_that_do_not_converge_are_told():
    """A four-bar linkage whose crank is asked to turn some forty times in one step."""
    model, q = four_bar()
    stepper = realtime.Stepper(model, 5.0, q, np.full(3, 50.0))
    q, v = stepper.q.copy(), stepper.v.copy()
    status = stepper.step()
    assert not status.good
    assert "one step of 5 s" in status.reason
    assert np.array_equal(stepper.q, q)
    assert np.array_equal(stepper.v, v)


def test_late_steps_are_counted():
    stepper = realtime.Stepper(wheel(), DT, deadline=1e-12)
    assert stepper.step([0.0]).late
    assert stepper.late == 1
    stepper = realtime.Stepper(wheel(), DT, deadline=1e6)
    assert not stepper.step([0.0]).late


def test_a_controller_drives_a_robot():
    """A wheel turned to one radian: as simulated with feedback sampled at the same rate."""
    model = wheel()

    def controller(t, q, v):
        return 40.0 * (1.0 - q) - 6.0 * v

    report = realtime.run(realtime.Stepper(model, DT), controller, 1.0, paced=False)
    assert len(report.work) == 1000
    assert report.t[-1] == pytest.approx(1.0)
    assert report.q[-1, 0] == pytest.approx(1.0, abs=0.02)
    tight = sp.NDF(rtol=1e-9, atol=1e-11)
    motion = model.simulate(np.linspace(0.0, 1.0, 11), u=controller, control_rate=1.0 / DT, method=tight)
    assert report.q[::100] == pytest.approx(motion.q, abs=1e-6)
    assert report.failures == ()
    assert (report.control <= report.work).all()
    assert "1000 ticks of 1 ms" in str(report)
    assert "median" in str(report)
    assert repr(report).startswith("<Report: 1000 ticks")


def test_ticks_keep_their_times():
    """Not how punctual they are, which is the machine's: that none begins before its time, and that all is measured."""
    begun = []

    def controller(t, q, v):
        begun.append(time.perf_counter())
        if len(begun) == 5:
            time.sleep(0.03)
        return [0.0]

    report = realtime.run(realtime.Stepper(wheel(), 0.005), controller, 0.1)
    due = begun[0] + 0.005 * np.arange(20) - report.lateness[0]
    assert (np.array(begun) >= due - 1e-4).all()
    assert report.missed[4]
    assert report.control[4] >= 0.03
    assert report.lateness[5] > 0.02  # it follows as soon as it can
    assert report.jitter > 0.0
    assert gc.isenabled()


def test_steps_that_fail_are_in_the_report():
    stepper = realtime.Stepper(wheel(), DT)
    report = realtime.run(stepper, lambda t, q, v: [np.nan if t > 5.5e-3 else 1.0], 0.01, paced=False)
    assert len(report.failures) == 4
    assert "finite" in report.failures[0][1]
    assert np.isnan(report.u[-1]).all()
    assert np.array_equal(report.q[-1], report.q[-3])
    assert "4 steps not made" in str(report)


def test_what_a_controller_raises_ends_the_loop():
    with pytest.raises(sp.StateError, match="the controller at t = 0 raised KeyError: 'gain'"):
        realtime.run(realtime.Stepper(wheel(), DT), lambda t, q, v: {}["gain"], 1.0)
    assert gc.isenabled()


def test_ctrl_c_keeps_the_report():
    ctrl_c_inside(realtime._Loop.run)
    with pytest.raises(sp.Interrupted, match=r"interrupted after \d+ of 60000 ticks") as caught:
        realtime.run(realtime.Stepper(wheel(), DT), lambda t, q, v: [0.0], 60.0)
    assert 0 < len(caught.value.result.work) < 60000


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: realtime.Stepper(3, DT), "model is 3"),
        (lambda: realtime.Stepper(wheel(), 0.0), "dt is 0 s"),
        (lambda: realtime.Stepper(wheel(), DT, method=sp.NDF()), "NDF goes on from several points"),
        (lambda: realtime.Stepper(wheel(), DT, method="NDF"), "method is 'NDF'"),
        (lambda: realtime.Stepper(wheel(), DT, deadline=-1.0), "deadline is -1 s"),
        (lambda: realtime.run(realtime.Stepper(wheel(), DT), 3, 1.0), "controller is 3"),
        (lambda: realtime.run(realtime.Stepper(wheel(), DT), print, 0.0), "duration is 0 s"),
        (lambda: realtime.run(realtime.Stepper(wheel(), DT), print, 1.0, awake=-1.0), "awake is -1 s"),
        (lambda: realtime.run(realtime.Stepper(wheel(), DT), print, 1.0, paced="no"), "paced is 'no'"),
        (lambda: realtime.run(realtime.Stepper(wheel(), DT), print, 1e15), r"duration is 1e\+15 s: .* fit into memory"),
        (lambda: realtime.run(realtime.Stepper(wheel(), 1e-9), print, 1e300), "does not fit into memory"),
        (lambda: realtime.run(wheel(), print, 1.0), r"stepper is <Model .*must be a Stepper"),
    ],
)
def test_what_is_wrong_is_named(call, message):
    with pytest.raises(sp.ModelError, match=message):
        call()


def test_the_report_tells_when_the_processor_was_taken_away(monkeypatch):
    counts = iter([0, 0, 5, 7, 7, 7])
    monkeypatch.setattr(realtime, "_switch_counter", lambda: lambda: next(counts))
    report = realtime.run(realtime.Stepper(wheel(), DT), lambda t, q, v: [0.0], 3 * DT, paced=False)
    assert report.interrupted.tolist() == [0, 2, 0]
    assert "took the processor away within 1 ticks" in str(report)


def test_switches_are_counted_where_the_system_tells():
    assert realtime._switch_counter()() >= 0


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="this system has no real-time priority")
def test_priority_is_given_back(monkeypatch):
    asked, own = [], os.sched_getscheduler(0)
    monkeypatch.setattr(os, "sched_setscheduler", lambda pid, policy, parameter: asked.append(policy))

    def fails(t, q, v):
        raise RuntimeError("no battery")

    with pytest.raises(sp.StateError, match="no battery"):
        realtime.run(realtime.Stepper(wheel(), DT), fails, DT, priority=True)
    assert asked == [os.SCHED_FIFO, own]
    asked.clear()
    realtime.run(realtime.Stepper(wheel(), DT), lambda t, q, v: [0.0], DT, paced=False)
    assert asked == []


def test_priority_that_is_refused_is_told(monkeypatch):
    def refuses(*arguments):
        raise PermissionError(1, "Operation not permitted")

    stepper = realtime.Stepper(wheel(), DT)
    monkeypatch.setattr(os, "sched_setscheduler", refuses, raising=False)
    if hasattr(os, "sched_getscheduler"):
        with pytest.raises(sp.ModelError, match=r"the system refuses it .Operation not permitted.; it needs root"):
            realtime.run(stepper, lambda t, q, v: [0.0], DT, priority=True)
    monkeypatch.delattr(os, "sched_setscheduler", raising=False)
    with pytest.raises(sp.ModelError, match="does not offer real-time priority"):
        realtime.run(stepper, lambda t, q, v: [0.0], DT, priority=True)
    assert gc.isenabled()
