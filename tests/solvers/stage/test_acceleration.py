"""Accelerations inside the solvers: loads that are not linear in them, under constraints as well."""

import numpy as np
import pytest

import supple as sp
from carts import HELD, carts, flat, jumping

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
