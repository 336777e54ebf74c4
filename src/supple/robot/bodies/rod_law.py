"""A rod's law as numbers: its energy traced once, with stresses and tangents, at all Gauss nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bases.protocol import COMPONENTS
from supple.checks import Array
from supple.errors import ModelError, StateError
from supple.sections.rod_laws import RodLaw
from supple.tracing.program import evaluate, tabulate, trace
from supple.tracing.slopes import ancestors, slope
from supple.tracing.symbols import CONSTANT, COORDINATE, Symbols, symbols

if TYPE_CHECKING:
    from supple.fields.rod_elasticity import RodLawData

#: Below this, relative to the largest, a negative eigenvalue of a section's tangent at rest is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class RodLawTable:
    """The law of one rod; m Gauss nodes.

    Attributes
    ----------
    law : str
        Its name, for messages.
    energy, stress, slope : Symbols (1,), (6,), (6, 6)
        W, dW/de and d^2W/de^2 of the strains e and of numbers of the place.
    inputs : (m, k)
        These numbers: entries of the section's stiffness that are not zero, the station, and numbers of the law.
    s, weight, rest : (m,), (m,), (m, 6)
        Stations, weights [m] and rest strain of the nodes.
    linear : (m, 6, 6)
        Tangent at rest, as far as it is positive: what the stiffness of the model has of the law.
    free : tuple of bool
        Which components are not kept at rest.
    """

    law: str
    energy: Symbols
    stress: Symbols
    slope: Symbols
    inputs: np.ndarray
    s: np.ndarray
    weight: np.ndarray
    rest: np.ndarray
    linear: np.ndarray
    free: tuple[bool, ...]

    def stresses(self, inputs: Array, e: Array) -> tuple[Array, Array]:
        """dW/de (K, 6) and d^2W/de^2 (K, 6, 6) at strains e (K, 6) of places with these numbers, (K, k)."""
        both = symbols(np.concatenate([np.asarray(self.stress), np.asarray(self.slope).ravel()]))
        rows = [evaluate(both, inputs[k : k + 1], e[k])[0] for k in range(len(e))]
        found = np.array(rows).reshape(len(e), 42)
        return found[:, :6], found[:, 6:].reshape(-1, 6, 6)

    def data(self, nodes: list[int], note: np.ndarray) -> RodLawData:
        """What the kernel reads (`fields.rod_elasticity`); ``nodes`` are strain nodes of the model."""
        from supple.fields.rod_elasticity import MOST_NODES, RodLawData  # late: it loads kernels

        stress, slopes = list(np.asarray(self.stress)), np.asarray(self.slope)
        graph = self.energy[0].graph
        zero = graph.constant(0.0)
        given = [x if free else zero for x, free in zip(stress, self.free, strict=True)]
        bent = [
            slopes[i, j] if self.free[i] and self.free[j] else zero for i in range(6) for j in range(i, 6)
        ]
        wanted = [self.energy[0].index, *(x.index for x in given), *(x.index for x in bent)]
        needed = ancestors(graph, wanted)
        moving = [i for i in needed if graph.of_q[i] and graph.rows[i][0] >= 0]
        used = {a for i in moving for a in graph.rows[i][1:]} | set(wanted)
        constants = [i for i in sorted(used) if graph.rows[i][0] == CONSTANT]
        tables = [i for i in sorted(used) if graph.of_x[i] and not graph.of_q[i]]
        number = {i: len(constants) + graph.rows[i][1] for i in needed if graph.rows[i][0] == COORDINATE}
        number |= {i: k for k, i in enumerate(constants)}
        number |= {i: len(constants) + 6 + k for k, i in enumerate((*tables, *moving))}
        size = len(constants) + 6 + len(tables) + len(moving)
        if size > MOST_NODES:
            raise ModelError(
                f"{self.law}: the energy with its derivatives takes {size} numbers, at most {MOST_NODES} are possible: "
                "write it shorter, or keep more strains at rest"
            )
        rows = [(code, number[a[0]], number[a[-1]]) for code, *a in (graph.rows[i] for i in moving)]
        values = tabulate(graph, needed, self.inputs)
        stops = [sum(i <= max(wanted[:k]) for i in moving) for k in (1, 7)]  # made in this order
        return RodLawData(
            where=np.array(nodes, dtype=np.int64).reshape(-1, 1),
            numbers=np.array([[*stops, len(moving)]], dtype=np.int64),
            ops=np.array(rows, dtype=np.int64).reshape(-1, 3),
            outputs=np.array([[number[i]] for i in wanted], dtype=np.int64),
            weights=self.weight.reshape(-1, 1).copy(),
            rest=np.ascontiguousarray(self.rest),
            linear=np.ascontiguousarray(self.linear.reshape(-1, 36)),
            constants=np.array([[graph.rows[i][1] for i in constants]], dtype=float).reshape(1, -1),
            tables=np.array([values[i] for i in tables], dtype=float).reshape(len(tables), len(nodes)).T.copy(),
            note=note,
        )


class LawNote:
    """Tells which rod's law failed, and where.

    Attributes
    ----------
    note : (1, 8)
        [whether it failed, at which node, strains], written by the kernel.
    """

    def __init__(self, link: str, law: RodLawTable) -> None:
        self.link, self.law, self.s, self.note = link, law.law, law.s, np.zeros((1, 8))

    @property
    def scratch(self) -> tuple[np.ndarray, ...]:
        """Arrays of the load's data that are not part of what it is."""
        return (self.note,)

    def explain(self) -> None:
        """Raise what went wrong when the law failed last, if it did."""
        failed, place, *e = self.note[0].tolist()
        self.note[:] = 0.0
        if failed:
            told = ", ".join(f"{name} {x:.4g}" for name, x in zip(COMPONENTS, e, strict=True) if x)
            raise StateError(
                f"link {self.link!r}: {self.law} is not finite at s = {self.s[int(place)]:.3f}, where the strain less "
                f"that at rest is {told or 'zero'}"
            )


