"""Measuring: timing, tables of results, and the tables of the papers measured again (``supple bench paper``)."""

from __future__ import annotations

from supple.bench.report import Report, run

__all__ = ["Report", "run"]
