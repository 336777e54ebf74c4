"""How far the work has come, on stderr: a bar on a terminal, else a line now and then."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Self

#: Seconds between two lines where there is no terminal.
PAUSE = 10.0


class Bar:
    """A bar from one number to another; use it as a block."""

    def __init__(self, title: str, begin: float, end: float, unit: str = "") -> None:
        self.title, self.begin, self.end, self.unit = title, begin, end, unit
        self.told = float("-inf")
        self._live: Any = None

    def __enter__(self) -> Self:
        from supple.cli.console import err

        if err().is_terminal:
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

            columns = TextColumn("{task.description}"), BarColumn(bar_width=None), TaskProgressColumn()
            self._live = Progress(*columns, TimeRemainingColumn(), console=err(), transient=True)
            self._live.start()
            self._task = self._live.add_task(self.title, total=self.end - self.begin)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def update(self, reached: float, remark: str = "") -> None:
        """Tell what is reached."""
        text = f"{self.title}: {reached:.4g} of {self.end:.4g}{self.unit}{remark}"
        if self._live is not None:
            self._live.update(self._task, completed=reached - self.begin, description=text)
            return
        now = time.monotonic()
        if now - self.told >= PAUSE:
            from supple.cli.console import note

            self.told = now
            note(text)
