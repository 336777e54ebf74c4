"""A traced function as arrays: what the compiled interpreter of `supple.fields.interpreter` reads.

Nodes are numbered: constants, coordinates q, tables (whatever depends on the material point alone: one number per
point, evaluated here once and for all), then operations, first those that depend on q alone, done once per call, then
all others, done per point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.checks import Array
from supple.errors import ModelError
from supple.tracing import operations as op
from supple.tracing.slopes import ancestors
from supple.tracing.symbols import CONSTANT, COORDINATE, MATERIAL, SAMPLED, Graph, Symbol, Symbols, shaped


@dataclass(frozen=True, eq=False)
class Program:
    """A function of q at m places, with o outputs.

    Attributes
    ----------
    sizes : (6,) int64
        Numbers of constants, coordinates, tables, operations of q alone, operations in all, outputs.
    ops : (operations, 3) int64
        Code and arguments (nodes).
    active : (nodes, 1 + n) int64
        Whether each node depends on q at all, and on each coordinate.
    outputs : (o, 1) int64
        Nodes that are results.
    constants : (1, c)
    tables : (t, m)
        Values of nodes that depend on the material point alone.
    """

    sizes: np.ndarray
    ops: np.ndarray
    active: np.ndarray
    outputs: np.ndarray
    constants: np.ndarray
    tables: np.ndarray

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.active)

    @property
    def places(self) -> int:
        """Number of places m."""
        return int(self.tables.shape[1])

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """All arrays in the order of the attributes, two-dimensional each."""
        return (self.sizes[None, :], self.ops, self.active, self.outputs, self.constants, self.tables)


def trace(function: Callable[..., Any], n: int, inputs: int, shape: tuple[int, ...], what: str) -> Symbols:
    """Run function(x, q) once on symbols: x (inputs,), q (n,); its result must have the given shape."""
    graph = Graph()
    x, q = graph.inputs(MATERIAL, inputs), graph.inputs(COORDINATE, n)
    try:
        result = function(x, q)
    except ModelError as error:
        raise ModelError(f"{what}: {error}") from error
    except Exception as error:
        raise ModelError(f"{what} raised {type(error).__name__}: {error}") from error
    return as_symbols(graph, result, shape, what)


def as_symbols(graph: Graph, result: Any, shape: tuple[int, ...], what: str) -> Symbols:
    """What a user's function returned, as symbols of one shape."""
    try:
        array = np.array(result, dtype=object)
    except ValueError as error:
        raise ModelError(f"{what} returned arrays of unequal lengths, must return an array of shape {shape}") from error
    if array.shape != shape:
        raise ModelError(f"{what} returned shape {array.shape}, must be {shape}")
    flat = [s if isinstance(s, Symbol) else graph.constant(_real(s, what)) for s in array.ravel()]
    return shaped(flat, shape)


def _real(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} returned {type(value).__name__}, must return real numbers") from error
    if not np.isfinite(number):
        raise ModelError(f"{what} returned {number}, must be finite")
    return number


def make_program(outputs: Symbols, places: Array, n: int) -> Program:
    """The program of some outputs of n coordinates at places (m, inputs).

    Every use of a constant has a number of its own, and stands behind what it is added to or multiplied with: programs
    of one function do not differ in structure where constants of one happen to be equal.
    """
    flat = list(outputs.ravel())
    graph = flat[0].graph
    needed = ancestors(graph, [s.index for s in flat])
    values = tabulate(graph, needed, places)
    moving = [i for i in needed if graph.of_q[i] and graph.rows[i][0] >= 0]
    early, late = [i for i in moving if not graph.of_x[i]], [i for i in moving if graph.of_x[i]]
    steps = [_ordered(graph, i) for i in (*early, *late)]
    used = {a for step in steps for a in step[1:]} | {s.index for s in flat}
    uses = [a for step in steps for a in step[1:]] + [s.index for s in flat]
    constants = [i for i in uses if graph.rows[i][0] == CONSTANT]
    tables = [i for i in sorted(used) if graph.of_x[i] and not graph.of_q[i]]
    first, next_constant = len(constants), iter(range(len(constants)))
    number = {i: first + graph.rows[i][1] for i in needed if graph.rows[i][0] == COORDINATE}
    for k, i in enumerate((*tables, *early, *late)):
        number[i] = first + n + k
    ops = np.zeros((len(moving), 3), dtype=np.int64)
    active = np.zeros((first + n + len(tables) + len(moving), 1 + n), dtype=np.int64)
    for j in range(n):
        active[first + j, [0, 1 + j]] = 1
    for k, (i, (code, *given)) in enumerate(zip((*early, *late), steps, strict=True)):
        nodes = [number[g] if g in number else next(next_constant) for g in given]
        ops[k] = code, nodes[0], nodes[-1]
        active[number[i]] = active[nodes[0]] | (active[nodes[-1]] if len(nodes) > 1 else 0)
    results = [number[s.index] if s.index in number else next(next_constant) for s in flat]
    return Program(
        sizes=np.array([first, n, len(tables), len(early), len(moving), len(flat)], dtype=np.int64),
        ops=ops,
        active=active,
        outputs=np.array(results, dtype=np.int64)[:, None],
        constants=np.array([[graph.rows[i][1] for i in constants]], dtype=float).reshape(1, -1),
        tables=np.ascontiguousarray([values[i] for i in tables], dtype=float).reshape(len(tables), len(places)),
    )


def _ordered(graph: Graph, index: int) -> tuple[Any, ...]:
    """Code and arguments of an operation; of sums and products a constant comes last."""
    code, *given = graph.rows[index]
    if code in (op.ADD, op.MULTIPLY) and graph.rows[given[0]][0] == CONSTANT:
        given = given[::-1]
    return code, *given


def tabulate(graph: Graph, needed: list[int], places: Array, q: Array | None = None) -> dict[int, Array]:
    """Values (m,) of symbols at places (m, inputs): of all at coordinates q (n,), or of those without coordinates."""
    values: dict[int, Array] = {}
    with np.errstate(all="ignore"):
        for i in needed:
            code, *rest = graph.rows[i]
            if code == CONSTANT:
                values[i] = np.full(len(places), rest[0])
            elif code == MATERIAL:
                values[i] = np.asarray(places[:, rest[0]], dtype=float)
            elif code == SAMPLED:
                source, which, columns = graph.sources[rest[0]], rest[1], list(rest[2])
                values[i] = np.asarray(source.values(np.asarray(places, dtype=float)[:, columns], which), dtype=float)
            elif code == COORDINATE:
                if q is not None:
                    values[i] = np.full(len(places), float(q[rest[0]]))
            elif q is not None or not graph.of_q[i]:
                given: list[Any] = [values[k] for k in rest]
                if code in (op.POWER, op.BESSEL, op.ROOTED):
                    given[1] = np.float64(graph.rows[rest[1]][1])
                values[i] = np.asarray(op.EVALUATE[code](*given), dtype=float) + np.zeros(len(places))
    return values


def evaluate(outputs: Symbols, places: Array, q: Array) -> Array:
    """Outputs at places (m, inputs) and coordinates q (n,), by NumPy: (m, *shape of outputs)."""
    flat = list(outputs.ravel())
    graph = flat[0].graph
    values = tabulate(graph, ancestors(graph, [s.index for s in flat]), np.atleast_2d(places), q)
    return np.stack([values[s.index] for s in flat], axis=-1).reshape(len(np.atleast_2d(places)), *outputs.shape)
