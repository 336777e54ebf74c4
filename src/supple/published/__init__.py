"""The tables of the papers, measured again: published, ours, ratio.  ``supple bench paper`` prints them."""

from __future__ import annotations

from supple.published.report import Report, run

__all__ = ["Report", "run"]
