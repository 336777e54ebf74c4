"""``supple bench``: what the papers measured, measured here."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from supple.cli.catalogue import known_name
from supple.cli.console import heading, note, say, table
from supple.storage import write_text

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
    published = import_module("supple.published")
    report = published.run(systems=names, quick=quick, progress=note)
    for part in report.tables:
        heading(part.title)
        table(part.columns, [[str(cell) for cell in row] for row in part.rows])
    if json_file is not None:
        content = report.as_json()
        text = content if isinstance(content, str) else json.dumps(content, indent=2)
        write_text(json_file, f"{text}\n")
        say(f"saved {json_file}")
