"""Derivatives of a program as further terms, by elimination of its nodes.

**Slopes.**  A program is a graph whose edges carry the slopes of nodes by their arguments.  A node y between arguments
a and users u is eliminated by the chain rule, du/da += du/dy dy/da; when all are gone, edges from coordinates to
outputs are the slopes.  Which is eliminated first decides how many products there are: the one with fewest pairs of
arguments and users (Markowitz' rule; Griewank and Walther, Evaluating Derivatives, ch. 10).  Forward and reverse mode
are two of all the orders, and better ones for functions with wide layers: all three are tried, and the shortest taken.

**Hessians** of a weighted sum of outputs.  One pass from the outputs inward gives l_y, the slope of that sum by every
node, and with it W_ab = sum l_y y_ab, by which nodes interact.  Eliminating a node, as above, then hands on what it
has:

    W_au += y_a W_yu,     W_ab += y_a y_b W_yy,

until W is by coordinates alone: edge pushing (Gower and Mello 2012), in the order that needs fewest products.

Nodes that many places share are eliminated separately, and what single places have for them is summed over these places
first, so that the rest is done once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

from supple.tracing.terms import COORDINATE, EVERYWHERE, K_ONE, PLACE, STATION, UNIT, Term, Terms

#: Numbers of outputs among the vertices of a graph: this and below; coordinates are -1, -2, ...
RESULTS = -(10**9)


class Elimination:
    """A graph of slopes between vertices, with second derivatives W of a sum by pairs of them.

    ``terms`` adds and multiplies; ``arguments`` has of every vertex its slopes by others.
    """

    def __init__(self, terms: Any, arguments: dict[int, dict[int, Any]]) -> None:
        self.terms, self.arguments = terms, arguments
        self.users: dict[int, set[int]] = {}
        self.W: dict[int, dict[int, Any]] = {}  #: both (a, b) and (b, a)
        for y, found in arguments.items():
            for a in found:
                self.users.setdefault(a, set()).add(y)

    def add_bend(self, a: int, b: int, value: Any) -> None:
        """W_ab += value."""
        row, column = self.W.setdefault(a, {}), self.W.setdefault(b, {})
        made = self.terms.add(row.pop(b, None), value)
        column.pop(a, None)
        if made is not None:
            row[b] = column[a] = made

    def run(self, vertices: Sequence[int]) -> None:
        """Eliminate vertices (arguments first), in the order of three that takes fewest products."""
        counts = [self._counted(vertices, order) for order in (None, vertices, vertices[::-1])]
        best = counts.index(min(counts))
        if best == 0:
            self._run_greedily(vertices)
        for y in () if best == 0 else vertices if best == 1 else vertices[::-1]:
            self._eliminate(y)

    def _counted(self, vertices: Sequence[int], order: Sequence[int] | None) -> int:
        """Products that an order takes, None being that of Markowitz; nothing is multiplied."""
        counter = _Counter()
        trial = Elimination(counter, {y: dict.fromkeys(found, 0) for y, found in self.arguments.items()})
        trial.W = {a: dict.fromkeys(row, 0) for a, row in self.W.items()}
        if order is None:
            trial._run_greedily(vertices)
        for y in order or ():
            trial._eliminate(y)
        return counter.products

    def _run_greedily(self, vertices: Sequence[int]) -> None:
        """Eliminate vertices, cheapest first."""
        left = set(vertices)
        queue = [(*self._cost(y), y) for y in left]
        heapify(queue)
        while queue:
            *price, y = heappop(queue)
            if y not in left:
                continue
            if tuple(price) == self._cost(y):
                left.discard(y)
                for touched in self._eliminate(y) & left:
                    heappush(queue, (*self._cost(touched), touched))

    def _cost(self, y: int) -> tuple[int, int]:
        """Products that its elimination takes; of equal ones the youngest goes first."""
        return len(self.arguments[y]) * (len(self.users.get(y, ())) + len(self.W.get(y, ()))), -y

    def _eliminate(self, y: int) -> set[int]:
        """Eliminate one vertex; which ones now cost more or less."""
        terms, own = self.terms, self.arguments.pop(y)
        users, bends = self.users.pop(y, set()), self.W.pop(y, {})
        for a in own:
            self.users[a].discard(y)
        for u in sorted(users):
            into = self.arguments[u]
            along = into.pop(y)
            for a, s in own.items():
                made = terms.add(into.pop(a, None), terms.multiply(along, s))
                if made is None:
                    self.users[a].discard(u)
                else:
                    into[a] = made
                    self.users[a].add(u)
        for u, w in bends.items():
            if u != y:
                del self.W[u][y]
                for a, s in own.items():
                    passed = terms.multiply(s, w)
                    self.add_bend(a, u, terms.scaled(2.0, passed) if a == u else passed)
        if y in bends:
            for a, s in own.items():
                passed = terms.multiply(s, bends[y])
                for b, t in own.items():
                    if a <= b:
                        self.add_bend(a, b, terms.multiply(t, passed))
        return users | set(own) | set(bends)


class _Counter:
    """Arithmetic that only counts."""

    def __init__(self) -> None:
        self.products = 0

    def add(self, a: Any, b: Any) -> Any:
        return 0

    def multiply(self, a: Any, b: Any) -> Any:
        self.products += 1
        return 0

    def scaled(self, factor: float, a: Any) -> Any:
        return 0


def dependents(terms: Terms, roots: Iterable[int]) -> list[int]:
    """All moving nodes that roots are made of, arguments first."""
    seen, stack = set(), [y for y in roots if terms.moves[y]]
    while stack:
        y = stack.pop()
        if y not in seen:
            seen.add(y)
            stack += terms.arguments(y)
    return sorted(seen)


def slopes(terms: Terms, outputs: Sequence[Term], coordinates: Sequence[int]) -> list[dict[int, Term]]:
    """Of every output its slopes by coordinates, by their number; those that are zero are omitted."""
    known: dict[int, dict[int, Term]] = {y: {-1 - j: (K_ONE, UNIT)} for j, y in enumerate(coordinates)}
    needed = dependents(terms, [y for _, y in outputs])
    for reach in (EVERYWHERE, STATION):
        above = [y for y in needed if terms.reach[y] > reach]
        used = {a for y in above for a in terms.arguments(y)} | {y for _, y in outputs if terms.moves[y]}
        border = sorted(y for y in used if terms.reach[y] == reach and y not in known)
        known |= dict(zip(border, _slopes(terms, [(K_ONE, y) for y in border], known), strict=True))
    rows = _slopes(terms, outputs, known)
    return [{-1 - j: s for j, s in sorted(row.items(), reverse=True)} for row in rows]


def _slopes(terms: Terms, roots: Sequence[Term], known: dict[int, dict[int, Term]]) -> list[dict[int, Term]]:
    """Slopes of terms by coordinates -1, -2, ..., from those that are known of other nodes."""
    arguments: dict[int, dict[int, Term]] = {}
    stack = [y for _, y in roots if terms.moves[y]]
    while stack:
        y = stack.pop()
        if y not in arguments:
            arguments[y] = dict(known[y]) if y in known else terms.arguments(y)
            stack += [a for a in arguments[y] if a >= 0]
    inside = sorted(arguments)
    for i, (k, y) in enumerate(roots):
        arguments[RESULTS - i] = {y: (k, UNIT)} if terms.moves[y] else {}
    graph = Elimination(terms, arguments)
    graph.run(inside)
    return [graph.arguments[RESULTS - i] for i in range(len(roots))]


class Handover(NamedTuple):
    """What a Hessian sums over places: a term, and the node that has its sum."""

    value: Term
    sum: int
    reach: int  #: of the places that share the sum
    at: int  #: reach of those that are summed over


class Hessian(NamedTuple):
    """Second derivatives of a weighted sum of outputs."""

    handovers: list[Handover]
    entries: dict[tuple[int, int], Term]  #: (i, j), i <= j, that are not zero


#: Slopes l of nodes and second derivatives W by pairs of them, by (a,) and (a, b).
Sums = dict[tuple[int, ...], Term]


def hessian(terms: Terms, outputs: Sequence[Term], coordinates: Sequence[int]) -> Hessian:
    """The Hessian of a weighted sum of outputs, from the places inward."""
    given, handovers = Sums(), list[Handover]()
    for i, (k, y) in enumerate(outputs):
        if terms.moves[y]:
            _add(terms, given, (y,), terms.multiply((k, UNIT), terms.handed(("weight", i), PLACE)))
    needed = [y for y in dependents(terms, [y for _, y in outputs]) if terms.nodes[y][0] != COORDINATE]
    everywhere = Sums()
    for at in (PLACE, STATION, EVERYWHERE):
        if at == EVERYWHERE:  # sums over all places have waited until stations added theirs
            given = everywhere
        left = _swept(terms, [y for y in needed if terms.reach[y] == at], given)
        given = Sums()
        for pair, value in left.items():
            reach = max(terms.reach[a] for a in pair)
            if at != EVERYWHERE:
                total = terms.handed(("sum", at, *pair), reach)
                handovers.append(Handover(value, total[1], reach, at))
                _add(terms, everywhere if reach == EVERYWHERE else given, pair, total)
            else:
                given[pair] = value
    number = {y: j for j, y in enumerate(coordinates)}
    entries = {(number[a], number[b]): w for (a, b), w in given.items()}
    return Hessian(handovers, {(min(pair), max(pair)): w for pair, w in entries.items()})


def _add(terms: Terms, sums: Sums, pair: tuple[int, ...], value: Term) -> None:
    made = terms.add(sums.pop(pair, None), value)
    if made is not None:
        sums[pair] = made


def _swept(terms: Terms, nodes: list[int], given: Sums) -> Sums:
    """What is left of l and W when nodes (arguments first) are eliminated; of coordinates W alone."""
    graph = Elimination(terms, {y: terms.arguments(y) for y in nodes})
    slopes = Sums({pair: value for pair, value in given.items() if len(pair) == 1})
    for pair, value in given.items():
        if len(pair) == 2:
            graph.add_bend(*pair, value)
    for y in reversed(nodes):
        l = slopes.pop((y,), None)
        if l is not None:
            for (a, b), bend in terms.bends(y).items():
                graph.add_bend(a, b, terms.multiply(l, bend))
            for a, s in graph.arguments[y].items():
                _add(terms, slopes, (a,), terms.multiply(l, s))
    graph.run(nodes)
    left = Sums({(a,): l for (a,), l in slopes.items() if terms.nodes[a][0] != COORDINATE})
    return left | {(a, b): w for a, row in graph.W.items() for b, w in row.items() if a <= b}
