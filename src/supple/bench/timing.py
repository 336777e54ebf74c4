"""Timing: the minimum over many short batches, and several functions timed in turn.

On a machine that does other things too, the mean measures the other things; the minimum of short batches is the
time the function takes when nothing interferes. Functions to be compared are timed in turn, batch by batch, so that
a slow phase of the machine (another process, a lower clock) meets all of them: only then are ratios worth printing.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import perf_counter

#: A batch lasts at least this long, in seconds: far above the clock's resolution, below a scheduler's time slice.
BATCH = 1e-3

#: Batches that are run even if the time is up.
FEWEST_ROUNDS = 7


def best_times(
    functions: Mapping[str, Callable[[], object]], seconds: float = 1.0, clock: Callable[[], float] = perf_counter
) -> dict[str, float]:
    """Smallest time per call of each function, in seconds.

    Parameters
    ----------
    functions : mapping of str to callable
        Called without arguments; the first call of each is not timed.
    seconds : float
        Time to spend on all of them together.
    clock : callable
        For tests.

    Returns
    -------
    dict of str to float
        With the keys of ``functions``.
    """
    sizes = {name: batch_size(function, clock) for name, function in functions.items()}
    best = dict.fromkeys(functions, float("inf"))
    collecting = gc.isenabled()
    gc.disable()
    try:
        start, rounds = clock(), 0
        while rounds < FEWEST_ROUNDS or clock() - start < seconds:
            for name, function in functions.items():
                best[name] = min(best[name], run_batch(function, sizes[name], clock) / sizes[name])
            rounds += 1
    finally:
        if collecting:
            gc.enable()
    return best


def batch_size(function: Callable[[], object], clock: Callable[[], float] = perf_counter) -> int:
    """Number of calls that together last at least `BATCH`."""
    function()
    size = 1
    while run_batch(function, size, clock) < BATCH:
        size *= 2
    return size


def run_batch(function: Callable[[], object], size: int, clock: Callable[[], float] = perf_counter) -> float:
    """Seconds that ``size`` calls take."""
    calls = range(size)
    start = clock()
    for _ in calls:
        function()
    return clock() - start
