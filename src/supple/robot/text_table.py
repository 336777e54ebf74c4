"""Tables as plain text: the same characters in a terminal, a notebook, a file and a test."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from unicodedata import east_asian_width

#: Blanks between columns.
GAP = 2


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    """Columns side by side below their headings, at most ``width`` characters wide: long cells are folded."""
    table = [list(header), *(list(row) for row in rows)]
    columns = list(zip(*table, strict=True))
    widths = fitted([max(map(_length, column)) for column in columns], width - GAP * (len(columns) - 1))
    lines = []
    for row in table:
        cells = [_folded(cell, size) for cell, size in zip(row, widths, strict=True)]
        for k in range(max(map(len, cells))):
            parts = [cell[k] if k < len(cell) else "" for cell in cells]
            line = (" " * GAP).join(_padded(part, size) for part, size in zip(parts, widths, strict=True))
            lines.append(line.rstrip())
    return "\n".join(lines)


def fitted(natural: Sequence[int], room: int) -> list[int]:
    """Widths of columns that need ``natural`` characters and share ``room``: the widest give way first.

    Examples
    --------
    >>> fitted([4, 30, 9], 40), fitted([4, 90, 70], 40)
    ([4, 27, 9], [4, 18, 18])
    """
    cap = max(natural, default=0)
    while cap > 1 and sum(min(size, cap) for size in natural) > room:
        cap -= 1
    return [min(size, cap) for size in natural]


def _length(text: str) -> int:
    """Columns of a terminal that a text takes: wide characters take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _padded(text: str, size: int) -> str:
    return text + " " * (size - _length(text))


def _folded(text: str, size: int) -> list[str]:
    """Lines of at most ``size``, broken at blanks where there are some."""
    if _length(text) <= size:
        return [text]
    if text.isascii():
        return wrap(text, size, break_on_hyphens=False)
    lines = [""]
    for character in text:
        if _length(lines[-1] + character) > size:
            lines.append("")
        lines[-1] += character
    return lines
