"""Events in derivatives of motions: times that move, states that jump."""

import numpy as np
import pytest

import supple as sp
from motion_cases import END, METHODS, along, check, small, tendon_arm
from supple.errors import StateError


def crossing(t, q, v):
    return q[1] + 0.1 + 0.5 * t


def reflect(t, q, v):
    inputs = np.array([1.0 + q[0] ** 2, 0.08 + 0.01 * v[1]])
    return sp.Switch(q=q + 0.01 * np.sin(v), v=-0.6 * v + 0.1 * q + t, u=inputs)


def swing(method, action, t, **options):
    model = tendon_arm()
    q0, v0 = np.array([-0.1, 0.05, 0.1, -0.1, 0.01]), np.array([8.0, 1.0, -1.0, 2.0, 0.1])
    u = np.array([2.0, 0.07])
    event = sp.Event(crossing, action, direction=-1, name="cross")
    motion = model.simulate(t, q0, v0, u, METHODS[method], events=[event], record=True, **options)
    assert len(motion.stats["events"]["cross"]) >= 1
    return motion, q0, v0, u


@pytest.mark.parametrize("method", METHODS)
def test_event_that_stops(method):
    motion, q0, v0, u = swing(method, "stop", END)
    assert motion.t[-1] < END
    check(motion, q0, v0, u)


@pytest.mark.parametrize("every", [True, False], ids=["every", "wanted"])
@pytest.mark.parametrize("method", METHODS)
def test_event_that_switches(method, every):
    motion, q0, v0, u = swing(method, reflect, END if every else np.linspace(0.0, END, 7))
    assert len(motion.tape.pieces) >= 2
    # the derivative by v0 is small beside the others: over shorter steps, rounding hides it on some processors
    check(motion, q0, v0, u, steps=(1e-4, 2e-5))


def beat(t, q, v):
    """Feedback that asks for the time, too."""
    return np.array([2.0 + np.sin(20.0 * t + q[0]) + 0.01 * v[1], 0.1 + 0.01 * np.cos(30.0 * t) + 0.01 * q[1]])


@pytest.mark.parametrize("method", ["ndf", "alpha", "radau", "rk45"])
def test_feedback_is_sampled_where_the_event_is(method):
    model = tendon_arm()
    q0, v0 = np.array([-0.1, 0.05, 0.1, -0.1, 0.01]), np.array([8.0, 1.0, -1.0, 2.0, 0.1])
    event = sp.Event(crossing, lambda t, q, v: sp.Switch(v=0.3 * v), direction=-1, name="cross")
    t = np.linspace(0.0, END, 7)
    motion = model.simulate(t, q0, v0, beat, METHODS[method], events=[event], control_rate=80.0, record=True)
    assert motion.stats["events"]["cross"]
    check(motion, q0, v0, beat, steps=(1e-4, 2e-5))


@pytest.mark.parametrize("u", [[1.5, 0.08], {"up": 1.5}, [sp.laws.Sine(1.0, 5.0, offset=2.0), 0.1]])
def test_sampled_feedback_may_be_switched_off(u):
    model, start = tendon_arm(), np.array([0.1, -0.2, 0.1, 0.05, 0.01])
    event = sp.Event(lambda t, q, v: t + 0.1 * q[0] - 0.0133, lambda t, q, v: sp.Switch(u=u), name="off")
    options = {"method": sp.Radau(rtol=1e-10, atol=1e-12), "events": [event], "control_rate": 300.0}

    def run(x, **more):
        return model.simulate(np.linspace(0.0, END, 7), x * start, None, beat, **options, **more)

    motion = run(1.0, record=True)
    later = motion.t > motion.stats["events"]["off"][0]
    plain = model.simulate(motion.t[:2], u=u).u[0]
    assert np.isclose(motion.u[later][:, 1], plain[1]).all()
    weights = np.zeros(motion.q.shape)
    weights[-1] = (1.0, -2.0, 0.5, 0.3, 0.1)
    wanted = along(lambda x: run(1.0 + x).q[-1] @ weights[-1], h=1e-4)
    assert np.isclose(motion.vjp(q=weights).q0 @ start, wanted, rtol=1e-5, atol=0.0)
    assert np.isclose(motion.jvp(q0=start).q[-1] @ weights[-1], wanted, rtol=1e-5, atol=0.0)


