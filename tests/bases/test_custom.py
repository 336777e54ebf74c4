"""Bases from the user's functions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from supple.bases import CustomBasis, Legendre, Strain
from supple.errors import ModelError


def test_counts_are_found_by_calling():
    basis = CustomBasis(torsion=lambda s: [1.0], bend_y=lambda s: (s, s**2, s**3))
    assert basis.labels == ["torsion_0", "bend_y_0", "bend_y_1", "bend_y_2"]
    assert_allclose(basis.values(0.5), [1.0, 0.5, 0.25, 0.125])
    assert basis.min_points == 3


def test_pieces_become_breaks_and_share_the_points():
    basis = CustomBasis(bend_y=lambda s: [s, max(0.0, s - 0.5), max(0.0, 0.3 - s)], pieces=(0.5, 0.3))
    assert basis.breaks == (0.3, 0.5)
    assert basis.min_points == 1


def test_mixes_with_other_families():
    basis = Strain(bend_y=CustomBasis(lambda s: np.array([np.sin(s)])), bend_z=Legendre(0))
    assert_allclose(basis.values(0.3), [np.sin(0.3), 1.0])


def growing(s):
    return np.ones(2 if s < 0.7 else 3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CustomBasis(bend_y=3), "CustomBasis: bend_y: 3 must be a function of s"),
        (lambda: CustomBasis(bend_y=lambda s: []), "bend_y: the function returns no values"),
        (
            lambda: CustomBasis(bend_y=lambda s: [1 / s if s else np.inf]),
            r"value at s = 0\.00 is \[inf\], must be finite",
        ),
        (lambda: CustomBasis(bend_y=growing), r"value at s = 1\.00 has shape \(3,\), must have shape \(2,\)"),
        (lambda: CustomBasis(bend_y=lambda s: [[s]]), r"has shape \(1, 1\), must have shape \(1,\)"),
        (lambda: CustomBasis(bend_y=lambda s: ["a"]), "must be an array of real numbers"),
        (
            lambda: CustomBasis(bend_y=lambda s: [s], pieces=(0.5, 1.0)),
            r"pieces are cut at \(0\.5, 1\.0\), must lie inside",
        ),
    ],
)
def test_custom_basis_refuses(make, message):
    with pytest.raises(ModelError, match=message):
        make()
