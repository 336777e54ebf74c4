"""Symbols: numbers that remember how they were made.  NumPy's functions work on them and on arrays of them.

A `Graph` holds every operation once: equal ones are the same symbol, constants are folded, x + 0 and 1 x vanish.
A `Symbol` is a number; arrays of them are `Symbols`, of dtype object, on which NumPy calls the methods of `Symbol`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.errors import ModelError
from supple.tracing import operations as op

#: Kinds of leaves of a graph: a constant, a material coordinate x_i, a coordinate q_j, a function of the material point
#: that is known by its values (`sampled`).
CONSTANT, MATERIAL, COORDINATE, SAMPLED = -1, -2, -3, -4

#: What to write instead of what cannot be traced.
REMEDIES = {
    "where": "a condition may depend on the material point x only",
    "maximum": "write a smooth function, such as 0.5 * (a + b + np.sqrt((a - b)**2 + e**2))",
    "minimum": "write a smooth function, such as 0.5 * (a + b - np.sqrt((a - b)**2 + e**2))",
    "clip": "write smooth functions, such as e * np.tanh(q / e)",
    "remainder": "kinematics must be smooth; sin and cos are periodic",
    "floor_divide": "kinematics must be smooth",
    "round": "kinematics must be smooth",
    "rint": "kinematics must be smooth",
    "solve": "write np.linalg.inv(A) @ b, of 3x3 matrices",
    "floor": "kinematics must be smooth",
    "ceil": "kinematics must be smooth",
    "trunc": "kinematics must be smooth",
    "interp": "write a polynomial, or sums of smooth functions",
    "arctan2": "np.arctan2 may depend on the material point x only; of q, write np.arctan(y / x)",
    "a comparison": "write a smooth function, such as 0.5 * (1.0 + np.tanh(q / e)), or compare what depends on x alone",
    "zeros": "make arrays of results by np.stack or np.array, not by writing into np.zeros",
}


class Graph:
    """All operations of a traced function, arguments before results."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []  #: (code, arguments...): indices, or a value or number of a leaf
        self.of_q: list[bool] = []  #: whether each depends on coordinates q
        self.of_x: list[bool] = []  #: and on the material point x
        self.sources: list[Any] = []  #: of leaves that are SAMPLED
        self._known: dict[tuple[Any, ...], int] = {}

    def sample(self, source: Any, which: tuple[int, ...], columns: tuple[int, ...]) -> Symbol:
        """A leaf: values of a source at the material point whose coordinates are these (`sampled`)."""
        numbers = [k for k, known in enumerate(self.sources) if known is source]
        if not numbers:
            self.sources.append(source)
        return self.make((SAMPLED, numbers[0] if numbers else len(self.sources) - 1, which, columns), True, False)

    def make(self, row: tuple[Any, ...], of_x: bool, of_q: bool) -> Symbol:
        """The symbol of an operation, a new one unless it is known."""
        index = self._known.get(row)
        if index is None:
            index = self._known[row] = len(self.rows)
            self.rows.append(row)
            self.of_x.append(of_x)
            self.of_q.append(of_q)
        return Symbol(self, index)

    def own(self, symbol: Symbol) -> Symbol:
        """A symbol that must be one of this graph."""
        if symbol.graph is not self:
            raise ModelError(
                "a traced function met x or q of another call: it must be made of its own arguments alone, and keep "
                "nothing of them between calls"
            )
        return symbol

    def constant(self, value: float) -> Symbol:
        """A number."""
        return self.make((CONSTANT, float(value) + 0.0), False, False)

    def inputs(self, kind: int, count: int) -> Symbols:
        """``count`` leaves of a kind: MATERIAL or COORDINATE."""
        return symbols([self.make((kind, i), kind == MATERIAL, kind == COORDINATE) for i in range(count)])

    def value(self, index: int) -> float | None:
        """The number that a symbol is; None if it is none."""
        row = self.rows[index]
        return row[1] if row[0] == CONSTANT else None

    def scaled(self, index: int) -> tuple[float, int]:
        """A symbol as a number times another symbol."""
        row = self.rows[index]
        if row[0] == op.NEGATIVE:
            return -1.0, row[1]
        if row[0] == op.MULTIPLY:
            for constant, other in ((row[1], row[2]), (row[2], row[1])):
                value = self.value(constant)
                if value is not None:
                    return value, other
        return 1.0, index

    def multiple(self, factor: float, index: int) -> Symbol:
        """A number times a symbol; it stays a product if the number happens to be 1."""
        pair = sorted((self.constant(factor).index, index))
        return self.make((op.MULTIPLY, *pair), self.of_x[index], self.of_q[index])

    def apply(self, code: int, *arguments: Any) -> Symbol:
        """An operation on symbols and numbers."""
        given = [self.own(a) if isinstance(a, Symbol) else self.constant(_number(a)) for a in arguments]
        of_x, of_q = any(self.of_x[a.index] for a in given), any(self.of_q[a.index] for a in given)
        if code >= op.TABULATED and of_q:
            raise untraceable({op.WHERE: "where", op.ARCTAN2: "arctan2"}.get(code, "a comparison"), "of coordinates q")
        values = [self.value(a.index) for a in given]
        if not (of_x or of_q):
            with np.errstate(all="ignore"):
                return self.constant(op.EVALUATE[code](*[np.float64(v) for v in values if v is not None]))
        if code == op.DIVIDE and values[0] != 0.0:
            return self.apply(op.MULTIPLY, given[0], self.apply(op.POWER, given[1], -1.0))
        simple = _simplified(code, given, values)
        if simple is not None:
            return simple
        indices = [a.index for a in given]
        if code in (op.ADD, op.MULTIPLY):
            indices.sort()
        return self.make((code, *indices), of_x, of_q)


