"""Ctrl-C and requests to end: at once, or when a run has reached a place from which it can go on."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from supple.cli.failures import Interrupted

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def _handling(handler: Callable[[int, FrameType | None], Any]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in SIGNALS}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _raise(number: int, frame: FrameType | None) -> None:
    raise Interrupted("nothing more is saved")


def raising() -> Any:
    """Block in which a signal raises `Interrupted`."""
    return _handling(_raise)


class Request:
    """Whether somebody asked to end."""

    made = False


@contextmanager
def asking() -> Iterator[Request]:
    """Block in which the first signal only makes a request, and a second one raises `Interrupted`."""
    request = Request()

    def handler(number: int, frame: FrameType | None) -> None:
        if request.made:
            _raise(number, frame)
        request.made = True

    with _handling(handler):
        yield request
