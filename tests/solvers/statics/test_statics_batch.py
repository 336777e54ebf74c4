"""Many equilibria at once: those of one by one, rows that fail, interruptions."""

import numpy as np
import pytest

import supple as sp
from interrupts import ctrl_c_inside
from resting_robots import BOB, closed_frame, manipulator, one_link, rope
from supple.threads import share


def test_a_batch_goes_the_same_ways():
    model = rope()
    found = model.statics_batch(np.zeros((3, 0)), q0=model.rest)
    assert found.converged.all()
    assert found.done.all()
    assert found.q[2] == pytest.approx(model.statics().q, abs=1e-12)


def test_many_at_once_equal_one_by_one():
    model = manipulator()
    u = np.random.default_rng(5).uniform(0.0, 60.0, (24, 5))
    single, several = model.statics_batch(u, threads=1), model.statics_batch(u, threads=3)
    for a, b in zip(single, several, strict=True):
        assert np.array_equal(a, b)
    for row, q, count in zip(u, single.q, single.iterations, strict=True):
        found = model.statics(row)
        assert np.array_equal(found.q, q)
        assert found.iterations == count
    warm = model.statics_batch(u, q0=single.q)
    assert warm.converged.all()
    assert (warm.iterations == 1).all()


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_that_cannot_be_worked_on_are_named_and_stop_no_other(threads):
    model = manipulator()
    u = np.random.default_rng(5).uniform(0.0, 60.0, (6, 5))
    u[1, 2], u[4, 1] = np.nan, -2.0
    with pytest.warns(sp.ModelWarning, match=r"2 of 6 rows failed, the first is row 1: u\[2\] \(t2\) is nan"):
        found = model.statics_batch(u, threads=threads)
    assert found.done.all()
    assert found.converged.tolist() == [True, False, True, True, False, True]
    assert sorted(found.failures) == [1, 4]
    assert "negative" in str(found.failures[4])
    assert np.isnan(found.q[[1, 4]]).all()
    assert np.array_equal(found.q[5], model.statics(u[5]).q)


def test_many_at_once_from_many_guesses():
    model = manipulator()
    q0 = 0.1 * np.random.default_rng(6).standard_normal((4, model.n))
    found = model.statics_batch([1.0, 2.0, 0.0, 0.0, 0.0], q0=q0)
    assert found.converged.all()
    assert np.array_equal(found.q[2], model.statics([1.0, 2.0, 0.0, 0.0, 0.0], q0=q0[2]).q)
    assert model.statics_batch(q0=q0[:2]).converged.all()


def test_many_at_once_with_loops_and_failures():
    """Multipliers come back; a row that fails is marked and stops no other."""
    model = closed_frame()
    found = model.statics_batch(np.zeros((2, 0)), t=1.0)
    assert found.converged.all()
    assert found.multipliers[1] == pytest.approx(np.asarray(model.statics(t=1.0).multipliers))
    falling = one_link(BOB, sp.Free())
    assert falling.statics_batch(np.zeros((2, 0))).converged.tolist() == [False, False]


def test_a_thousand_random_equilibria_of_the_manipulator():
    """Tensions up to 100 N from rest: all converge, quickly, to stable states."""
    model = manipulator()
    u = np.random.default_rng(0).uniform(0.0, 100.0, (1000, 5))
    found = model.statics_batch(u)
    assert found.converged.all()
    assert np.median(found.iterations) <= 12
    assert found.residual.max() < 1e-10
    for row, q in zip(u[:100], found.q, strict=False):
        assert model.statics(row, q0=q).stable


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_keeps_what_a_batch_has(threads):
    model = manipulator()
    u = np.random.default_rng(2).uniform(0.0, 100.0, (40000, 5))
    model.statics_batch(u[:4])
    ctrl_c_inside(share)
    with pytest.raises(sp.Interrupted, match=r"interrupted after \d+ of 40000 equilibria") as caught:
        model.statics_batch(u, threads=threads)
    assert isinstance(caught.value, KeyboardInterrupt)
    found = caught.value.result
    assert 0 < found.done.sum() < len(u)
    assert not found.converged[~found.done].any()
    assert not found.q[~found.done].any()
    for i in np.flatnonzero(found.done)[:5]:
        assert np.array_equal(found.q[i], model.statics(u[i]).q)
    assert model.statics_batch(u[:4], threads=threads).converged.all()  # nothing is left behind
