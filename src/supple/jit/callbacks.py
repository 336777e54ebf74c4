"""Functions of Python that compiled code calls by address, from which nothing that is raised gets lost.

Signals that come while compiled code runs are handled at the first instruction of Python, which is the beginning of the
function that is called: before a ``try`` in it has begun.  What a handler raises there, `KeyboardInterrupt` mostly,
ctypes would print and forget, and compiled code would go on with what was asked before.  A generator is resumed inside
of its ``try``; so it is one that answers.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Generator

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
