"""Areas and second moments, against direct integration over the section."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from supple.errors import ModelError
from supple.sections import Annulus, Circle, Ellipse, Rectangle

# Each shape with the test "is (y, z) inside at s = 0.5", for integration by midpoints on a grid.
CASES = [
    (Circle(radius=(0.9, 0.5)), lambda y, z: y**2 + z**2 < 0.7**2),
    (
        Annulus(outer=0.8, inner=lambda s: 0.6 * s),
        lambda y, z: (y**2 + z**2 < 0.8**2) & (y**2 + z**2 > 0.3**2),
    ),
    (Rectangle(height=1.4, width=(0.4, 0.8)), lambda y, z: (abs(y) < 0.7) & (abs(z) < 0.3)),
    (Ellipse(semi_y=0.8, semi_z=0.3), lambda y, z: (y / 0.8) ** 2 + (z / 0.3) ** 2 < 1),
]


@pytest.mark.parametrize(("shape", "inside"), CASES, ids=[type(shape).__name__ for shape, _ in CASES])
def test_area_and_second_moments_by_integration(shape, inside):
    n = 2000
    points = (np.arange(n) + 0.5) / n * 2.0 - 1.0
    y, z = np.meshgrid(points, points, indexing="ij")
    weight = inside(y, z) * (2.0 / n) ** 2
    moment_y, moment_z = np.sum(weight * z**2), np.sum(weight * y**2)
    assert_allclose(shape.area(0.5), weight.sum(), rtol=2e-3)
    assert_allclose(shape.second_moments(0.5), [moment_y + moment_z, moment_y, moment_z], rtol=2e-3)


@pytest.mark.parametrize(("shape", "inside"), CASES, ids=[type(shape).__name__ for shape, _ in CASES])
def test_outline_holds_the_section_tightly(shape, inside):
    y, z = shape.half_extents(0.5)
    for corner in ((y, 0.0), (0.0, z)):
        assert inside(*0.999 * np.array(corner))
        assert not inside(*1.001 * np.array(corner))
    assert shape.outline_radius(0.5) >= max(y, z)


def test_outline_of_a_rectangle_reaches_its_corner():
    assert Rectangle(6.0, 8.0).outline_radius(0.0) == pytest.approx(5.0)


def test_torsion_is_the_polar_moment_unless_given():
    assert Rectangle(2.0, 1.0).torsion(0.3) == pytest.approx(2.0 / 12 + 8.0 / 12)
    given = Rectangle(2.0, 1.0, torsion_constant=(0.2, 0.4))
    assert given.torsion(0.5) == pytest.approx(0.3)
    assert given.second_moments(0.5).polar == pytest.approx(10.0 / 12)


def test_shear_factor_is_one_number_or_two():
    assert Circle(1.0).shear_factors == (1.0, 1.0)
    assert Circle(1.0, shear_factor=0.9).shear_factors == (0.9, 0.9)
    assert Circle(1.0, shear_factor=(0.8, 0.7)).shear_factors == (0.8, 0.7)


def test_a_taper_may_end_in_a_point_except_where_it_is_evaluated():
    cone = Circle(radius=(0.03, 0.0))
    assert cone.half_extents(1.0) == (0.0, 0.0)
    assert cone.area(0.99) > 0.0
    with pytest.raises(ModelError, match=r"radius at s = 1\.00 is 0 m, must be positive \(check the taper\)"):
        cone.area(1.0)


def test_shapes_compare_by_value():
    assert Circle([0.2, 0.1]) == Circle((0.2, 0.1)) != Circle(0.2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Circle(-1.0), "Circle: radius is -1 m, must be positive"),
        (lambda: Ellipse(1.0, "wide"), "Ellipse: semi_z is 'wide', must be a number"),
        (lambda: Circle(1.0, shear_factor=0.0), "Circle: shear_factor is 0, must be positive"),
        (lambda: Circle(1.0, shear_factor=(1.0, -1.0)), "Circle: shear_factor is -1, must be positive"),
        (
            lambda: Circle(1.0, shear_factor=(1.0, 1.0, 1.0)),
            r"shear_factor has shape \(3,\), must have shape \(2,\)",
        ),
        (
            lambda: Circle(1.0, torsion_constant=-2.0),
            r"Circle: torsion_constant is -2 m\^4, must be positive",
        ),
        (
            lambda: Circle(1.0, torsion_constant=(1.0, -1.0)).torsion(1.0),
            r"torsion constant at s = 1\.00 is -1 m\^4",
        ),
        (
            lambda: Annulus(0.1, 0.2).area(0.5),
            r"inner radius at s = 0\.50 is 0\.2 m, must be below the outer one, 0\.1 m",
        ),
        (lambda: Rectangle((1.0, -1.0), 1.0).second_moments(0.75), r"height at s = 0\.75 is -0\.5 m"),
    ],
)
def test_shapes_refuse(make, message):
    with pytest.raises(ModelError, match=message):
        make()
