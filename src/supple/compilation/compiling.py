"""Robot -> Model: checks everything once, then evaluates bases, sections and inertias at the quadrature nodes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.compilation.binder import Binder, bind_items, collect_stations
from supple.compilation.rod_table import RodTable, tabulate_rod
from supple.compilation.scene import make_scene
from supple.core.arrays import Parameters, Topology
from supple.core.records import EXPONENTIAL, ROD, SCREW, block_t, pose_t, segment_t
from supple.errors import ModelError, naming
from supple.model.constraints import PrescribedJoint
from supple.robot.links import Rigid, Rod
from supple.robot.validate import WORLD, check_finite, validate

if TYPE_CHECKING:
    from supple.model.model import Model
    from supple.robot.robot import LinkSpec, Robot


class Attachment(NamedTuple):
    """Where children hang: a segment and a pose in the frame of its end."""

    segment: int
    pose: np.ndarray


@dataclass
class BlockDraft:
    """One block before it becomes a row of `block_t`."""

    kind: int
    start: int
    screws: np.ndarray | None
    rod: RodTable | None
    n: int
    first: int
    count: int
    parent: int
    placement: np.ndarray
    inertia: np.ndarray
    twigs: tuple[float, ...] = ()
    buds: tuple[float, ...] = ()
    has_children: bool = False  #: at its tip
    tip_loaded: bool = False
    ancestors: list[int] = field(default_factory=list)  #: blocks with whose ends it moves
    descendants: list[int] = field(default_factory=list)  #: blocks that move with its end
    grafts: dict[int, int] = field(default_factory=dict)  #: blocks of rods that it leaves before their tips: where

    @property
    def tip(self) -> int:
        """The segment that ends at its end."""
        return self.first if self.rod is None else self.first + len(self.rod.s) - 2 + len(self.twigs)

    @property
    def active(self) -> int:
        """Segments that dynamics visit: not buds, nor the tip of a leaf rod, which has no weight."""
        idle_tip = self.kind == ROD and not self.has_children and not self.tip_loaded
        return self.count - len(self.buds) - idle_tip


@dataclass(frozen=True)
class LinkLayout:
    """Where a link's coordinates, blocks and segments are.

    Attributes
    ----------
    coordinates : range
        Of the link, the joint's first.
    blocks : tuple of int
        Joint factors, then the rod; a rigid link's last block carries its body.
    segments : tuple of int
        Segments whose ends are the link's points (the body; a rod's nodes and its tip).
    twigs : dict of float to int
        Segments that end at further stations of a rod, where loads sit or may sit.
    rod : RodTable or None
        Stations and functions of a rod.
    tip : ndarray, shape (4, 4)
        Pose in which children attach, in the frame of the last segment's end.
    """

    name: str
    coordinates: range
    joint_dof: int
    blocks: tuple[int, ...]
    segments: tuple[int, ...]
    twigs: dict[float, int]
    rod: RodTable | None
    tip: np.ndarray
    keeps_chart: bool

    def place(self, s: float, base: tuple[int, np.ndarray]) -> tuple[int, np.ndarray]:
        """Segment and pose (4, 4) in the frame of its end of station s, which a rod must have a step to.

        ``base`` is where the link's last block begins: its parent segment and placement.
        """
        if self.rod is None:
            return self.segments[0], self.tip if s == 1.0 else np.eye(4)
        point = self.rod.point_at(s)
        if point is None:
            return self.twigs[s], np.eye(4)
        return base if point == 0 else (self.segments[point - 1], np.eye(4))

    @property
    def stations(self) -> tuple[float, ...]:
        """s of the link's points: the body frame of a rigid link, base, nodes and tip of a rod."""
        return (0.0,) if self.rod is None else tuple(self.rod.s.tolist())


