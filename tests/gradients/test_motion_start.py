"""How the initial state of a motion follows the one that was asked for."""

import warnings

import numpy as np
import pytest

from motion_cases import looped, moved_base
from supple.gradients.motion_start import start_tangents
from supple.solvers.motion.start import initial_state


@pytest.mark.parametrize("make", [looped, moved_base], ids=["loop", "prescribed"])
@pytest.mark.parametrize("is_open", [False, True], ids=["closed", "open"])
def test_against_differences(make, is_open):
    model, rng = make(), np.random.default_rng(3)
    q0, v0, t = 0.1 * rng.normal(size=model.n), rng.normal(size=model.n), 0.1
    if model.nc and not is_open:
        q0 = model.assemble(q0)
    found = start_tangents(model, q0, v0, t)
    dq, dv, h = rng.normal(size=model.n), rng.normal(size=model.n), 1e-4

    def at(x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.concatenate(initial_state(model, q0 + x * dq, v0 + x * dv, t))

    expected = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
    moved = found.Q @ dq
    assert np.allclose(np.concatenate([moved, found.V @ dv + found.X @ moved]), expected, rtol=1e-6, atol=1e-7)
