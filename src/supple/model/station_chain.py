"""A station on a link, as the chain of blocks from the world to it.

The same kernels that sweep a whole tree then give pose, twist and Jacobian of any point: a rod is cut at s, by one
Magnus step from the computational point before s, so that at a computational point the result equals `Model.points`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core.arrays import Space, handle, make_space, make_tree
from supple.core.records import SCREW, block_t, pose_t, segment_t
from supple.errors import ModelError

if TYPE_CHECKING:
    from supple.compilation.compiling import LinkLayout
    from supple.model.compiled import Compiled


class Probe(NamedTuple):
    """A serial chain with its scratch; coordinates keep their places in q."""

    tree: tuple[np.ndarray, ...]
    space: Space
    tree_handle: np.ndarray
    space_handle: np.ndarray


def check_station(layout: LinkLayout, s: float) -> None:
    """Raise `ModelError` if a link has no station ``s``."""
    if not 0.0 <= s <= 1.0:
        raise ModelError(f"link {layout.name!r}: s is {s!r}, must lie between 0 and 1")
    if layout.rod is None and s not in (0.0, 1.0):
        raise ModelError(f"link {layout.name!r}: s is {s:g}, but the link is rigid: 0 is its body frame, 1 its tip")


def make_probe(model: Compiled, layout: LinkLayout, s: float) -> Probe:
    """Chain from the world to station ``s`` of a link (rods: 0 to 1; rigid links: 0 body frame, 1 tip frame)."""
    check_station(layout, s)
    chain = _Chain(model)
    path = _path(model, layout.blocks[-1])
    for b, following in zip(path, [*path[1:], None], strict=True):
        if layout.rod is not None and following is None:
            chain.append_cut_rod(b, layout, s)
        else:
            row = model.topology.blocks[b]
            # as far as the segment that the next block hangs on: a joint's only one, any of a rod's
            last = int(row["first"] if following is None else model.topology.blocks[following]["parent"])
            chain.append(b, _chain_to(model, last, int(row["parent"])))
    if layout.rod is None and s == 1.0:
        chain.append_fixed(layout.tip)
    return chain.probe()


def _chain_to(model: Compiled, segment: int, base: int) -> list[int]:
    """Segments from ``base`` (excluded) to ``segment``, outward."""
    chain = [segment]
    while int(model.topology.parents[chain[-1]]) != base:
        chain.append(int(model.topology.parents[chain[-1]]))
    return chain[::-1]


def _path(model: Compiled, block: int) -> list[int]:
    """Blocks from the world to ``block``, outward."""
    blocks = model.topology.blocks
    owner = {s: b for b, row in enumerate(blocks) for s in range(row["first"], row["first"] + row["count"])}
    path = [block]
    while blocks[path[-1]]["parent"]:
        path.append(owner[int(blocks[path[-1]]["parent"])])
    return path[::-1]


class _Chain:
    """A serial chain under construction."""

    def __init__(self, model: Compiled) -> None:
        self.model = model
        self.blocks: list[np.ndarray] = []
        self.placement: list[np.ndarray] = []
        self.segments = [np.zeros(1, segment_t)]
        self.phi: list[np.ndarray] = []

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

    def append_cut_rod(self, b: int, layout: LinkLayout, s: float) -> None:
        """Copy block b, a rod, up to station s."""
        rod = layout.rod
        assert rod is not None
        node = rod.point_before(s)
        if node == 0 and rod.point_at(s) == 0:
            self.append_fixed(_matrix(self.model.parameters.placement[b]))
            return
        self.append(b, layout.segments[:node])
        if rod.point_at(s) is not None:
            return
        cut = rod.steps(rod.s[[node]], np.array([s]))
        step = np.zeros(1, segment_t)
        step["half"], step["bracket"], step["rest"] = cut[:3]
        self.segments.append(step)
        self.phi.append(cut.phi[0])
        self.blocks[-1]["count"] = self.blocks[-1]["active"] = node + 1

    def append_fixed(self, pose: np.ndarray) -> None:
        """A block without coordinates."""
        row, placement = np.zeros(1, block_t)[0], np.zeros(1, pose_t)[0]
        row["kind"], row["count"], row["active"] = SCREW, 1, 1
        placement["R"], placement["p"] = pose[:3, :3], pose[:3, 3]
        self._place(row, placement)
        self.segments.append(np.zeros(1, segment_t))

    def _place(self, row: np.ndarray, placement: np.ndarray) -> None:
        row["parent"], row["first"] = self.last, self.last + 1
        row["columns"] = sum(part.shape[1] for part in self.phi)
        row["inward"] = row["outward"] = row["apart"] = row["grafts"] = 0
        self.blocks.append(row)
        self.placement.append(placement)

    def probe(self) -> Probe:
        columns = self.phi if self.phi else [np.zeros((2, 0))]
        topology = self.model.topology._replace(
            blocks=np.array(self.blocks, dtype=block_t),
            parents=np.maximum(np.arange(self.last + 1) - 1, 0),
        )
        parameters = self.model.parameters._replace(
            placement=np.array(self.placement, dtype=pose_t),
            segments=np.concatenate(self.segments),
            phi=np.ascontiguousarray(np.concatenate(columns, axis=1)),
        )
        tree = make_tree(topology, parameters, np.zeros((0, 3), np.int64), self.model._arrays.maps)
        space = make_space(tree)
        return Probe(tree, space, handle(tree), handle(space))


def _matrix(placement: np.ndarray) -> np.ndarray:
    """(4, 4) pose of a `pose_t` record."""
    g = np.eye(4)
    g[:3, :3], g[:3, 3] = placement["R"], placement["p"]
    return g
