"""Many at once: a thousand motions of the cable manipulator on one and two threads, and a loop in real time.

Slices of the batch are made in turn on one thread, on two, and in two processes, which share no lock; of each the best
slice counts.  On a machine that does other things too, threads beside processes tell what the interpreter's lock costs.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from time import perf_counter

import numpy as np

from supple import realtime
from supple.bench.tables import Column, Table
from supple.model.model import Model
from supple.systems import SYSTEMS

#: Runs of 1 s, in how many slices, and output times.
RUNS, SLICES = 1000, 20
TIMES = np.linspace(0.0, 1.0, 101)
#: What two threads should bring.
GOAL = 1.9


@cache
def manipulator() -> Model:
    return SYSTEMS["cable-manipulator"]().compile()


def tensions() -> np.ndarray:
    return np.random.default_rng(0).uniform(0.0, 5.0, (RUNS, manipulator().nu))


def one_thread(u: np.ndarray) -> None:
    """A slice, or a part of one, in this thread."""
    manipulator().simulate_batch(TIMES, u=u, threads=1)


def slices() -> dict[str, list[float]]:
    """Seconds of every slice, by how it was made."""
    found: dict[str, list[float]] = {"one thread": [], "two threads": [], "two processes": []}
    model, rows = manipulator(), np.split(tensions(), SLICES)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        list(pool.map(one_thread, [rows[0][:1]] * 4))  # compiled, read, warm
        one_thread(rows[0][:2])
        for u in rows:
            ways = {
                "one thread": lambda u=u: one_thread(u),
                "two threads": lambda u=u: model.simulate_batch(TIMES, u=u, threads=2),
                "two processes": lambda u=u: list(pool.map(one_thread, np.split(u, 2))),
            }
            for name, way in ways.items():
                began = perf_counter()
                way()
                found[name].append(perf_counter() - began)
    return found


def run(seconds: float) -> list[Table]:
    """Speed of a batch, and a controller at 1 kHz."""
    columns = Column("way", "made on"), Column("time", "per run, ms", "milli"), Column("gain", "gain", "ratio")
    table = Table(
        f"Many at once: {RUNS} cable manipulators, 1 s each",
        (*columns, Column("middle", "gain, median", "ratio")),
        note=f"Best of {SLICES} slices made in turn; goal for two threads: {GOAL}.",
    )
    found, size = slices(), RUNS // SLICES
    for way, times in found.items():
        alone = found["one thread"]
        middle = float(np.median(np.array(alone) / np.array(times)))
        table.add(way=way, time=min(times) / size, gain=min(alone) / min(times), middle=middle)
    model = manipulator()
    report = realtime.run(realtime.Stepper(model, 1e-3), lambda t, q, v: np.full(5, 2.0 * min(t, 1.0)), seconds)
    ticks = Table(
        f"Real time: {len(report.work)} ticks of 1 ms of the cable manipulator, a controller in Python",
        (*(Column(key, key, "micro") for key in ("late", "work", "worst")), Column("missed", "missed", "count")),
        note="Median lateness, median and worst work, us.",
    )
    late, work = float(np.median(report.lateness)), float(np.median(report.work))
    ticks.add(late=late, work=work, worst=float(report.work.max()), missed=int(report.missed.sum()))
    return [table, ticks]
