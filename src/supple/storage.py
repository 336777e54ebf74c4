"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np

from supple.errors import StorageError, SuppleError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """An open file that takes the place of ``path`` when the block ends well, and is gone if it does not.

    A file that was there before stays until the new one is complete. Raises `StorageError` if the disk is full or the
    folder cannot be written.
    """
    target, name = Path(path), ""
    try:
        with tempfile.NamedTemporaryFile(
            dir=target.parent, prefix=f".{target.stem}.", suffix=target.suffix, delete=False
        ) as file:
            name = file.name
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except OSError as error:
        if name:
            Path(name).unlink(missing_ok=True)
        if isinstance(error, SuppleError):
            raise
        raise StorageError(
            f"cannot write {target}: {error.strerror or error}; nothing that was there is lost"
        ) from error
    except BaseException:
        if name:
            Path(name).unlink(missing_ok=True)
        raise


def write_npz(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> Path:
    """Write arrays to an .npz file, atomically (see `replacing`)."""
    target = Path(path)
    if target.suffix != ".npz":
        target = target.with_name(target.name + ".npz")
    with replacing(target) as file:
        np.savez(file, **arrays)
    return target


def read_npz(path: str | os.PathLike[str], kind: str) -> dict[str, np.ndarray]:
    """All arrays of an .npz file that `write_npz` wrote as ``kind``; nothing in it is executed."""
    target = Path(path)
    if not target.exists() and target.suffix != ".npz":
        target = target.with_name(target.name + ".npz")
    try:
        with target.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise StorageError(f"cannot read {target}: {error}") from error
    if str(arrays.get("kind", "")) != kind:
        raise StorageError(f"{target} is not a {kind} of supple")
    return arrays


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text, atomically (see `replacing`)."""
    target = Path(path)
    with replacing(target) as file:
        file.write(text.encode("utf-8"))
    return target
