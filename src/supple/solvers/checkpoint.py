"""Checkpoints: all arrays of a run in one file, from which it goes on bit for bit."""

from __future__ import annotations

import hashlib
import os
from typing import Any

import numpy as np

from supple.errors import ModelError
from supple.storage import read_npz, write_npz

KIND = "checkpoint"


def fingerprint(*parts: Any) -> str:
    """Digest of what a run is asked for: a checkpoint of another one is refused."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode())
    return digest.hexdigest()


def save(path: str | os.PathLike[str], mark: str, arrays: dict[str, np.ndarray]) -> None:
    """Write a checkpoint, atomically."""
    plain = {key: array.view(np.uint8) if array.dtype.names else array for key, array in arrays.items()}
    write_npz(path, {**plain, "kind": KIND, "mark": mark})


def load(path: str | os.PathLike[str], mark: str) -> dict[str, np.ndarray]:
    """Arrays of a checkpoint of the same run."""
    arrays = read_npz(path, KIND)
    if str(arrays.pop("mark")) != mark:
        raise ModelError(
            f"{path} is a checkpoint of another run: robot, times, initial state and method must be the same; "
            "delete it, or simulate with resume=False"
        )
    arrays.pop("kind")
    return arrays


def put_back(arrays: dict[str, np.ndarray], into: dict[str, np.ndarray]) -> None:
    """Copy a checkpoint's arrays into those of a run."""
    for key, array in into.items():
        array[...] = arrays[key].view(array.dtype).reshape(array.shape) if array.dtype.names else arrays[key]
