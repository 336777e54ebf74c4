"""``supple check``: every derivative of systems against central differences."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from supple.cli.catalogue import build
from supple.cli.console import heading, note, say, table
from supple.cli.failures import FAILED, UsageError
from supple.cli.options import Settings
from supple.errors import SuppleError
from supple.systems import SYSTEMS

if TYPE_CHECKING:
    from supple.cli.derivatives import Comparison

#: Largest error that is accepted, relative to the largest entry of the matrix.
TOLERANCE = 1e-6


def check(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Name of a system; all if omitted.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All systems.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random state.")] = 0,
    tolerance: Annotated[float, typer.Option(help="Largest relative error accepted.")] = TOLERANCE,
    settings: Settings = None,
) -> None:
    """Compare the derivatives of a system with central differences; fail if one is off.

    Looks at a random state near where the system begins and, load by load, at states along a short run.

    Examples:

    - `supple check cable-manipulator`
    - `supple check --all --seed 3`
    """
    if name is not None and every:
        raise UsageError(f"give a NAME or --all, not both ({name!r} and --all)")
    if name is None and settings:
        raise UsageError("--set needs the NAME of a system")
    if not tolerance > 0.0:
        raise UsageError(f"--tolerance is {tolerance:g}, must be positive")
    passed = _one(name, settings or [], seed, tolerance) if name is not None else _all(seed, tolerance)
    if not passed:
        raise typer.Exit(FAILED)


def _compare(name: str, settings: list[str], seed: int) -> list[Comparison]:
    from supple.cli.derivatives import compare_derivatives

    return compare_derivatives(*build(name, settings), seed)


def _is_off(line: Comparison, tolerance: float) -> bool:
    return not line.error <= tolerance  # a NaN is off


def _one(name: str, settings: list[str], seed: int, tolerance: float) -> bool:
    """Check one system and print every error.  Returns whether all are small."""
    start = time.perf_counter()
    lines = _compare(name, settings, seed)
    _table(lines, tolerance)
    failures = sum(_is_off(line, tolerance) for line in lines)
    say()
    elapsed = time.perf_counter() - start
    say(f"{len(lines) - failures} of {len(lines)} within {tolerance:g} ({elapsed:.1f} s)")
    return not failures


def _all(seed: int, tolerance: float) -> bool:
    """Check all systems and print the largest error of each, and all that is off.  Returns whether all is well."""
    rows, trouble = [], {}
    for name in SYSTEMS:
        note(f"checking {name}")
        try:
            lines = _compare(name, [], seed)
        except SuppleError as error:
            trouble[name] = str(error)
            rows.append((name, "-", "not checked", "", "FAILED"))
            continue
        off = [line for line in lines if _is_off(line, tolerance)]
        worst = max(lines, key=lambda line: (line.error != line.error, line.error))
        verdict = "off" if off else "ok"
        rows.append((name, f"{len(lines) - len(off)} of {len(lines)}", worst.quantity, f"{worst.error:.1e}", verdict))
        if off:
            trouble[name] = "\n".join(f"  {line.quantity}, against {line.reference}: {line.error:.1e}" for line in off)
    table(("system", "passed", "worst", "relative error", ""), rows, right=("relative error",))
    for name, text in trouble.items():
        heading(name)
        say(text)
    return not trouble


def _table(lines: list[Comparison], tolerance: float) -> None:
    rows = [
        (line.quantity, line.reference, f"{line.error:.1e}", "off" if _is_off(line, tolerance) else "ok")
        for line in lines
    ]
    table(("quantity", "against", "relative error", ""), rows, right=("relative error",))
