"""What compiled code was compiled from: digests over sources, by content and not by time stamps.

Numba decides whether a cached binary is stale by looking at the *one* file in which a function is defined.
Our kernels call each other across files, so that is not enough: an edit of ``lie/tangent.py`` must also
invalidate the inverse dynamics.  Every entry of the cache is therefore stamped with one digest over all files of the
compiled ring (`RING`); loads, which kernels call by address only, with one over theirs as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).parent.parent

#: Folders of the package whose sources are compiled; the digest runs over all of their files.
RING = ("lie", "linalg", "core")
#: Folders of loads: edited without touching the ring.
LOADS = ("loads", "constraints", "fields")
#: Files beside this one that decide what machine code comes of a kernel.
COMPILER = (
    "array_values.py",
    "calls.py",
    "fast.py",
    "lanes.py",
    "libraries.py",
    "local_arrays.py",
    "local_records.py",
    "lowering.py",
    "opaque.py",
    "parts.py",
    "plain.py",
)


def ring_digest(folders: tuple[str, ...] = RING, package: Path = PACKAGE) -> str:
    """Digest over the compiler's files and all sources of some folders (content, not time stamps)."""
    files = [package / "jit" / name for name in COMPILER]
    files += [file for folder in folders for file in sorted((package / folder).rglob("*.py"))]
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


# Taken when the kernels are imported: they are what this process compiles, even if files are edited meanwhile.
_STAMP = ring_digest()
_LOAD_STAMP = ring_digest(RING + LOADS)


def room(function: Callable[..., Any]) -> str:
    """Folder of the package that a kernel belongs to."""
    path = Path(function.__code__.co_filename)
    return path.relative_to(PACKAGE).parts[0] if path.is_relative_to(PACKAGE) else path.parent.name


def made_for(part: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator of functions that are made inside another one, anew for each ``part`` that they call.

    They bear the part's name, for functions of equal names would be taken for one another once they are compiled; and
    their binaries are kept like those of others, although they have closures.  So all that such a function holds must
    stand in sources: parts of a package, or of the file of ``part``.
    """
    owner = getattr(part, "py_func", part)

    def name(function: Callable[..., Any]) -> Callable[..., Any]:
        function.__qualname__ = f"{owner.__module__}.{owner.__qualname__}.{function.__name__}"
        function.part = owner  # type: ignore[attr-defined]
        return function

    return name


def kernel_stamp(function: Callable[..., Any]) -> str:
    """Stamp of a kernel: its folder's, or, of a kernel elsewhere, all sources'; with a user's file, its content."""
    stamp = stamp_of(room(function)) if _is_inside(function) else _all_sources()
    users = [x for x in (function, getattr(function, "part", function)) if not _is_inside(x)]
    return "".join([stamp, *(_digest_of_file(x) for x in users)])


def _is_inside(function: Callable[..., Any]) -> bool:
    """Whether a function is the package's own."""
    return Path(function.__code__.co_filename).is_relative_to(PACKAGE)


@cache
def stamp_of(folder: str) -> str:
    """Stamp of kernels in a folder of the package: that of the ring, and of the folder itself if it is outside."""
    return _STAMP if folder in RING else ring_digest((*RING, folder))


def load_stamp(function: Callable[..., Any]) -> str:
    """Stamp of a load: the ring and the loads, and if it is a user's, the content of its file (or its own code)."""
    path = Path(function.__code__.co_filename)
    if any(path.is_relative_to(PACKAGE / folder) for folder in LOADS):
        return _LOAD_STAMP
    return f"{_LOAD_STAMP}{_digest_of_file(function)}"


def part_stamp(function: Callable[..., Any]) -> str:
    """Stamp of a function inside kernels, as if it were a kernel or a load."""
    return load_stamp(function) if room(function) in LOADS else kernel_stamp(function)


def _digest_of_file(function: Callable[..., Any]) -> str:
    """Digest of the file in which a function stands, or else of its own code."""
    path = Path(function.__code__.co_filename)
    content = path.read_bytes() if path.is_file() else _code(function)
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _code(function: Callable[..., Any]) -> bytes:
    """What a function without a file (typed at a prompt) does."""
    code = function.__code__
    return repr((code.co_code, code.co_names, code.co_varnames, _constants(code.co_consts))).encode()


def _constants(values: tuple[Any, ...]) -> list[Any]:
    """Constants of a function, with the code of functions inside (whose text would hold an address)."""
    return [(v.co_code, v.co_names, _constants(v.co_consts)) if hasattr(v, "co_code") else v for v in values]


def identity(function: Callable[..., Any]) -> str:
    """Name of a function that lasts: its module's in the package, elsewhere its file's path."""
    if hasattr(function, "part"):
        return f"{identity(function.part)}.{function.__name__}"
    path = Path(function.__code__.co_filename)
    name = function.__qualname__
    if path.is_relative_to(PACKAGE):
        return ".".join([*path.relative_to(PACKAGE).with_suffix("").parts, name])
    return f"{path.stem}.{name}-{hashlib.blake2b(str(path).encode(), digest_size=6).hexdigest()}"


@cache
def set_of_sources() -> str:
    """Digest over everything that is ever compiled: names a folder of the cache that versions do not share."""
    return _all_sources()[:16]


@cache
def _all_sources() -> str:
    return ring_digest((*RING, *LOADS, "solvers", "readouts"))
