"""Equilibria by parameters: with loops, efforts, laws, poses; forward against backward, and against rebuilt models."""

import warnings

import numpy as np
import pytest

import supple as sp
from gradients.design_cases import EVERYTHING, LOOPED, differences, everything, looped
from supple.errors import DesignError, ModelWarning


def twist(a, b):
    """How b is turned and moved against a, to first order."""
    g = np.linalg.solve(a, b) - np.eye(4)
    return np.array([g[2, 1], g[0, 2], g[1, 0], *g[:3, 3]])


def close(design, found, expected, tolerance):
    """Whether gradients agree relative to the largest one, each by its parameter's size."""
    scale = np.abs(design.pack(design.values)) + 1e-3
    return np.abs((found - expected) * scale).max() < tolerance * np.abs(expected * scale).max()


def test_a_looped_robot_with_a_prescribed_crank():
    design = sp.Design(lambda **p: looped(**p), **LOOPED)
    model, rng = design.model(), np.random.default_rng(1)
    eq = model.statics(t=0.4)
    assert model.nc == 3
    assert eq.converged
    q_bar, e_bar, l_bar = rng.standard_normal(model.n), rng.standard_normal(1), rng.standard_normal(3)
    wrenches = {("top", 0.4): rng.standard_normal(6), ("right", 1.0): rng.standard_normal(6)}
    places = {station: model.pose(eq.q, *station) for station in wrenches}

    def loss(other):
        found = other.statics(q0=eq.q, t=0.4)
        value = q_bar @ found.q + e_bar @ found.efforts + l_bar @ np.asarray(found.multipliers)
        return value + sum(w @ twist(places[s], other.pose(found.q, *s)) for s, w in wrenches.items())

    gradient = eq.vjp(q_bar, efforts=e_bar, multipliers=l_bar, pose=wrenches)
    assert close(design, design.pack(gradient.p), differences(design, loss), 1e-8)
    dp = {name: rng.standard_normal(np.shape(x)) * np.abs(x) for name, x in design.values.items()}
    gradient = eq.vjp(q_bar, efforts=e_bar, multipliers=l_bar)
    moved = eq.variation(p=dp)
    forward = q_bar @ moved.q + e_bar @ moved.efforts + l_bar @ moved.multipliers
    assert forward == pytest.approx(design.pack(gradient.p) @ design.pack(dp), rel=1e-10)


@pytest.mark.slow
def test_a_robot_with_loads_of_all_kinds_and_all_parameters():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        design = sp.Design(lambda **p: everything(**p), **EVERYTHING)
        model, rng = design.model(), np.random.default_rng(2)
        u = np.array([1.0, 500.0, 0.02, 0.1, 0.01, -0.02, 0.01])
        eq = model.statics(u, t=0.5)
        q_bar = rng.standard_normal(model.n)
        found = design.pack(eq.vjp(q_bar).p)
        expected = differences(design, lambda other: q_bar @ other.statics(u, q0=eq.q, t=0.5).q)
    assert close(design, found, expected, 1e-8)
    dp = {name: rng.standard_normal(np.shape(x)) * np.abs(x) for name, x in design.values.items()}
    assert q_bar @ eq.jvp(p=dp) == pytest.approx(found @ design.pack(dp), rel=1e-10)


def test_inputs_by_the_sweep_are_those_without_a_design():
    build = lambda **p: looped(**LOOPED | p)  # noqa: E731
    with_design, without = sp.Design(build, young=3e5).model(), build().compile()
    cotangent = np.random.default_rng(0).standard_normal(without.n)
    a, b = (model.statics(t=0.2).vjp(cotangent) for model in (with_design, without))
    assert np.allclose(a.prescribed, b.prescribed, rtol=1e-9)
    assert b.p == {}


def test_a_model_without_a_design_has_no_parameters():
    model = looped(**LOOPED).compile()
    with pytest.raises(DesignError, match="has no parameters; make it by the model\\(\\) of a Design"):
        model.statics().jvp(p={"young": 1.0})
    named = sp.Design(lambda **p: looped(**LOOPED | p), young=3e5).model()
    with pytest.raises(DesignError, match="there is no parameter 'old'"):
        named.statics().jvp(p={"old": 1.0})
