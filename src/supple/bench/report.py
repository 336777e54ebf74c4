"""All tables in one run."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from supple.bench.dynamics import dynamics
from supple.bench.equilibria import statics
from supple.bench.figures import JACOBIANS, STATICS, TABLE_3, TABLE_I
from supple.bench.jacobians import jacobians
from supple.bench.rods import rods
from supple.bench.tables import Table, machine, markdown
from supple.errors import ModelError


@dataclass(frozen=True)
class Report:
    """Tables, and the machine they were measured on."""

    tables: list[Table]
    machine: dict[str, Any]

    def as_json(self) -> str:
        """Everything, for a file."""
        return json.dumps({"machine": self.machine, "tables": [asdict(table) for table in self.tables]}, indent=1)

    def as_markdown(self) -> str:
        """Everything, for a page."""
        return "\n".join(markdown(table) for table in self.tables)


def run(
    systems: Sequence[str] | None = None, quick: bool = False, progress: Callable[[str], None] | None = None
) -> Report:
    """Measure the papers' tables again.

    Parameters
    ----------
    systems : sequence of str, optional
        Names of systems; all that the tables have if omitted.
    quick : bool
        One run each, fewer samples, without what the papers call very slow: minutes become seconds, figures rougher.
    progress : callable, optional
        Told what is being measured.

    Raises
    ------
    ModelError
        If a name is in none of the tables.
    """
    known = [*TABLE_3, *TABLE_I]
    chosen = known if systems is None else list(systems)
    for name in chosen:
        if name not in known:
            raise ModelError(f"no table of the papers has the system {name!r}; choose from {', '.join(known)}")

    def say(what: str) -> None:
        if progress is not None:
            progress(what)

    def among(published: dict[str, Any]) -> list[str]:
        return [name for name in published if name in chosen]

    tables: list[Table] = []
    if among(TABLE_3):
        tables += dynamics(among(TABLE_3), quick, say)
        tables.append(jacobians(among(JACOBIANS), quick, say))
    if among(STATICS):
        tables.append(statics(among(STATICS), quick, say))
    if among(TABLE_I):
        tables.append(rods(among(TABLE_I), quick, say))
    return Report(tables, machine())