def trace_law(law: RodLaw, s: Array, weight: Array, rest: Array, stiffness: Array, components: Array) -> RodLawTable:
    """Trace a law for a rod with Gauss nodes at s (m,), rest strains (m, 6) and stiffness (m, 6, 6) there.

    ``components`` (n,) are those of the free strains.  Raises `ModelError` for what cannot be traced, is not finite at
    rest, or leaves a free strain without resistance.
    """
    what = f"law {type(law).__name__}"
    law.check(stiffness)
    entries = [(i, j) for i in range(6) for j in range(i, 6) if stiffness[:, i, j].any()]
    numbers = law.numbers()

    def energy(x: Any, e: Any) -> Any:
        K = np.zeros((6, 6), dtype=object)
        for k, (i, j) in enumerate(entries):
            K[i, j] = K[j, i] = x[k]
        s, *own = x[len(entries) :]
        W = law.energy_with(dict(zip(numbers, own, strict=True)), e, symbols(K), s)
        return np.reshape(np.array(W, dtype=object), -1)

    W = trace(energy, 6, len(entries) + 1 + len(numbers), (1,), what)
    stress = symbols([slope(W, COORDINATE, i)[0] for i in range(6)])
    bent = symbols([np.asarray(slope(stress, COORDINATE, i)) for i in range(6)])
    free = tuple(bool((components == i).any()) for i in range(6))
    for i in range(6):
        if free[i] and not stress[i].graph.of_q[stress[i].index]:
            raise ModelError(
                f"{what}: {COMPONENTS[i]} is free, but the law does not resist it: add it, or set {COMPONENTS[i]}=None"
            )
    own = (np.full(len(s), value) for value in numbers.values())
    inputs = np.column_stack([*(stiffness[:, i, j] for i, j in entries), s, *own])
    table = RodLawTable(what, W, stress, bent, inputs, s, weight, rest, np.zeros_like(stiffness), free)
    at_rest, tangent = table.stresses(inputs, np.zeros((len(s), 6)))
    for name, values in (("energy", evaluate(W, inputs, np.zeros(6))), ("stress", at_rest), ("slope", tangent)):
        if not np.isfinite(values).all():
            raise ModelError(f"{what}: its {name} at rest (e = 0) is not finite, must be smooth there")
    object.__setattr__(table, "linear", _positive(tangent))
    return table


def _positive(tangent: Array) -> Array:
    """Symmetric matrices (m, 6, 6) without their negative parts: laws may soften at rest, metrics may not."""
    sums = 0.5 * (tangent + tangent.swapaxes(1, 2))
    values, vectors = np.linalg.eigh(sums)
    soft = values[:, 0] < -ROUNDING * np.abs(values).max(axis=1)
    kept = np.einsum("mik,mk,mjk->mij", vectors, np.maximum(values, 0.0), vectors)
    return np.asarray(np.where(soft[:, None, None], kept, sums))
