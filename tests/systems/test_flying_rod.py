"""Flying rods: Simo's rod as published, momentum after the push."""

import numpy as np
import pytest

from helpers import DATA
from supple.systems import flying_rod, soft_flying_rod


def test_with_stretch_and_shear_it_is_simos():
    with np.load(DATA / "simo_flying_rod_3d.npz") as data:
        early = data["t"] <= 2.5
        system = soft_flying_rod(modes=9, points=20, extensible=True)
        run = system.simulate(t=data["t"][early])
        for k, s in enumerate((0.0, 0.5, 1.0)):
            assert np.abs(run.tip("rod", s) - data["r"][k].T[early]).max() < 1e-3


@pytest.mark.parametrize(("kind", "duration", "impulse"), [("soft", 5.0, (50.0, 0, 0)), ("stiff", 1.0, (2.0, 0, 1.0))])
def test_momentum_is_the_push(kind, duration, impulse):
    run = flying_rod(kind).simulate(t=[0.0, duration, duration + 1.0])
    momentum = run.momentum()
    np.testing.assert_allclose(momentum[1:, 3:], [impulse, impulse], atol=1e-4 * max(impulse))
    np.testing.assert_allclose(momentum[2], momentum[1], atol=1e-4 * np.abs(momentum[1]).max())
