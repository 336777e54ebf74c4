"""Text of the command line as values of the types that a function's annotations name."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any, Literal, Union, get_args, get_origin

from supple.cli.failures import UsageError

TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def _truth(text: str) -> bool:
    lowered = text.lower()
    if lowered not in TRUE + FALSE:
        raise ValueError(text)
    return lowered in TRUE


#: Types of one word: how to read it, and what it is called.
WORDS: dict[Any, tuple[Callable[[str], Any], str]] = {
    float: (float, "a number"),
    int: (int, "a whole number"),
    bool: (_truth, "true or false"),
    str: (str, "a text"),
}


def kind_of(annotation: Any) -> str | None:
    """What values of an annotation are called; None if the command line cannot write them.

    >>> kind_of(int), kind_of(tuple[float, float]), kind_of(float | None)
    ('a whole number', '2 numbers separated by commas', 'a number or none')
    """
    if annotation in WORDS:
        return WORDS[annotation][1]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return "one of " + ", ".join(str(x) for x in arguments)
    if origin in (Union, types.UnionType):
        kinds = [kind_of(x) for x in arguments if x is not type(None)]
        known = [kind for kind in kinds if kind is not None]
        return " or ".join([*known, *(["none"] if type(None) in arguments else [])]) if known else None
    item = _item(annotation)
    if item is None:
        return None
    count = "" if Ellipsis in arguments or origin is not tuple else f"{len(arguments)} "
    plural = {float: "numbers", int: "whole numbers", str: "texts"}.get(item, "values")
    return f"{count}{plural} separated by commas"


def _item(annotation: Any) -> Any:
    """Type of the entries of a sequence of words, all alike; None if it is no such thing."""
    origin, arguments = get_origin(annotation), [x for x in get_args(annotation) if x is not Ellipsis]
    is_sequence = isinstance(origin, type) and issubclass(origin, Sequence)
    return arguments[0] if is_sequence and len(set(arguments)) == 1 and arguments[0] in WORDS else None


def read(text: str, annotation: Any, what: str) -> Any:
    """Value of an annotation from its text; ``what`` names it in errors."""
    try:
        return _read(text.strip(), annotation)
    except ValueError:
        raise UsageError(f"{what} is {text!r}, must be {kind_of(annotation)}") from None


def _read(text: str, annotation: Any) -> Any:
    if annotation in WORDS:
        return WORDS[annotation][0](text)
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        chosen = [x for x in arguments if str(x) == text]
        return chosen[0] if chosen else _refuse(text)
    if origin in (Union, types.UnionType):
        if type(None) in arguments and text.lower() == "none":
            return None
        for argument in arguments:
            if kind_of(argument) is not None:
                try:
                    return _read(text, argument)
                except ValueError:
                    continue
        return _refuse(text)
    item = _item(annotation)
    entries = [_read(part.strip(), item) for part in text.split(",")]
    if origin is tuple and Ellipsis not in arguments and len(entries) != len(arguments):
        _refuse(text)
    return tuple(entries) if origin is tuple else entries


def _refuse(text: str) -> Any:
    raise ValueError(text)


def numbers(text: str, what: str) -> list[float]:
    """Numbers separated by commas."""
    return list(read(text, tuple[float, ...], what))


def pairs(texts: Sequence[str], what: str) -> dict[str, str]:
    """Keys with their values, each written ``key=value``."""
    found: dict[str, str] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{what} {text!r} must be written key=value")
        if key.strip() in found:
            raise UsageError(f"{what} gives {key.strip()!r} twice")
        found[key.strip()] = value
    return found
