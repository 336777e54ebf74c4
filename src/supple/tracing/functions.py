"""NumPy's functions on symbols: elementwise ones by the methods of `Symbol`, others by NumPy itself on objects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.errors import ModelError
from supple.tracing import operations as op
from supple.tracing.symbols import Symbol, Symbols, symbols, untraceable


def _plain(value: Any) -> Any:
    """A value without our classes of arrays, on which NumPy would ask us again."""
    if isinstance(value, Symbols):
        return np.asarray(value).view(np.ndarray)
    if isinstance(value, Symbol):
        boxed = np.empty((), dtype=object)
        boxed[()] = value
        return boxed
    if isinstance(value, (list, tuple)):
        return type(value)(_plain(part) for part in value)
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return value


def _ours(value: Any) -> Any:
    """A result of NumPy as an array of ours, or the number in it."""
    if isinstance(value, (list, tuple)):
        return type(value)(_ours(part) for part in value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value[()] if value.ndim == 0 else value.view(Symbols)
    return value


def apply_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """One of NumPy's elementwise functions, which calls the methods of `Symbol`."""
    if options.get("out") is not None:
        raise ModelError("writing into an array (out=, +=) cannot be traced; write a = a + b")
    special: Callable[..., Any] | None = _SPECIAL.get(ufunc)
    plain = [_objects(value) for value in inputs]
    try:
        if special is not None and method == "__call__":
            return _ours(np.frompyfunc(special, ufunc.nin, 1)(*plain))
        return _ours(getattr(ufunc, method)(*plain, **options))
    except (TypeError, AttributeError) as error:
        raise untraceable(ufunc.__name__) from error


def _larger(name: str, a: Any, b: Any) -> Any:
    """The larger of two numbers, or the smaller; which of them may depend on the material point only."""
    known = [x for x in (a, b) if isinstance(x, Symbol)]
    if not known:
        return float(getattr(np, name)(a, b))
    if any(x.graph.of_q[x.index] for x in known):
        raise untraceable(name, "of coordinates q")
    less = known[0].graph.apply(op.LESS, a, b)
    return known[0].graph.apply(op.WHERE, less, *((b, a) if name == "maximum" else (a, b)))


def _objects(value: Any) -> Any:
    """A value as an array of Python objects, so that no float of NumPy's meets a symbol."""
    value = _plain(value.item() if isinstance(value, np.generic) else value)
    return value.astype(object) if isinstance(value, np.ndarray) else np.asarray(value, dtype=object)


_SPECIAL: dict[Any, Callable[..., Any]] = {
    np.square: lambda a: a * a,
    np.reciprocal: lambda a: 1.0 / a,
    np.power: lambda a, b: a**b,
    np.float_power: lambda a, b: a**b,
    np.cbrt: lambda a: a ** (1.0 / 3.0),
    np.log1p: lambda a: np.log(1.0 + a),
    np.expm1: lambda a: np.exp(a) - 1.0,
    np.log2: lambda a: np.log(a) / np.log(2.0),
    np.log10: lambda a: np.log(a) / np.log(10.0),
    np.exp2: lambda a: 2.0**a,
    np.deg2rad: lambda a: a * (np.pi / 180.0),
    np.radians: lambda a: a * (np.pi / 180.0),
    np.logical_and: lambda a, b: a * b,
    np.logical_not: lambda a: 1.0 - a,
    np.logical_or: lambda a, b: 1.0 - (1.0 - a) * (1.0 - b),
    np.hypot: lambda a, b: np.sqrt(a * a + b * b),
    np.maximum: lambda a, b: _larger("maximum", a, b),
    np.minimum: lambda a, b: _larger("minimum", a, b),
    np.fmax: lambda a, b: _larger("maximum", a, b),
    np.fmin: lambda a, b: _larger("minimum", a, b),
    np.sign: lambda a: a.graph.apply(op.SIGN, a) if isinstance(a, Symbol) else float(np.sign(a)),
}


def apply_function(function: Any, arguments: Any, options: Any) -> Any:
    """One of NumPy's functions on arrays: by NumPy itself on objects, but for those that compare."""
    chosen = _FUNCTIONS.get(function)
    if chosen is not None:
        return chosen(*arguments, **options)
    try:
        return _ours(function(*_plain(arguments), **_plain(options)))
    except (TypeError, AttributeError) as error:
        raise untraceable(function.__name__) from error


def _sinc(x: Any) -> Any:
    def one(a: Any) -> Any:
        return (a * np.pi).sinc() if isinstance(a, Symbol) else float(np.sinc(a))

    return _ours(np.frompyfunc(one, 1, 1)(_objects(x)))


def _where(condition: Any, a: Any, b: Any) -> Any:
    def one(c: Any, x: Any, y: Any) -> Any:
        if not isinstance(c, Symbol):
            return x if c else y
        if any(isinstance(z, Symbol) and z.graph.of_q[z.index] for z in (x, y)):
            inside = c.graph.apply(op.WHERE, c, 1.0, 0.0)
            return inside * x + (1.0 - inside) * y
        return c.graph.apply(op.WHERE, c, x, y)

    return _ours(np.frompyfunc(one, 3, 1)(_objects(condition), _objects(a), _objects(b)))


def _det(a: Any) -> Any:
    """Determinant of one 2x2 or 3x3 matrix."""
    if np.shape(a) == (2, 2):
        return a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
    if np.shape(a) != (3, 3):
        raise untraceable("linalg.det", "of other than one 2x2 or 3x3 matrix")
    return sum(a[0, i] * _cofactor(a, 0, i) for i in range(3))


def _cofactor(a: Any, i: int, j: int) -> Any:
    """Cofactor (i, j) of a 3x3 matrix, sign included."""
    p, q, r, s = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
    return a[p, r] * a[q, s] - a[p, s] * a[q, r]


def _inv(a: Any) -> Any:
    """Inverse of one 3x3 matrix."""
    if np.shape(a) != (3, 3):
        raise untraceable("linalg.inv", "of other than one 3x3 matrix")
    det = _det(a)
    return symbols([[_cofactor(a, j, i) / det for j in range(3)] for i in range(3)])


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.sinc: _sinc,
    np.where: _where,
    np.linalg.det: _det,
    np.linalg.inv: _inv,
}
