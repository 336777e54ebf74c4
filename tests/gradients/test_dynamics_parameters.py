"""Accelerations and inverse dynamics by parameters, with loops, prescribed joints, laws, water and states of loads."""

import warnings

import numpy as np
import pytest

import supple as sp
from gradients.design_cases import LOOPED, differences, looped
from gradients.parameter_cases import DESIGNS
from supple.gradients.dynamics_parameters import (
    accelerations_by_parameter,
    inverse_dynamics_by_parameter,
    residual_by_parameter,
)

NAMES = ["tendon", "flyer", "loop", "turned", "held loop", "contact", "water", "laws", "states"]


@pytest.fixture(params=[*NAMES, "looped"])
def case(request):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is differenced is told
        build, values = (lambda **p: looped(**p), LOOPED) if request.param == "looped" else DESIGNS[request.param][:2]
        design = sp.Design(build, **values)
        model = design.model()
        rng = np.random.default_rng(7)
        q, v, a = 0.1 * rng.standard_normal((3, model.n))
        if model.nc:
            q = model.assemble(q)
        yield design, model, q, v, a, rng.uniform(0.5, 1.5, model.nu)


def close(found, expected):
    size = np.maximum(np.abs(expected).max(axis=1, keepdims=True), 1e-3)  # some parameters change nothing
    return np.allclose(found.T / size, expected / size, rtol=1e-6, atol=1e-6)


def test_accelerations(case):
    design, model, q, v, _, u = case
    found = accelerations_by_parameter(model, q, v, u, 0.2)
    assert close(found, differences(design, lambda other: other.forward_dynamics(q, v, u, 0.2).a))
    assert np.abs(found).max() > 0.0


def test_inverse_dynamics(case):
    design, model, q, v, a, _ = case
    found = inverse_dynamics_by_parameter(model, q, v, a, 0.2)
    assert close(found, differences(design, lambda other: other.inverse_dynamics(q, v, a, 0.2)))


def test_residuals_and_rows(case):
    design, model, q, v, a, u = case
    lam = np.random.default_rng(1).standard_normal(model.nc)
    found = residual_by_parameter(model, q, v, a, u, lam, 0.2)[: model.n + model.nc]

    def both(other):
        error = other.loop_error(q) if model.nc else np.zeros(0)
        return np.concatenate([other.residual(q, v, a, u, lam, 0.2), np.asarray(error)])

    assert close(found, differences(design, both))
