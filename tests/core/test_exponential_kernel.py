"""An exponential with its tangent operator, as plain matrices (`core.exponential`)."""

import numpy as np
import pytest
from scipy.linalg import expm

from helpers import central_difference, hat, relative_error, vee
from supple.core.exponential import exponential


@pytest.mark.parametrize("seed", range(4))
def test_pose_and_tangent_operator(seed):
    """T carries rates of Omega to the twist before the step: dg/dt g^-1 = (T dOmega/dt)^."""
    jet = np.zeros((3, 6))
    jet[0], rate = np.random.default_rng(seed).standard_normal((2, 6))
    jet[1:] = np.nan  # not used
    g, T = np.full((4, 4), np.nan), np.full((6, 6), np.nan)
    exponential(jet, g, T)
    assert relative_error(g, expm(hat(jet[0]))) < 1e-14
    moved = central_difference(lambda t: expm(hat(jet[0] + t * rate)))
    assert relative_error(T @ rate, vee(moved @ np.linalg.inv(g))) < 1e-10
