"""Calls as users write them: which argument is which input, and whether shapes fit.

Frameworks know shapes before they know numbers (while tracing), so shapes are checked apart from values, which
`bridges.rows` looks at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from supple.bridges.operation import Operation, Port
from supple.checks import shown
from supple.errors import ModelError, ShapeError

#: Name of the argument that holds the parameters of a design, by name.
PARAMETERS = "p"


def arranged(operation: Operation, positional: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """What was given for each input, in order; None for one that was omitted and has a default."""
    names = [port.name for port in operation.own] + ([PARAMETERS] if operation.subject.parameters else [])
    if len(positional) > len(names):
        raise ModelError(f"{operation.name} takes {', '.join(names)}; {len(positional)} arguments were given")
    given = dict(zip(names, positional, strict=False))
    for name, value in named.items():
        if name not in names:
            raise ModelError(f"{operation.name} takes {', '.join(names)}; there is no {shown(name)}")
        if name in given:
            raise ModelError(f"{operation.name}: {name} was given twice")
        given[name] = value
    values = [given.get(port.name) for port in operation.own]
    for port, value in zip(operation.own, values, strict=True):
        if value is None and port.default is None:
            raise ModelError(f"{operation.name}: {port.name} {port.shape} is missing")
    return values + _parameters(operation, given.get(PARAMETERS))


def _parameters(operation: Operation, given: Any) -> list[Any]:
    """Values of all parameters of a design; None for those that keep the design's."""
    names = [name for name, _, _ in operation.subject.parameters]
    if given is None:
        return [None] * len(names)
    if not isinstance(given, Mapping):
        raise ModelError(f"{operation.name}: p is {shown(given)}, must be a dict of parameters by name")
    for name in given:
        if name not in names:
            raise ModelError(
                f"{operation.name}: the design has no parameter {shown(name)}; they are: {', '.join(names)}"
            )
    return [given.get(name) for name in names]


def leading_axes(operation: Operation, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The axes before those of one row, broadcast over all inputs; raises `ShapeError` that names the input."""
    leads = [_lead(operation, port, tuple(shape)) for port, shape in zip(operation.inputs, shapes, strict=True)]
    common: tuple[int, ...] = ()
    for port, lead in zip(operation.inputs, leads, strict=True):
        together = _broadcast(common, lead)
        if together is None:
            raise ShapeError(f"{operation.name}: leading axes {lead} of {port.name} do not fit {common} of the others")
        common = together
    return common


def _lead(operation: Operation, port: Port, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Leading axes of one input."""
    first = len(shape) - len(port.shape)
    if first < 0 or shape[first:] != port.shape:
        wanted = ", ".join(map(str, port.shape))
        rows = f"(..., {wanted})" if wanted else "(...)"
        raise ShapeError(f"{operation.name}: {port.name} has shape {shape}, must be {port.shape} or {rows}")
    return shape[:first]


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    """Two shapes broadcast together, as NumPy does it; None if they do not fit."""
    short, long = sorted((a, b), key=len)
    short = (1,) * (len(long) - len(short)) + short
    if any(x != y and 1 not in (x, y) for x, y in zip(short, long, strict=True)):
        return None
    return tuple(y if x == 1 else x for x, y in zip(short, long, strict=True))
