"""Damaged files: checkpoints of all methods and trajectories, flipped, cut, edited, stamped again, exchanged.

A file is refused with a `StorageError` or a `ModelError`, or gives what it would have given undamaged, bit for bit.
One that was edited and stamped again by someone who knows the format cannot be told from a good one if what it says is
possible; then the run may also go elsewhere or fail with a `SimulationError`, but its numbers are finite.  Nothing
crashes, hangs, or raises anything else.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

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


def prepare() -> None:
    """Compile or load what all runs need."""
    for name in ROBOTS:
        for method in ("NDF", "GeneralizedAlpha", "RK45"):
            robot(name).model.simulate(**{**arguments(name, method, "every"), "t": 1e-4}, progress=False)


def case(seed: int) -> str:
    """Damage one file and use it."""
    rng = np.random.default_rng([11, seed])
    which = random_run(rng)
    way = str(rng.choice(list(WAYS), p=np.array([*WAYS.values()]) / sum(WAYS.values())))
    going_on = rng.random() < 0.6 and checkpoint(*which) is not None
    whole = checkpoint(*which) if going_on else trajectory(*which)
    assert whole is not None
    other = random_run(rng)
    content = _in_place(rng, other) if way == "exchange" else damaged(rng, way, whole)
    if content is None or content == whole:
        return REFUSED  # nothing to be damaged in that way
    file, model = folder() / "damaged.npz", robot(which[0]).model if going_on or rng.random() < 0.7 else None
    file.write_bytes(content)
    try:
        found = _resumed(which, file) if going_on else sp.Trajectory.load(file, model)
    except (sp.StorageError, sp.ModelError):
        return REFUSED
    except sp.SimulationError:
        if way != "restamp":
            raise
        return REFUSED
    if way == "exchange" and not going_on:  # the file of another motion of the same robot, or of any if none is given
        fine = same(found, unbroken(*other)) and (model is None or model.digest == robot(other[0]).model.digest)
    else:
        fine = same(found, unbroken(*which)) or (way == "restamp" and _possible(found, going_on))
    assert fine, f"{way} of a {'checkpoint' if going_on else 'trajectory'} of {which} goes unnoticed"
    return FINE


def _possible(found: sp.Trajectory, going_on: bool) -> bool:
    """Whether a motion that may be another one consists of numbers; inputs of a file may be NaN."""
    return finite(found) if going_on else finite(sp.Trajectory(**{**vars(found), "u": np.nan_to_num(found.u)}))


def _resumed(which: tuple[str, str, str], file: Path) -> sp.Trajectory:
    given = arguments(*which)
    return robot(which[0]).model.simulate(**given, checkpoint=file, resume=True, progress=False, checkpoint_every=1e9)


def random_run(rng: np.random.Generator) -> tuple[str, str, str]:
    """A robot, a method and times; explicit methods for robots that they suit."""
    name, method = str(rng.choice([*ROBOTS])), str(rng.choice([*METHODS]))
    if name == "soft arm" and method.startswith(("RK45", "DOP853", "Nystrom")):
        method = "NDF"
    return name, method, str(rng.choice([*TIMES]))


def _in_place(rng: np.random.Generator, other: tuple[str, str, str]) -> bytes | None:
    """A good file of another run."""
    return checkpoint(*other) if rng.random() < 0.5 else trajectory(*other)


def damaged(rng: np.random.Generator, way: str, whole: bytes) -> bytes:
    """A damaged file."""
    if way in ("edit", "restamp"):
        arrays = damage.edit(rng, damage.fields(whole))
        stamp = damage.stamp(whole)
        return damage.packed(arrays, stamp if way == "edit" else None)
    if way == "old":
        arrays = {key: x for key, x in damage.fields(whole).items() if key not in ("format", "content")}
        return damage.packed(damage.edit(rng, arrays) if rng.random() < 0.5 else arrays, np.array("0"))
    change: Callable[[np.random.Generator, bytes], bytes] = getattr(damage, way)
    return change(rng, whole)


if __name__ == "__main__":
    serve(case, prepare)
