"""``supple doctor``: what is installed, how kernels are compiled and kept, and what to do about what is amiss."""

from __future__ import annotations

import json
import os
import platform
import re
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, metadata, version
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from supple.cli.console import figures, heading, say

#: Extras for who works on supple, not with it, and the one that stands for all others.
NOT_FOR_USERS = ("all", "bench", "dev", "docs")

#: Variables of the environment that change what supple does.
VARIABLES = ("SUPPLE_JIT", "SUPPLE_CACHE_DIR", "NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "SUPPLE_QUIET", "SUPPLE_DEBUG")

#: Those that set numbers of threads.
THREADS = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_LEAST = re.compile(r">=\s*([0-9.]+)")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([\w-]+)['\"]")


class Needed(NamedTuple):
    """A package that supple needs, or one of its extras: what is there of it."""

    name: str
    least: str  #: oldest version that will do; empty if any will
    extra: str  #: empty if supple cannot do without
    found: str  #: version that is installed; empty if it is not

    @property
    def verdict(self) -> str:
        """Its version, or what is wrong with it."""
        if not self.found:
            return "missing"
        return f"{self.found}, too old: {self.least} or newer is needed" if self.is_old else self.found

    @property
    def is_old(self) -> bool:
        """Whether it is older than it must be."""
        return bool(self.found and self.least) and _numbers(self.found) < _numbers(self.least)

    @property
    def is_well(self) -> bool:
        """Whether it is there, and new enough."""
        return bool(self.found) and not self.is_old


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object, to send or to compare.")] = False,
    trial: Annotated[
        bool, typer.Option("--try", help="Also compute a small equilibrium; a first time compiles for a minute.")
    ] = False,
) -> int:
    """Tell versions, how kernels compile and where they are kept, threads, extras, and what to do.

    The exit code is 1 if something keeps supple from working, 0 if not.

    Examples:

    - `supple doctor`
    - `supple doctor --try`
    - `supple doctor --json > mine.json`
    """
    needed = requirements()
    parts: dict[str, dict[str, str]] = {
        "versions": _versions(needed),
        "kernels": _kernels(),
        "threads": _threads(),
        "extras": _extras(needed),
    }
    ills, hints = _ills(needed), _hints(needed)
    if trial:
        parts["trial"], ill = _trial()
        ills += ill
    if as_json:
        print(json.dumps({**parts, "errors": ills, "hints": hints}, indent=2))
        return 1 if ills else 0
    for name, pairs in parts.items():
        heading(name)
        figures(pairs.items())
    heading("what to do")
    for text in [*ills, *hints] or ["nothing: all is well"]:
        say(f"- {text}")
    return 1 if ills else 0


# ---------------------------------------------------------------------- packages


def requirements() -> list[Needed]:
    """Packages that supple and its extras need, from what was installed; none if supple was not."""
    try:
        lines = metadata("supple").get_all("Requires-Dist") or []
    except PackageNotFoundError:
        return []
    found = []
    for line in lines:
        requirement, _, condition = line.partition(";")
        name, least, extra = _NAME.match(requirement), _LEAST.search(requirement), _EXTRA.search(condition)
        if name is not None and name[0] != "supple":
            wanted = least[1] if least else "", extra[1] if extra else ""
            found.append(Needed(name[0], *wanted, _installed(name[0])))
    return found


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _numbers(text: str) -> tuple[int, ...]:
    """Leading numbers of a version, without zeros at the end: 2.0 is 2."""
    numbers = [int(part) for part in re.split(r"[^0-9.]", text, maxsplit=1)[0].split(".") if part]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def _versions(needed: list[Needed]) -> dict[str, str]:
    import supple

    out = {
        "supple": f"{supple.__version__} in {Path(supple.__file__).parent}",
        "Python": f"{platform.python_version()} ({platform.python_implementation()}) in {sys.prefix}",
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
    }
    names = {entry.name: entry.verdict for entry in needed if not entry.extra}
    return out | (names or {name: _installed(name) or "missing" for name in ("numpy", "scipy", "numba")})


def _extras(needed: list[Needed]) -> dict[str, str]:
    """By extra, its packages."""
    out: dict[str, str] = {}
    for entry in needed:
        if entry.extra and entry.extra not in NOT_FOR_USERS:
            before = f"{out[entry.extra]}; " if entry.extra in out else ""
            out[entry.extra] = f"{before}{entry.name} {entry.verdict}"
    return out or {"unknown": "supple was not installed by pip, so nothing tells which extras it has"}


# ---------------------------------------------------------------------- kernels and threads


def _kernels() -> dict[str, str]:
    from supple.jit import mode, store

    name, why = mode.in_use()
    out = {"compiler": f"{name}: {why}"}
    for k, folder in enumerate(store.folders(), 1):
        count, size = store.content(folder)
        state = "can be written to" if store.takes_files(folder) else "cannot be written to"
        lasting = ", may not outlast a restart" if store.is_temporary(folder) else ""
        out[f"folder {k}"] = f"{folder}: {count} kernels, {size / 1e6:.1f} MB, {state}{lasting}"
    return out | {key: os.environ[key] for key in VARIABLES if key in os.environ}


def _threads() -> dict[str, str]:
    import numba
    import numpy as np

    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    out = {"cores": f"{os.cpu_count()}, {usable} of them for this process"}
    out["Numba"] = f"{numba.config.NUMBA_NUM_THREADS}"
    built: Any = np.show_config(mode="dicts")
    blas: Mapping[str, Any] = built.get("Build Dependencies", {}).get("blas", {}) if isinstance(built, dict) else {}
    out["BLAS of NumPy"] = f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()
    return out | {key: os.environ[key] for key in THREADS if key in os.environ}


# ---------------------------------------------------------------------- what to do


def _ills(needed: list[Needed]) -> list[str]:
    """What keeps supple from working."""
    ills = []
    for entry in needed:
        if not entry.extra and not entry.is_well:
            least = f">={entry.least}" if entry.least else ""
            ills.append(f"{entry.name} is {entry.verdict}: pip install --upgrade '{entry.name}{least}'")
    if not (3, 11) <= sys.version_info[:2] <= (3, 15):
        ills.append(f"Python {platform.python_version()} was not tested: take one from 3.11 to 3.15")
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        ills.append("NUMBA_DISABLE_JIT is set: nothing is compiled, and kernels do not run; unset it")
    return ills


def _hints(needed: list[Needed]) -> list[str]:
    """What could be better."""
    from supple.jit import mode, store

    hints = []
    name, why = mode.in_use()
    if name == "plain" and "SUPPLE_JIT" not in os.environ:
        tested = f"{'.'.join(map(str, mode.TESTED[1]))}"
        hints.append(f"kernels compile several times slower than they could: {why}; pip install 'numba=={tested}.*'")
    folders = store.folders()
    taking = [folder for folder in folders if store.takes_files(folder)]
    if not taking:
        hints.append("no folder keeps compiled kernels: set SUPPLE_CACHE_DIR to one that can be written to")
    elif store.is_temporary(taking[0]):
        hints.append(f"kernels are kept in {taking[0]}, which may not last: set SUPPLE_CACHE_DIR to a folder that does")
    if taking and not any(store.content(folder)[0] for folder in folders):
        hints.append("nothing is compiled yet: supple compile (or --all), or wait for it at the first use")
    absent = {entry.extra for entry in needed if entry.extra and entry.extra not in NOT_FOR_USERS and not entry.is_well}
    for extra in sorted(absent):
        hints.append(f"for what needs the extra {extra}: pip install 'supple[{extra}]'")
    return hints


def _trial() -> tuple[dict[str, str], list[str]]:
    """A rod that hangs: its stretch is known."""
    from time import perf_counter

    from supple.bases import Legendre
    from supple.robot.bodies import Rod
    from supple.robot.robot import Robot
    from supple.sections import Circle, Material

    begin = perf_counter()
    rubber = Material(young=1e6, poisson=0.5, density=1000.0)
    rod = Rod(1.0, Circle(0.01), rubber, Legendre(stretch=1), points=3)
    robot = Robot("trial", gravity=(9.81, 0.0, 0.0))
    robot.add_link("rod", rod)
    try:
        model = robot.compile()
        length = float(model.pose(model.statics().q, "rod")[0, 3])
    except Exception as error:  # whatever it is, it is what the command is to find
        return {"hanging rod": "failed"}, [f"a small computation failed: {type(error).__name__}: {error}"]
    exact = 1.0 + 0.5 * 1000.0 * 9.81 / 1e6  # rho g L^2 / (2 E) longer than at rest
    text = f"{length:.9f} m long, {exact:.9f} m expected, in {perf_counter() - begin:.1f} s"
    ills = [] if abs(length - exact) < 1e-8 else [f"a small computation is wrong: {text}; report it, please"]
    return {"hanging rod": text}, ills
