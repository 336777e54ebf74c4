"""Damaged files: checkpoints of all methods and trajectories, flipped, cut, edited, stamped again, exchanged.

A file is refused with a `StorageError` or a `ModelError`, or gives what it would have given undamaged, bit for bit.  One
that was edited and stamped again by someone who knows the format cannot be told from a good one if what it says is
possible; then the run may also go elsewhere or fail with a `SimulationError`, but its numbers are finite.  Nothing
crashes, hangs, or raises anything else.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import supple as sp

from . import damage
from .file_cases import METHODS, ROBOTS, TIMES, arguments, finite, robot, same
from .report import Report, run
from .worker import FINE, REFUSED, Worker, serve

#: Ways to damage, and how often.
WAYS = {
    "flip": 3, "truncate": 1, "overwrite": 1, "headers": 1, "recompress": 1, "edit": 2, "restamp": 5, "exchange": 2,
    "old": 1,
}  # fmt: skip


def campaign(count: int, seed: int, say: Callable[[str], object] = lambda text: None) -> Report:
    """Damage ``count`` files."""
    with Worker("tests.fuzz.files") as worker:
        return run("files", worker.case, count, seed, say)


# ---------------------------------------------------------------------- in the worker


@cache
def folder() -> Path:
    """Where the files are."""
    return Path(tempfile.mkdtemp(prefix="damaged"))


@cache
def unbroken(name: str, method: str, times: str) -> sp.Trajectory:
    """The motion of a run that nobody disturbs."""
    return robot(name).model.simulate(**arguments(name, method, times), progress=False)


@cache
def checkpoint(name: str, method: str, times: str) -> bytes | None:
    """The file of a run that was stopped in the middle; None if it is too short for that."""
    file = folder() / "whole.npz"
    file.unlink(missing_ok=True)
    given = arguments(name, method, times)
    robot(name).model.simulate(**given, checkpoint=file, progress=lambda t, h: True)
    return file.read_bytes() if file.exists() else None


@cache
def trajectory(name: str, method: str, times: str) -> bytes:
    """The file of a motion."""
    return unbroken(name, method, times).save(folder() / "motion.npz").read_bytes()


def case(seed: int) -> str:
    """Damage one file and use it."""
    rng = np.random.default_rng([11, seed])
    which = random_run(rng)
    way = str(rng.choice(list(WAYS), p=np.array([*WAYS.values()]) / sum(WAYS.values())))
    going_on = rng.random() < 0.6 and checkpoint(*which) is not None
    whole = checkpoint(*which) if going_on else trajectory(*which)
    assert whole is not None
    content = damaged(rng, way, whole, which)
    if content is None:
        return REFUSED  # nothing to be damaged in that way
    file = folder() / "damaged.npz"
    file.write_bytes(content)
    try:
        found = _resumed(which, file) if going_on else sp.Trajectory.load(file, _model(rng, which))
    except (sp.StorageError, sp.ModelError):
        return REFUSED
    except sp.SimulationError:
        if way != "restamp":
            raise
        return REFUSED
    fine = same(found, unbroken(*which)) or (way == "restamp" and _possible(found, going_on))
    assert fine, f"{way} of a {'checkpoint' if going_on else 'trajectory'} of {which} goes unnoticed"
    return FINE


def _possible(found: sp.Trajectory, going_on: bool) -> bool:
    """Whether a motion that may be another one consists of numbers; inputs of a file may be NaN."""
    return finite(found) if going_on else finite(sp.Trajectory(**{**vars(found), "u": np.nan_to_num(found.u)}))


def _model(rng: np.random.Generator, which: tuple[str, str, str]) -> Any:
    return robot(which[0]).model if rng.random() < 0.7 else None


def _resumed(which: tuple[str, str, str], file: Path) -> sp.Trajectory:
    given = arguments(*which)
    return robot(which[0]).model.simulate(**given, checkpoint=file, resume=True, progress=False, checkpoint_every=1e9)


def random_run(rng: np.random.Generator) -> tuple[str, str, str]:
    """A robot, a method and times; explicit methods for robots that they suit."""
    name, method = str(rng.choice([*ROBOTS])), str(rng.choice([*METHODS]))
    if name == "soft arm" and method in ("RK45", "DOP853"):
        method = "NDF"
    return name, method, str(rng.choice([*TIMES]))


def damaged(rng: np.random.Generator, way: str, whole: bytes, which: tuple[str, str, str]) -> bytes | None:
    """A damaged file, or another one in its place."""
    if way == "exchange":
        other = random_run(rng)
        if other == which:
            return None
        return checkpoint(*other) if rng.random() < 0.5 else trajectory(*other)
    if way in ("edit", "restamp"):
        arrays = damage.edit(rng, damage.fields(whole))
        with np.load(folder_file(whole)) as file:
            stamp = file["digest"]
        return damage.packed(arrays, stamp if way == "edit" else None)
    if way == "old":
        arrays = {key: x for key, x in damage.fields(whole).items() if key not in ("format", "content")}
        return damage.packed(damage.edit(rng, arrays) if rng.random() < 0.5 else arrays, np.array("0"))
    change: Callable[[np.random.Generator, bytes], bytes] = getattr(damage, way)
    content = change(rng, whole)
    return None if content == whole else content


def folder_file(content: bytes) -> Path:
    """Bytes as a file."""
    file = folder() / "stamped.npz"
    file.write_bytes(content)
    return file


if __name__ == "__main__":
    serve(case)
