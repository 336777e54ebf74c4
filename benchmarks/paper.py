"""The papers' tables (`supple.bench`), as a subject of the benchmarks."""

from __future__ import annotations

from supple.bench import run as measure
from supple.bench.tables import Table


def run(seconds: float) -> list[Table]:
    del seconds  # simulations last as long as they last
    return measure(progress=print).tables
