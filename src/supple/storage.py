"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from supple.errors import StorageError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file beside ``path``, with its suffix, that takes its place when the block has written it.

    If the block fails, what was there before stays.  Raises `StorageError` if the disk is full or the folder cannot be
    written.
    """
    target, new = Path(path), None
    try:
        fresh = target.with_name(f".{target.stem}.{secrets.token_hex(6)}{target.suffix}")
        # unlike those of tempfile, it may be read by whoever the user's umask lets read
        os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        new = fresh
        yield new
        with new.open("rb+") as file:
            os.fsync(file.fileno())
        new.replace(target)
    except OSError as error:
        raise StorageError(
            f"cannot write {target}: {error.strerror or error}; nothing that was there is lost"
        ) from error
    finally:
        if new is not None:
            new.unlink(missing_ok=True)


def write_npz(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> Path:
    """Write arrays to an .npz file, atomically: a file that was there before stays until the new one is complete.

    Raises `StorageError` if the disk is full or the folder cannot be written.
    """
    target = Path(path)
    if target.suffix != ".npz":
        target = target.with_name(target.name + ".npz")
    with replacing(target) as new, new.open("wb") as file:
        np.savez(file, **arrays)
    return target


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text, atomically like `write_npz`."""
    target = Path(path)
    with replacing(target) as new:
        new.write_text(text, encoding="utf-8")
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
