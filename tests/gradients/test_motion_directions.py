"""Motions along directions of parameters: forward against backward, and both against replays of what was recorded."""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import supple as sp
from motion_cases import METHODS, tendon_arm
from parameter_cases import DESIGNS, cotangents, direction_of, recorded, replayed_slope, variation_terms
from supple.errors import DesignError, ShapeError


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is differenced is told
        yield


def dot_products(motion, weights, change):
    """Forward, backward, and the sum of what forward is summed from."""
    terms = variation_terms(motion, motion.jvp(p=change), weights)
    forward, size = (sum(f(x).sum() for x in terms.values()) for f in (np.asarray, np.abs))
    p = motion.vjp(**weights).p
    return forward, sum(float(np.sum(p[name] * change[name])) for name in change), size


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", DESIGNS)
def test_forward_is_the_transpose_of_backward(name, method):
    design, motion, *_ = recorded(name, method)
    if name == "flyer":
        assert motion.stats["recentred"] > 0
    forward, backward, size = dot_products(motion, cotangents(motion), direction_of(design))
    assert np.isfinite(forward)
    assert size > 0.0
    assert abs(forward - backward) < 1e-10 * size, (forward, backward)


FEW = ("alpha", "rk45")


@pytest.mark.parametrize("method", [m if m in FEW else pytest.param(m, marks=pytest.mark.slow) for m in METHODS])
@pytest.mark.parametrize("name", DESIGNS)
def test_against_differences_along_recorded_steps(name, method):
    design, motion, q0, v0 = recorded(name, method)
    weights, change = cotangents(motion), direction_of(design)
    if motion.tape.sampled:
        weights.pop("u")
    found = sum(float(np.sum(x * change[key])) for key, x in motion.vjp(**weights).p.items())
    errors = []
    for expected in replayed_slope(design, motion, q0, v0, weights, change):
        errors.append(abs(found - expected) / max(abs(expected), 1e-3))
        if errors[-1] < 1e-6:
            return
    raise AssertionError(f"{found} is off by {errors}")
