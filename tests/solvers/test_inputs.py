"""Inputs in all forms that users give them, and prescribed joints: against formulas and SciPy."""

import signal

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import supple as sp
from motions import ACCURACY, FAMILIES, pendulum, slope, wheel

INERTIA = 0.5
TIMES = np.linspace(0.0, 1.0, 11)


def turned(u, t, method, **options):
    """Angle and rate of a wheel under a torque."""
    run = wheel().simulate(t, u=u, method=method, **options)
    return run.q[:, 0], run.v[:, 0], run


@pytest.mark.parametrize("name", FAMILIES)
def test_jumps_are_hit_exactly(name):
    """A torque of 1, then -2, then 0 N m: a parabola in each piece, which all but Euler follow to rounding."""
    law = sp.laws.Steps([0.0, 0.3141, 0.7002], [1.0, -2.0, 0.0])
    q, v, run = turned(law, TIMES, FAMILIES[name])
    a, b = min(0.3141, 1.0), 0.7002
    rate = np.where(a > TIMES, TIMES, np.where(b > TIMES, a - 2 * (TIMES - a), a - 2 * (b - a))) / INERTIA
    np.testing.assert_allclose(v, rate, atol=2e-8)
    np.testing.assert_array_equal(run.u[:, 0], [1, 1, 1, 1, -2, -2, -2, -2, 0, 0, 0])
    middle = a * a / 2 + a * (b - a) - (b - a) ** 2
    assert q[-1] == pytest.approx((middle + (a - 2 * (b - a)) * (1.0 - b)) / INERTIA, abs=2e-7)


@pytest.mark.parametrize("name", FAMILIES)
def test_tables_are_joined_by_lines_or_held(name):
    table = np.cos(3 * TIMES)[:, None]
    _, v, run = turned(table, TIMES, FAMILIES[name])
    areas = np.concatenate([[0.0], np.cumsum(0.05 * (table[1:, 0] + table[:-1, 0]))])
    # Radau's tolerances are translated for smooth motions: of kinks within its long steps it sees less
    np.testing.assert_allclose(v, areas / INERTIA, atol=3e-5 if name == "Radau" else ACCURACY[name])
    np.testing.assert_allclose(run.u, table)
    _q, v, run = turned(table, TIMES, FAMILIES[name], hold=True)
    np.testing.assert_allclose(v, np.concatenate([[0.0], np.cumsum(0.1 * table[:-1, 0])]) / INERTIA, atol=1e-6)
    np.testing.assert_allclose(run.u, table)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(
    "u",
    [lambda t: np.sin(4 * t), [lambda t: np.sin(4 * t)], {"motor": sp.laws.Sine(1.0, 4 / (2 * np.pi))}],
    ids=["function", "list", "dict of laws"],
)
def test_functions_of_time(name, u):
    _q, v, run = turned(u, TIMES, FAMILIES[name])
    np.testing.assert_allclose(v, (1 - np.cos(4 * TIMES)) / 4 / INERTIA, atol=ACCURACY[name])
    np.testing.assert_allclose(run.u[:, 0], np.sin(4 * TIMES), atol=1e-14)


@pytest.mark.parametrize("gain", [30.0, 1e5], ids=["soft", "stiff"])
@pytest.mark.parametrize("name", ["NDF", "GeneralizedAlpha", "adaptive", "BDF2"])
def test_continuous_feedback_of_any_stiffness(name, gain):
    """A PD controller that follows a sine: compared with SciPy; no step is short because gains are high."""
    damping = 0.2 * gain

    def follow(t, q, v):
        return gain * (np.sin(2 * t) - q) + damping * (2 * np.cos(2 * t) - v)

    q, v, run = turned(follow, TIMES, FAMILIES[name])
    exact = solve_ivp(
        lambda t, y: [y[1], follow(t, y[0], y[1]) / INERTIA], (0, 1), [0, 0], "Radau", TIMES, rtol=1e-10, atol=1e-12
    )
    assert np.abs(q - exact.y[0]).max() < 2e-4
    assert run.stats["steps"] < 3000
    np.testing.assert_allclose(run.u[:, 0], [follow(t, *y) for t, y in zip(TIMES, zip(q, v, strict=True), strict=True)])


