"""``python -m benchmarks [subjects]``: measure, print tables, write JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from rich.console import Console

from benchmarks import (
    RESULTS,
    batch,
    bodies,
    contact,
    gallery,
    gradients,
    growth,
    jacobians,
    newton_steps,
    paper,
    rigid_chains,
    soft_robots,
    solvers,
    startup,
    work_precision,
)
from benchmarks.pinocchio_reference import PinocchioMissingError
from benchmarks.publish import publish
from supple.bench.tables import Table, machine, markdown, print_table, write_json

SUBJECTS: dict[str, Callable[[float], list[Table]]] = {
    "rigid-chains": rigid_chains.run,
    "soft-robots": soft_robots.run,
    "bodies": bodies.run,
    "batch": batch.run,
    "contact": contact.run,
    "gallery": gallery.run,
    "gradients": gradients.run,
    "growth": growth.run,
    "jacobians": jacobians.run,
    "newton-steps": newton_steps.run,
    "solvers": solvers.run,
    "startup": startup.run,
    "work-precision": work_precision.run,
    "paper": paper.run,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Speed of supple. Let nothing else run.")
    parser.add_argument(
        "subjects", nargs="*", metavar="subject", help=f"any of: {', '.join(SUBJECTS)}; all if none is named"
    )
    parser.add_argument("--seconds", type=float, default=3.0, help="time to spend on a group of calls (default 3)")
    parser.add_argument("--markdown", action="store_true", help="print Markdown instead of boxes")
    parser.add_argument(
        "--publish", action="store_true", help="only write the results at hand into the pages that show them"
    )
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a goal is missed")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.subjects if name not in SUBJECTS]
    if unknown:
        parser.error(f"unknown subject {unknown[0]!r}; choose from {', '.join(SUBJECTS)}")
    return chosen


def main() -> int:
    chosen = arguments()
    if chosen.publish:
        publish()
        return 0
    console = Console(width=None if sys.stdout.isatty() else 140, highlight=False)
    facts = machine()
    versions = ", ".join(f"{name} {number or 'missing'}" for name, number in facts["packages"].items())
    console.print(f"{facts['processor']}, {facts['cores']} cores, Python {facts['python']}; {versions}\n")
    missed = 0
    for name in chosen.subjects or SUBJECTS:
        try:
            tables = SUBJECTS[name](chosen.seconds)
        except PinocchioMissingError as error:
            console.print(f"{name} omitted: {error}\n", style="yellow")
            continue
        for table in tables:
            if chosen.markdown:
                print(markdown(table))
            else:
                print_table(table, console)
        missed += sum(row.get("passed") is False for table in tables for row in table.rows)
        write_json(RESULTS / f"{name}.json", name, tables)
    if missed:
        console.print(f"{missed} goal{'s' if missed > 1 else ''} missed", style="bold red")
    return 1 if missed and chosen.strict else 0


if __name__ == "__main__":
    sys.exit(main())
