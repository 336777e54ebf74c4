"""How far a long run has come: a line on a terminal, or a report to whoever asked for it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from supple.checks import ask, shown
from supple.errors import StateError

#: Seconds before a line appears if nobody asked for it.
PATIENCE = 2.0

#: What is told the simulated time [s] and the step [s] between steps; a true answer ends the run there.
Report: TypeAlias = Callable[[float, float], bool | None]


class StatusLine:
    """One line of a terminal that tells how far long work has come.

    ``show`` None means: only on a terminal, and only if the work takes longer than `PATIENCE`.  A function is a
    report, which takes the line's place.
    """

    def __init__(self, title: str, show: bool | Callable[..., bool | None] | None) -> None:
        self.title, self.started = title, time.perf_counter()
        self.report: Callable[..., bool | None] | None = show if callable(show) else None
        self.wait = 0.0 if show else PATIENCE
        self.enabled = show is True or (show is None and sys.stderr.isatty())
        self._live: Any = None

    @property
    def elapsed(self) -> float:
        """Since the work began, s."""
        return time.perf_counter() - self.started

    @property
    def due(self) -> bool:
        """Whether there is anything to show yet."""
        return self.enabled and self.elapsed >= self.wait

    def tell(self, line: str) -> None:
        """Show a line, in place of the last one."""
        if self._live is None:
            from rich.console import Console
            from rich.status import Status

            self._live = Status("", console=Console(stderr=True))
            self._live.start()
        self._live.update(f"{self.title}: {line}")

    def close(self) -> None:
        """Remove the line."""
        if self._live is not None:
            self._live.stop()
            self._live = None


class Progress(StatusLine):
    """Simulated time, step size and real-time factor; a function is a `Report`."""

    def __init__(self, title: str, begin: float, end: float, show: bool | Report | None) -> None:
        super().__init__(title, show)
        self.begin, self.end = begin, end

    def update(self, t: float, h: float) -> bool:
        """Tell the simulated time [s] and the step [s].  Returns whether the run is to end here."""
        if self.report is not None:
            return bool(self.report(t, h))
        if self.due:
            elapsed = self.elapsed
            factor = (t - self.begin) / elapsed if elapsed > 0.0 else 0.0
            self.tell(f"{t:.4g} of {self.end:.4g} s, step {h:.2g} s, {factor:.3g} x real time")
        return False


class SearchProgress(StatusLine):
    """Starts and finds of a search for equilibria; a function is told both."""

    def __init__(self, title: str, starts: int, show: bool | Report | None) -> None:
        super().__init__(title, show)
        self.starts = starts

    def update(self, starts: int, found: int) -> bool:
        """Tell the starts and the equilibria so far.  Returns whether the search is to end here."""
        if self.report is not None:
            said = ask(self.report, (starts, found), f"progress after {starts} starts", StateError)
            if said is not None and not isinstance(said, (bool, np.bool_)):
                raise StateError(f"progress returned {shown(said)} after {starts} starts; it must return True or False")
            return bool(said)
        if self.due:
            self.tell(f"{starts} of {self.starts} starts, {found} found")
        return False
