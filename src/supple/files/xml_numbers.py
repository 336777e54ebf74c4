"""Attributes of XML elements as checked names and numbers; what is wrong is refused with file, line and element."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from math import isfinite
from typing import NoReturn

from supple.checks import shown
from supple.errors import FileError
from supple.files.nodes import listed
from supple.files.xml_tree import Element

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)
_INFINITE = re.compile(r"[+-]?(inf|infinity)\Z", re.IGNORECASE | re.ASCII)


class ElementReader:
    """Elements of one file; ``notes`` are what warnings say of it."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.notes: list[str] = []

    def own_name(self, element: Element) -> str:
        """The name of a link or joint."""
        name = self.attribute(element, "name")
        if not name.strip():
            self.refuse(element, "its name is empty")
        return name

    def attribute(self, element: Element, key: str) -> str:
        """An attribute that must be there."""
        if key not in element.attributes:
            self.refuse(element, f"has no attribute {key!r}{nearest(key, element.attributes)}")
        return element.attributes[key]

    def number(self, element: Element, key: str, default: float | None, infinite: bool = False) -> float:
        """A number; without a default it must be there."""
        (value,) = self.numbers(element, key, 1, None if default is None else (default,), infinite)
        return value

    def numbers(
        self, element: Element, key: str, count: int, default: tuple[float, ...] | None, infinite: bool = False
    ) -> tuple[float, ...]:
        """So many numbers, separated by spaces."""
        if default is not None and key not in element.attributes:
            return default
        text = self.attribute(element, key)
        words = text.split()
        if len(words) != count:
            comma = "; decimal points are points, and spaces part numbers" if "," in text else ""
            self.refuse(element, f"{key} is {shown(text)}, must be {_counted(count)}{comma}")
        return tuple(self._number(element, key, word, infinite) for word in words)

    def some_numbers(
        self, element: Element, key: str, least: int, most: int, default: tuple[float, ...] = ()
    ) -> tuple[float, ...]:
        """At least and at most so many numbers, separated by spaces; the default if they are not given."""
        if key not in element.attributes:
            return default
        words = element.attributes[key].split()
        if not least <= len(words) <= most:
            given = shown(element.attributes[key])
            self.refuse(element, f"{key} is {given}, must be {least} to {most} numbers")
        return tuple(self._number(element, key, word, False) for word in words)

    def choice(self, element: Element, key: str, known: Sequence[str], default: str) -> str:
        """One of some words."""
        value = element.attributes.get(key, default).strip()
        if value not in known:
            self.refuse(element, f"{key} is {shown(value)}{nearest(value, known)}")
        return value

    def _number(self, element: Element, key: str, word: str, infinite: bool) -> float:
        if infinite and _INFINITE.match(word):
            return float(word)
        if len(word) > 400 or not _NUMBER.match(word):
            comma = "; write decimals with a point" if "," in word else ""
            self.refuse(element, f"{key} holds {shown(word)}, which is not a finite number{comma}")
        value = float(word)
        if not isfinite(value):
            self.refuse(element, f"{key} holds {shown(word)}, which is beyond float64")
        return value

    def refuse(self, element: Element, why: str) -> NoReturn:
        """Raise `FileError` with file, line and element."""
        raise FileError(f"{element.file or self.file}, line {element.line}: {element.name}: {why}")


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint at the nearest of known names, or all of them if none is near."""
    names = listed(known)
    close = get_close_matches(name, names, n=1)
    if close:
        return f", did you mean {close[0]!r}?"
    return f"; known are: {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}" if names else ""


def _counted(count: int) -> str:
    return "a number" if count == 1 else f"{count} numbers"
