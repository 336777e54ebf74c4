"""A program with its slopes and its Hessian as a list of instructions, which `supple.fields.interpreter` runs.

Instructions stand in sections, each of them run at a time of its own:

| sections | run |
|---|---|
| VALUES, SLOPES (0, 1) | once per call: what follows coordinates alone |
| VALUES, SLOPES (2, 3) | once per block of stations: what all places of a station share |
| VALUES, SLOPES (4, 5), then Hessian (6) | once per block of places |
| Hessian (7), (8) | once per block of stations; once per call |

Values and slopes are run on Taylor series in time, the Hessian on plain numbers.  A register holds one number per lane
with two time derivatives, and is taken again when its node is not needed any more: few of them stay in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from supple.tracing.elimination import Hessian
from supple.tracing.terms import (
    COORDINATE,
    EVERYWHERE,
    FUNCTION,
    HANDED,
    K_ONE,
    PLACE,
    PRODUCT,
    SCALE,
    STATION,
    SUM,
    UNIT,
    Term,
    Terms,
)

#: Instructions, with columns: code, result, operands a, b, c, constants k, l, number of a function.  Of those that add,
#: k a + l b, k a + l, k a, k c + l a b; "steady" operands b are the same at all times.
ADD, ADD_STEADY, OFFSET, MULTIPLE, TIMES, TIMES_STEADY, JOIN, JOIN_STEADY, CALL = range(9)
#: Those that move numbers: tables of places and stations, constants, values of stations, and sums of the Hessian.
LOAD, LOAD_STATION, FILL, GATHER, FETCH, KEEP, WEIGHT, SCATTER, STATION_SUM, ACCUMULATE, SUM_ALL, ENTRY = range(9, 21)
COLUMNS = 8

#: Sections of places, stations and everywhere: values; slopes; Hessian.
SECTIONS = {EVERYWHERE: (0, 1, 8), STATION: (2, 3, 7), PLACE: (4, 5, 6)}
COUNT = 9


@dataclass
class Schedule:
    """Instructions, and what they take from arrays.

    Attributes
    ----------
    code : (i, 8) int64
    ends : (9,)
        Where sections end.
    outputs : (o, 1 + n) int64
        Registers of every output and of its slopes, -1 where those are zero.
    constants, tables, station_tables : list of int
        Constants, and nodes that are tables, in the order in which instructions number them.
    registers, kept, station_sums, sums : int
        Numbers of registers, of values of stations, of sums per station and over all places.
    """

    code: np.ndarray
    ends: list[int]
    outputs: np.ndarray
    constants: list[int]
    tables: list[int]
    station_tables: list[int]
    registers: int
    kept: int
    station_sums: int
    sums: int


@dataclass
class _Numbers:
    """Numbers given out in the order of asking."""

    order: list[int] = field(default_factory=list)
    known: dict[int, int] = field(default_factory=dict)

    def of(self, key: int) -> int:
        if key not in self.known:
            self.known[key] = len(self.order)
            self.order.append(key)
        return self.known[key]


def operands(terms: Terms, y: int) -> tuple[int, ...]:
    """Nodes that a node is computed from."""
    kind, *rest = terms.nodes[y]
    if kind == SCALE:
        return (rest[1],)
    if kind == SUM:
        return rest[1], rest[3]
    if kind == PRODUCT:
        return rest[0], rest[1]
    return (terms.calls[rest[0]][1],) if kind == FUNCTION else ()


def closure(terms: Terms, roots: Sequence[int]) -> set[int]:
    """All nodes that roots are computed from."""
    seen, stack = set[int](), list(roots)
    while stack:
        y = stack.pop()
        if y not in seen:
            seen.add(y)
            stack += operands(terms, y)
    return seen


class Scheduler:
    """Writes the instructions of values, slopes and Hessian of outputs."""

    def __init__(
        self, terms: Terms, n: int, values: list[Term], slopes: list[dict[int, Term]], hessian: Hessian, stays: bool
    ) -> None:
        self.terms, self.n, self.hessian = terms, n, hessian
        self.stays = stays  #: whether outputs can still be read after the Hessian
        self.values = [terms.plain(term) for term in values]
        self.slopes = [{j: terms.plain(term) for j, term in row.items()} for row in slopes]
        self.handed = [terms.plain(h.value) for h in hessian.handovers]
        self.entries = {pair: terms.plain(term) for pair, term in hessian.entries.items()}
        self.results = {*self.values, *(y for row in self.slopes for y in row.values())}
        self.constants, self.tables, self.station_tables = _Numbers(), _Numbers(), _Numbers()
        self.kept, self.station_sums, self.sums = _Numbers(), _Numbers(), _Numbers()
        self.section, self.fused = self._sections(), dict[int, int]()
        self._fuse()
        #: per section: (code, result nodes, operand nodes, constants, number); results and operands become registers
        self.lists: list[list[tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...], int]]] = [
            [] for _ in range(COUNT)
        ]

    def _sections(self) -> dict[int, int]:
        """The section of every node that is computed."""
        terms = self.terms
        of_values = closure(terms, self.values)
        of_slopes = closure(terms, [y for row in self.slopes for y in row.values()])
        needed = of_values | of_slopes | closure(terms, [*self.handed, *self.entries.values()])
        late, found = set[int](), dict[int, int]()
        for y in sorted(needed):
            if not terms.moves[y] or terms.nodes[y][0] == COORDINATE:
                continue
            if terms.nodes[y][0] == HANDED or any(a in late for a in operands(terms, y)):
                late.add(y)
            value, slope, hessian = SECTIONS[terms.reach[y]]
            early = y in of_slopes or (terms.reach[y] != PLACE and y not in late)
            found[y] = value if y in of_values else slope if early else hessian
        calls: dict[int, int] = {}
        for y, section in found.items():
            if terms.nodes[y][0] == FUNCTION:
                call = terms.nodes[y][1]
                calls[call] = min(calls.get(call, COUNT), section)
        return {y: calls[terms.nodes[y][1]] if terms.nodes[y][0] == FUNCTION else s for y, s in found.items()}

    def _fuse(self) -> None:
        """Products that are used once, by a sum in their own section, are done with it: ``fused`` [sum] = product."""
        terms, uses = self.terms, dict[int, int]()
        for y in [*self.handed, *self.entries.values(), *self.results]:
            uses[y] = 2
        for y in self.section:
            for a in operands(terms, y):
                uses[a] = uses.get(a, 0) + 1
        for y, section in self.section.items():
            if terms.nodes[y][0] != SUM:
                continue
            a, b = operands(terms, y)
            if terms.moves[a] and terms.moves[b]:
                for x in (b, a):
                    if terms.nodes[x][0] == PRODUCT and uses[x] == 1 and self.section[x] == section:
                        self.fused[y] = x
                        break

    def run(self) -> Schedule:
        """All instructions, registers given out."""
        done, alone = set[int](), set(self.fused.values())
        for y in sorted(self.section):
            if y not in alone and self.terms.nodes[y][0] != HANDED:
                self._emit(y, done)
        self._emit_kept()
        for node, hand in zip(self.handed, self.hessian.handovers, strict=True):
            to_station = hand.reach == STATION
            number = (self.station_sums if to_station else self.sums).of(hand.sum)
            self._append(SECTIONS[hand.at][2], SCATTER if to_station else ACCUMULATE, (), (node,), (), number)
        for (i, j), node in self.entries.items():
            self._append(8, ENTRY, (), (node,), (), i * self.n + j)
        return _Registers(self).run()

    def _emit_kept(self) -> None:
        """Values of stations that others read: places, and the Hessian of stations."""
        terms, used = self.terms, set[int]()
        for section in (4, 5, 6, 7):
            for _, _, read, _, _ in self.lists[section]:
                used.update(read)
        used |= self.results | set(self.handed)
        for y in sorted(used):
            if self.section.get(y) in (2, 3):
                assert terms.reach[y] == STATION
                self._append(self.section[y], KEEP, (), (y,), (), self.kept.of(y))

    def _append(
        self, section: int, code: int, made: tuple[int, ...], read: tuple[int, ...], k: tuple[int, ...], number: int = 0
    ) -> None:
        self.lists[section].append((code, made, read, tuple(self.constants.of(c) for c in k), number))

    def _emit(self, y: int, done: set[int]) -> None:
        """The instruction of one node."""
        terms, section = self.terms, self.section[y]
        kind, *rest = terms.nodes[y]
        if kind == SCALE:
            self._append(section, MULTIPLE, (y,), (rest[1],), (rest[0],))
        elif kind == PRODUCT:
            self._append(section, TIMES if terms.moves[rest[1]] else TIMES_STEADY, (y,), (rest[0], rest[1]), ())
        elif kind == FUNCTION:
            if rest[0] not in done:
                done.add(rest[0])
                code, argument, constant = terms.calls[rest[0]]
                orders = tuple(self._function_node(rest[0], order) for order in range(3))
                self._append(section, CALL, orders, (argument,), (max(constant, 0),), code)
        elif y in self.fused:
            product = self.fused[y]
            k, a, l = rest[:3] if rest[3] == product else (rest[2], rest[3], rest[0])
            factors = operands(terms, product)
            steady = not terms.moves[factors[1]]
            self._append(section, JOIN_STEADY if steady else JOIN, (y,), (*factors, a), (k, l))
        elif rest[3] == UNIT:
            self._append(section, OFFSET, (y,), (rest[1],), (rest[0], rest[2]))
        else:
            code = ADD if terms.moves[rest[3]] else ADD_STEADY
            self._append(section, code, (y,), (rest[1], rest[3]), (rest[0], rest[2]))

    def _function_node(self, call: int, order: int) -> int:
        """The node of a derivative of a function, -1 if nobody needs it."""
        y = self.terms.known_function(call, order)
        return y if y in self.section else -1


class _Registers:
    """Gives registers to nodes, with instructions that load what is not computed where it is used."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.s, self.terms = scheduler, scheduler.terms
        self.code: list[list[int]] = []
        self.register: dict[int, int] = {}
        self.free: list[int] = []
        self.last: dict[int, int] = {}
        self.size = scheduler.n
        self.outputs = np.full((len(scheduler.values), 1 + scheduler.n), -1, dtype=np.int64)

    def run(self) -> Schedule:
        s = self.s
        for y, row in enumerate(self.terms.nodes):
            if row[0] == COORDINATE:
                self.register[y] = row[1]
        lasting = self._lasting()
        ends = [0] * COUNT
        for group in ((0, 1), (2, 3), (4, 5, 6), (7,), (8,)):
            own = dict(self.register)
            self._run_group(group, lasting if group[0] == 0 else set(), ends)
            left = lasting if group[0] == 0 else s.results if group[0] == 4 and s.stays else set()
            own |= {y: r for y, r in self.register.items() if y in left}
            taken = set(own.values())
            self.register, self.free = own, [r for r in range(self.size) if r not in taken]
        sizes = self.size, len(s.kept.order), len(s.station_sums.order), len(s.sums.order)
        code = np.array(self.code, dtype=np.int64).reshape(-1, COLUMNS)
        return Schedule(code, ends, self.outputs, s.constants.order, s.tables.order, s.station_tables.order, *sizes)

    def _lasting(self) -> set[int]:
        """Nodes of coordinates alone that are needed later."""
        read = {a for section in range(2, COUNT) for row in self.s.lists[section] for a in row[2]} | self.s.results
        return {y for y in read if self.s.section.get(y) in (0, 1)}

    def _run_group(self, group: tuple[int, ...], lasting: set[int], ends: list[int]) -> None:
        """Instructions of sections that run one after the other on the same registers."""
        rows = [(section, row) for section in group for row in self.s.lists[section]]
        self.last = {y: len(rows) for y in lasting}
        for i, (_, row) in enumerate(rows):
            for y in row[2]:
                self.last[y] = max(self.last.get(y, 0), i)
        if 4 in group:  # outputs are read between slopes and Hessian
            for y in self.s.results:
                read = len(rows) if self.s.stays else len(self.s.lists[4]) + len(self.s.lists[5])
                self.last[y] = max(self.last.get(y, 0), read)
        at = {section: sum(len(self.s.lists[k]) for k in group if k < section) for section in group}
        for section in group:
            if section in (4, 5):  # outputs that are not computed here are loaded
                for y in self.s.values if section == 4 else sorted(self.s.results):
                    if self.s.section.get(y, 0) < 4:
                        self._read(y, section)
            for i, row in enumerate(self.s.lists[section]):
                self._write(section, row, at[section] + i)
            ends[section] = len(self.code)
            if section == 5:
                self._note_outputs()

    def _note_outputs(self) -> None:
        """Where outputs and their slopes are."""
        for i, y in enumerate(self.s.values):
            self.outputs[i, 0] = self.register[y]
            for j, z in self.s.slopes[i].items():
                self.outputs[i, 1 + j] = self.register[z]

    def _take(self, y: int) -> int:
        if not self.free:
            self.free.append(self.size)
            self.size += 1
        self.register[y] = self.free.pop()
        return self.register[y]

    def _read(self, y: int, section: int) -> int:
        """The register of an operand, loaded if need be."""
        if y in self.register:
            return self.register[y]
        s, kind, reach, r = self.s, self.terms.nodes[y], self.terms.reach[y], self._take(y)
        at_place = section in SECTIONS[PLACE]
        row = [0] * COLUMNS
        if kind[0] == HANDED:
            if kind[1] == "weight":
                row[:3] = WEIGHT, r, kind[2]
            elif reach == STATION:
                row[:3] = STATION_SUM, r, s.station_sums.of(y)
            else:
                row[:3] = SUM_ALL, r, s.sums.of(y)
        elif self.terms.moves[y]:
            row[:3] = GATHER if at_place else FETCH, r, s.kept.of(y)
        elif reach == EVERYWHERE:
            row[:3] = FILL, r, s.constants.of(kind[1] if kind[0] == SCALE else K_ONE)
        elif at_place:
            row[:3] = LOAD, r, s.tables.of(y)
        else:
            row[:3] = LOAD_STATION, r, s.station_tables.of(y)
        self.code.append(row)
        return r

    def _write(
        self, section: int, row: tuple[int, tuple[int, ...], tuple[int, ...], tuple[int, ...], int], i: int
    ) -> None:
        """One instruction: operands are read, results taken, then registers freed that nobody needs any more."""
        code, made, read, k, number = row
        given = [self._read(y, section) for y in read]
        results = [self._take(y) if y >= 0 else -1 for y in made]
        line = [code, 0, 0, 0, 0, 0, 0, number]
        if code == CALL:
            line[1:6] = results[0], given[0], results[1], results[2], k[0]
        else:
            line[1] = results[0] if results else -1
            line[2 : 2 + len(given)] = given
            line[5 : 5 + len(k)] = k
        self.code.append(line)
        for y in (*read, *made):
            if y in self.register and self.last.get(y, 0) <= i and self.terms.nodes[y][0] != COORDINATE:
                if self.s.section.get(y, COUNT) in (0, 1) and section > 1:
                    continue  # they last
                self.free.append(self.register.pop(y))
