"""Where compiled kernels are kept between processes, and how they are read so that nothing damaged is ever run.

The folders, in this order:

1. ``SUPPLE_CACHE_DIR`` or, if that is not set, ``NUMBA_CACHE_DIR``: then this one and no other;
2. beside the sources, in ``__pycache__`` of the package;
3. the user's folder of caches: ``XDG_CACHE_HOME`` or ``~/.cache`` on Linux, ``~/Library/Caches`` on macOS,
   ``%LOCALAPPDATA%`` on Windows;
4. a folder for this user alone among the temporary files.

A kernel is read from the first that has it, so that all users profit from what an administrator compiled, and written
to the first that can be written to.  If there is none, everything works, and every process compiles for itself.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from supple.jit.stamps import PACKAGE, set_of_sources

_MAGIC = b"supple kernel 1\n"
_DIGEST = 32

#: Sets of sources (versions of supple) whose kernels a shared folder keeps.
KEPT = 6


def folders() -> list[Path]:
    """Folders of this process, in the order in which they are tried."""
    given = os.environ.get("SUPPLE_CACHE_DIR") or _numba_folder()
    if given:
        return [Path(given).expanduser().absolute() / _own_name()]
    found = [PACKAGE / "__pycache__"]
    users = _users_folder()
    if users is not None:
        found.append(users / "supple" / _own_name())
    temporary = temporary_folder()
    if temporary is not None:
        found.append(temporary / _own_name())
    return found


def _own_name() -> str:
    """Folder of these sources in a folder that other versions share."""
    return f"kernels-{set_of_sources()}"


def _numba_folder() -> str:
    """Numba's own setting, from the environment or as a program set it."""
    from numba.core import config

    return str(getattr(config, "CACHE_DIR", "") or "")


def _users_folder() -> Path | None:
    """The platform's folder of caches; None where the user has no home."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else None
    try:
        home = Path.home()
    except RuntimeError:
        home = None
    if sys.platform == "darwin":
        return home / "Library" / "Caches" if home else None
    given = os.environ.get("XDG_CACHE_HOME")
    if given and Path(given).is_absolute():
        return Path(given)
    return home / ".cache" if home else None


def temporary_folder() -> Path | None:
    """Folder of this user among the temporary files, not yet made; None where there is no place for such files."""
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    try:
        return Path(tempfile.gettempdir()) / f"supple-{user}"
    except OSError:
        return None


def _is_private(folder: Path) -> bool:
    """Whether nobody but this user can have written to a folder: what is in it will be executed."""
    if not hasattr(os, "getuid"):
        return True  # on Windows temporary files are the user's own
    state = folder.lstat()
    return stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid() and not state.st_mode & 0o022


def _is_trusted(folder: Path) -> bool:
    """Whether a folder may be used; only among temporary files could others have laid something."""
    temporary = temporary_folder()
    if temporary is None or temporary not in folder.parents:
        return True
    try:
        return _is_private(temporary)
    except OSError:
        return False


def read(name: str, stamp: str) -> tuple[bytes, Path] | None:
    """Content of an entry and its folder; None if there is none, if it is of other sources, or if it is damaged."""
    for folder in folders():
        if not _is_trusted(folder):
            continue
        try:
            data = (folder / f"{name}.nbc").read_bytes()
        except OSError:
            continue
        content = _opened(data, stamp)
        if content is not None:
            return content, folder
    return None


def _opened(data: bytes, stamp: str) -> bytes | None:
    """Content of a file, if it is complete and of these sources."""
    head = _MAGIC + stamp.encode() + b"\n"
    if not data.startswith(head):
        return None
    digest, content = data[len(head) : len(head) + _DIGEST], data[len(head) + _DIGEST :]
    return content if hashlib.blake2b(content, digest_size=_DIGEST).digest() == digest else None


def write(name: str, stamp: str, content: bytes) -> Path | None:
    """Keep an entry in the first folder that takes it; which one, or None."""
    digest = hashlib.blake2b(content, digest_size=_DIGEST).digest()
    data = _MAGIC + stamp.encode() + b"\n" + digest + content
    for folder in folders():
        try:
            _make(folder)
            _replace(folder / f"{name}.nbc", data)
        except OSError:
            continue
        return folder
    return None


def _make(folder: Path) -> None:
    """Make a folder if it is not there, and room for it among those of other versions."""
    if folder.is_dir() and _is_trusted(folder):
        return
    temporary = temporary_folder()
    if temporary is not None and temporary in folder.parents:
        temporary.mkdir(mode=0o700, exist_ok=True)
        if not _is_private(temporary):
            raise PermissionError(f"{temporary} is not this user's alone")
    folder.mkdir(parents=True, exist_ok=True)
    for old in sorted(_siblings(folder), key=lambda path: path.stat().st_mtime)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def _siblings(folder: Path) -> Iterator[Path]:
    """Folders of other versions."""
    return (path for path in folder.parent.glob("kernels-*") if path != folder)


def _replace(file: Path, data: bytes) -> None:
    """Write a file so that others see all of it or nothing."""
    file.parent.mkdir(exist_ok=True)
    part = file.with_name(f"{file.name}.{uuid.uuid4().hex[:12]}.tmp")
    try:
        part.write_bytes(data)
        os.replace(part, file)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def is_temporary(folder: Path) -> bool:
    """Whether a folder may vanish when the machine restarts."""
    return temporary_folder() in folder.parents  # None is in none


def takes_files(folder: Path) -> bool:
    """Whether kernels can be kept in a folder; or, if it is not there, could be.  Nothing is left behind."""
    if folder.is_dir():
        probe = folder / f"probe-{uuid.uuid4().hex[:12]}.tmp"
        try:
            probe.touch()
            probe.unlink()
        except OSError:
            return False
        return _is_trusted(folder)
    nearest = next(parent for parent in folder.parents if parent.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def content(folder: Path) -> tuple[int, int]:
    """Number of kernels in a folder, and their size in bytes."""
    sizes = []
    with suppress(OSError):
        for file in folder.glob("*.nbc"):
            with suppress(OSError):  # gone meanwhile
                sizes.append(file.stat().st_size)
    return len(sizes), sum(sizes)
