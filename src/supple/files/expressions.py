"""Arithmetic in files, ``${2 * radius}``: numbers, parameters and a few functions; nothing of it is executed."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import reduce
from typing import Any
from unicodedata import normalize

import numpy as np

from supple.checks import floats, shown
from supple.robot.summary import counted

#: Longest expression [characters].
MOST_CHARACTERS = 300

_BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_UNARY: dict[type, Callable[[Any], Any]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}

#: Names of functions and constants.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("sqrt", "sin", "cos", "tan", "exp", "log", "abs")},
    **{"asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2},
    **{"min": np.minimum, "max": np.maximum, "radians": np.radians, "degrees": np.degrees},
}
CONSTANTS = {"pi": math.pi}


class ExpressionError(ValueError):
    """An expression that cannot be evaluated; the message says why."""


def parameter_name(text: str) -> str:
    """A name as expressions and keywords of Python have it: of letters that look alike, one stands for all."""
    return normalize("NFKC", text)


def is_expression(text: str) -> bool:
    """Whether a text is an expression, as a whole."""
    return text.startswith("${") and text.endswith("}")


def evaluate(text: str, parameters: Mapping[str, Any]) -> Any:
    """Value of an expression: a float, or a list of (lists of) floats where a parameter is one.

    Examples
    --------
    >>> evaluate("${2 * r + sqrt(4)}", {"r": 1.5})
    5.0
    """
    inside = text[2:-1].strip()
    if len(inside) > MOST_CHARACTERS:
        raise ExpressionError(f"has {len(inside)} characters, {MOST_CHARACTERS} at most are read")
    try:
        tree = ast.parse(inside, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ExpressionError(f"{shown(text)} is no arithmetic") from None
    with np.errstate(all="ignore"):
        try:
            value = floats(_value(tree.body, parameters))
        except OverflowError:
            raise ExpressionError(f"{shown(text)} is beyond float64") from None
        except (ZeroDivisionError, TypeError, RecursionError) as error:
            raise ExpressionError(f"{shown(text)}: {error}") from None
        except ValueError as error:
            raise ExpressionError(f"{shown(text)}: {error}") from None
    if not np.isfinite(value).all():
        raise ExpressionError(f"{shown(text)} is {shown(value.tolist())}, must be finite")
    return value.tolist()


def _value(node: ast.AST, parameters: Mapping[str, Any]) -> Any:
    """Value of a part of an expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return float(node.value)
    if isinstance(node, ast.Name):
        if node.id in parameters:
            return floats(parameters[node.id])
        if node.id in CONSTANTS:
            return CONSTANTS[node.id]
        raise ExpressionError(_unknown("parameter", node.id, [*parameters, *CONSTANTS]))
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        return _BINARY[type(node.op)](_value(node.left, parameters), _value(node.right, parameters))
    if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
        return _UNARY[type(node.op)](_value(node.operand, parameters))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id not in FUNCTIONS:
            raise ExpressionError(_unknown("function", node.func.id, FUNCTIONS))
        return _called(node.func.id, [_value(argument, parameters) for argument in node.args])
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int:
        array = np.asarray(_value(node.value, parameters))
        if array.ndim == 0 or not -len(array) <= node.slice.value < len(array):
            raise ExpressionError(f"there is no entry [{node.slice.value}]")
        return array[node.slice.value]
    raise ExpressionError(f"holds {type(node).__name__}; arithmetic with parameters and functions is all that is read")


def _called(name: str, arguments: list[Any]) -> Any:
    """Value of a function; the least and the greatest are those of two arguments or more."""
    function: Any = FUNCTIONS[name]
    if function.nin == len(arguments) or (name in ("min", "max") and len(arguments) > 2):
        return reduce(function, arguments) if len(arguments) > 2 else function(*arguments)
    raise ExpressionError(f"{name} takes {counted(function.nin, 'argument')}, not {len(arguments)}")


def _unknown(what: str, name: str, known: Any) -> str:
    names = list(known)
    near = get_close_matches(name, names, n=1)
    hint = f", did you mean {near[0]!r}? Known" if near else "; known"
    return f"there is no {what} {shown(name)}{hint} are: {', '.join(names) or 'none'}"
