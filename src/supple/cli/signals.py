"""Ctrl-C and requests to end: at once, or when a run has reached a place from which it can go on.

The first signal raises `Interrupted`, which unwinds what is going on, or only makes a request where a run can be saved;
a second one ends the process at once.  Raising in the middle of anything can be swallowed (Python prints and
ignores what is raised in a finaliser or in a callback from compiled code) or leave libraries in pieces.  So as soon as
there was a signal the process ends with code 130 whatever comes of the exception, and without Python's own shutdown.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from types import FrameType
from typing import Any, NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)

#: Exit code of what was interrupted.
INTERRUPTED = 130

#: Shows the cursor, which progress bars hide.
_SHOW_CURSOR = b"\x1b[?25h"


class Interrupted(BaseException):
    """A signal asked the command to end.  Like `KeyboardInterrupt`, it is nothing for handlers of errors."""


class _Process:
    """What this process knows about signals."""

    is_command = False  #: whether the command line is all that the process is for
    signals = 0  #: how many came


def is_command() -> bool:
    """Whether this process was started as ``supple`` or ``python -m supple``."""
    if sys.argv[0] == "-m":  # Python is looking for the module
        started = sys.orig_argv
        return any(a.startswith("-") and a.endswith("m") and b == "supple" for a, b in pairwise(started))
    return os.path.basename(sys.argv[0]).lower() in ("supple", "supple.exe", "supple-script.py")


def guard() -> None:
    """Take over signals for the whole life of a process that is a command."""
    if is_command():
        _Process.is_command = True
        sys.unraisablehook = _unraisable
        for number in SIGNALS:
            signal.signal(number, _at_once)


def _at_once(number: int, frame: FrameType | None) -> None:
    _Process.signals += 1
    end("nothing is saved")


def end(text: str = "") -> NoReturn:
    """End this process now, with what was printed and a terminal as it was; further signals do not disturb it."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # a signal may come while the stream itself is busy
            stream.flush()
    with suppress(OSError):
        os.write(2, (_SHOW_CURSOR if os.isatty(2) else b"") + (f"interrupted: {text}\n".encode() if text else b""))
    os._exit(INTERRUPTED)


def _unraisable(unraisable: Any) -> None:
    """What Python cannot pass on: `Interrupted` must not get lost."""
    if _Process.signals or isinstance(unraisable.exc_value, Interrupted | KeyboardInterrupt):
        end("nothing more is saved")
    sys.__unraisablehook__(unraisable)


def came() -> bool:
    """Whether there was a signal in a process that is a command."""
    return _Process.is_command and _Process.signals > 0


def leave(code: int) -> int:
    """Exit code of a command that has said all that it had to say; from here on signals mean nothing."""
    if not _Process.is_command:
        return code
    if came():
        end()
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    return code


@contextmanager
def _handling(handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in SIGNALS}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _raise(number: int, frame: FrameType | None) -> None:
    _Process.signals += 1
    if _Process.is_command and _Process.signals > 1:
        end("nothing more is saved")
    raise Interrupted("nothing more is saved")


def raising() -> Any:
    """Block in which a signal raises `Interrupted`."""
    return _handling(_raise)


class Request:
    """Whether somebody asked to end."""

    made = False


@contextmanager
def asking() -> Iterator[Request]:
    """Block in which the first signal only makes a request, and a second one ends at once."""
    request = Request()

    def handler(number: int, frame: FrameType | None) -> None:
        if request.made:
            _raise(number, frame)
        request.made = True
        _Process.signals += 1

    with _handling(handler):
        yield request
