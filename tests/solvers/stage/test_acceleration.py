"""Accelerations inside the solvers: loads that are not linear in them, under constraints as well."""

import numpy as np
import pytest

import supple as sp
from carts import HELD, carts, flat, jumping
from supple.systems import underwater_vehicle

METHODS = [sp.RK45(), sp.GeneralizedAlpha(), sp.NDF()]


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_the_first_acceleration_balances(held, method):
    model = carts(*HELD[held])
    start = np.zeros((2, 2)) if held != "prescribed" else np.array([[0.0, 0.0], [0.26, 0.0]])
    motion = model.simulate((0.0, 0.01), *start, method=method)
    exact = model.forward_dynamics(motion.q[0], motion.v[0]).a
    assert motion.a[0] == pytest.approx(exact, rel=1e-8, abs=1e-8)


def test_no_acceleration_is_told():
    model = carts(law=jumping, tangent=flat)
    with pytest.raises(sp.SuppleError, match="does not converge"):
        model.simulate((0.0, 0.1), np.zeros(2), np.zeros(2), method=sp.RK45())


def test_weight_and_buoyancy_may_cancel():
    """What is left of two forces that cancel is rounding of both, although nothing else tells how large they are."""
    model = underwater_vehicle().compile()
    motion = model.simulate(0.05, method=sp.NDF())
    assert np.abs(motion.a[0]).max() < 1e-6
    assert np.abs(motion.v).max() < 1e-6