def test_feedback_keeps_the_order():
    """Second order with stiff continuous feedback."""
    errors, sizes = [], (4e-3, 2e-3, 1e-3)
    follow = lambda t, q, v: 400.0 * (np.sin(2 * t) - q) - 10.0 * v  # noqa: E731
    exact, _, _ = turned(follow, [0.0, 0.5], sp.NDF(rtol=1e-11, atol=1e-12))
    for h in sizes:
        q, _, _ = turned(follow, [0.0, 0.5], sp.GeneralizedAlpha(dt=h))
        errors.append(abs(q[-1] - exact[-1]))
    assert slope(sizes, errors) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("name", FAMILIES)
def test_sampled_feedback_is_held(name):
    """A discrete PD loop of a double integrator: the exact recursion."""
    rate, gains, calls = 50.0, (20.0, 4.0), []

    def follow(t, q, v):
        calls.append(t)
        return gains[0] * (1.0 - q[0]) - gains[1] * v[0]

    q, v, run = turned(follow, TIMES, FAMILIES[name], control_rate=rate)
    x, y, h, states = 0.0, 0.0, 1 / rate, [(0.0, 0.0)]
    for _ in range(50):
        a = (gains[0] * (1.0 - x) - gains[1] * y) / INERTIA
        x, y = x + h * y + 0.5 * h * h * a, y + h * a
        states.append((x, y))
    np.testing.assert_allclose(np.column_stack([q, v]), np.array(states)[::5], atol=20 * ACCURACY[name])
    np.testing.assert_allclose(calls, np.arange(50) / rate, atol=1e-12)
    np.testing.assert_allclose(run.u[:-1, 0], [gains[0] * (1 - a) - gains[1] * b for a, b in states[:-1:5]], atol=0.05)


def test_a_controller_leaves_other_inputs_to_their_laws():
    """One joint follows a sampled controller, its neighbour a law; neither overwrites the other."""
    robot = sp.Robot("two wheels", gravity=(0, 0, 0))
    for name in ("left", "right"):
        robot.add_link(name, sp.Rigid(1.0, (0.3, 0.3, 0.5)), joint=sp.Revolute("z"))
        robot.add(sp.JointDrive(name, name))
    control = sp.Controller([], lambda t, q, v, z: [], lambda t, q, v, z: [0.25], inputs=["right"])
    robot.add(control)
    for options in ({}, {"control_rate": 20.0}):
        run = robot.compile().simulate(TIMES, u=[1.0, 7.0], method=sp.RK45(), **options)
        np.testing.assert_allclose(run.v, np.outer(TIMES, [2.0, 0.5]), atol=1e-9)
        np.testing.assert_allclose(run.u, np.tile([1.0, 0.25], (11, 1)))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_controller_with_state(name):
    """PI control of the rate of a wheel with friction, against SciPy: z is the integral of the error."""
    control = sp.Controller([0.2], lambda t, q, v, z: 1.0 - v, lambda t, q, v, z: 3.0 * (1.0 - v) + 10.0 * z)
    run = wheel(control, damping=0.4).simulate(TIMES, method=FAMILIES[name])

    def rates(t, y):
        return [y[1], (3.0 * (1 - y[1]) + 10.0 * y[2] - 0.4 * y[1]) / INERTIA, 1 - y[1]]

    exact = solve_ivp(rates, (0, 1), [0, 0, 0.2], t_eval=TIMES, rtol=1e-11, atol=1e-12).y
    assert np.abs(np.column_stack([run.q, run.v, run.z]) - exact.T).max() < ACCURACY[name]
    np.testing.assert_allclose(run.u[:, 0], 3.0 * (1 - run.v[:, 0]) + 10 * run.z[:, 0])


# ---------------------------------------------------------------------- prescribed joints


