"""What loops of all schemes call by address: who solves no stages by themselves does not compile them."""

import numpy as np
import pytest

import supple as sp
from carts import carts
from supple.solvers.motion.simulation import Simulation
from supple.solvers.problem import ACCELERATION_AT, STAGE_AT
from supple.solvers.stage.calls import ACCELERATION, STAGE


@pytest.mark.parametrize(
    ("method", "stages"), [(sp.NDF(), True), (sp.BDF2(dt=1e-3), True), (sp.Radau(), False), (sp.RK45(), False)]
)
def test_a_run_has_the_addresses_that_it_needs(method, stages):
    run = Simulation(carts(), 0.01, np.zeros(2), np.zeros(2), None, method)
    calls = run.integrator.problem.calls
    assert calls[ACCELERATION_AT] == ACCELERATION.address
    assert calls[STAGE_AT] == (STAGE.address if stages else 0)
