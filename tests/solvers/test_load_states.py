"""Internal states of users' laws, integrated with the robot."""

import pickle

import numba
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import supple as sp

pytestmark = pytest.mark.filterwarnings("ignore:.*no tangent is given:supple.errors.ModelWarning")

MASS, STIFFNESS, VISCOSITY = 2.0, 50.0, 4.0
TIMES = np.linspace(0.0, 2.0, 11)
METHODS = {
    "NDF": sp.NDF(rtol=1e-7, atol=1e-9),
    "GeneralizedAlpha": sp.GeneralizedAlpha(dt=1e-3),
    "RK45": sp.RK45(rtol=1e-7, atol=1e-9),
}


def maxwell(t, g, eta, etadot, xi, z):
    """A spring between the point and z, which a damper holds to the world."""
    return np.array([0.0, 0.0, 0.0, 0.0, 0.0, -50.0 * (g[2, 3] - z[0])])


def maxwell_rate(t, g, eta, etadot, xi, z):
    return np.array([50.0 * (g[2, 3] - z[0]) / 4.0])


def maxwell_pair(t, h, eta, z):
    """The same on the world, seen from there."""
    return np.array([0.0, 0.0, 0.0, 0.0, 0.0, 50.0 * (h[2, 3] - z[0])])


def maxwell_pair_rate(t, h, eta, z):
    return np.array([50.0 * (h[2, 3] - z[0]) / 4.0])


def slider(*items, gravity=0.0, **joint):
    robot = sp.Robot("slider", gravity=(0, 0, gravity))
    robot.add_link("mass", sp.Rigid(MASS, (1.0, 1.0, 1.0)), joint=sp.Prismatic("z", **joint))
    for item in items:
        robot.add(item)
    return robot.compile()


def maxwell_point_law(made, **options):
    return sp.PointLaw(
        "maxwell", "mass", made(maxwell), s=0.0, uses=("pose",), state0=(0.1,), rate=made(maxwell_rate), **options
    )


def maxwell_pair_law(made):
    rate = made(maxwell_pair_rate)
    return sp.PairLaw("maxwell", ("world", 0.0), ("mass", 0.0), made(maxwell_pair), state0=(0.1,), rate=rate)


def plain(function):
    return function


def exact(rates, start, times=TIMES):
    return solve_ivp(rates, (times[0], times[-1]), start, t_eval=times, rtol=1e-11, atol=1e-12).y.T


def states(run):
    return np.column_stack([run.q, run.v, run.z])


@pytest.mark.parametrize("made", [plain, numba.njit], ids=["python", "numba"])
@pytest.mark.parametrize("law", [maxwell_point_law, maxwell_pair_law])
@pytest.mark.parametrize("name", METHODS)
def test_a_maxwell_element_relaxes(name, law, made):
    def rates(t, y):
        force = STIFFNESS * (y[0] - y[2])
        return [y[1], -force / MASS, force / VISCOSITY]

    run = slider(law(made)).simulate(TIMES, [0.3], [0.2], method=METHODS[name])
    assert np.abs(states(run) - exact(rates, [0.3, 0.2, 0.1])).max() < 5e-6


@pytest.mark.parametrize("law", [maxwell_point_law, maxwell_pair_law])
def test_python_and_numba_give_the_same_motion(law):
    runs = [slider(law(made)).simulate(TIMES, [0.3], method=METHODS["NDF"]) for made in (plain, numba.njit)]
    np.testing.assert_array_equal(states(runs[0]), states(runs[1]))


@numba.njit
def lagging(t, g, eta, etadot, xi, z):
    """A drag that follows the speed with a lag, and a pressure that follows the time with another."""
    return (0.0, 0.0, 0.0, 0.0, 0.0, -3.0 * z[0] + z[1])


@numba.njit
def lag(t, g, eta, etadot, xi, z):
    return ((eta[5] - z[0]) / 1e-3, (np.sin(t) - z[1]) / 0.2)


@pytest.mark.parametrize("name", METHODS)
def test_first_order_lags(name):
    """Stiff: one of the lags is 1 ms."""
    law = sp.PointLaw("lag", "mass", lagging, s=0.0, uses=("twist",), state0=(0.0, 0.5), rate=lag)
    model = slider(law)
    assert model.state_names == ("lag[0].0", "lag[0].1")

    def rates(t, y):
        return [y[1], (y[3] - 3.0 * y[2]) / MASS, (y[1] - y[2]) / 1e-3, (np.sin(t) - y[3]) / 0.2]

    run = model.simulate(TIMES, [0.0], [1.0], method=METHODS[name])
    assert np.abs(states(run) - exact(rates, [0.0, 1.0, 0.0, 0.5])).max() < 1e-5


def test_newton_has_the_derivatives_of_states():
    """A linear robot with stiff states: one tangent serves all steps."""
    law = sp.PointLaw("lag", "mass", lagging, s=0.0, uses=("twist",), state0=(0.0, 0.5), rate=lag)
    run = slider(law).simulate(1.0, [0.0], [1.0], method=sp.ImplicitEuler(dt=0.01))
    assert run.stats["tangents"] == 1
    assert run.stats["residuals"] < 3.5 * run.stats["steps"]


