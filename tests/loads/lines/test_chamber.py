"""Chambers: the pressure's virtual work is p dV."""

import numpy as np
import pytest

import supple as sp
from helpers import difference_jacobian, relative_error, size
from load_cases import generalised_force, loaded_case
from reference_robots import cable_manipulator

ROUTE = {"arm": lambda X: (0.01 * np.cos(8.0 * X), 0.01 * np.sin(8.0 * X))}


def chambered(area, until=None, route=ROUTE):
    robot = cable_manipulator()
    robot.add(sp.Chamber("c", route, area, until={} if until is None else {"arm": until}))
    return robot.compile()


def volume(model, q, area, until=0.5):
    """Sum of w A |T| at Gauss nodes on [0, until], from the rod's basis functions."""
    basis = sp.Legendre(torsion=4, bend_y=4, bend_z=4, stretch=2, shear_y=2, shear_z=2)
    x, w = np.polynomial.legendre.leggauss(5)
    total = 0.0
    for X, weight in zip(0.5 * until * (x + 1.0), 0.5 * until * w, strict=True):
        xi = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
        scale = np.where(basis.components < 3, 2.0, 1.0)
        np.add.at(xi, basis.components, scale * basis.values(X / 0.5) * q)
        d = np.array([0.0, 0.01 * np.cos(8.0 * X), 0.01 * np.sin(8.0 * X)])
        slope = np.array([0.0, -0.08 * np.sin(8.0 * X), 0.08 * np.cos(8.0 * X)])
        total += weight * area(X / 0.5) * np.linalg.norm(xi[3:] + np.cross(xi[:3], d) + slope)
    return total


@pytest.mark.parametrize("until", [0.5, 0.31])
@pytest.mark.parametrize("area", [lambda s: 2e-4, lambda s: 2e-4 * (1.0 - 0.5 * s)], ids=["constant", "tapered"])
def test_virtual_work_is_pressure_times_change_of_volume(area, until):
    model = chambered(area, until)
    q = 0.3 * np.random.default_rng(8).standard_normal(24)
    p = 2.5e4
    expected = p * difference_jacobian(lambda x: volume(model, x, area, until), q)
    assert relative_error(generalised_force(model, q, u=[p]), expected) < 1e-10
    assert relative_error(p * model.actuation(q)[:, 0], expected) < 1e-10


def test_a_chamber_pushes_where_a_tendon_pulls():
    """With a constant area A, pressure p is a tension -p A."""
    model = chambered(3e-4)
    q = 0.3 * np.random.default_rng(9).standard_normal(24)
    assert relative_error(model.actuation(q)[:, 0], model.line_jacobian(q)[0]) < 1e-14
    assert model.line_lengths(np.zeros(24))["c"] == pytest.approx(3e-4 * 0.5 * np.sqrt(1.0 + 0.08**2), rel=1e-12)


def test_an_area_given_as_a_number_or_as_a_function():
    q = 0.3 * np.random.default_rng(9).standard_normal(24)
    assert np.array_equal(chambered(3e-4).actuation(q), chambered(lambda s: 3e-4).actuation(q))


def test_pressure_bends_away_from_the_chamber():
    model = chambered(2e-4, route={"arm": lambda X: (0.0, 0.01)})
    q = np.linalg.solve(model.stiffness, 1e3 * model.actuation(np.zeros(24))[:, 0])
    assert model.pose(q, "arm")[2, 3] < 0.0
    assert model.line_lengths(q)["c"] > 2e-4 * 0.5


@pytest.mark.parametrize("seed", range(20))
def test_chambers_of_random_robots(seed):
    """B of a tapered channel against the rates of its volume, on any rods."""
    case = loaded_case(seed)
    model, q = case.model, case.q
    for name in model.input_names:
        if not name.startswith("chamber"):
            continue
        u = np.zeros(model.nu)
        u[model.input_names.index(name)] = 7.0
        force = generalised_force(model, q, u=u, name=name)
        assert size(force - model.actuation(q) @ u) <= 1e-13 * size(force)


@pytest.mark.parametrize(
    ("area", "message"),
    [
        (0.0, r"Chamber 'c': area at s = 0\.05 is 0 m\^2, must be positive"),
        (lambda s: 1e-4 - s, r"Chamber 'c': area at s = .* must be positive"),
        (np.nan, r"Chamber 'c': area at s"),
    ],
)
def test_bad_areas_are_named(area, message):
    with pytest.raises(sp.ModelError, match=message):
        chambered(area)


def test_a_chamber_on_a_link_that_is_not_there():
    with pytest.raises(sp.ModelError, match="Chamber 'c': there is no link 'leg'"):
        chambered(1e-4, route={"leg": lambda X: (0.0, 0.0)})
