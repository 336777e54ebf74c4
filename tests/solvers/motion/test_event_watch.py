"""Events between steps: crossings by root finding, rounding taken for zero, what functions may answer."""

import numpy as np
import pytest

import supple as sp
from motions import pendulum
from supple.solvers.motion.event_watch import ON_EVENT, EventWatch, _crossing
from supple.solvers.motion.events import Event


class FailedError(Exception):
    """What `fail` of a simulation raises here."""


class Run:
    """As much of a simulation as a watch asks while it notes values."""

    def fail(self, reason, error=None):
        raise FailedError(reason) from error


@pytest.mark.parametrize("offset", [-0.3, 0.0, 0.2, 0.7])
def test_crossings_are_found(offset):
    def function(t):
        return np.tanh(3.0 * (t - offset))

    a, b = offset - 0.4, offset + 0.1
    assert _crossing(function, a, b, function(a), function(b)) == pytest.approx(offset, abs=1e-12)


def test_ends_of_a_step_that_lie_on_an_event():
    assert _crossing(lambda t: t - 1.0, 0.0, 1.0, -1.0, 0.0) == 1.0
    assert _crossing(lambda t: t + 1e-15, 0.0, 1.0, -0.0, 1.0) == 0.0  # it begins there


def test_rounding_beside_the_largest_value_is_zero():
    values = iter([5.0, 5.0 * ON_EVENT / 2.0, 5.0 * ON_EVENT * 4.0])
    watch = EventWatch(Run(), (Event(lambda t, q, v: next(values), name="x"),))
    noted = []
    for t in (0.0, 1.0, 2.0):
        watch.note_values(t, np.zeros(1), np.zeros(1))
        noted.append(watch.values[0])
    assert noted[0] == 5.0
    assert noted[1] == 0.0
    assert noted[2] > 0.0
    assert watch.largest.tolist() == [5.0]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t, q, v: 1.0 / 0.0, "function of event 'x' failed: float division by zero"),
        (lambda t, q, v: [1.0, 2.0], "function of event 'x'"),
        (lambda t, q, v: np.nan, "function of event 'x'"),
        (lambda t, q, v: "far", "function of event 'x'"),
    ],
)
def test_functions_that_fail_are_named(function, message):
    watch = EventWatch(Run(), (Event(function, name="x"),))
    with pytest.raises(FailedError, match=message):
        watch.note_values(0.0, np.zeros(1), np.zeros(1))


def test_events_of_one_step_come_in_order():
    """Two events in one long step are noted at their own times, whatever their order in the list."""
    late, early = (Event(lambda t, q, v, m=m: t - m, action="note", name=f"at {m}") for m in (0.7, 0.2))
    motion = pendulum().simulate([0.0, 1.0], q0=[0.0], method=sp.BDF2(dt=1.0), events=[late, early], progress=False)
    assert motion.stats["events"]["at 0.7"] == pytest.approx([0.7])
    assert motion.stats["events"]["at 0.2"] == pytest.approx([0.2])
