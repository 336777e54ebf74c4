"""A traced function as arrays, of which `supple.tracing.plan` makes what the compiled interpreter runs.

Nodes are numbered: constants, coordinates q, tables (whatever depends on the material point alone: one number per
point, evaluated here once and for all), then operations, arguments first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.checks import Array, shown
from supple.errors import ModelError
from supple.tracing import operations as op
from supple.tracing.slopes import ancestors
from supple.tracing.symbols import CONSTANT, COORDINATE, MATERIAL, SAMPLED, Graph, Symbol, Symbols, shaped


@dataclass(frozen=True, eq=False)
class Program:
    """A function of q at m places, with o outputs.

    Attributes
    ----------
    n : int
        Number of coordinates.
    ops : (operations, 3) int64
        Code and arguments (nodes).
    outputs : (o,) int64
        Nodes that are results.
    constants : (c,)
    tables : (t, m)
        Values of nodes that depend on the material point alone.
    shared : (t,) bool
        Which tables have one value per station.
    stations : (s,) int64
        One place of every station; none if places share nothing.
    station_of : (m,) int64
        The station of every place.
    """

    n: int
    ops: np.ndarray
    outputs: np.ndarray
    constants: np.ndarray
    tables: np.ndarray
    shared: np.ndarray
    stations: np.ndarray
    station_of: np.ndarray

    @property
    def places(self) -> int:
        """Number of places m."""
        return int(self.tables.shape[1])


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
    flat = [graph.own(s) if isinstance(s, Symbol) else graph.constant(_real(s, what)) for s in array.ravel()]
    return shaped(flat, shape)


def _real(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelError(f"{what} returned {shown(value)}, must return real numbers") from error
    if not np.isfinite(number):
        raise ModelError(f"{what} returned {number}, must be finite")
    return number


def make_program(outputs: Symbols, places: Array, n: int, stations: bool = False) -> Program:
    """The program of some outputs of n coordinates at places (m, inputs).

    Every use of a constant has a number of its own, and stands behind what it is added to or multiplied with: programs
    of one function do not differ in structure where constants of one happen to be equal.  With ``stations`` places that
    agree in those material coordinates on which much depends form a station.
    """
    flat = list(outputs.ravel())
    graph = flat[0].graph
    needed = ancestors(graph, [s.index for s in flat])
    values = tabulate(graph, needed, places)
    moving = [i for i in needed if graph.of_q[i] and graph.rows[i][0] >= 0]
    steps = [_ordered(graph, i) for i in moving]
    uses = [a for step in steps for a in step[1:]] + [s.index for s in flat]
    constants = [i for i in uses if graph.rows[i][0] == CONSTANT]
    tables = [i for i in sorted(set(uses)) if graph.of_x[i] and not graph.of_q[i]]
    first, next_constant = len(constants), iter(range(len(constants)))
    number = {i: first + graph.rows[i][1] for i in needed if graph.rows[i][0] == COORDINATE}
    for k, i in enumerate((*tables, *moving)):
        number[i] = first + n + k
    ops = np.zeros((len(moving), 3), dtype=np.int64)
    for k, (code, *given) in enumerate(steps):
        nodes = [number[g] if g in number else next(next_constant) for g in given]
        ops[k] = code, nodes[0], nodes[-1]
    results = [number[s.index] if s.index in number else next(next_constant) for s in flat]
    reads = _materials(graph, needed)
    columns = _shared_columns([reads[i] for i in moving], places) if stations else frozenset[int]()
    same, station_of = np.zeros(0, dtype=np.int64), np.zeros(len(places), dtype=np.int64)
    if columns:
        same, station_of = np.unique(places[:, sorted(columns)], axis=0, return_index=True, return_inverse=True)[1:]
    return Program(
        n=n,
        ops=ops,
        outputs=np.array(results, dtype=np.int64),
        constants=np.array([graph.rows[i][1] for i in constants], dtype=float),
        tables=np.ascontiguousarray([values[i] for i in tables], dtype=float).reshape(len(tables), len(places)),
        shared=np.array([reads[i] <= columns for i in tables], dtype=bool),
        stations=same,
        station_of=station_of.reshape(-1).astype(np.int64),
    )


def moving(program: Program, constants: Array, tables: Array) -> Program | None:
    """The program with one coordinate e more, its numbers c + e dc.

    ``constants`` (c,) and ``tables`` (t, m) are dc.  None if an exponent changes, of which no slopes are known.
    """
    n, c, t = program.n, len(program.constants), len(program.tables)
    kept, turned = np.flatnonzero(constants), np.flatnonzero(tables.any(axis=1))
    fixed = np.isin(program.ops[:, 0], (op.POWER, op.BESSEL, op.ROOTED))
    if np.isin(program.ops[fixed, 2], kept).any():
        return None
    first, more = c + len(kept), len(turned)
    e, behind = first + n, first + n + 1 + t + more
    number = np.concatenate([np.arange(c), first + np.arange(n), first + n + 1 + np.arange(t)])
    ops: list[tuple[int, ...]] = []
    for k, i in enumerate([*kept, *(c + n + turned)]):
        change = c + k if k < len(kept) else first + n + 1 + t + k - len(kept)
        ops += [(op.MULTIPLY, e, change), (op.ADD, behind + len(ops), number[i])]
        number[i] = behind + len(ops) - 1
    number = np.concatenate([number, behind + len(ops) + np.arange(len(program.ops))])
    rest = np.column_stack([program.ops[:, 0], number[program.ops[:, 1]], number[program.ops[:, 2]]])
    return Program(
        n=n + 1,
        ops=np.concatenate([np.array(ops, dtype=np.int64).reshape(-1, 3), rest]),
        outputs=number[program.outputs],
        constants=np.concatenate([program.constants, constants[kept]]),
        tables=np.concatenate([program.tables, tables[turned]]),
        shared=np.concatenate([program.shared, program.shared[turned]]),
        stations=program.stations,
        station_of=program.station_of,
    )


def _materials(graph: Graph, needed: list[int]) -> dict[int, frozenset[int]]:
    """Which material coordinates every symbol depends on."""
    found: dict[int, frozenset[int]] = {}
    for i in needed:
        code, *rest = graph.rows[i]
        if code == MATERIAL:
            found[i] = frozenset(rest)
        elif code == SAMPLED:
            found[i] = frozenset(rest[2])
        elif code >= 0:
            found[i] = frozenset().union(*(found[k] for k in rest))
        else:
            found[i] = frozenset()
    return found


def _shared_columns(reads: list[frozenset[int]], places: Array) -> frozenset[int]:
    """The material coordinates by which to form stations, so that most operations are spared; none if few would be."""
    best, spared = frozenset[int](), 0.2 * len(reads)
    for columns in sorted(set(reads) - {frozenset()}, key=sorted):
        count = len(np.unique(places[:, sorted(columns)], axis=0))
        gain = sum(bool(read) and read <= columns for read in reads) * (1.0 - 2.0 * count / len(places))
        if gain > spared:
            best, spared = columns, gain
    return best


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


class Evaluator:
    """Outputs at places (m, inputs), to be asked for many coordinates: what depends on the place alone is done once.

    What depends on coordinates alone is done for one place, and what depends on few material coordinates besides (the
    arc length, of all points of a section) once for all places that have them in common.  Either is written down as a
    function of Python once, which takes half the time of going through the graph every time.

    Places may be those of several bodies: ``body`` (m,) says in which row of the coordinates are those of a place.
    """

    def __init__(self, outputs: Symbols, places: Array, body: NDArray[np.int64] | None = None) -> None:
        flat, places = list(outputs.ravel()), np.atleast_2d(places)
        body = np.zeros(len(places), dtype=np.int64) if body is None else body
        graph, results = flat[0].graph, [s.index for s in flat]
        self._shape = (len(places), *outputs.shape)
        needed = ancestors(graph, results)
        table = tabulate(graph, needed, places)
        fixed: dict[int, Any] = {
            i: float(graph.rows[i][1]) if graph.rows[i][0] == CONSTANT else np.ascontiguousarray(table[i])
            for i in table
        }
        moving, reads = [i for i in needed if i not in table], _materials(graph, needed)
        columns = _shared_columns([reads[i] for i in moving], places)
        first, self._station_of = _stations(np.column_stack([places[:, sorted(columns)], body]))
        self._body = body[first]
        few = [i for i in moving if reads[i] <= columns]
        many = [i for i in moving if not reads[i] <= columns]
        asked = {k for i in many for k in _arguments(graph, i)} | set(results)
        shared = [i for i in few if i in asked]  # of what is done for few places, what all need
        at_few = {i: value[first] if np.ndim(value) else value for i, value in fixed.items()}
        self._few = _written(graph, few, shared, at_few, [])
        self._many = _written(graph, many, results, fixed, shared)

    def __call__(self, q: Array) -> Array:
        """Values (m, *shape of outputs) at coordinates q (n,), or (bodies, n)."""
        rows = np.atleast_2d(np.asarray(q, dtype=float))
        found = np.empty((self._shape[0], int(np.prod(self._shape[1:]))))
        own = rows[0] if len(rows) == 1 else rows[self._body].T  # plain numbers, or one for every station
        with np.errstate(all="ignore"):
            few = self._few(own, ())
            values = self._many(own, [value[self._station_of] if np.ndim(value) else value for value in few])
        for k, value in enumerate(values):
            found[:, k] = value
        return found.reshape(self._shape)


#: Operations that have a sign of their own in Python.
SIGNS = {op.ADD: "+", op.SUBTRACT: "-", op.MULTIPLY: "*", op.DIVIDE: "/"}

#: A function of coordinates q (n,) and of given values, which returns values in an order.
Written = Callable[[Array, Sequence[Any]], list[Any]]


def _written(graph: Graph, order: list[int], results: list[int], fixed: dict[int, Any], given: list[int]) -> Written:
    """The function that finds symbols in an ``order``, beside those that are fixed or given, and returns results.

    Each is forgotten after its last use: what comes next takes its memory, which is at hand; to get new memory
    takes longer than the sums.
    """
    used = {k for i in order for k in _arguments(graph, i)} | set(results)
    known = sorted(used.intersection(fixed))
    name = {i: f"v{k}" for k, i in enumerate([*known, *given, *order])}
    lines = [f"[{', '.join(name[i] for i in known)}] = fixed", f"[{', '.join(name[i] for i in given)}] = given"]
    last = _last_uses(graph, order, {*results, *known})
    for i, done in zip(order, last, strict=True):
        code, *rest = graph.rows[i]
        if code == COORDINATE:
            lines.append(f"{name[i]} = q[{rest[0]}]")
        elif code in SIGNS:
            lines.append(f"{name[i]} = {name[rest[0]]} {SIGNS[code]} {name[rest[1]]}")
        else:
            lines.append(f"{name[i]} = do[{code}]({', '.join(name[k] for k in rest)})")
        if done:
            lines.append(f"del {', '.join(name[k] for k in done)}")
    lines.append(f"return [{', '.join(name[i] for i in results)}]")
    run = _python("\n    ".join(["def run(do, fixed, q, given):", *lines]))
    return partial(run, op.EVALUATE, [fixed[i] for i in known])


@cache
def _python(text: str) -> Callable[..., list[Any]]:
    """The function that a text defines; bodies of one kind share it."""
    names: dict[str, Any] = {}
    exec(text, names)
    function: Callable[..., list[Any]] = names["run"]
    return function


def _arguments(graph: Graph, i: int) -> tuple[int, ...]:
    """Symbols that one is made of."""
    code, *rest = graph.rows[i]
    return tuple(rest) if code >= 0 else ()


def _last_uses(graph: Graph, order: list[int], kept: set[int]) -> list[list[int]]:
    """For every symbol in an order of evaluation, its arguments that nothing behind asks for; never the kept ones."""
    found, asked, own_ones = [], set(kept), set(order)
    for i in reversed(order):
        own = set(_arguments(graph, i))
        found.append(sorted(own & own_ones - asked))
        asked |= own
    return found[::-1]


def _stations(places: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of places (m, k) that are there several times, the first ones (p,), and which of these everyone (m,) is."""
    _, first, station_of = np.unique(places, axis=0, return_index=True, return_inverse=True)
    return first, station_of.ravel()


def evaluate(outputs: Symbols, places: Array, q: Array) -> Array:
    """Outputs at places (m, inputs) and coordinates q (n,), by NumPy: (m, *shape of outputs)."""
    flat = list(outputs.ravel())
    graph = flat[0].graph
    values = tabulate(graph, ancestors(graph, [s.index for s in flat]), np.atleast_2d(places), q)
    return np.stack([values[s.index] for s in flat], axis=-1).reshape(len(np.atleast_2d(places)), *outputs.shape)
