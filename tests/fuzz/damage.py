"""Ways to damage an .npz file, with and without knowing its format."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from supple.storage import digest_of

Rng = np.random.Generator

#: Numbers that have broken something somewhere.
FLOATS = (np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1e-320, 1e300, -1e300, 1e9, 0.3999, 1e-13)
INTEGERS = (-1, 0, 1, 2, 7, 10**3, 10**9, 2**31, 2**62, -(2**62), 2**63 - 1, -(2**63))


def flip(rng: Rng, content: bytes) -> bytes:
    """Some bits."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 9))):
        data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    return bytes(data)


def truncate(rng: Rng, content: bytes) -> bytes:
    """The beginning, or the end."""
    cut = int(rng.integers(len(content)))
    return content[:cut] if rng.random() < 0.7 else content[cut:]


def overwrite(rng: Rng, content: bytes) -> bytes:
    """A block of random bytes, in place of others or between them, or a block is gone."""
    at, size = int(rng.integers(len(content))), int(rng.integers(1, 300))
    block = [rng.bytes(size), bytes(size), b"\xff" * size, b""][rng.integers(4)]
    return content[:at] + block + content[at + int(rng.choice([0, size])) :]


def headers(rng: Rng, content: bytes) -> bytes:
    """Something in the header of an array: types, orders, shapes."""
    changes = [
        (b"'<f8'", b"'<i8'"), (b"'<f8'", b"'>f8'"), (b"'<f8'", b"'|O' "), (b"'<i8'", b"'<f8'"), (b"False", b"True "),
        (b"'shape'", b"'shapf'"), (b"(21", b"(99"), (b"(1,", b"(9,"), (b"NUMPY\x01", b"NUMPY\x03"), (b"'<U", b"'|V"),
    ]  # fmt: skip
    old, new = changes[rng.integers(len(changes))]
    return _crc_mended(content.replace(old, new, int(rng.integers(1, 40))))


def _crc_mended(content: bytes) -> bytes:
    """The archive with right checksums, if it can still be read member by member."""
    source = zipfile.ZipFile(io.BytesIO(content))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as target:
        for entry in source.infolist():
            with source.open(entry) as member:
                member._expected_crc = None  # type: ignore[attr-defined]
                target.writestr(entry.filename, member.read())
    return stream.getvalue()


def recompress(rng: Rng, content: bytes) -> bytes:
    """The same arrays in another archive: compressed, in another order, a member twice or under another name."""
    source, stream = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    names = [str(x) for x in rng.permutation(source.namelist())]
    kind = int(rng.integers(3))
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED if kind == 0 else zipfile.ZIP_STORED) as target:
        for k, name in enumerate(names):
            renamed = ["x.npy", "../" + name, name[:-4], name.upper(), ".npy"][rng.integers(5)]
            target.writestr(renamed if kind == 1 and k == 0 else name, source.read(name))
        if kind == 2:
            target.writestr("_" + names[0], source.read(names[0]))
    return stream.getvalue()


def edit(rng: Rng, arrays: dict[str, Any]) -> dict[str, Any]:
    """One field changed: an entry, the type, the shape, the name, or it is gone, or two are exchanged."""
    arrays = dict(arrays)
    key = str(rng.choice(sorted(arrays)))
    array, way = arrays[key], int(rng.integers(9))
    if way <= 4 and array.size and array.dtype.kind in "fi":
        changed = array.copy().reshape(-1)
        some = rng.integers(changed.size, size=int(rng.integers(1, 4))) if rng.random() < 0.8 else slice(None)
        values: Any = FLOATS if array.dtype.kind == "f" else INTEGERS
        scaled = array.dtype.kind == "f" and rng.random() < 0.3
        changed[some] = changed[some] * (1.0 + 1e-3) + 1e-12 if scaled else values[rng.integers(len(values))]
        arrays[key] = changed.reshape(array.shape)
    elif way == 5:
        arrays[key] = _retyped(rng, array)
    elif way == 6:
        arrays[key] = _reshaped(rng, array)
    elif way == 7:
        arrays.pop(key)
        if rng.random() < 0.5:
            arrays[key + "x"] = array
    else:
        other = str(rng.choice(sorted(arrays)))
        arrays[key], arrays[other] = arrays[other], arrays[key]
    return arrays


def _retyped(rng: Rng, array: Any) -> Any:
    kinds: list[Callable[[Any], Any]] = [
        lambda x: x.astype(str),
        lambda x: x.astype(np.float32) if x.dtype.kind in "fi" else np.zeros(3),
        lambda x: np.zeros(x.shape, dtype=np.int64),
        lambda x: np.zeros(x.shape),
        lambda x: np.zeros(x.shape, dtype=bool),
        lambda x: np.zeros(x.shape, dtype=complex),
        lambda x: np.array("[" * 10000),
    ]
    return kinds[rng.integers(len(kinds))](array)


def _reshaped(rng: Rng, array: Any) -> Any:
    ways: list[Callable[[Any], Any]] = [
        lambda x: x.reshape(-1)[:1].reshape(()) if x.size else x[None],
        lambda x: x[None],
        lambda x: x[:-1] if x.ndim and len(x) else x[None],
        lambda x: np.concatenate([x, x]) if x.ndim else np.array([x, x]),
        lambda x: x.T if x.ndim > 1 else x.reshape(-1, 1),
        lambda x: np.zeros(0),
    ]
    return np.ascontiguousarray(ways[rng.integers(len(ways))](array))


def fields(content: bytes) -> dict[str, Any]:
    """The arrays of a whole file, without its digest."""
    with np.load(io.BytesIO(content)) as file:
        return {key: file[key] for key in file.files if key != "digest"}


def stamp(content: bytes) -> Any:
    """The digest of a whole file."""
    with np.load(io.BytesIO(content)) as file:
        return file["digest"]


def packed(arrays: dict[str, Any], digest: Any = None) -> bytes:
    """A file with these arrays, and with their digest if none is given."""
    stream = io.BytesIO()
    np.savez(stream, **arrays, digest=np.array(digest_of(arrays)) if digest is None else digest)
    return stream.getvalue()