def compile_robot(robot: Robot) -> Model:
    """Validate a description and turn it into a `Model`."""
    from supple.model.model import Model, reduced_loads

    order = validate(robot)
    stations, buds = collect_stations(robot)
    starts = _coordinate_starts(robot)
    drafts: list[BlockDraft] = []
    layouts: dict[str, LinkLayout] = {}
    for index in order:
        link = robot.links[index]
        parent = _attachment(link, layouts, drafts)
        with naming(f"link {link.name!r}"):
            layouts[link.name] = _draft_link(link, starts[index], parent, stations[link.name], buds[link.name], drafts)
    if not any(draft.n for draft in drafts):
        raise ModelError(
            f"robot {robot.name!r} has no coordinates: every joint is fixed and no link is a rod; give a link a joint"
        )
    _relate(drafts)
    ordered = [layouts[link.name] for link in robot.links]
    asleep = frozenset(s for d in drafts if any(buds.values()) for s in range(d.first + d.active, d.first + d.count))
    binder = Binder(robot, ordered, [(draft.parent, draft.placement) for draft in drafts], asleep)
    loads = tuple(bind_items(robot, binder))
    binder.warn_of_remote()
    topology, parameters = _assemble(robot, drafts, ordered, binder)
    check_finite(ordered, parameters)
    joints = tuple(PrescribedJoint(link, _joint_coordinates(layouts[link]), law) for link, law in binder.prescribed)
    controllers = tuple(binder.controllers)
    scene = make_scene(robot, binder)
    model = Model(robot, topology, parameters, tuple(ordered), loads, binder.demand(), joints, controllers, scene)
    if model.loops:
        loads = reduced_loads(model)
        model = Model(robot, topology, parameters, tuple(ordered), loads, binder.demand(), joints, controllers, scene)
    return model


def _attachment(link: LinkSpec, layouts: dict[str, LinkLayout], drafts: list[BlockDraft]) -> Attachment:
    """Where a link hangs."""
    if link.parent == WORLD:
        return Attachment(0, np.eye(4))
    layout = layouts[link.parent]
    last = drafts[layout.blocks[-1]]
    return Attachment(*layout.place(link.station, (last.parent, last.placement)))


def _joint_coordinates(layout: LinkLayout) -> range:
    return range(layout.coordinates.start, layout.coordinates.start + layout.joint_dof)


def _coordinate_starts(robot: Robot) -> list[int]:
    """First coordinate of every link, in the order links were added."""
    sizes = [link.joint.dof + (link.body.strain.size if isinstance(link.body, Rod) else 0) for link in robot.links]
    return [0, *np.cumsum(sizes)[:-1].tolist()]


def _draft_link(
    link: LinkSpec,
    start: int,
    parent: Attachment,
    stations: set[float],
    buds: set[float],
    drafts: list[BlockDraft],
) -> LinkLayout:
    """Append the blocks of one link: a block per joint factor, then the rod or the body.

    ``stations`` are where loads sit on a rod: those between its points become twigs, steps that end there;
    ``buds`` likewise, but beyond what the sweeps visit.
    """
    first_block = len(drafts)
    placement = parent.pose @ link.at
    segment = parent.segment
    coordinate = start
    factors = list(link.joint.factors())
    if isinstance(link.body, Rigid) and not factors:
        factors = [np.zeros((6, 0))]  # a fixed body is a joint without coordinates
    for screws in factors:
        n = screws.shape[1]
        kind = SCREW if _commute(screws) else EXPONENTIAL
        first = _next_segment(drafts)
        drafts.append(BlockDraft(kind, coordinate, screws, None, n, first, 1, segment, placement, np.zeros((1, 6, 6))))
        coordinate, segment, placement = coordinate + n, first, np.eye(4)
    rod = None
    if isinstance(link.body, Rod):
        rod = tabulate_rod(link.body)
        extra = tuple(s for s in sorted(stations) if rod.point_at(s) is None)
        first, steps = _next_segment(drafts), len(rod.s) - 1
        idle = tuple(s for s in sorted(buds - stations) if rod.point_at(s) is None)
        count = steps + len(extra) + len(idle)
        draft = BlockDraft(
            ROD, coordinate, None, rod, rod.n, first, count, segment, placement, rod.inertia, extra, idle
        )
        draft.tip_loaded = any(rod.point_at(s) == steps for s in stations)
        drafts.append(draft)
        coordinate += rod.n
        # nodes first, then twigs, tip and buds: a leaf's idle tip and the buds can be left out at the end
        last = first + steps - 1 + len(extra)
        segments = (*range(first, first + steps - 1), last)
        twigs = {s: first + steps - 1 + i for i, s in enumerate(extra)}
        twigs |= {s: last + 1 + i for i, s in enumerate(idle)}
        tip = np.eye(4)
    else:
        drafts[-1].inertia = link.body.spatial_inertia()[None]
        segments, twigs, tip = (segment,), {}, np.asarray(link.body.tip)
    return LinkLayout(
        name=link.name,
        coordinates=range(start, coordinate),
        joint_dof=link.joint.dof,
        blocks=tuple(range(first_block, len(drafts))),
        segments=segments,
        twigs=twigs,
        rod=rod,
        tip=tip,
        keeps_chart=link.joint.dof > 0 and link.joint.keeps_chart,
    )


