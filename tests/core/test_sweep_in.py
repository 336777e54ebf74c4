"""The sweep inward: resultants of wrenches and inertias of all that hangs on a point."""

from functools import cache

import numpy as np
import pytest

from helpers import central_difference, random_robot, relative_error
from kernel_entry import scratch_of


@cache
def robot(seed):
    rng = np.random.default_rng(seed)
    model = random_robot(rng, links=4).compile()
    return model, 0.4 * rng.standard_normal((3, model.n))


@pytest.mark.parametrize("seed", range(6))
def test_the_resultant_at_the_world_balances_momentum_and_weight(seed):
    """F of the world, moved to its origin, is d(momentum)/dt minus the weight's wrench."""
    model, (q, v, a) = robot(seed)
    model.inverse_dynamics(q, v, a)
    work = scratch_of(model).work
    F, origin = work["F"][0].copy(), -work["p"][0].copy()
    F[:3] += np.cross(origin, F[3:])
    rate = central_difference(lambda t: model.momentum(q + t * v + 0.5 * t * t * a, v + t * a), 1e-3)
    gravity = np.asarray(model.parameters.gravity)
    weight = sum(s["inertia"][3, 3] for s in model.parameters.segments) * gravity
    centre = model.center_of_mass(q).position
    expected = rate - np.concatenate([np.cross(centre, weight), weight])
    assert relative_error(F, expected) < 1e-8


@pytest.mark.parametrize("seed", range(6))
def test_composite_inertia_at_the_world(seed):
    """M of the world is the sum over all points: a rigid body's, its linear part the mass."""
    model, (q, _, _) = robot(seed)
    model.mass_matrix(q)
    M = scratch_of(model).work["M"][0]
    mass = sum(s["inertia"][3, 3] for s in model.parameters.segments)
    assert relative_error(M[3:, 3:], mass * np.eye(3)) < 1e-12
    assert relative_error(M, M.T) < 1e-13
    assert np.linalg.eigvalsh(M).min() > 0.0
