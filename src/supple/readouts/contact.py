"""Forces of a contact, pair by pair, and their derivatives.

With W = [x x f; f] on a, z = zeta_a - zeta_b and the tangents G, D of `loads.contact.force`, an observer in the world
sees b's observer turn, too:

    dW = G z + D z' + ad*_zeta_b W,      zeta = J dq,      zeta' = R dq + J dv,      d(gap) = n . (z_v + z_w x x).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.checks import flag
from supple.loads.contact.kernel import ContactData, contacts
from supple.readouts import parts
from supple.readouts.followers import contact_by_state, of_all_coordinates, states_of_all
from supple.readouts.kernels import CONTACT_PAIRS, FORCE, GAP, NORMAL, POINT, SLIP, WIDTH
from supple.readouts.parts import State
from supple.readouts.results import ContactDerivatives, ContactForces

if TYPE_CHECKING:
    from supple.model.model import Model

Array = np.ndarray


class Meeting(NamedTuple):
    """A contact of a model, and which pairs of its spheres and surfaces may touch."""

    name: str
    part: Model  #: the contact alone
    pairs: Array  #: (M, 4) ints [sphere, surface, 0, 0]
    where: Array  #: (M, 2) ints: segments of both
    places: tuple[tuple[tuple[str, float], ...], tuple[tuple[str, float], ...]]  #: (link, s) of all spheres, surfaces
    law: Array  #: stiffness, exponent, damping, friction, slip velocity
    weight: Array  #: (M,) of the spheres


def contact_names(model: Model) -> tuple[str, ...]:
    """Names of all contacts."""
    labels = parts.load_labels(model)
    return tuple(labels[i] for i in _contacts(model))


def _contacts(model: Model) -> tuple[int, ...]:
    return tuple(i for i, load in enumerate(model.loads) if load.kernel.function is contacts.function)


def meeting(model: Model, name: str) -> Meeting:
    """A contact by name."""
    index = parts.find_load(model, name, "contact", _contacts(model))
    found: Meeting = parts.kept(model, ("contact", index), lambda: _meeting(model, index, name))
    return found


def _meeting(model: Model, index: int, name: str) -> Meeting:
    data = model.loads[index].data
    assert isinstance(data, ContactData)
    spheres, surfaces = np.nonzero(data.skip == 0)
    pairs = np.zeros((len(spheres), 4), dtype=np.int64)
    pairs[:, 0], pairs[:, 1] = spheres, surfaces
    segments = np.stack([data.sphere_segments[spheres, 0], data.surfaces[surfaces, 0]], axis=1)
    names, tables = (*model.link_names, "world"), (data.sphere_places, data.surface_places)
    a, b = (tuple((names[int(link)], s) for link, s in table.tolist()) for table in tables)
    weight = data.spheres[spheres, 2]
    return Meeting(name, parts.alone(model, index), pairs, segments, (a, b), data.law[0], weight)


def measure(found: Meeting, state: State, pairs: Array, tangent: bool = False) -> tuple[Array, Array, Array]:
    """Rows (m, 13) of `CONTACT_PAIRS` for some pairs, the common origin (3,), tangents (2, m, 6, 6) if asked for."""
    part, count = found.part, len(pairs)
    _, origin = parts.swept(part, state, tangent)
    rows, tangents = np.empty((count, WIDTH)), np.empty((2, count, 6, 6) if tangent else 0)
    at = tangents if tangent else 0
    work = part.workspace
    CONTACT_PAIRS(work.tree, work.own()[1], work.load_data[0], np.ascontiguousarray(pairs), count, rows, at)
    return rows, origin.copy(), tangents


def touching(found: Meeting, state: State) -> Array:
    """(M,) bool: which of all pairs overlap."""
    return np.asarray(measure(found, state, found.pairs)[0][:, GAP] < 0.0)


@of_all_coordinates()
def contact(model: Model, state: State, name: str, every_pair: bool = False) -> ContactForces:
    """Forces of the pairs that touch, or of every pair."""
    found = meeting(model, name)
    chosen = np.full(len(found.pairs), True) if flag(every_pair, "every_pair") else touching(found, state)
    return forces(found, state, np.flatnonzero(chosen))


def forces(found: Meeting, state: State, chosen: Array) -> ContactForces:
    """Forces of the ``chosen`` pairs (indices)."""
    rows, origin, _ = measure(found, state, found.pairs[chosen])
    gap, normal, force = rows[:, GAP], rows[:, NORMAL : NORMAL + 3], rows[:, FORCE : FORCE + 3]
    point, velocity = origin + rows[:, POINT : POINT + 3], np.nan_to_num(rows[:, SLIP : SLIP + 3], nan=0.0)
    press = np.einsum("ij,ij->i", force, normal)
    friction = force - press[:, None] * normal
    approach = -np.einsum("ij,ij->i", velocity, normal)
    stiffness, exponent = found.law[:2]
    elastic = found.weight[chosen] * stiffness * np.maximum(-gap, 0.0) ** exponent
    power = np.einsum("ij,ij->i", force, velocity)
    lost = (press - elastic) * approach - np.einsum("ij,ij->i", friction, velocity)
    total = np.concatenate([np.cross(point, force).sum(axis=0), force.sum(axis=0)])
    a, b = (_chosen(found, chosen, k) for k in range(2))
    return ContactForces(found.name, a, b, gap, point, normal, force, friction, velocity, power, lost, total)


def _chosen(found: Meeting, chosen: Array, side: int) -> tuple[tuple[str, float], ...]:
    return tuple(found.places[side][i] for i in found.pairs[chosen, side].tolist())


@of_all_coordinates(contact_by_state)
def contact_derivatives(model: Model, state: State, name: str, every_pair: bool = False) -> ContactDerivatives:
    """Derivatives of `contact` by q and v, pairs in the same order."""
    found = meeting(model, name)
    chosen = np.arange(len(found.pairs)) if flag(every_pair, "every_pair") else np.flatnonzero(touching(found, state))
    dq, dv, origin, gap = _pair_derivatives(found, state, chosen)
    sums = [_about_world(origin, x.sum(axis=0)) for x in (dq, dv)]
    return ContactDerivatives(gap, dq[:, 3:], dv[:, 3:], *sums)


def pair_derivatives(found: Meeting, state: State, chosen: Array) -> tuple[Array, Array, Array]:
    """d/dq and d/dv (m, 6, n) of the wrenches on a of the ``chosen`` pairs, about the common origin (3,), given too."""
    return _pair_derivatives(found, state, chosen)[:3]


def _pair_derivatives(found: Meeting, state: State, chosen: Array) -> tuple[Array, Array, Array, Array]:
    """The same, and the derivatives (m, n) of gaps by q."""
    rows, origin, (G, D) = measure(found, state, found.pairs[chosen], tangent=True)
    point, normal, force = (rows[:, k : k + 3] for k in (POINT, NORMAL, FORCE))
    segments, index = np.unique(found.where[chosen], return_inverse=True)
    J, R = parts.segment_columns(found.part, segments)
    index = index.reshape(-1, 2)
    Ja, Jb, Ra, Rb = J[index[:, 0]], J[index[:, 1]], R[index[:, 0]], R[index[:, 1]]
    z = Ja - Jb
    moment = np.cross(point, force)
    turn, shift = Jb[:, :3], Jb[:, 3:]
    # ad*_zeta [m; f] = [w x m + v x f; w x f]
    carried_moment = -parts.cross_columns(moment, turn) - parts.cross_columns(force, shift)
    carried = np.concatenate([carried_moment, -parts.cross_columns(force, turn)], axis=1)
    dq, dv = G @ z + D @ (Ra - Rb) + carried, D @ z
    gap = np.einsum("mi,mij->mj", normal, z[:, 3:] - parts.cross_columns(point, z[:, :3]))
    return dq, dv, origin, gap


def _about_world(origin: Array, columns: Array) -> Array:
    """Columns (6, n) of a wrench about the common origin, about the world's."""
    moved = columns.copy()
    moved[:3] += parts.cross_columns(origin, columns[3:])
    return moved


def contact_along(model: Model, states: list[State], name: str, every_pair: bool = False) -> list[ContactForces]:
    """Forces of the same pairs at all states: those that touch at least once, or all."""
    model, states = states_of_all(model, states)
    found = meeting(model, name)
    chosen = np.full(len(found.pairs), flag(every_pair, "every_pair"))
    if not every_pair:
        for state in states:
            chosen |= touching(found, state)
    indices = np.flatnonzero(chosen)
    return [forces(found, state, indices) for state in states]
