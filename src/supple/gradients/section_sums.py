"""Stiffness and damping of rods by the parameters of a design, from what these do at single nodes.

An entry of a rod's K is a sum over its nodes i,

    K_ab = sum_i X_i[k, l] phi_ia phi_ib,      X_i = w_i S_i,

S_i (6, 6) the stiffness of the section there, w_i the weight of the node [m], k and l the strains of the functions a
and b; D likewise.  While every X_i follows the radius at its own node only, K follows all of them, each by a factor of
its own: what is simple at nodes is not in the sum (`gradients.probe_plans`), so the sum is made of what is simple.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.gradients.array_slopes import numbers_of
from supple.gradients.probe_plans import Entries
from supple.robot.bodies.rod_table import RodTable

if TYPE_CHECKING:
    from supple.compilation.compiled import CompiledRobot

Array = np.ndarray


class RodNumbers(NamedTuple):
    """One rod: its nodes' numbers, and where they are among those of `with_sections`."""

    coordinates: range
    component: Array  #: (n,) strain of every function
    values: Array  #: (P, n) phi
    sections: tuple[Array, Array]  #: X (P, 6, 6) of K and of D
    first: int  #: place of the first X; those of D, then of phi follow


def with_sections(robot: CompiledRobot) -> list[Array]:
    """All arrays of a robot, and behind them X of K, X of D and phi of every rod."""
    arrays = numbers_of(robot)
    return [*arrays, *(array for rod in _rods(robot) for array in (*rod.sections, rod.values))]


class Sums(NamedTuple):
    """Numbers that are sums: entries (a, b) of K and D of rods, with those at (a, a) and (b, b): none is larger."""

    rows: Array  #: (k,)
    diagonal: tuple[Array, Array]  #: (k,) each

    def beside(self, sizes: Array) -> Array:
        """Sizes (size,) of all numbers, those of sums at least sqrt(aa bb): how far their terms may cancel."""
        found = sizes.copy()
        a, b = (sizes[own] for own in self.diagonal)
        found[self.rows] = np.maximum(sizes[self.rows], np.sqrt(a) * np.sqrt(b))
        return found


def rod_sums(robot: CompiledRobot) -> Sums:
    """All sums of a robot."""
    places, n, parts = _matrix_places(robot), len(robot.parameters.rest), [np.zeros((3, 0), np.int64)]
    for rod in _rods(robot):
        a, b = (x.reshape(-1) for x in np.meshgrid(rod.coordinates, rod.coordinates, indexing="ij"))
        parts += [first + np.array([a * n + b, a * n + a, b * n + b]) for first in places]
    rows, one, other = np.concatenate(parts, axis=1)
    return Sums(rows, (one, other))


def sum_entries(robot: CompiledRobot, known: Entries) -> Entries:
    """Entries of the sums, from those of all numbers of `with_sections`."""
    found = [Entries(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), known.size)]
    places, n = _matrix_places(robot), len(robot.parameters.rest)
    for rod in _rods(robot):
        size = rod.sections[0].size
        columns, phi = _dense(known, rod.first + 2 * size, rod.values)
        for m, X in enumerate(rod.sections):
            own, dX = _dense(known, rod.first + m * size, X)
            both = np.union1d(own, columns)
            slopes = _varied(rod, X, _spread(both, own, dX), _spread(both, columns, phi))
            j, a, b = np.nonzero(slopes)
            start = rod.coordinates.start
            rows = places[m] + (start + a) * n + start + b
            found.append(Entries(rows, both[j], slopes[j, a, b], known.size))
    parts = [np.concatenate(part) for part in list(zip(*found, strict=True))[:3]]
    return Entries(parts[0], parts[1], parts[2], known.size)


def _varied(rod: RodNumbers, X: Array, dX: Array, dphi: Array) -> Array:
    """Variations (c, n, n) of sum_i X_i phi phi along those of X (c, P, 6, 6) and of phi (c, P, n)."""
    out = np.zeros((len(dX), len(rod.component), len(rod.component)))
    runs = [slice(*np.searchsorted(rod.component, (k, k + 1))) for k in range(6)]
    for k, l in np.argwhere(X.any(axis=0) | dX.any(axis=(0, 1))).tolist():
        one, other = rod.values[:, runs[k]], rod.values[:, runs[l]]
        products = (one[:, :, None] * other[:, None, :]).reshape(len(X), -1)
        own = out[:, runs[k], runs[l]]
        own += (dX[:, :, k, l] @ products).reshape(own.shape)
        if dphi.any():
            own += np.einsum("cia,i,ib->cab", dphi[:, :, runs[k]], X[:, k, l], other)
            own += np.einsum("ia,i,cib->cab", one, X[:, k, l], dphi[:, :, runs[l]])
    return out


def _rods(robot: CompiledRobot) -> Iterator[RodNumbers]:
    """All rods whose functions are in the order of their strains."""
    first = sum(array.size for array in numbers_of(robot))
    for layout in robot.layouts:
        table = layout.table
        if isinstance(table, RodTable):
            w = table.weight[:, None, None]
            sections = w * table.section_stiffness, w * table.section_damping
            values = np.asarray(table.basis(table.s))
            yield RodNumbers(layout.body_coordinates, table.component, values, sections, first)
            first += 2 * sections[0].size + values.size


def _matrix_places(robot: CompiledRobot) -> tuple[int, int]:
    """Where K and D begin among all numbers."""
    places, first = {}, 0
    for array in numbers_of(robot):
        places[id(array)] = first
        first += array.size
    return places[id(robot.parameters.stiffness)], places[id(robot.parameters.damping)]


def _dense(known: Entries, first: int, like: Array) -> tuple[Array, Array]:
    """Parameters that an array follows, (c,), and its variations (c, *shape)."""
    own = (known.rows >= first) & (known.rows < first + like.size)
    columns, which = np.unique(known.columns[own], return_inverse=True)
    found = np.zeros((len(columns), like.size))
    found[which, known.rows[own] - first] = known.values[own]
    return columns, found.reshape(len(columns), *like.shape)


def _spread(columns: Array, own: Array, variations: Array) -> Array:
    """Variations of some parameters among those of more."""
    found = np.zeros((len(columns), *variations.shape[1:]))
    found[np.searchsorted(columns, own)] = variations
    return found
