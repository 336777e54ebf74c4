"""Runs that are killed: SIGKILL at random moments, some of them while a checkpoint is written.

The run is resumed, killed again, and at last left to end: its motion is that of an unbroken run, bit for bit.
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import supple as sp

from .file_cases import arguments, robot, same
from .files import prepare, random_run, unbroken
from .report import Report, run
from .worker import FINE, Worker, serve

#: Kills of one run at most.
MOST_KILLS = 6

#: Longest time that an attempt may take, s.
PATIENCE = 60.0


def campaign(count: int, seed: int, say: Callable[[str], object] = lambda text: None) -> Report:
    """Kill ``count`` runs."""
    killed = 0

    def counted(seed: int) -> None:
        nonlocal killed
        killed += int(worker.case(seed))

    with Worker("tests.fuzz.kills", patience=10 * PATIENCE) as worker:
        report = run("kills", counted, count, seed, say)
    report.name = f"kills ({killed} of them)"
    return report


# ---------------------------------------------------------------------- in the worker


@cache
def folder() -> Path:
    """Where the files are."""
    return Path(tempfile.mkdtemp(prefix="killed"))


def options(which: tuple[str, str, str]) -> dict[str, Any]:
    """Arguments of a run that saves as often as it can."""
    return {**arguments(*which), "checkpoint": folder() / "run.npz", "checkpoint_every": 0.0, "progress": False}


def attempt(which: tuple[str, str, str], delay: float | None) -> bool:
    """Resume the run in a process that is killed after a while, s; returns whether it ended before."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)
        status = 1
        try:
            model = robot(which[0]).model
            model.simulate(**options(which), resume=True).save(folder() / "motion.npz")
            status = 0
        except BaseException as error:
            (folder() / "error.txt").write_text(repr(error))
        finally:
            os._exit(status)
    end = time.monotonic() + (PATIENCE if delay is None else delay)
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert os.waitstatus_to_exitcode(status) == 0, (folder() / "error.txt").read_text()
            return True
        time.sleep(0.0005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert delay is not None, f"the run of {which} hangs"
    return False


def case(seed: int) -> str:
    """Kill one run several times and let it end."""
    rng = np.random.default_rng([12, seed])
    which = random_run(rng)
    for file in folder().iterdir():
        file.unlink()
    begun = time.monotonic()
    expected = unbroken(*which)
    lasts = max(3.0 * (time.monotonic() - begun), 0.05)  # saving takes its time
    kills = 0
    while kills < MOST_KILLS:
        if attempt(which, float(rng.uniform(0.0, lasts))):
            break
        kills += 1
    else:
        attempt(which, None)
    found = sp.Trajectory.load(folder() / "motion.npz", robot(which[0]).model)
    assert same(found, expected), f"{which} after {kills} kills is another motion"
    assert found.stats["steps"] == expected.stats["steps"]
    return f"{FINE} {kills}"


if __name__ == "__main__":
    serve(case, prepare)
