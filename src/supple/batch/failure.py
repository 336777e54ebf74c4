"""What went wrong with one run of many; the others go on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from supple.errors import warn


class Failure(NamedTuple):
    """Why a run has no result, or not all of it."""

    run: int  #: its number
    kind: str  #: type of the exception
    message: str
    t: float | None = None  #: of a motion: until when it came, s; None if it never began

    def __str__(self) -> str:
        return f"run {self.run}: {self.reason}"

    @property
    def reason(self) -> str:
        """Type and message."""
        return f"{self.kind}: {self.message}"

    @staticmethod
    def of(run: int, error: BaseException, t: float | None = None) -> Failure:
        """From an exception."""
        kind = type(error).__name__
        try:
            message = str(error) or kind
        except Exception:  # of a user's class
            message = kind
        return Failure(run, kind, message, t)

    @staticmethod
    def read(entry: Any) -> Failure | None:
        """From the entry of an index that `_asdict` wrote; None if it is something else."""
        try:
            t = None if entry["t"] is None else float(entry["t"])
            return Failure(int(entry["run"]), str(entry["kind"]), str(entry["message"]), t)
        except (KeyError, OverflowError, TypeError, ValueError):
            return None


def warn_of_failures(failures: Sequence[Failure], count: int) -> None:
    """One warning for all of them, with the first."""
    if failures:
        warn(f"{len(failures)} of {count} runs failed, the first is {failures[0]}; all are in .failures")


def listed(failures: Sequence[Failure], most: int = 5) -> str:
    """Lines that name the first of them."""
    lines = [f"  {failure}" for failure in failures[:most]]
    return "\n".join([*lines, f"  and {len(failures) - most} more"] if len(failures) > most else lines)
