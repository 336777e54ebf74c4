"""The three Jacobians of the residual in one pass, against its fused tangent, with every kind of load."""

import numpy as np
import pytest

from helpers import random_coordinates, random_robot
from load_kinds import KINDS, add_kinds


@pytest.mark.filterwarnings("ignore::supple.errors.ModelWarning")
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_jacobians_add_up_to_the_fused_tangent(kind):
    rng = np.random.default_rng(7)
    robot = add_kinds(rng, random_robot(rng), [kind])
    model = robot.compile()
    q, v, a = random_coordinates(rng, robot, "moderate"), *rng.standard_normal((2, model.n))
    u, lam = rng.uniform(0.1, 1.0, model.nu), rng.standard_normal(model.nc)
    parts = model.residual_derivatives(q, v, a, u, lam, 0.3)
    for cv, ca in ((0.0, 0.0), (30.0, 900.0)):
        _, fused = model.residual_tangent(q, v, a, u, lam, 0.3, cv=cv, ca=ca)
        size = 1.0 + np.abs(parts.dq).max() + cv * np.abs(parts.dv).max() + ca * np.abs(parts.da).max()
        assert np.abs(parts.dq + cv * parts.dv + ca * parts.da - fused).max() < 1e-12 * size
