"""Files that are there whole or not at all, and are read with suspicion.

An .npz file of supple is a zip archive of plain arrays, stored as they are.  It carries a digest over all of them, so
that one that was damaged or edited is told from one that is whole.  Reading never executes what it finds, and never
takes more memory than the file is long: compressed members, objects and shapes that promise more are refused.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile

import numpy as np

from supple.checks import file_path
from supple.errors import StorageError, SuppleError

#: Longest header of an array, in characters: that of a plain array is 118.
HEADER = 4096

#: Kinds of entries that files hold: truth values, integers, floats, texts.
KINDS = "biufU"

#: Where the digest over all other arrays stands, and the number of this format; files of supple 0.1.0 have neither.
DIGEST, FORMAT, NUMBER = "digest", "format", "2"


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
    """Write arrays and texts to an .npz file with their digest, whole or not at all (see `replacing`)."""
    target = file_path(path, "path", StorageError)
    if target.suffix != ".npz":
        target = target.with_name(target.name + ".npz")
    plain: dict[str, Any] = {FORMAT: np.array(NUMBER)}  # first: an archive that loses members loses the last ones
    plain.update({key: np.asarray(value) for key, value in arrays.items()})
    plain[DIGEST] = np.array(digest_of(plain))
    with replacing(target) as beside:
        np.savez(beside, **plain)
    return target


def digest_of(arrays: Mapping[str, np.ndarray]) -> str:
    """Digest over names, types, shapes and contents of arrays."""
    digest = hashlib.sha256()  # processors have instructions for it: checkpoints stay cheap
    for key in sorted(arrays):
        array = np.ascontiguousarray(arrays[key])
        digest.update(f"{key!r} {array.dtype.str} {np.shape(arrays[key])} ".encode())
        if array.size:
            digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def read_npz(path: str | os.PathLike[str], kind: str) -> dict[str, np.ndarray]:
    """All arrays of an .npz file that `write_npz` wrote as ``kind``, without its digest, which must be right.

    Files of supple 0.1.0 have no digest: they come without ``FORMAT``, which all others have.
    """
    target = file_path(path, "path", StorageError)
    if not target.exists() and target.suffix != ".npz":
        target = target.with_name(target.name + ".npz")
    if target.exists() and not target.is_file():
        raise StorageError(f"cannot read {target}: it is not a file")
    try:
        with target.open("rb") as stream:
            arrays = _members(stream)
    except FileNotFoundError:
        raise StorageError(f"cannot read {target}: there is no such file") from None
    except Exception as error:  # zip archives and headers of arrays have many ways to be broken
        reason = str(error) or type(error).__name__
        raise StorageError(f"cannot read {target}: {reason}; it is damaged, or no file of supple") from error
    if read_text(arrays, "kind", target) != kind:
        raise StorageError(f"{target} is not a {kind} of supple")
    stamp = read_text(arrays, DIGEST, target, "")
    arrays.pop(DIGEST, None)
    number = read_text(arrays, FORMAT, target, "")
    if number not in ("", NUMBER):
        raise StorageError(f"{target} is of format {number!r}, which this version of supple does not know; update it")
    if (number or stamp) and stamp != digest_of(arrays):
        raise StorageError(
            f"{target} does not hold what was written: it was edited or damaged; write it again, or use a copy"
        )
    return arrays


def _members(stream: Any) -> dict[str, np.ndarray]:
    """Arrays of an archive by name."""
    size = os.fstat(stream.fileno()).st_size
    with ZipFile(stream) as archive:
        entries = archive.infolist()
        if sum(entry.file_size for entry in entries) > size:
            raise ValueError("its members are larger than the file")
        arrays: dict[str, np.ndarray] = {}
        for entry in entries:
            name, dot, suffix = entry.filename.rpartition(".")
            if dot + suffix != ".npy" or not name or name in arrays:
                raise ValueError(f"it has a member {entry.filename!r}")
            if entry.compress_type != ZIP_STORED or entry.compress_size != entry.file_size:
                raise ValueError(f"{name!r} is compressed")
            arrays[name] = _array(name, archive.read(entry))
    return arrays


def _array(name: str, content: bytes) -> np.ndarray:
    """The array in the bytes of an .npy file."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        raise ValueError(f"{name!r} is an array of an unknown format")
    shape, transposed, dtype = readers[version](stream, max_header_size=HEADER)
    if dtype.kind not in KINDS or dtype.names or dtype.subdtype or dtype.hasobject:
        raise ValueError(f"{name!r} holds {dtype}, no plain numbers or texts")
    data = content[stream.tell() :]
    if math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError(f"{name!r} should have shape {shape}, but has {len(data)} bytes")
    flat = np.frombuffer(data, dtype=dtype) if dtype.itemsize and len(data) else np.zeros(math.prod(shape), dtype)
    return flat.reshape(shape, order="F" if transposed else "C").copy()


# ---------------------------------------------------------------------- fields


def read_text(arrays: Mapping[str, np.ndarray], key: str, path: Path, default: str | None = None) -> str:
    """A text among the arrays of a file."""
    if key not in arrays and default is not None:
        return default
    text = arrays.get(key)
    if text is None or text.shape != () or text.dtype.kind != "U":
        raise StorageError(f"{path} is damaged: {key!r} is {'missing' if text is None else 'no text'}")
    return str(text)


def read_array(
    arrays: Mapping[str, np.ndarray], key: str, shape: tuple[int | None, ...], path: Path, kind: str = "f"
) -> np.ndarray:
    """An array of a file, of a shape (None: any length) and a kind of entries ("f" floats, "i" integers)."""
    array = arrays.get(key)
    if array is None:
        raise StorageError(f"{path} is damaged: {key!r} is missing")
    expected = {"f": np.dtype(np.float64), "i": np.dtype(np.int64)}[kind]
    if array.dtype != expected:
        raise StorageError(f"{path} is damaged: {key!r} holds {array.dtype}, must hold {expected}")
    if len(array.shape) != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True)):
        wanted = f"({', '.join('any' if n is None else str(n) for n in shape)})"
        raise StorageError(f"{path} is damaged: {key!r} has shape {array.shape}, must have shape {wanted}")
    return array


def check_finite(array: np.ndarray, key: str, path: Path) -> np.ndarray:
    """The array, if all of its entries are finite."""
    if not np.isfinite(array).all():
        raise StorageError(f"{path} is damaged: {key!r} holds values that are not finite")
    return array


def write_text(path: str | os.PathLike[str], text: str) -> Path:
    """Write a text, whole or not at all (see `replacing`)."""
    target = file_path(path, "path", StorageError)
    with replacing(target) as beside:
        beside.write_text(text, encoding="utf-8")
    return target
