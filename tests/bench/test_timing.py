"""Timing: the smallest time of many batches."""

import pytest

from supple.bench.timing import BATCH, FEWEST_ROUNDS, batch_size, best_times


class Clock:
    """Advances only when told."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_best_time_is_the_minimum_per_call():
    clock = Clock()
    durations = iter([5e-3] * 4 + [3e-3] + [5e-3] * 100)

    def work():
        clock.now += next(durations)

    # first call and sizing take two durations, then come the rounds
    assert best_times({"work": work}, 0.0, clock) == {"work": pytest.approx(3e-3)}
    assert FEWEST_ROUNDS >= 5


def test_short_functions_are_timed_in_batches():
    clock = Clock()

    def work():
        clock.now += 1e-6

    size = batch_size(work, clock)
    assert size * 1e-6 >= BATCH
    assert size * 1e-6 < 3.0 * BATCH
