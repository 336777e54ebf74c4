"""Times of steps: equal ones are counted, not summed, so that a million of them end where they should."""

import numpy as np
import pytest

import supple as sp
from motions import four_bar, pendulum
from supple.solvers.integrators.implicit import Implicit

#: Steps of the long runs.
MANY = 100_000


def test_fixed_steps_do_not_drift():
    """t = t0 + k dt to the last places, however many steps there are."""
    model, dt = pendulum(), 1e-3
    motion = model.simulate(MANY * dt, [0.3], method=sp.GeneralizedAlpha(dt=dt))
    assert len(motion.t) == MANY + 1
    assert np.abs(motion.t - dt * np.arange(MANY + 1)).max() <= 2.0 * np.spacing(MANY * dt)


def test_loops_hold_at_outputs_of_a_long_run():
    """Between steps a motion is interpolated and loops are open by what that costs: outputs must fall on steps."""
    model, q = four_bar()
    times = np.linspace(0.0, MANY * 1e-3, 201)
    motion = model.simulate(times, q, method=sp.GeneralizedAlpha(dt=1e-3))
    assert motion.stats["steps"] == MANY
    assert np.abs([model.loop_error(x) for x in motion.q]).max() < 1e-11


def test_late_times_cost_no_new_coefficients(monkeypatch):
    """Points lie whole steps back, but for the rounding of times, which is large beside a step when it is late."""
    renewed, renew = [], Implicit.renew

    def counted(self, own):
        renewed.append(1)
        renew(self, own)

    monkeypatch.setattr(Implicit, "renew", counted)
    motion = pendulum().simulate([1e5, 1e5 + 1.0], [0.3], method=sp.BDF2(dt=1e-3))
    assert motion.stats["steps"] == 1000
    assert len(renewed) <= 2


@pytest.mark.parametrize("dt", [1e-3, 0.7e-3, 1.0 / 3.0])
def test_rows_of_equal_steps_end_at_stops(dt):
    """A step that would end beyond a stop is shortened with all others before it, and the next row begins there."""
    stops = [0.9, 1.7, 2.0]
    motion = pendulum().simulate(2.5, [0.3], method=sp.GeneralizedAlpha(dt=dt), breaks=stops)
    assert set(stops) <= set(motion.t.tolist())
    assert motion.t[-1] == 2.5
    steps = np.diff(motion.t)
    assert (steps > 0.4 * dt).all()
    assert (steps < 1.0001 * dt).all()
    for begin, end in zip([0.0, *stops], [*stops, 2.5], strict=True):
        own = steps[(motion.t[:-1] >= begin) & (motion.t[:-1] < end)]
        assert np.abs(own - own[0]).max() < 1e-14
