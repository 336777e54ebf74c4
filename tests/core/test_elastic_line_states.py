"""Lengths, rates and tensions of cables, with their gradients."""

import numpy as np
import pytest

import supple as sp
from helpers import central_difference, relative_error
from kernel_entry import handles_of
from line_robots import branched_robot, random_motion
from supple.core.elastic_line_states import line_states


@pytest.fixture(scope="module")
def model():
    first = sp.Cable("first", [("b", 0.6), ("body", 1.0), ("d", 0.0)], stiffness=200.0, rest_length=0.05, damping=5.0)
    second = sp.Cable("second", [("a", 0.2), ("b", 1.0)], stiffness=80.0, rest_length=0.02, damping=0.0)
    return branched_robot(first, second)


def test_states_of_lines(model):
    q, v, _ = random_motion(model, 0)

    def states(x, y):
        found, gradients = np.full((2, 3), np.nan), np.full((2, model.n), np.nan)
        line_states(*handles_of(model), x, y, np.zeros(model.n), found, gradients)
        return found, gradients

    (lengths, rates, tensions), gradients = states(q, v)[0].T, states(q, v)[1]
    assert relative_error(rates, gradients @ v) < 1e-12
    assert relative_error(rates, central_difference(lambda t: states(q + t * v, v)[0][:, 0])) < 1e-9
    expected = np.array([200.0, 80.0]) * (lengths - [0.05, 0.02]) + np.array([5.0, 0.0]) * rates
    assert relative_error(tensions, np.maximum(expected, 0.0)) < 1e-12
    assert (tensions > 0.0).any()
