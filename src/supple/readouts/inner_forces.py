"""Inner forces of rods from balance, and their derivatives.

The rod is cut at s; the wrench across the cut is the resultant of all that acts on the part beyond, inertia included.
What acts at points is summed.  What acts per metre is known at Gauss nodes: a polynomial through them is integrated
from s to the end of each piece, so that at the base it is the sum over all nodes, the joint's reaction.

Contacts at stations that sleep until something is near (`core.dormant`) act on the point before them in the sweeps, not
where they touch.  So they are omitted from the sweeps here, and added pair by pair (`readouts.contact`).

**Derivatives.**  `Model.tangent_product` carries the variation of every wrench along a direction x inward.  At the
segment i, whose start moves by zeta = J x, it leaves dF_i as an observer there sees it; to the world the resultant

    varies by dF_i + ad*_zeta F_i,

and what acts on one point is the difference to what hangs on it, as for the resultants themselves.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import ArrayLike

from supple.readouts import parts
from supple.readouts.contact import contact_names, forces, meeting, pair_derivatives, touching
from supple.readouts.followers import by_state, of_all_coordinates
from supple.readouts.parts import State
from supple.readouts.reaction import cut, padded
from supple.readouts.results import InnerForceDerivatives

if TYPE_CHECKING:
    from supple.compilation.layout import LinkLayout
    from supple.model.model import Model
    from supple.robot.bodies.rod_table import RodTable

Array = np.ndarray


@of_all_coordinates()
def inner_forces(model: Model, state: State, link: str, s: ArrayLike) -> Array:
    """Wrench (K, 6) [moment; force] of the part beyond each cut on the part before, in the section's frame."""
    layout, places = parts.rod_of(model, link), parts.stations(link, s)
    total = _sum_beyond(layout, places, *(_own_wrenches(part, state, layout) for part in _swept_parts(model)))
    for x, wrench in _sleepers(model, state, layout):
        total[places <= x] += wrench
    poses = model.poses(state.q, [(link, x) for x in places.tolist()])
    return np.asarray(parts.one_or_many(s, _seen_from_sections(poses, total)))


@of_all_coordinates(by_state)
def inner_force_derivatives(model: Model, state: State, link: str, s: ArrayLike) -> InnerForceDerivatives:
    """The same with its derivatives by q, v and a, (K, 6, n) each; inputs and multipliers are held."""
    layout, places = parts.rod_of(model, link), parts.stations(link, s)
    wrench = np.atleast_2d(inner_forces(model, state, link, places))
    varied = _sum_beyond(layout, places, *(_own_variations(part, state, layout) for part in _swept_parts(model)))
    for x, columns in _sleeping_variations(model, state, layout):
        varied[places <= x] += columns
    stations = [model.station(state.q, state.v, link, x) for x in places.tolist()]
    poses = np.array([station.pose for station in stations]).reshape(-1, 4, 4)
    seen = _seen_from_sections(poses, varied)
    dq, dv, da = (seen[:, :, k * model.n : (k + 1) * model.n].copy() for k in range(3))
    for k, station in enumerate(stations):
        # the section turns and moves by its body Jacobian: d(R^T f) = R^T df - w x R^T f, moments likewise
        turn, shift = station.jacobian[:3], station.jacobian[3:]
        moment, force = wrench[k, :3], wrench[k, 3:]
        dq[k, :3] += parts.cross_columns(moment, turn) + parts.cross_columns(force, shift)
        dq[k, 3:] += parts.cross_columns(force, turn)
    result: InnerForceDerivatives = parts.one_or_many(s, InnerForceDerivatives(wrench, dq, dv, da))
    return result


def _seen_from_sections(poses: Array, wrench: Array) -> Array:
    """Wrenches (K, 6, ...) about the world's origin in the axes and about the middle of sections (K, 4, 4).

    With the other sign: F is what the inner part must do to the outer one; the other way round, tension is positive.
    """
    columns = _columns(wrench)
    R, p = poses[:, :3, :3], poses[:, :3, 3]
    force = columns[:, 3:]
    moment = columns[:, :3] - parts.cross_columns(p, force)
    seen = 0.0 - np.concatenate([np.einsum("kji,kjm->kim", R, x) for x in (moment, force)], axis=1)
    return seen.reshape(wrench.shape)


