"""Mixing families by strain component."""

import pytest
from numpy.testing import assert_allclose, assert_array_equal

from supple.bases import Hat, Legendre, PiecewiseConstant, Strain
from supple.errors import ModelError


def test_each_component_has_its_own_family():
    basis = Strain(bend_y=Hat(2), torsion=Legendre(1))
    assert_array_equal(basis.components, [0, 0, 1, 1, 1])
    assert_allclose(basis.values(0.75), [1.0, 0.5, 0.0, 0.5, 0.5])


def test_breaks_are_merged():
    basis = Strain(torsion=PiecewiseConstant(6), bend_y=Hat(3), bend_z=Hat(2))
    assert_allclose(basis.breaks, [1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6])


def test_a_smooth_family_shares_its_points_over_the_pieces():
    assert Strain(torsion=Legendre(4), bend_y=Hat(2)).min_points == 3
    assert Strain(torsion=Legendre(4), bend_y=Hat(4)).min_points == 2
    assert Strain(torsion=Legendre(4), bend_y=Legendre(5)).min_points == 6


def test_repr_shows_what_was_written():
    assert repr(Strain(bend_y=Hat(2), torsion=Legendre(1))) == "Strain(torsion=Legendre(1), bend_y=Hat(2))"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Strain, "Strain: a basis without coordinates"),
        (
            lambda: Strain(bend_y=3),
            r"Strain: bend_y: 3 must be a family with one order, such as Legendre\(2\)",
        ),
        (lambda: Strain(bend_y=Legendre), "Strain: bend_y: .* must be a family with one order"),
        (
            lambda: Strain(bend_y=Legendre(bend_y=2)),
            r"Strain: bend_y: Legendre\(bend_y=2\) names components, but one order is needed",
        ),
    ],
)
def test_strain_refuses(make, message):
    with pytest.raises(ModelError, match=message):
        make()
