"""The campaign of looped robots, bounded, and that it notices what it is there for."""

import warnings

import numpy as np
import pytest

import supple as sp

from . import CAMPAIGNS, loops


def test_random_robots_with_loops_come_to_rest():
    report = loops.campaign(25, 0)
    assert report.ok, str(report)
    assert report.refused <= 2


@pytest.mark.slow
def test_more_random_robots_with_loops_come_to_rest():
    report = loops.campaign(150, 1000)
    assert report.ok, str(report)
    assert report.refused <= 15


def test_a_state_that_does_not_balance_is_noticed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.ModelWarning)
        model, near, closures = loops.looped_robot(np.random.default_rng([1010, 0]))
        found = model.statics(np.ones(model.nu), q0=near)
    loops.check(model, found, closures)
    object.__setattr__(found, "u", found.u + 1.0) if model.nu else object.__setattr__(found, "q", found.q + 1e-3)
    with pytest.raises(AssertionError):
        loops.check(model, found, closures)


def test_a_loop_that_is_open_is_noticed():
    """Also where the rows that are kept say that it is closed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.ModelWarning)
        model, near, closures = loops.looped_robot(np.random.default_rng([1010, 177]))
    assert loops.gap(model, model.assemble(near), closures[0]) < 1e-9
    assert loops.gap(model, near + 0.1, closures[0]) > 1e-3


def test_the_command_knows_it():
    assert "loops" in CAMPAIGNS