INPUTS = {
    "laws": ([sp.laws.Sine(1.0, 3.0, offset=2.0), sp.laws.Sine(0.1, 5.0, offset=0.1)], {}),
    "function": (lambda t: [2.0 + np.sin(30.0 * t), 0.1 + 0.02 * np.cos(20.0 * t)], {}),
    "feedback": (beat, {}),
    "sampled": (beat, {"control_rate": 100.0}),
    "numbers": ([2.0, 0.1], {}),
}


@pytest.mark.parametrize("form", INPUTS)
def test_inputs_move_with_the_event(form):
    """Inputs and energy (of an elastic tendon, by its input) where the motion ends, against whole simulations."""
    (u, options), model = INPUTS[form], tendon_arm()
    q0, v0 = np.array([-0.1, 0.05, 0.1, -0.1, 0.01]), np.array([8.0, 1.0, -1.0, 2.0, 0.1])
    change, event = np.array([1.0, -0.5, 0.3, 0.2, 0.1]), sp.Event(crossing, "stop", direction=-1, name="cross")
    method = sp.Radau(rtol=1e-10, atol=1e-12)

    def run(x):
        return model.simulate(
            np.linspace(0.0, END, 7), q0 + x * change, v0, u, method, events=[event], record=True, **options
        )

    motion = run(0.0)
    weights, last = np.zeros(motion.u.shape), np.zeros(len(motion.t))
    weights[-1], last[-1] = (1.0, 10.0), 1.0
    expected = along(lambda x: run(x).u[-1] @ weights[-1]), along(lambda x: run(x).energy()[-1, 3])
    found_both = motion.vjp(u=weights).q0 @ change, motion.vjp(energy=last).q0 @ change
    for found, wanted in zip(found_both, expected, strict=True):
        assert abs(found - wanted) <= 1e-5 * abs(wanted)
    assert np.isclose(motion.jvp(q0=change).u[-1] @ weights[-1], expected[0], rtol=1e-5, atol=0.0)


def shaking():
    """A prescribed joint with more than one coordinate: its effort is a wrench in a frame that moves with them."""
    robot = sp.Robot("shaking")
    robot.add_link("arm", sp.Rigid.box((0.2, 0.02, 0.02), density=800.0), sp.Revolute("y"))
    robot.add_link("ball", sp.Rigid(0.1, (1e-3, 2e-3, 3e-3), com=(0.1, 0.0, 0.0)), sp.Spherical(), "arm")
    robot.add(sp.Prescribed("ball", sp.laws.Sine([0.5, 0.3, 0.2], 2.0, phase=[0.0, 0.5, 1.0])))
    return robot.compile()


def test_efforts_move_with_the_event():
    model, method = shaking(), METHODS["alpha"]
    event = sp.Event(lambda t, q, v: t + 0.5 * q[0] - 0.26, "stop", name="late")

    def run(x):
        begin = np.array([0.3 + x, 0.0, 0.0, 0.0])
        return model.simulate(np.linspace(0.0, 1.0, 3), begin, None, None, method, events=[event], record=True)

    motion = run(0.0)
    weights = np.zeros(motion.efforts.shape)
    weights[-1] = (1.0, -0.5, 0.7)
    wanted = along(lambda x: run(x).efforts[-1] @ weights[-1])
    assert np.isclose(motion.vjp(efforts=weights).q0[0], wanted, rtol=1e-6, atol=0.0)
    assert np.isclose(motion.jvp(q0=[1.0, 0.0, 0.0, 0.0]).efforts[-1] @ weights[-1], wanted, rtol=1e-6, atol=0.0)


def switched(u):
    """A recorded motion as a function of its initial state, that an event switches to inputs u(q)."""
    model, start = tendon_arm(), np.array([0.1, -0.2, 0.1, 0.05, 0.01])
    event = sp.Event(lambda t, q, v: t - 0.0133, lambda t, q, v: sp.Switch(u=u(q)), name="late")
    times = np.linspace(0.0, END, 7)
    return lambda x: model.simulate(
        times, x * start, None, [1.0, 0.05], METHODS["bdf2"], events=[event], record=True
    ), start


@pytest.mark.parametrize("form", ["by name", "in order"])
def test_numbers_behind_a_switch_may_have_names(form):
    def inputs(q):
        values = {"side": 0.1 + q[1] ** 2, "up": 2.0 + 3.0 * q[0]}
        return values if form == "by name" else [values["up"], values["side"]]

    run, start = switched(inputs)
    motion = run(1.0)
    weights = np.zeros(motion.q.shape)
    weights[-1] = (1.0, -2.0, 0.5, 0.3, 0.1)
    wanted = along(lambda x: run(1.0 + x).q[-1] @ weights[-1])
    assert np.isclose(motion.vjp(q=weights).q0 @ start, wanted, rtol=1e-7, atol=0.0)
    assert np.isclose(motion.jvp(q0=start).q[-1] @ weights[-1], wanted, rtol=1e-7, atol=0.0)


