"""Work and precision of three lively robots of the gallery, beside an older version of this library if there is one.

``python -m benchmarks gallery`` measures the version that is installed.  With the folder of a checkout of an older one
in the environment variable ``SUPPLE_OLDER``, that is measured in turn, in processes of its own, with methods it has:

    git worktree add ../older f620873
    SUPPLE_OLDER=../older python -m benchmarks gallery

As a script, ``python benchmarks/gallery.py NAME REFERENCE.npy``, this file prints the rows of one robot as JSON; it
uses what all versions have.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

import supple as sp

#: Robots by name: where their function stands, and over which time they are followed, s.
ROBOTS = {
    "swimmer": ("swimmer", "swimmer", 10.0),
    "stiff flying rod": ("flying_rod", "stiff_flying_rod", 10.0),
    "stiff cantilever": ("cantilever", "stiff_cantilever", 1.0),
}
#: Tolerances of adaptive methods, steps of others, s; steps after which a run is given up, and seconds.
TOLERANCES = tuple(float(f"{x:.2g}") for x in np.logspace(-2, -6, 17))
STEPS = (4e-3, 2.8e-3, 2e-3, 1.4e-3, 1e-3, 7e-4, 5e-4)
MOST_STEPS, MOST_SECONDS = 100_000, 3.0
#: Errors of watched points at which versions are compared, m.
ERRORS = (1e-2, 1e-3, 1e-4)


def system_of(name: str) -> tuple[Any, Any, np.ndarray]:
    """A system of the gallery, compiled, and times, s."""
    from importlib import import_module

    module, function, t_end = ROBOTS[name]
    system = getattr(import_module(f"supple.systems.{module}"), function)()
    return system, system.compile(), np.linspace(0.0, t_end, 101)


def methods() -> list[tuple[str, float, Any]]:
    """Methods, from loose to tight; adaptive generalised-alpha, which crawls along vibrations, is omitted."""
    found = []
    for name in ("NDF", "Radau", "RK45", "DOP853", "Nystrom"):
        if hasattr(sp, name):
            found += [(name, x, getattr(sp, name)(rtol=x, atol=1e-3 * x)) for x in TOLERANCES]
    if hasattr(sp, "Nystrom"):
        found += [("Nystrom, order 4", x, sp.Nystrom(rtol=x, atol=1e-3 * x, order=4)) for x in TOLERANCES]
    for name in ("GeneralizedAlpha", "Newmark"):
        found += [(f"{name}, fixed steps", dt, getattr(sp, name)(dt=dt)) for dt in STEPS]
    return found


def rows_of(name: str, exact: np.ndarray) -> list[dict[str, Any]]:
    """Method, setting, largest error of watched points, m, and processor time, s, of every run that came to its end."""
    system, model, times = system_of(name)
    rows: list[dict[str, Any]] = []
    slow: set[str] = set()
    for method, setting, made in methods():
        if method in slow:
            continue
        best, error = np.inf, np.inf
        system.simulate(model, times[:2] * 1e-3, made, progress=False)  # what it compiles
        for _ in range(3):
            began = process_time()
            try:
                motion = system.simulate(model, times, made, max_steps=MOST_STEPS, progress=False)
            except sp.SimulationError:
                break
            best = min(best, process_time() - began)
            error = float(np.abs(system.paths(motion) - exact).max())
            if best > 1.0:
                break
        if error < np.inf:
            rows.append({"method": method, "setting": setting, "error": error, "time": best})
        if not best < MOST_SECONDS:
            slow.add(method)  # tighter ones would take longer
    return rows


def reference(name: str) -> np.ndarray:
    """Paths (T, k, 3) of watched points, m, to a tight tolerance."""
    system, model, times = system_of(name)
    tight = sp.Radau(rtol=1e-10, atol=1e-13)
    return np.asarray(system.paths(system.simulate(model, times, tight, progress=False)))


def least(rows: list[dict[str, Any]], error: float) -> dict[str, Any] | None:
    """The fastest run that stays below an error."""
    return min((row for row in rows if row["error"] <= error), key=lambda row: float(row["time"]), default=None)


def measured(name: str, exact: Path, folder: Path | None) -> list[dict[str, Any]]:
    """`rows_of` in a process of its own, by the version in a folder; of this version without."""
    root = Path(__file__).parent.parent if folder is None else folder.resolve()
    environment = os.environ | {"PYTHONPATH": str(root / "src"), "SUPPLE_QUIET": "1"}
    command = [sys.executable, str(Path(__file__).resolve()), name, str(exact)]
    told = subprocess.run(command, env=environment, cwd=root, capture_output=True, text=True, check=True)
    rows: list[dict[str, Any]] = json.loads(told.stdout.splitlines()[-1])
    return rows


def run(seconds: float) -> list[Any]:
    """Fastest runs below some errors, of this version and, if it is there, of an older one."""
    from supple.bench.tables import Column, Table

    del seconds  # runs last as long as they last
    older = os.environ.get("SUPPLE_OLDER")
    table = Table(
        "Lively robots of the gallery: the fastest way to an error",
        (
            Column("robot", "robot"),
            Column("limit", "error below, m", "error"),
            Column("method", "method"),
            Column("setting", "tolerance or step", "error"),
            Column("time", "time, ms", "milli"),
            Column("old_method", "older version"),
            Column("old_setting", "its tolerance or step", "error"),
            Column("old_time", "its time, ms", "milli"),
            Column("factor", "times faster", "ratio"),
        ),
        note="Largest error of watched points against Radau with a tolerance of 1e-10; processor time, best of 3.",
    )
    for name in ROBOTS:
        with tempfile.TemporaryDirectory() as folder:
            exact = Path(folder) / "exact.npy"
            np.save(exact, reference(name))
            now = measured(name, exact, None)
            before = [] if older is None else measured(name, exact, Path(older))
        for error in ERRORS:
            new, old = least(now, error) or {}, least(before, error) or {}
            factor = old["time"] / new["time"] if new and old else None
            its = {f"old_{key}": old.get(key) for key in ("method", "setting", "time")}
            row = {key: new.get(key) for key in ("method", "setting", "time")}
            table.add(robot=name, limit=error, factor=factor, **row, **its)
    return [table]


if __name__ == "__main__":
    print(json.dumps(rows_of(sys.argv[1], np.load(sys.argv[2]))))
