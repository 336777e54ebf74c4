"""[GVS-AD] Table 3: ten simulated seconds of six robots by three methods, and how far the methods are apart."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from supple.bench.figures import TABLE_3
from supple.bench.mismatch import state_mismatch
from supple.bench.tables import Column, Table
from supple.model.model import Model
from supple.solvers.integrators import NDF, Method, Newmark
from supple.solvers.motion.trajectory import Trajectory
from supple.systems import SYSTEMS, System

#: Tolerances of the paper's stiff solver (MATLAB's own).
STIFF = NDF(rtol=1e-3, atol=1e-6)

#: A run that takes longer is not repeated, s; one that is shorter, at least for so long.
LONG = 2.0
REPEATS = 5

#: Times at which methods are compared.
SAMPLES = 201

COLUMNS = (
    Column("system", "system"),
    Column("method", "method"),
    Column("published", "published, s", "significant"),
    Column("ours", "ours, s", "significant"),
    Column("ratio", "ratio", "significant"),
    Column("real_time", "times real time", "significant"),
    Column("steps", "steps", "count"),
    Column("tip", "tip mismatch, mm", "significant"),
    Column("state", "state mismatch (37)", "error"),
)

BEST = (
    Column("system", "system"),
    Column("published", "best published, s", "significant"),
    Column("ours", "our best, s", "significant"),
    Column("method", "by"),
    Column("ratio", "ratio", "significant"),
    Column("real_time", "times real time", "significant"),
)


def methods(system: System) -> dict[str, Method]:
    """The paper's three methods, in our words."""
    return {
        "NDF, differences": replace(STIFF, jacobian="differences"),
        "NDF, analytical": STIFF,
        f"Newmark, {1e3 * system.dt:g} ms": Newmark(dt=system.dt),
    }


def seconds(run: Callable[[], Any], repeats: int) -> float:
    """Smallest time of at least so many runs, and of as many as fit into `LONG`; of one, if that is long.

    A run of some milliseconds may fall into a slow phase of the machine as a whole.
    """
    times: list[float] = []
    while not times or (max(times) <= LONG and (len(times) < repeats or (repeats > 1 and sum(times) < LONG))):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def tip_mismatch(system: System, one: Trajectory, other: Trajectory) -> float:
    """Largest distance of the watched stations between two motions, m."""
    return float(np.linalg.norm(system.paths(one) - system.paths(other), axis=2).max())


def dynamics(names: Iterable[str], quick: bool, say: Callable[[str], None]) -> list[Table]:
    """The table with all methods, and the one of the best."""
    table = Table(
        "Ten simulated seconds (GVS-AD, Table 3)",
        COLUMNS,
        note="Published: i9-13900HX, MATLAB R2024a; method 1 is ode15s without analytical derivatives, or ode113 where "
        "that was faster. Mismatches are largest values over time against the method in the row above, (37) after the "
        "first tenth of the motion.",
    )
    best = Table("Best method against best method", BEST, note="At equal simulated time and tolerance.")
    for name in names:
        system = SYSTEMS[name]()
        model = system.compile()
        rows = list(_rows(name, system, model, quick, say))
        table.rows += rows
        fastest = min((row for row in rows if row["ours"] is not None), key=lambda row: row["ours"])
        published = TABLE_3[name].best
        best.add(
            system=name,
            published=published,
            ours=fastest["ours"],
            method=fastest["method"],
            ratio=published / fastest["ours"],
            real_time=fastest["real_time"],
        )
    return [table, best]


def _rows(name: str, system: System, model: Model, quick: bool, say: Callable[[str], None]) -> Iterable[dict[str, Any]]:
    published = TABLE_3[name]
    printed = (published.without, published.stiff, published.newmark)
    times = np.linspace(0.0, system.t_end, SAMPLES)
    before = None
    chosen = dict(zip(methods(system).items(), printed, strict=True))
    extra = system.method
    if extra is not None and extra not in [method for _, method in chosen]:
        chosen[(type(extra).__name__, extra)] = None
    for (label, method), figure in chosen.items():
        say(f"{name}: {label}")
        if quick and figure is not None and figure > 100.0 * published.best:
            continue
        system.simulate(model, 0.01 * system.t_end, method, progress=False)  # compiled, and in the caches
        ours = seconds(partial(system.simulate, model, None, method, progress=False), 1 if quick else REPEATS)
        motion = system.simulate(model, times, method, progress=False)
        row: dict[str, Any] = {"system": name, "method": label, "published": figure, "ours": ours}
        row |= {"ratio": None if figure is None else figure / ours, "real_time": system.t_end / ours}
        row |= {"steps": motion.stats["steps"], "tip": None, "state": None}
        if before is not None:
            row["tip"] = 1e3 * tip_mismatch(system, before, motion)
            row["state"] = float(state_mismatch(before, motion)[SAMPLES // 10 :].max())
        before = motion
        yield row
