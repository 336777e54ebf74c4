"""Stiffness and mass from the tangent of steps are those of the residual's derivatives."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import random_robot
from supple.studio.tangents import tangents_at
from supple.viz.view import State


@pytest.mark.parametrize("seed", range(4))
def test_tangents_agree_with_the_derivatives_of_the_residual(seed):
    rng = np.random.default_rng(seed)
    model = random_robot(rng).compile()
    q, v = 0.1 * rng.standard_normal(model.n), 0.1 * rng.standard_normal(model.n)
    u = np.abs(rng.standard_normal(model.nu))
    found = tangents_at(model, State(q, v, u, 0.3))
    expected = model.residual_derivatives(q, v, np.zeros(model.n), u, t=0.3)
    scale = np.abs(expected.da).max()
    assert_allclose(found.stiffness, expected.dq, rtol=1e-8, atol=1e-8 * np.abs(expected.dq).max())
    assert_allclose(found.mass, expected.da, atol=1e-10 * scale)
