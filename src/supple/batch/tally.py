"""How many of many runs are done: a line on a terminal, or a report to whoever asked for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from supple.checks import flag
from supple.errors import StateError
from supple.solvers.progress import StatusLine

#: What is told how many runs are done, and of how many; a true answer ends the work there.
Report: TypeAlias = Callable[[int, int], bool | None]


def checked_progress(progress: Any) -> bool | Report | None:
    """A flag, a function of (done, count), or None."""
    return progress if progress is None or callable(progress) else flag(progress, "progress")


class Tally(StatusLine):
    """Runs done, runs that failed and the time that is left; a function is a `Report`."""

    def __init__(self, title: str, count: int, show: bool | Report | None) -> None:
        super().__init__(title, show)
        self.count = count

    def update(self, done: int, failed: int) -> bool:
        """Tell how far it has come.  Returns whether to end here."""
        if self.report is not None:
            try:
                return bool(self.report(done, self.count))
            except Exception as error:
                raise StateError(
                    f"{self.title}: progress failed after {done} of {self.count} runs: "
                    f"{type(error).__name__}: {error}; "
                    "it is called with two numbers, how many runs are done and how many there are"
                ) from error
        if self.due:
            left = f", {self.elapsed * (self.count - done) / done:.3g} s left" if done else ""
            failures = f", {failed} failed" if failed else ""
            self.tell(f"{done} of {self.count} runs{failures}{left}")
        return False
