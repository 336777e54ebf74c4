"""What poses and energies do to parameters directly, q held still."""

import numpy as np
import pytest

import supple as sp
from gradients.design_cases import LOOPED, differences, looped
from gradients.parameter_cases import arm
from gradients.test_equilibrium_parameters import twist
from supple.gradients.parameters import energies_by_parameter, pull_back_poses, push_poses


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
    change = rng.standard_normal(design.size)
    twists = push_poses(model, *station, q, change)
    assert np.sum(wrenches * twists) == pytest.approx(found @ change, rel=1e-11, abs=1e-13)


def test_energies():
    """With inputs and at their times: an elastic tendon's depends on what is pulled."""
    design = sp.Design(arm, young=3e5, density=1000.0, length=0.4)
    model = design.model()
    rng = np.random.default_rng(3)
    u = np.array([2.0, 0.08])
    motion = model.simulate(np.array([0.0, 0.01, 0.02]), 0.2 * rng.standard_normal(model.n), None, u, sp.BDF2(dt=5e-3))
    bars, wanted = np.array([1.0, 0.0, -2.0]), np.array([True, False, True])

    def loss(other):
        return sum(bar * other.energy(x, y, u, 0.0).total for bar, x, y in zip(bars, motion.q, motion.v, strict=True))

    found, expected = energies_by_parameter(motion, wanted), differences(design, loss)
    assert not found[1].any()
    assert np.allclose(bars @ found, expected, rtol=1e-7, atol=1e-9 * np.abs(expected).max())
    assert np.abs(expected).min() > 0.0
