"""Volume, centre of mass and inertia of solids, against integration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from supple.errors import ModelError
from supple.model.rigid_shapes import BoxShape, FrustumShape, SphereShape


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


CASES = [
    (BoxShape((0.2, 0.3, 0.5)), (-0.1, 0.1), lambda x: (0.15, 0.3**3 * 0.5 / 12, 0.3 * 0.5**3 / 12)),
    (SphereShape(0.4), (-0.4, 0.4), lambda x: disc(np.sqrt(0.16 - x**2))),
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
