"""How many of many runs are done: a line on a terminal, or a report to whoever asked for it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from supple.checks import flag

#: Seconds before a line appears if nobody asked for it.
PATIENCE = 2.0

#: What is told how many runs are done, and of how many; a true answer ends the work there.
Report: TypeAlias = Callable[[int, int], bool | None]


def checked_progress(progress: Any) -> bool | Report | None:
    """A flag, a function of (done, count), or None."""
    return progress if progress is None or callable(progress) else flag(progress, "progress")


class Tally:
    """Runs done, runs that failed and the time that is left, on one line of a terminal.

    ``show`` None means: only on a terminal, and only if the work takes longer than `PATIENCE`.  A function is a
    `Report`, which takes the line's place.
    """

    def __init__(self, title: str, count: int, show: bool | Report | None) -> None:
        self.title, self.count = title, count
        self.started = time.perf_counter()
        self.report: Report | None = show if callable(show) else None
        self.wait = 0.0 if show else PATIENCE
        self.enabled = show is True or (show is None and sys.stderr.isatty())
        self._live: Any = None

    def update(self, done: int, failed: int) -> bool:
        """Tell how far it has come.  Returns whether to end here."""
        if self.report is not None:
            return bool(self.report(done, self.count))
        elapsed = time.perf_counter() - self.started
        if not self.enabled or elapsed < self.wait:
            return False
        if self._live is None:
            from rich.console import Console
            from rich.status import Status

            self._live = Status("", console=Console(stderr=True))
            self._live.start()
        left = f", {elapsed * (self.count - done) / done:.3g} s left" if done else ""
        failures = f", {failed} failed" if failed else ""
        self._live.update(f"{self.title}: {done} of {self.count} runs{failures}{left}")
        return False

    def close(self) -> None:
        """Remove the line."""
        if self._live is not None:
            self._live.stop()
            self._live = None
