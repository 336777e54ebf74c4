"""States between output times, and stations that pictures watch."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from supple.viz.motion import even_times, states_at, station_name, watched


def test_states_at_output_times_are_those_of_the_motion(motion):
    for k, state in enumerate(states_at(motion, motion.t)):
        assert_allclose(state.q, motion.q[k], atol=1e-12)
        assert state.u.tolist() == motion.u[k].tolist()


def test_between_them_coordinates_follow_cubics(motion):
    """A state in the middle is near what a finer run gives."""
    middle = 0.5 * (motion.t[3] + motion.t[4])
    (state,) = states_at(motion, np.array([middle]))
    h = motion.t[4] - motion.t[3]
    expected = 0.5 * (motion.q[3] + motion.q[4]) + h / 8.0 * (motion.v[3] - motion.v[4])
    assert_allclose(state.q, expected, atol=1e-12)
    assert state.t == middle


def test_times_beyond_the_motion_are_its_ends(motion):
    first, last = states_at(motion, np.array([-1.0, 99.0]))
    assert_allclose(first.q, motion.q[0])
    assert_allclose(last.q, motion.q[-1])
    assert even_times(motion, 3).tolist() == pytest.approx([0.0, 0.15, 0.3])


def test_leaves_are_watched_unless_told(model):
    assert watched(model, None) == (("hand", 1.0),)
    assert watched(model, [("arm", 0.5), ["hand", 0]]) == (("arm", 0.5), ("hand", 0.0))
    assert station_name(("arm", 1.0)) == "arm"
    assert station_name(("arm", 0.5)) == "arm, s = 0.5"


@pytest.mark.parametrize(
    ("watch", "message"),
    [
        ("arm", "watch is 'arm', must be stations"),
        ([("arm",)], "watch holds .*, must hold stations"),
        ([("leg", 1.0)], "watch: there is no link 'leg'; links are: arm, hand"),
        ([("hand", 0.5)], "watch: link 'hand': s is 0.5, but the link is rigid"),
    ],
)
def test_stations_that_cannot_be_watched(model, watch, message):
    with pytest.raises(sp.PictureError, match=message):
        watched(model, watch)
