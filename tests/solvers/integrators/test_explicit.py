"""Explicit pairs as tableaux: order conditions, shapes, and who may go with which options."""

from dataclasses import dataclass

import numpy as np
import pytest

import supple as sp
from motions import pendulum
from supple.errors import ModelError
from supple.solvers.integrators.explicit import Explicit, Pair
from supple.solvers.integrators.method import methods
from supple.systems.cantilever import stiff_cantilever

PAIRS = {
    "rk45": (sp.RK45(), 5),
    "dop853": (sp.DOP853(), 8),
    "nystrom": (sp.Nystrom(), 5),
    "nystrom4": (sp.Nystrom(order=4), 4),
}


@pytest.mark.parametrize("name", PAIRS)
def test_order_conditions(name):
    """Quadrature conditions b . c^(k-1) = 1/k, rows that add up to c, and estimates that vanish on low orders."""
    method, order = PAIRS[name]
    A, b, c, error, estimate = (np.asarray(x, dtype=float) for x in method.pair()[:5])
    assert A.sum(axis=1) == pytest.approx(c, abs=1e-12)
    assert np.array_equal(A, np.tril(A, -1))
    for k in range(1, order + 1):
        assert b @ c ** (k - 1) == pytest.approx(1.0 / k, abs=1e-12)
    assert abs(b @ c**order - 1.0 / (order + 1)) > 1e-9
    assert b @ (A @ c) == pytest.approx(1.0 / 6.0)
    stages = np.append(c, 1.0)  # the last stage is the first one of the next step
    for row in error:
        assert row.sum() == pytest.approx(0.0, abs=1e-12)
        assert row @ stages == pytest.approx(0.0, abs=1e-12)
    assert np.all(estimate < order)


@dataclass(frozen=True)
class Heun(Explicit):
    """Second order with an estimate of first; no name, so that it is in nobody's list."""

    def pair(self):
        """Its tableau."""
        return Pair([[0.0, 0.0], [1.0, 0.0]], [0.5, 0.5], [0.0, 1.0], [[-0.5, 0.5, 0.0]], 1)


def test_a_pair_is_a_tableau():
    """And not registered without a name."""
    assert Heun not in methods().values()
    model, times = pendulum(), np.linspace(0.0, 1.0, 5)
    exact = model.simulate(times, q0=[0.5], method=sp.DOP853(rtol=1e-11, atol=1e-12), progress=False)
    errors = []
    for rtol in (1e-4, 1e-6):
        found = model.simulate(times, q0=[0.5], method=Heun(rtol=rtol, atol=rtol), progress=False)
        errors.append(np.abs(found.q - exact.q).max())
    assert errors[0] < 1e-2
    assert errors[1] < 0.1 * errors[0]


@pytest.mark.parametrize(("method", "most"), [(sp.RK45(rtol=1e-2, atol=1e-5), 0.03), (sp.DOP853(), 3e-4)])
def test_steps_stay_below_the_bound_of_stability(method, most):
    """A beam of 294 Hz without damping; steps that went to and fro across the bound would be 0.36 m and 0.4 mm off."""
    system = stiff_cantilever()
    model, times = system.compile(), np.linspace(0.0, 1.0, 101)
    exact = system.paths(system.simulate(model, times, sp.DOP853(rtol=1e-8, atol=1e-11), progress=False))
    motion = system.simulate(model, times, method, progress=False)
    assert np.abs(system.paths(motion) - exact).max() < most
    assert motion.stats["rejected"] < 0.1 * motion.stats["steps"]


@dataclass(frozen=True)
class Wrong(Explicit):
    """A tableau whose parts do not fit."""

    def pair(self):
        """One stage too few in c."""
        return Pair([[0.0, 0.0], [1.0, 0.0]], [0.5, 0.5], [0.0], [[-0.5, 0.5, 0.0]], 1)


def test_a_wrong_tableau_is_named():
    with pytest.raises(ModelError, match="Wrong: of a tableau of 2 stages A must be"):
        pendulum().simulate(1.0, q0=[0.5], method=Wrong(), progress=False)


def test_bad_options_are_named():
    with pytest.raises(ModelError, match="RK45: baumgarte"):
        sp.RK45(baumgarte=-1.0)
    with pytest.raises(ModelError, match="DOP853: rtol"):
        sp.DOP853(rtol=0.0)
