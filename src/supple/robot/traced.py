"""Plain NumPy functions of a few numbers, taken down as programs: one row per operation, evaluated by compiled code.

A function is called once, with numbers that write down what is done to them.  What comes of it has exact derivatives
of any order (`supple.following.jets`), pickles, and compiles nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from supple.checks import Array, shown
from supple.errors import ModelError

#: Operations of a program.  CONSTANT has no operand; the next ones two; POWER has a constant exponent; the rest one.
CONSTANT, ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER = range(6)
UNARY = (
    "negative", "sin", "cos", "tan", "exp", "log", "sqrt", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh",
)  # fmt: skip
FIRST_UNARY = 6

_BINARY = {"add": ADD, "subtract": SUBTRACT, "multiply": MULTIPLY, "divide": DIVIDE}


class Program(NamedTuple):
    """What a function of k numbers does: registers 0 to k - 1 are its arguments, k + i what row i gives."""

    ops: np.ndarray  #: (m, 3) int64: operation, registers of its operands
    numbers: Array  #: (m,) the constant, or the exponent, of rows that have one


class _Tape:
    def __init__(self, arguments: int, what: str) -> None:
        self.arguments, self.what = arguments, what
        self.ops: list[tuple[int, int, int]] = []
        self.numbers: list[float] = []

    def write(self, op: int, a: int = 0, b: int = 0, number: float = 0.0) -> Traced:
        self.ops.append((op, a, b))
        self.numbers.append(number)
        return Traced(self, self.arguments + len(self.ops) - 1)


class Traced:
    """A number that writes down what is done to it."""

    __slots__ = ("register", "tape")

    def __init__(self, tape: _Tape, register: int) -> None:
        self.tape, self.register = tape, register

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        name = ufunc.__name__
        if method != "__call__" or options:
            raise self._untraceable(f"np.{name}.{method}" if method != "__call__" else f"np.{name} with options")
        if name in _BINARY:
            a, b = (self._read(x) for x in inputs)
            return self.tape.write(_BINARY[name], a.register, b.register)
        if name in ("power", "float_power"):
            return self._power(*inputs)
        if name == "square":
            return inputs[0] * inputs[0]
        if name == "reciprocal":
            return 1.0 / inputs[0]
        if name == "positive":
            return inputs[0]
        if name not in UNARY:
            raise self._untraceable(f"np.{name}")
        return self.tape.write(FIRST_UNARY + UNARY.index(name), self._read(inputs[0]).register)

    def _read(self, value: Any) -> Traced:
        if isinstance(value, Traced):
            if value.tape is not self.tape:
                raise self._untraceable("a coordinate of another call, which it kept")
            return value
        array = np.asarray(value)
        if array.shape != () or array.dtype.kind not in "iufb" or not math.isfinite(float(array)):
            raise self._untraceable(f"{shown(value)} as an operand (only single finite numbers)")
        return self.tape.write(CONSTANT, number=float(array))

    def _power(self, base: Any, exponent: Any) -> Traced:
        if isinstance(exponent, Traced):
            if isinstance(base, Traced):
                raise self._untraceable("x ** y of two coordinates (write np.exp(y * np.log(x)))")
            return self._read(_apply(np.exp, exponent * math.log(float(base))))
        number = float(self._constant(exponent))
        if number == int(number) and 0 <= number <= 16:
            return self._whole_power(base, int(number))
        return self.tape.write(POWER, self._read(base).register, number=number)

    def _whole_power(self, base: Traced, exponent: int) -> Traced:
        """By products, regular at zero and below."""
        if exponent == 0:
            return self.tape.write(CONSTANT, number=1.0)
        out: Any = base
        for bit in bin(exponent)[3:]:
            out = out * out
            if bit == "1":
                out = out * base
        return self._read(out)

    def _constant(self, value: Any) -> float:
        try:
            return float(value)
        except (TypeError, ValueError):
            raise self._untraceable(f"{shown(value)} as an exponent") from None

    def _untraceable(self, what: str) -> ModelError:
        return ModelError(
            f"{self.tape.what} uses {what}, which cannot be traced; use + - * / **, and np.{', np.'.join(UNARY[1:])}"
        )

    def __add__(self, other: Any) -> Any:
        return _apply(np.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return _apply(np.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return _apply(np.subtract, self, other)

    def __rsub__(self, other: Any) -> Any:
        return _apply(np.subtract, other, self)

    def __mul__(self, other: Any) -> Any:
        return _apply(np.multiply, self, other)

    def __rmul__(self, other: Any) -> Any:
        return _apply(np.multiply, other, self)

    def __truediv__(self, other: Any) -> Any:
        return _apply(np.divide, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _apply(np.divide, other, self)

    def __pow__(self, other: Any) -> Any:
        return _apply(np.power, self, other)

    def __rpow__(self, other: Any) -> Any:
        return _apply(np.power, other, self)

    def __neg__(self) -> Any:
        return _apply(np.negative, self)

    def __pos__(self) -> Traced:
        return self

    def __bool__(self) -> bool:
        raise self._untraceable("a branch (if, min, max, abs) on a coordinate")

    def __float__(self) -> float:
        raise self._untraceable("a coordinate as a plain number (math.sin instead of np.sin?)")

    def _compared(self, other: Any) -> bool:
        raise self._untraceable("a comparison of a coordinate")

    __lt__ = __le__ = __gt__ = __ge__ = _compared


def _apply(ufunc: Any, *operands: Any) -> Any:
    """What `Traced.__array_ufunc__` makes of it: its type is not NumPy's."""
    return ufunc(*operands)


