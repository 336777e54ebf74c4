"""Contact in gradients by parameters: rods on rods at dormant stations, touching, separating and sticking."""

import numpy as np
import pytest

import supple as sp
from supple.core.records import work_t
from supple.gradients.parameters import residual_sums


def rods(height=0.03, stiffness=500.0, friction=0.5, radius=0.02, tilt=0.4):
    robot = sp.Robot("rods", gravity=(0.0, 0.0, -9.81))
    material = sp.Material(young=1e5, poisson=0.4, density=1000.0)
    rod = sp.Rod(0.3, sp.Circle(0.02), material, sp.Legendre(bend_y=1, bend_z=1), points=3)
    robot.add_link("low", rod)
    robot.add_link("high", rod, at=sp.pose((0.1, -0.1, height), (0.0, 0.0, 1.57 + tilt)))
    law = {"stiffness": stiffness, "friction": friction, "damping": 0.2, "slip_velocity": 0.01}
    a, b = (sp.Spheres(link, n=8, radius=radius) for link in ("low", "high"))
    robot.add(sp.Contact("touch", a, b, **law))
    return robot


def case(height=0.03):
    design = sp.Design(rods, height=height, stiffness=500.0, friction=0.5, radius=0.02, tilt=0.4)
    return design, design.model(), np.random.default_rng(5)


@pytest.mark.parametrize("height", [0.03, 0.5])
def test_gradients_are_those_of_rebuilt_models(height):
    design, model, rng = case(height=height)
    q, v, a, y = 0.1 * rng.standard_normal((4, model.n))
    found = residual_sums(model, q, v, a, y).by_parameter()
    for k, name in enumerate(design.names):
        h = 1e-5 * design.values[name]
        ends = [y @ design.model(**{name: design.values[name] + x * h}).residual(q, v, a) for x in (1.0, -1.0)]
        expected = (ends[0] - ends[1]) / (2.0 * h)
        assert found[k] == pytest.approx(expected, rel=1e-5, abs=1e-8), name
    touching = found[design.names.index("stiffness")] != 0.0
    assert touching == (height < 0.1)


def test_stations_sleep_again_and_zero_slip_is_no_trouble():
    _, model, rng = case()
    zero, y = np.zeros(model.n), rng.standard_normal(model.n)
    first = residual_sums(model, zero, zero, zero, y).by_parameter()
    assert np.isfinite(first).all()
    space = model.workspace.own()[0]
    assert space.work.dtype == work_t
    assert not space.work["awake"].any()
    assert np.array_equal(residual_sums(model, zero, zero, zero, y).by_parameter(), first)
    R = model.residual(zero, zero, zero)
    assert np.array_equal(R, rods().compile().residual(zero, zero, zero))
