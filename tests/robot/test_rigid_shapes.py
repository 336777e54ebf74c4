"""Volume, centre of mass and inertia of solids, against integration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from supple.errors import ModelError
from supple.lie.pose import pose
from supple.robot.bodies import Rigid
from supple.robot.rigid_shapes import (
    BoxShape,
    CapsuleShape,
    EllipsoidShape,
    FrustumShape,
    Moved,
    PrismShape,
    SphereShape,
)


def discs(shape, bounds, half_sizes):
    """Volume, com and inertia about the com by stacking elliptic or rectangular slices along x.

    ``half_sizes(x)`` gives (area, int y^2 dA, int z^2 dA) of the slice at x.
    """
    x, w = np.polynomial.legendre.leggauss(20)
    a, b = bounds
    x, w = a + (b - a) * (x + 1) / 2, w * (b - a) / 2
    area, yy, zz = np.array([half_sizes(point) for point in x]).T
    volume = w @ area
    com = w @ (x * area) / volume
    xx = w @ ((x - com) ** 2 * area)
    return volume, com, [w @ (yy + zz), xx + w @ zz, xx + w @ yy]


def disc(radius):
    return np.pi * radius**2, np.pi * radius**4 / 4, np.pi * radius**4 / 4


def ellipse(b, c):
    return np.pi * b * c, np.pi * b**3 * c / 4, np.pi * b * c**3 / 4


CASES = [
    (BoxShape((0.2, 0.3, 0.5)), (-0.1, 0.1), lambda x: (0.15, 0.3**3 * 0.5 / 12, 0.3 * 0.5**3 / 12)),
    (SphereShape(0.4), (-0.4, 0.4), lambda x: disc(np.sqrt(0.16 - x**2))),
    (
        EllipsoidShape((0.4, 0.2, 0.3)),
        (-0.4, 0.4),
        lambda x: ellipse(0.2 * np.sqrt(1 - x**2 / 0.16), 0.3 * np.sqrt(1 - x**2 / 0.16)),
    ),
    (FrustumShape(0.6, 0.2, 0.2), (0.0, 0.6), lambda x: disc(0.2)),
    (FrustumShape(0.6, 0.2, 0.0), (0.0, 0.6), lambda x: disc(0.2 * (1 - x / 0.6))),
    (FrustumShape(0.6, 0.1, 0.3), (0.0, 0.6), lambda x: disc(0.1 + 0.2 * x / 0.6)),
]


@pytest.mark.parametrize(("shape", "bounds", "slices"), CASES, ids=[repr(case[0]) for case in CASES])
def test_against_integration_of_slices(shape, bounds, slices):
    volume, com, inertia = discs(shape, bounds, slices)
    assert_allclose(shape.volume, volume, rtol=1e-12)
    assert_allclose(shape.com, [com, 0.0, 0.0], atol=1e-14)
    assert_allclose(shape.inertia, inertia, rtol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BoxShape((1, 1)), r"Rigid\.box: size has shape \(2,\), must have shape \(3,\)"),
        (lambda: BoxShape((1, 0, 1)), r"Rigid\.box: size is 0 m, must be positive"),
        (lambda: EllipsoidShape((1, 0, 1)), r"EllipsoidShape: semi_axes is 0 m, must be positive"),
        (lambda: SphereShape(-1), r"Rigid\.sphere: radius is -1 m, must be positive"),
        (lambda: FrustumShape(0, 1, 1), "length is 0 m, must be positive"),
        (lambda: FrustumShape(1, -1, 1), "base radius is -1 m, must not be negative"),
        (lambda: FrustumShape(1, 1, -1), "tip radius is -1 m, must not be negative"),
        (lambda: FrustumShape(1, 0, 0), "radius is 0 m at both ends, one must be positive"),
    ],
)
def test_dimensions_are_checked(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_a_capsule_is_a_cylinder_and_two_half_balls():
    shape, r, length = CapsuleShape(0.3, 0.1), 0.1, 0.3
    ends = discs(shape, (0.0, r), lambda x: disc(np.sqrt(r**2 - x**2)))  # a half ball standing on its flat side
    cylinder = discs(shape, (0.0, length), lambda x: disc(r))
    assert_allclose(shape.volume, cylinder[0] + 2 * ends[0], rtol=1e-12)
    away = length / 2 + ends[1]
    transverse = cylinder[2][1] + 2 * (ends[2][1] + ends[0] * away**2)
    assert_allclose(shape.inertia, [cylinder[2][0] + 2 * ends[2][0], transverse, transverse], rtol=1e-12)


def test_a_rectangular_prism_is_a_box_elsewhere():
    box, x, y = BoxShape((0.2, 0.3, 0.05)), 0.4, -0.1
    corners = [(x + a * 0.1, y + b * 0.15) for a, b in ((-1, -1), (-1, 1), (1, 1), (1, -1))]  # clockwise
    prism = PrismShape(corners, 0.05)
    assert_allclose(prism.volume, box.volume, rtol=1e-12)
    assert_allclose(prism.com, [x, y, 0.0], atol=1e-14)
    assert_allclose(prism.inertia, np.diag(box.inertia), rtol=1e-9, atol=1e-18)
    moved = Moved(box, pose((x, y, 0.0)))
    assert_allclose(prism.inertia, moved.inertia, rtol=1e-9, atol=1e-18)
    assert_allclose(prism.com, moved.com, atol=1e-14)


def test_a_concave_prism_is_the_difference_of_two():
    square = PrismShape([(0, 0), (2, 0), (2, 2), (0, 2)], 0.5)
    corner = PrismShape([(1, 1), (2, 1), (2, 2), (1, 2)], 0.5)
    angle = PrismShape([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], 0.5)

    def about_origin(shape):
        return Rigid(shape.volume, shape.inertia, shape.com).spatial_inertia()

    assert_allclose(about_origin(angle), about_origin(square) - about_origin(corner), atol=1e-12)


def test_a_turned_shape_turns_its_inertia():
    turned = Moved(BoxShape((1, 2, 3)), pose((0, 0, 1), rpy=(np.pi / 2, 0, 0)))
    assert_allclose(turned.inertia, np.diag(BoxShape((1, 3, 2)).inertia), atol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CapsuleShape(0.0, 1.0), r"Rigid\.capsule: length is 0 m, must be positive"),
        (lambda: CapsuleShape(1.0, -1.0), r"Rigid\.capsule: radius is -1 m, must be positive"),
        (lambda: PrismShape([(0, 0), (1, 0)], 1.0), "three or more points"),
        (lambda: PrismShape([(0, 0), (1, 0), (2, 0)], 1.0), "lie on one line"),
        (lambda: PrismShape([(0, 0), (1, 1), (1, 0), (0, 2)], 1.0), "edges 0 and 2 of the outline cross"),
        (lambda: PrismShape([(0, 0), (1, 0), (0, 1)], 0.0), "height is 0 m, must be positive"),
        (lambda: Rigid(1.0, (1, 1, 1), shape="box"), "shape is 'box', must be a solid"),
    ],
)
def test_further_shapes_are_checked(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_rigid_makes_capsules_and_prisms():
    capsule = Rigid.capsule(0.2, 0.05, density=500.0)
    assert_allclose(capsule.mass, 500.0 * CapsuleShape(0.2, 0.05).volume)
    plate = Rigid.prism([(0, 0), (1, 0), (0, 1)], 0.1, density=2.0)
    assert_allclose([plate.mass, *plate.com], [0.1, 1 / 3, 1 / 3, 0.0], atol=1e-14)
    assert plate.volume == pytest.approx(0.05)
