"""Scripts that compute what pages show: run them from the root, as in ``python -m docs.scripts.basis_study``."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from supple.bench.tables import Table, markdown


def short(method: Any) -> str:
    """A method of integration as one would write it: without what is at its default."""
    given = (f"{f.name}={getattr(method, f.name)!r}" for f in fields(method) if getattr(method, f.name) != f.default)
    return f"`{type(method).__name__}({', '.join(given)})`"


def captioned(table: Table) -> str:
    """A table in Markdown under a bold caption: inside a guide, titles of tables are no headings."""
    title, _, rest = markdown(table).partition("\n")
    return f"**{title.removeprefix('### ')}**\n{rest}"
