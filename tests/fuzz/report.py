"""What a campaign found."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

#: Failures whose whole text is kept.
MOST_KEPT = 20


@dataclass
class Report:
    """Cases tried, cases refused (a typed error where one is due), and what failed, by seed."""

    name: str
    tried: int = 0
    refused: int = 0
    failed: int = 0
    failures: list[tuple[int, str]] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return self.failed == 0

    def fail(self, seed: int, text: str) -> None:
        """Note a failure."""
        self.failed += 1
        if len(self.failures) < MOST_KEPT:
            self.failures.append((seed, text))

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.tried} tried, {self.refused} refused, {self.failed} failed"]
        lines += [f"  seed {seed}: {text}" for seed, text in self.failures]
        return "\n".join(lines)


class Refused(Exception):  # noqa: N818 - it is no error
    """A case that the library rightly does not take."""


def run(
    name: str,
    case: Callable[[int], None],
    count: int,
    seed: int,
    say: Callable[[str], object] = lambda text: None,
    every: float = 10.0,
) -> Report:
    """Try ``case(seed)`` for ``count`` seeds from ``seed`` on; ``say`` tells of progress and failures at once."""
    report, begun = Report(name), time.monotonic()
    said = begun
    for k in range(seed, seed + count):
        report.tried += 1
        try:
            case(k)
        except Refused:
            report.refused += 1
        except Exception as error:  # whatever it is, it belongs in the report, and the next seed is tried
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__}: {error} ({where.filename.rsplit('/', 1)[-1]}:{where.lineno})"
            report.fail(k, text)
            say(f"seed {k}: {text}")
        if time.monotonic() - said > every:
            said = time.monotonic()
            say(f"{report.tried} of {count}, {report.tried / (said - begun):.1f} a second, {report.failed} failed")
    return report
