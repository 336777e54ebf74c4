"""What many simulations return: one array per quantity, or files; and every motion by itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np

from supple.batch.failure import Failure, listed
from supple.batch.folder import part_file, read_index, run_file
from supple.checks import file_path, floats, shown
from supple.errors import ModelError, StorageError
from supple.fingerprint import fingerprint
from supple.model.constraints import named_multipliers
from supple.solvers.motion.trajectory import Trajectory

if TYPE_CHECKING:
    from pathlib import Path

    from supple.model.model import Model

Array = np.ndarray

#: Arrays of a motion with one row per time.
ROWS = ("q", "v", "a", "u", "z", "efforts", "multipliers")

KIND = "motions"


class Store(Protocol):
    """Where motions are kept."""

    def array(self, name: str) -> Array:
        """One of `ROWS`, (B, T, .), NaN where there is nothing."""

    def motion(self, i: int) -> Trajectory | None:
        """A motion as far as it came; None if there is none."""


def widths(model: Model) -> dict[str, int]:
    """How many numbers of each of `ROWS` there are per time."""
    states = sum(len(c.state0) for c in model.controllers) + model.nz
    efforts, n = len(model.fixed_coordinates), model.n
    return {"q": n, "v": n, "a": n, "u": model.nu, "z": states, "efforts": efforts, "multipliers": model.nc}


def rows_reached(t: Array, times: Array) -> int:
    """How many of the output times a motion with times t has come to."""
    count = min(len(t), len(times))
    same = t[:count] == times[:count]
    return count if same.all() else int(np.argmin(same))


class InMemory:
    """All motions in one array per quantity; those that ended off the output times also by themselves."""

    def __init__(self, model: Model, times: Array, count: int) -> None:
        self.model, self.times = model, times
        # rows become numbers or NaN as runs end, on their threads: touching so much memory takes time
        sizes = widths(model)
        try:
            self.arrays = {name: np.empty((count, len(times), k)) for name, k in sizes.items()}
        except (MemoryError, ValueError):  # the latter: of more bytes than can be counted
            size = 8e-9 * count * len(times) * sum(sizes.values())
            raise ModelError(
                f"motions of {count} runs at {len(times)} times take {size:.3g} GB, more than there is: give folder=, "
                "which keeps them in files, fewer runs or fewer times"
            ) from None
        self.lengths = np.zeros(count, dtype=np.int64)
        self.stats: list[dict[str, Any]] = [{} for _ in range(count)]
        self.odd: dict[int, Trajectory] = {}
        self.tapes: dict[int, Any] = {}

    def keep(self, i: int, t: Array, rows: Mapping[str, Any], stats: dict[str, Any]) -> bool:
        """Put the rows of a motion where they belong; whether that is all of it, or it ended off the output times."""
        count = rows_reached(t, self.times)
        for name, array in self.arrays.items():
            if array.shape[2]:
                array[i, :count] = rows[name][:count]
                if count < len(self.times):
                    array[i, count:] = np.nan
        self.lengths[i], self.stats[i] = count, stats
        return count == len(t)

    def keep_motion(self, i: int, motion: Trajectory) -> None:
        """The same of a motion by itself."""
        rows = {name: np.asarray(getattr(motion, name)) for name in ROWS}
        if not self.keep(i, motion.t, rows, motion.stats):
            self.odd[i] = motion
        if motion.tape is not None:
            self.tapes[i] = motion.tape

    def keep_nothing(self, i: int) -> None:
        """There is no motion."""
        for array in self.arrays.values():
            array[i] = np.nan

    def array(self, name: str) -> Array:
        """See `Store`."""
        return self.arrays[name]

    def motion(self, i: int) -> Trajectory | None:
        """See `Store`."""
        if i in self.odd:
            return self.odd[i]
        if not self.stats[i]:
            return None
        rows: dict[str, Any] = {name: array[i, : self.lengths[i]] for name, array in self.arrays.items()}
        rows["multipliers"] = named_multipliers(self.model, rows["multipliers"])
        return Trajectory(
            t=self.times[: self.lengths[i]].copy(),
            **rows,
            stats=self.stats[i],
            description=self.model.description,
            model=self.model,
            tape=self.tapes.get(i),
        )


class InFiles:
    """Motions in the files of a folder; arrays are read when they are first asked for."""

    def __init__(self, model: Model, times: Array, count: int, folder: Path) -> None:
        self.model, self.times, self.count, self.folder = model, times, count, folder
        self._arrays: dict[str, Array] = {}

    def motion(self, i: int) -> Trajectory | None:
        """See `Store`."""
        for path in (run_file(self.folder, i), part_file(self.folder, i)):
            if path.exists():
                return Trajectory.load(path, self.model)
        return None

    def array(self, name: str) -> Array:
        """See `Store`."""
        if name not in self._arrays:
            found = {k: np.full((self.count, len(self.times), w), np.nan) for k, w in widths(self.model).items()}
            for i in range(self.count):
                motion = self.motion(i)
                if motion is not None:
                    rows = rows_reached(motion.t, self.times)
                    for key, array in found.items():
                        array[i, :rows] = np.asarray(getattr(motion, key))[:rows]
            self._arrays = found
        return self._arrays[name]


class Motions(Sequence[Trajectory]):
    """B motions of one robot at the same T times.

    ``motions[i]`` is the i-th as a `Trajectory`, equal to what `Model.simulate` returns; of a run that failed or was
    ended by an event, as far as it came, maybe not at all.  In the arrays, rows that were not reached are NaN.  Of
    motions in a folder, arrays are read when they are first asked for, and motions whenever they are.

    Attributes
    ----------
    t : (T,)
        Output times, s.
    done : (B,) bool
        Runs that ended, well or not; all, unless the batch was interrupted.
    failed : (B,) bool
        Runs that could not go on.
    failures : tuple of Failure
        These by number, type of error, message, and the time until which they came.
    folder : Path or None
        Where the files are.
    """

    def __init__(
        self, model: Model, t: Array, store: Store, done: Array, failures: dict[int, Failure], folder: Path | None
    ) -> None:
        self.model, self.t, self._store, self.done, self.folder = model, t, store, done, folder
        self.failures = tuple(failures[i] for i in sorted(failures))
        self.failed = np.zeros(len(done), dtype=bool)
        self.failed[sorted(failures)] = True

    def __len__(self) -> int:
        return len(self.done)

    @overload
    def __getitem__(self, i: int) -> Trajectory: ...

    @overload
    def __getitem__(self, i: slice) -> list[Trajectory]: ...

    def __getitem__(self, i: int | slice) -> Trajectory | list[Trajectory]:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        try:
            number = range(len(self))[i]
        except (IndexError, TypeError):
            raise IndexError(f"there is no motion {shown(i)}: there are {len(self)}") from None
        motion = self._store.motion(number)
        return self._empty() if motion is None else motion

    def __iter__(self) -> Iterator[Trajectory]:
        return (self[i] for i in range(len(self)))

    def _empty(self) -> Trajectory:
        """A motion that never began."""
        rows: dict[str, Any] = {name: np.zeros((0, width)) for name, width in widths(self.model).items()}
        rows["multipliers"] = named_multipliers(self.model, rows["multipliers"])
        return Trajectory(np.zeros(0), **rows, stats={}, description=self.model.description, model=self.model)

    def __repr__(self) -> str:
        failed, left = len(self.failures), int((~self.done).sum())
        remarks = (f", {failed} failed" if failed else "") + (f", {left} not done" if left else "")
        return f"<Motions of {self.model.name!r}: {len(self)} runs, {len(self.t)} times{remarks}>"

    def __str__(self) -> str:
        return "\n".join([repr(self), *([listed(self.failures)] if self.failures else [])])

    @property
    def q(self) -> Array:
        """Coordinates in the model's own charts, (B, T, n)."""
        return self._store.array("q")

    @property
    def v(self) -> Array:
        """Rates, (B, T, n)."""
        return self._store.array("v")

    @property
    def a(self) -> Array:
        """Accelerations, (B, T, n)."""
        return self._store.array("a")

    @property
    def u(self) -> Array:
        """Inputs, (B, T, nu)."""
        return self._store.array("u")

    @property
    def z(self) -> Array:
        """Internal states: of controllers, then of loads, (B, T, nz)."""
        return self._store.array("z")

    @property
    def efforts(self) -> Array:
        """Of prescribed joints, (B, T, ne)."""
        return self._store.array("efforts")

    @property
    def multipliers(self) -> Array:
        """Of loops, kept rows, (B, T, nc)."""
        return self._store.array("multipliers")

    @property
    def stats(self) -> tuple[dict[str, Any], ...]:
        """Figures of every run, as in `Trajectory.stats`; empty for one that never began."""
        return tuple(motion.stats for motion in self)

    def pose(self, link: str, s: float = 1.0) -> Array:
        """World poses (B, T, 4, 4) of a station of a link, NaN where a run did not come."""
        q = self.q
        there = np.isfinite(q).all(axis=-1) & self._reached()
        poses = np.full((*q.shape[:2], 4, 4), np.nan)
        poses[there] = self.model.pose(q[there], link, s)
        return poses

    def tip(self, link: str, s: float = 1.0) -> Array:
        """World positions (B, T, 3) of a station of a link, its tip if not said otherwise."""
        return self.pose(link, s)[..., :3, 3].copy()

    def _reached(self) -> Array:
        """Which rows there are, (B, T); robots without coordinates have no number that could tell."""
        return self.done[:, None] if self.model.n == 0 else np.ones((len(self), 1), dtype=bool)

    @staticmethod
    def load(folder: str | os.PathLike[str], model: Model) -> Motions:
        """The motions in a folder that `Model.simulate_batch` wrote, complete or not.

        Raises
        ------
        StorageError
            If the index is damaged or of something else; files are looked at when they are asked for.
        ModelError
            If they are of another robot.
        """
        if not hasattr(model, "link_names"):
            raise ModelError(f"model is {shown(model)}, must be a model, as robot.compile() makes it")
        path = file_path(folder, "folder", StorageError)
        index = read_index(path, KIND)
        if index["content"].get("robot") != robot_digest(model):
            raise ModelError(f"{path} holds motions of another robot than {model.name!r}")
        times = _times_of(index.get("t"), path)
        count = len(index["keys"])
        done = np.array([run_file(path, i).exists() for i in range(count)], dtype=bool)
        failures = {i: failure for i, failure in index["failures"].items() if i < count and not done[i]}
        done[sorted(failures)] = True
        return Motions(model, times, InFiles(model, times, count, path), done, failures, path)


def _times_of(given: Any, path: Path) -> Array:
    """Output times (T,) of an index."""
    try:
        times = floats(given)
        fine = times.ndim == 1 and np.isfinite(times).all() and (np.diff(times) > 0.0).all()
    except ValueError:
        fine = False
    if not fine:
        raise StorageError(f"{path} is damaged: 't' in its index is {shown(given)}, must be increasing times")
    return times


def robot_digest(model: Model) -> str:
    """What the robot of a folder is made of."""
    return fingerprint(model.digest.parts).digest

