"""JSON with lines: the same nodes as YAML gives."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from supple.checks import shown
from supple.errors import FileError
from supple.files.nodes import Builder, Node
from supple.files.yaml_reader import MOST_DIGITS

_TOKEN = re.compile(
    r'[ \t\r\n]*(?:(?P<string>"(?:[^"\\\x00-\x1f]|\\.)*")|(?P<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)'
    r"|(?P<word>true|false|null)|(?P<mark>[][{},:]))",
    re.ASCII,
)
_WORDS = {"true": True, "false": False, "null": None}


def read_json(text: str, file: str) -> Node:
    """The root node of a text."""
    return _Reader(text, file).read()


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self.text, self.file, self.builder = text, file, Builder(file)
        self.place, self.line = 0, 1
        self.closing: list[str] = []

    def read(self) -> Node:
        state = "value"  # what may come: value, first (or the end), key, first key, colon, next, end
        while state != "end":
            kind, word = self.token()
            if state in ("first", "first key") and word == self.closing[-1] and kind == "mark":
                state = self.close()
            elif state in ("key", "first key"):
                if kind != "string":
                    self.refuse(f"{shown(word)} where a key in quotes must be")
                self.builder.key(self.string(word), self.line)
                state = "colon"
            elif state == "colon":
                state = self.expect(kind, word, ":", "value")
            elif state == "next":
                if kind == "mark" and word == self.closing[-1]:
                    state = self.close()
                else:
                    state = self.expect(kind, word, ",", "key" if self.closing[-1] == "}" else "value")
            else:
                state = self.value(kind, word)
        if self.text[self.place :].strip(" \t\r\n"):
            self.refuse("something stands behind the end")
        assert self.builder.root is not None
        return self.builder.root

    def token(self) -> tuple[str, str]:
        match = _TOKEN.match(self.text, self.place)
        if match is None:
            rest = self.text[self.place :].lstrip(" \t\r\n")
            self.line += self.text[self.place : len(self.text) - len(rest)].count("\n")
            self.refuse(f"{shown(rest[:20])} cannot be read" if rest else "ends too early")
        kind = str(match.lastgroup)
        self.line += self.text.count("\n", self.place, match.start(kind))
        self.place = match.end()
        return kind, match.group(kind)

    def value(self, kind: str, word: str) -> str:
        """A value begins; returns what may come next."""
        if kind == "mark":
            if word not in "[{":
                self.refuse(f"{shown(word)} where a value must be")
            self.builder.open({} if word == "{" else [], self.line)
            self.closing.append("}" if word == "{" else "]")
            return "first key" if word == "{" else "first"
        self.builder.scalar(self.scalar(kind, word), self.line)
        return "next" if self.closing else "end"

    def scalar(self, kind: str, word: str) -> Any:
        if kind == "string":
            return self.string(word)
        if kind == "word":
            return _WORDS[word]
        if len(word) > MOST_DIGITS:
            self.refuse(f"a number of {len(word)} characters")
        return int(word) if word.lstrip("-").isdigit() else float(word)

    def string(self, word: str) -> str:
        try:
            return str(json.loads(word))
        except ValueError as error:
            self.refuse(f"a text that cannot be read: {error}")

    def close(self) -> str:
        self.closing.pop()
        self.builder.close(self.line)
        return "next" if self.closing else "end"

    def expect(self, kind: str, word: str, wanted: str, then: str) -> str:
        if kind != "mark" or word != wanted:
            self.refuse(f"{shown(word)} where {wanted!r} must be")
        return then

    def refuse(self, why: str) -> NoReturn:
        raise FileError(f"{self.file}, line {self.line}: not well-formed JSON: {why}")
