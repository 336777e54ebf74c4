"""Values that nobody should pass, and values that look odd but are right."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np


class Value(NamedTuple):
    """A value to pass instead of a good one; ``same`` if it must give the same result."""

    name: str
    value: Any
    same: bool = False
    digits: float = 0.0  #: relative deviation that is allowed if it is the same


class Unprintable:
    """An object whose repr fails."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


class Falling:
    """An object that fails when NumPy looks at it."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("no array")

    def __float__(self) -> float:
        raise RuntimeError("no float")


def _endless() -> list[Any]:
    """A list that holds itself."""
    endless: list[Any] = []
    endless.append(endless)
    return endless


def _deep(depth: int) -> list[Any]:
    nested: list[Any] = [1.0]
    for _ in range(depth):
        nested = [nested]
    return nested


def returns(value: Any) -> Callable[..., Any]:
    """A function of any arguments that returns ``value``."""

    def function(*arguments: Any) -> Any:
        return value

    return function


def raises(*arguments: Any) -> Any:
    """A function that fails."""
    raise KeyError("a user's mistake")


def hostile() -> list[Value]:
    """What can stand in the place of anything."""
    numbers = [
        *(np.nan, np.inf, -np.inf, -1, 0, 1, 2, -1.0, 0.0, 0.5, 1e308, -1e308, 5e-324, 1e-300, 1e10),
        *(10**9, -(10**9), 10**18, 10**400, -(10**400), 10**5000, 1j, 1.0 + 0j, Decimal("0.5"), Fraction(1, 2)),
        *(np.float32(0.5), np.float16(0.5), np.longdouble("1e4000"), np.int8(-1), np.uint64(2**64 - 1)),
        *(np.complex128(1.0), np.bool_(True), np.datetime64("2024-01-01"), np.timedelta64(3, "s")),
    ]
    things = [
        *(
            None,
            True,
            False,
            "x",
            "",
            "  ",
            "world",
            "arm",
            "0.5",
            b"",
            b"x",
            object(),
            object,
            Unprintable(),
            Falling(),
        ),
        *((), (3,), (0.0, 1.0), (np.nan,) * 3, [], [0.0], [None], ["x"], [[1], [1, 2]], {}, {"x": None}, {"arm": None}),
        *({"arm": 1j}, {"t": np.nan}, {1: 2}, set(), {"arm"}, range(3), _endless(), _deep(40), _deep(80), slice(3)),
        *(datetime(2024, 1, 1, tzinfo=UTC), np, type(None), NotImplemented, Ellipsis, memoryview(b"abc")),
    ]
    arrays = [
        *(np.zeros(0), np.zeros((0, 3)), np.zeros(1), np.zeros(3), np.ones(6), np.zeros((3, 3)), np.zeros((4, 4))),
        *(np.full(3, np.nan), np.full(6, np.inf), np.full(6, 1e308), np.ones(3) * 1j, np.ones(3, dtype=bool)),
        *(np.array(["a", "b"]), np.array([None, None]), np.array([object()]), np.array(0.5), np.array(np.nan)),
        *(np.ma.masked, np.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0]), np.array([3, 4], dtype="M8[s]")),
        *(np.zeros(3, dtype=[("a", float)]), np.array([10**400, 1]), np.zeros((2, 2, 2, 2))),
    ]
    functions = [
        *(returns(None), returns("x"), returns(np.nan), returns(1j), returns(10**400), returns([]), returns((0, 0, 0))),
        *(returns(np.zeros(7)), returns(True), returns([[1], [1, 2]]), returns(1e308), raises, len, float, int),
    ]
    return [
        *(Value(f"number {_name(x)}", x) for x in numbers),
        *(Value(f"thing {_name(x)}", x) for x in things),
        *(Value(f"array {_name(x)}", x) for x in arrays),
        *(Value(f"function {i}", x) for i, x in enumerate(functions)),
    ]


def _name(x: Any) -> str:
    try:
        return repr(x)[:60].replace("\n", " ")
    except Exception:
        return type(x).__name__


def kindred(good: Any) -> list[Value]:
    """What is near to a good array, or the same in another form."""
    if not _numeric(good):
        return []
    x = np.asarray(good, dtype=float)
    wrong = [
        *((f"complex {n}", y) for n, y in (("zero", x + 0j), ("step", x + 1e-20j))),
        *(("more rows", np.concatenate([np.atleast_1d(x)] * 2)), ("a further axis", x[..., None]), ("empty", x[:0])),
        *(("text", x.astype(str)), ("dates", np.zeros(x.shape, dtype="M8[s]")), ("flags", x > 0.0)),
        *(("huge", np.full(x.shape, 1e308)), ("tiny", np.full(x.shape, 5e-324)), ("large", np.full(x.shape, 1e160))),
        *(("NaN", np.full(x.shape, np.nan)), ("a scalar", 0.3), ("objects", np.full(x.shape, None))),
        *(("masked", np.ma.masked_array(x, mask=np.ones(x.shape, dtype=bool))),),
    ]
    if x.size:
        for name, entry in (("one NaN", np.nan), ("one inf", np.inf), ("one huge", 1e200)):
            y = x.copy()
            y.flat[-1] = entry
            wrong.append((name, y))
    held = np.array(x)
    held.setflags(write=False)
    wide = np.zeros((*x.shape, 2))
    wide[..., 0] = x
    right = [
        Value("a list", x.tolist(), True),
        Value("read-only", held, True),
        Value("not contiguous", wide[..., 0], True),
        Value("Fortran order", np.asfortranarray(x), True),
        Value("objects of numbers", x.astype(object), True),
        Value("extended precision", x.astype(np.longdouble), True),
        Value("mask without masked entries", np.ma.masked_array(x), True),
        Value("other byte order", x.astype(">f8"), True),
        Value("single precision", x.astype(np.float32), True, 1e-2),
    ]
    return [*(Value(f"kindred {name}", y) for name, y in wrong), *right]


def _numeric(good: Any) -> bool:
    """Whether a good argument is an array of at least one axis."""
    if isinstance(good, np.ndarray):
        return good.ndim > 0 and good.dtype.kind == "f"
    flat = isinstance(good, (list, tuple)) and len(good) > 0
    return flat and all(isinstance(x, float) for x in good)
