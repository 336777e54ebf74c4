"""Events: where a function crosses zero, and what a simulation does then."""

import numpy as np
import pytest

import supple as sp
from motions import FAMILIES, wheel

G = 9.81


def ball():
    """A point that moves up and down z."""
    robot = sp.Robot("ball")
    robot.add_link("ball", sp.Rigid(0.3, (1e-3, 1e-3, 1e-3)), joint=sp.Prismatic("z"))
    return robot.compile()


def landing(action, **options):
    return sp.Event(lambda t, q, v: q[0], action, **{"direction": -1, "name": "ground", **options})


@pytest.mark.parametrize("name", FAMILIES)
def test_a_falling_ball_stops_on_the_ground(name):
    run = ball().simulate(np.linspace(0, 2, 21), [1.0], method=FAMILIES[name], events=landing("stop"))
    moment = np.sqrt(2 / G)
    assert run.stats["events"]["ground"] == [pytest.approx(moment, abs=1e-7)]
    np.testing.assert_allclose(run.t, [0, 0.1, 0.2, 0.3, 0.4, moment], atol=1e-7)
    np.testing.assert_allclose(run.q[:, 0], 1 - G / 2 * run.t**2, atol=1e-6)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_ball_bounces(name):
    """Half the speed is left at every bounce: flights of T, T/2, T/4, ..."""
    bounce = landing(lambda t, q, v: sp.Switch(v=-0.5 * v))
    times = np.linspace(0, 1.1, 12)
    run = ball().simulate(times, [1.0], method=FAMILIES[name], events=[bounce])
    first = np.sqrt(2 / G)
    np.testing.assert_allclose(run.stats["events"]["ground"], first * np.array([1.0, 2.0]), atol=1e-6)
    np.testing.assert_array_equal(run.t, times)
    assert run.q.min() > -1e-6
    flight = run.t - first
    after = (flight > 0) & (flight < first)
    np.testing.assert_allclose(run.q[after, 0], 0.5 * G * first * flight[after] - G / 2 * flight[after] ** 2, atol=1e-5)


@pytest.mark.parametrize("name", FAMILIES)
def test_inputs_that_switch_wherever_a_mass_on_a_spring_passes_its_middle(name):
    """Late moments are found to fewer digits; what is left of the function there is no crossing of its own."""
    robot = sp.Robot("mass")
    robot.add_link("mass", sp.Rigid(1.0, (1e-3, 1e-3, 1e-3)), joint=sp.Prismatic("x", stiffness=np.pi**2))
    robot.add(sp.JointDrive("push", "mass"))
    middle = sp.Event(lambda t, q, v: q[0], lambda t, q, v: sp.Switch(u=[-0.1 * np.sign(v[0])]), name="middle")
    before, after = (sp.Event(middle.function, "note", name=name) for name in ("before", "after"))
    events, times = [before, middle, after], np.linspace(100.0, 110.0, 11)
    run = robot.compile().simulate(times, [0.1], u=[0.0], method=FAMILIES[name], events=events, max_steps=20000)
    found = run.stats["events"]
    assert len(found["middle"]) in (10, 11)
    assert np.diff(found["middle"]).min() > 0.5
    assert found["before"] == pytest.approx(found["middle"], rel=1e-10)  # noted once, wherever in the list
    assert found["after"] == pytest.approx(found["middle"], rel=1e-10)


def test_every_step_shows_both_sides_of_a_bounce():
    run = ball().simulate(0.6, [1.0], method=sp.NDF(), events=landing(lambda t, q, v: sp.Switch(v=-0.5 * v)))
    k = int(np.flatnonzero(np.diff(run.t) == 0.0)[0])
    assert run.v[k + 1, 0] == pytest.approx(-0.5 * run.v[k, 0])
    assert run.t[k] == run.stats["events"]["ground"][0]