def _simplified(code: int, given: list[Symbol], values: list[float | None]) -> Symbol | None:
    """x + 0, x - 0, 0 x, 1 x, 0 / x, x^1; None if there is nothing to simplify."""
    a, b = given[0], given[-1]
    first, second = values[0], values[-1]
    if code == op.ADD:
        return b if first == 0.0 else a if second == 0.0 else None
    if code == op.SUBTRACT:
        return a if second == 0.0 else -b if first == 0.0 else a.graph.constant(0.0) if a.index == b.index else None
    if code == op.MULTIPLY:
        if first == 0.0 or second == 0.0:
            return a.graph.constant(0.0)
        return _product(a, b, first, second)
    if code == op.DIVIDE:
        return a.graph.constant(0.0)  # 0 / x
    if code == op.POWER:
        if second == 0.0:
            return a.graph.constant(1.0)
        if second == 2.0:
            return a.graph.apply(op.MULTIPLY, a, a)
        return a if second == 1.0 else a.sqrt() if second == 0.5 else None
    if code == op.NEGATIVE and a.graph.rows[a.index][0] == op.NEGATIVE:
        return Symbol(a.graph, a.graph.rows[a.index][1])
    return None


def _product(a: Symbol, b: Symbol, first: float | None, second: float | None) -> Symbol | None:
    """Numbers drawn out of a product, so that what differs by them alone is done once: (c x)(d y) = (c d)(x y)."""
    graph = a.graph
    for factor, other in ((first, b), (second, a)):
        if factor is not None:
            inner, rest = graph.scaled(other.index)
            if abs(factor) == 1.0:
                return other if factor == 1.0 else -other
            return None if rest == other.index else graph.multiple(factor * inner, rest)
    (c, x), (d, y) = graph.scaled(a.index), graph.scaled(b.index)
    if x == a.index and y == b.index:
        return None
    product = graph.apply(op.MULTIPLY, Symbol(graph, x), Symbol(graph, y))
    if c in (1.0, -1.0) and d in (1.0, -1.0):
        return product if c == d else -product
    inner, rest = graph.scaled(product.index)
    return graph.multiple(c * d * inner, rest)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise ModelError(f"a traced function met {type(value).__name__}, must be a real number or array") from error


def sampled(source: Any, which: tuple[int, ...], x: Any) -> Symbol:
    """A function of the material point x (3,) that is known by its values, such as those on a mesh.

    ``source.values(points (m, 3), which)`` gives them, (m,), and ``source.slope(which, axis)`` says which of them are
    the slopes of these along an axis, or None if they have none.
    """
    rows = [s.graph.rows[s.index] for s in x if isinstance(s, Symbol)]
    if len(rows) != 3 or any(row[0] != MATERIAL for row in rows):
        raise ModelError("modes on a mesh are functions of the material point x itself, not of what becomes of it")
    graph: Graph = x[0].graph
    return graph.sample(source, which, tuple(row[1] for row in rows))


def untraceable(name: str, how: str = "") -> ModelError:
    """The error that names what cannot be traced, and what to write instead."""
    remedy = REMEDIES.get(name, "write it with arithmetic, powers, sin, cos, exp, log, sqrt, tanh, sinc, stack and @")
    return ModelError(f"np.{name} {how}{' ' if how else ''}cannot be traced; {remedy}".replace("np.a c", "a c"))


