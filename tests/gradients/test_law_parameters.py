"""Gradients by the parameters of laws of time."""

import numpy as np
import pytest

import supple as sp
from motion_cases import along, small

LAWS = {
    "constant": (lambda x: sp.laws.Constant(2.0 + x), {"value": 1.0}),
    "ramp": (lambda x: sp.laws.Ramp(1.0 + x, 3.0 - 2.0 * x, 0.0, 0.1), {"start": 1.0, "end": -2.0}),
    "sine": (
        lambda x: sp.laws.Sine(1.0 + x, 5.0 + 2.0 * x, 0.3 - x, 2.0 + 0.5 * x),
        {"amplitude": 1.0, "frequency": 2.0, "phase": -1.0, "offset": 0.5},
    ),
    "polynomial": (lambda x: sp.laws.Polynomial([2.0, 3.0 + x, 40.0 * x]), {"coefficients": [0.0, 1.0, 40.0]}),
    "spline": (
        lambda x: sp.laws.Spline([0.0, 0.02, 0.03, 0.05], [1.0, 2.0 + x, 1.5, 1.0 - x]),
        {"values": [0.0, 1.0, 0.0, -1.0]},
    ),
    "steps": (lambda x: sp.laws.Steps([0.0, 0.013, 0.031], [1.0, 2.0 + x, 1.5 - x]), {"values": [0.0, 1.0, -1.0]}),
    "product": (
        lambda x: sp.laws.Sine(1.0 + x, 5.0, 0.0, 2.0) * sp.laws.Ramp(1.0, 2.0 + x, 0.0, 0.2) + sp.laws.Constant(x),
        {"a": {"a": {"amplitude": 1.0}, "b": {"end": 1.0}}, "b": {"value": 1.0}},
    ),
}


def contracted(gradient, direction):
    """Sum of products of a gradient and a direction of the same form."""
    if isinstance(direction, dict):
        return sum(contracted(gradient[name], direction[name]) for name in direction)
    return float(np.sum(np.asarray(gradient) * np.asarray(direction)))


@pytest.mark.parametrize("form", ["dict", "list"])
@pytest.mark.parametrize("law", LAWS)
def test_parameters_of_laws(law, form):
    make, direction = LAWS[law]
    model, q0, v0, run = small()
    whole = (lambda x: {"up": make(x), "side": 0.07}) if form == "dict" else (lambda x: [make(x), 0.07])
    motion, w = run(q0, v0, whole(0.0)), np.random.default_rng(7).normal(size=(5, model.n))
    expected = along(lambda x: (w * run(q0, v0, whole(x)).q).sum(), 1e-3)
    gradient = motion.vjp(q=w)
    by_law = gradient.u["up"] if form == "dict" else gradient.u[0]
    assert contracted(by_law, direction) == pytest.approx(expected, rel=1e-6)
    change = {"up": direction} if form == "dict" else [direction, None]
    assert (w * motion.jvp(u=change).q).sum() == pytest.approx(expected, rel=1e-6)