def _next_segment(drafts: list[BlockDraft]) -> int:
    return drafts[-1].first + drafts[-1].count if drafts else 1


def _commute(screws: np.ndarray) -> bool:
    """Whether all Lie brackets of the columns vanish, so that S = Phi for any q."""
    w, v = screws[:3].T, screws[3:].T
    n = screws.shape[1]
    return all(
        np.abs(np.cross(w[i], w[j])).max() <= 1e-14
        and np.abs(np.cross(w[i], v[j]) - np.cross(w[j], v[i])).max() <= 1e-14
        for i in range(n)
        for j in range(i)
    )


def _relate(drafts: list[BlockDraft]) -> None:
    """Ancestors and descendants of every block, and rods on which it is grafted before their tips."""
    owner = {s: b for b, draft in enumerate(drafts) for s in range(draft.first, draft.first + draft.count)}
    for b, draft in enumerate(drafts):
        if draft.parent:
            above = owner[draft.parent]
            draft.ancestors, draft.grafts = [*drafts[above].ancestors], dict(drafts[above].grafts)
            if draft.parent == drafts[above].tip:
                drafts[above].has_children = True
                draft.ancestors.append(above)
            else:
                draft.grafts[above] = draft.parent
            for a in draft.ancestors:
                drafts[a].descendants.append(b)


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
        apart[b], outward[b] = False, draft.kind != ROD
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


def _assemble(
    robot: Robot, drafts: list[BlockDraft], layouts: list[LinkLayout], binder: Binder
) -> tuple[Topology, Parameters]:
    n = sum(draft.n for draft in drafts)
    n_segments = sum(draft.count for draft in drafts)
    n_columns = sum(draft.n * draft.count for draft in drafts)
    blocks = np.zeros(len(drafts), block_t)
    placement = np.zeros(len(drafts), pose_t)
    segments = np.zeros(n_segments + 1, segment_t)
    phi, screws = np.zeros((2, n_columns)), np.zeros((6, n))
    component = np.full(n, -1, dtype=np.int64)
    parents, owner = np.zeros(n_segments + 1, dtype=np.int64), np.zeros(n_segments + 1, dtype=np.int64)
    column = 0
    for b, draft in enumerate(drafts):
        own = slice(draft.start, draft.start + draft.n)
        row = blocks[b]
        row["kind"], row["start"], row["n"] = draft.kind, draft.start, draft.n
        row["first"], row["count"], row["parent"] = draft.first, draft.count, draft.parent
        row["active"], row["columns"] = draft.active, column
        placement[b]["R"], placement[b]["p"] = draft.placement[:3, :3], draft.placement[:3, 3]
        span = slice(draft.first, draft.first + draft.count)
        if draft.rod is not None:
            component[own] = draft.rod.component
            row["runs"] = np.searchsorted(draft.rod.component, range(7))
            steps, table, parents[span] = rod_segments(draft)
            segments[span] = steps
            phi[:, column : column + draft.n * draft.count] = table.reshape(2, -1)
        else:
            screws[:, own] = draft.screws
            segments[span]["inertia"] = draft.inertia
            parents[span] = draft.parent
        owner[span] = b
        column += draft.n * draft.count
    _weigh(segments, binder)
    topology = Topology(
        blocks=blocks,
        parents=parents,
        ranges=_relations(drafts, blocks, n),
        component=component,
        links=np.array([(l.coordinates.start, l.coordinates.stop) for l in layouts], dtype=np.int64),
        owner=owner,
    )
    nodes, psi = binder.node_arrays()
    stiffness, damping, rest, limits = _internal_forces(robot, layouts, n)
    parameters = Parameters(
        placement=placement,
        segments=segments,
        phi=phi,
        screws=screws,
        gravity=np.array(robot.gravity, dtype=float),
        stiffness=stiffness,
        damping=damping,
        rest=rest,
        nodes=nodes,
        psi=psi,
        limits=limits,
    )
    return topology, parameters


