"""References, gains, names and limits that all feedback laws share."""

import pickle

import numpy as np
import pytest

import supple as sp
from control_cases import driven, soft_arm, trunk
from supple.control.feedback import Reference, gain, input_response, solve_definite
from supple.errors import ModelError, SimulationError, SingularError, StateError

Z3 = np.zeros(3)


def test_references_in_all_forms():
    for given, size in (([1.0, 2.0], 2), (np.ones((2, 3)), 6)):
        y, rate, acceleration = Reference(given, size, "r")(0.3)
        np.testing.assert_array_equal(y, np.ravel(given))
        assert not rate.any()
        assert not acceleration.any()
    law = sp.laws.Sine(np.array([1.0, 2.0]), 0.5)
    for given in (law, lambda t: (law(t), law.rate(t), law.acceleration(t))):
        y, rate, acceleration = Reference(given, 2, "r")(0.3)
        np.testing.assert_allclose(y, [np.sin(0.3 * np.pi), 2.0 * np.sin(0.3 * np.pi)])
        np.testing.assert_allclose(rate, np.pi * np.cos(0.3 * np.pi) * np.array([1.0, 2.0]))
        np.testing.assert_allclose(acceleration, -(np.pi**2) * y)
    np.testing.assert_array_equal(Reference(sp.laws.Constant(2.0), 3, "r")(0.0).value, [2.0, 2.0, 2.0])


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([1.0], ModelError, "r is .* must be 3 finite numbers"),
        ([1.0, np.nan, 0.0], ModelError, "must be 3 finite numbers"),
        (lambda t: Z3, StateError, "not \\(y, y', y''\\)"),
        (lambda t: (Z3, Z3, np.zeros(2)), StateError, "r"),
        (lambda t: 1 / 0, StateError, "ZeroDivisionError"),
    ],
)
def test_bad_references_are_named(given, error, message):
    with pytest.raises(error, match=message):
        Reference(given, 3, "r")


