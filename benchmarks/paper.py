"""The papers' tables (`supple.published`), as a subject of the benchmarks."""

from __future__ import annotations

from supple.measure.tables import Table
from supple.published import run as measure


def run(seconds: float) -> list[Table]:
    del seconds  # simulations last as long as they last
    return measure(progress=print).tables
