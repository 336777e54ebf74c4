"""The hybrid arm reaches, swings and grasps."""

import numpy as np
import pytest

from supple.systems import hybrid_arm
from supple.systems.hybrid_arm import REACHED, REACHING, SWUNG, reaching


def test_the_reference_is_a_cubic_from_rest_to_rest():
    h = 1e-5
    for t in (0.0, 0.4, 1.7, 2.9):
        _, v, a = reaching(t)
        if t > 0.0:
            np.testing.assert_allclose(v, (reaching(t + h)[0] - reaching(t - h)[0]) / (2.0 * h), atol=1e-8)
            np.testing.assert_allclose(a, (reaching(t + h)[1] - reaching(t - h)[1]) / (2.0 * h), atol=1e-8)
    np.testing.assert_array_equal(reaching(0.0)[0], 0.0)
    np.testing.assert_array_equal(reaching(0.0)[1], 0.0)
    for part, expected in zip(reaching(REACHING + 1.0), (REACHED, 0.0 * REACHED, 0.0 * REACHED), strict=True):
        np.testing.assert_array_equal(part, expected)


def test_pressure_opens_the_bore():
    """dV/dq of the hole closed by caps: V = pi r^2 L + pi r^2 q2 Z^3 / (3 L^2), Z = L (1 + q1 / 3)."""
    model, L, inner = hybrid_arm().compile(), 0.08, 0.02
    q = np.zeros(model.n)
    q[-2:] = 0.05, 0.25
    Z = L * (1.0 + q[-2] / 3.0)
    found = model.line_lengths(q)["pressure"]
    assert found == pytest.approx(np.pi * inner**2 * (L + q[-1] * Z**3 / (3.0 * L**2)), rel=2e-3)
    column = model.actuation(q)[:, model.input_names.index("pressure")]
    assert (column[:-2] == 0.0).all()
    assert column[-1] == pytest.approx(np.pi * inner**2 * Z**3 / (3.0 * L**2), rel=2e-3)


@pytest.mark.slow
def test_the_task_is_done():
    system = hybrid_arm()
    motion = system.simulate(t=np.linspace(0.0, 6.0, 25), progress=False)
    for t, q in zip(motion.t, motion.q, strict=True):
        np.testing.assert_allclose(q[:6], reaching(t)[0], atol=2e-3)
    at = np.abs(motion.t - 5.0).argmin()
    np.testing.assert_allclose(motion.q[at, 6:9] * (1.0, 1.0, 0.3), SWUNG, atol=2e-2)
    assert motion.u[:, :].min() < 0.0  # motors push and pull
    assert motion.u[:, 6:9].min() >= 0.0  # tendons pull
    assert np.abs(motion.q[at, 9:]).max() < 0.3 * np.abs(motion.q[-1, 9:]).max()  # the gripper moves last
