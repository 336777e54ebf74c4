"""Derivatives of traced functions by the material point or by a coordinate, as further symbols of the same graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from supple.tracing import operations as op
from supple.tracing.elimination import RESULTS, Elimination
from supple.tracing.symbols import CONSTANT, COORDINATE, MATERIAL, SAMPLED, Graph, Symbol, Symbols, shaped

#: Slope of an operation of one argument, from its argument and its result.
SLOPES: dict[int, Callable[[Any, Any], Any]] = {
    op.NEGATIVE: lambda a, y: -1.0,
    op.SIN: lambda a, y: a.cos(),
    op.COS: lambda a, y: -a.sin(),
    op.TAN: lambda a, y: 1.0 + y * y,
    op.EXP: lambda a, y: y,
    op.LOG: lambda a, y: 1.0 / a,
    op.SQRT: lambda a, y: 0.5 / y,
    op.TANH: lambda a, y: 1.0 - y * y,
    op.SINH: lambda a, y: a.cosh(),
    op.COSH: lambda a, y: a.sinh(),
    op.ARCSIN: lambda a, y: 1.0 / (1.0 - a * a).sqrt(),
    op.ARCCOS: lambda a, y: -1.0 / (1.0 - a * a).sqrt(),
    op.ARCTAN: lambda a, y: 1.0 / (1.0 + a * a),
    op.SIGN: lambda a, y: 0.0,
}


def slope(outputs: Symbols, kind: int, number: int) -> Symbols:
    """d outputs / d a leaf: the material coordinate (MATERIAL) or the coordinate (COORDINATE) of that number."""
    flat = outputs.ravel()
    graph = next(s.graph for s in flat if isinstance(s, Symbol))
    known: dict[int, Any] = {}
    for index in ancestors(graph, [s.index for s in flat if isinstance(s, Symbol)]):
        known[index] = _slope(graph, index, (kind, number), known)
    slopes = [known[s.index] if isinstance(s, Symbol) else 0.0 for s in flat]
    made = [x if isinstance(x, Symbol) else graph.constant(x) for x in slopes]
    return shaped(made, outputs.shape)


def slopes_by(outputs: Symbols, kind: int, count: int) -> Symbols:
    """d outputs / d all leaves of a kind, of numbers 0 to ``count`` - 1: (*shape of outputs, count).

    All at once, by elimination (`supple.tracing.elimination`): shorter than one `slope` after the other.
    """
    flat = list(outputs.ravel())
    graph = flat[0].graph
    arguments: dict[int, dict[int, Any]] = {}
    for index in ancestors(graph, [s.index for s in flat]):
        found = _arguments(graph, index, kind, arguments)
        if found:
            arguments[index] = found
    inside = list(arguments)
    for i, symbol in enumerate(flat):
        arguments[RESULTS - i] = {symbol.index: 1.0} if symbol.index in arguments else {}
    elimination = Elimination(_Arithmetic(), arguments)
    elimination.run(inside)
    rows = [elimination.arguments[RESULTS - i] for i in range(len(flat))]
    slopes = [row.get(-1 - j, 0.0) for row in rows for j in range(count)]
    return shaped([x if isinstance(x, Symbol) else graph.constant(x) for x in slopes], (*outputs.shape, count))


def gradient_by_material(outputs: Symbols) -> Symbols:
    """The deformation gradient: (3, 3), entry (i, k) = d outputs_i / d x_k."""
    return slopes_by(outputs, MATERIAL, 3)


class _Arithmetic:
    """Sums and products of symbols and floats, as `Elimination` asks for them; None is zero."""

    def add(self, a: Any, b: Any) -> Any:
        total = b if a is None else a if b is None else a + b
        return None if _is_zero(total) else total

    def multiply(self, a: Any, b: Any) -> Any:
        return a * b


def _is_zero(value: Any) -> bool:
    number = value.graph.value(value.index) if isinstance(value, Symbol) else value
    return number is not None and bool(number == 0.0)


def _arguments(graph: Graph, index: int, kind: int, moving: dict[int, Any]) -> dict[int, Any]:
    """Slopes of a symbol by those of its arguments that move with leaves of a kind; leaf j of it is -1 - j."""
    code, *rest = graph.rows[index]
    if code == kind:
        return {-1 - rest[0]: 1.0}
    if code == SAMPLED and kind == MATERIAL:
        made = {-1 - j: _slope(graph, index, (kind, j), {}) for j in rest[2]}
        return {j: x for j, x in made.items() if not _is_zero(x)}
    if code < 0:
        return {}
    parts = {a: _slope(graph, index, (kind, 0), {b: float(a == b) for b in rest}) for a in rest if a in moving}
    return {a: x for a, x in parts.items() if not _is_zero(x)}


def ancestors(graph: Graph, roots: list[int]) -> list[int]:
    """All that the roots are made of, arguments before results."""
    needed, stack = set(), list(roots)
    while stack:
        index = stack.pop()
        if index not in needed:
            needed.add(index)
            row = graph.rows[index]
            if row[0] >= 0:
                stack += row[1:]
    return sorted(needed)


def _slope(graph: Graph, index: int, leaf: tuple[int, int], known: dict[int, Any]) -> Any:
    """One step of the forward rule."""
    code, *rest = graph.rows[index]
    if code == CONSTANT:
        return 0.0
    if code in (MATERIAL, COORDINATE):
        return 1.0 if (code, rest[0]) == leaf else 0.0
    if code == SAMPLED:
        source, which, columns = graph.sources[rest[0]], rest[1], rest[2]
        along = source.slope(which, columns.index(leaf[1])) if leaf[0] == MATERIAL and leaf[1] in columns else None
        return 0.0 if along is None else graph.sample(source, along, columns)
    given, slopes = [Symbol(graph, i) for i in rest], [known[i] for i in rest]
    y = Symbol(graph, index)
    if code in (op.ADD, op.SUBTRACT):
        return slopes[0] + slopes[1] if code == op.ADD else slopes[0] - slopes[1]
    if code == op.MULTIPLY:
        return slopes[0] * given[1] + given[0] * slopes[1]
    if code in (op.LESS, op.LESS_EQUAL):
        return 0.0
    if code == op.WHERE:
        return graph.apply(op.WHERE, given[0], slopes[1], slopes[2])
    if code == op.ARCTAN2:
        a, b = given
        return (b * slopes[0] - a * slopes[1]) / (a * a + b * b)
    if isinstance(slopes[0], float) and slopes[0] == 0.0:
        return 0.0
    if code == op.POWER:
        return slopes[0] * given[1] * given[0] ** (float(given[1]) - 1.0)
    if code == op.ABSOLUTE:
        return slopes[0] * graph.apply(op.DIVIDE, given[0], y)
    if code == op.BESSEL:
        return -slopes[0] * given[0] * graph.apply(op.BESSEL, given[0], float(given[1]) + 1.0)
    if code == op.ROOTED:
        return -0.5 * slopes[0] * graph.apply(op.ROOTED, given[0], float(given[1]) + 1.0)
    return slopes[0] * SLOPES[code](given[0], y)
