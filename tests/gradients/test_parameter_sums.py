"""Sums of gradients: by number, by parameter, along a direction; loads that are differenced."""

import numpy as np
import pytest

import supple as sp
from supple.errors import ModelWarning
from supple.gradients.array_slopes import flat_numbers, tells
from supple.gradients.parameter_sums import ParameterSums
from supple.gradients.parameters import residual_sums

#: The law below has none.
pytestmark = pytest.mark.filterwarnings("ignore:PointLaw 'push'. no tangent is given")


def build(strength=2.0, density=1000.0):
    robot = sp.Robot("arm", gravity=(0.0, 0.0, -9.81))
    material = sp.Material(young=1e5, poisson=0.4, density=density)
    robot.add_link("arm", sp.Rod(0.3, sp.Circle(0.02), material, sp.Legendre(bend_y=1, bend_z=1), points=3))

    def law(t, g, eta, etadot, xi):
        return np.array([0.0, 0.0, 0.0, strength * g[0, 3], -strength**2, 0.1])

    robot.add(sp.PointLaw("push", "arm", law))
    return robot


def test_where_numbers_are_in_the_buffer():
    model = build().compile()
    sums = ParameterSums(model)
    sums.arrays.gravity[:] = 7.0
    sums.arrays.segments["inertia"][1, 2, 3] = 3.0
    like = flat_numbers(model.parameters, model.loads)
    found = sums.by_number()
    assert found.shape == like.shape
    assert found.sum() == pytest.approx(24.0)
    assert set(np.flatnonzero(found == 7.0)) <= set(np.flatnonzero(np.isin(like, model.parameters.gravity)))
    assert sums.by_parameter().shape == (0,)


def test_a_users_law_is_differenced_with_a_notice():
    design, rng = sp.Design(build, strength=2.0, density=1000.0), np.random.default_rng(1)
    model = design.model()
    assert not tells(model.loads[0])
    q, v, a, y = 0.3 * rng.standard_normal((4, model.n))
    with pytest.warns(ModelWarning, match="PointLaw 'push': how parameters change what it does is not known"):
        found = residual_sums(model, q, v, a, y).by_parameter()
    for k, name in enumerate(design.names):
        h = 1e-4 * design.values[name]
        ends = [y @ design.model(**{name: design.values[name] + x * h}).residual(q, v, a) for x in (1, -1)]
        assert found[k] == pytest.approx((ends[0] - ends[1]) / (2.0 * h), rel=1e-7)
    change = rng.standard_normal(2)
    sums = residual_sums(model, q, v, a, y)
    assert sums.along(model.design.slopes.pushed(change), change) == pytest.approx(found @ change, rel=1e-12)