def trace(function: Callable[..., Any], count: int, what: str) -> Program:
    """The program of a function of ``count`` numbers that returns one; ``what`` begins messages."""
    tape = _Tape(count, what)
    try:
        found = function(*(Traced(tape, k) for k in range(count)))
    except ModelError:
        raise
    except Exception as cause:
        raise ModelError(f"{what} raised {type(cause).__name__} when it was traced: {cause}") from cause
    if isinstance(found, np.ndarray) and found.shape == ():
        found = found.item()
    if not isinstance(found, (Traced, int, float, np.floating, np.integer)) or isinstance(found, bool):
        raise ModelError(f"{what} returned {shown(found)}, must return one number")
    last = Traced(tape, 0)._read(found)
    if last.register != count + len(tape.ops) - 1:
        tape.write(POWER, last.register, number=1.0)  # the last row is the result
    return Program(np.array(tape.ops, dtype=np.int64).reshape(-1, 3), np.array(tape.numbers, dtype=float))


def inlined(outer: Program, count: int, parts: Sequence[tuple[Program, Sequence[int]]], size: int) -> Program:
    """A program of ``count`` numbers, each of which is itself a program of some of ``size`` others, as one of these."""
    ops: list[tuple[int, int, int]] = []
    numbers: list[float] = []

    def append(program: Program, registers: list[int]) -> int:
        for (op, a, b), number in zip(program.ops.tolist(), program.numbers.tolist(), strict=True):
            registers.append(size + len(ops))
            ops.append((op, registers[a] if op != CONSTANT else 0, registers[b] if ADD <= op <= DIVIDE else 0))
            numbers.append(number)
        return registers[-1]

    assert len(parts) == count
    inner = [append(program, list(arguments)) for program, arguments in parts]
    append(outer, inner)
    return Program(np.array(ops, dtype=np.int64).reshape(-1, 3), np.array(numbers, dtype=float))


#: The program that hands its only number on.
IDENTITY = Program(np.array([[POWER, 0, 0]], dtype=np.int64), np.array([1.0]))


def linear(weights: Array, offset: float) -> Program:
    """offset + sum of weights times arguments."""
    return trace(lambda *x: sum((w * y for w, y in zip(weights.tolist(), x, strict=True)), offset), len(weights), "sum")
