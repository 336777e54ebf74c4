"""Tables of results: printed with rich, as Markdown for the documentation, and as JSON files."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table as RichTable

from supple.storage import write_text

Cell = str | int | float | bool | None


@dataclass(frozen=True)
class Column:
    """A column: key in the rows, heading, and how numbers are printed."""

    key: str
    heading: str
    style: str = "text"  #: text, count, micro, milli (seconds in us, ms), seconds, ratio, error, exponent, significant


#: The two columns of a goal: rows with ``at_most`` are judged by `judge`.
GOAL = (Column("at_most", "at most", "ratio"), Column("passed", ""))


@dataclass
class Table:
    """A titled table; rows map column keys to cells."""

    title: str
    columns: Sequence[Column]
    rows: list[dict[str, Cell]] = field(default_factory=list)
    note: str = ""

    def add(self, **cells: Cell) -> None:
        """Append a row."""
        self.rows.append(cells)

    def judge(self, key: str) -> Table:
        """Set ``passed`` in every row with a goal: whether the cell ``key`` is at most ``at_most``."""
        for row in self.rows:
            if row.get("at_most") is not None and row.get(key) is not None:
                row["passed"] = bool(row[key] <= row["at_most"])  # type: ignore[operator]
        return self


def text(value: Cell, style: str) -> str:
    """A cell as printed."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "pass" if value else "FAIL"
    if isinstance(value, str):
        return value
    if style == "micro":
        microseconds = 1e6 * value
        return f"{microseconds:.1f}" if microseconds < 100.0 else f"{microseconds:.0f}"
    if style in ("milli", "significant"):
        number = 1e3 * value if style == "milli" else value
        return f"{number:.0f}" if abs(number) >= 100.0 else f"{number:.3g}"
    formats = {"count": "d", "seconds": ".2f", "ratio": ".2f", "error": ".1e", "exponent": ".2f"}
    return format(value, formats.get(style, ""))


def print_table(table: Table, console: Console) -> None:
    """Print a table for people."""
    view = RichTable(title=table.title, title_justify="left", title_style="bold", caption=table.note or None)
    view.caption_justify = "left"
    for column in table.columns:
        view.add_column(column.heading, justify="left" if column.style == "text" else "right")
    colours = {True: "[green]pass[/]", False: "[bold red]FAIL[/]"}
    leader = table.columns[0].key
    for row, following in zip(table.rows, [*table.rows[1:], {}], strict=True):
        cells = ((row.get(column.key), column.style) for column in table.columns)
        view.add_row(
            *(colours[value] if isinstance(value, bool) else text(value, style) for value, style in cells),
            # a rule after each group of rows that share their first cell
            end_section=_grouped(table) and row.get(leader) != following.get(leader),
        )
    console.print(view)
    console.print()


def _grouped(table: Table) -> bool:
    """Whether neighbouring rows share their first cell."""
    leaders = [row.get(table.columns[0].key) for row in table.rows]
    return len(set(leaders)) < len(leaders)


def markdown(table: Table) -> str:
    """The table in Markdown, as documentation shows it."""
    lines = [
        f"### {table.title}",
        "",
        "| " + " | ".join(column.heading for column in table.columns) + " |",
        "|" + "|".join("---" if column.style == "text" else "--:" for column in table.columns) + "|",
    ]
    for row in table.rows:
        lines.append("| " + " | ".join(text(row.get(column.key), column.style) for column in table.columns) + " |")
    if table.note:
        lines += ["", table.note]
    return "\n".join(lines) + "\n"


def write_json(path: Path, subject: str, tables: Sequence[Table]) -> Path:
    """Write tables with the machine and the date to a file, whole or not at all."""
    content = {
        "subject": subject,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "tables": [asdict(table) for table in tables],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_text(path, json.dumps(content, indent=1) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """What `write_json` wrote, with tables as `Table`."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    content["tables"] = [
        Table(entry["title"], [Column(**column) for column in entry["columns"]], entry["rows"], entry["note"])
        for entry in content["tables"]
    ]
    return content


def machine() -> dict[str, Any]:
    """Processor, cores and versions: what a reader needs to place the numbers."""
    packages: dict[str, str | None] = {}
    for name in ("supple", "numpy", "numba", "pin"):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = None
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": ".".join(str(part) for part in sys.version_info[:3]),
        "packages": packages,
    }


def processor() -> str:
    """Model of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
