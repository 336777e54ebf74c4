"""What every family of strain functions satisfies, and what a strain basis made of it does."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import supple as sp
from supple.bases import (
    COMPONENTS,
    Chebyshev,
    CustomBasis,
    Fourier,
    Gaussian,
    Hat,
    Hermite,
    Legendre,
    Monomial,
    PiecewiseConstant,
    Strain,
)
from supple.errors import ModelError


def modes(s):
    return np.sin(s), np.cos(s), s**3


# family, an order, the number of functions of that order
FAMILIES = [
    (Legendre, 3, 4),
    (Chebyshev, 3, 4),
    (Monomial, 3, 4),
    (Fourier, 2, 5),
    (PiecewiseConstant, 3, 3),
    (Hat, 3, 4),
    (Hermite, 3, 8),
    (Gaussian, 3, 4),
    (CustomBasis, modes, 3),
]
every_family = pytest.mark.parametrize(
    ("family", "order", "count"), FAMILIES, ids=[family.__name__ for family, *_ in FAMILIES]
)
whole_number_families = pytest.mark.parametrize(
    ("family", "minimum"),
    [
        *((family, 0) for family in (Legendre, Chebyshev, Monomial, Fourier)),
        *((family, 1) for family in (PiecewiseConstant, Hat, Hermite, Gaussian)),
    ],
)


def gauss_nodes(basis, points):
    """Gauss nodes, ``points`` in each piece of the basis."""
    x, _ = np.polynomial.legendre.leggauss(points)
    edges = np.array([0.0, *basis.breaks, 1.0])
    return np.concatenate([a + (b - a) * (x + 1) / 2 for a, b in pairwise(edges)])


@every_family
def test_coordinates_run_component_by_component(family, order, count):
    basis = family(bend_z=order, torsion=order)
    assert basis.size == 2 * count
    assert_array_equal(basis.components, [0] * count + [2] * count)
    assert basis.components.dtype == np.int64
    names = [f"{name}_{k}" for name in ("torsion", "bend_z") for k in range(count)]
    assert basis.labels == names
    values = basis.values(0.37)
    assert values.shape == (2 * count,)
    assert values.dtype == np.float64
    assert_array_equal(values[:count], values[count:])


@every_family
def test_one_order_inside_strain_equals_orders_by_name(family, order, count):
    mixed, plain = Strain(shear_y=family(order)), family(shear_y=order)
    assert_array_equal(mixed.components, plain.components)
    assert mixed.labels == plain.labels
    assert mixed.breaks == plain.breaks
    assert mixed.min_points == plain.min_points
    for s in (0.0, 0.4, 1.0):
        assert_array_equal(mixed.values(s), plain.values(s))


@every_family
def test_functions_are_independent_at_the_fewest_nodes_allowed(family, order, count):
    basis = family(bend_y=order)
    table = np.array([basis.values(s) for s in gauss_nodes(basis, basis.min_points)])
    assert np.linalg.matrix_rank(table, tol=1e-6) == count


@every_family
def test_functions_are_of_order_one(family, order, count):
    basis = family(bend_y=order)
    peaks = np.max(np.abs([basis.values(s) for s in np.linspace(0, 1, 1001)]), axis=0)
    assert np.all(peaks < 1.001)
    assert np.all(peaks > 0.5)


@every_family
def test_breaks_are_sorted_and_inside(family, order, count):
    breaks = np.array(family(bend_y=order).breaks)
    assert np.all(np.diff(breaks) > 0)
    assert np.all((breaks > 0) & (breaks < 1))


@every_family
def test_a_family_without_components_explains_itself(family, order, count):
    alone = family(order)
    for use in (
        lambda: alone.components,
        lambda: alone.values(0.5),
        lambda: alone.labels,
        lambda: alone.min_points,
    ):
        with pytest.raises(ModelError, match=r"does not say which strains are free.*bend_y=.*inside Strain"):
            use()


@every_family
def test_a_family_must_move(family, order, count):
    with pytest.raises(
        ModelError, match=f"{family.__name__}: a basis without coordinates.*use Rigid.*or give an order"
    ):
        family()


@every_family
def test_one_order_and_named_orders_exclude_each_other(family, order, count):
    with pytest.raises(ModelError, match=r"either one order .* or orders by component, not both"):
        family(order, torsion=order)


@whole_number_families
@pytest.mark.parametrize("order", [True, 2.0, "2", np.nan])
def test_orders_are_whole_numbers(family, minimum, order):
    with pytest.raises(ModelError, match=f"{family.__name__}: bend_y: .* must be a whole number"):
        family(bend_y=order)
    with pytest.raises(ModelError, match=f"{family.__name__}: .* must be a whole number"):
        family(order)


@whole_number_families
def test_orders_have_a_minimum(family, minimum):
    assert family(bend_y=np.int64(minimum)).size >= 1
    with pytest.raises(ModelError, match=f"{family.__name__}: stretch: .* must be at least {minimum}"):
        family(stretch=minimum - 1)


def test_the_six_components_have_their_indices():
    for index, name in enumerate(COMPONENTS):
        assert_array_equal(Legendre(**{name: 0}).components, [index])


def test_repr_shows_what_was_written():
    assert repr(Legendre(torsion=2, bend_y=0)) == "Legendre(torsion=2, bend_y=0)"
    assert repr(Hat(4)) == "Hat(4)"
    assert repr(CustomBasis(bend_y=modes)) == "CustomBasis(bend_y=modes)"


def test_equal_orders_make_equal_bases():
    assert Legendre(torsion=2) == Legendre(torsion=2) != Chebyshev(torsion=2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: sp.Legendre(bend=3),
            r"Legendre: there is no 'bend', did you mean .*names are: order, torsion, bend_y",
        ),
        (lambda: sp.Strain(twist=sp.Legendre(1)), r"Strain: there is no 'twist'.*names are: torsion, bend_y"),
        (lambda: sp.Gaussian(bend_y=2, widht=1.0), "Gaussian: there is no 'widht', did you mean 'width'"),
        (lambda: sp.Legendre(bend_y=10**6), "Legendre.*order is 1000000, must be at most 1000"),
        (lambda: sp.Hat(bend_y=10**9), "Hat.*number of elements is 1000000000, must be at most 1000"),
        (lambda: sp.Fourier(bend_y=10**9), "number of harmonics is 1000000000, must be at most 500"),
        (lambda: sp.CustomBasis(bend_y=lambda s: np.zeros(10**4)), "returns 10000 values, must return at most 1000"),
        (lambda: sp.CustomBasis(bend_y=lambda s: 1 / 0), "the function at s = 0.50 raised ZeroDivisionError"),
        (lambda: sp.CustomBasis(bend_y=lambda s: "x"), "value at s = 0.50 is 'x'"),
        (lambda: sp.CustomBasis(bend_y=lambda s: [s], pieces=0.5), "pieces is 0.5, must be a sequence"),
    ],
)
def test_bases_name_what_is_wrong(make, message):
    with pytest.raises(sp.ModelError, match=message):
        make()


def test_points_have_a_most():
    material = sp.Material(young=1e6, density=1000.0)
    with pytest.raises(sp.ModelError, match="points is 1000000000, must be at most 1000"):
        sp.Rod(1.0, sp.Circle(0.1), material, sp.Legendre(bend_y=1), points=10**9)
    with pytest.raises(sp.ModelError, match="points is 100 on each of 200 pieces, 20000 in all"):
        sp.Rod(1.0, sp.Circle(0.1), material, sp.Hat(bend_y=200), points=100)
