"""Controllers and states of loads that follow parameters: differences of what they do, where the state stands still."""

import warnings

import numpy as np
import pytest

import supple as sp
from gradients.parameter_cases import arm, controlled, remembering
from supple.errors import DesignError, ModelWarning
from supple.gradients.feedback_slopes import StageState
from supple.solvers.inputs import Excitation

rng = np.random.default_rng(3)


def made(build, **values):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        design = sp.Design(build, **values)
        return design, design.model()


def state(model, nz):
    q, v, a = 0.1 * rng.normal(size=(3, model.n))
    return StageState(0.3, q, v, a, np.array([2.0, 0.1]), 0.2 * rng.normal(size=nz), np.zeros(model.nc))


def test_controllers():
    _, model = made(controlled, gain=0.5, leak=0.3, first=(0.2, -0.1), young=3e5)
    slopes, at = model.design.feedback, state(model, 2)
    excitation = Excitation(model, None)
    outputs = slopes.outputs(excitation, at.t, at.q, at.v, at.z)
    assert np.allclose(outputs[:, 0], [np.sin(at.z[0]), 0.0], rtol=1e-9, atol=1e-12)
    assert not outputs[:, 1:].any()
    rates = slopes.rates(at)
    assert np.allclose(rates[:, :2], [[0.0, -(at.z[0] ** 2)], [1.0, 0.0]], rtol=1e-8, atol=1e-11)
    assert not rates[:, 2:].any()
    expected = np.zeros((2, 5))
    expected[0, 2] = expected[1, 3] = 1.0
    assert np.allclose(slopes.first_states, expected, rtol=1e-9)
    assert slopes.parameters == {0, 1, 2, 3}


def test_rates_of_loads_follow_all_that_moves_them():
    """Its own numbers, and the length that moves the point it is asked at."""
    design, model = made(remembering, leak=0.5, length=0.4, push=0.3)
    at = state(model, 2)
    found = model.design.feedback.rates(at)
    assert np.allclose(found[:, 0], [0.0, -at.z[1]], rtol=1e-7, atol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ends = [design.model(length=0.4 + x).state_rates(at.q, at.v, at.a, at.z, at.t) for x in (1e-5, -1e-5)]
    assert np.allclose(found[:, 1], (ends[0] - ends[1]) / 2e-5, rtol=1e-6)
    assert np.abs(found[:, 1]).max() > 1e-3
    assert np.abs(found[:, 2]).max() < 1e-9  # the law, not its rate


def test_a_notice_is_given():
    _, model = made(remembering, leak=0.5, length=0.4)
    with pytest.warns(ModelWarning, match="rates of the states of PointLaw 'memory'.*is differenced"):
        _ = model.design.slopes


def with_states(count):
    zero = np.zeros(int(count))
    return arm([sp.Controller(zero, lambda t, q, v, z: zero, lambda t, q, v, z: np.array([1.0, 0.1]))])


def test_the_number_of_states_is_structure():
    design = sp.Design(with_states, count=1.0)
    design.model()
    with pytest.raises(DesignError, match="changes the controllers, their inputs or the number of their states"):
        design.model(count=2.0)


def test_robots_without_followers_are_not_asked():
    _, model = made(arm, young=3e5)
    assert not model.design.feedback.any
    assert model.design.feedback.first_states.shape == (0, 1)
