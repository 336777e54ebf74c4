"""What poses and energies do to parameters directly, q held still."""

import numpy as np
import pytest

import supple as sp
from gradients.design_cases import LOOPED, differences, looped
from gradients.test_equilibrium_parameters import twist
from supple.gradients.parameters import pull_back_energies, pull_back_poses


@pytest.fixture(scope="module")
def case():
    design = sp.Design(lambda **p: looped(**p), **LOOPED)
    return design, design.model()


@pytest.mark.parametrize("station", [("left", 0.0), ("left", 1.0), ("top", 0.0), ("top", 0.37), ("top", 1.0)])
def test_poses_of_any_station(case, station):
    design, model = case
    rng = np.random.default_rng(3)
    q, wrenches = 0.3 * rng.standard_normal((4, model.n)), rng.standard_normal((4, 6))
    wrenches[2] = 0.0
    poses = [model.pose(x, *station) for x in q]

    def loss(other):
        return sum(w @ twist(g, other.pose(x, *station)) for w, g, x in zip(wrenches, poses, q, strict=True))

    found, expected = pull_back_poses(model, *station, q, wrenches), differences(design, loss)
    assert np.allclose(found, expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max(initial=1.0))


def test_energies(case):
    design, model = case
    rng = np.random.default_rng(3)
    q, v, bars = *(0.3 * rng.standard_normal((2, 3, model.n))), np.array([1.0, 0.0, -2.0])

    def loss(other):
        return sum(bar * other.energy(x, y).total for bar, x, y in zip(bars, q, v, strict=True))

    found, expected = pull_back_energies(model, q, v, bars), differences(design, loss)
    assert np.allclose(found, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())
