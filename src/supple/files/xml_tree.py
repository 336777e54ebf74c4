"""XML, read with suspicion: elements, attributes and the lines they stand on, and nothing else.

No entities but the five of XML itself, no document types, nothing fetched from elsewhere; size, depth and number of
elements have bounds, so that any file ends within a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from supple.checks import shown
from supple.errors import FileError

#: Longest file [bytes], most elements, deepest nesting, longest name or value of an attribute [characters].
MOST_BYTES, MOST_ELEMENTS, MOST_DEPTH, MOST_TEXT = 16_000_000, 150_000, 100, 100_000

#: An encoding that the file itself declares.
_DECLARED = re.compile(rb"^<\?xml[^>]*encoding\s*=")

#: First bytes of texts that say their encoding.
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@dataclass(eq=False)
class Element:
    """An element with its attributes, children and line."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    file: str = ""  #: if it stands in a file that another one includes

    def all(self, tag: str) -> Iterator[Element]:
        """Children of that tag."""
        return (child for child in self.children if child.tag == tag)

    def first(self, tag: str) -> Element | None:
        """The first child of that tag, if there is one."""
        return next(self.all(tag), None)

    @property
    def name(self) -> str:
        """How messages call it, such as ``<joint name="elbow">``."""
        own = self.attributes.get("name")
        return f"<{self.tag}>" if own is None else f"<{self.tag} name={shown(own)}>"


class XmlError(FileError):
    """A file is not XML that we read."""


def read_xml(file: Path) -> Element:
    """The root element of a file; raises `FileError` if it is none, or longer than any should be."""
    if not file.exists():
        raise FileError(f"{file}: there is no such file")
    if not file.is_file():
        raise FileError(f"{file}: is not a file")
    try:
        if file.stat().st_size > MOST_BYTES:
            raise FileError(f"{file}: is longer than the {MOST_BYTES} bytes that are read")
        content = file.read_bytes()
    except OSError as error:
        raise FileError(f"{file}: cannot be read: {error.strerror or error}") from None
    return parse_xml(content, str(file))


def parse_xml(content: bytes, file: str) -> Element:
    """The root element of a file.

    Parameters
    ----------
    content : bytes
        The whole file.
    file : str
        Its name, for messages.

    Raises
    ------
    XmlError
        With file and line: for what is not well-formed, for entities and document types, beyond all bounds.
    """
    if len(content) > MOST_BYTES:
        raise XmlError(f"{file}: is {len(content)} bytes long, more than the {MOST_BYTES} that are read")
    text = content.lstrip()  # some begin with an empty line, which XML forbids
    reader = _Reader(file, content[: len(content) - len(text)].count(b"\n"))
    parser = expat.ParserCreate(_encoding(text))
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.StartDoctypeDeclHandler = reader.refuse_doctype
    parser.EntityDeclHandler = reader.refuse_doctype
    parser.ExternalEntityRefHandler = reader.refuse_doctype
    parser.buffer_text = True
    reader.parser = parser
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        line = error.lineno + reader.skipped
        raise XmlError(f"{file}, line {line}: not well-formed XML: {expat.ErrorString(error.code)}") from None
    except XmlError:
        raise
    except (LookupError, ValueError) as error:  # an encoding nobody knows
        raise XmlError(f"{file}: cannot be decoded: {error}") from None
    assert reader.root is not None  # expat refuses a file without one
    return reader.root


def _encoding(text: bytes) -> str | None:
    """The encoding to read by; None: as the file says, or UTF-8."""
    if text.startswith(_MARKS) or _DECLARED.match(text):
        return None
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return "iso-8859-1"  # umlauts of an editor that knew no other
    return None


class _Reader:
    """Builds elements as the parser meets them."""

    parser: Any

    def __init__(self, file: str, skipped: int) -> None:
        self.file, self.skipped = file, skipped
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0

    @property
    def line(self) -> int:
        return int(self.parser.CurrentLineNumber) + self.skipped

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            self._refuse(f"more than {MOST_ELEMENTS} elements")
        if len(self.open) >= MOST_DEPTH:
            self._refuse(f"elements are nested more than {MOST_DEPTH} deep")
        if len(tag) > MOST_TEXT or any(len(key) + len(value) > MOST_TEXT for key, value in attributes.items()):
            self._refuse(f"a name or value of more than {MOST_TEXT} characters")
        element = Element(tag, attributes, self.line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        self.open.pop()

    def refuse_doctype(self, *_: Any) -> int:
        self._refuse("a document type or an entity is declared, which is never read: remove it")
        return 0

    def _refuse(self, what: str) -> None:
        raise XmlError(f"{self.file}, line {self.line}: {what}")
