"""First steps: from the scales of a motion, not from rounding."""

import numpy as np
import pytest

import supple as sp
from supple.systems import SYSTEMS

#: Tolerances (rtol, atol) beside which the arm's first speed, -6e-17 instead of 0, is not nothing.
TIGHT = [(1e-9, 1e-12), (1e-9, 1e-13), (1e-6, 1e-13), (1e-12, 1e-14), (1e-13, 1e-15)]


@pytest.fixture(scope="module")
def arm():
    system = SYSTEMS["serial-arm"]()
    model = system.compile()
    assert 0.0 < abs(model.prescribed[0].motion(0.0)[1][0]) < 1e-16
    return system, model, system.simulate(model, 0.01, sp.NDF(rtol=1e-11, atol=1e-13, first_step=1e-9))


@pytest.mark.parametrize(("rtol", "atol"), TIGHT)
@pytest.mark.parametrize("method", [sp.NDF, sp.DOP853], ids=lambda method: method.__name__)
def test_tight_tolerances_can_begin(arm, method, rtol, atol):
    """Prescribed joints that begin at rest."""
    system, model, reference = arm
    motion = system.simulate(model, 0.01, method(rtol=rtol, atol=atol))
    assert motion.t[1] > 1e-14
    scale = np.abs(reference.q[-1]).max()
    assert np.abs(motion.q[-1] - reference.q[-1]).max() < 1e-4 * scale


def test_adaptive_steps_of_second_order_can_begin(arm):
    system, model, reference = arm
    motion = system.simulate(model, 0.01, sp.GeneralizedAlpha(rtol=1e-6, atol=1e-12))
    assert np.abs(motion.q[-1] - reference.q[-1]).max() < 1e-3 * np.abs(reference.q[-1]).max()
