"""Shapes that touch: what they consist of as spheres and as surfaces, and what is refused."""

import math

import numpy as np
import pytest

import supple as sp
from supple.errors import ModelError
from supple.loads.contact.distance import BORE, BOX, PLANE, ROUND
from supple.loads.contact.shapes import Ball, Box, Capsule, Plane, Spheres, Tube, axis_frame, direction


@pytest.mark.parametrize(
    ("shape", "kind", "size"),
    [
        (Ball(0.2, (1.0, 2.0, 3.0)), ROUND, (0.2, 0.0, 0.0)),
        (Capsule(0.1, (0, 0, 0), (0, 0, 2)), ROUND, (0.1, 0.0, 2.0)),
        (Box((0.2, 0.4, 0.6)), BOX, (0.1, 0.2, 0.3)),
        (Plane((0, 0, 2), 0.5), PLANE, None),
        (Tube((0, 0, 0), (0, 1, 0), 0.3), BORE, (0.3, 0.0, 0.0)),
        (Tube((0, 0, 0), (0, 1, 0), 0.3, inside=False), ROUND, (0.3, -math.inf, math.inf)),
    ],
)
def test_surfaces(shape, kind, size):
    [surface] = shape.surfaces()
    assert surface.kind == kind
    assert size is None or surface.size == pytest.approx(size)
    assert (surface.link, surface.s) == ("world", 0.0)
    assert np.array_equal(surface.frame, shape.frame)


def test_frames_lie_where_shapes_are():
    """x is the axis of a capsule and of a tube, and the normal of a plane."""
    capsule = Capsule(0.1, (1, 0, 0), (1, 0, 2))
    assert capsule.frame[:3, 3] == pytest.approx((1, 0, 0))
    assert capsule.frame[:3, 0] == pytest.approx((0, 0, 1))
    plane = Plane((0, 3, 4), 0.5)
    assert plane.frame[:3, 0] == pytest.approx((0, 0.6, 0.8))
    assert plane.frame[:3, 0] @ plane.frame[:3, 3] == pytest.approx(0.5)
    for axis in np.random.default_rng(0).standard_normal((10, 3)):
        frame = axis_frame((1.0, 2.0, 3.0), axis)
        assert frame[:3, 0] == pytest.approx(axis / np.linalg.norm(axis))
        assert np.linalg.det(frame[:3, :3]) == pytest.approx(1.0)
        assert frame[:3, :3].T @ frame[:3, :3] == pytest.approx(np.eye(3))


def test_a_capsule_slides_or_is_a_row():
    capsule = Capsule(0.1, (0, 0, 0), (1, 0, 0))
    [sliding] = capsule.spheres()
    assert (sliding.radius, sliding.length, sliding.reach) == pytest.approx((0.1, 1.0, 1.1))
    row = capsule.row(0.3)
    assert len(row) == 5
    assert [sphere.frame[0, 3] for sphere in row] == pytest.approx([0.0, 0.25, 0.5, 0.75, 1.0])
    assert len(capsule.row(2.0)) == 2  # its ends


def test_a_box_has_corners_and_edges():
    box = Box((0.2, 0.4, 0.6), sp.pose((1, 1, 1)))
    corners = np.array([sphere.frame[:3, 3] - 1.0 for sphere in box.spheres()])
    assert np.abs(corners) == pytest.approx(np.tile([0.1, 0.2, 0.3], (8, 1)))
    assert len(np.unique(np.sign(corners), axis=0)) == 8
    places = np.array([sphere.frame[:3, 3] - 1.0 for sphere in box.outline(0.1)])
    assert len(places) == 8 + 4 * (1 + 3 + 5)
    on_faces = np.isclose(np.abs(places), [0.1, 0.2, 0.3]).sum(axis=1)
    assert (on_faces >= 2).all()  # on edges: at least two coordinates at their ends
    assert len(np.unique(places.round(9), axis=0)) == len(places)


def test_sections_stand_evenly_or_where_they_are_asked_for():
    assert [s for _, s in Spheres("rod", 3).stations()] == [0.0, 0.5, 1.0]
    assert [s for _, s in Spheres("rod", 1).stations()] == [1.0]
    assert Spheres("rod", at=(0.2, 0.9)).stations() == [("rod", 0.2), ("rod", 0.9)]


def test_directions_of_any_size():
    for scale in (1e-320, 1e-200, 1.0, 1e200, 1e308):
        assert direction(np.array([0.0, scale, 0.0]), "axis") == pytest.approx((0.0, 1.0, 0.0))
    with pytest.raises(ModelError, match="normal is zero, must point somewhere"):
        direction((0, 0, 0), "normal")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Ball(-1.0), "Ball: radius is -1"),
        (lambda: Capsule(0.1, (0, 0, 0), (0, 0, 0)), "a and b coincide, use a Ball"),
        (lambda: Box((0.1, 0.0, 0.1)), "Box: size"),
        (lambda: Tube((0, 0, 0), (0, 0, 0), 0.1), "Tube: axis is zero"),
        (lambda: Tube((0, 0, 0), (0, 0, 1), 0.0), "Tube: radius"),
        (lambda: Plane((0, 0, 0)), "Plane: normal is zero"),
        (lambda: Spheres("rod", 0), "Spheres: n is 0"),
        (lambda: Spheres("rod", at=(0.5, 1.2)), "must hold stations between 0 and 1"),
        (lambda: Spheres("rod", radius=-0.1), "Spheres: radius"),
    ],
)
def test_bad_shapes_are_named(make, message):
    with pytest.raises(ModelError, match=message):
        make()
