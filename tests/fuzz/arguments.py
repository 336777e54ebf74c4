"""Hostile arguments to every public name: a right answer or an error of supple; never a crash, a hang or nonsense.

Seed k is one call: a public name with good arguments, of which one or two are replaced by a hostile value, or by the
same value in another form, which must give the same result.  Calls run in a process of their own, so that a crash or a
hang is a failure like any other, and the next seed goes on in a new process.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .report import Report

#: Seconds that a call may take, and the first one of a name, for which kernels may be compiled.
LIMIT, FIRST_LIMIT = 60.0, 900.0
#: Bytes that a process may use: what asks for more fails, and does not take the machine with it.
MEMORY = 12 * 2**30
#: Share of calls with two bad arguments, and of tries of slow calls.
TWO, SLOW = 0.15, 0.03

ROOT = Path(__file__).parents[2]

#: What the process of calls runs.
COMMAND = ("-m", "tests.fuzz.arguments")


class Outcome(NamedTuple):
    """How a call ended: "fine", "refused" or "failed", and why."""

    kind: str
    text: str


# ---------------------------------------------------------------------- one call


class Caller:
    """Makes calls by their seed; one per process."""

    def __init__(self) -> None:
        from .argument_calls import all_calls
        from .argument_values import hostile

        every = all_calls()
        self.quick = [call for call in every if call.arguments and not call.slow]
        self.slow = [call for call in every if call.arguments and call.slow]
        self.hostile = hostile()
        self.good: dict[str, Any] = {}

    def plan(self, seed: int) -> tuple[Any, dict[str, Any]]:
        """The call of a seed, and the values to put in."""
        from .argument_values import kindred

        rng = np.random.default_rng(seed)
        calls = self.slow if rng.random() < SLOW else self.quick
        call = calls[rng.integers(len(calls))]
        names = list(call.arguments)
        chosen = rng.permutation(len(names))[: 2 if rng.random() < TWO else 1]
        values = {}
        for i in chosen:
            near = kindred(call.arguments[names[i]])
            pool = near if near and rng.random() < 0.4 else self.hostile
            values[names[i]] = pool[rng.integers(len(pool))]
        return call, values

    def describe(self, seed: int) -> str:
        """The call of a seed in words."""
        call, values = self.plan(seed)
        return f"{call.name}({', '.join(f'{name}={value.name}' for name, value in values.items())})"

    def warm(self, seed: int) -> None:
        """Make the call of a seed with good arguments, if that has not been done."""
        call, _ = self.plan(seed)
        if call.name not in self.good:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.good[call.name] = list(numbers(call.use(call.function(**call.arguments))))

    def run(self, seed: int) -> Outcome:
        """Make the call of a seed and judge it."""
        from supple.errors import SuppleError

        call, values = self.plan(seed)
        changed = {name: value.value for name, value in values.items()}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            try:
                found = call.use(call.function(**{**call.arguments, **changed}))
            except SuppleError as error:
                if all(value.same for value in values.values()):
                    return Outcome("failed", f"refused though right: {error}")
                return Outcome("refused", f"{type(error).__name__}: {error}")
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)[-1]
                place = f"{where.filename.rsplit('/', 1)[-1]}:{where.lineno}"
                return Outcome("failed", f"raw {type(error).__name__}: {str(error)[:200]} ({place})")
            return self._judged(call, values, found)

    def _judged(self, call: Any, values: dict[str, Any], found: Any) -> Outcome:
        bad = next((name for name, x in numbers(found) if not np.isfinite(x).all()), None)
        if bad is not None:
            return Outcome("failed", f"not finite: {bad}")
        if all(value.same for value in values.values()):
            digits = max(value.digits for value in values.values())
            for (name, x), (_, y) in zip(numbers(found), self.good[call.name], strict=True):
                # what should be zero is rounding, and rounds otherwise
                floor = digits * np.abs(y).max(initial=0.0) + 1e-14
                if x.shape != y.shape or not np.allclose(x, y, rtol=digits, atol=floor):
                    return Outcome("failed", f"another result for the same argument: {name}")
        return Outcome("fine", "")


#: What results hold besides numbers that are asked for: bookkeeping, and errors, which are nothing but rounding.
SKIPPED = (
    *("model", "stats", "description", "loops", "seconds", "failures"),
    *("residual", "loop_error", "iterations", "error", "entry"),
)


def numbers(found: Any, name: str = "result", depth: int = 0) -> Iterator[tuple[str, np.ndarray]]:
    """All numbers in a result, with where they are."""
    if isinstance(found, np.ndarray):
        if found.dtype.kind in "fc":
            yield name, found
    elif isinstance(found, (float, complex, np.floating)):
        yield name, np.asarray(found)
    elif getattr(found, "converged", True) is False:
        return  # it says itself that it is nothing
    elif depth > 4 or type(found).__module__.split(".")[0] not in ("supple", "builtins"):
        return
    elif dataclasses.is_dataclass(found) and not isinstance(found, type):
        for field in dataclasses.fields(found):
            if field.name not in SKIPPED:
                yield from numbers(getattr(found, field.name), f"{name}.{field.name}", depth + 1)
    elif isinstance(found, dict):
        for key, value in found.items():
            yield from numbers(value, f"{name}[{key!r}]", depth + 1)
    elif isinstance(found, (tuple, list)):
        names = getattr(found, "_fields", [f"[{i}]" for i in range(len(found))])
        rows = getattr(found, "converged", None)  # of a batch
        for field, value in zip(names, found, strict=True):
            if field not in SKIPPED:
                yield from numbers(value if rows is None else value[rows], f"{name}.{field}", depth + 1)


# ---------------------------------------------------------------------- the process of calls


def work(first: int, count: int) -> None:
    """Make calls and tell of each before and after it, one line of JSON each."""
    import resource

    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.environ.setdefault("MPLBACKEND", "Agg")
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not mix with the lines
    with tempfile.TemporaryDirectory(prefix="supple-fuzz-") as folder:
        os.chdir(folder)  # paths that hostile arguments make do no harm here
        caller = Caller()
        for seed in range(first, first + count):
            print(json.dumps({"warm": seed}), file=out, flush=True)
            caller.warm(seed)  # kernels are compiled and read before the clock runs
            print(json.dumps({"begin": seed, "what": caller.describe(seed)}), file=out, flush=True)
            kind, text = caller.run(seed)
            print(json.dumps({"end": seed, "kind": kind, "text": text}), file=out, flush=True)


class Process:
    """A process of calls, with its lines as they come."""

    def __init__(self, first: int, count: int) -> None:
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        command = [sys.executable, *COMMAND, str(first), str(count)]
        paths = [str(ROOT), str(ROOT / "tests"), *filter(None, sys.path)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "MPLBACKEND": "Agg"}
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=self.errors, stdin=subprocess.DEVNULL
        )
        self.lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(json.loads(line))
        self.lines.put(None)

    def line(self, limit: float) -> dict[str, Any] | None:
        """The next line; None at the end.  Raises `queue.Empty` after ``limit`` seconds."""
        return self.lines.get(timeout=limit)

    def end(self) -> str:
        """End it, and tell how it ended."""
        if self.process.poll() is None and self.lines.empty():
            try:
                self.process.wait(2.0)
            except subprocess.TimeoutExpired:
                self.process.kill()
        code = self.process.wait()
        self.reader.join()
        if self.process.stdout is not None:
            self.process.stdout.close()
        self.errors.seek(0)
        said = self.errors.read().decode(errors="replace").strip().splitlines()
        self.errors.close()
        return f"ended with {code}: {' | '.join(said[-12:])[-600:]}"


def campaign(count: int, seed: int, say: Callable[[str], object] = lambda text: None) -> Report:
    """Try ``count`` calls from ``seed`` on."""
    report, next_seed, said, begun = Report("arguments"), seed, time.monotonic(), time.monotonic()
    while next_seed < seed + count:
        process, what, limit = Process(next_seed, seed + count - next_seed), "start", FIRST_LIMIT
        try:
            while (line := process.line(limit)) is not None:
                if "warm" in line:
                    next_seed, what, limit = line["warm"], "good arguments", FIRST_LIMIT
                elif "begin" in line:
                    next_seed, what, limit = line["begin"], line["what"], LIMIT
                else:
                    _note(report, line["end"], line["kind"], f"{what}: {line['text']}", say)
                    next_seed, what = line["end"] + 1, ""
                if time.monotonic() - said > 10.0:
                    said = time.monotonic()
                    speed = report.tried / (said - begun)
                    say(f"{report.tried} of {count}, {speed:.0f} a second, {report.failed} failed")
            trouble = process.end()
            if next_seed < seed + count:
                _note(report, next_seed, "failed", f"{what}: the process {trouble}", say)
                if what == "start":
                    return report
        except queue.Empty:
            process.process.kill()
            _note(report, next_seed, "failed", f"{what}: took longer than {limit:g} s ({process.end()})", say)
        next_seed += bool(what)
    return report


def _note(report: Report, seed: int, kind: str, text: str, say: Callable[[str], object]) -> None:
    report.tried += 1
    report.refused += kind == "refused"
    if kind == "failed":
        report.fail(seed, text)
        say(f"seed {seed}: {text}")


#: Public names without a call: those that no user makes, and those that serve a page until it is closed.
EXEMPT = ("Trajectory", "Motions", "Sweep", "Model.view", "Robot.view", "Trajectory.view")


def uncovered() -> list[str]:
    """Public names that no call tries."""
    import inspect

    import supple
    from supple.model.model import Model

    from .argument_calls import all_calls

    tried = {call.name.split(" (")[0] for call in all_calls()}
    public = [name for name in dir(supple) if not name.startswith("_") and callable(getattr(supple, name))]
    classes = {"Robot": supple.Robot, "Model": Model, "Trajectory": supple.Trajectory}
    methods = [f"{k}.{n}" for k, c in classes.items() for n, _ in inspect.getmembers(c, callable) if n[0] != "_"]
    errors = [name for name in public if name.endswith(("Error", "Warning", "Interrupted"))]
    laws = [f"laws.{name}" for name in supple.laws.__all__ if name != "Law"]
    return sorted({*public, *methods, *laws} - {*errors, *EXEMPT} - tried)


if __name__ == "__main__":
    work(int(sys.argv[1]), int(sys.argv[2]))
