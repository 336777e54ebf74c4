"""YAML, read with suspicion: mappings, lists and scalars; no anchors, aliases, tags or further documents.

Scalars are those of YAML 1.2: ``no`` and ``on`` are texts, ``1e6`` is a number.  What is parsed are PyYAML's events;
none of its constructors runs.
"""

from __future__ import annotations

import re
from typing import Any

from supple.checks import shown
from supple.errors import FileError, MissingExtraError
from supple.files.nodes import Builder, Node

_INTEGER = re.compile(r"[-+]?\d+\Z", re.ASCII)
_FLOAT = re.compile(r"[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?\Z", re.ASCII)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_WORDS: dict[str, Any] = {"": None, "~": None, "null": None, "true": True, "false": False, "True": True, "False": False}

#: Longest number [characters].
MOST_DIGITS = 400


def read_yaml(text: str, file: str) -> Node:
    """The root node of a text."""
    try:
        import yaml
    except ImportError:
        raise MissingExtraError("YAML files are read by PyYAML, which is not installed: pip install pyyaml") from None
    forbidden = _CONTROL.search(text)
    if forbidden is not None:
        line = text.count("\n", 0, forbidden.start()) + 1
        raise FileError(f"{file}, line {line}: not well-formed YAML: the control character {forbidden.group()!r}")
    builder = Builder(file)
    documents = 0
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise FileError(f"{file}, line {_line(event)}: a second document begins, where one is read")
            _take(event, builder, file)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "not YAML"
        raise FileError(f"{file}{where}: not well-formed YAML: {problem}") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{file}: not well-formed YAML: {error}") from None
    if builder.root is None:
        raise FileError(f"{file}: is empty")
    return builder.root


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _take(event: Any, builder: Builder, file: str) -> None:
    """Hand one event to the builder."""
    kind, line = type(event).__name__, _line(event)
    if kind == "AliasEvent" or getattr(event, "anchor", None) is not None:
        raise FileError(f"{file}, line {line}: anchors and aliases are not read: write values out, or use parameters")
    if getattr(event, "tag", None) not in (None, "!"):
        raise FileError(f"{file}, line {line}: the tag {shown(event.tag)} is not read: files hold data alone")
    if kind == "ScalarEvent":
        value = scalar(event.value, file, line) if not event.style else event.value
        if builder.wants_key:
            builder.key(value if value is not None else event.value, line)
        else:
            builder.scalar(value, line)
    elif kind == "MappingStartEvent":
        builder.open({}, line)
    elif kind == "SequenceStartEvent":
        builder.open([], line)
    elif kind in ("MappingEndEvent", "SequenceEndEvent"):
        builder.close(line)


def scalar(text: str, file: str, line: int) -> Any:
    """What a plain word means."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in "+-.0123456789":
        return text
    if _FLOAT.match(text):
        if len(text) > MOST_DIGITS:
            raise FileError(f"{file}, line {line}: a number of {len(text)} characters")
        return int(text) if _INTEGER.match(text) else float(text)
    return {".inf": float("inf"), "-.inf": float("-inf"), "+.inf": float("inf")}.get(text.lower(), text)
