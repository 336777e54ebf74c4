"""The papers' measures of how far two results are apart."""

from dataclasses import replace

import numpy as np
import pytest

from supple.bench.mismatch import (
    forward_differences,
    matrix_mismatch,
    relative,
    residual_mismatch,
    state_mismatch,
)
from supple.systems import SYSTEMS


@pytest.fixture(scope="module")
def arm():
    system = SYSTEMS["cable-manipulator"]()
    model = system.compile()
    return model, system.simulate(model, np.linspace(0.0, 0.5, 4))


def test_state_mismatch_is_relative_to_the_mean(arm):
    _, motion = arm
    other = replace(motion, q=1.1 * motion.q, v=1.1 * motion.v)
    gaps = state_mismatch(motion, other)
    assert gaps[0] == 0.0  # at rest there is nothing to compare with
    np.testing.assert_allclose(gaps[1:], 0.1 / 1.05)


def test_relative_is_zero_where_both_are():
    np.testing.assert_array_equal(relative(np.array([0.0, 1.0]), np.array([0.0, 4.0])), [0.0, 0.25])


def test_matrices():
    assert matrix_mismatch(np.eye(2), np.eye(2)) == 0.0
    assert matrix_mismatch(np.eye(2), 3.0 * np.eye(2)) == pytest.approx(1.0)


def test_forward_differences_come_near_the_derivatives(arm):
    model, motion = arm
    state = motion.q[-1], motion.v[-1], motion.u[-1], float(motion.t[-1])
    exact, rough = model.forward_dynamics_derivatives(*state), forward_differences(model, *state)
    assert 1e-10 < matrix_mismatch(exact.dq, rough.dq) < 1e-4  # as rough as the paper's
    assert matrix_mismatch(exact.dv, rough.dv) < 1e-5


def test_differences_leave_prescribed_joints_alone():
    system = SYSTEMS["serial-arm"]()
    model = system.compile()
    slopes = forward_differences(model, np.full(model.n, 0.1), np.full(model.n, 0.1), np.zeros(0), 1.0)
    assert not slopes.dq[:, :7].any()
    assert slopes.dq[7:, 7:].any()


def test_residual_mismatch_sees_a_wrong_slope(arm, monkeypatch):
    model, motion = arm
    assert residual_mismatch(model, motion, 2) < 1e-8
    right = model.residual_derivatives
    monkeypatch.setattr(
        type(model), "residual_derivatives", lambda self, *args: (lambda s: s._replace(dv=1.01 * s.dv))(right(*args))
    )
    assert residual_mismatch(model, motion, 2) == pytest.approx(0.01, rel=0.02)