@pytest.mark.parametrize(
    "inputs",
    [
        lambda q: [sp.laws.Sine(1.0, 2.0, offset=2.0 + q[0]), 0.1],
        lambda q: lambda t, first=float(q[0]): [2.0 + first, 0.1],
        lambda q: np.full((7, 2), 2.0 + q[0]),
    ],
    ids=["laws", "function", "samples"],
)
def test_laws_behind_a_switch_that_follow_the_state_are_refused(inputs):
    motion = switched(inputs)[0](1.0)
    with pytest.raises(StateError, match=r"'late' switches at t = 0.0133 s to laws.*give numbers"):
        motion.vjp(q=np.ones_like(motion.q))
    with pytest.raises(StateError, match="'late' switches"):
        motion.jvp(v0=np.ones(5))


@pytest.mark.parametrize("u", [np.full((7, 2), 2.0), [sp.laws.Sine(1.0, 2.0, offset=2.0), 0.1], lambda t: [2.0, 0.1]])
def test_laws_behind_a_switch_that_stay_have_derivatives(u):
    run, start = switched(lambda q: u)
    motion = run(1.0)
    weights = np.zeros(motion.q.shape)
    weights[-1] = (1.0, -2.0, 0.5, 0.3, 0.1)
    wanted = along(lambda x: run(1.0 + x).q[-1] @ weights[-1])
    assert np.isclose(motion.vjp(q=weights).q0 @ start, wanted, rtol=1e-7, atol=0.0)
    assert np.isclose(motion.jvp(q0=start).q[-1] @ weights[-1], wanted, rtol=1e-7, atol=0.0)


def test_an_event_that_is_touched_is_refused():
    model, q0, v0, run = small(events=[sp.Event(lambda t, q, v: (t - 0.023) ** 3, name="graze")])
    with pytest.raises(StateError, match=r"'graze'.*touched"):
        run(q0, v0, None).vjp(q=np.ones((len(run(q0, v0, None).t), model.n)))


@pytest.mark.parametrize("aside", [-1e-5, 1e-6, 2e-5])
@pytest.mark.parametrize("action", ["stop", lambda t, q, v: sp.Switch(v=v)], ids=["stop", "switch"])
@pytest.mark.parametrize("method", ["ndf", "radau", "rk45"])
def test_events_while_a_body_turns_over(method, action, aside):
    """A ball that is thrown reaches the ground just when half a turn, where rotation vectors jump, is full.

    It comes down at time T with -H = w T - g T^2 / 2, at y = v T: dy/dv = T and dy/dw = v T / (g T - w).
    """
    robot, g, height, speed = sp.Robot("ball", gravity=(0.0, 0.0, -9.81)), 9.81, 0.3, 2.0
    robot.add_link("ball", sp.Rigid.sphere(0.05, density=500.0), sp.Free())
    model, T = robot.compile(), np.sqrt(2.0 * height / g)
    ground = sp.Event(lambda t, q, v: model.pose(q, "ball")[2, 3] + height, action, direction=-1)
    v0 = np.array([np.pi / (T + aside), 0.0, 0.0, 0.0, speed, 0.0])
    precise = {"ndf": sp.NDF(1e-9, 1e-11), "radau": sp.Radau(1e-9, 1e-11), "rk45": sp.RK45(1e-9, 1e-11)}[method]
    motion = model.simulate(2.0 * T, v0=v0, method=precise, events=[ground], record=True)
    k = int(np.argmin(np.abs(motion.t - T)))  # just before it goes on
    weights = np.zeros((len(motion.t), 3))
    weights[k, 1] = 1.0
    np.testing.assert_allclose(motion.vjp(tip={"ball": weights}).v0[-2:], [T, speed / g], rtol=1e-6)
    weights[k], weights[-1, 1] = 0.0, 1.0  # what follows a switch that changes nothing does not feel it
    expected = [T, speed / g] if action == "stop" else [motion.t[-1], 0.0]
    np.testing.assert_allclose(motion.vjp(tip={"ball": weights}).v0[-2:], expected, rtol=1e-6, atol=1e-6)