def arm_with_prescribed_elbow():
    """Shoulder with a motor, elbow prescribed, and a soft hand."""
    robot = sp.Robot("arm")
    link = sp.Rigid.cylinder(0.3, 0.02, density=800.0)
    material = sp.Material(young=1e6, poisson=0.4, density=1000.0, damping_time=0.02)
    robot.add_link("upper", link, joint=sp.Revolute("y"))
    robot.add_link("lower", link, joint=sp.Revolute("y"), parent="upper")
    robot.add_link("hand", sp.Rod(0.2, sp.Circle(0.01), material, sp.Legendre(bend_y=1), points=4), parent="lower")
    robot.add(sp.JointDrive("motor", "upper"))
    robot.add(sp.Prescribed("lower", sp.laws.Sine(0.5, 1.5)))
    return robot.compile()


@pytest.mark.parametrize("name", FAMILIES)
def test_efforts_of_prescribed_joints_are_those_of_inverse_dynamics(name):
    model = arm_with_prescribed_elbow()
    run = model.simulate(0.5, u=lambda t: [0.2 * np.sin(7 * t)], method=FAMILIES[name])
    w = 2 * np.pi * 1.5
    np.testing.assert_allclose(run.q[:, 1], 0.5 * np.sin(w * run.t), atol=1e-12)
    np.testing.assert_allclose(run.v[:, 1], 0.5 * w * np.cos(w * run.t), atol=1e-11)
    np.testing.assert_allclose(run.a[:, 1], -0.5 * w * w * np.sin(w * run.t), atol=1e-9)
    for k in range(0, len(run), 40):
        residual = model.residual(run.q[k], run.v[k], run.a[k], run.u[k])
        assert run.efforts[k, 0] == pytest.approx(residual[1], abs=1e-6)
        exact = model.forward_dynamics(run.q[k], run.v[k], run.u[k], t=run.t[k])
        assert run.efforts[k, 0] == pytest.approx(exact.efforts[0], abs=2e-4)


def test_everything_prescribed_is_still_a_motion():
    """No free coordinates: inverse dynamics along a law."""
    robot = sp.Robot("crane")
    robot.add_link("bar", sp.Rigid(2.0, (0.1, 0.1, 0.1), com=(0.5, 0, 0)), joint=sp.Revolute("y"))
    robot.add(sp.Prescribed("bar", sp.laws.Sine(0.4, 1.0)))
    model = robot.compile()
    for method in FAMILIES.values():
        run = model.simulate(TIMES, method=method)
        efforts = [model.inverse_dynamics(*state)[0] for state in zip(run.q, run.v, run.a, strict=True)]
        np.testing.assert_allclose(run.q[:, 0], 0.4 * np.sin(2 * np.pi * TIMES), atol=1e-3)
        np.testing.assert_allclose(run.efforts[-1, 0], efforts[-1], atol=1e-9)


def test_a_pendulum_without_inputs_knows_no_u():
    run = pendulum().simulate([0.0, 0.1])
    assert run.u.shape == (2, 0)
    assert run.efforts.shape == (2, 0)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals")
def test_what_a_signal_raises_ends_a_motion_that_asks_python():
    """It comes while compiled code runs, mostly, and is raised at the first instruction of Python."""

    def too_late(number, frame):
        raise KeyboardInterrupt("too late")

    chain, bar = sp.Robot("chain"), sp.Rigid.cylinder(0.1, 0.01, density=1000.0)
    for k in range(60):  # much to compute between two questions
        chain.add_link(f"{k}", bar, sp.Revolute("y", damping=0.1), parent=f"{k - 1}" if k else "world")
    chain.add(sp.JointDrive("motor", "0"))
    model, method = chain.compile(), sp.ImplicitEuler(dt=1e-3)
    model.simulate(0.01, u=lambda t: [0.0], method=method)
    before = signal.signal(signal.SIGALRM, too_late)
    try:
        for _ in range(5):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with pytest.raises(KeyboardInterrupt, match="too late"):
                model.simulate(20.0, u=lambda t: [0.0], method=method)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
