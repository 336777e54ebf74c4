"""Binding loads to a robot: names become segments, nodes, inputs and signals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from supple.checks import shown
from supple.core.records import node_t, pose_t
from supple.errors import ModelError, naming, unwarned, warn
from supple.jit import AddressedKernel, LoadKernel
from supple.robot.bodies.protocol import ArcLength, check_material
from supple.robot.bodies.rod_table import RodTable
from supple.robot.stations import as_station, is_inside

if TYPE_CHECKING:
    from supple.compilation.layout import LinkLayout
    from supple.model.model import Model
    from supple.robot.controller import Controller
    from supple.robot.robot import LinkSpec, Robot

#: Stations of a rod closer than this are one, in lengths of the rod.
SAME_STATION = 1e-12


class Guard(Protocol):
    """Whoever knows why a load's result is not finite."""

    def explain(self) -> None:
        """Raise a `StateError` that names the load, if it is the culprit."""
        ...


class Bound(NamedTuple):
    """A load ready for the kernels: its function, its arrays, its side (`core.loads.EXTERNAL` or ``INTERNAL``).

    ``guard`` explains a result that is not finite.
    """

    name: str
    kernel: LoadKernel
    data: Any  #: its arrays: a named tuple of them, declared beside the kernel (`core.load_data`), or a plain one
    side: int
    guard: Guard | None = None
    spread: bool = False  #: whether what it does at Gauss nodes of rods is spread along them (per metre, with weights)
    owner: str = ""  #: kind and name of the load, for messages; filled in when a robot is compiled
    calls: tuple[AddressedKernel | None, ...] = ()  #: kernels that it calls by address; None where it does not
    gradient: AddressedKernel | None = None  #: how its power depends on its numbers (`core.load_gradients`), if it says
    late: bool = False  #: whether it is called after all others, whose wrenches it looks at
    inputs: tuple[int, int] = (0, 0)  #: its inputs, first and behind the last; filled in when a robot is compiled

    def arrays(self) -> tuple[np.ndarray, ...]:
        """All that its kernel sees: its data, then the addresses of what it calls."""
        addresses = [0 if kernel is None else kernel.address for kernel in self.calls]
        return (*self.data, np.array(addresses, dtype=np.int64))


class SegmentFrame(NamedTuple):
    """A frame fixed to the end of a segment."""

    segment: int
    offset: np.ndarray  #: (4, 4) pose in the frame of the segment's end


class LoadStates(NamedTuple):
    """Internal states z of a load, which it reads from signals, and whose rates z' it writes there."""

    owner: str  #: kind and name of the load
    names: tuple[str, ...]
    first: int  #: first signal of z
    rate: int  #: first signal of z'
    state0: np.ndarray  #: (size,) z at the beginning


class Demand(NamedTuple):
    """What loads need of every thread's scratch, and the laws behind signals."""

    inputs: tuple[str, ...]
    laws: tuple[Callable[[float], Any], ...]
    sizes: tuple[int, ...]
    couplings: int
    lines: tuple[str, ...] = ()
    parts: int = 0
    ties: int = 0  #: lines without a name, by which loads write tangents of rank one
    owners: tuple[str, ...] = ()  #: kind and name of the load behind every law
    implicit: bool = False  #: whether loads feel accelerations, so that forward dynamics must iterate
    tensions: tuple[bool, ...] = ()  #: per input, whether it is a tension, which must not be negative
    dormant: bool = False  #: whether loads sit on dormant stations (see core.dormant)
    balls: int = 0  #: most groups of one contact
    firsts: tuple[int, ...] = ()  #: first signal of every law
    signals: int = 0  #: number of signals, of laws and of states
    states: tuple[LoadStates, ...] = ()  #: internal states of loads


