"""Start-up: import, first calls with an empty cache and with a warm one, and for another robot."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.first_features import GRADIENT
from supple.bench.tables import GOAL, Column, Table
from supple.jit import ring_digest

ROOT = Path(__file__).parent.parent

#: Budgets in seconds: import, first call with a warm cache, CPU for a cold compile of what a simulation needs,
#: of what each further kind of load does, and of what a first gradient does.
IMPORT_AT_MOST = 1.0
WARM_AT_MOST = 1.0
COLD_AT_MOST = 60.0
FEATURE_AT_MOST = 8.0
GRADIENT_AT_MOST = 25.0

#: What a simulation by an implicit scheme calls: residual, fused tangent, first accelerations, poses.
SIMULATION = (
    "import supple",
    "robot.compile()",
    "inverse_dynamics",
    "residual_tangent",
    "internal_force",
    "forward_dynamics",
    "points",
    "jacobian",
)

#: Processes started for the import time and the warm calls; the fastest counts.
REPEATS = 5

Times = dict[str, dict[str, float]]


def fresh_process(module: str, argument: str, cache: str) -> Any:
    """What a module prints in a process of its own, with the kernel cache in the folder ``cache``."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["NUMBA_CACHE_DIR"] = cache
    command = [sys.executable, "-m", f"benchmarks.{module}", argument]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[1:])} failed:\n{done.stderr}")
    return json.loads(done.stdout)


def first_calls(robot: str, cache: str) -> Times:
    """Times of one fresh process."""
    times: Times = fresh_process("first_calls", robot, cache)
    return times


def features() -> Table:
    """What a first simulation compiles, and what each feature adds to it for one who has made that, s of CPU."""
    table = Table("What is compiled once", (Column("what", "what"), Column("seconds", "CPU", "seconds"), *GOAL))
    with tempfile.TemporaryDirectory() as cache:
        first, _ = fresh_process("first_features", "a tendon", cache)
        table.add(what="first simulation: a rod with a tendon", seconds=first, at_most=COLD_AT_MOST)
        limits = dict.fromkeys(("loops", "contact", "contact of two rods", "water"), FEATURE_AT_MOST)
        for feature, limit in (limits | {GRADIENT: GRADIENT_AT_MOST}).items():
            with tempfile.TemporaryDirectory() as folder:
                copied = shutil.copytree(cache, Path(folder) / "cache")
                _, more = fresh_process("first_features", feature, str(copied))
            table.add(what=f"then {feature}", seconds=more, at_most=limit)
    return table.judge("seconds")


def fastest(runs: list[Times]) -> Times:
    """Smallest times of several runs, stage by stage."""
    return {stage: {kind: min(run[stage][kind] for run in runs) for kind in runs[0][stage]} for stage in runs[0]}


def binaries(cache: str) -> int:
    """Compiled kernels in a cache folder."""
    return sum(1 for _ in Path(cache).rglob("*.nbc"))


def run(seconds: float) -> list[Table]:
    """Times of the stages from ``import supple`` to the first result of every kernel (``seconds`` is not used)."""
    stamp = ring_digest()
    with tempfile.TemporaryDirectory() as cache:
        cold = first_calls("manipulator", cache)
        compiled = binaries(cache)
        warm = fastest([first_calls("manipulator", cache) for _ in range(REPEATS)])
        other = first_calls("tree", cache)
        recompiled = binaries(cache) - compiled
    further = features()
    if ring_digest() != stamp:
        raise RuntimeError("the sources of the kernels changed while start-up was measured; measure again")
    stages = Table(
        "Start-up: first calls in a fresh process, seconds",
        (
            Column("stage", "stage"),
            Column("cold", "cold cache, CPU", "seconds"),
            Column("warm", "warm cache", "seconds"),
            Column("other", "another robot, warm", "seconds"),
        ),
        note="In this order in one process: a later kernel finds what earlier ones compiled of the shared functions.",
    )
    for stage, time in cold.items():
        stages.add(stage=stage, cold=time["cpu"], warm=warm[stage]["wall"], other=other[stage]["wall"])
    budget = Table(
        "Start-up against its budget",
        (Column("what", "what"), Column("seconds", "measured", "seconds"), *GOAL),
    )
    budget.add(what="import supple, s", seconds=warm["import supple"]["wall"], at_most=IMPORT_AT_MOST)
    first = warm["robot.compile()"]["wall"] + warm["inverse_dynamics"]["wall"]
    budget.add(what="robot.compile() and first call, warm cache, s", seconds=first, at_most=WARM_AT_MOST)
    simulation = sum(cold[stage]["cpu"] for stage in SIMULATION)
    budget.add(what="what a simulation needs, from an empty cache, s of CPU", seconds=simulation, at_most=COLD_AT_MOST)
    everything = sum(time["cpu"] for time in cold.values())
    budget.add(what="every kernel, from an empty cache, s of CPU", seconds=everything)
    budget.add(what="kernels compiled for another robot", seconds=float(recompiled), at_most=0.0)
    return [stages, budget.judge("seconds"), further]
