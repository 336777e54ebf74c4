"""What pictures show of bodies: skins of rods, solids, and where they are."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from supple.robot.bodies.looks import ALONG, THIN, BodyLook, fine_corners

MATERIAL = sp.Material(young=1e5, density=1000.0)


def test_a_tapered_rod_has_a_skin_of_its_radius():
    look = sp.Rod(0.5, sp.Circle((0.04, 0.02)), MATERIAL, sp.Legendre(bend_y=1), points=3).look("arm")
    assert look.link == "arm"
    assert_allclose(look.radius, np.linspace(0.04, 0.02, ALONG))
    assert [place.s for place in look.places] == look.s.tolist()
    skin = look.skin(np.tile(np.eye(4), (ALONG, 1, 1)))
    assert np.linalg.norm(skin, axis=1).max() == pytest.approx(0.04)
    assert look.faces.max() == len(skin) - 1


def test_a_section_without_a_size_is_drawn_thin():
    look = sp.Rod(0.5, sp.Section(np.ones(6), np.ones(6)), strain=sp.Legendre(bend_y=1), points=3).look("arm")
    assert not look.sized
    assert_allclose(look.radius, THIN * 0.5)


def test_a_body_without_shape_is_the_ellipsoid_of_its_inertia():
    """A ball: 2/5 m r^2 = I."""
    look = sp.Rigid(2.0, np.full(3, 0.4 * 2.0 * 0.3**2), com=(0.1, 0.0, 0.0)).look("ball")
    radii = np.linalg.norm(look.mesh.vertices - [0.1, 0.0, 0.0], axis=1)
    assert_allclose(radii, 0.3, rtol=1e-12)
    assert not look.given
    assert len(look.bones) == 1
    assert sp.Rigid(0.0, np.zeros(3)).look("none").mesh is None


def test_a_look_may_sit_at_any_station():
    look = BodyLook("arm", sp.Rigid.box((0.1, 0.2, 0.3), density=1.0), s=1.0)
    (place,) = look.places
    assert (place.link, place.s) == ("arm", 1.0)
    assert look.given


def test_faces_are_cut_small():
    mesh = sp.Rigid.box((0.1, 0.2, 0.3), density=1.0).look("box").mesh
    fine = fine_corners(mesh)
    assert len(fine) > len(mesh.faces)
    edges = np.linalg.norm(fine - np.roll(fine, 1, axis=1), axis=2)
    assert edges.max() <= 0.2 * 0.3 + 1e-12
