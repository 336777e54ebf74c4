"""Times that steps must hit, and from where laws that jump there are seen."""

import numpy as np
import pytest

from supple.errors import ModelError
from supple.solvers.motion.stops import Stop, make_stops


def test_jumps_samples_and_the_end_in_order():
    stops = make_stops(0.0, 1.0, (0.7, 0.25, 2.0, 0.0), 2.0)
    assert [stop.t for stop in stops] == [0.25, 0.5, 0.7, 1.0]
    assert [stop.jumps for stop in stops] == [True, False, True, False]
    assert [stop.samples for stop in stops] == [False, True, False, False]


def test_stops_that_are_one_but_for_rounding():
    stops = make_stops(0.0, 1.0, (0.5 + 1e-13, 1.0), 2.0)
    assert [stop.t for stop in stops] == [0.5 + 1e-13, 1.0]
    assert stops[0].jumps
    assert stops[0].samples
    assert stops[1].jumps


def test_laws_are_seen_from_before_a_jump():
    assert 0.0 < 0.5 - Stop(0.5, True, False).latest_time < 1e-11
    assert Stop(0.5, False, True).latest_time == np.inf


def test_too_many_samples():
    with pytest.raises(ModelError, match=r"control_rate is 1e\+12: 1e\+12 samples until t = 1 s"):
        make_stops(0.0, 1.0, (), 1e12)
