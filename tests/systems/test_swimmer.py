"""The swimmer: neutral, forward, and no energy lost but to friction and the wake."""

import numpy as np
import pytest

from supple.systems import swimmer
from supple.systems.swimmer import Outline, _whole


def test_mass_is_that_of_the_displaced_water():
    system = swimmer()
    model = system.compile()
    outline = Outline(0.2, 0.7, 1.0, 0.05, 0.06, 0.005, 0.04)
    X = np.linspace(0.0, 1.0, 20001)
    volume = np.trapezoid([np.pi * np.prod(outline.half_axes(x)) for x in X], X)
    along = model.momentum(np.zeros(model.n), np.eye(model.n)[1])  # at 1 m/s along x, where no water is moved
    assert along[3] == pytest.approx(1000.0 * volume, rel=1e-5)
    assert max(outline.half_axes(x)[0] for x in X) == 0.05


def test_the_head_is_half_an_ellipsoid():
    outline = Outline(0.2, 0.7, 1.0, 0.05, 0.06, 0.005, 0.04)
    inertia = _whole(outline.inertia, 0.2, 0.0)
    mass = 1000.0 * 2.0 / 3.0 * np.pi * 0.2 * 0.05 * 0.06
    assert inertia[3, 3] == pytest.approx(mass, rel=1e-13)
    assert inertia[4, 2] / mass == pytest.approx(0.2 * 5.0 / 8.0, rel=1e-13)  # from the nose
    at_neck = _whole(outline.inertia, 0.2, 0.2)
    np.testing.assert_allclose(
        np.diag(at_neck)[:3], mass / 5.0 * np.array([0.05**2 + 0.06**2, 0.2**2 + 0.06**2, 0.2**2 + 0.05**2]), rtol=1e-13
    )


def test_tensions_are_out_of_phase():
    left, right = swimmer().u
    assert (left(0.0), right(0.0)) == (40.0, 0.0)
    assert left(0.2) == pytest.approx(0.0, abs=1e-12)
    assert right(0.2) == pytest.approx(40.0)


def test_energy_goes_to_friction_and_into_the_wake():
    """d/dt (body + water) = power of tendons - friction - u m w^2 / 2."""
    system = swimmer()
    model = system.compile()
    run = system.simulate(model, np.linspace(0.0, 0.4, 401))
    zero, smooth, powers = np.zeros(model.n), swimmer(friction=0.0).compile(), []
    for q, v, u in zip(run.q, run.v, run.u, strict=True):
        eta = model.twist(q, v, "tail")
        wake = eta[3] * 0.5 * 1000.0 * np.pi * 0.04**2 * eta[4] ** 2  # x points aft: u = -v_x
        friction = (smooth.inverse_dynamics(q, v, zero) - model.inverse_dynamics(q, v, zero)) @ v
        powers.append(model.actuation(q) @ u @ v + friction + wake)
    gained = run.energy()[-1, -1] - run.energy()[0, -1]
    assert gained == pytest.approx(np.trapezoid(powers, run.t), rel=1e-3)


@pytest.mark.slow
def test_swims_forward():
    """About a metre per second: 0.4 lengths per beat, Strouhal number 0.4."""
    run = swimmer().simulate(t=np.linspace(0.0, 10.0, 501))
    nose, tail = run.tip("head", 0.0)[:, :2], run.tip("tail")[:, :2]
    late = run.t >= 6.0
    way = nose[-1] - nose[late][0]
    speed = np.linalg.norm(way) / 4.0
    assert way[0] < 0.0
    assert 0.3 < speed / 2.5 < 0.5
    across = tail[late] @ np.array([-way[1], way[0]]) / np.linalg.norm(way)
    across -= np.polyval(np.polyfit(run.t[late], across, 1), run.t[late])
    assert 0.3 < 2.5 * np.ptp(across) / speed < 0.5
