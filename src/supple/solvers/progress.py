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


class Progress:
    """Simulated time, step size and real-time factor on one line of a terminal.

    ``show`` None means: only on a terminal, and only if the run takes longer than `PATIENCE`.  A function is a
    `Report`, which takes the line's place.
    """

    def __init__(self, title: str, begin: float, end: float, show: bool | Report | None) -> None:
        self.title, self.begin, self.end = title, begin, end
        self.started = time.perf_counter()
        self.report: Report | None = show if callable(show) else None
        self.wait = 0.0 if show else PATIENCE
        self.enabled = show is True or (show is None and sys.stderr.isatty())
        self._live: Any = None

    def update(self, t: float, h: float) -> bool:
        """Tell the simulated time [s] and the step [s].  Returns whether the run is to end here."""
        if self.report is not None:
            return bool(self.report(t, h))
        elapsed = time.perf_counter() - self.started
        if self.enabled and elapsed >= self.wait:
            factor = (t - self.begin) / elapsed if elapsed > 0.0 else 0.0
            self._tell(f"{self.title}: {t:.4g} of {self.end:.4g} s, step {h:.2g} s, {factor:.3g} x real time")
        return False

    def _tell(self, line: str) -> None:
        """Show a line, in place of the last one."""
        if self._live is None:
            from rich.console import Console
            from rich.status import Status

            self._live = Status("", console=Console(stderr=True))
            self._live.start()
        self._live.update(line)

    def close(self) -> None:
        """Remove the line."""
        if self._live is not None:
            self._live.stop()
            self._live = None


class Tally(Progress):
    """Starts and finds of a search for equilibria, shown or reported in the same manner."""

    def __init__(self, title: str, starts: int, show: bool | Report | None) -> None:
        super().__init__(title, 0.0, float(starts), show)

    def update(self, t: float, h: float) -> bool:
        """Tell the starts and the equilibria so far.  Returns whether the search is to end here."""
        if self.report is not None:
            said = ask(self.report, (t, h), f"progress after {t} starts", StateError)
            if said is not None and not isinstance(said, (bool, np.bool_)):
                raise StateError(f"progress returned {shown(said)} after {t} starts; it must return True or False")
            return bool(said)
        if self.enabled and time.perf_counter() - self.started >= self.wait:
            self._tell(f"{self.title}: {t:g} of {self.end:g} starts, {h:g} found")
        return False
