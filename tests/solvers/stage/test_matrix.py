"""The matrix of a Newton step: with differences in the place of tangents, motions are the same."""

import numpy as np
import pytest

import supple as sp
from motion_cases import tendon_arm, with_memory
from motions import four_bar, soft_arm, wheel

FINE = {"rtol": 1e-5, "atol": 1e-7}


def cases():
    linkage, q0 = four_bar()
    controller = sp.Controller([0.2], lambda t, q, v, z: [q[0] - z[0]], lambda t, q, v, z: [5 * (1 - z[0]) - 2 * v[0]])
    return {
        "rod": (soft_arm(0.01), [0.5, 0.2, -0.1]),
        "loop": (linkage, q0),
        "states": (wheel(controller), [0.1]),
    }


@pytest.mark.parametrize("name", ["rod", "loop", "states"])
def test_tangents_and_differences_give_one_motion(name):
    model, q0 = cases()[name]
    runs = [
        model.simulate([0.0, 0.1, 0.2], q0, method=sp.NDF(jacobian=jacobian, **FINE), progress=False)
        for jacobian in ("analytical", "differences")
    ]
    assert runs[0].q == pytest.approx(runs[1].q, abs=1e-3)
    assert runs[1].stats["residuals"] > runs[0].stats["residuals"]


@pytest.mark.parametrize(
    ("make", "method"),
    [
        (with_memory, sp.GeneralizedAlpha(dt=1e-13)),
        (with_memory, sp.NDF(first_step=1e-13, max_step=1e-13)),
        (tendon_arm, sp.NDF(first_step=1e-13, max_step=1e-13, jacobian="differences")),
    ],
)
def test_steps_in_which_differences_of_coordinates_are_lost(make, method):
    """What v moves by in a difference is then c_v > 1e13 times what q does, less than its last digit."""
    model = make()
    q0, v0 = np.full(model.n, 0.3), np.full(model.n, 0.5)
    run = model.simulate(1e-12, q0, v0, np.ones(model.nu), method)
    assert run.q[-1] == pytest.approx(q0 + 1e-12 * v0, abs=1e-15)
    assert run.stats["newton_failures"] == 0


@pytest.mark.parametrize("name", ["rod", "loop", "states"])
def test_newton_converges_fast_with_the_analytical_matrix(name):
    """Half a dozen residuals per step are enough where the matrix is right."""
    model, q0 = cases()[name]
    stats = model.simulate(0.1, q0, method=sp.GeneralizedAlpha(dt=1e-3), progress=False).stats
    assert stats["newton_failures"] == 0
    assert stats["residuals"] < 12 * stats["steps"]
    assert np.isfinite(stats["position_error"])
