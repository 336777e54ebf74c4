"""A station on a link, as the chain of blocks from the world to it.

The same kernels that sweep a whole tree then give pose, twist and Jacobian of any point: a rod is cut at s, by one
Magnus step from the computational point before s, so that at a computational point the result equals `Model.points`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.checks import shown
from supple.core.arrays import Parameters, Space, Topology, handle, make_space, make_tree
from supple.core.records import SCREW, block_t, has_star, pose_t, segment_t
from supple.errors import ModelError
from supple.robot.frames import FrameSpec, check_frame_station
from supple.robot.stations import MaterialPoint, as_station, is_inside

if TYPE_CHECKING:
    from supple.compilation.compiled import CompiledRobot
    from supple.compilation.layout import LinkLayout
    from supple.model.model import Model


#: Stations remembered per thread (see `station_chain`).
MOST_CHAINS = 256


class StationChain(NamedTuple):
    """A serial chain with its scratch; coordinates keep their places in q."""

    tree: tuple[np.ndarray, ...]
    space: Space
    tree_handle: np.ndarray
    space_handle: np.ndarray


def station_chain(model: Model, link: str, s: float) -> StationChain:
    """The chain to a station with its scratch, remembered per thread."""
    if not isinstance(s, float):
        s = as_station(s, f"link {shown(link)}: s")
    frame = model.frame(link)
    if frame is not None:
        check_frame_station(link, s)
        return model.workspace.remembered("frames", frame, lambda: make_frame_chain(model, frame), MOST_CHAINS)
    number = model.link_index(link)
    return model.workspace.remembered(
        "chains", (number, s), lambda: make_station_chain(model, model.layouts[number], s), MOST_CHAINS
    )


def check_station(layout: LinkLayout, s: float) -> None:
    """Raise `ModelError` if a link has no station ``s``."""
    if not is_inside(s):
        raise ModelError(f"link {layout.name!r}: s is {s!r}, must lie between 0 and 1")
    if layout.refuses(s):
        raise ModelError(f"link {layout.name!r}: s is {s:g}, but the link is {layout.noun}: {layout.ends}")


def make_station_chain(model: Model, layout: LinkLayout, s: float) -> StationChain:
    """Chain from the world to station ``s`` of a link."""
    return _with_scratch(model, *chain_arrays(model, layout, s))


def make_frame_chain(model: Model, frame: FrameSpec) -> StationChain:
    """Chain from the world to a named frame."""
    layout = model.layouts[model.link_index(frame.link)]
    return _with_scratch(model, *chain_arrays(model, layout, frame.station, np.asarray(frame.at)))


def _with_scratch(model: Model, topology: Topology, parameters: Parameters) -> StationChain:
    tree = make_tree(topology, parameters, np.zeros((0, 5), np.int64), model.workspace.arrays.maps)
    space = make_space(tree)
    return StationChain(tree, space, handle(tree), handle(space))


def chain_arrays(
    robot: Model | CompiledRobot, layout: LinkLayout, s: float, at: np.ndarray | None = None
) -> tuple[Topology, Parameters]:
    """The arrays of the chain from the world to station ``s`` of a link, or ``at`` a pose (4, 4) there.

    Its last segment ends there.
    """
    check_station(layout, s)
    chain = _Chain(robot)
    path = _path(robot, layout.blocks[-1])
    for b, following in pairwise(path):
        # as far as the segment that the next block hangs on: a joint's only one, any of a rod's
        last = int(robot.topology.blocks[following]["parent"])
        chain.append(b, _chain_to(robot, last, int(robot.topology.blocks[b]["parent"])))
    chain.append_body(path[-1], layout, s)
    if at is not None:
        chain.append_fixed(at)
    return chain.arrays()


def _chain_to(model: Model | CompiledRobot, segment: int, base: int) -> list[int]:
    """Segments from ``base`` (excluded) to ``segment``, outward."""
    chain = [segment]
    block = model.topology.blocks[int(model.topology.owner[segment])]
    if has_star(block):  # frames of a body are told apart by their number: all up to this one
        return list(range(int(block["first"]), segment + 1))
    while int(model.topology.parents[chain[-1]]) != base:
        chain.append(int(model.topology.parents[chain[-1]]))
    return chain[::-1]


def _path(model: Model | CompiledRobot, block: int) -> list[int]:
    """Blocks from the world to ``block``, outward."""
    blocks = model.topology.blocks
    owner = {s: b for b, row in enumerate(blocks) for s in range(row["first"], row["first"] + row["count"])}
    path = [block]
    while blocks[path[-1]]["parent"]:
        path.append(owner[int(blocks[path[-1]]["parent"])])
    return path[::-1]


def frame_of_station(layout: LinkLayout, s: float) -> int:
    """The segment that ends at a station of a soft body, which must have a frame there."""
    if s not in layout.between:
        known = ", ".join(f"{x:g}" for x in (0.0, *sorted(layout.between), 1.0))
        remedy = f"robot.add_frame(name, ({layout.name!r}, {s:g}))"
        if not isinstance(s, MaterialPoint):
            remedy = f"SoftBody(..., stations=({s:g},))"
        raise ModelError(
            f"link {layout.name!r}: s is {s:g}, but this soft body has frames at s = {known} only; give {remedy}"
        )
    return layout.between[s]


class _Chain:
    """A serial chain under construction."""

    def __init__(self, model: Model | CompiledRobot) -> None:
        self.model = model
        self.blocks: list[np.ndarray] = []
        self.placement: list[np.ndarray] = []
        self.segments = [np.zeros(1, segment_t)]
        self.phi: list[np.ndarray] = []
        self.parents = [0]

    @property
    def last(self) -> int:
        return sum(len(part) for part in self.segments) - 1

    def append(self, b: int, members: Sequence[int]) -> None:
        """Copy the given segments of block b of the model, a chain."""
        parameters = self.model.parameters
        row = self.model.topology.blocks[b].copy()
        n, first, columns = int(row["n"]), int(row["first"]), int(row["columns"])
        row["count"] = row["active"] = len(members)
        self._place(row, parameters.placement[b])
        self.segments.append(parameters.segments[list(members)])
        where = [columns + (s - first) * n + j for s in members for j in range(n)]
        self.phi.append(parameters.phi[:, where])

    def append_body(self, b: int, layout: LinkLayout, s: float) -> None:
        """Copy block b, the last of a link, up to station s."""
        located = layout.table.locate(s)
        if located is None and layout.rod is not None:
            self._append_cut(b, layout, s)
            return
        if located is None:
            self.append(b, _chain_to(self.model, frame_of_station(layout, s), 0))
            return
        if located.point == 0:
            self.append_fixed(_matrix(self.model.parameters.placement[b]))
        elif layout.rod is None:
            self.append(b, _chain_to(self.model, layout.segments[located.point - 1], self.base(b)))
        else:
            self.append(b, layout.segments[: located.point])
        if located.offset is not None:
            self.append_fixed(located.offset)

    def _append_cut(self, b: int, layout: LinkLayout, s: float) -> None:
        """Copy block b up to station s, between two points: with a step of its own from the point before."""
        rod = layout.rod
        assert rod is not None  # others have no such stations
        node = rod.point_before(s)
        self.append(b, layout.segments[:node])
        cut = rod.steps(rod.s[[node]], np.array([s]))
        step = np.zeros(1, segment_t)
        step["half"], step["bracket"], step["rest"] = cut[:3]
        self.segments.append(step)
        self.phi.append(cut.phi[0])
        self.blocks[-1]["count"] = self.blocks[-1]["active"] = node + 1
        self.parents.append(self.last - 1)

    def base(self, b: int) -> int:
        """The segment that block b of the model hangs on."""
        return int(self.model.topology.blocks[b]["parent"])

    def append_fixed(self, pose: np.ndarray) -> None:
        """A block without coordinates."""
        row, placement = np.zeros(1, block_t)[0], np.zeros(1, pose_t)[0]
        row["kind"], row["count"], row["active"] = SCREW, 1, 1
        placement["R"], placement["p"] = pose[:3, :3], pose[:3, 3]
        self._place(row, placement)
        self.segments.append(np.zeros(1, segment_t))

    def _place(self, row: np.ndarray, placement: np.ndarray) -> None:
        row["parent"], row["first"] = self.last, self.last + 1
        count, star = int(row["count"]), has_star(row)
        self.parents += [self.last + (0 if star else i) for i in range(count)]
        row["columns"] = sum(part.shape[1] for part in self.phi)
        row["inward"] = row["outward"] = row["apart"] = row["grafts"] = 0
        self.blocks.append(row)
        self.placement.append(placement)

    def arrays(self) -> tuple[Topology, Parameters]:
        """The chain's arrays."""
        columns = self.phi if self.phi else [np.zeros((2, 0))]
        topology = self.model.topology._replace(
            blocks=np.array(self.blocks, dtype=block_t),
            parents=np.array(self.parents, dtype=np.int64),
        )
        parameters = self.model.parameters._replace(
            placement=np.array(self.placement, dtype=pose_t),
            segments=np.concatenate(self.segments),
            phi=np.ascontiguousarray(np.concatenate(columns, axis=1)),
        )
        return topology, parameters


def _matrix(placement: np.ndarray) -> np.ndarray:
    """(4, 4) pose of a `pose_t` record."""
    g = np.eye(4)
    g[:3, :3], g[:3, 3] = placement["R"], placement["p"]
    return g
