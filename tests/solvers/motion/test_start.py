"""Where a simulation begins: output times, and states that loops and prescribed motions allow."""

import numpy as np
import pytest

import supple as sp
from motions import four_bar, pendulum
from supple.solvers.motion.start import initial_state, output_times


def test_an_end_time_or_output_times():
    assert output_times(2.0) == (0.0, 2.0, None)
    begin, end, wanted = output_times([0.5, 1.0, 3.0])
    assert (begin, end, wanted.tolist()) == (0.5, 3.0, [0.5, 1.0, 3.0])


@pytest.mark.parametrize(
    ("t", "kind", "message"),
    [
        (0.0, sp.StateError, "the end time must be positive"),
        ([0.0, np.nan], sp.StateError, "must be finite"),
        ([1.0], sp.ShapeError, "at least two output times"),
        ([0.0, 2.0, 1.0], sp.StateError, r"t\[2\] = 1 follows 2"),
        ("soon", sp.ShapeError, "must be an end time or an array of output times"),
    ],
)
def test_wrong_times(t, kind, message):
    with pytest.raises(kind, match=message):
        output_times(t)


def test_a_state_without_loops_is_taken_as_it_is():
    q, v = initial_state(pendulum(), [0.3], None, 0.0)
    assert (q.tolist(), v.tolist()) == ([0.3], [0.0])


def test_loops_are_closed_and_velocities_projected():
    model, q0 = four_bar()
    q, v = initial_state(model, q0 + 1e-6, [1.0, 0.0, 0.0], 0.0)
    assert np.abs(model.loop_error(q)).max() < 1e-10
    assert np.abs(model.loop_jacobian(q) @ v).max() < 1e-10
    assert np.abs(v).max() > 0.1
