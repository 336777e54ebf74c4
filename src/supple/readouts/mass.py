"""Masses and the centre of mass: sums over all points, without the fluid that moves with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.loads.fluid.fluid import fluid
from supple.readouts import parts
from supple.readouts.followers import centre_by_state, of_all_coordinates
from supple.readouts.parts import State
from supple.readouts.results import CenterOfMass, Mass

if TYPE_CHECKING:
    from supple.compilation.binder import Bound
    from supple.model.model import Model

Array = np.ndarray


def is_fluid(load: Bound) -> bool:
    """Whether a load is a `Fluid`."""
    return load.kernel.function is fluid.function


def dry_moments(model: Model) -> Array:
    """(S, 4): mass [kg] and first moment [kg m] of every segment's end in its own frame."""
    table: Array = parts.kept(model, "dry", lambda: _dry_moments(model))
    return table


def _dry_moments(model: Model) -> Array:
    moments = np.array(model.parameters.segments["net_mass"])
    for load in filter(is_fluid, model.loads):
        water = load.data
        # the weight of the displaced fluid is what the load takes off beside that of the added mass
        displaced = water.weight.reshape(-1, 6, 3)[:, 3, 0] - water.added_mass.reshape(-1, 6, 6)[:, 3, 3]
        places = np.column_stack([np.ones(len(water.places)), water.places])
        np.add.at(moments, water.points[:, 0], displaced[:, None] * places)
    return moments


def mass(model: Model) -> Mass:
    """Masses of all links and their sum."""
    moments, blocks = dry_moments(model), model.topology.blocks
    links = {}
    for layout in model.layouts:
        rows = [blocks[b] for b in layout.blocks]
        own = [moments[int(row["first"]) : int(row["first"] + row["count"]), 0].sum() for row in rows]
        links[layout.name] = float(sum(own))
    return Mass(float(sum(links.values())), links)


def _soft_moments(model: Model, q: Array, moments: Array) -> list[tuple[int, slice, Array]]:
    """First moments of soft bodies at q, into their rows; segment, coordinates and slopes (3, n) of each."""
    shifts = []
    for layout in model.layouts:
        own = slice(layout.body_coordinates.start, layout.body_coordinates.stop)
        moved = layout.table.first_moment(q[own])
        if moved is not None:
            segment = int(model.topology.blocks[layout.blocks[-1]]["first"])
            moments[segment, 1:] = moved[0]
            shifts.append((segment, own, moved[1]))
    return shifts


@of_all_coordinates(centre_by_state)
def center_of_mass(model: Model, state: State) -> CenterOfMass:
    """x = sum (m p + R c) / sum m, with m and m c of every point; dx = sum (m J_v + J_w x (m p + R c)) dq / sum m."""
    part, moments = parts.unloaded(model), dry_moments(model).copy()
    shifts = _soft_moments(model, state.q, moments)
    space, origin = parts.swept(part, State(*state[:2], model.workspace.zero), columns=True)
    massive = np.flatnonzero(moments[:, 0])
    m, work = moments[massive, :1], space.work[massive]
    first = m * work["p"] + np.einsum("sij,sj->si", work["R"], moments[massive, 1:])
    J, _ = parts.segment_columns(part, massive)
    total = m.sum()
    jacobian = (m[:, :, None] * J[:, 3:] - parts.cross_columns(first, J[:, :3])).sum(axis=0) / total
    for segment, own, slopes in shifts:
        jacobian[:, own] += space.work[segment]["R"] @ slopes / total
    return CenterOfMass(origin + first.sum(axis=0) / total, jacobian @ state.v, jacobian)
