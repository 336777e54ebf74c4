"""Laws of time as programs that compiled loops evaluate (`core.time_laws`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from supple.core.time_laws import ADD, CONSTANT, DEPTH, MULTIPLY, PIECES, POLYNOMIAL, SINE, STORE
from supple.errors import ModelError
from supple.laws import Constant, Polynomial, Product, Ramp, Sine, Spline, Steps, Sum, Table

#: Laws that compiled loops know, besides sums and products of them.
ATOMS = (Constant, Ramp, Sine, Steps, Spline, Table, Polynomial)

#: An operation: code and three integers.
Operation = tuple[int, int, int, int]


class Program(NamedTuple):
    """Laws for `core.time_laws.evaluate_laws`."""

    ops: np.ndarray  #: (m, 4) integers
    numbers: np.ndarray  #: (k,) floats
    rows: int  #: how many scalars it gives


def is_compilable(law: Any) -> bool:
    """Whether compiled loops can evaluate a law: one of `supple.laws` itself, or sums and products of them.

    Subclasses and functions of your own are not: nobody knows what they compute.
    """
    if type(law) in (Sum, Product):
        return is_compilable(law.a) and is_compilable(law.b)
    return type(law) in ATOMS


def breaks_of(laws: Iterable[Any]) -> tuple[float, ...]:
    """Times [s] at which some law or its rate jumps, in order, each once; plain functions have none."""
    return tuple(sorted({float(t) for law in laws for t in getattr(law, "breaks", ())}))


def make_program(
    laws: Sequence[Callable[[float], Any]],
    sizes: Sequence[int],
    owners: Sequence[str] | None = None,
    after: Program | None = None,
) -> Program:
    """One program for several laws, whose rows stand one law after the other.

    Parameters
    ----------
    laws : sequence of laws
        Of `supple.laws`, see `is_compilable`.
    sizes : sequence of int
        How many rows each gives: 1 for a number, k for a vector (k,).
    owners : sequence of str, optional
        Whose law it is, for messages; "law 0", "law 1", ... if omitted.
    after : Program, optional
        Laws that are compiled already, whose rows come first.

    Raises
    ------
    ModelError
        If a law cannot be compiled, or does not give as many numbers as its size says.
    """
    names = [f"law {i}" for i in range(len(laws))] if owners is None else owners
    writer, row = _Writer(after), 0 if after is None else after.rows
    for law, size, name in zip(laws, sizes, names, strict=True):
        if not is_compilable(law):
            raise ModelError(
                f"{name}: {law!r} cannot be evaluated in compiled loops; "
                "use the laws of supple.laws, their sums and products"
            )
        shape = np.shape(law(0.0))
        if shape != (size,) and (size > 1 or shape != ()):
            raise ModelError(f"{name}: {type(law).__name__} has values of shape {shape}, must give {size} numbers")
        for i in range(size):
            ops, depth = writer.operations(law, i)
            if depth > DEPTH:
                raise ModelError(f"{name}: sums and products are nested too deeply for compiled loops")
            writer.ops += [*ops, (STORE, row, 0, 0)]
            row += 1
    return writer.program(row)


class _Writer:
    """Operations and numbers written so far, behind those of another program."""

    def __init__(self, after: Program | None) -> None:
        self.ops: list[Operation] = []
        self._after = after
        self._numbers: list[Any] = [] if after is None else [after.numbers]
        self._count = 0 if after is None else len(after.numbers)
        self._times: dict[int, int] = {}  # where the times of a table stand, by its id: its components share them

    def program(self, rows: int) -> Program:
        """What was written."""
        ops = np.array(self.ops, dtype=np.int64).reshape(-1, 4)
        if self._after is not None:
            ops = np.concatenate([self._after.ops, ops])
        return Program(ops, np.concatenate([*self._numbers, np.zeros(0)]), rows)

    def operations(self, law: Any, i: int) -> tuple[list[Operation], int]:
        """Operations that push component ``i`` of a law, and how many entries of the stack they need."""
        if isinstance(law, (Sum, Product)):
            (first, need), (second, other) = self.operations(law.a, i), self.operations(law.b, i)
            if need < other:  # the deeper one first: the other then waits for none of its entries
                first, need, second, other = second, other, first, need
            code = ADD if isinstance(law, Sum) else MULTIPLY
            return [*first, *second, (code, 0, 0, 0)], max(need, other + 1)
        return [self._atom(law, i)], 1

    def _atom(self, law: Any, i: int) -> Operation:
        if isinstance(law, Constant):
            return CONSTANT, self._add([_entry(law.value, i)]), 0, 0
        if isinstance(law, Sine):
            amplitude, phase, offset = (_entry(x, i) for x in (law.amplitude, law.phase, law.offset))
            return SINE, self._add([amplitude, 2.0 * math.pi * law.frequency, phase, offset]), 0, 0
        if isinstance(law, Polynomial):
            begin, end = (-math.inf, math.inf) if law.t1 is None else (law.t0, law.t1)
            span = self._add([law.t0, begin, end])
            coefficients = _column(law.coefficients, i)
            return POLYNOMIAL, span, len(coefficients), self._add(coefficients)
        times, pieces, last = _pieces(law, i)
        if id(law) not in self._times:
            self._times[id(law)] = self._add(times)
        first = self._add(pieces.ravel())
        self._add([last])
        return PIECES, self._times[id(law)], len(times), first

    def _add(self, numbers: Sequence[float] | np.ndarray) -> int:
        """Where these numbers (k,) now stand."""
        self._numbers.append(numbers)
        self._count += len(numbers)
        return self._count - len(numbers)


def _pieces(law: Any, i: int) -> tuple[Sequence[float], np.ndarray, float]:
    """Times (m,), coefficients (m - 1, 4) of the cubics between them, lowest first, and the value after the last."""
    if isinstance(law, Ramp):
        start, end = _entry(law.start, i), _entry(law.end, i)
        return (law.t0, law.t1), np.array([[start, (end - start) / (law.t1 - law.t0), 0.0, 0.0]]), end
    values = _column(law.values, i)
    pieces = np.zeros((len(values) - 1, 4))
    pieces[:, 0] = values[:-1]
    if isinstance(law, Spline):
        coefficients = law.coefficients
        pieces[:] = (coefficients if coefficients.ndim == 2 else coefficients[..., i])[::-1].T
    elif isinstance(law, Table) and not law.hold:
        pieces[:, 1] = _column(law.slopes, i)
    return law.times, pieces, float(values[-1])


def _entry(value: Any, i: int) -> float:
    """Entry i of an array; a number stands for all of its entries."""
    return float(value if np.ndim(value) == 0 else value[i])


def _column(values: Any, i: int) -> np.ndarray:
    """Component i of values (m,) or (m, k)."""
    return np.asarray(values if np.ndim(values) == 1 else values[:, i])
