"""Robot -> arrays: checks everything once, then evaluates bases, sections and inertias at the quadrature nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from supple.compilation.assembling import assemble_arrays
from supple.compilation.binder import Binder, Bound, bind_items, collect_stations
from supple.compilation.compiled import CompiledRobot, FollowerTable
from supple.compilation.drafting import Announced, BlockDraft, draft_link, relate
from supple.compilation.layout import LinkLayout
from supple.compilation.prescribed_joint import PrescribedJoint
from supple.compilation.scene import make_scene
from supple.core.loads import CONSTRAINT, INTERNAL, STORES, WRENCHLESS
from supple.errors import ModelError, naming
from supple.robot.couplings import Follower, resolve
from supple.robot.validate import check_finite, validate

if TYPE_CHECKING:
    from supple.core.blocks.custom import BoundMap
    from supple.robot.robot import Robot


#: Stations s by the name of their link.
Stations: TypeAlias = dict[str, set[float]]


def compile_robot(robot: Robot) -> CompiledRobot:
    """Validate a description and turn it into arrays."""
    robot = robot.copy()  # what is added to the robot later is not in the model
    order = validate(robot)
    always, dormant = collect_stations(robot)
    followers = resolve(robot.links, robot.couplings, set())
    names, starts = _coordinates(robot, followers)
    layouts, drafts = _draft(robot, order, starts, always, dormant)
    unvisited = frozenset(s for d in drafts if any(dormant.values()) for s in range(d.first + d.active, d.span.stop))
    binder = Binder(robot, layouts, [(draft.parent, draft.placement) for draft in drafts], unvisited)
    bound = (*bind_items(robot, binder), *_body_forces(layouts, drafts, binder))
    loads = tuple(sorted(bound, key=lambda load: load.late))
    binder.warn_of_remote()
    topology, parameters = assemble_arrays(robot, drafts, layouts, binder)
    check_finite(layouts, parameters)
    joints = {layout.name: layout.joint_coordinates for layout in layouts}
    resolve(robot.links, robot.couplings, {link for link, _ in binder.prescribed})  # names those that are prescribed
    return CompiledRobot(
        robot=robot,
        name=robot.name,
        topology=topology,
        parameters=parameters,
        layouts=tuple(layouts),
        loads=loads,
        loops=loops_among(loads),
        demand=binder.demand(),
        prescribed=tuple(PrescribedJoint(link, joints[link], law) for link, law in binder.prescribed),
        controllers=tuple(binder.controllers),
        draw=partial(make_scene, robot, binder),
        maps=_maps(drafts, binder),
        frames=robot.frames,
        coordinate_names=names,
        followers=follower_rows(followers, names) if followers else None,
    )


def _body_forces(layouts: list[LinkLayout], drafts: list[BlockDraft], binder: Binder) -> Iterator[Bound]:
    """Forces that bodies exert on their own coordinates, beside linear ones."""
    for layout in layouts:
        if not layout.blocks:
            continue
        own = drafts[layout.blocks[-1]].chain.map
        frames = own.frames if own else 0
        for force in layout.table.own_forces(layout.name, layout.blocks[-1], frames, binder.node):
            binder.coordinates |= own is not None
            name = f"{force.what} of link {layout.name!r}"
            side = INTERNAL + WRENCHLESS + STORES
            yield Bound(name, force.kernel, force.data, side, force.guard, owner=name, gradient=force.gradient)


def _maps(drafts: list[BlockDraft], binder: Binder) -> tuple[BoundMap, ...]:
    """Maps of all blocks that have one, with the scratch that loads asked for."""
    maps = [(draft.chain.map, binder.scratch.get(b, 0)) for b, draft in enumerate(drafts)]
    return tuple(m._replace(scratch=max(m.scratch, wanted)) for m, wanted in maps if m is not None)


def loops_among(loads: Sequence[Bound]) -> tuple[Bound, ...]:
    """The constraints among loads."""
    return tuple(load for load in loads if load.side == CONSTRAINT)


def _draft(
    robot: Robot, order: tuple[int, ...], starts: list[int], always: Stations, dormant: Stations
) -> tuple[list[LinkLayout], list[BlockDraft]]:
    """Layouts of all links in the order they were added, and their blocks, parents before children."""
    drafts: list[BlockDraft] = []
    layouts: dict[str, LinkLayout] = {}
    for index in order:
        link = robot.links[index]
        announced = Announced(always[link.name], dormant[link.name])
        with naming(f"link {link.name!r}"):
            layouts[link.name] = draft_link(link, starts[index], layouts, announced, drafts)
    if not any(draft.n for draft in drafts):
        raise ModelError(
            f"robot {robot.name!r} has no coordinates: every joint is fixed and no link is a rod; give a link a joint"
        )
    relate(drafts)
    return [layouts[link.name] for link in robot.links], drafts


def _coordinates(robot: Robot, followers: Sequence[Follower]) -> tuple[tuple[str, ...], list[int]]:
    """Names of all coordinates, those of links that follow others last, and the first coordinate of every link."""
    following = {follower.name for follower in followers}
    starts, names = [0] * len(robot.links), list[str]()
    for last in (False, True):
        for i, link in enumerate(robot.links):
            if following.issuperset(link.coordinate_names or ("",)) == last:
                starts[i] = len(names)
                names += link.coordinate_names
    return tuple(names), starts


def follower_rows(followers: Sequence[Follower], names: tuple[str, ...]) -> FollowerTable:
    """Followers as numbers (`supple.following.arrays`)."""
    rows, offsets, ops, bend = [], [], [], 0
    leaders, weights, numbers = list[int](), list[float](), list[float]()
    for f in followers:
        count, length = len(f.leaders), 0 if f.program is None else len(f.program.ops)
        rows.append((len(leaders), count, len(numbers), length, bend))
        leaders += [names.index(leader) for leader in f.leaders]
        weights += np.zeros(count).tolist() if f.weights is None else f.weights.tolist()
        offsets.append(f.offset)
        if f.program is not None:
            ops += f.program.ops.tolist()
            numbers += f.program.numbers.tolist()
        bend += count * count
    return FollowerTable(
        rows=np.array(rows, dtype=np.int64),
        leaders=np.array(leaders, dtype=np.int64),
        weights=np.array(weights, dtype=float),
        offsets=np.array(offsets, dtype=float),
        ops=np.array(ops, dtype=np.int64).reshape(-1, 3),
        numbers=np.array(numbers, dtype=float),
    )