def _weigh(segments: np.ndarray, binder: Binder) -> None:
    """Net mass and first moment of every point (m c~ is a block of its inertia), then the added mass of fluids."""
    inertia, heavy = segments["inertia"], segments["heavy"]
    heavy[:, 0] = inertia[:, 3, 3]
    heavy[:, 1], heavy[:, 2], heavy[:, 3] = inertia[:, 2, 4], inertia[:, 0, 5], inertia[:, 1, 3]
    for segment, displaced in binder.displaced.items():
        heavy[segment] -= displaced
        inertia[segment] += binder.added[segment]


def rod_segments(draft: BlockDraft) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Segments, basis table (2, count, n) and parents of a rod's block: nodes, twigs, tip, buds."""
    rod = draft.rod
    assert rod is not None
    last = len(rod.s) - 2  # the step that ends at the tip
    segments = np.zeros(draft.count, segment_t)
    table = np.zeros((2, draft.count, draft.n))
    tip = last + len(draft.twigs)
    chain = [*range(last), tip]  # where the rod's own steps go
    segments["half"][chain], segments["bracket"][chain] = rod.half, rod.bracket
    segments["rest"][chain], segments["inertia"][chain] = rod.rest, draft.inertia[1:]
    table[:, chain] = rod.phi
    begins = np.zeros(draft.count, dtype=np.int64)  # the point at which each segment begins
    begins[chain] = range(last + 1)
    extra = [*range(last, tip), *range(tip + 1, draft.count)]
    if extra:
        begins[extra] = [rod.point_before(s) for s in (*draft.twigs, *draft.buds)]
        steps = rod.steps(rod.s[begins[extra]], np.array((*draft.twigs, *draft.buds)))
        segments["half"][extra], segments["bracket"][extra], segments["rest"][extra] = steps[:3]
        table[:, extra] = steps.phi.transpose(1, 0, 2)
    return segments, table, [draft.parent if i == 0 else draft.first + i - 1 for i in begins.tolist()]


def _internal_forces(
    robot: Robot, layouts: list[LinkLayout], n: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """K and D (D64, D65, summed at the Gauss nodes), rest coordinates, soft limits."""
    stiffness, damping, rest = np.zeros((n, n)), np.zeros((n, n)), np.zeros(n)
    limits = np.tile([-np.inf, np.inf, 0.0, 1.0], (n, 1))
    for link, layout in zip(robot.links, layouts, strict=True):
        joint = slice(layout.coordinates.start, layout.coordinates.start + layout.joint_dof)
        if layout.joint_dof:
            stiffness[joint, joint] = link.joint.stiffness_matrix
            damping[joint, joint] = link.joint.damping_matrix
            rest[joint] = link.joint.rest_vector
            limits[joint, :2] = link.joint.limit_bounds
            limits[joint, 2] = link.joint.limit_stiffnesses
            limits[joint, 3] = link.joint.limit_widths
        if layout.rod is not None:
            own = slice(joint.stop, layout.coordinates.stop)
            stiffness[own, own] = layout.rod.stiffness
            damping[own, own] = layout.rod.damping
    return stiffness, damping, rest, limits
