"""Rods and rigid bodies: defaults, inertia, validation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from supple.bases import Hat, Hermite, Legendre
from supple.errors import ModelError, ModelWarning
from supple.lie.pose import pose
from supple.robot.bodies import Rigid, Rod
from supple.robot.rigid_shapes import BoxShape, FrustumShape, SphereShape
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


def test_spatial_inertia_gives_the_kinetic_energy():
    rng = np.random.default_rng(0)
    points, masses = rng.normal(size=(20, 3)), rng.uniform(1, 2, size=20)
    mass, com = masses.sum(), masses @ points / masses.sum()
    arms = points - com
    inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True))
    body = Rigid(mass, inertia, com)
    w, v = rng.normal(size=(2, 3))
    twist = np.concatenate([w, v])
    velocities = v + np.cross(w, points)
    assert_allclose(twist @ body.spatial_inertia() @ twist, masses @ np.sum(velocities**2, axis=1))


def test_inertia_may_be_its_diagonal():
    assert_array_equal(Rigid(1.0, (0.02, 0.03, 0.04)).inertia, np.diag([0.02, 0.03, 0.04]))


def test_rigid_defaults():
    body = Rigid(1.0, np.zeros(3))
    assert_array_equal(body.tip, np.eye(4))
    assert_array_equal(body.com, np.zeros(3))
    assert body.volume is None
    assert body.shape is None


def test_solids_know_their_mass_volume_shape_and_tip():
    box = Rigid.box(size=(1, 2, 3), density=10.0)
    assert (box.mass, box.volume, box.shape) == (60.0, 6.0, BoxShape((1, 2, 3)))
    assert_allclose(np.diag(box.inertia), [60 * 13 / 12, 60 * 10 / 12, 60 * 5 / 12])
    assert_array_equal(box.tip, np.eye(4))
    ball = Rigid.sphere(radius=0.5, density=10.0, tip=pose((0.5, 0, 0)))
    assert ball.shape == SphereShape(0.5)
    assert ball.tip[0, 3] == 0.5
    tube = Rigid.cylinder(length=2.0, radius=0.5, density=10.0)
    assert tube.shape == FrustumShape(2.0, 0.5, 0.5)
    assert_allclose(tube.mass, 10 * np.pi * 0.25 * 2)
    assert_allclose(tube.com, [1, 0, 0])
    assert_array_equal(tube.tip, pose((2.0, 0, 0)))
    cone = Rigid.cone(length=2.0, base_radius=0.5, density=10.0)
    assert_allclose(cone.com, [0.5, 0, 0])
    assert_allclose(cone.volume, np.pi * 0.25 * 2 / 3)
    assert_array_equal(Rigid.cone(2.0, 0.5, 0.2, density=1.0, tip=pose()).tip, np.eye(4))


def test_a_flat_plate_is_at_the_border_of_the_triangle_inequality():
    assert Rigid(1.0, (1.0, 2.0, 3.0)).mass == 1.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rigid(-1.0, np.ones(3)), "Rigid: mass is -1 kg, must not be negative"),
        (lambda: Rigid(1.0, -np.ones(3)), "Rigid: inertia has a negative diagonal entry"),
        (lambda: Rigid(1.0, np.ones((2, 2))), r"Rigid: inertia has shape \(2, 2\), must have shape \(3, 3\)"),
        (lambda: Rigid(1.0, np.eye(3) + 0.1 * np.eye(3, k=1)), "Rigid: inertia is not symmetric"),
        (lambda: Rigid(1.0, np.ones(3), com=(0, 0)), r"Rigid: com has shape \(2,\)"),
        (lambda: Rigid(1.0, np.ones(3), tip=np.ones((4, 4))), "Rigid: tip has the last row"),
        (lambda: Rigid(1.0, np.ones(3), volume=-1.0), r"Rigid: volume is -1 m\^3, must not be negative"),
        (lambda: Rigid.sphere(1.0, density=0.0), r"Rigid: density is 0 kg/m\^3, must be positive"),
    ],
)
def test_rigid_refuses(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_an_inertia_that_no_body_has_is_warned_of():
    with pytest.warns(ModelWarning, match=r"principal moments 1, 2, 3\.1 kg m\^2.*exceeds the sum of the others"):
        body = Rigid(1.0, (1.0, 2.0, 3.1))
    assert np.array_equal(np.diag(body.inertia), (1.0, 2.0, 3.1))
