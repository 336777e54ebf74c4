"""Strains and stress resultants along rods.

Two answers to "what does the rod feel at s":

* `stress`: what the material says, stiffness (xi - rest) (or dW/dxi of a rod's law) + damping xi', and what tendons
  and chambers add.  Strains that are kept at rest have no such stress.
* `readouts.inner_forces`: what balance says.

The two agree where the basis can follow the load; their difference tells how well.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.loads.lines.routed import lines
from supple.loads.lines.spans import paths
from supple.readouts import parts
from supple.readouts.parts import State
from supple.readouts.results import Stress, StressDerivatives
from supple.readouts.tensions import tension_derivatives
from supple.robot.bodies.rod_table import SAME_STATION

if TYPE_CHECKING:
    from supple.compilation.binder import Bound
    from supple.compilation.layout import LinkLayout
    from supple.model.model import Model
    from supple.robot.bodies.rod_law import RodLawTable

Array = np.ndarray

#: Sets of stations remembered.
MOST_SECTIONS = 32

#: While numbers overflow: what came of it is looked at in the end, and the state behind it is named.
OVERFLOWS = partial(np.errstate, over="ignore", invalid="ignore")

#: Points through which properties of sections are interpolated, at most: enough for a linear taper, too few to swing.
WINDOW = 6


class _Line(NamedTuple):
    """A tendon or chamber through the sections of one rod."""

    name: str
    scale: Array  #: (K,) 1 for a tension, minus the area for a pressure; 0 beyond its end
    P: Array  #: (K, 3, 6): the line's tangent is P xi + slope
    slope: Array  #: (K, 3) d' = (0, dy/dX, dz/dX)

    def direction(self, xi: Array) -> tuple[Array, Array]:
        """c P^T t (K, 6) per unit of tension or pressure, and by the strain (K, 6, 6) (`loads.lines.routed`)."""
        T = np.einsum("kij,kj->ki", self.P, xi) + self.slope
        size = np.linalg.norm(T, axis=1)
        b = np.einsum("kji,kj->ki", self.P, T / size[:, None])
        slope = np.einsum("kji,kjl->kil", self.P, self.P) - b[:, :, None] * b[:, None, :]
        return self.scale[:, None] * b, (self.scale / size)[:, None, None] * slope


class _Law(NamedTuple):
    """A nonlinear law at some stations."""

    table: RodLawTable
    inputs: Array  #: (K, k) numbers of the section


class Sections(NamedTuple):
    """What is known of a rod at K stations, whatever the state."""

    s: Array  #: (K,)
    rest: Array  #: (K, 6) rest strain
    Phi: Array  #: (K, 6, n): strain = rest + Phi q
    stiffness: Array  #: (K, 6, 6)
    damping: Array  #: (K, 6, 6)
    lines: tuple[_Line, ...]
    law: _Law | None = None

    def elastic(self, e: Array) -> tuple[Array, Array]:
        """Elastic stress (K, 6) at strains e (K, 6) less those at rest, and its slope (K, 6, 6)."""
        if self.law is None:
            return np.einsum("kij,kj->ki", self.stiffness, e), self.stiffness
        return self.law.table.stresses(self.law.inputs, e)


def sections(model: Model, link: str, s: ArrayLike) -> Sections:
    """Sections of a rod at stations s, remembered for the next state."""
    layout, places = parts.rod_of(model, link), parts.stations(link, s)
    store: dict[tuple[str, bytes], Sections] = parts.kept(model, "sections", dict)
    key = link, places.tobytes()
    found = store.get(key)
    if found is None:
        if len(store) >= MOST_SECTIONS:
            store.clear()
        found = store[key] = _make_sections(model, layout, places)
    return found


def _make_sections(model: Model, layout: LinkLayout, places: Array) -> Sections:
    rod, first = layout.rod, layout.coordinates.start + layout.joint_dof
    assert rod is not None
    Phi = np.zeros((len(places), 6, model.n))
    for row, x in zip(Phi, places.tolist(), strict=True):
        row[rod.component, np.arange(first, first + rod.n)] = rod.basis(x)
    rest = np.array([rod.rest_strain(x) for x in places.tolist()]).reshape(-1, 6)
    nodes = rod.weight > 0.0
    matrices = np.stack([rod.section_stiffness[nodes], rod.section_damping[nodes]], axis=1)
    found = interpolated(rod.s[nodes], matrices, places, rod.breaks)
    lines = tuple(_lines_through(model, layout, places))
    law = None
    if rod.law is not None:
        law = _Law(rod.law, interpolated(rod.law.s, rod.law.inputs, places, rod.breaks))
    return Sections(places, rest, Phi, found[:, 0], found[:, 1], lines, law)


def strain_matrix(model: Model, link: str, s: ArrayLike) -> Array:
    """Phi (K, 6, n): strain = rest strain + Phi q at stations s (K,); (6, n) at one station."""
    return np.array(parts.one_or_many(s, sections(model, link, s).Phi))


def strain(model: Model, state: State, link: str, s: ArrayLike) -> Array:
    """Strain (K, 6) at stations s (K,): torsion, bend_y, bend_z [1/m], stretch, shear_y, shear_z."""
    found = sections(model, link, s)
    with OVERFLOWS():
        xi = found.rest + found.Phi @ state.q
    return np.asarray(parts.one_or_many(s, model.arguments.finite(xi, q=state.q)))


def strain_rate(model: Model, state: State, link: str, s: ArrayLike) -> Array:
    """Rate (K, 6) of the strain."""
    return np.asarray(parts.one_or_many(s, sections(model, link, s).Phi @ state.v))


# ---------------------------------------------------------------------- by the law of the material


def stress(model: Model, state: State, link: str, s: ArrayLike) -> Stress:
    """Stress resultants at stations s (K,)."""
    found = sections(model, link, s)
    tension = model.lines(state.q, state.v, state.u, state.t) if found.lines else {}
    actuation = np.zeros((len(found.s), 6))
    with OVERFLOWS():
        xi = found.rest + found.Phi @ state.q
        elastic, _ = found.elastic(found.Phi @ state.q)
        viscous = np.einsum("kij,kj->ki", found.damping, found.Phi @ state.v)
        for line in found.lines:
            actuation += tension[line.name].tension * line.direction(xi)[0]
    model.arguments.finite(elastic + viscous + actuation, q=state.q, v=state.v)
    result: Stress = parts.one_or_many(s, Stress(elastic, viscous, actuation))
    return result


def stress_derivatives(model: Model, state: State, link: str, s: ArrayLike) -> StressDerivatives:
    """Derivatives of the total of `stress` by q and v."""
    found = sections(model, link, s)
    xi = found.rest + found.Phi @ state.q
    dq, dv = found.elastic(found.Phi @ state.q)[1] @ found.Phi, found.damping @ found.Phi
    for line in found.lines:
        direction, slope = line.direction(xi)
        pull = tension_derivatives(model, state, line.name)
        dq += pull.tension * slope @ found.Phi + direction[:, :, None] * pull.dq
        dv += direction[:, :, None] * pull.dv
    result: StressDerivatives = parts.one_or_many(s, StressDerivatives(dq, dv))
    return result


def _lines_through(model: Model, layout: LinkLayout, places: Array) -> Iterator[_Line]:
    """Tendons and chambers that run through a rod, where they are at some stations."""
    number, rod = model.link_index(layout.name), layout.rod
    assert rod is not None
    for load in model.loads:
        values, table = _line_data(load)
        own = table[:, 0] == number
        if not own.any():
            continue
        weight = table[own, 2]
        scaled = np.column_stack([-values[own, 0] / weight, values[own, 1:]])  # coefficients are those of forces
        c, y, z, dy, dz = interpolated(table[own, 1], scaled, places, rod.breaks).T
        end = weight.sum() / rod.length
        P = np.zeros((len(places), 3, 6))
        P[:, range(3), range(3, 6)] = 1.0
        P[:, 0, 1], P[:, 0, 2], P[:, 1, 0], P[:, 2, 0] = z, -y, -z, y
        yield _Line(load.name, np.where(places <= end + SAME_STATION, c, 0.0), P, np.column_stack([0.0 * y, dy, dz]))


def _line_data(load: Bound) -> tuple[Array, Array]:
    """Coefficients (m, 5) and `loads.lines.routes.line_table` (m, 3) of a line's points in rods, if it has."""
    if load.kernel.function in (lines.function, paths.function) or hasattr(load.data, "path"):
        return load.data.line, load.data.table
    return np.zeros((0, 5)), np.zeros((0, 3))


