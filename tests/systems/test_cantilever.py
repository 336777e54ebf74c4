"""Hanging rods: held by the force at the tip, and as the converged solution once they have modes enough."""

import numpy as np
import pytest

from helpers import DATA
from supple.systems import cantilever


@pytest.mark.parametrize(("kind", "tip"), [("soft", (7.9976, -5.0620)), ("stiff", (0.32464, -0.17727))])
def test_begins_where_the_force_holds_it(kind, tip):
    """With modes enough: [the stiff rod's] tip is known to 1e-9."""
    system = cantilever(kind, modes=10, points=20)
    model = system.compile()
    q0, _ = system.start(model)
    np.testing.assert_allclose(model.pose(q0, "rod")[:2, 3], tip, rtol=1e-4)
    assert np.abs(model.residual(q0, 0 * q0, 0 * q0)).max() > 0.1  # the force is gone


def test_six_modes_follow_the_reference():
    with np.load(DATA / "stiff_cantilever_release.npz") as data:
        early = data["t"] <= 0.1
        system = cantilever("stiff", modes=6)
        tip = system.simulate(t=data["t"][early]).tip("rod")[:, :2]
        assert np.abs(tip - np.column_stack([data["x"][early, 1], data["y"][early, 1]])).max() < 1e-3
