"""[IDM-TIDM] Table I: time of a simulation over the time simulated, for two cantilevers and two flying rods."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from supple.bench.dynamics import REPEATS, seconds, tip_mismatch
from supple.bench.figures import TABLE_I
from supple.bench.tables import Column, Table
from supple.solvers.integrators import Method, Newmark
from supple.systems import SYSTEMS, System

#: Step of the article, s.
STEP = 0.01

COLUMNS = (
    Column("system", "system"),
    Column("method", "method"),
    Column("article", "article", "significant"),
    Column("best", "best published", "significant"),
    Column("ours", "ours", "significant"),
    Column("ratio", "article / ours", "significant"),
    Column("best_ratio", "best / ours", "significant"),
    Column("tip", "tip mismatch, parts of the length", "error"),
)


def rods(names: Iterable[str], quick: bool, say: Callable[[str], None]) -> Table:
    """The article's method, and what the system suggests."""
    table = Table(
        "Simulation time over real time (IDM-TIDM, Table I)",
        COLUMNS,
        note="Article: Newmark of 10 ms in MATLAB; best published: the fastest of the five methods of that table. "
        "Mismatch: largest distance of the tips between the two methods, over the length.",
    )
    for name in names:
        system, published = SYSTEMS[name](), TABLE_I[name]
        model = system.compile()
        times = np.linspace(0.0, system.t_end, 101)
        length = max(line.length for link in system.robot.links if (line := link.body.centreline) is not None)
        before = None
        for label, method in _methods(system).items():
            say(f"{name}: {label}")
            system.simulate(model, 0.01 * system.t_end, method, progress=False)
            ours = seconds(partial(system.simulate, model, None, method, progress=False), 1 if quick else REPEATS)
            motion = system.simulate(model, times, method, progress=False)
            ours /= system.t_end
            table.add(
                system=name,
                method=label,
                article=published.article,
                best=published.best,
                ours=ours,
                ratio=published.article / ours,
                best_ratio=published.best / ours,
                tip=None if before is None else tip_mismatch(system, before, motion) / length,
            )
            before = motion
    return table


def _methods(system: System) -> dict[str, Method | None]:
    suggested = "default" if system.method is None else type(system.method).__name__
    return {f"Newmark, {1e3 * STEP:g} ms": Newmark(dt=STEP), suggested: system.method}
