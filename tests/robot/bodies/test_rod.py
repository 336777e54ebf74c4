"""Rods: defaults, sections, validation, and what they answer as bodies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from supple.bases import Hat, Hermite, Legendre
from supple.errors import ModelError
from supple.robot.bodies import Rod
from supple.sections import Circle, Material, Section

RUBBER = Material(1e6, density=1000.0)


def rod(**changes):
    arguments = {"length": 0.5, "section": Circle(0.01), "material": RUBBER, "strain": Legendre(bend_y=2)}
    return Rod(**(arguments | changes))


def test_rod_is_straight_at_rest_unless_told():
    assert_array_equal(rod().rest_strain_at(0.3), [0, 0, 0, 1, 0, 0])
    assert_array_equal(rod(rest_strain=(0, 2, 0, 1, 0, 0)).rest_strain_at(0.3), [0, 2, 0, 1, 0, 0])
    assert_array_equal(rod(rest_strain=lambda s: (0, s, 0, 1, 0, 0)).rest_strain_at(0.3), [0, 0.3, 0, 1, 0, 0])


def test_rod_properties_come_from_section_and_material():
    assert_allclose(rod().properties_at(0.5).stiffness[1, 1], 1e6 * np.pi * 0.01**4 / 4)
    direct = rod(section=Section(np.ones(6), np.ones(6)), material=None)
    assert_array_equal(direct.properties_at(0.5).stiffness, np.eye(6))


def test_extra_points_are_sorted():
    assert rod(extra_points=[0.7, 0.2]).extra_points == (0.2, 0.7)


def test_points_at_the_minimum_are_enough():
    assert rod(strain=Legendre(bend_y=4), points=5).points == 5
    assert rod(strain=Hermite(bend_y=9), points=4).points == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"length": 0.0}, "Rod: length is 0 m, must be positive"),
        ({"length": np.inf}, "Rod: length is inf, must be finite"),
        ({"section": 0.01}, r"Rod: section is 0\.01, must be a shape"),
        ({"material": None}, "Rod: a Circle needs a material"),
        ({"section": Section(np.ones(6), np.ones(6))}, "Rod: a Section holds its own"),
        ({"strain": None}, "Rod: strain is missing"),
        ({"strain": 3}, "Rod: strain is 3, must be a strain basis"),
        ({"strain": Legendre(2)}, r"Rod: Legendre\(2\) does not say which strains are free"),
        (
            {"points": 2},
            r"points is 2, but Legendre\(bend_y=2\) needs at least 3 Gauss nodes along the rod: K would",
        ),
        (
            {"strain": Hat(bend_y=9), "points": 1},
            "needs at least 2 Gauss nodes per piece: K would be singular",
        ),
        ({"points": 0}, "Rod: points is 0, must be at least 1"),
        ({"points": 5.0}, r"Rod: points is 5\.0, must be a whole number"),
        ({"magnus": 3}, "Rod: magnus is 3, must be 2 or 4"),
        ({"extra_points": (0.5, 1.0)}, r"Rod: extra_points are \(0\.5, 1\.0\), must lie inside \(0, 1\)"),
        ({"extra_points": (0.5, 0.5)}, "Rod: extra_points are .* must be different"),
        ({"extra_points": ("a",)}, "Rod: extra_points is .*, must be an array of real numbers"),
        ({"rest_strain": (0, 0, 0)}, r"Rod: rest_strain has shape \(3,\), must have shape \(6,\)"),
        (
            {"rest_strain": (0, 1, 0, 0, 0, 0)},
            r"rest_strain at s = 0\.50 has the stretch 0, must be positive \(usually 1\)",
        ),
        ({"rest_strain": lambda s: (0, 0, 0)}, r"rest_strain at s = 0\.50 has shape \(3,\)"),
    ],
)
def test_rod_refuses(changes, message):
    with pytest.raises(ModelError, match=message):
        rod(**changes)


def test_a_rod_answers_as_a_body():
    body = rod(strain=Legendre(torsion=0, bend_y=2))
    assert body.labels == ("torsion_0", "bend_y_0", "bend_y_1", "bend_y_2")
    assert body.size == 4
    assert body.centreline is body
    assert body.solid is None
    assert body.felt_inertia() is None
    assert body.summary() == ("rod 0.5 m, Circle, 5 points", "Legendre(torsion=0, bend_y=2)")
    assert not any(body.refuses(s) for s in (0.0, 0.3, 1.0))


def test_a_free_strain_needs_stiffness():
    bare = rod(section=Section(np.array([1.0, 0.0, 1.0, 1.0, 1.0, 1.0]), np.ones(6)), material=None)
    with pytest.raises(ModelError, match="bend_y is free, but the section has no stiffness for it"):
        bare.check()
    rod().check()


def test_a_huge_order_of_magnus_is_refused_in_words():
    """Python does not print whole numbers of thousands of digits."""
    with pytest.raises(ModelError, match="magnus is"):
        rod(magnus=10**5000)
