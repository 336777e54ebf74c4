"""Domains: their rules sum volumes and moments exactly, and what they refuse."""

import numpy as np
import pytest

import supple as sp
from supple.robot.domains import checked_points

TETRAHEDRA = np.array([[0, 1, 3, 5], [1, 2, 3, 6], [1, 4, 5, 6], [3, 5, 6, 7], [1, 3, 5, 6]])
CUBE = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 1, 1]], dtype=float)

#: Domain, volume, sum of x, sum of y^2.
CASES = [
    (sp.Cylinder(0.3, 0.02), np.pi * 0.02**2 * 0.3, 0.15, 0.25 * 0.02**2),
    (sp.HollowCylinder(0.3, 0.02, 0.01), np.pi * 3e-4 * 0.3, 0.15, 0.25 * (0.02**2 + 0.01**2)),
    (sp.Cone(0.3, 0.03), np.pi * 0.03**2 * 0.1, 0.075, 0.15 * 0.03**2),
    (sp.Block(0.3, 0.02, 0.04), 0.3 * 0.02 * 0.04, 0.15, 0.02**2 / 12),
    (sp.Mesh(CUBE, TETRAHEDRA), 1.0, 0.5, 1.0 / 3.0),
]


@pytest.mark.parametrize(("domain", "volume", "x", "yy"), CASES)
def test_moments(domain, volume, x, yy):
    points, weights = domain.quadrature((4, 3, 5))
    assert np.isclose(weights.sum(), volume, rtol=1e-13)
    assert np.isclose(weights @ points[:, 0] / volume, x, rtol=1e-12)
    assert np.isclose(weights @ points[:, 1] ** 2 / volume, yy, rtol=1e-12)


@pytest.mark.parametrize("domain", [case[0] for case in CASES[:4]])
def test_surface_and_tip(domain):
    assert np.allclose(np.ptp(domain.surface.vertices[:, 0]), domain.length)
    assert domain.tip.shape == (3, 3)
    assert (domain.tip[:, 0] == domain.length).all()


def test_points_are_taken_as_they_are():
    X, m = np.random.default_rng(0).uniform(size=(5, 3)), np.ones(5)
    domain = sp.Points(X, m)
    assert np.array_equal(domain.quadrature((1, 1, 1)).x, X)
    assert np.array_equal(domain.mass, m)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sp.Cylinder(-1.0, 0.1), "Cylinder: length"),
        (lambda: sp.HollowCylinder(1.0, 0.1, 0.2), "inner is 0.2 m, must be less than outer"),
        (lambda: sp.Mesh(CUBE, [[0, 1, 2, 9]]), "has 9, but vertices are 0 to 7"),
        (lambda: sp.Mesh(CUBE, [[0, 1, 2]]), "must be whole numbers of shape"),
        (lambda: sp.Mesh(CUBE, [[0, 1, 2, 3], *TETRAHEDRA]), "tetrahedron 0 is flat"),
        (lambda: sp.Points([[0.0, 0.0]], [1.0]), r"Points: X has shape \(1, 2\)"),
        (lambda: sp.Points([[0.0, 0.0, 0.0]], [0.0]), "not all zero"),
        (lambda: checked_points((1, 2)), "must be a number or"),
    ],
)
def test_refused(make, message):
    with pytest.raises(sp.ModelError, match=message):
        make()
