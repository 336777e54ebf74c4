"""Routes along rods: points and slopes, straight ones, and what is refused."""

import numpy as np
import pytest

import supple as sp
from supple.errors import ModelError
from supple.loads.lines.routes import Straight, route_point, route_slopes, straightened


def winding(X):
    return 0.01 * np.cos(8.0 * X), 0.02 * np.sin(8.0 * X) + X**2


def test_slopes_are_exact_where_complex_numbers_pass():
    X = [0.0, 0.13, 0.4]
    exact = [(-0.08 * np.sin(8.0 * x), 0.16 * np.cos(8.0 * x) + 2.0 * x) for x in X]
    assert np.array(route_slopes(winding, X, 0.5)) == pytest.approx(np.array(exact), abs=1e-15)


@pytest.mark.parametrize(
    "route",
    [
        lambda X: (abs(X - 0.2), 0.0),  # takes complex numbers, and answers with their size
        lambda X: (float(X), 0.0),  # takes none
        lambda X: (max(X, 0.0), 0.0),
        lambda X: (np.array([X]).astype(float)[0], 0.0),  # drops the imaginary part with a warning
    ],
)
def test_others_are_differenced(route):
    [(dy, dz)] = route_slopes(route, [0.3], 0.5)
    assert (dy, dz) == pytest.approx((1.0, 0.0), abs=1e-8)


def test_constant_pairs_run_straight():
    made = straightened({"arm": (0.0, 0.01), "hand": winding, "eye": [(0.0, 0.1, 0.0)]})
    assert made["arm"] == Straight(0.0, 0.01)
    assert made["arm"](0.3) == (0.0, 0.01)
    assert made["hand"] is winding
    assert made["eye"] == [(0.0, 0.1, 0.0)]


@pytest.mark.parametrize(
    ("route", "message"),
    [
        (3.0, "must be a function"),
        (lambda X: 1.0, r"must return \(y, z\)"),
        (lambda X: (1.0, 2.0, 3.0), r"must return \(y, z\)"),
        (lambda X: (np.nan, 0.0), "y at X = 0.1 m"),
        (lambda X: 1.0 / 0.0, "division by zero"),
    ],
)
def test_bad_routes_are_named(route, message):
    with pytest.raises(ModelError, match=message):
        route_point(route, 0.1, "route on link 'arm'")


def test_routes_are_mappings():
    with pytest.raises(ModelError, match="must map links to routes"):
        straightened([1.0])


@pytest.mark.parametrize("length", [0.1, 0.3, 0.7, 1.1, 2.3])
@pytest.mark.parametrize("pieces", [3, 5, 7])
def test_a_line_may_end_at_a_break_of_the_strains(length, pieces):
    """Whatever rounding makes of the break: no empty piece, and nodes that are the rod's own."""
    material = sp.Material(1e5, density=1000.0)
    rod = sp.Rod(length, sp.Circle(0.01), material, sp.PiecewiseConstant(bend_y=pieces), points=2)
    for ends in range(1, pieces):
        for until in (ends / pieces * length, length / pieces * ends, sum([length / pieces] * ends)):
            robot = sp.Robot("arm")
            robot.add_link("arm", rod)
            robot.add(sp.Tendon("part", {"arm": (0.0, 0.005)}, until={"arm": until}))
            robot.add(sp.Tendon("whole", {"arm": (0.0, 0.005)}))
            model = robot.compile()
            part, whole = (load.data.where[:, 0].tolist() for load in model.loads)
            assert part == whole[: 2 * ends]
            assert model.line_lengths(model.rest)["part"] == pytest.approx(until, rel=1e-12)
