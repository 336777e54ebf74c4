"""What the compiled interpreter runs: a program's values, slopes and Hessian as instructions, with all numbers.

The instructions of a program follow from its operations alone and are kept, so that they are found once for all bodies
and parameters of the same function; its numbers are filled in here.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.checks import Array
from supple.tracing import operations as op
from supple.tracing.elimination import hessian, slopes
from supple.tracing.program import Program, make_program
from supple.tracing.schedule import COUNT, Schedule, Scheduler
from supple.tracing.symbols import Symbols
from supple.tracing.terms import PRODUCT, SCALE, TABLE, UNIT, Term, Terms

#: Entries of the row of sizes: coordinates, registers, stations, values of stations, sums per station, sums over all
#: places; floats of memory per lane, and beyond; where sections end.
N, REGISTERS, STATIONS, KEPT, STATION_SUMS, SUMS, PER_LANE, BEYOND, ENDS = range(9)
SIZES = ENDS + COUNT

#: Rows of lanes for scratch.
SCRATCH = 4

#: Schedules that are kept.
MOST_KEPT = 64


@dataclass(frozen=True, eq=False)
class Plan:
    """A function of n coordinates at m places, with o outputs, ready to be run.

    Attributes
    ----------
    sizes : (1, 18) int64
        See `N` and those that follow.
    code : (i, 8) int64
        Instructions, see `supple.tracing.schedule`.
    outputs : (o, 1 + n) int64
        Registers of the outputs and of their slopes, -1 where these are zero.
    station_of : (1, m) int64
        The station of every place.
    constants : (1, c)
    tables : (t, m)
        Values that depend on the place alone.
    station_tables : (s, stations)
        Those that all places of a station share.
    """

    sizes: np.ndarray
    code: np.ndarray
    outputs: np.ndarray
    station_of: np.ndarray
    constants: np.ndarray
    tables: np.ndarray
    station_tables: np.ndarray

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return int(self.sizes[0, N])

    @property
    def places(self) -> int:
        """Number of places m."""
        return int(self.station_of.shape[1])

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        """All arrays in the order of the attributes, two-dimensional each."""
        arrays = (
            self.sizes, self.code, self.outputs, self.station_of, self.constants, self.tables, self.station_tables,
        )  # fmt: skip
        return tuple(map(np.ascontiguousarray, arrays))

    def memory(self, lanes: int) -> int:
        """Floats that a run needs."""
        return int(lanes * self.sizes[0, PER_LANE] + self.sizes[0, BEYOND])


def make_plan(outputs: Symbols, places: Array, n: int, lanes: int = 0) -> Plan:
    """The plan of outputs at places (m, inputs).

    With ``lanes`` places are run in blocks of so many, and what places of a station share is done once for all of them,
    so that Hessians are known as sums over all places only, and outputs are read before.  Without, all places are run
    at once, and outputs can be read after the Hessian too.
    """
    return plan_of(make_program(outputs, places, n, lanes > 0), lanes)


def plan_of(program: Program, lanes: int = 0) -> Plan:
    """The plan of a program; ``lanes`` as for `make_plan`."""
    n = program.n
    terms, schedule = _scheduled(program, lanes == 0)
    stations = program.stations
    if lanes:
        stations = np.concatenate([stations, np.repeat(stations[-1:], -len(stations) % lanes)])
    o, width = len(schedule.outputs), len(stations)
    per_lane = 3 * schedule.registers + SCRATCH + o + n * n + schedule.sums
    beyond = width * (3 * schedule.kept + schedule.station_sums)
    counts = [n, schedule.registers, width, schedule.kept, schedule.station_sums, schedule.sums, per_lane, beyond]
    constants, tables = _constants(terms, program.constants), _tables(terms, program)
    return Plan(
        sizes=np.array([[*counts, *schedule.ends]], dtype=np.int64),
        code=schedule.code,
        outputs=schedule.outputs,
        station_of=program.station_of[None, :],
        constants=np.array([[constants[k] for k in schedule.constants]], dtype=float),
        tables=_rows([tables(y, constants) for y in schedule.tables], program.places),
        station_tables=_rows([tables(y, constants)[stations] for y in schedule.station_tables], width),
    )


def _rows(rows: list[np.ndarray], width: int) -> np.ndarray:
    return np.array(rows, dtype=float).reshape(len(rows), width)


_kept: OrderedDict[Any, tuple[Terms, Schedule]] = OrderedDict()


def _scheduled(program: Program, stays: bool) -> tuple[Terms, Schedule]:
    """Terms and instructions of a program, made unless they are known."""
    shape = (program.n, len(program.constants), len(program.stations) > 0, stays)
    key = (*shape, program.ops.tobytes(), program.outputs.tobytes(), program.shared.tobytes())
    found = _kept.get(key)
    if found is None:
        found = _kept[key] = _schedule(program, stays)
        if len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return found


def _schedule(program: Program, stays: bool) -> tuple[Terms, Schedule]:
    terms = Terms()
    known: list[Term] = [terms.given(i) for i in range(len(program.constants))]
    coordinates = [terms.coordinate(j) for j in range(program.n)]
    known += coordinates
    known += [terms.table(i, bool(shared)) for i, shared in enumerate(program.shared)]
    for code, a, b in program.ops.tolist():
        known.append(_applied(terms, code, known[a], known[b]))
    outputs, nodes = [known[i] for i in program.outputs], [y for _, y in coordinates]
    rows = slopes(terms, outputs, nodes)
    return terms, Scheduler(terms, program.n, outputs, rows, hessian(terms, outputs, nodes), stays).run()


def _applied(terms: Terms, code: int, a: Term, b: Term) -> Term:
    """An operation of a program on terms."""
    if code in (op.ADD, op.SUBTRACT):
        return terms.add(a, b if code == op.ADD else terms.scaled(-1.0, b)) or (terms.literal(0.0), UNIT)
    if code == op.MULTIPLY:
        return terms.multiply(a, b)
    if code == op.NEGATIVE:
        return terms.scaled(-1.0, a)
    return terms.function(code, a, b[0] if code in (op.POWER, op.BESSEL, op.ROOTED) else -1)


def _constants(terms: Terms, given: np.ndarray) -> list[float]:
    """Values of all constants."""
    values: list[float] = []
    for kind, *rest in terms.constants:
        if kind == "literal":
            values.append(rest[0])
        elif kind == "given":
            values.append(float(given[rest[0]]))
        else:
            a, b = values[rest[0]], values[rest[1]]
            values.append(a * b if kind == "*" else a + b)
    return values


def _tables(terms: Terms, program: Program) -> Any:
    """The function (node, constants) -> values (m,) of nodes that do not move."""
    known: dict[int, np.ndarray] = {UNIT: np.ones(program.places)}

    def value(y: int, constants: list[float]) -> np.ndarray:
        if y not in known:
            kind, *rest = terms.nodes[y]
            if kind == TABLE:
                known[y] = program.tables[rest[0]]
            elif kind == SCALE:
                known[y] = constants[rest[0]] * value(rest[1], constants)
            elif kind == PRODUCT:
                known[y] = value(rest[0], constants) * value(rest[1], constants)
            else:
                k, a, l, b = rest
                known[y] = constants[k] * value(a, constants) + constants[l] * value(b, constants)
        return known[y]

    return value
