"""Cases in a process of their own, with a watchdog: a crash or a hang is a failure, and the next case is tried."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

from .report import Refused

#: Longest time that a case may take, and that the process may take to begin (it may have to compile), s.
PATIENCE, START = 120.0, 1800.0

#: First words of an answer.
FINE, REFUSED, FAILED = "fine", "refused", "failed"

ROOT = Path(__file__).parents[2]


class Worker:
    """The process behind a campaign: ``python -m tests.fuzz.NAME`` that ends in `serve`."""

    def __init__(self, module: str, patience: float = PATIENCE) -> None:
        self.module, self.patience = module, patience
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *arguments: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def _begin(self) -> subprocess.Popen[str]:
        import supple

        path = os.pathsep.join([str(Path(supple.__file__).parents[1]), str(ROOT / "tests"), str(ROOT)])
        process = subprocess.Popen(
            [sys.executable, "-m", self.module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env={**os.environ, "PYTHONPATH": path},
            cwd=ROOT,
        )
        self.process = process
        if self._answer(START) != "ready":
            raise RuntimeError(f"{self.module} does not begin")
        return process

    def _answer(self, patience: float) -> str | None:
        """The next line, "" if the process has ended, None if it takes too long."""
        assert self.process is not None
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        return self.process.stdout.readline().strip() if ready else None

    def case(self, seed: int) -> str:
        """Try a case there: what it told; raises `Refused`, or what failed."""
        process = self.process or self._begin()
        assert process.stdin is not None
        process.stdin.write(f"{seed}\n")
        answer = self._answer(self.patience)
        if not answer:
            self.stop()
            raise AssertionError(
                f"hangs for {self.patience:g} s" if answer is None else f"the process died with {process.returncode}"
            )
        word, _, text = answer.partition(" ")
        if word == REFUSED:
            raise Refused(text)
        if word != FINE:
            raise AssertionError(text)
        return text


def serve(case: Callable[[int], str], prepare: Callable[[], object]) -> None:
    """Answer seeds from stdin: ``case`` returns FINE or REFUSED, or raises; ``prepare`` may take its time before."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # whatever else is printed does not disturb the answers
    warnings.simplefilter("ignore")
    prepare()
    answers.write("ready\n")
    for line in sys.stdin:
        try:
            answer = case(int(line))
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            name = where.filename.rsplit("/", 1)[-1]
            answer = f"{FAILED} {type(error).__name__}: {error} ({name}:{where.lineno})".replace("\n", " ")
        with contextlib.suppress(BrokenPipeError):
            answers.write(f"{answer}\n")
