"""Where commands print: results to stdout, everything else to stderr; plain text unless it is a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

#: Width of what is not a terminal: lines of files and pipes are never broken.
ENDLESS = 100_000


@cache
def out() -> Console:
    """Console of results."""
    console = Console(highlight=False, emoji=False, markup=False)
    return console if console.is_terminal else Console(highlight=False, emoji=False, markup=False, width=ENDLESS)


@cache
def err() -> Console:
    """Console of progress, notes and errors."""
    return Console(stderr=True, highlight=False, emoji=False, markup=False)


def say(text: str = "", style: str | None = None) -> None:
    """Print a line of results; a terminal breaks it, nothing else does."""
    out().print(Text(text, style=style or ""), soft_wrap=True)


def note(text: str, label: str = "", style: str = "") -> None:
    """Print a line about the work, with a coloured label such as ``error:``."""
    parts = (f"{label} ", style) if label else ""
    err().print(Text.assemble(parts, text), soft_wrap=True)


def heading(text: str) -> None:
    """Print the title of a part."""
    say()
    say(text, "bold")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[str] = ()) -> None:
    """Print rows under column headings; columns in ``right`` are numbers.

    On a terminal too narrow for the longest words every row becomes a block of lines instead.
    """
    print_table(out(), columns, [list(row) for row in rows], right)


def print_table(console: Console, columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str]) -> None:
    """The same on a given console."""
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        grid.add_column(name, justify="right" if name in right else "left", overflow="fold")
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    if Measurement.get(console, console.options.update(width=ENDLESS), grid).minimum <= console.width:
        with console.capture() as capture:
            console.print(grid)
        # cells are padded to their column: nobody wants that at the end of lines
        console.print(Text.from_ansi("\n".join(line.rstrip() for line in capture.get().splitlines())), soft_wrap=True)
        return
    for row in rows:
        first, *others = zip(columns, row, strict=True)
        console.print(Text(first[1], style="bold"), soft_wrap=True)
        for name, cell in others:
            console.print(Text(f"  {name}: {cell}"), soft_wrap=True)


def figures(pairs: Iterable[tuple[str, str]]) -> None:
    """Print names with their values, in two columns."""
    lines = list(pairs)
    width = max((len(name) for name, _ in lines), default=0)
    for name, value in lines:
        say(f"{name:<{width}}  {value}")
