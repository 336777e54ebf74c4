"""Many stations of a robot in one sweep: the tree of a model, with a step of its own to every station.

A rod is cut at s by one Magnus step from the computational point before, as in `model.station_chain`, so that poses
are those of `Model.pose`; but all stations share one tree, and one call of a kernel finds them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.checks import shown
from supple.core import kinematics
from supple.core.arrays import Space, handle, make_space, make_tree
from supple.core.records import has_star, segment_t
from supple.errors import ModelError
from supple.model.station_chain import check_station, frame_of_station
from supple.robot.frames import check_frame_station

if TYPE_CHECKING:
    from supple.compilation.layout import LinkLayout
    from supple.model.model import Model


class StationSweep(NamedTuple):
    """A tree with its scratch, and where the stations are in it.

    Attributes
    ----------
    segment : (K,) int
        Segment of each station; 0 for the world.
    at_start : (K,) bool
        Whether the station is where that segment begins (the base of a rod), not where it ends.
    offset : (K, 4, 4)
        Pose of the station in that frame.
    """

    tree: tuple[np.ndarray, ...]
    space: Space
    tree_handle: np.ndarray
    space_handle: np.ndarray
    segment: np.ndarray
    at_start: np.ndarray
    offset: np.ndarray

    def poses(self, q: np.ndarray) -> np.ndarray:
        """World poses (K, 4, 4)."""
        size = len(self.space.work)
        starts, ends = np.empty((size, 4, 4)), np.empty((size, 4, 4))
        kinematics.point_poses(self.tree_handle, self.space_handle, q, np.zeros(len(q)), starts, ends)
        starts[0] = ends[0] = np.eye(4)
        frames = np.where(self.at_start[:, None, None], starts[self.segment], ends[self.segment])
        with np.errstate(invalid="ignore", over="ignore"):  # of states that the caller refuses
            return np.asarray(frames @ self.offset)


def make_station_sweep(model: Model, stations: Sequence[tuple[str, float]]) -> StationSweep:
    """Tree of a model in which every station (link, s) is the end of a segment; "world" is allowed."""
    layouts = {layout.name: layout for layout in model.layouts}
    wanted: dict[str, set[float]] = {name: set() for name in layouts}
    stations, offsets = _resolved(model, stations)
    for link, s in stations:
        if link == "world":
            continue
        if link not in layouts:
            raise ModelError(f"there is no link {shown(link)}; links are: {', '.join(layouts)}")
        check_station(layouts[link], s)
        wanted[link].add(s)
    tree = _Tree(model, wanted)
    places = [tree.place(layouts.get(link), s) for link, s in stations]
    segment, at_start, offset = zip(*places, strict=True) if places else ((), (), ())
    arrays = tree.arrays()
    space = make_space(arrays)
    return StationSweep(
        arrays,
        space,
        handle(arrays),
        handle(space),
        np.array(segment, dtype=np.int64),
        np.array(at_start, dtype=bool),
        np.array(offset, dtype=float).reshape(-1, 4, 4) @ offsets,
    )


def _resolved(model: Model, stations: Sequence[tuple[str, float]]) -> tuple[list[tuple[str, float]], np.ndarray]:
    """Stations with named frames replaced by those of their links, and the poses (K, 4, 4) there."""
    resolved, offsets = [], np.tile(np.eye(4), (len(stations), 1, 1))
    for i, (name, s) in enumerate(stations):
        frame = model.frame(name)
        if frame is not None:
            check_frame_station(name, s)
            offsets[i] = frame.at
        resolved.append((name, s) if frame is None else (frame.link, frame.station))
    return resolved, offsets


class _Tree:
    """The blocks of a model; rods with their own steps, and one to every wanted station between their points."""

    def __init__(self, model: Model, wanted: dict[str, set[float]]) -> None:
        self.model = model
        self.blocks = model.topology.blocks.copy()
        self.segments = [np.zeros(1, segment_t)]
        self.phi = [np.zeros((2, 0))]
        self.parents = [0]
        self.moved = {0: 0}  #: segments of the model -> segments here
        self.between: dict[tuple[str, float], int] = {}  #: segments that end at stations between points
        rods = {layout.blocks[-1]: layout for layout in model.layouts if layout.rod is not None}
        for b in range(len(self.blocks)):
            if b in rods:
                self._add_rod(b, rods[b], wanted[rods[b].name])
            elif has_star(self.blocks[b]):
                self._add_star(b)
            else:
                self._add_segment(b)

    def _add_segment(self, b: int) -> None:
        """A block of one segment, as it is in the model."""
        old, n = int(self.blocks[b]["first"]), int(self.blocks[b]["n"])
        parent = self._place(b, 1)
        self.moved[old] = len(self.parents)
        self._append(self.model.parameters.segments[old : old + 1], np.zeros((2, n)), [parent])

    def _add_star(self, b: int) -> None:
        """A soft body, with all its frames."""
        old, n, count = (int(self.blocks[b][name]) for name in ("first", "n", "count"))
        parent, first = self._place(b, count), len(self.parents)
        self.moved |= {old + i: first + i for i in range(count)}
        self._append(self.model.parameters.segments[old : old + count], np.zeros((2, n * count)), [parent] * count)

    def _add_rod(self, b: int, layout: LinkLayout, wanted: set[float]) -> None:
        """A rod, with a segment to each wanted station and to those at which links hang."""
        held = set(self.model.topology.blocks["parent"].tolist())  # segments on which links hang
        stations = wanted | {s for s, segment in layout.between.items() if segment in held}
        chain = layout.table.chain(stations)
        assert chain is not None
        first = len(self.parents)
        parent = self._place(b, len(chain.segments))
        self.moved |= {old: first + i for old, i in zip(layout.segments, chain.own, strict=True)}
        between = {s: first + i for s, i in chain.between.items()}
        self.moved |= {segment: between[s] for s, segment in layout.between.items() if s in between}
        self.between |= {(layout.name, s): segment for s, segment in between.items()}
        parents = [parent if i == 0 else first + chain.own[i - 1] for i in chain.begins.tolist()]
        self._append(chain.segments, chain.phi.reshape(2, -1), parents)

    def _place(self, b: int, count: int) -> int:
        """Fill the row of a block of so many segments; returns its parent here."""
        row = self.blocks[b]
        row["parent"] = self.moved[int(row["parent"])]
        row["first"], row["count"], row["active"] = len(self.parents), count, count
        row["columns"] = sum(part.shape[1] for part in self.phi)
        return int(row["parent"])

    def _append(self, segments: np.ndarray, phi: np.ndarray, parents: list[int]) -> None:
        self.segments.append(segments)
        self.phi.append(phi)
        self.parents += parents

    def place(self, layout: LinkLayout | None, s: float) -> tuple[int, bool, np.ndarray]:
        """Segment here, whether at its start, and pose there, of a station; the world without a layout."""
        if layout is None:
            return 0, False, np.eye(4)
        located = layout.table.locate(s)
        if located is None and layout.rod is None:
            return self.moved[frame_of_station(layout, s)], False, np.eye(4)
        if located is None:
            return self.between[layout.name, s], False, np.eye(4)
        segment = self.moved[layout.segments[max(located.point - 1, 0)]]
        return segment, located.point == 0, np.eye(4) if located.offset is None else located.offset

    def arrays(self) -> tuple[np.ndarray, ...]:
        topology = self.model.topology._replace(blocks=self.blocks, parents=np.array(self.parents, dtype=np.int64))
        parameters = self.model.parameters._replace(
            segments=np.concatenate(self.segments), phi=np.ascontiguousarray(np.concatenate(self.phi, axis=1))
        )
        no_loads, maps = np.zeros((0, 5), np.int64), self.model.workspace.arrays.maps
        tree: tuple[np.ndarray, ...] = make_tree(topology, parameters, no_loads, maps)
        return tree
