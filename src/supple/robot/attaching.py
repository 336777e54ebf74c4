"""A robot becomes a part of another: links, frames, loads, loops, prescribed joints and controllers, under new names.

What was fixed to the world of the part is fixed to the place where it is attached; directions of world axes (gravity,
wrenches in the world frame, currents) stay those of the world.

`ROLES` says which fields of a load name links.  A kind of load that is not listed has a method
``attached(placement)``, which returns the load as a part of the other robot, with names and places from the
`Placement`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Array
from supple.errors import ModelError, naming
from supple.lie.pose import pose
from supple.robot.summary import coordinates_of
from supple.robot.validate import WORLD

if TYPE_CHECKING:
    from supple.robot.robot import Robot

#: What fields of loads refer to, by the name of their class.  "link": a link; "end": (link, s) or (link, s, pose);
#: "ends": a sequence of them; "frame": (link, pose) or (link, pose, s), of a loop; "route": parts of a line by link;
#: "by link": anything else by link; "links": names of links, None for all of the part; "shape": what touches; "inputs":
#: names of inputs, None for all of the part; "feedback": a function of the part's states.
ROLES: dict[str, dict[str, str]] = {
    "Tendon": {"route": "route", "until": "by link", "slope": "by link"},
    "ElasticTendon": {"route": "route", "until": "by link", "slope": "by link"},
    "Chamber": {"route": "route", "until": "by link", "slope": "by link"},
    "Cable": {"points": "ends"},
    "Springs": {"points": "ends"},
    "Cavity": {"link": "link"},
    "Spring": {"a": "end", "b": "end"},
    "PairLaw": {"a": "end", "b": "end"},
    "Loop": {"a": "frame", "b": "frame"},
    "Contact": {"a": "shape", "b": "shape"},
    "Fluid": {"drag": "by link", "added_mass": "by link", "links": "links"},
    "BearingFriction": {"link": "link"},
    "JointDrive": {"link": "link"},
    "Prescribed": {"link": "link"},
    "PointWrench": {"link": "link"},
    "Distributed": {"link": "link"},
    "PointLaw": {"link": "link"},
    "Wake": {"link": "link"},
    "Thruster": {"link": "link"},
    "Controller": {"inputs": "inputs", "rate": "feedback", "output": "feedback"},
}


@dataclass(frozen=True)
class PartOfState:
    """Feedback (t, q, v, z) -> values of a part of a robot: it sees coordinates from ``start`` to ``stop`` alone."""

    function: Callable[..., Any]
    start: int
    stop: int

    def __call__(self, t: float, q: np.ndarray, v: np.ndarray, z: np.ndarray) -> Any:
        """As the function answers for its part."""
        return self.function(t, q[self.start : self.stop], v[self.start : self.stop], z)


class Placement:
    """Where names and places of a part are in the robot that it is attached to.

    Parameters
    ----------
    part : Robot
        What is attached.
    prefix : str
        Begins its names.
    link, station, at
        The place: a link of the robot, or "world", a station s of it, and the pose (4, 4) there of the part's world.
    tip : (4, 4) or None
        Pose of that station in the frame in which via points of a line on that link are given; None on a rod.
    start : int
        First of the part's coordinates.
    """

    def __init__(
        self, part: Robot, prefix: str, link: str, station: float, at: Array, tip: Array | None, start: int
    ) -> None:
        self.part, self.prefix, self.start = part, prefix, start
        self.base, self.station, self.at, self.tip = link, station, at, tip

    def name(self, own: str) -> str:
        """A name of the part in the robot."""
        return f"{self.prefix}{own}"

    def link(self, own: Any) -> Any:
        """A link of the part; not the world."""
        if own == WORLD:
            raise ModelError(f"it names {WORLD!r} where only a link can be")
        return self.name(own) if isinstance(own, str) else own

    def end(self, end: Any) -> Any:
        """(link, s) or (link, s, pose)."""
        if not isinstance(end, (tuple, list)) or not end:
            return end
        if end[0] != WORLD:
            return (self.link(end[0]), *end[1:])
        return self.base, self._base_station, self.at @ (np.asarray(end[2]) if len(end) > 2 else pose())

    def frame(self, end: Any) -> Any:
        """(link, pose) or (link, pose, s), an end of a loop."""
        if not isinstance(end, (tuple, list)) or not end:
            return end
        if end[0] != WORLD:
            return (self.link(end[0]), *end[1:])
        moved = self.at @ (np.asarray(end[1]) if len(end) > 1 else pose())
        return (self.base, moved) if self.base == WORLD else (self.base, moved, self.station)

    @property
    def _base_station(self) -> float:
        return 0.0 if self.base == WORLD else self.station

    def ends(self, ends: Any) -> Any:
        """A sequence of ends."""
        return [self.end(end) for end in ends]

    def by_link(self, table: Any) -> Any:
        """Anything by link; other values are left as they are."""
        return {self.link(own): value for own, value in table.items()} if isinstance(table, Mapping) else table

    def route(self, route: Any) -> Any:
        """Parts of a line by link; via points on the world are moved."""
        if not isinstance(route, Mapping):
            return route
        moved: dict[str, Any] = {}
        for own, part in route.items():
            key, value = (self.base, self._via(part)) if own == WORLD else (self.link(own), part)
            if key in moved:
                raise ModelError(f"it would pass link {key!r} twice, where a line names every link once")
            moved[key] = value
        return moved

    def _via(self, points: Any) -> list[list[float]]:
        if self.tip is None:
            raise ModelError(
                f"it passes points of the world, which would be fixed to the rod {self.base!r}: attach it to a rigid "
                "link"
            )
        frame = self.tip @ self.at
        return [(frame[:3, :3] @ np.asarray(x, dtype=float) + frame[:3, 3]).tolist() for x in points]

    def links(self, links: Any) -> tuple[str, ...]:
        """Names of links; None: all of the part."""
        return tuple(self.link(own) for own in ([link.name for link in self.part.links] if links is None else links))

    def shape(self, shape: Any) -> Any:
        """A shape that touches."""
        if shape.link != WORLD:
            return replace(shape, link=self.link(shape.link))
        R, p = self.at[:3, :3], self.at[:3, 3]
        turned: dict[str, Callable[[Any], Any]] = {
            "center": lambda x: R @ x + p,
            "a": lambda x: R @ x + p,
            "b": lambda x: R @ x + p,
            "point": lambda x: R @ x + p,
            "normal": lambda x: R @ x,
            "axis": lambda x: R @ x,
            "pose": lambda x: self.at @ x,
        }
        changes = {key: move(np.asarray(getattr(shape, key))) for key, move in turned.items() if hasattr(shape, key)}
        if "normal" in changes:
            changes["height"] = shape.height + float(changes["normal"] @ p)
        return replace(shape, link=self.base, s=self._base_station, **changes)

    def inputs(self, inputs: Any) -> tuple[str, ...]:
        """Names of inputs; None: all of the part."""
        return tuple(self.name(own) for own in (self.part.compile().input_names if inputs is None else inputs))

    def feedback(self, function: Any) -> PartOfState:
        """A function of the part's states."""
        return PartOfState(function, self.start, self.start + coordinates_of(self.part))

    def item(self, item: Any, name: str) -> Any:
        """A load of the part, called ``name`` there, as one of the robot."""
        if hasattr(item, "attached"):
            return item.attached(self)
        roles = ROLES.get(type(item).__name__)
        if roles is None:
            raise ModelError(
                f"a {type(item).__name__} cannot be attached: give it a method attached(placement) that makes a new one"
            )
        changes = {key: getattr(self, _METHODS[role])(getattr(item, key)) for key, role in roles.items()}
        if "name" in item.__dataclass_fields__:
            changes["name"] = self.name(name)
        return replace(item, **changes)


