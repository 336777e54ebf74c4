"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from supple.checks import file_path
from supple.errors import StorageError, SuppleError


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file beside ``path``, of the same suffix, that takes its place when the block ends without an error.

    What was there before stays until then.  Raises `StorageError` if the disk is full or the folder cannot be written.
    """
    target = file_path(path, "path", StorageError)
    beside = target.with_name(f".{target.stem}.{secrets.token_hex(4)}{target.suffix}")
    try:
        beside.open("xb").close()  # with the permissions of any new file
        yield beside
        with beside.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(beside, target)
    except SuppleError:
        raise
    except OSError as error:
        raise StorageError(
            f"cannot write {target}: {error.strerror or error}; nothing that was there is lost"
        ) from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def write_npz(path: str | os.PathLike[str], arrays: Mapping[str, Any]) -> Path:
    """Write arrays to an .npz file, whole or not at all (see `replacing`)."""
    target = file_path(path, "path", StorageError)
    if target.suffix != ".npz":
        target = target.with_name(target.name + ".npz")
    with replacing(target) as beside:
        np.savez(beside, **arrays)
    return target


def read_npz(path: str | os.PathLike[str], kind: str) -> dict[str, np.ndarray]:
    """All arrays of an .npz file that `write_npz` wrote as ``kind``; nothing in it is executed."""
    target = file_path(path, "path", StorageError)
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
    """Write a text, whole or not at all (see `replacing`)."""
    target = file_path(path, "path", StorageError)
    with replacing(target) as beside:
        beside.write_text(text, encoding="utf-8")
    return target
