"""Files as trees of nodes, which know file, line and key: what readers make of YAML and JSON alike."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn

from supple.checks import shown
from supple.errors import FileError

#: Longest file [bytes], deepest nesting, most nodes.
MOST_BYTES, MOST_DEPTH, MOST_NODES = 4_000_000, 60, 150_000

#: Most names that are compared with one that is unknown, and how much of a name is told [characters].
MOST_NAMES, LONGEST_NAME = 500, 60


class Node:
    """A mapping (dict of nodes), a list (of nodes) or a scalar (text, number, truth value, None) of a file."""

    __slots__ = ("file", "line", "name", "parent", "value")

    def __init__(self, value: Any, file: str, line: int, parent: Node | None = None, name: str | int = "") -> None:
        self.value, self.file, self.line, self.parent, self.name = value, file, line, parent, name

    @property
    def key(self) -> str:
        """Where it stands, such as ``links[0].body.Rod.length``."""
        words: list[str] = []
        node: Node | None = self
        while node is not None and node.parent is not None:
            words.append(f"[{node.name}]" if isinstance(node.name, int) else f".{node.name}")
            node = node.parent
        return "".join(reversed(words)).lstrip(".")

    @property
    def where(self) -> str:
        """File, line and key, as messages begin."""
        key = self.key
        return f"{self.file}, line {self.line}{f', {shown_key(key)}' if key else ''}"

    def refuse(self, why: str) -> NoReturn:
        """Raise `FileError`."""
        raise FileError(f"{self.where}: {why}")

    def mapping(self, what: str) -> dict[str, Node]:
        """Its entries; nothing at all is an empty mapping."""
        if self.value is None:
            return {}
        if not isinstance(self.value, dict):
            self.refuse(f"is {self.kind}, must be {what}")
        return self.value

    def items(self, what: str) -> list[Node]:
        """Its entries; nothing at all is an empty list."""
        if self.value is None:
            return []
        if not isinstance(self.value, list):
            self.refuse(f"is {self.kind}, must be {what}")
        return self.value

    def text(self, what: str) -> str:
        """Itself as a text."""
        if not isinstance(self.value, str):
            self.refuse(f"is {self.kind}, must be {what}")
        return self.value

    @property
    def kind(self) -> str:
        """What it is, for messages."""
        if isinstance(self.value, dict):
            return "a mapping"
        return "a list" if isinstance(self.value, list) else shown(self.value)

    def unknown(self, what: str, name: str, known: Iterable[str]) -> NoReturn:
        """Raise `FileError` about a name that is not known, with the nearest one."""
        names = listed(known)
        near = get_close_matches(name, names, n=1, cutoff=0.5) or get_close_matches(name.lower(), names, n=1)
        hint = f", did you mean {near[0]!r}? Known" if near else "; known"
        told = f"{', '.join(names[:40])}{', ...' if len(names) > 40 else ''}"
        self.refuse(f"there is no {what} {shown(name)}{hint} are: {told or 'none'}")


def listed(known: Iterable[str]) -> list[str]:
    """Names for a message: not too many, and none too long."""
    return [name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..." for name in islice(known, MOST_NAMES)]


def shown_key(key: str) -> str:
    """A key for messages: never long."""
    return key if len(key) <= 120 else f"{key[:60]} ... {key[-50:]}"


def read_text(path: Path) -> str:
    """The text of a file; raises `FileError` if it is not there, too long, or not UTF-8."""
    try:
        if not path.is_file():
            raise FileError(f"{path}: there is no such file")
        if path.stat().st_size > MOST_BYTES:
            raise FileError(f"{path}: is longer than the {MOST_BYTES} bytes that are read")
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise FileError(f"{path}, line {line}: is not UTF-8") from None


class Builder:
    """Builds nodes from what a reader meets, in order; keeps to all bounds."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: Node | None = None
        self._open: list[tuple[Node, str | None]] = []  # containers, with the key that waits for its value
        self._count = 0

    def open(self, value: dict[str, Node] | list[Node], line: int) -> None:
        """A mapping or a list begins."""
        node = self._place(value, line)
        if len(self._open) >= MOST_DEPTH:
            raise FileError(f"{self.file}, line {line}: is nested more than {MOST_DEPTH} deep")
        self._open.append((node, None))

    def close(self, line: int) -> None:
        """The innermost container ends."""
        self._open.pop()

    @property
    def wants_key(self) -> bool:
        """Whether the next scalar is a key."""
        return bool(self._open) and isinstance(self._open[-1][0].value, dict) and self._open[-1][1] is None

    def key(self, key: Any, line: int) -> None:
        """A key of the innermost mapping."""
        node = self._open[-1][0]
        if isinstance(key, float) or not isinstance(key, (str, int)):
            raise FileError(f"{self.file}, line {line}: the key {shown(key)} is not a text")
        key = str(key)
        if key in node.value:
            raise FileError(f"{self.file}, line {line}: the key {shown(key)} is there twice")
        self._open[-1] = node, key

    def scalar(self, value: Any, line: int) -> None:
        """A scalar value."""
        self._place(value, line)

    def _place(self, value: Any, line: int) -> Node:
        self._count += 1
        if self._count > MOST_NODES:
            raise FileError(f"{self.file}, line {line}: holds more than {MOST_NODES} values")
        if not self._open:
            if self.root is not None:
                raise FileError(f"{self.file}, line {line}: something stands behind the end")
            self.root = Node(value, self.file, line)
            return self.root
        holder, key = self._open[-1]
        if isinstance(holder.value, list):
            node = Node(value, self.file, line, holder, len(holder.value))
            holder.value.append(node)
        elif key is None:
            raise FileError(f"{self.file}, line {line}: a mapping or list cannot be a key")
        else:
            node = holder.value[key] = Node(value, self.file, line, holder, key)
            self._open[-1] = holder, None
        return node
