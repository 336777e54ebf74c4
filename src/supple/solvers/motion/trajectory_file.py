"""Trajectories in files: what is written, and what a file must be to be believed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import file_path
from supple.compilation.digest import differences, told
from supple.errors import ModelError, StateError, StorageError, warn
from supple.model.constraints import Multipliers
from supple.solvers.motion.checkpoint import parts_of, warn_unknown
from supple.solvers.motion.trajectory import Trajectory
from supple.storage import FORMAT, NUMBER, check_finite, read_array, read_npz, read_text, write_npz

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray

KIND = "trajectory"

#: Arrays of a trajectory with one row per time.
ROWS = ("q", "v", "a", "u", "z", "efforts")


def save(trajectory: Trajectory, path: str | os.PathLike[str]) -> Path:
    """Write a trajectory, atomically; one that could not be read again is refused with a `StateError`."""
    from supple import __version__

    loops = trajectory.multipliers.loops
    arrays = {name: np.asarray(getattr(trajectory, name), dtype=float) for name in ("t", *ROWS)}
    arrays["multipliers"] = np.asarray(trajectory.multipliers, dtype=float)
    for k, (first, perp) in enumerate(loops.values()):
        arrays[f"loop{k}"] = np.vstack([np.full((1, perp.shape[1]), float(first)), perp])
    content = trajectory.content if trajectory.model is None else trajectory.model.digest.parts
    texts = {
        "kind": KIND,
        "version": __version__,
        "description": trajectory.description,
        "stats": json.dumps(trajectory.stats),
        "loops": json.dumps(list(loops)),
        "content": json.dumps(content or {}),
    }
    try:
        written = {**arrays, **{key: np.array(text) for key, text in texts.items()}}
        _fields({**written, FORMAT: np.array(NUMBER)}, file_path(path, "path", StorageError))
    except StorageError as error:
        raise StateError(f"this trajectory cannot be saved: {error}") from None
    return write_npz(path, {**arrays, **texts})


def load(path: str | os.PathLike[str], model: Model | None) -> Trajectory:
    """Read a trajectory; every field is checked, and the model against what the file says of its robot."""
    arrays = read_npz(path, KIND)
    file = Path(path)
    fields = _fields(arrays, file)
    description = read_text(arrays, "description", file)
    content = parts_of(read_text(arrays, "content", file), file) if FORMAT in arrays else {}
    if model is not None:
        _compare(file, content, description, model)
        _fit(file, fields, model)
    return Trajectory(**fields, description=description, model=model, content=content or None)


# ---------------------------------------------------------------------- checks


def _fields(arrays: dict[str, Array], path: Path) -> dict[str, Any]:
    """Fields of a trajectory: there, of the right kind and shape, finite, with times in order."""
    t = check_finite(read_array(arrays, "t", (None,), path), "t", path)
    if (np.diff(t) < 0.0).any():
        raise StorageError(f"{path} is damaged: 't' goes back in time")
    rows = {name: read_array(arrays, name, (len(t), None), path) for name in ROWS}
    n = rows["q"].shape[1]
    for name in ("v", "a"):
        read_array(arrays, name, (len(t), n), path)
    for name, array in rows.items():
        # inputs of a run that failed are NaN where they could not be had again
        check_finite(array[~np.isnan(array)] if name == "u" else array, name, path)
    multipliers = check_finite(read_array(arrays, "multipliers", (len(t), None), path), "multipliers", path)
    stats = _json(arrays, "stats", dict, path)
    return {"t": t, **rows, "multipliers": Multipliers(multipliers, _loops(arrays, multipliers, path)), "stats": stats}


def _loops(arrays: dict[str, Array], multipliers: Array, path: Path) -> dict[str, tuple[int, Array]]:
    """First multiplier and directions (6, k) of every loop, by name."""
    if FORMAT in arrays:
        names = _json(arrays, "loops", list, path)
        keys = {f"loop{k}": str(name) for k, name in enumerate(names)}
    else:  # version 0.1.0
        keys = {key: key[5:] for key in arrays if key.startswith("loop:")}
    loops: dict[str, tuple[int, Array]] = {}
    for key, name in keys.items():
        table = check_finite(read_array(arrays, key, (7, None), path), key, path)
        width = table.shape[1]
        first = float(table[0, 0]) if width else 0.0
        if (table[0] != first).any() or not first.is_integer() or not 0 <= first <= multipliers.shape[1] - width:
            raise StorageError(f"{path} is damaged: {key!r} points to multipliers that are not there")
        loops[name] = int(first), table[1:]
    return loops


def _json(arrays: dict[str, Array], key: str, kind: type, path: Path) -> Any:
    try:
        value = json.loads(read_text(arrays, key, path))
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, kind):
        raise StorageError(f"{path} is damaged: {key!r} is no JSON of a {kind.__name__}")
    return value


def _compare(path: Path, content: dict[str, dict[str, str]], description: str, model: Model) -> None:
    """Refuse the trajectory of another robot."""
    if not content:
        if description.partition("\n")[0] != model.description.partition("\n")[0]:
            raise ModelError(f"{path} is of another robot:\n{description}")
        warn(
            f"{path} was written by supple 0.1.0, or without its model: it does not say what its robot is made of; "
            "that it is this one cannot be checked beyond names and sizes"
        )
        return
    digest = model.digest
    different = differences(digest.parts, content)
    if different:
        raise ModelError(f"{path} is of another robot: {told(different)}")
    warn_unknown(path, digest)


def _fit(path: Path, fields: dict[str, Any], model: Model) -> None:
    """Refuse rows that do not fit the model."""
    states = sum(len(c.state0) for c in model.controllers) + model.nz
    sizes = {"q": model.n, "u": model.nu, "z": states, "efforts": len(model.fixed_coordinates), "multipliers": model.nc}
    for name, size in sizes.items():
        found = fields[name].shape[1]
        if found != size:
            raise ModelError(f"{path} is of another robot: {name} has {found} columns, model {model.name!r} has {size}")
