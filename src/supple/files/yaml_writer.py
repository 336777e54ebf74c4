"""Plain data as YAML that people like to read: short things in one line, long things in blocks."""

from __future__ import annotations

import json
import re
from typing import Any

#: Longest line that a list or mapping may take.
WIDTH = 110

#: Longest key that stands before its colon; YAML looks no further than 1024 characters.
LONGEST_KEY = 1000

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_ /-]*\Z", re.ASCII)
#: What YAML takes for breaks of lines, or not at all, and so wants by its number.
_UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")

_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}


def to_yaml(data: dict[str, Any]) -> str:
    """A mapping as YAML."""
    return "\n".join(_block(data, 0)) + "\n"


def _block(data: Any, indent: int) -> list[str]:
    """Lines of a mapping or list."""
    space, lines = "  " * indent, []
    pairs = data.items() if isinstance(data, dict) else ((None, value) for value in data)
    for key, value in pairs:
        head, flat = f"{space}-" if key is None else f"{space}{_key(key, space)}", _flat(value)
        if not isinstance(value, (dict, list)) or not value or (len(head) + len(flat) < WIDTH and _is_small(value)):
            lines.append(f"{head} {flat}")
        elif isinstance(value, list) and all(_is_row(entry) for entry in value):
            lines += [head, *_wrapped(value, indent + 1)]
        elif isinstance(data, list) and isinstance(value, dict):
            inner = _block(value, indent + 1)
            lines += [f"{head} {inner[0].lstrip()}", *inner[1:]]
        else:
            lines += [head, *_block(value, indent + 1)]
    return lines


def _wrapped(values: list[Any], indent: int) -> list[str]:
    """A long list of scalars or rows in flow style, over several lines."""
    space, lines, line = "  " * indent, [], "["
    for i, value in enumerate(values):
        word = _flat(value) + (", " if i + 1 < len(values) else "]")
        if len(space) + len(line) + len(word) > WIDTH:
            lines.append(space + line.rstrip())
            line = " "
        line += word
    return [*lines, space + line]


def _is_row(value: Any) -> bool:
    """Whether a value is a scalar or a list of scalars."""
    if isinstance(value, list):
        return not any(isinstance(entry, (dict, list)) for entry in value)
    return not isinstance(value, dict)


def _is_small(value: Any) -> bool:
    """Whether a list or mapping is fit for one line: not more than two levels."""
    inner = value.values() if isinstance(value, dict) else value
    return all(
        not isinstance(x, (dict, list))
        or all(not isinstance(y, dict) for y in (x.values() if isinstance(x, dict) else x))
        for x in inner
    )


def _flat(value: Any) -> str:
    """Anything in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} {_flat(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flat, value)) + "]"
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return number(value) if isinstance(value, float) else str(value)


def number(value: float) -> str:
    """A float, exactly, with a point: 1.0e-05 is a number for every reader of YAML."""
    text = repr(value)
    mantissa, mark, exponent = text.partition("e")
    return text if "." in mantissa else f"{mantissa}.0{mark}{exponent}"


def _key(key: str, space: str = "") -> str:
    """A key with what parts it from its value."""
    text = _text(key)
    return f"{text}:" if len(text) <= LONGEST_KEY else f"? {text}\n{space}:"


def _text(text: str) -> str:
    """A text, in quotes where it could be taken for something else."""
    if _PLAIN.match(text) and text.lower() not in _WORDS and not text.endswith(" "):
        return text
    return _UNSEEN.sub(lambda found: f"\\u{ord(found.group()):04x}", json.dumps(text, ensure_ascii=False))
