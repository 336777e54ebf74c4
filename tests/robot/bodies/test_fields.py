"""Users' functions along a rod, replaced by interpolants that can be pickled."""

import pickle

import numpy as np
import pytest

import supple as sp
from helpers import relative_error
from supple.robot.bodies.fields import ChebyshevTable, ConstantField

KNOTS = np.array([0.0, 0.2, 0.7, 1.0])


def smooth(s):
    return np.array([np.sin(7.0 * s), np.exp(-s), 1.0 / (1.2 - s)])


def test_smooth_functions_are_matched_to_rounding():
    table = ChebyshevTable(smooth, KNOTS, "test")
    for s in np.linspace(0.0, 1.0, 101):
        assert relative_error(table(s), smooth(s)) < 1e-11


def test_pieces_may_jump_at_knots():
    """A border belongs to the piece after it, the tip to the last."""
    table = ChebyshevTable(lambda s: np.array([0.0 if s < 0.2 else 1.0 + s]), KNOTS, "test")
    assert table(0.1)[0] == pytest.approx(0.0, abs=1e-14)
    assert table(0.2)[0] == pytest.approx(1.2, rel=1e-14)
    assert table(1.0)[0] == pytest.approx(2.0, rel=1e-14)


def test_kinks_between_knots_are_announced():
    with pytest.warns(sp.ModelWarning, match=r"rest_strain: not smooth between s = 0\.200 and s = 0\.700"):
        ChebyshevTable(lambda s: np.array([abs(s - 0.5)]), KNOTS, "rest_strain")


def test_tables_can_be_pickled():
    table = ChebyshevTable(smooth, KNOTS, "test")
    assert np.array_equal(pickle.loads(pickle.dumps(table))(0.33), table(0.33))


def test_constant_field():
    assert np.array_equal(ConstantField((1.0, 2.0))(0.7), [1.0, 2.0])


def kinked_rod(**options):
    """A rod whose rest curvature jumps at s = 0.4."""
    return sp.Rod(
        0.5,
        sp.Circle(0.03),
        sp.Material(young=1e5, density=1000.0),
        sp.Legendre(bend_y=1),
        points=3,
        rest_strain=lambda s: (0.0, 2.0 if s < 0.4 else -1.0, 0.0, 1.0, 0.0, 0.0),
        **options,
    )


def test_a_rod_with_a_kink_asks_for_an_extra_point():
    robot = sp.Robot("kinked")
    robot.add_link("rod", kinked_rod())
    with pytest.warns(sp.ModelWarning, match="not smooth"):
        robot.compile()


def test_an_extra_point_on_the_kink_makes_it_exact():
    """Two arcs of constant curvature, one after the other."""
    robot = sp.Robot("kinked")
    robot.add_link("rod", kinked_rod(extra_points=(0.4,)))
    model = robot.compile()

    def arc(curvature, length):
        angle = curvature * length
        return sp.pose((np.sin(angle) / curvature, 0.0, (np.cos(angle) - 1.0) / curvature), (0.0, angle, 0.0))

    expected = arc(2.0, 0.2) @ arc(-1.0, 0.3)
    assert relative_error(model.pose(np.zeros(2), "rod", 1.0), expected) < 1e-14
    assert relative_error(model.pose(np.zeros(2), "rod", 0.55), arc(2.0, 0.2) @ arc(-1.0, 0.075)) < 1e-12
