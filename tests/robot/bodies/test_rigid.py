"""Rigid bodies: inertia, solids, validation, and what they answer as bodies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from supple.errors import ModelError, ModelWarning
from supple.lie.pose import pose
from supple.robot.bodies import Rigid
from supple.robot.rigid_shapes import BoxShape, FrustumShape, SphereShape


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


def test_a_rigid_body_answers_as_a_body():
    body = Rigid.box((0.1, 0.2, 0.3), density=100.0, tip=pose((0.1, 0.0, 0.0)))
    assert (body.size, body.labels, body.summary()) == (0, (), ("rigid 0.6 kg", "-"))
    assert body.centreline is None
    assert body.solid is body
    assert_array_equal(body.felt_inertia(), body.spatial_inertia())
    assert [body.refuses(s) for s in (0.0, 0.5, 1.0)] == [False, True, False]


def test_its_table_has_one_point_and_two_stations():
    body = Rigid.cylinder(0.2, 0.1, density=100.0)
    table = body.tabulate()
    assert table.chain() is None
    assert table.points == ((1, 0.0),)
    assert_array_equal(table.point_inertia, body.spatial_inertia())
    assert table.locate(0.0) == (1, None)
    assert table.locate(1.0).point == 1
    assert_array_equal(table.locate(1.0).offset, pose((0.2, 0.0, 0.0)))
    assert table.line is None