def test_notes_do_not_change_the_motion():
    silent = ball().simulate(1.0, [1.0], method=sp.NDF())
    run = ball().simulate(1.0, [1.0], method=sp.NDF(), events=landing("note"))
    np.testing.assert_array_equal(run.q, silent.q)
    assert run.stats["events"]["ground"] == [pytest.approx(np.sqrt(2 / G), abs=1e-3)]


def test_a_switch_of_inputs_keeps_its_own_jumps_and_the_old_inputs():
    """Torque 1 until the wheel turns at 0.5 rad/s, then a law that jumps from 0 to -2 at 0.8 s."""
    later = sp.laws.Steps([0.0, 0.8], [0.0, -2.0])
    fast = sp.Event(lambda t, q, v: v[0] - 0.5, lambda t, q, v: sp.Switch(u=later), name="fast")
    times = np.linspace(0, 1, 11)
    for method in FAMILIES.values():
        run = wheel().simulate(times, u=[1.0], method=method, events=[fast])
        assert run.stats["events"]["fast"] == [pytest.approx(0.25, abs=1e-7)]
        np.testing.assert_allclose(run.v[:, 0], [0, 0.2, 0.4, *[0.5] * 6, 0.1, -0.3], atol=1e-6)
        np.testing.assert_array_equal(run.u[:, 0], [1, 1, 1, 0, 0, 0, 0, 0, -2, -2, -2])


def test_direction():
    zero = sp.Event(lambda t, q, v: v[0], "note", name="still")
    up, down = (sp.Event(zero.function, "note", sign, f"{sign}") for sign in (1, -1))
    spring = wheel(stiffness=2.0).simulate(5.0, [0.3], method=sp.NDF(rtol=1e-8, atol=1e-9), events=[zero, up, down])
    noted = spring.stats["events"]
    halves = np.pi / 2 * np.arange(1, 4)  # 2 rad/s
    np.testing.assert_allclose(noted["still"], halves, atol=1e-6)
    np.testing.assert_allclose(noted["1"], halves[::2], atol=1e-6)
    np.testing.assert_allclose(noted["-1"], halves[1::2], atol=1e-6)


def test_failing_events_keep_the_motion_so_far():
    def broken(t, q, v):
        if t > 0.3:
            raise RuntimeError("no sensor")
        return 1.0

    with pytest.raises(sp.SimulationError, match="event 'eye' failed: no sensor") as caught:
        ball().simulate(1.0, [1.0], method=sp.NDF(max_step=0.05), events=sp.Event(broken, name="eye"))
    assert 0.2 < caught.value.trajectory.t[-1] < 0.45
    with pytest.raises(sp.SimulationError, match=r"must return a supple.Switch"):
        ball().simulate(1.0, [1.0], events=landing(lambda t, q, v: 3.0))
    with pytest.raises(sp.SimulationError, match="returned nan"):
        ball().simulate(1.0, [1.0], events=sp.Event(lambda t, q, v: np.nan if t > 0.1 else 1.0))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (sp.Switch(q=[np.nan]), r"q0\[0\] .* is nan"),
        (sp.Switch(v=[0.0, 1.0]), "v0 has shape"),
        (sp.Switch(u=[1.0, 2.0]), "u has shape"),
        (sp.Switch(u={"pull": 1.0}), "there is no input 'pull'"),
    ],
)
def test_switches_to_what_cannot_be_name_the_event_and_keep_the_motion_so_far(change, message):
    event = sp.Event(lambda t, q, v: v[0] - 0.5, lambda t, q, v: change, name="fast")
    with pytest.raises(sp.SimulationError, match=f"event 'fast' switches to what cannot be: .*{message}") as caught:
        wheel().simulate(np.linspace(0.0, 1.0, 11), u=[1.0], events=[event])
    assert caught.value.trajectory.t[:3] == pytest.approx([0.0, 0.1, 0.2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"function": 3.0}, "function must be"),
        ({"function": abs, "action": "jump"}, "action is 'jump'"),
        ({"function": abs, "direction": 2}, "direction is 2"),
    ],
)
def test_bad_events_are_refused(options, message):
    with pytest.raises(sp.ModelError, match=message):
        sp.Event(**options)
