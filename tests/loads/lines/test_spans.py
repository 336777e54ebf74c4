"""Tension of elastic lines by their elongation: potential, slopes, the smooth ramp; rest lengths of paths."""

import numpy as np
import pytest

import supple as sp
from helpers import central_difference
from kernel_entry import entry
from supple.loads.lines import spans

tension, potential = entry(spans.elastic_tension), entry(spans.elastic_potential)
LAW = np.array([40.0, 0.3, 2.0, 0.01])  # stiffness, rest length, damping, width of the ramp


@pytest.mark.parametrize("e", [-0.1, 0.0, 0.002, 0.0099, 0.01, 0.05])
def test_tension_is_the_slope_of_the_potential(e):
    T, slope, _ = tension(LAW, e, 0.0)
    if e not in (0.0, 0.01):  # three continuous derivatives at neither end
        assert pytest.approx(central_difference(lambda h: potential(LAW, e + h), 1e-5), abs=1e-9) == T
        assert slope == pytest.approx(central_difference(lambda h: tension(LAW, e + h, 0.0)[0], 1e-5), abs=1e-6)
    assert T >= 0.0


@pytest.mark.parametrize(("e", "rate"), [(0.004, 0.03), (0.004, -0.01), (0.02, 0.3), (0.02, -0.2)])
def test_slopes_with_damping(e, rate):
    T, by_length, by_rate = tension(LAW, e, rate)
    assert T > 0.0
    assert by_length == pytest.approx(central_difference(lambda h: tension(LAW, e + h, rate)[0], 1e-6), rel=1e-6)
    assert by_rate == pytest.approx(central_difference(lambda h: tension(LAW, e, rate + h)[0], 1e-4), rel=1e-9)


def test_a_line_never_pushes():
    assert tension(LAW, 0.02, -100.0) == (0.0, 0.0, 0.0)
    assert tension(LAW, -0.01, 5.0) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("edge", [0.0, 0.01])
def test_the_ramp_meets_both_ends(edge):
    """Force, stiffness and energy have no steps where a line tightens and where it becomes linear."""
    below, above = tension(LAW, edge - 1e-12, 0.2), tension(LAW, edge + 1e-12, 0.2)
    assert np.allclose(below, above, atol=1e-6)
    assert potential(LAW, edge - 1e-12) == pytest.approx(potential(LAW, edge + 1e-12), abs=1e-12)
    assert tension(LAW, 0.01, 0.0)[0] == pytest.approx(40.0 * 0.01)


def test_the_default_rest_length_is_that_of_the_rest_configuration():
    """Spans between eyelets and what runs along rods are added."""
    robot = sp.Robot("two", gravity=(0.0, 0.0, 0.0))
    rod = sp.Rod(0.4, sp.Circle(0.02), sp.Material(young=1e6, density=1000.0), sp.Legendre(bend_y=1), points=4)
    robot.add_link("rod", rod)
    route = {"world": [(-0.3, 0.0, 0.01)], "rod": (0.0, 0.01)}
    robot.add(sp.ElasticTendon("line", route, stiffness=100.0))
    model = robot.compile()
    line = model.lines(np.zeros(model.n))["line"]
    assert line.length == pytest.approx(0.7)
    assert line.tension == pytest.approx(0.0, abs=1e-9)
    assert model.loads[0].data.elastic[0, 1] == pytest.approx(0.7)
