"""``supple bench``: what the papers measured, measured here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from supple.cli.catalogue import known_name
from supple.cli.console import heading, note, say, table
from supple.storage import write_text

if TYPE_CHECKING:
    from supple.bench.tables import Table

bench = typer.Typer(invoke_without_command=True)


@bench.callback()
def group(context: typer.Context) -> None:
    """Measure speed and accuracy."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@bench.command()
def paper(
    quick: Annotated[bool, typer.Option("--quick", help="Shorter runs, fewer repetitions.")] = False,
    system: Annotated[
        list[str] | None, typer.Option("--system", metavar="NAME", help="Only this system; repeatable.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Also write the numbers to this file.")
    ] = None,
) -> None:
    """Run the systems of the papers and set times and errors beside the published ones.

    Examples:

    - `supple bench paper --quick`
    - `supple bench paper --system fin-ray --json fin-ray.json`
    """
    names = [known_name(name) for name in system] if system else None
    from supple.bench import run  # brings solvers, systems and half of SciPy, which other commands do without

    report = run(systems=names, quick=quick, progress=note)
    for part in report.tables:
        _print(part)
    if json_file is not None:
        say(f"saved {write_text(json_file, report.as_json())}")


def _print(part: Table) -> None:
    """A table with its note."""
    from supple.bench.tables import text

    heading(part.title)
    rows = [[text(row.get(column.key), column.style) for column in part.columns] for row in part.rows]
    numbers = [column.heading for column in part.columns if column.style != "text"]
    table([column.heading for column in part.columns], rows, numbers)
    if part.note:
        say(part.note)
