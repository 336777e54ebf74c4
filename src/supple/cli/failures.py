"""What can go wrong on the command line: exit codes, and messages without tracebacks."""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from supple.cli.signals import INTERRUPTED, Interrupted
from supple.errors import SuppleError

#: Exit codes.
FINE, FAILED, BAD_USAGE = 0, 1, 2


class UsageError(ValueError):
    """What was typed makes no sense: a name, a key, a value, a folder."""


def unknown(kind: str, name: str, known: Iterable[str]) -> UsageError:
    """Error about a name that is not among the known ones: lists them, and suggests the nearest."""
    names = list(known)
    near = get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return UsageError(f"there is no {kind} {name!r}{hint}; known are: {', '.join(names) or 'none'}")


def code_of(error: BaseException) -> int:
    """Exit code of an error: what users wrote is bad usage, what an algorithm met is a failure."""
    if isinstance(error, Interrupted):
        return INTERRUPTED
    return BAD_USAGE if isinstance(error, ValueError) and isinstance(error, (UsageError, SuppleError)) else FAILED


def is_expected(error: BaseException) -> bool:
    """Whether the message of an error says all that users need."""
    return isinstance(error, (UsageError, SuppleError, OSError, MemoryError))


def text_of(error: BaseException) -> str:
    """Message of an error in one line or a short block."""
    if isinstance(error, SuppleError | UsageError):
        return str(error)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}".rstrip(": ")
    return f"{type(error).__name__}: {error}"


def wants_traceback() -> bool:
    """Whether the environment asks for tracebacks."""
    return os.environ.get("SUPPLE_DEBUG", "") not in ("", "0")


def usable_folder(path: Path) -> Path:
    """A folder to write to, made if it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out: cannot make the folder {path}: {error.strerror or error}") from error
    if not os.access(path, os.W_OK | os.X_OK):
        raise UsageError(f"--out: the folder {path} cannot be written to")
    return path
