"""The arm of variable radius: chambers bend, stretch and bulge it."""

import numpy as np
import pytest

from supple.systems import variable_radius
from supple.systems.variable_radius import half_cylinder


def test_half_cylinders_are_closed_and_as_large_as_they_should_be():
    radius, gap = 0.016, 0.002
    half = np.arccos(gap / radius)
    for side in (1, -1):
        points, areas = half_cylinder(0.01, 0.21, radius, gap, side)
        assert np.abs(areas.sum(axis=0)).max() < 1e-9 * np.abs(areas).sum()
        volume = np.sum(points * areas) / 3.0
        segment = half * radius**2 - gap * radius * np.sin(half)
        assert volume == pytest.approx(segment * 0.2, rel=1e-9)
        assert (side * points[:, 2] >= gap - 1e-12).all()
        assert np.hypot(points[:, 1], points[:, 2]).max() <= radius + 1e-12


def test_pressures_bend_away_from_their_chamber_and_bulge_it():
    model = variable_radius().compile()
    B = model.actuation(model.rest)
    own = B[:4, :2]  # bending, elongation, bulges of both sides, by both chambers of the first body
    assert B[4:, :2].any() == False  # noqa: E712
    assert own[0, 0] == pytest.approx(-own[0, 1])
    assert own[1, 0] == pytest.approx(own[1, 1])
    assert own[2, 0] > 10.0 * abs(own[2, 1])
    assert own[3, 1] > 10.0 * abs(own[3, 0])
    assert own[1, 0] > 0.0


@pytest.mark.slow
def test_it_comes_to_rest_at_an_equilibrium():
    system = variable_radius()
    model = system.compile()
    motion = system.simulate(model, [0.0, system.t_end], progress=False)
    found = model.statics(system.u, motion.q[-1])
    assert found.converged
    np.testing.assert_allclose(motion.q[-1], found.q, atol=2e-2 * np.abs(found.q).max())
    assert np.abs(found.q[2::4]).max() > 1e-4
