"""Functions of Python that compiled code calls by address, from which nothing that is raised gets lost.

Signals that come while compiled code runs are handled at the first instruction of Python, which is the beginning of the
function that is called: before a ``try`` in it has begun.  What a handler raises there, `KeyboardInterrupt` mostly,
ctypes would print and forget, and compiled code would go on with what was asked before.  A generator is resumed inside
of its ``try``; so it is one that answers.

Functions that several threads may call at once, such as laws of loads, cannot be generators.  What is raised at their
beginning goes to Python's hook for what cannot be raised: `Interrupts` listens there while a motion is computed.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Generator
from typing import Any, Self

_ANSWERING = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double)


class Callback:
    """A function of a number at an ``address``, for compiled code as int64(float64): 0, or 1 if something was raised.

    Parameters
    ----------
    function : callable
        What is called; by one thread at a time, and not from inside of itself.
    keep : callable
        Takes what was raised.
    """

    def __init__(self, function: Callable[[float], None], keep: Callable[[BaseException], None]) -> None:
        answers = _answers(function, keep)
        next(answers)
        self._called = _ANSWERING(answers.send)
        self.address = ctypes.cast(self._called, ctypes.c_void_p).value or 0


def _answers(
    function: Callable[[float], None], keep: Callable[[BaseException], None]
) -> Generator[int, float, None]:
    failed = 0
    while True:
        try:
            while True:
                function((yield failed))
                failed = 0
        except GeneratorExit:
            return
        except BaseException as error:
            keep(error)
            failed = 1


class Interrupts:
    """Keeps interrupts (whatever is no `Exception`) that came inside of compiled code, until `look` raises the first.

    A context for the thread that computes.  Signals are handled on the main thread; on others only `pass_on` is heard.
    """

    def __enter__(self) -> Self:
        self._outer, _here.innermost = _here.innermost, self
        self._kept: list[BaseException] = []
        self._hook = sys.unraisablehook if threading.current_thread() is threading.main_thread() else None
        if self._hook is not None:
            sys.unraisablehook = self._hear
        return self

    def __exit__(self, *error: object) -> None:
        _here.innermost = self._outer
        if self._hook is not None:
            sys.unraisablehook = self._hook

    def keep(self, error: BaseException) -> None:
        """Keep what was raised, if it is an interrupt."""
        if not isinstance(error, Exception | GeneratorExit):
            self._kept.append(error)

    def look(self) -> None:
        """Raise the first interrupt that was kept."""
        if self._kept:
            raise self._kept[0]

    def _hear(self, unraisable: Any) -> None:
        count = len(self._kept)
        if unraisable.exc_value is not None:
            self.keep(unraisable.exc_value)
        if len(self._kept) == count and self._hook is not None:
            self._hook(unraisable)


class _Here(threading.local):
    innermost: Interrupts | None = None


_here = _Here()


def pass_on(error: BaseException) -> None:
    """Let whatever computes on this thread raise an interrupt that a function of a user has met."""
    if _here.innermost is not None:
        _here.innermost.keep(error)
