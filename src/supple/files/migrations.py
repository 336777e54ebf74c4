"""Older formats of model files, made into that of today, one step after the other.

The number of the format rises when what a file says would mean something else, or nothing; what is only new (a kind, a
field, a key) does not raise it.  A step is a pure function of plain data (mappings, lists, texts, numbers) of one
format to that of the next.  Values carry the lines on which they stand through it, wherever it puts them, so that
errors go on to tell lines of the file as it was written.

To change the format: raise `FORMAT`, add the step from the format before to `MIGRATIONS`, and store a file of the new
format in tests/data/formats, where a test reads files of all formats there ever were.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from supple.errors import FileError
from supple.files.nodes import Node

#: Number of the format of today.
FORMAT = 1

#: Steps by the number of the format that they begin with.
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


class _Text(str):
    """A text that knows its line."""

    line: int


class _Whole(int):
    """A whole number that knows its line."""

    line: int


class _Number(float):
    """A number that knows its line."""

    line: int


class _Mapping(dict[str, Any]):
    """A mapping that knows its line."""

    line: int


class _List(list[Any]):
    """A list that knows its line."""

    line: int


_LINED: dict[type, Any] = {str: _Text, int: _Whole, float: _Number, dict: _Mapping, list: _List}
_PLAIN = {lined: plain for plain, lined in _LINED.items()}


def migrated(root: Node, number: int) -> Node:
    """The root of a file of format ``number``, as it would stand in one of today."""
    if number == FORMAT:
        return root
    data = _data(root)
    for older in range(number, FORMAT):
        try:
            data = MIGRATIONS[older](data)
        except FileError:
            raise
        except Exception as error:  # a file that was none of its format either
            words = f"{type(error).__name__}: {error}"
            root.refuse(f"cannot be read as format {older}, and made into format {older + 1}: {words}")
    data["supple"] = FORMAT
    return _node(data, root.file, root.line, None, "")


def _data(node: Node) -> Any:
    """A node as data that knows its lines."""
    value = node.value
    if isinstance(value, dict):
        value = {key: _data(entry) for key, entry in value.items()}
    elif isinstance(value, list):
        value = [_data(entry) for entry in value]
    kind = _LINED.get(type(value))
    if kind is None:  # true, false, nothing: those of their mapping or list
        return value
    made = kind(value)
    made.line = node.line
    return made


def _node(value: Any, file: str, line: int, parent: Node | None, name: str | int) -> Node:
    """Data as nodes; what a step made itself stands where its mapping or list does."""
    line = getattr(value, "line", line)
    plain = _PLAIN.get(type(value))
    node = Node(plain(value) if plain is not None else value, file, line, parent, name)
    if isinstance(value, dict):
        node.value = {str(key): _node(entry, file, line, node, str(key)) for key, entry in value.items()}
    elif isinstance(value, (list, tuple)):
        node.value = [_node(entry, file, line, node, i) for i, entry in enumerate(value)]
    return node