def interpolated(nodes: Array, values: Array, x: Array, breaks: tuple[float, ...]) -> Array:
    """Values (K, ...) at x (K,) of a polynomial through the nearest nodes (m,) of the same piece of a rod."""
    edges = np.array([0.0, *breaks, 1.0])
    out = np.empty((len(x), *values.shape[1:]))
    for k, y in enumerate(x.tolist()):
        piece = int(np.clip(np.searchsorted(edges, y, side="right") - 1, 0, len(edges) - 2))
        own = np.flatnonzero((nodes >= edges[piece]) & (nodes <= edges[piece + 1]))
        if own.size == 0:  # beyond the end of a line
            own = np.array([np.abs(nodes - y).argmin()])
        own = own[np.argsort(np.abs(nodes[own] - y))[:WINDOW]]
        out[k] = np.tensordot(_lagrange(nodes[own], y), values[own], axes=1)
    return out


def _lagrange(nodes: Array, y: float) -> Array:
    """Weights (m,) of values at the nodes in the value at y."""
    difference = nodes[:, None] - nodes[None, :]
    np.fill_diagonal(difference, 1.0)
    factor = np.tile(y - nodes, (len(nodes), 1))
    np.fill_diagonal(factor, 1.0)
    return np.asarray((factor / difference).prod(axis=1))
