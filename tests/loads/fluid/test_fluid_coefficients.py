"""Coefficients of drag and added mass from the sizes of sections and bodies; volumes; what is refused."""

import numpy as np
import pytest

import supple as sp
from supple.errors import ModelError
from supple.loads.fluid.coefficients import AddedMass, Drag, coefficient_matrix, displaced_volume

RUBBER = sp.Material(young=1e6, density=1000.0)
RHO = 1000.0


def rod(section):
    return sp.Rod(0.5, section, RUBBER, sp.Legendre(bend_y=1), points=3)


def test_drag_of_a_round_rod():
    """rho r [[pi tangential, 0, 0], [0, normal, -lift], [0, lift, normal]] per metre; spin is not resisted."""
    D = coefficient_matrix(Drag(1.1, 0.02, 0.3), "rod", rod(sp.Circle(0.04)), 0.5, RHO, "drag")
    expected = RHO * 0.04 * np.array([[np.pi * 0.02, 0.0, 0.0], [0.0, 1.1, -0.3], [0.0, 0.3, 1.1]])
    assert D[3:, 3:] == pytest.approx(expected)
    assert not D[:3].any()
    assert not D[:, :3].any()


def test_a_strip_meets_the_fluid_with_its_broad_side():
    body = rod(sp.Ellipse(0.03, 0.01))  # 0.03 along y
    D = coefficient_matrix(Drag(1.0, 0.0), "rod", body, 0.5, RHO, "drag")
    assert D[5, 5] / D[4, 4] == pytest.approx(3.0)  # moving along z, it is 0.03 wide
    M = coefficient_matrix(AddedMass(0.0, 1.0, 1.0), "rod", body, 0.5, RHO, "added_mass")
    assert M.diagonal()[3:] == pytest.approx(RHO * np.pi * np.array([0.0, 0.01**2, 0.03**2]))


def test_rigid_bodies():
    box = sp.Rigid.box((0.2, 0.3, 0.5), density=500.0)
    D = coefficient_matrix(Drag(1.0, 0.0), "box", box, None, RHO, "drag")
    assert D.diagonal()[3:] == pytest.approx(0.5 * RHO * np.array([0.15, 0.1, 0.06]))
    ball = sp.Rigid.sphere(0.1, density=500.0)
    M = coefficient_matrix(AddedMass(0.5, 0.5, 0.5), "ball", ball, None, RHO, "added_mass")
    assert M.diagonal()[3:] == pytest.approx(np.full(3, 0.5 * RHO * 4.0 / 3.0 * np.pi * 0.1**3))
    cone = sp.Rigid.cone(0.3, 0.1, density=500.0)
    assert displaced_volume(cone, None) == pytest.approx(np.pi * 0.1**2 * 0.3 / 3.0)


def test_matrices_diagonals_and_functions():
    diagonal = np.arange(1.0, 7.0)
    table = {"a": diagonal, "b": np.diag(diagonal), "c": lambda s: s * diagonal}
    body = rod(sp.Circle(0.02))
    for link in "ab":
        assert np.array_equal(coefficient_matrix(table, link, body, 0.5, RHO, "drag"), np.diag(diagonal))
    assert np.array_equal(coefficient_matrix(table, "c", body, 0.5, RHO, "drag"), 0.5 * np.diag(diagonal))
    assert not coefficient_matrix(table, "other", body, 0.5, RHO, "drag").any()


def test_volumes_of_sections():
    assert displaced_volume(rod(sp.Circle(0.02)), 0.3) == pytest.approx(np.pi * 0.02**2)
    assert displaced_volume(rod(sp.Rectangle(0.02, 0.05)), 0.3) == pytest.approx(1e-3)


@pytest.mark.parametrize(
    ("table", "s", "what", "message"),
    [
        (AddedMass(), 0.5, "drag", "drag takes Drag"),
        (Drag(), 0.5, "added_mass", "added_mass takes AddedMass"),
        (np.eye(6), 0.5, "drag", "must be a dict of links or Drag"),
        ({"rod": lambda s: np.eye(6)}, None, "drag", "is a function of s, but the link is rigid"),
        ({"rod": np.eye(3)}, 0.5, "drag", "drag"),
        ({"rod": np.full((6, 6), np.nan)}, 0.5, "drag", "drag"),
    ],
)
def test_what_is_refused(table, s, what, message):
    with pytest.raises(ModelError, match=message):
        coefficient_matrix(table, "rod", rod(sp.Circle(0.02)), s, RHO, what)


def test_bodies_without_a_shape_are_told_what_to_give():
    body = sp.Rigid(1.0, np.eye(3))
    with pytest.raises(ModelError, match="drag needs the shape of the body"):
        coefficient_matrix(Drag(), "body", body, None, RHO, "drag")
    with pytest.raises(ModelError, match="buoyancy needs the volume"):
        displaced_volume(body, None)
