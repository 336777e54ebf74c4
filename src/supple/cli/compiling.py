"""Telling that kernels are being compiled, which happens once per machine and takes its time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

MESSAGE = "Compiling kernels: about a minute, once on this machine (later runs load them)."


@contextmanager
def announcing() -> Iterator[None]:
    """Print one line if Numba begins to compile within the block; kernels that it reads from its cache are silent."""
    from numba.core import event

    from supple.cli.console import note

    class Announcer(event.Listener):  # type: ignore[misc]
        """Hears of every pass of the compiler; tells of the first one."""

        told = False

        def on_start(self, event: Any) -> None:
            if not self.told:
                self.told = True
                note(MESSAGE)

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:run_pass", Announcer()):
        yield