def _columns(wrench: Array) -> Array:
    """Wrenches (K, 6, ...) as columns (K, 6, m); there may be none."""
    return wrench.reshape(len(wrench), 6, math.prod(wrench.shape[2:]))


# ---------------------------------------------------------------------- what the sweeps know


class _Part(NamedTuple):
    """A model whose sweeps are read: all that acts (with what hangs on a rod), or only what is spread along rods."""

    model: Model
    whole: bool


def _swept_parts(model: Model) -> tuple[_Part, _Part]:
    awake = parts.with_loads(model, "awake", lambda load: load.name not in _sleeping_contacts(model))
    return _Part(awake, True), _Part(parts.with_loads(model, "spread", lambda load: load.spread), False)


def _sum_beyond(layout: LinkLayout, places: Array, point: Array, spread: Array) -> Array:
    """(K, 6, ...) sum beyond each station of what acts at the points of a rod, (S, 6, ...); some of it ``spread``."""
    rod = layout.rod
    assert rod is not None
    total = np.zeros((len(places), *point.shape[1:]))
    nodes = np.flatnonzero(rod.weight > 0.0)
    at_nodes = [layout.segments[i - 1] for i in nodes]
    for segment, x in _stations_of(layout).items():
        if segment < len(point):
            total[places <= x] += point[segment] - (spread[segment] if segment in at_nodes else 0.0)
    density = np.array([spread[k] / rod.weight[i] for k, i in zip(at_nodes, nodes, strict=True)])
    return np.asarray(total + integrals(rod, nodes, density, places))


def _stations_of(layout: LinkLayout) -> dict[int, float]:
    """s of every segment of a rod."""
    assert layout.rod is not None
    chain = zip(layout.segments, layout.rod.s[1:].tolist(), strict=True)
    return dict(chain) | {segment: s for s, segment in layout.between.items()}


def _own(part: _Part, opened: Model, layout: LinkLayout, resultant: Array) -> Array:
    """What acts on each point of a rod, from resultants (S, 6, ...); of the whole with children that hang there."""
    blocks, rod_block = opened.topology.blocks, layout.blocks[-1] + 1
    own = resultant.copy()
    for b in range(len(blocks)):
        if part.whole and b != rod_block:
            continue
        span = np.arange(blocks[b]["first"], blocks[b]["first"] + blocks[b]["active"])
        np.subtract.at(own, opened.topology.parents[span], resultant[span])
    last = int(blocks[rod_block]["first"] + blocks[rod_block]["active"])
    return own[:last]  # nothing acts on what lies beyond: a massless tip, stations asleep


def _own_wrenches(part: _Part, state: State, layout: LinkLayout) -> Array:
    """(S, 6) on the points of a rod, about the world's origin."""
    opened = cut(part.model, layout.name)
    space, origin = parts.swept(opened, padded(state))
    return _about_world(origin, _own(part, opened, layout, np.array(space.work["F"])))


def _own_variations(part: _Part, state: State, layout: LinkLayout) -> Array:
    """(S, 6, 3 n): how they vary with q, v and a."""
    opened, n = cut(part.model, layout.name), part.model.n
    closed = padded(state)
    varied = np.empty((len(opened.topology.parents), 6, 3, n))
    for j in range(n):
        for k, (cv, ca) in enumerate([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]):
            varied[:, :, k, j] = _varied_resultants(opened, closed, j, cv, ca)
    varied[:, :, 1:] -= varied[:, :, :1]  # the product is that of d/dq + c_v d/dv + c_a d/da
    _, origin = parts.swept(opened, closed)
    return _about_world(origin, _own(part, opened, layout, varied.reshape(len(varied), 6, 3 * n)))


def _varied_resultants(opened: Model, state: State, j: int, cv: float, ca: float) -> Array:
    """(S, 6): the resultants' variation along coordinate j, seen from the world."""
    direction = np.zeros(opened.n)
    direction[j] = 1.0
    q, v, a, u, lam, t, z = state
    opened.tangent_product(q, v, a, direction, cv, ca, False, u, t, lam, z)
    work: Any = opened.workspace.own()[0].work
    moved, F = work["dZ"][opened.topology.parents], work["F"]
    turn, shift = moved[:, :3], moved[:, 3:]
    carried = np.hstack([np.cross(turn, F[:, :3]) + np.cross(shift, F[:, 3:]), np.cross(turn, F[:, 3:])])
    return np.asarray(work["dF"] + carried)


