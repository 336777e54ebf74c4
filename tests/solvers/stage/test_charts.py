"""Rows in other charts: recorded motions are in the model's own, however often charts were re-centred."""

import numpy as np
import pytest

import supple as sp
from motions import free_body
from supple.solvers.integrators.run import RECENTRED
from supple.solvers.motion.simulation import Simulation
from supple.solvers.stage.charts import to_home

SPIN = [3.0, 2.0, 1.0, 0.1, 0.2, 0.3]


@pytest.mark.parametrize("method", [sp.NDF(), sp.GeneralizedAlpha(dt=5e-3), sp.RK45()], ids=lambda m: type(m).__name__)
def test_rows_come_home_to_the_same_place(method):
    """A tumbling body: same pose and twist in the charts of the run and in the model's."""
    model = free_body()
    run = Simulation(model, 2.0, None, SPIN, None, method, progress=False)
    run.begin()
    while run.integrator.ints[RECENTRED] == 0:
        assert run.integrator.advance(1) in (0, 1, 2)
        run.integrator.take()
    row = run.integrator.now()
    home = row.copy()
    to_home(run.workspace.table, home)
    assert np.abs(home[:6] - row[:6]).max() > 0.1  # another chart
    placement, own = run.workspace.problem.placement[0], run.workspace.problem.home[0]
    assert np.abs(placement["R"] - own["R"]).max() > 0.1
    # the energy of a free body says whether q and v belong together
    assert model.energy(home[:6], home[6:12]).kinetic == pytest.approx(
        model.energy(np.zeros(6), np.array(SPIN)).kinetic, rel=1e-3
    )


def test_rows_without_charts_stay_as_they_are():
    robot = sp.Robot("slider", gravity=(0, 0, 0))
    robot.add_link("body", sp.Rigid(1.0, (1.0, 1.0, 1.0)), joint=sp.Prismatic("x"))
    run = Simulation(robot.compile(), 1.0, [0.3], [0.1], None, sp.NDF(), progress=False)
    run.begin()
    row = run.integrator.now()
    home = row.copy()
    to_home(run.workspace.table, home)
    assert np.array_equal(home, row)