@dataclass
class Binder:
    """What a load may ask for when it is bound.  One per compilation.

    Parameters
    ----------
    bases : list of (int, (4, 4))
        Parent segment and placement of every block.
    dormant : set of int
        Segments that the sweeps do not visit (see `core.dormant`).
    """

    robot: Robot
    layouts: list[LinkLayout]
    bases: list[tuple[int, np.ndarray]]
    dormant: frozenset[int] = frozenset()
    inputs: list[str] = field(default_factory=list)
    tensions: list[bool] = field(default_factory=list)
    laws: list[Callable[[float], Any]] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    signals: int = 0
    load_states: list[LoadStates] = field(default_factory=list)
    couplings: int = 0
    balls: int = 0
    rows: int = 0
    driven: dict[str, str] = field(default_factory=dict)
    prescribed: list[tuple[str, Callable[[float], Any]]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    parts: int = 0
    ties: int = 0
    owners: list[str] = field(default_factory=list)
    controllers: list[Controller] = field(default_factory=list)
    current: str = ""  #: kind and name of the load being bound
    remote: list[str] = field(default_factory=list)  #: lines strangely far from their rods, see `loads.lines.routes`
    implicit: bool = False
    coordinates: bool = False  #: whether loads ask for coordinates, which scratch otherwise holds for dormant stations
    added: dict[int, np.ndarray] = field(default_factory=dict)
    displaced: dict[int, np.ndarray] = field(default_factory=dict)
    scratch: dict[int, int] = field(default_factory=dict)
    _nodes: dict[tuple[str, int], tuple[int, float]] = field(default_factory=dict)  #: index and s, by link and cell
    _bare: Model | None = None

    def layout(self, link: str) -> LinkLayout:
        """Layout of a link by name."""
        for layout in self.layouts:
            if layout.name == link:
                return layout
        raise unknown_link(self.robot, link)

    def robot_link(self, link: str) -> LinkSpec:
        """Description of a link by name."""
        for spec in self.robot.links:
            if spec.name == link:
                return spec
        raise unknown_link(self.robot, link)

    def rod(self, link: str) -> RodTable:
        """Table of a link that must be a rod."""
        layout = self.layout(link)
        rod = layout.rod
        if rod is None:
            raise ModelError(f"link {link!r} is {layout.noun}, but this load acts along a rod")
        return rod

    def station(self, link: str, s: float, offset: np.ndarray | None = None) -> SegmentFrame:
        """Segment and offset of station ``s`` of a link; ``"world"`` is segment 0.

        Stations must have been announced by the load's ``stations()``, so that a rod has a step that ends there.
        """
        offset = np.eye(4) if offset is None else offset
        if link == "world":
            return SegmentFrame(0, offset)
        layout = self.layout(link)
        if layout.refuses(s):
            raise ModelError(f"s is {s:g}, but link {link!r} is {layout.noun}: {layout.ends}")
        segment, frame = layout.place(s, self.bases[layout.blocks[-1]])
        return SegmentFrame(segment, frame @ offset)

    def node(self, link: str, s: float) -> int:
        """Index of the strain node at station ``s`` of a rod; stations that differ by rounding alone are one.

        Loads find the same station in different ways.  If rounding told whether they share a node, the length of a
        rod would change their number.
        """
        cell = round(s / SAME_STATION)
        for near in (cell, cell - 1, cell + 1):
            if (link, near) in self._nodes:
                return self._nodes[link, near][0]
        self._nodes[link, cell] = len(self._nodes), s
        return len(self._nodes) - 1

    def rest_pose(self, link: str, s: float) -> np.ndarray:
        """World pose (4, 4) of station ``s`` of a link in the rest configuration, `Model.rest`."""
        if link == "world":
            return np.eye(4)
        if self._bare is None:
            self._bare = _without_items(self.robot, self.layouts)
        return self._bare.pose(self._bare.rest, link, s)

    def input(self, name: str, tension: bool = False) -> int:
        """Index of a new input; a ``tension`` [N] can pull but not push."""
        if name in self.inputs:
            raise ModelError(f"input {name!r} exists already, names of actuators must differ")
        self.inputs.append(name)
        self.tensions.append(tension)
        return len(self.inputs) - 1

    def signal(self, law: Callable[[float], Any], size: int) -> int:
        """First of ``size`` signals that take the values of ``law(t)``."""
        self.laws.append(law)
        self.sizes.append(size)
        self.owners.append(self.current)
        self.firsts.append(self._signals(size))
        return self.firsts[-1]

    def states(self, names: Sequence[str], state0: np.ndarray) -> tuple[int, int]:
        """Internal states of these names that begin at ``state0``: first signal of z, and of z', which the load fills.

        Solvers integrate them with the robot; everything else takes them at ``state0``.
        """
        taken = {name for block in self.load_states for name in block.names}
        if taken.intersection(names):
            raise ModelError(f"state {names[0]!r} exists already, names of loads with states must differ")
        first, rate = self._signals(len(names)), self._signals(len(names))
        self.load_states.append(LoadStates(self.current, tuple(names), first, rate, np.array(state0, dtype=float)))
        return first, rate

    def _signals(self, size: int) -> int:
        """First of ``size`` new signals."""
        self.signals += size
        return self.signals - size

    def loop(self, name: str, rows: int) -> int:
        """First multiplier of a loop with so many constraint rows."""
        self.rows += rows
        return self.rows - rows

    def prescribe(self, link: str, law: Callable[[float], Any]) -> None:
        """Let the joint of a link follow a law."""
        if any(link == other for other, _ in self.prescribed):
            raise ModelError(f"the joint of link {link!r} is prescribed already")
        if link in self.driven:
            raise ModelError(
                f"the joint of link {link!r} is also driven by JointDrive {self.driven[link]!r}; choose one"
            )
        self.prescribed.append((link, law))

    def drive(self, link: str, name: str) -> None:
        """Let the joint of a link be driven by an actuator."""
        if any(link == other for other, _ in self.prescribed):
            raise ModelError(f"the joint of link {link!r} is prescribed: it cannot be driven too; choose one")
        self.driven[link] = name

    def line(self, name: str, parts: int) -> None:
        """Announce a line of so many parts (see `core.elastic_lines`)."""
        if name in self.lines:
            raise ModelError(f"line {name!r} exists already, names of cables and tendons must differ")
        self.lines.append(name)
        self.parts += parts

    def warn_of_remote(self) -> None:
        """One warning for all lines of the robot that run strangely far from their rods."""
        if self.remote:
            others = f" (and {len(self.remote) - 1} more)" if len(self.remote) > 1 else ""
            warn(f"{self.remote[0]}{others}: routes are in metres")

    def immerse(self, segment: int, added: np.ndarray, displaced: np.ndarray) -> None:
        """Fluid that a segment moves and displaces, in its end's frame.

        Parameters
        ----------
        segment : int
            The segment.
        added : (6, 6)
            Added mass, which resists acceleration as its own inertia does; gravity must be taken off it by the load.
        displaced : (4,)
            Mass of the displaced fluid and its first moment: what the potential energy of gravity loses.
        """
        self.added[segment] = self.added.get(segment, 0.0) + added
        self.displaced[segment] = self.displaced.get(segment, 0.0) + displaced

    def reserve(self, block: int, floats: int) -> None:
        """Let the map of a block have so much scratch at least."""
        self.scratch[block] = max(self.scratch.get(block, 0), floats)

    def node_arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Arrays `nodes` and `psi` of the tree."""
        nodes = np.zeros(len(self._nodes), node_t)
        values: list[np.ndarray] = [np.zeros(0)] * len(nodes)
        stations: dict[str, list[tuple[int, float]]] = {}
        for (link, _), (k, s) in self._nodes.items():
            stations.setdefault(link, []).append((k, s))
        for link, places in stations.items():
            layout, rod = self.layout(link), self.rod(link)
            own, s_own = [k for k, _ in places], np.array([s for _, s in places])
            nodes["start"][own] = layout.coordinates.start + layout.joint_dof
            nodes["n"][own], nodes["rest"][own] = rod.n, rod.rest_strain(s_own)
            for k, row in zip(own, rod.basis(s_own), strict=True):
                values[k] = row
        nodes["column"][1:] = np.cumsum(nodes["n"])[:-1]
        return nodes, np.concatenate([*values, np.zeros(0)])

    def demand(self) -> Demand:
        """What scratch must hold."""
        return Demand(
            inputs=tuple(self.inputs),
            laws=tuple(self.laws),
            sizes=tuple(self.sizes),
            couplings=self.couplings,
            lines=tuple(self.lines),
            parts=self.parts,
            ties=self.ties,
            owners=tuple(self.owners),
            implicit=self.implicit,
            tensions=tuple(self.tensions),
            dormant=bool(self.dormant) or self.coordinates,
            balls=self.balls,
            firsts=tuple(self.firsts),
            signals=self.signals,
            states=tuple(self.load_states),
        )


def pose_records(poses: Sequence[np.ndarray]) -> np.ndarray:
    """(4, 4) poses as an array of `pose_t`."""
    records = np.zeros(len(poses), pose_t)
    for record, pose in zip(records, poses, strict=True):
        record["R"], record["p"] = pose[:3, :3], pose[:3, 3]
    return records


def collect_stations(robot: Robot) -> tuple[dict[str, set[float]], dict[str, set[float]]]:
    """Stations of every link at which loads sit or links hang, and those at which they may.

    The latter are the ``dormant_stations()`` of loads that have some (see `core.dormant`).
    """
    always = _collect(robot, lambda item: item.stations())
    for link in robot.links:
        if link.parent in always and link.station != 1.0:
            always[link.parent].add(link.station)
        for item in robot.items:  # those that act along soft bodies know where only now
            if hasattr(item, "body_stations"):
                always[link.name].update(item.body_stations(link.name, link.body))
    announced = {link.name for link in robot.links if link.body.announced_only}
    for frame in robot.frames:
        if frame.link in announced:
            always[frame.link].add(frame.station)
    return always, _collect(robot, lambda item: item.dormant_stations() if hasattr(item, "dormant_stations") else ())


def _collect(robot: Robot, places: Callable[[Any], Iterable[tuple[str, Any]]]) -> dict[str, set[float]]:
    stations: dict[str, set[float]] = {link.name: set() for link in robot.links}
    bodies = {link.name: link.body for link in robot.links}
    for name, item in zip(robot.item_names, robot.items, strict=True):
        with naming(item_name(item, name)):
            for link, s in places(item):
                if not isinstance(link, str):
                    raise ModelError(f"link is {shown(link)}, must be the name of a link")
                if link == "world":
                    continue
                if link not in stations:
                    raise unknown_link(robot, link)
                if isinstance(s, ArcLength):
                    s = s.station(bodies[link], link)
                s = as_station(s, f"s on link {link!r}")
                if not is_inside(s):
                    raise ModelError(f"s is {s!r} on link {link!r}, must lie between 0 and 1")
                check_material(bodies[link], link, s)
                stations[link].add(s)
    return stations


def bind_items(robot: Robot, binder: Binder) -> Iterator[Bound]:
    """Bind all loads in the order they were added."""
    for name, item in zip(robot.item_names, robot.items, strict=True):
        binder.current, first = item_name(item, name), len(binder.inputs)
        with naming(binder.current):
            bound = item.bind(binder)
        inputs = (first, len(binder.inputs))
        for k, part in enumerate([bound] if isinstance(bound, Bound) else bound or ()):
            label = name if k == 0 else f"{name} ({part.name})"  # of a load of several parts
            yield part._replace(name=label, owner=binder.current, inputs=inputs if k == 0 else (0, 0))


def _without_items(robot: Robot, layouts: Iterable[LinkLayout]) -> Model:
    """The same links, compiled without loads; bodies that have only frames that are announced keep theirs."""
    bare = robot.copy(items=False)
    for link, layout in zip(robot.links, layouts, strict=True):
        for s in layout.between if link.body.announced_only else ():
            bare.add_frame(f"{link.name!r} at {s!r}", (link.name, s))
    with unwarned():  # the robot itself has said it already
        return bare.compile()


def item_name(item: Any, name: str) -> str:
    """Kind and name of a load, for messages."""
    kind = type(item).__name__
    return kind if name == kind else f"{kind} {name!r}"


def unknown_link(robot: Robot, link: str) -> ModelError:
    """Error for a link that is not there."""
    return ModelError(f"there is no link {shown(link)}; links are: {', '.join(spec.name for spec in robot.links)}")
