"""Fixed steps that are cut where Newton's method fails: parts fill them, and full steps go on where they would have."""

import numpy as np
import pytest

import supple as sp
from kernel_entry import entry
from supple.solvers.integrators import cut_steps
from supple.solvers.integrators.run import PLACE, REALS, SHORT, STEP, TIME
from supple.systems.fin_ray import fin_ray

cut, end_of_part, lengthen = entry(cut_steps.cut), entry(cut_steps.end_of_part), entry(cut_steps.lengthen)


def failing(lengths):
    """Ends of the parts of a step from 1 to 3 s in which parts longer than ``lengths(place)`` fail."""
    reals, ends = np.zeros(REALS), []
    reals[TIME], reals[STEP] = 1.0, 2.0
    while not cut(reals, 3.0) or reals[SHORT] > lengths(0.0):
        pass
    while reals[SHORT] > 0.0 and (not ends or ends[-1] < 3.0):
        while reals[SHORT] > lengths(reals[PLACE]):
            assert cut(reals, np.nan)
        ends.append(end_of_part(reals))
        lengthen(reals)
    return ends, reals


@pytest.mark.parametrize("least", [0.5, 0.125, 1.0 / 1024.0])
def test_parts_fill_a_step(least):
    """Whatever fails where, a step ends where it would have ended, exactly."""
    ends, _ = failing(lambda place: least if place < 0.5 else 1.0)
    assert ends[-1] == 3.0
    assert (np.diff([1.0, *ends]) > 0.0).all()
    assert min(np.diff([1.0, *ends])) == pytest.approx(2.0 * least, rel=1e-12)


def test_parts_grow_where_they_fit():
    ends, reals = failing(lambda place: 0.125 if place == 0.0 else 1.0)
    assert ends == [1.25, 1.5, 2.0, 3.0]
    assert reals[SHORT] == 0.0


def test_no_part_is_too_short():
    reals = np.zeros(REALS)
    assert [cut(reals, 1.0) for _ in range(11)] == 10 * [True] + [False]
    assert tuple(cut_steps.PARTS) == tuple(2.0 ** -np.arange(1.0, 11.0))
    assert reals[SHORT] == cut_steps.SHORTEST


@pytest.fixture(scope="module")
def buckling():
    """Every step of the fin-ray while its ribs buckle, 20 ms each."""
    model = fin_ray().compile()
    return model, model.simulate(0.8, method=sp.GeneralizedAlpha(dt=0.02), progress=False)


def test_steps_stay_on_their_grid(buckling):
    _, motion = buckling
    assert motion.stats["newton_failures"] > 0
    assert motion.stats["steps"] > 40
    grid = 0.02 * np.arange(41)
    assert np.abs(motion.t[:, None] - grid).min(axis=0).max() < 1e-13


def test_loops_hold_at_outputs_behind_cut_steps(buckling):
    """Outputs on full steps are states that were solved for, not interpolated ones."""
    model, _ = buckling
    outputs = model.simulate(np.linspace(0.0, 0.8, 41), method=sp.GeneralizedAlpha(dt=0.02), progress=False)
    assert np.abs([model.loop_error(x) for x in outputs.q]).max() < 1e-11
