"""Shapes of rods that are known in closed form: straight, circular, helical."""

import numpy as np
import pytest
from scipy.linalg import expm

import supple as sp
from helpers import hat, relative_error

MATERIAL = sp.Material(young=1e5, density=1000.0)

FAMILIES = {
    "Legendre": sp.Legendre(torsion=0, bend_y=0, bend_z=0, stretch=0, shear_y=0, shear_z=0),
    "Monomial": sp.Monomial(torsion=0, bend_y=0, bend_z=0, stretch=0, shear_y=0, shear_z=0),
    "Chebyshev": sp.Chebyshev(torsion=0, bend_y=0, bend_z=0, stretch=0, shear_y=0, shear_z=0),
    "Fourier": sp.Fourier(torsion=0, bend_y=0, bend_z=0, stretch=0, shear_y=0, shear_z=0),
    "PiecewiseConstant": sp.PiecewiseConstant(torsion=1, bend_y=1, bend_z=1, stretch=1, shear_y=1, shear_z=1),
}


def one_rod(**options):
    robot = sp.Robot("rod")
    robot.add_link("rod", sp.Rod(section=sp.Circle(0.02), material=MATERIAL, **options))
    return robot.compile()


@pytest.mark.parametrize("magnus", [2, 4])
@pytest.mark.parametrize("family", FAMILIES)
def test_constant_strain_is_one_exponential(family, magnus):
    """g(s) = exp(s L xi), whatever the points: Magnus steps of a constant field commute."""
    length = 0.7
    model = one_rod(length=length, strain=FAMILIES[family], points=3, magnus=magnus)
    q = np.array([1.3, -0.8, 2.1, 0.2, -0.1, 0.15])
    strain = np.concatenate([q[:3] / length, [1.2], q[4:]])
    for s in (0.0, 0.1, 0.5, 0.77, 1.0):
        assert relative_error(model.pose(q, "rod", s), expm(hat(s * length * strain))) < 1e-13


def test_straight_rod():
    """At rest the axis is the local x axis; the stretch coordinate is the strain."""
    model = one_rod(length=0.5, strain=sp.Legendre(bend_y=2, stretch=1), points=4)
    assert relative_error(model.pose(np.zeros(model.n), "rod", 0.6), sp.pose((0.3, 0, 0))) < 1e-15
    stretched = np.array([0, 0, 0, 0.1, 0.0])
    assert relative_error(model.pose(stretched, "rod", 1.0), sp.pose((0.55, 0, 0))) < 1e-15


def test_full_circle_closes():
    """An angle of 2 pi brings the tip back to the base; the quarter points lie on a circle of radius L / 2 pi."""
    model = one_rod(length=2.0, strain=sp.Legendre(bend_z=0), points=6)
    q = np.array([2.0 * np.pi])
    radius = 1.0 / np.pi
    assert relative_error(model.pose(q, "rod", 1.0), np.eye(4)) < 1e-13
    assert relative_error(model.pose(q, "rod", 0.25)[:3, 3], [radius, radius, 0.0]) < 1e-13
    assert relative_error(model.pose(q, "rod", 0.5)[:3, 3], [0.0, 2.0 * radius, 0.0]) < 1e-13


def helix(twist, bend, length):
    """Tip of a rod of constant torsion and bending about z, starting along x."""
    speed = np.hypot(twist, bend)
    turn = speed * length
    x = twist**2 / speed**2 * length + bend**2 / speed**3 * np.sin(turn)
    y = bend / speed**2 * (1.0 - np.cos(turn))
    z = twist * bend / speed**2 * (length - np.sin(turn) / speed)
    return np.array([x, y, z])


@pytest.mark.parametrize("rest", [False, True], ids=["coordinates", "rest strain"])
def test_helix(rest):
    """Torsion 1.5 and bending 3 per metre over 2 m: radius 4/15, pitch 2 pi times 2/15, tip as tabulated."""
    options = {"length": 2.0, "strain": sp.Legendre(torsion=0, bend_z=0), "points": 5}
    if rest:
        model = one_rod(rest_strain=(1.5, 0, 3, 1, 0, 0), **options)
        q = np.zeros(2)
    else:
        model = one_rod(**options)
        q = np.array([3.0, 6.0])
    tip = model.pose(q, "rod", 1.0)[:3, 3]
    assert tip == pytest.approx([0.498348292141, 0.0237250524828, 0.750825853929], abs=1e-12)
    for s in (0.2, 0.5, 0.9):
        assert relative_error(model.pose(q, "rod", s)[:3, 3], helix(1.5, 3.0, 2.0 * s)) < 1e-13


def test_rest_strain_and_coordinates_add():
    """xi = rest + Phi q: a rod born curved and one bent to the same curvature have the same shape."""
    basis = sp.Legendre(torsion=1, bend_y=1, stretch=1)
    born = one_rod(length=0.5, strain=basis, points=4, rest_strain=lambda s: (0.2, 1.0 + (2 * s - 1), 0, 1.1, 0, 0))
    bent = one_rod(length=0.5, strain=basis, points=4)
    q = np.array([0.3, -0.2, 0.5, 0.1, 0.05, 0.02])
    shift = np.array([0.1, 0.0, 0.5, 0.5, 0.1, 0.0])
    assert relative_error(born.points(q), bent.points(q + shift)) < 1e-14
    assert relative_error(born.pose(q, "rod", 0.43), bent.pose(q + shift, "rod", 0.43)) < 1e-12
