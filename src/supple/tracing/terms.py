"""Expressions of programs and of their derivatives: every one held once, constants drawn out of products.

An expression is a *term* (k, y): a constant k times a node y.  Nodes are numbers that differ from place to place or
follow coordinates; 1 is one of them.  Since products draw constants out, (c x)(d y) = (c d)(x y), what differs by
constants alone shares its nodes: a polynomial at k c, c the nodes of a quadrature, has powers of k once.

Which nodes there are follows from the operations alone, never from values of constants, save those that the rules of
differentiation bring along (1, -1, 2): programs of one function have the same nodes whatever its parameters are.
"""

from __future__ import annotations

from typing import Any

from supple.tracing import operations as op

#: Kinds of nodes: 1; a table; a coordinate; what loads of a reverse sweep hand in; then a constant times a node, a sum
#: of two terms, a product of two nodes, and a derivative of a function of a node.
ONE, TABLE, COORDINATE, HANDED, SCALE, SUM, PRODUCT, FUNCTION = range(8)

#: Where a node's value differs: nowhere, between stations, between places.
EVERYWHERE, STATION, PLACE = 0, 1, 2

Term = tuple[int, int]

#: The node 1, the constants 1 and 0.
UNIT = 0
K_ONE = 0


class Terms:
    """All nodes and constants of a program."""

    def __init__(self) -> None:
        self.constants: list[tuple[Any, ...]] = []  #: ("literal", value), ("given", i), ("*", i, j), ("+", i, j)
        self.nodes: list[tuple[Any, ...]] = []
        self.reach: list[int] = []  #: where each node's value differs
        self.moves: list[bool] = []  #: whether it follows coordinates
        self.calls: list[tuple[int, int, int]] = []  #: functions: code, node, constant (-1: none)
        self._known: dict[tuple[Any, ...], int] = {}
        self._known_constants: dict[tuple[Any, ...], int] = {}
        self.literal(1.0)
        self._make((ONE,), EVERYWHERE, False)

    # ------------------------------------------------------------------ constants

    def constant(self, row: tuple[Any, ...]) -> int:
        """The number of a constant."""
        found = self._known_constants.get(row)
        if found is None:
            found = self._known_constants[row] = len(self.constants)
            self.constants.append(row)
        return found

    def literal(self, value: float) -> int:
        """A constant that belongs to the rules, not to the function."""
        return self.constant(("literal", value))

    def _literal(self, k: int) -> float | None:
        row = self.constants[k]
        return row[1] if row[0] == "literal" else None

    def _combined(self, sign: str, i: int, j: int) -> int:
        a, b = self._literal(i), self._literal(j)
        if a is not None and b is not None:
            return self.literal(a * b if sign == "*" else a + b)
        if sign == "*" and (a == 1.0 or b == 1.0):
            return j if a == 1.0 else i
        return self.constant((sign, min(i, j), max(i, j)))

    # ------------------------------------------------------------------ nodes

    def _make(self, row: tuple[Any, ...], reach: int, moves: bool) -> int:
        found = self._known.get(row)
        if found is None:
            found = self._known[row] = len(self.nodes)
            self.nodes.append(row)
            self.reach.append(reach)
            self.moves.append(moves)
        return found

    def table(self, number: int, shared: bool) -> Term:
        """One number per place, or per station if it is shared by all places of a station."""
        return K_ONE, self._make((TABLE, number), STATION if shared else PLACE, False)

    def coordinate(self, number: int) -> Term:
        """A coordinate q."""
        return K_ONE, self._make((COORDINATE, number), EVERYWHERE, True)

    def handed(self, row: tuple[Any, ...], reach: int) -> Term:
        """A number that a reverse sweep is given."""
        return K_ONE, self._make((HANDED, *row), reach, True)

    def given(self, number: int) -> Term:
        """A constant of the function."""
        return self.constant(("given", number)), UNIT

    def multiply(self, a: Term, b: Term) -> Term:
        """a b."""
        k = self._combined("*", a[0], b[0])
        x, y = (a[1], b[1]) if self._first(a[1], b[1]) else (b[1], a[1])
        if y == UNIT:
            return k, x
        return k, self._make((PRODUCT, x, y), max(self.reach[x], self.reach[y]), self.moves[x] or self.moves[y])

    def _first(self, x: int, y: int) -> bool:
        """Order of factors: those that move first, then by age, 1 last."""
        return (not self.moves[x], x == UNIT, x) <= (not self.moves[y], y == UNIT, y)

    def add(self, a: Term | None, b: Term | None) -> Term | None:
        """a + b; None is zero."""
        if a is None or b is None:
            return b if a is None else a
        if a[1] == b[1]:
            k = self._combined("+", a[0], b[0])
            return None if self._literal(k) == 0.0 else (k, a[1])
        (k, x), (l, y) = (a, b) if self._first(a[1], b[1]) else (b, a)
        first, second, outside = self._literal(k), self._literal(l), K_ONE
        if first is not None and second is not None:
            k, l, outside = K_ONE, self.literal(second / first), k
        reach, moves = max(self.reach[x], self.reach[y]), self.moves[x] or self.moves[y]
        return outside, self._make((SUM, k, x, l, y), reach, moves)

    def scaled(self, factor: float, a: Term) -> Term:
        """A number of the rules times a."""
        return self._combined("*", self.literal(factor), a[0]), a[1]

    def plain(self, a: Term) -> int:
        """The node of a term, its constant multiplied in."""
        k, y = a
        return y if k == K_ONE else self._make((SCALE, k, y), self.reach[y], self.moves[y])

    def function(self, code: int, a: Term, constant: int) -> Term:
        """A function of a term: cosines are derivatives of sines."""
        order = 1 if code == op.COS else 0
        call = (op.SIN if code == op.COS else code, self.plain(a), constant)
        number = self._known.get(("call", *call))
        if number is None:
            number = self._known["call", *call] = len(self.calls)
            self.calls.append(call)
        return self._function(number, order)

    def _function(self, call: int, order: int) -> Term:
        """The derivative of an order of a function."""
        code, y, _ = self.calls[call]
        if code == op.SIN and order >= 2:
            return self.scaled(-1.0, self._function(call, order - 2))
        if code == op.EXP:
            order = 0
        return K_ONE, self._make((FUNCTION, call, order), self.reach[y], True)

    def known_function(self, call: int, order: int) -> int:
        """The node of a derivative of a function, -1 if there is none."""
        return self._known.get((FUNCTION, call, order), -1)

    # ------------------------------------------------------------------ derivatives of one node by its arguments

    def arguments(self, y: int) -> dict[int, Term]:
        """Slopes of a node by those nodes that it is made of and that move."""
        kind, *rest = self.nodes[y]
        found: dict[int, Term] = {}
        if kind == SCALE:
            found[rest[1]] = rest[0], UNIT
        elif kind == SUM:
            found = {rest[1]: (rest[0], UNIT), rest[3]: (rest[2], UNIT)}
        elif kind == PRODUCT:
            a, b = rest
            found = {a: self.scaled(2.0, (K_ONE, a))} if a == b else {a: (K_ONE, b), b: (K_ONE, a)}
        elif kind == FUNCTION:
            found[self.calls[rest[0]][1]] = self._function(rest[0], rest[1] + 1)
        return {a: slope for a, slope in found.items() if self.moves[a]}

    def bends(self, y: int) -> dict[tuple[int, int], Term]:
        """Second derivatives of a node by its arguments, entries (a, b) with a <= b."""
        kind, *rest = self.nodes[y]
        if kind == PRODUCT and self.moves[rest[0]] and self.moves[rest[1]]:
            a, b = sorted(rest)
            return {(a, b): self.scaled(2.0 if a == b else 1.0, (K_ONE, UNIT))}
        if kind == FUNCTION and self.calls[rest[0]][0] != op.ABSOLUTE:
            a = self.calls[rest[0]][1]
            return {(a, a): self._function(rest[0], rest[1] + 2)}
        return {}
