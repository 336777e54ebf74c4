"""``supple list``: the systems that there are."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from supple.cli.catalogue import description, size
from supple.cli.console import out, table
from supple.systems import SYSTEMS


def list_systems(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON array instead of a table.")] = False,
) -> None:
    """List the systems: the papers' robots, ready to run.

    Into a pipe or a file every line begins with the bare name, and its parts are separated by tabs.

    Examples:

    - `supple list`
    - `supple list | cut -f 1`
    - `supple list --json`
    """
    made = {name: (maker, maker()) for name, maker in SYSTEMS.items()}
    if as_json:
        entries = [
            {"name": name, "description": description(maker), **asdict(size(system)), "source": system.source}
            for name, (maker, system) in made.items()
        ]
        print(json.dumps(entries, indent=2))
        return
    rows = [(name, str(size(system)), description(maker), system.source) for name, (maker, system) in made.items()]
    if out().is_terminal:
        table(("system", "size", "description", "source"), rows)
    else:
        for row in rows:
            print("\t".join(row))  # a console would turn tabs into spaces
