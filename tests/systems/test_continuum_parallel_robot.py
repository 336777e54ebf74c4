"""The continuum parallel robot: its torques, and what the paper tells of its motion."""

import numpy as np
import pytest

import supple as sp
from supple.systems import continuum_parallel_robot


def test_torques():
    first, second = continuum_parallel_robot().u
    times = [0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 4.5, 5.0, 6.5, 7.0, 9.0]
    ramp = [0.0, 0.0, 0.25, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    shake = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.14, 0.0, 0.14, 0.0, 0.0]
    np.testing.assert_allclose([first(t) for t in times], np.add(ramp, shake), atol=1e-12)
    np.testing.assert_allclose([second(t) for t in times], np.negative(ramp), atol=1e-12)


def test_starts_free_of_stress():
    model = continuum_parallel_robot().compile()
    zero = np.zeros(model.n)
    assert np.abs(model.loop_error(zero)).max() < 1e-15
    assert np.abs(model.residual(zero, zero, zero)).max() == 0.0


@pytest.mark.parametrize("method", [sp.Newmark(dt=1e-3), sp.GeneralizedAlpha(dt=1e-4), sp.BDF2(dt=1e-3)], ids=repr)
def test_fixed_steps_leave_it_at_rest(method):
    """Where q is zero but for rounding, Newton steps of the size of rounding are steps enough."""
    run = continuum_parallel_robot().simulate(t=[0.0, 0.05], method=method)
    assert np.abs(run.q).max() < 1e-12


def test_bends_symmetrically_and_then_tilts_upwards():
    system = continuum_parallel_robot()
    run = system.simulate(t=np.linspace(0.0, 5.0, 101))
    tip = run.tip("leg1")
    held = (run.t > 2.0) & (run.t < 4.0)
    assert np.abs(tip[run.t <= 4.0, 1]).max() < 1e-9
    assert tip[held, 0].max() < tip[0, 0] - 0.05  # closer to the base
    assert tip[:, 1].max() > 0.1
    assert run.stats["position_error"] < 1e-10