def _about_world(origin: Array, wrench: Array) -> Array:
    """Wrenches (S, 6, ...) about the common origin, about the world's."""
    columns = _columns(wrench).copy()
    columns[:, :3] += parts.cross_columns(origin, columns[:, 3:])
    return columns.reshape(wrench.shape)


def integrals(rod: RodTable, nodes: Array, density: Array, places: Array) -> Array:
    """(K, ...) integral over X from each station to the tip of what has a density (m, ...) at Gauss nodes.

    In every piece the polynomial through its nodes: sum of c_k P_k with c_k = (2 k + 1)/2 sum w P_k f, and
    the integral of P_k from x to 1 is (P_{k-1} - P_{k+1})(x) / (2 k + 1).
    """
    edges, s = np.array([0.0, *rod.breaks, 1.0]), rod.s[nodes]
    flat = density.reshape(len(density), -1)
    total = np.zeros((len(places), flat.shape[1]))
    for lo, hi in pairwise(edges.tolist()):
        own = (s > lo) & (s < hi)
        half = 0.5 * (hi - lo) * rod.length
        x = 2.0 * (s[own] - lo) / (hi - lo) - 1.0
        degree = int(own.sum()) - 1
        V = legendre.legvander(x, degree)
        orders = np.arange(degree + 1)
        c = (orders[:, None] + 0.5) * (V.T @ ((rod.weight[nodes][own] / half)[:, None] * flat[own]))
        y = legendre.legvander(np.clip(2.0 * (places - lo) / (hi - lo) - 1.0, -1.0, 1.0), degree + 1)
        I = np.empty((len(places), degree + 1))
        I[:, 0] = 1.0 - y[:, 1]
        I[:, 1:] = (y[:, :degree] - y[:, 2:]) / (2 * orders[1:] + 1)
        total += half * I @ c
    return total.reshape(len(places), *density.shape[1:])


# ---------------------------------------------------------------------- contacts at stations that sleep


def _sleeping_contacts(model: Model) -> frozenset[str]:
    """Names of contacts at stations that no sweep visits."""
    found: frozenset[str] = parts.kept(model, "sleeping contacts", lambda: frozenset(_find_sleeping(model)))
    return found


def _find_sleeping(model: Model) -> list[str]:
    if not model.demand.dormant:
        return []
    blocks, owner = model.topology.blocks, model.topology.owner
    asleep = np.arange(len(owner)) >= blocks["first"][owner] + blocks["active"][owner]
    asleep[0] = False
    return [name for name in contact_names(model) if asleep[meeting(model, name).where].any()]


def _place_beyond(model: Model, layout: LinkLayout, segment: int) -> float:
    """s on a rod at which a segment hangs, of the rod or of what it carries; -1 if it does not hang on the rod."""
    stations = _stations_of(layout)
    while segment and segment not in stations:
        segment = int(model.topology.parents[segment])
    return stations.get(segment, -1.0)


def _sleepers(model: Model, state: State, layout: LinkLayout) -> list[tuple[float, Array]]:
    """s and wrench (6,), as in F, about the world's origin, of all contacts on or beyond a rod."""
    found = []
    for name in _sleeping_contacts(model):
        touched = meeting(model, name)
        chosen = np.flatnonzero(touching(touched, state))
        pairs = forces(touched, state, chosen)
        wrenches = np.hstack([np.cross(pairs.point, pairs.force), pairs.force])
        for sides, wrench in zip(touched.where[chosen].tolist(), wrenches, strict=True):
            for segment, sign in zip(sides, (-1.0, 1.0), strict=True):  # F is inertia less loads
                found.append((_place_beyond(model, layout, segment), sign * wrench))
    return found


def _sleeping_variations(model: Model, state: State, layout: LinkLayout) -> list[tuple[float, Array]]:
    """The same for the columns (6, 3 n) of their derivatives."""
    found = []
    for name in _sleeping_contacts(model):
        touched = meeting(model, name)
        chosen = np.flatnonzero(touching(touched, state))
        dq, dv, origin = pair_derivatives(touched, state, chosen)
        columns = np.concatenate([dq, dv, np.zeros_like(dq)], axis=2)
        for sides, varied in zip(touched.where[chosen].tolist(), _about_world(origin, columns), strict=True):
            for segment, sign in zip(sides, (-1.0, 1.0), strict=True):
                found.append((_place_beyond(model, layout, segment), sign * varied))
    return found
