"""Deflation: it meets what is not known, never comes back, and its step is the Newton step of m F."""

import numpy as np
import pytest

from equilibrium_cases import four_bar, truss, truss_of_links
from supple.solvers.statics.configurations import Configurations
from supple.solvers.statics.deflation import _stretch, deflated_newton
from supple.solvers.statics.search import balancing_multipliers

NO_INPUTS = np.zeros(0)


def deflate(model, q, known):
    places = Configurations(model, model.rest, 1.0)
    lam = balancing_multipliers(model, q, NO_INPUTS, 0.0)
    return deflated_newton(model, places, NO_INPUTS, 0.0, (q, lam), known, False)


def test_from_one_start_all_heights_of_a_truss():
    model = truss(0.4, 0.0, "z")
    known = []
    while (end := deflate(model, np.array([0.3]), known)) is not None:
        known.append(end[0])
    assert sorted(float(q[0]) for q in known) == pytest.approx([-0.4, 0.0, 0.4], abs=1e-5)


def test_with_loops():
    model = four_bar()
    first = model.statics()
    starts = [model.assemble(first.q + step) for step in (0.4, 0.8, 1.2, 1.6)]
    ends = [end for end in (deflate(model, q, [first.q]) for q in starts) if end is not None]
    assert len(ends) >= 1
    for q, lam in ends:
        found = model.statics(q0=q, multipliers=lam, globalise=False)
        assert found.converged
        assert np.abs(found.q - q).max() < 1e-5
        assert np.abs(found.q - first.q).max() > 0.1


def test_the_factor_of_a_step():
    """The Newton step of m F, with the Jacobian m F_x + F grad(m)^T formed in full."""
    model = truss(3.0, 20.0, "x", "z")
    places = Configurations(model, model.rest, 1.0)
    q, zero = np.array([0.4, 1.7]), np.zeros(2)
    known = [np.array([0.1, 2.5]), np.array([-0.7, 0.2])]
    F, J = model.residual_tangent(q, zero, zero)

    def factor(x):
        return np.prod([1.0 / square + 1.0 for square in places.distances(np.array(known), x)[0]])

    slope = np.array([(factor(q + h) - factor(q - h)) / 2e-6 for h in 1e-6 * np.eye(2)])
    expected = np.linalg.solve(factor(q) * J + np.outer(F, slope), -factor(q) * F)
    step = np.linalg.solve(J, -F)
    assert _stretch(places, q, step, known) * step == pytest.approx(expected, rel=1e-6)


def test_nothing_is_met_where_nothing_is():
    """A truss of links under no load, with all that it has known already."""
    model = truss_of_links(0.4, [0.0] * 6)
    known = list(model.statics_all(starts=16).q)
    for k in range(3):
        end = deflate(model, model.assemble(known[0] + 0.1 * (k + 1)), known)
        if end is not None:
            places = Configurations(model, model.rest, 1.0)
            assert not any(places.same(other, end[0]) for other in known)
