"""A line that tells how far a long run has come."""

from __future__ import annotations

import sys
import time
from typing import Any

#: Seconds before a line appears if nobody asked for it.
PATIENCE = 2.0


class Progress:
    """Simulated time, step size and real-time factor on one line of a terminal.

    ``show`` None means: only on a terminal, and only if the run takes longer than `PATIENCE`.
    """

    def __init__(self, title: str, begin: float, end: float, show: bool | None) -> None:
        self.title, self.begin, self.end = title, begin, end
        self.started = time.perf_counter()
        self.wait = 0.0 if show else PATIENCE
        self.enabled = show is True or (show is None and sys.stderr.isatty())
        self._live: Any = None

    def update(self, t: float, h: float) -> None:
        """Tell the simulated time [s] and the step [s]."""
        elapsed = time.perf_counter() - self.started
        if not self.enabled or elapsed < self.wait:
            return
        if self._live is None:
            from rich.console import Console
            from rich.status import Status

            self._live = Status("", console=Console(stderr=True))
            self._live.start()
        factor = (t - self.begin) / elapsed if elapsed > 0.0 else 0.0
        self._live.update(f"{self.title}: {t:.4g} of {self.end:.4g} s, step {h:.2g} s, {factor:.3g} x real time")

    def close(self) -> None:
        """Remove the line."""
        if self._live is not None:
            self._live.stop()
            self._live = None