class Symbol:
    """A number that remembers how it was made."""

    __slots__ = ("graph", "index")
    __array_priority__ = 1000.0

    def __init__(self, graph: Graph, index: int) -> None:
        self.graph, self.index = graph, index

    def _two(self, code: int, a: Any, b: Any) -> Any:
        if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
            return NotImplemented  # elementwise, by the array
        return self.graph.apply(code, a, b)

    def __add__(self, other: Any) -> Any:
        return self._two(op.ADD, self, other)

    def __radd__(self, other: Any) -> Any:
        return self._two(op.ADD, other, self)

    def __sub__(self, other: Any) -> Any:
        return self._two(op.SUBTRACT, self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._two(op.SUBTRACT, other, self)

    def __mul__(self, other: Any) -> Any:
        return self._two(op.MULTIPLY, self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._two(op.MULTIPLY, other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._two(op.DIVIDE, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._two(op.DIVIDE, other, self)

    def __pow__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if isinstance(other, Symbol) and other.graph.value(other.index) is None:
            return (other * self.log()).exp()
        return self.graph.apply(op.POWER, self, other)

    def __rpow__(self, other: Any) -> Any:
        return (self * float(np.log(_number(other)))).exp()

    def __neg__(self) -> Symbol:
        return self.graph.apply(op.NEGATIVE, self)

    def __pos__(self) -> Symbol:
        return self

    def __abs__(self) -> Symbol:
        return self.graph.apply(op.ABSOLUTE, self)

    def __lt__(self, other: Any) -> Any:
        return self._two(op.LESS, self, other)

    def __le__(self, other: Any) -> Any:
        return self._two(op.LESS_EQUAL, self, other)

    def __gt__(self, other: Any) -> Any:
        return self._two(op.LESS, other, self)

    def __ge__(self, other: Any) -> Any:
        return self._two(op.LESS_EQUAL, other, self)

    def __and__(self, other: Any) -> Any:
        return self * other

    def __invert__(self) -> Symbol:
        return self.graph.apply(op.SUBTRACT, 1.0, self)

    def __or__(self, other: Any) -> Any:
        return ~(~self & ~other)

    def __bool__(self) -> bool:
        raise ModelError(
            "`if`, `and`, `or` and `while` on x or q cannot be traced: the function is run once, for all points; "
            "write np.where with a condition on x, or a smooth function"
        )

    def __float__(self) -> float:
        value = self.graph.value(self.index)
        if value is None:
            raise ModelError(
                "a number that depends on x or q was taken for a float, which cannot be traced: use NumPy's functions, "
                "not those of math, and make arrays by np.stack or np.array, not by writing into np.zeros"
            )
        return value

    def __int__(self) -> int:
        return int(float(self))

    def __floor__(self) -> int:
        raise untraceable("floor")

    def __ceil__(self) -> int:
        raise untraceable("ceil")

    def __trunc__(self) -> int:
        raise untraceable("trunc")

    def __hash__(self) -> int:
        return hash((id(self.graph), self.index))

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, Symbol):
            return self.graph is other.graph and self.index == other.index
        raise ModelError("== on x or q cannot be traced: compare by < or <=, and only numbers that depend on x")

    def item(self) -> Symbol:
        """Itself: it is one number."""
        return self

    def conjugate(self) -> Symbol:
        """Itself: it is real."""
        return self

    @property
    def real(self) -> Symbol:
        """Itself."""
        return self

    # NumPy calls these methods by the names of its functions
    def _one(self, code: int) -> Symbol:
        return self.graph.apply(code, self)

    def sin(self) -> Symbol:
        """numpy.sin."""
        return self._one(op.SIN)

    def cos(self) -> Symbol:
        """numpy.cos."""
        return self._one(op.COS)

    def tan(self) -> Symbol:
        """numpy.tan."""
        return self._one(op.TAN)

    def exp(self) -> Symbol:
        """numpy.exp."""
        return self._one(op.EXP)

    def log(self) -> Symbol:
        """numpy.log."""
        return self._one(op.LOG)

    def sqrt(self) -> Symbol:
        """numpy.sqrt."""
        return self._one(op.SQRT)

    def tanh(self) -> Symbol:
        """numpy.tanh."""
        return self._one(op.TANH)

    def sinh(self) -> Symbol:
        """numpy.sinh."""
        return self._one(op.SINH)

    def cosh(self) -> Symbol:
        """numpy.cosh."""
        return self._one(op.COSH)

    def arcsin(self) -> Symbol:
        """numpy.arcsin."""
        return self._one(op.ARCSIN)

    def arccos(self) -> Symbol:
        """numpy.arccos."""
        return self._one(op.ARCCOS)

    def arctan(self) -> Symbol:
        """numpy.arctan."""
        return self._one(op.ARCTAN)

    def arctan2(self, other: Any) -> Symbol:
        """numpy.arctan2."""
        return self.graph.apply(op.ARCTAN2, self, other)

    def sinc(self) -> Symbol:
        """sin(x)/x, without the factor pi of `numpy.sinc`; of a root, as a function of what is under it.

        The root itself has no derivative at zero, but sin(sqrt(y))/sqrt(y) has all of them.
        """
        scale, root = self.graph.scaled(self.index)
        row = self.graph.rows[root]
        if row[0] == op.SQRT:
            return self.graph.apply(op.ROOTED, Symbol(self.graph, row[1]) * (scale * scale), 0.0)
        return self.graph.apply(op.BESSEL, self, 0.0)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from supple.tracing.functions import apply_ufunc  # late: it knows symbols

        return apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        from supple.tracing.functions import apply_function

        return apply_function(function, arguments, options)


class Symbols(np.ndarray):
    """An array of symbols (and plain numbers)."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from supple.tracing.functions import apply_ufunc  # late: it knows symbols

        return apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        from supple.tracing.functions import apply_function

        return apply_function(function, arguments, options)


def symbols(values: Any) -> Symbols:
    """An array of symbols from nested lists."""
    return np.array(values, dtype=object).view(Symbols)


def shaped(flat: list[Symbol], shape: tuple[int, ...]) -> Symbols:
    """An array of symbols of one shape."""
    made = np.empty(len(flat), dtype=object)
    made[:] = flat
    return made.reshape(shape).view(Symbols)
