"""Drafted blocks become the arrays of a model: topology and parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.compilation.drafting import BlockDraft
from supple.core.arrays import Parameters, Topology
from supple.core.records import block_t, pose_t, segment_t

if TYPE_CHECKING:
    from supple.compilation.binder import Binder
    from supple.compilation.layout import LinkLayout
    from supple.robot.robot import Robot


def assemble_arrays(
    robot: Robot, drafts: list[BlockDraft], layouts: list[LinkLayout], binder: Binder
) -> tuple[Topology, Parameters]:
    """Arrays of all blocks and segments, and of what loads asked for when they were bound."""
    n = sum(draft.n for draft in drafts)
    blocks, segments, phi = _block_rows(drafts), _segments(drafts), _basis_columns(drafts)
    _weigh(segments, binder)
    placement, screws = np.zeros(len(drafts), pose_t), np.zeros((6, n))
    component = np.full(n, -1, dtype=np.int64)
    parents, owner = np.zeros((2, len(segments)), dtype=np.int64)
    for b, draft in enumerate(drafts):
        own = slice(draft.start, draft.start + draft.n)
        placement[b]["R"], placement[b]["p"] = draft.placement[:3, :3], draft.placement[:3, 3]
        parents[draft.span], owner[draft.span] = draft.parents, b
        if draft.screws is not None:
            screws[:, own] = draft.screws
        if draft.chain.component is not None:
            component[own] = draft.chain.component
    topology = Topology(
        blocks=blocks,
        parents=parents,
        ranges=_relations(drafts, blocks, n),
        component=component,
        links=np.array([(l.coordinates.start, l.coordinates.stop) for l in layouts], dtype=np.int64),
        owner=owner,
    )
    nodes, psi = binder.node_arrays()
    internal = _internal_forces(robot, layouts, n)
    gravity = np.array(robot.gravity, dtype=float)
    return topology, Parameters(
        placement=placement,
        segments=segments,
        phi=phi,
        screws=screws,
        gravity=gravity,
        nodes=nodes,
        psi=psi,
        **internal._asdict(),
    )


def _block_rows(drafts: list[BlockDraft]) -> np.ndarray:
    """Rows of `block_t`, but for whom each block feels (`_relations`)."""
    blocks = np.zeros(len(drafts), block_t)
    column = maps = 0
    for row, draft in zip(blocks, drafts, strict=True):
        row["kind"], row["start"], row["n"] = draft.chain.kind, draft.start, draft.n
        row["first"], row["count"], row["parent"] = draft.first, draft.count, draft.parent
        row["active"], row["columns"] = draft.active, column
        if draft.chain.component is not None:
            row["runs"] = np.searchsorted(draft.chain.component, range(7))
        if draft.chain.map is not None:
            row["map"] = maps
            maps += 1
        column += draft.n * draft.count
    return blocks


def _segments(drafts: list[BlockDraft]) -> np.ndarray:
    """Rows of `segment_t`; the first is the world's."""
    return np.concatenate([np.zeros(1, segment_t), *(draft.chain.segments for draft in drafts)])


def _basis_columns(drafts: list[BlockDraft]) -> np.ndarray:
    """Basis functions of all segments side by side, (2, n_columns)."""
    return np.ascontiguousarray(np.concatenate([draft.chain.phi.reshape(2, -1) for draft in drafts], axis=1))


def _merged_ranges(owner: np.ndarray, members: np.ndarray) -> list[tuple[int, int]]:
    """Coordinate ranges of some blocks, neighbours merged: few long loops instead of many short ones.

    ``owner`` (n,) is the block of every coordinate, ``members`` (n_blocks,) tells which are meant.
    """
    edges = np.flatnonzero(np.diff(members[owner], prepend=False, append=False))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _relations(drafts: list[BlockDraft], blocks: np.ndarray, n: int) -> np.ndarray:
    """Rows of `ranges`, and in every block those that tell whom it feels."""
    ranges: list[tuple[int, int, int]] = []
    holder = np.zeros(n, dtype=np.int64)  # the block of every coordinate
    grafted: dict[int, list[int]] = {}  # blocks that leave a rod before its tip
    for b, draft in enumerate(drafts):
        holder[draft.start : draft.start + draft.n] = b
        for rod in draft.grafts:
            grafted.setdefault(rod, []).append(b)
    for b, draft in enumerate(drafts):
        row = blocks[b]
        inward, outward = np.zeros((2, len(drafts)), dtype=bool)
        inward[draft.ancestors], outward[draft.descendants] = True, True
        apart = ~(inward | outward)
        apart[b], outward[b] = False, not draft.strained
        apart[[*draft.grafts, *grafted.get(b, ())]] = False
        for key, members in (("inward", inward), ("outward", outward), ("apart", apart)):
            merged = _merged_ranges(holder, members)
            row[key] = (len(ranges), len(ranges) + len(merged))
            ranges += [(lo, hi, 0) for lo, hi in merged]
        row["grafts"] = (len(ranges), len(ranges) + len(draft.grafts))
        for rod, segment in draft.grafts.items():
            first = int(blocks[rod]["columns"]) + (segment - drafts[rod].first) * drafts[rod].n
            ranges.append((drafts[rod].start, drafts[rod].start + drafts[rod].n, first))
    return np.array(ranges, dtype=np.int64).reshape(-1, 3)


def _weigh(segments: np.ndarray, binder: Binder) -> None:
    """Net mass and first moment of every point (m c~ is a block of its inertia), then the added mass of fluids."""
    inertia, net = segments["inertia"], segments["net_mass"]
    net[:, 0] = inertia[:, 3, 3]
    net[:, 1], net[:, 2], net[:, 3] = inertia[:, 2, 4], inertia[:, 0, 5], inertia[:, 1, 3]
    for segment, displaced in binder.displaced.items():
        net[segment] -= displaced
        inertia[segment] += binder.added[segment]


#: First column of friction, as `core.elastic` has it, and a row of a coordinate without limits and without friction.
FRICTION, UNLIMITED = 4, (-np.inf, np.inf, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0)


class InternalForces(NamedTuple):
    """Springs, dampers, soft limits and friction of all coordinates: K, D (n, n), rest (n,), limits (n, 8)."""

    stiffness: np.ndarray
    damping: np.ndarray
    rest: np.ndarray
    limits: np.ndarray


def _internal_forces(robot: Robot, layouts: list[LinkLayout], n: int) -> InternalForces:
    """K and D (D64, D65, summed at the Gauss nodes), rest coordinates, soft limits."""
    stiffness, damping, rest = np.zeros((n, n)), np.zeros((n, n)), np.zeros(n)
    limits = np.tile(UNLIMITED, (n, 1))
    for link, layout in zip(robot.links, layouts, strict=True):
        joint = slice(layout.coordinates.start, layout.coordinates.start + layout.joint_dof)
        if layout.joint_dof:
            stiffness[joint, joint] = link.joint.stiffness_matrix
            damping[joint, joint] = link.joint.damping_matrix
            rest[joint] = link.joint.rest_vector
            limits[joint, :2] = link.joint.limit_bounds
            limits[joint, 2] = link.joint.limit_stiffnesses
            limits[joint, 3] = link.joint.limit_widths
            limits[joint, FRICTION:] = link.joint.friction_numbers
        body = slice(joint.stop, layout.coordinates.stop)
        stiffness[body, body] = layout.table.stiffness
        damping[body, body] = layout.table.damping
        rest[body] = layout.table.rest_position
    return InternalForces(stiffness, damping, rest, limits)
