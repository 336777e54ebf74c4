"""Users' own laws with internal states: exact tangents, rates, names, what is refused."""

import pickle

import numba
import numpy as np
import pytest

import supple as sp
from helpers import (
    relative_error,
)
from supple.errors import ModelError, StateError
from supple.loads.user.laws import PairLaw, PointLaw
from user_laws import ALL, arm, check_tangents, joining, viscous

pytestmark = pytest.mark.filterwarnings("ignore:.*no tangent is given:supple.errors.ModelWarning")


@numba.njit
def remembering(t, g, eta, etadot, xi, z):
    """Nonlinear in everything, states included."""
    F = np.empty(6)
    for i in range(3):
        F[i] = np.sin(t + z[0] + g[i, 3]) * eta[3 + i] + 0.1 * xi[i] * z[1]
        F[3 + i] = -2.0 * z[1] * eta[3 + i] + g[2, i] * z[0] - 0.2 * etadot[i]
    return F


@numba.njit
def remembering_rate(t, g, eta, etadot, xi, z):
    return np.array([eta[0] - z[0] * g[0, 3] + xi[1], np.cos(z[1]) + etadot[3] + t])


def python_remembering(t, g, eta, etadot, xi, z):
    return remembering.py_func(t, g, eta, etadot, xi, z)


def python_remembering_rate(t, g, eta, etadot, xi, z):
    return remembering_rate.py_func(t, g, eta, etadot, xi, z)


def with_states(law=remembering, rate=remembering_rate, **options):
    given = {"s": (0.3, 0.7, 1.0), "uses": ALL, "state0": (0.4, -0.3), "rate": rate} | options
    robot = arm()
    robot.add(PointLaw("memory", "arm", law, **given))
    return robot.compile()


def test_laws_with_states_have_exact_tangents():
    model = with_states()
    assert model.state_names == tuple(f"memory[{i}].{k}" for i in range(3) for k in range(2))
    q, v, a = np.random.default_rng(3).standard_normal((3, model.n))
    check_tangents(model, q, v, a)
    assert model.check_derivatives(q, v, a, t=0.3).ok(1e-6)


def test_stations_have_states_of_their_own():
    """The residual at z is that of laws with z frozen into them; rates are those of the function."""
    model = with_states()
    rng = np.random.default_rng(4)
    q, v, a = rng.standard_normal((3, model.n))
    z = rng.standard_normal(6)
    robot = arm()
    seen = []
    for i, s in enumerate((0.3, 0.7, 1.0)):

        def frozen(t, g, eta, etadot, xi, own=z[2 * i : 2 * i + 2]):
            if np.array_equal(t, 0.2):
                seen.append(remembering_rate.py_func(t, g, eta, etadot, xi, own))
            return remembering.py_func(t, g, eta, etadot, xi, own)

        robot.add(PointLaw(f"frozen {i}", "arm", frozen, s=s, uses=ALL))
    direct = robot.compile()
    assert relative_error(model.residual(q, v, a, t=0.2, z=z), direct.residual(q, v, a, t=0.2)) < 1e-13
    np.testing.assert_allclose(model.state_rates(q, v, a, z, t=0.2), np.concatenate(seen), rtol=1e-13)
    residual, tangent = model.residual_tangent(q, v, a, t=0.2, cv=1.3, ca=0.4, z=z)
    assert relative_error(residual, direct.residual(q, v, a, t=0.2)) < 1e-12
    assert relative_error(tangent, direct.residual_tangent(q, v, a, t=0.2, cv=1.3, ca=0.4)[1]) < 1e-9
    # without z, states are where they begin
    begin = np.tile([0.4, -0.3], 3)
    assert np.array_equal(model.residual(q, v, a, t=0.2), model.residual(q, v, a, t=0.2, z=begin))
    with pytest.raises(sp.ShapeError, match=r"z has shape \(2,\)"):
        model.residual(q, v, a, z=[0.0, 1.0])