def accelerated(t, g, eta, etadot, xi, z):
    return np.array([0.0, 0.0, 0.0, 0.0, 0.0, -2.0 * z[0]])


def accelerated_rate(t, g, eta, etadot, xi, z):
    return etadot[5:] - z


@pytest.mark.parametrize("name", METHODS)
def test_a_rate_of_acceleration(name):
    law = sp.PointLaw("felt", "mass", accelerated, s=0.0, uses=("acceleration",), state0=(0.3,), rate=accelerated_rate)

    def rates(t, y):
        a = (-20.0 * y[0] - 2.0 * y[2]) / MASS
        return [y[1], a, a - y[2]]

    run = slider(law, stiffness=20.0).simulate(TIMES, [0.1], method=METHODS[name])
    assert np.abs(states(run) - exact(rates, [0.1, 0.0, 0.3])).max() < 1e-5


@pytest.mark.parametrize("name", METHODS)
def test_states_of_controllers_come_first(name):
    """A motor that integrates the error of the position, and a Maxwell element."""
    control = sp.Controller([0.2], lambda t, q, v, z: 0.1 - q, lambda t, q, v, z: 8.0 * z - 5.0 * v)
    model = slider(maxwell_point_law(numba.njit), sp.JointDrive("motor", "mass"), control)

    def rates(t, y):
        force = STIFFNESS * (y[0] - y[3])
        return [y[1], (8.0 * y[2] - 5.0 * y[1] - force) / MASS, 0.1 - y[0], force / VISCOSITY]

    run = model.simulate(TIMES, [0.3], method=METHODS[name])
    assert np.abs(states(run) - exact(rates, [0.3, 0.0, 0.2, 0.1])).max() < 1e-5
    np.testing.assert_allclose(run.u[:, 0], 8.0 * run.z[:, 0] - 5.0 * run.v[:, 0])


def test_sampled_feedback_leaves_states_of_loads_alone():
    model = slider(maxwell_point_law(numba.njit), sp.JointDrive("motor", "mass"))
    held = model.simulate(TIMES, [0.3], u=lambda t, q, v: np.zeros(1), control_rate=10.0, method=sp.RK45(rtol=1e-8))
    free = model.simulate(TIMES, [0.3], method=sp.RK45(rtol=1e-8))
    np.testing.assert_allclose(states(held), states(free), atol=1e-5)


def test_a_checkpoint_holds_states(tmp_path, monkeypatch):
    from supple.solvers.motion import checkpoint

    monkeypatch.setattr("supple.solvers.motion.simulation.BUDGET", 7)
    model, file = slider(maxwell_point_law(numba.njit)), tmp_path / "run.npz"
    unbroken = model.simulate(TIMES, [0.3])
    write, count = checkpoint.save, [0]

    def deadly(*arguments):
        write(*arguments)
        count[0] += 1
        if count[0] == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint, "save", deadly)
    with pytest.raises(KeyboardInterrupt):
        model.simulate(TIMES, [0.3], checkpoint=file, checkpoint_every=0.0)
    monkeypatch.setattr(checkpoint, "save", write)
    resumed = model.simulate(TIMES, [0.3], checkpoint=file, resume=True)
    np.testing.assert_array_equal(states(unbroken), states(resumed))


def test_a_pickled_model_moves_the_same():
    model = slider(maxwell_point_law(plain))
    other = pickle.loads(pickle.dumps(model))
    assert other.state_names == model.state_names
    runs = [m.simulate(TIMES, [0.3]) for m in (model, other)]
    np.testing.assert_array_equal(states(runs[0]), states(runs[1]))


def failing(t, g, eta, etadot, xi, z):
    return np.array([np.nan]) if t > 0.5 else np.zeros(1)


@numba.njit
def failing_compiled(t, g, eta, etadot, xi, z):
    return np.array([np.sqrt(0.5 - t)])


def raising(t, g, eta, etadot, xi, z):
    if t > 0.5:
        raise ZeroDivisionError("empty")
    return np.zeros(1)


@pytest.mark.parametrize(("rate", "word"), [(failing, "finite"), (failing_compiled, "finite"), (raising, "empty")])
@pytest.mark.parametrize("name", METHODS)
def test_a_failing_rate_is_named(name, rate, word):
    model = slider(sp.PointLaw("leak", "mass", maxwell, s=0.0, uses=("pose",), state0=(0.1,), rate=rate))
    with pytest.raises(sp.SimulationError, match=f"PointLaw 'leak': the rate.*{word}") as caught:
        model.simulate(1.0, [0.1], method=METHODS[name])
    assert 0.4 < caught.value.t <= 0.51


def test_statics_holds_states_where_they_begin():
    """The spring carries the weight, from z = 0.1."""
    model = slider(maxwell_point_law(plain), gravity=-10.0)
    np.testing.assert_allclose(model.statics().q, 0.1 - 10.0 * MASS / STIFFNESS)
