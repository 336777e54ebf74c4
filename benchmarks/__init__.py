"""Benchmarks: ``python -m benchmarks`` measures, prints tables and writes JSON. Never part of the tests."""

from pathlib import Path

#: Where JSON files go; not under version control.
RESULTS = Path(__file__).parent / "results"
