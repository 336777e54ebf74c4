"""Functions that are traced, as lists of plain operations: what kinematics and energies of users are in a file.

A NumPy function that a robot runs once on symbols (`supple.tracing`) is no more than the operations that it did.  Files
hold these; run again, they give the same symbols in the same order, and with them the same model to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, prod
from typing import Any

import numpy as np

from supple.checks import flag, names, shown, whole_number
from supple.errors import ModelError
from supple.tracing import operations as op
from supple.tracing.program import as_symbols
from supple.tracing.symbols import CONSTANT, MATERIAL, Graph, Symbol, Symbols

#: Names of operations, and how many operands each has.
OPERATIONS: dict[str, tuple[int, int]] = {
    "add": (op.ADD, 2),
    "subtract": (op.SUBTRACT, 2),
    "multiply": (op.MULTIPLY, 2),
    "divide": (op.DIVIDE, 2),
    "negative": (op.NEGATIVE, 1),
    "sin": (op.SIN, 1),
    "cos": (op.COS, 1),
    "tan": (op.TAN, 1),
    "exp": (op.EXP, 1),
    "log": (op.LOG, 1),
    "sqrt": (op.SQRT, 1),
    "tanh": (op.TANH, 1),
    "sinh": (op.SINH, 1),
    "cosh": (op.COSH, 1),
    "arcsin": (op.ARCSIN, 1),
    "arccos": (op.ARCCOS, 1),
    "arctan": (op.ARCTAN, 1),
    "power": (op.POWER, 2),
    "absolute": (op.ABSOLUTE, 1),
    "bessel": (op.BESSEL, 2),
    "rooted": (op.ROOTED, 2),
    "less": (op.LESS, 2),
    "less_equal": (op.LESS_EQUAL, 2),
    "where": (op.WHERE, 3),
    "arctan2": (op.ARCTAN2, 2),
    "sign": (op.SIGN, 1),
}
_NAMES = {code: name for name, (code, _) in OPERATIONS.items()}

#: Operations whose second operand is a constant: an exponent, an order.
_FIXED = (op.POWER, op.BESSEL, op.ROOTED)

#: Most operations, inputs and results of a formula; highest order of a Bessel function that one may begin with.
MOST_ROWS, MOST_NUMBERS, MOST_ORDER = 20_000, 1000, 10


@dataclass(frozen=True, eq=False)
class Formula:
    """A function as a list of operations.

    Parameters
    ----------
    inputs : sequence of shapes
        Of its arguments; ``[]`` is a number.
    rows : sequence of [operation, operands...]
        An operand counts the numbers of all arguments from 0 on, then the rows. ``[constant, 2.0]`` has a number.
    results : sequence of int
        Which of them are its results.
    shape : sequence of int
        Of the result; ``[]`` is a number.
    by_name : sequence of str
        Further arguments, numbers that are given by name; they come behind the others.
    labels : sequence of str, optional
        Names of coordinates, where it is the kinematics of a body.
    rigid_sections : bool
        Whether these kinematics leave sections as they are.

    Examples
    --------
    >>> square = Formula([[2]], [["multiply", 0, 0], ["add", 2, 1]], [3])
    >>> square(np.array([3.0, 1.0]))
    10.0
    """

    inputs: Sequence[Sequence[int]]
    rows: Sequence[Sequence[Any]]
    results: Sequence[int]
    shape: Sequence[int] = ()
    by_name: Sequence[str] = ()
    labels: Sequence[str] | None = None
    rigid_sections: bool = False

    def __post_init__(self) -> None:
        shapes = tuple(_shape(shape, f"Formula: input {i}") for i, shape in enumerate(_listed(self.inputs, "inputs")))
        object.__setattr__(self, "inputs", shapes)
        object.__setattr__(self, "shape", _shape(self.shape, "Formula: shape"))
        if self.by_name:
            object.__setattr__(self, "by_name", names(self.by_name, "Formula: by_name"))
        if self.labels is not None:
            object.__setattr__(self, "labels", names(self.labels, "Formula: labels"))
        object.__setattr__(self, "rigid_sections", flag(self.rigid_sections, "Formula: rigid_sections"))
        rows = _listed(self.rows, "rows")
        if len(rows) > MOST_ROWS or self.count > MOST_NUMBERS:
            raise ModelError(f"Formula: has {len(rows)} rows and {self.count} inputs, at most {MOST_ROWS} are possible")
        constants: set[int] = set()
        object.__setattr__(self, "rows", tuple(self._row(row, i, constants) for i, row in enumerate(rows)))
        known, results = self.count + len(rows), _listed(self.results, "results")
        if len(results) != prod(self.shape) or not all(type(r) is int and 0 <= r < known for r in results):
            wanted = f"{prod(self.shape)} numbers from 0 to {known - 1}"
            raise ModelError(f"Formula: results are {shown(results)}, must be {wanted}")
        object.__setattr__(self, "results", tuple(results))

    @property
    def count(self) -> int:
        """Number of numbers that come in."""
        return sum(prod(shape) for shape in self.inputs) + len(self.by_name)

    def _row(self, row: Any, i: int, constants: set[int]) -> tuple[Any, ...]:
        """A row, checked: whoever runs it trusts it."""
        words = _listed(row, f"row {i}")
        known, operation = self.count + i, words[0] if words else None
        if operation == "constant":
            number = words[1] if len(words) == 2 else None
            if isinstance(number, bool) or not isinstance(number, (int, float)) or not isfinite(number):
                raise ModelError(f"Formula: row {i} is {shown(words)}, must be a constant, a finite number")
            constants.add(known)
            return "constant", float(number)
        if not isinstance(operation, str) or operation not in OPERATIONS:
            raise ModelError(f"Formula: row {i} has no operation {shown(operation)}; there are {', '.join(OPERATIONS)}")
        code, operands = OPERATIONS[operation]
        given = words[1:]
        if len(given) != operands or not all(type(k) is int and 0 <= k < known for k in given):
            wanted = f"{operands}, each from 0 to {known - 1}"
            raise ModelError(f"Formula: row {i}, {operation}, has the operands {shown(given)}, must have {wanted}")
        if code in _FIXED and given[1] not in constants:
            raise ModelError(f"Formula: row {i}, {operation}: its second operand must be a constant")
        if code in (op.BESSEL, op.ROOTED):
            first = self.rows[given[1] - self.count][1]
            if first not in range(MOST_ORDER + 1):
                raise ModelError(f"Formula: row {i}, {operation}: order {shown(first)}, must be 0 to {MOST_ORDER}")
        return operation, *given

    def __call__(self, *arguments: Any, **by_name: Any) -> Any:
        """Its result, of numbers or of symbols."""
        if len(arguments) != len(self.inputs) or set(by_name) != set(self.by_name):
            wanted = [*map(list, self.inputs), *self.by_name]
            raise ModelError(f"a formula of {wanted} was given {len(arguments)} arguments and {shown(list(by_name))}")
        values: list[Any] = []
        for i, (argument, shape) in enumerate(zip(arguments, self.inputs, strict=True)):
            if np.shape(argument) != shape:
                raise ModelError(f"argument {i} of a formula has shape {np.shape(argument)}, must be {shape}")
            values += [argument] if shape == () else list(np.asarray(argument).ravel())
        values += [by_name[name] for name in self.by_name]
        graph = next((value.graph for value in values if isinstance(value, Symbol)), None)
        with np.errstate(all="ignore"):
            for operation, *given in self.rows:
                if operation == "constant":
                    values.append(given[0] if graph is None else graph.constant(given[0]))
                    continue
                code, operands = OPERATIONS[operation][0], [values[k] for k in given]
                values.append(op.EVALUATE[code](*operands) if graph is None else _applied(graph, code, operands))
        found = [values[k] for k in self.results]
        if self.shape == ():
            return found[0] if graph is not None else float(found[0])
        made = np.empty(len(found), dtype=object if graph is not None else float)
        made[:] = found
        return (made if graph is None else made.view(Symbols)).reshape(tuple(self.shape))

    def __fingerprint__(self) -> Any:
        return self.inputs, self.rows, self.results, self.shape, self.by_name


def _applied(graph: Graph, code: int, operands: list[Any]) -> Symbol:
    """An operation on symbols.  A product with 1 stays one: numbers drawn together left it (`Graph.multiple`)."""
    if code == op.MULTIPLY:
        for one, other in (operands, operands[::-1]):
            if isinstance(one, Symbol) and isinstance(other, Symbol) and graph.value(one.index) == 1.0:
                return graph.multiple(1.0, other.index)
    return graph.apply(code, *operands)


def _listed(value: Any, what: str) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise ModelError(f"Formula: {what} is {shown(value)}, must be a list")
    return list(value)


def _shape(value: Any, what: str) -> tuple[int, ...]:
    sizes = tuple(whole_number(size, what, 1) for size in _listed(value, what))
    if prod(sizes) > MOST_NUMBERS:
        raise ModelError(f"{what} is {shown(value)}, must have {MOST_NUMBERS} entries at most")
    return sizes


def formula(
    function: Callable[..., Any], inputs: Sequence[tuple[int, ...]], shape: tuple[int, ...], by_name: Sequence[str] = ()
) -> Formula | None:
    """A function as a formula; None if it cannot be traced, or is known by more than its value."""
    graph = Graph()
    count = sum(prod(size) for size in inputs) + len(by_name)
    leaves = graph.inputs(MATERIAL, count)
    arguments, first = [], 0
    for size in inputs:
        part = leaves[first : first + prod(size)]
        arguments.append(part.reshape(size) if size else part[0])
        first += prod(size)
    try:
        result = function(*arguments, **dict(zip(by_name, leaves[first:], strict=True)))
        found = as_symbols(graph, np.reshape(np.array(result, dtype=object), shape), shape, "formula")
    except Exception:  # whatever a user's function raises: those who run it will tell
        return None
    rows = [_plain_row(row) for row in graph.rows[count:]]
    if len(rows) > MOST_ROWS or any(row is None for row in rows):
        return None
    labels, rigid = getattr(function, "labels", None), bool(getattr(function, "rigid_sections", False))
    return Formula(inputs, rows, [s.index for s in np.ravel(found)], shape, by_name, labels, rigid)  # type: ignore[arg-type]


def _plain_row(row: tuple[Any, ...]) -> list[Any] | None:
    """A row of a graph; None for what files do not hold: infinite constants, values on a mesh."""
    code, *given = row
    if code == CONSTANT:
        return ["constant", float(given[0])] if isfinite(given[0]) else None
    return [_NAMES[code], *given] if code in _NAMES else None


def as_formula(owner: Any, kind: str, field: str, named: Callable[[Any], bool]) -> Any:
    """What a field of an object holds, with formulas in place of functions that are traced and not ``named``."""
    value = getattr(owner, field)
    if field == "modes" and kind in ("Stretch", "Twist", "Shear", "Bend", "Source"):
        return tuple(mode if named(mode) else _mode(mode) for mode in value)
    if (kind, field) not in _SHAPES or named(value) or isinstance(value, Formula):
        return value
    inputs, shape = _SHAPES[kind, field](owner)
    by_name = tuple(owner.given) if kind == "StrainEnergy" else ()
    return formula(value, inputs, shape, by_name) or value


#: Shapes of arguments and result of functions that are traced, by kind and field.
_SHAPES: dict[tuple[str, str], Callable[[Any], tuple[list[tuple[int, ...]], tuple[int, ...]]]] = {
    ("SoftBody", "kinematics"): lambda body: ([(3,), (body.n,)], (3,)),
    ("EnergyDensity", "function"): lambda material: ([(3, 3)], ()),
    ("StrainEnergy", "function"): lambda law: ([(6,), (6, 6), ()], ()),
}


def _mode(mode: Any) -> Any:
    """A mode as a formula, unless it knows its integral, too."""
    return mode if isinstance(mode, Formula) or hasattr(mode, "integral") else formula(mode, [()], ()) or mode
