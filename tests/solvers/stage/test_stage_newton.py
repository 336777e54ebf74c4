"""Stages are solved: every accepted row balances forces, closes loops, and follows its formula."""

import numpy as np
import pytest

import supple as sp
from motions import four_bar, pendulum, soft_arm, stepped

IMPLICIT = [sp.GeneralizedAlpha(dt=2e-3), sp.Newmark(dt=2e-3), sp.BDF2(dt=2e-3), sp.ImplicitEuler(dt=2e-3)]


@pytest.mark.parametrize("method", IMPLICIT, ids=lambda method: type(method).__name__)
def test_forces_balance_at_every_step(method):
    for model, q0 in ((pendulum(), [0.3]), (soft_arm(0.01), [0.5, 0.2, -0.1])):
        motion = model.simulate(0.1, q0, method=method, progress=False)
        size = np.abs(model.mass_matrix(motion.q[0])).max() * np.abs(motion.a).max()
        for q, v, a in zip(motion.q[1:], motion.v[1:], motion.a[1:], strict=True):
            assert np.abs(model.residual(q, v, a)).max() < 1e-7 * size


@pytest.mark.parametrize("loops", ["stabilised", "index3"])
def test_loops_close_at_every_step(loops):
    model, q0 = four_bar()
    motion = model.simulate(0.2, q0, method=sp.GeneralizedAlpha(dt=2e-3, loops=loops), progress=False)
    position, velocity = motion.constraint_error().max(axis=0)
    assert position < 1e-10
    assert (velocity < 1e-10) == (loops == "stabilised")


def test_a_step_follows_its_formula():
    """Backward Euler by hand."""
    rows, h = stepped(pendulum(), sp.ImplicitEuler(dt=0.01), [0.01] * 5, [0.3]), 0.01
    q, v, a = rows[:, 0], rows[:, 1], rows[:, 2]
    assert np.diff(q) / h == pytest.approx(v[1:], rel=1e-12)
    assert np.diff(v) / h == pytest.approx(a[1:], rel=1e-11)


def test_what_was_seen_of_new_factors_is_believed_less_and_less():
    """The next step is 1e-4 times the square of this one; ten times that is doubted, and doubts double."""
    from numba import njit

    from supple.solvers.problem import BEND
    from supple.solvers.stage.newton import foreseen

    believe = njit(lambda numbers, norm, tolerance: foreseen(numbers, norm, tolerance))
    numbers = np.zeros(BEND + 1)
    assert not believe(numbers, 1.0, 0.03)  # nothing was seen yet
    numbers[BEND] = 1e-4
    assert not believe(numbers, 6.0, 0.03)
    assert numbers[BEND] == 1e-4
    assert [bool(believe(numbers, 1.0, 0.03)) for _ in range(6)] == [True] * 5 + [False]


def test_factors_are_made_at_once_after_old_ones_would_not_do():
    from numba import njit

    from supple.solvers.problem import HASTE, RENEWALS
    from supple.solvers.stage.newton import MOST_HASTE, lose_patience

    lose, flags, renewals = njit(lambda flags: lose_patience(flags)), np.zeros(RENEWALS + 1, np.int64), []
    for _ in range(4):
        lose(flags)
        renewals.append(int(flags[RENEWALS]))
    assert renewals == [1, 3, MOST_HASTE, MOST_HASTE]
    assert flags[HASTE] == MOST_HASTE


def test_corrections_of_loops_share_a_tangent():
    """The part of a tangent that follows rates is a second tangent; loops close as well with one in eleven."""
    model, q0 = four_bar()
    motion = model.simulate(0.3, q0, method=sp.GeneralizedAlpha(dt=2e-3), progress=False)
    plain = model.simulate(0.3, q0, method=sp.GeneralizedAlpha(dt=2e-3, loops="index3"), progress=False)
    assert motion.constraint_error().max() < 1e-10
    assert motion.stats["newton_failures"] == 0
    assert motion.stats["residuals"] < 1.5 * plain.stats["residuals"]