def test_gains():
    np.testing.assert_array_equal(gain(2.0, 2, "k"), 2.0 * np.eye(2))
    np.testing.assert_array_equal(gain([1.0, 2.0], 2, "k"), np.diag([1.0, 2.0]))
    np.testing.assert_array_equal(gain([[1.0, 2.0], [3.0, 4.0]], 2, "k"), [[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(ModelError, match="k"):
        gain([1.0, 2.0, 3.0], 2, "k")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inputs": ["knee"]}, "there is no input 'knee'; inputs are: shoulder, elbow"),
        ({"inputs": "elbow"}, "must be a list of names"),
        ({"inputs": ["elbow", "elbow"]}, "must be different"),
        ({"inputs": ["elbow"], "limits": 3.0}, "limits is 3.0, must be"),
        ({"inputs": ["elbow"], "limits": (1.0, 0.0)}, "must be \\(lower, upper\\)"),
        ({"inputs": ["elbow"], "kp": np.ones(4)}, "kp"),
    ],
)
def test_bad_options_are_named(options, message):
    given = {"reference": [0.0], "kp": 1.0, "kd": 1.0} | options
    with pytest.raises(ModelError, match=message):
        sp.control.partial_feedback_linearization(soft_arm().compile(), **given)


def test_robots_without_inputs_and_inputs_that_are_not_linear_are_refused():
    robot = sp.Robot("bar")
    robot.add_link("bar", sp.Rigid.box((0.1, 0.1, 0.1), density=1.0), sp.Revolute("y"))
    with pytest.raises(ModelError, match="has no inputs"):
        sp.control.pd_plus(robot.compile(), [0.0], 1.0, 1.0)
    tendon = sp.ElasticTendon("pull", {"rod": (0.01, 0.0)}, stiffness=100.0)
    with pytest.raises(ModelError, match="'pull' is not linear"):
        sp.control.actuation_coordinates(soft_arm(tendon).compile())


def test_limits_cut_off_and_other_inputs_are_kept():
    model = trunk(1).compile()
    free = sp.control.pd_plus(model, Z3, 1.0, 1.0)
    cut = sp.control.pd_plus(model, Z3, 1.0, 1.0, limits=(-10.0, [20.0, 30.0, 40.0]))
    q = np.array([0.5, -0.3, 0.1])
    np.testing.assert_allclose(cut(0.0, q, Z3), np.clip(free(0.0, q, Z3), -10.0, [20.0, 30.0, 40.0]))
    model = soft_arm().compile()
    law = sp.control.partial_feedback_linearization(model, [0.0], 1.0, 1.0, inputs=["elbow"])
    alone, beside = (law(0.0, np.full(model.n, 0.1), np.zeros(model.n), u) for u in (None, [0.3, 9.0]))
    assert beside[0] == 0.3
    assert alone[0] == 0.0
    assert abs(beside[1] - alone[1]) > 1e-6  # it knows what the other does


@pytest.mark.parametrize("seed", range(8))
def test_response_is_that_of_forward_dynamics(seed):
    model, inputs, q, v = driven(seed)
    columns = np.array([model.input_names.index(name) for name in inputs])
    u = np.random.default_rng(seed).standard_normal(model.nu)
    a, A = input_response(model, q, v, 0.0 * u, 0.2, columns)
    only = np.zeros(model.nu)
    only[columns] = u[columns]
    found = model.forward_dynamics(q, v, only, 0.2).a
    np.testing.assert_allclose(a + A @ u[columns], found, atol=1e-8 * max(1.0, np.abs(found).max()))


def test_singular_matrices_are_told():
    np.testing.assert_allclose(solve_definite(np.diag([1e-8, 4.0]), np.array([1e-8, 8.0]), str), [1.0, 2.0])
    with pytest.raises(SingularError, match="no way"):
        solve_definite(np.ones((2, 2)), np.ones(2), lambda: "no way")


def test_laws_pickle():
    model = trunk(1).compile()
    law = sp.control.pd_plus(model, Z3, 1.0, 1.0)
    again = pickle.loads(pickle.dumps(law))
    q = np.array([0.5, -0.3, 0.1])
    np.testing.assert_array_equal(again(0.0, q, Z3), law(0.0, q, Z3))


def differenced(law, t, q, v, **given):
    """Derivatives (nu, 2 n) of a law by q and v."""
    n, h, found = len(q), 1e-6, []
    for x in np.vstack([np.eye(2 * n)]):
        ends = [law(t, q + s * h * x[:n], v + s * h * x[n:], **given) for s in (1.0, -1.0)]
        found.append((ends[0] - ends[1]) / (2.0 * h))
    return np.array(found).T


@pytest.mark.parametrize("compensation", ["target", "state", "none"])
def test_slopes_of_springs_and_dampers(compensation):
    model = trunk().compile()
    q, v = 0.3 * np.random.default_rng(1).standard_normal((2, model.n))
    rows = [0, 1, 2]
    law = sp.control.pd_plus(model, [0.2, -0.1, 0.05], 2.0, 0.3, compensation, rows, model.input_names[:3])
    u = np.array([0.0, 0.0, 0.0, 3.0, 1.0, 2.0])
    found, expected = law.slopes(0.1, q, v, u), differenced(law, 0.1, q, v, u=u)
    np.testing.assert_allclose(found, expected, atol=1e-6 * np.abs(expected).max())
    gains = np.zeros((6, 2 * model.n))
    gains[3:] = np.random.default_rng(2).standard_normal((3, 2 * model.n))
    state, h = np.concatenate([q, v]), 1e-6

    def following(x):  # others' inputs that follow the state
        return law(0.1, x[: model.n], x[model.n :], u + gains @ (x - state))

    expected = np.array([(following(state + h * e) - following(state - h * e)) / (2.0 * h) for e in np.eye(len(state))])
    found = law.slopes(0.1, q, v, u, gains)
    np.testing.assert_allclose(found, expected.T, atol=1e-6 * np.abs(expected).max())
    assert sp.control.pd_plus(model, [0.2], 2.0, 0.3, compensation, [0]).slopes(0.1, q, v) is None  # more than it needs


@pytest.mark.parametrize("seed", [1, 2, 3, 5, 6, 7])
def test_slopes_of_the_partial_linearisation(seed):
    """Of robots whose loops are closed: elsewhere derivatives of accelerations mean nothing."""
    model, inputs, q, v = driven(seed)
    m = len(inputs)
    law = sp.control.partial_feedback_linearization(model, np.linspace(0.1, 0.2, m), 4.0, 1.5, inputs)
    try:
        expected = differenced(law, 0.2, q, v)
    except SingularError:
        assert model.constrained
        return
    found = law.slopes(0.2, q, v)
    np.testing.assert_allclose(found, expected, atol=2e-5 * np.abs(expected).max())


def test_inputs_that_are_cut_off_have_no_slopes():
    model = soft_arm(sp.Tendon("t", {"rod": lambda X: (0.01, 0.01)})).compile()
    q, v = 0.2 * np.random.default_rng(2).standard_normal((2, model.n))
    free = sp.control.partial_feedback_linearization(model, [0.1, 0.2, 0.0], 9.0, 3.0)
    u = free(0.0, q, v)
    low, high = np.where(u > 0.0, -np.inf, u + 1.0), np.where(u > 0.0, 0.5 * u, np.inf)
    law = sp.control.partial_feedback_linearization(model, [0.1, 0.2, 0.0], 9.0, 3.0, limits=(low, high))
    assert not law.slopes(0.0, q, v).any()
    assert np.abs(free.slopes(0.0, q, v)).min(axis=1).max() > 0.0


def test_simulations_ask_laws_for_their_slopes():
    model = soft_arm().compile()
    law = sp.control.partial_feedback_linearization(model, sp.laws.Sine(0.5, 0.5), 25.0, 10.0)
    asked = []

    class Counting:
        def __call__(self, t, q, v):
            asked.append("value")
            return law(t, q, v)

        def slopes(self, t, q, v):
            asked.append("slopes")
            return law.slopes(t, q, v)

    times, method = np.linspace(0.0, 0.3, 4), sp.NDF(rtol=1e-7, atol=1e-9)
    told, differenced = model.simulate(times, u=Counting(), method=method), None
    values = asked.count("value")
    assert asked.count("slopes") > 0
    asked.clear()
    differenced = model.simulate(times, u=lambda t, q, v: Counting()(t, q, v), method=method)
    assert "slopes" not in asked
    assert values < 0.6 * len(asked)  # less than half until NDF came to need fewer tangents
    np.testing.assert_allclose(told.q, differenced.q, atol=1e-6)


@pytest.mark.parametrize("slopes", [np.zeros((2, 3)), [["a"]]])
def test_slopes_of_a_wrong_shape_are_named(slopes):
    model = soft_arm().compile()

    class Wrong:
        def __call__(self, t, q, v):
            return np.zeros(2)

        def slopes(self, t, q, v):
            return slopes

    with pytest.raises(SimulationError, match="u: slopes at t"):
        model.simulate(0.01, u=Wrong(), method=sp.NDF())
