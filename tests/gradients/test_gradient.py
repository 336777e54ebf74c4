"""Derivatives beyond float64 are refused, not returned."""

import numpy as np
import pytest

from motion_cases import small, tendon_arm
from supple.errors import StateError
from supple.gradients.gradient import refuse_overflow


@pytest.fixture(scope="module")
def motion():
    model, q0, v0, simulate = small()
    return simulate(q0, v0, np.zeros(model.nu))


@pytest.mark.parametrize("name", ["q", "v", "a"])
def test_cotangents_of_a_motion_that_overflow(motion, name):
    with pytest.raises(StateError, match=r"not finite: .*linear in the derivatives by results.*smaller"):
        motion.vjp(**{name: np.full(motion.q.shape, 1e308)})
    gradient = motion.vjp(**{name: np.ones(motion.q.shape)})  # the next call is as if nothing had been
    assert np.isfinite(gradient.q0).all()


@pytest.mark.parametrize("name", ["q0", "v0"])
def test_directions_of_a_motion_that_overflow(motion, name):
    with pytest.raises(StateError, match=r"not finite: .*linear in the changes"):
        motion.jvp(**{name: np.full(motion.q.shape[1], 1e308)})
    assert np.isfinite(motion.jvp(**{name: np.ones(motion.q.shape[1])}).q).all()


def test_equilibria_likewise():
    model = tendon_arm()
    rest = model.statics(u=np.zeros(model.nu))
    with pytest.raises(StateError, match="not finite: u"):
        rest.vjp(np.full(model.n, 1e308))
    with pytest.raises(StateError, match="not finite: q"):
        rest.jvp(np.full(model.nu, 1e308))


@pytest.mark.parametrize(
    "x", [np.array([1.0, np.nan]), [None, np.array([np.inf])], {"law": {"start": float("nan")}}, (np.array(np.inf),)]
)
def test_what_holds_numbers_is_looked_into(x):
    with pytest.raises(StateError, match="not finite: u"):
        refuse_overflow({"q0": np.ones(2), "u": x}, "them")
    refuse_overflow({"q0": np.ones(2), "u": [None, {"start": 1.0}]}, "them")
