"""Laws of rods: rubber against the energy of a solid, slopes at rest, bounds of their numbers."""

import numpy as np
import pytest

import supple as sp
from supple.sections.rod_laws import RodLaw

K = np.diag([2.0, 3.0, 4.0, 500.0, 60.0, 70.0])


def solid_energy(share, stretch, twist, bend, shear, radius=1.0):
    """Energy per metre of a round rod of incompressible Mooney-Rivlin rubber with E = 6, as a solid.

    Bent fibres are stretched by a pure tension each; twist and shear displace sections within their planes.
    """
    nodes, weights = np.polynomial.legendre.leggauss(12)
    angles = 2.0 * np.pi * np.arange(24) / 24
    r, w = 0.5 * radius * (nodes + 1.0), 0.5 * radius * weights
    total = 0.0
    for rho, weight in zip(r, w, strict=True):
        for angle in angles:
            y = rho * np.sin(angle) / np.sqrt(stretch)
            fibre = stretch + bend * y
            F = np.diag([fibre, fibre**-0.5, fibre**-0.5])
            F[1, 0] = shear - twist * rho * np.sin(angle) / np.sqrt(stretch)
            F[2, 0] = twist * rho * np.cos(angle) / np.sqrt(stretch)
            C = F.T @ F
            first = np.trace(C)
            second = 0.5 * (first**2 - np.trace(C @ C))
            total += weight * rho * 2.0 * np.pi / 24 * ((1.0 - share) * (first - 3.0) + share * (second - 3.0))
    return total


@pytest.mark.parametrize("share", [0.0, 0.35, 1.0])
@pytest.mark.parametrize("stretch", [0.7, 1.0, 1.8])
def test_rubber_is_the_solid_to_second_order(share, stretch):
    law, area, second = sp.MooneyRivlinRod(share), np.pi, np.pi / 4.0
    stiffness = np.diag([2.0 * 2.0 * second, 6.0 * second, 6.0 * second, 6.0 * area, 2.0 * area, 2.0 * area])

    def energy(twist=0.0, bend=0.0, shear=0.0):
        return law.energy(np.array([twist, bend, 0.0, stretch - 1.0, shear, 0.0]), stiffness, 0.5)

    assert np.isclose(energy(), solid_energy(share, stretch, 0.0, 0.0, 0.0), rtol=1e-12, atol=1e-12)
    h = 1e-3
    for name, step in (("twist", (h, 0.0, 0.0)), ("bend", (0.0, h, 0.0)), ("shear", (0.0, 0.0, h))):
        solid = sum(solid_energy(share, stretch, *(sign * x for x in step)) for sign in (1.0, -1.0))
        solid = (solid - 2.0 * solid_energy(share, stretch, 0.0, 0.0, 0.0)) / h**2
        rod = (energy(**{name: h}) + energy(**{name: -h}) - 2.0 * energy()) / h**2
        assert np.isclose(rod, solid, rtol=1e-4), name


LAWS = (
    sp.QuadraticEnergy(),
    sp.MooneyRivlinRod(0.3),
    sp.Stiffening(1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
    sp.Saturating(1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_small_strains_are_linear(law):
    e, h = np.random.default_rng(0).standard_normal(6), 1e-5
    e[3] = 0.1
    assert abs(law.energy(0.0 * e, K, 0.5)) < 1e-12
    assert np.isclose(law.energy(h * e, K, 0.5), 0.5 * h * h * e @ K @ e, rtol=1e-4)


def test_stiffening_and_saturating():
    e, h = np.array([0.3, -0.4, 0.5, 0.2, -0.1, 0.6]), 1e-6
    for law, stress in (
        (sp.Stiffening(bend_y=2.0), lambda x: 3.0 * x * (1.0 + 2.0 * x**2)),
        (sp.Saturating(bend_y=0.5), lambda x: 3.0 * x / np.sqrt(1.0 + (x / 0.5) ** 2)),
    ):
        step = h * np.eye(6)[1]
        slope = (law.energy(e + step, K, 0.0) - law.energy(e - step, K, 0.0)) / (2.0 * h)
        assert np.isclose(slope, stress(e[1]), rtol=1e-6)


def test_refused():
    with pytest.raises(sp.ModelError, match=r"MooneyRivlinRod: share is 1\.5, must lie in \[0, 1\]"):
        sp.MooneyRivlinRod(1.5)
    with pytest.raises(sp.ModelError, match="StrainEnergy: function is 3"):
        sp.StrainEnergy(3)
    with pytest.raises(sp.ModelError, match="Saturating: bend_y"):
        sp.Saturating(bend_y=0.0)
    with pytest.raises(sp.ModelError, match="Stiffening: stretch"):
        sp.Stiffening(stretch=-1.0)
    with pytest.raises(TypeError):
        RodLaw()