_METHODS = {role: role.replace(" ", "_") for roles in ROLES.values() for role in roles.values()}


def attach(robot: Robot, part: Robot, to: Any, at: Array, prefix: str) -> Robot:
    """A copy of a robot with another one attached; see `Robot.attach`."""
    twin = robot.copy()
    start = coordinates_of(robot)
    link, station, place, tip = _place(robot, to, at, f"{prefix}mount")
    placement = Placement(part, prefix, link, station, place, tip, start)
    _pin(twin, robot, part)
    for own in part.links:
        rooted = own.parent == WORLD
        holder = (link, station) if rooted else (placement.name(own.parent), own.station)
        parent: Any = WORLD if holder[0] == WORLD else holder
        frame = place @ np.asarray(own.at) if rooted else own.at
        twin.add_link(placement.name(own.name), own.body, own.joint, parent, frame, facts=own.facts)
    for coupling in part.couplings:
        leaders = tuple(placement.name(leader) for leader in coupling.leaders)
        twin.follow(replace(coupling, follower=placement.name(coupling.follower), leaders=leaders))
    for frame_spec in part.frames:
        where = placement.name(frame_spec.link), frame_spec.station
        twin.add_frame(placement.name(frame_spec.name), where, frame_spec.at)
    for name, item in zip(part.item_names, part.items, strict=True):
        with naming(f"{type(item).__name__} {name!r} of robot {part.name!r}"):
            twin.add(placement.item(item, name))
    return twin


def _place(robot: Robot, to: Any, at: Array, mount: str) -> tuple[str, float, Array, Array | None]:
    """Link, station, pose (4, 4) there, and pose of that station among via points, of the place to attach to."""
    if isinstance(to, str) and to == WORLD:
        return WORLD, 1.0, at, np.eye(4)
    links = {link.name: link for link in robot.links}
    trial = robot.copy(items=False)
    while mount in links or any(frame.name == mount for frame in robot.frames):
        mount += "'"
    trial.add_frame(mount, to, at)
    spec = trial.frames[-1]
    if spec.link not in links:
        known = ", ".join([*links, *(frame.name for frame in robot.frames)])
        raise ModelError(f"attach: there is no link or frame {spec.link!r} to attach to; known are: {known}")
    solid = links[spec.link].body.solid
    tip = None if solid is None else np.asarray(solid.tip) if spec.station == 1.0 else np.eye(4)
    return spec.link, spec.station, np.asarray(spec.at), tip


def _pin(twin: Robot, robot: Robot, part: Robot) -> None:
    """What acts on all of the robot, or sees all of it, goes on with the links that were there before."""
    whole = Placement(robot, "", WORLD, 1.0, np.eye(4), np.eye(4), 0)
    both_wet = any(type(item).__name__ == "Fluid" for item in part.items)
    for name, item in zip(robot.item_names, robot.items, strict=True):
        if type(item).__name__ == "Controller":
            twin._put(name, whole.item(item, name))
        elif type(item).__name__ == "Fluid" and both_wet:
            wet: Any = item
            twin._put(name, replace(wet, links=whole.links(wet.links)))