def test_python_laws_with_states_are_the_numba_laws():
    models = [with_states(), with_states(python_remembering, python_remembering_rate)]
    q, v, a = np.random.default_rng(5).standard_normal((3, models[0].n))
    z = np.arange(6.0)
    assert np.array_equal(*(model.residual(q, v, a, t=0.2, z=z) for model in models))
    assert np.array_equal(*(model.state_rates(q, v, a, z, t=0.2) for model in models))
    other = pickle.loads(pickle.dumps(models[1]))
    assert np.array_equal(other.residual(q, v, a, z=z), models[1].residual(q, v, a, z=z))


def test_laws_of_time_and_states_share_signals():
    """Signals of states lie between those of laws."""
    model = with_states()
    robot = arm()
    push = sp.laws.Sine(1.0, 3.0) * sp.laws.Constant(np.arange(6.0))
    robot.add(sp.PointWrench("arm", push, frame="local"))
    robot.add(
        PointLaw(
            "memory", "arm", remembering, (0.3, 0.7, 1.0), None, uses=ALL, state0=(0.4, -0.3), rate=remembering_rate
        )
    )
    robot.add(sp.PointWrench("arm", -1.0 * push, frame="local"))
    state = np.random.default_rng(6).standard_normal((3, model.n))
    np.testing.assert_allclose(robot.compile().residual(*state, t=0.2), model.residual(*state, t=0.2), atol=1e-12)


def joined(t, h, eta, z):
    return joining.py_func(t, h, eta) * z[0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"state0": (1.0,)}, ["'mine'", "no rate"]),
        ({"rate": remembering_rate}, ["'mine'", "no state0"]),
        ({"state0": np.zeros(9), "rate": remembering_rate}, ["'mine'", "8 states at most"]),
        ({"state0": (np.nan, 0.0), "rate": remembering_rate}, ["'mine'", "finite"]),
        ({"state0": 1.0, "rate": remembering_rate}, ["'mine'", "vector"]),
        ({"state0": np.zeros(3), "rate": remembering_rate}, ["'mine'", "rate", "(3,)"]),
        ({"state0": np.zeros(3), "rate": python_remembering_rate}, ["'mine'", "rate", "(3,)"]),
        ({"state0": np.zeros(2), "rate": lambda t, z: z}, ["'mine'", "rate", "(t, g, eta, etadot, xi, z)"]),
        ({"state0": np.zeros(2), "rate": 3.0}, ["'mine'", "rate is 3.0"]),
        ({"state0": np.zeros(2), "rate": remembering_rate, "law": viscous}, ["'mine'", "law", "etadot, xi, z)"]),
    ],
)
def test_bad_states_are_named(options, words):
    robot = arm()
    robot.add(PointLaw(**{"name": "mine", "link": "arm", "law": remembering, "uses": ALL} | options))
    with pytest.raises(ModelError) as caught:
        robot.compile()
    for word in words:
        assert word in str(caught.value)


def test_names_of_states_differ():
    robot = arm()
    states = {"state0": (1.0,), "rate": lambda t, h, eta, z: -z}
    robot.add(PairLaw("grip", ("world", 0.0), ("arm", 0.5), joined, **states))
    with pytest.raises(ModelError, match="PairLaw 'grip': there is a PairLaw 'grip' already"):
        robot.add(PairLaw("grip", ("world", 0.0), ("arm", 1.0), joined, **states))


@pytest.mark.parametrize("method", ["inverse_dynamics", "residual_tangent"])
def test_rates_that_fail_are_named(method):
    model = with_states(rate=numba.njit(lambda t, g, eta, etadot, xi, z: np.array([0.0, np.log(-abs(eta[1]))])))
    with pytest.raises(StateError, match=r"PointLaw 'memory': the rate returned values that are not finite"):
        getattr(model, method)(*np.ones((3, model.n)))
