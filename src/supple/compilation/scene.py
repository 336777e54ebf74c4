"""What pictures need of a robot, tabulated at compile time: outlines of rods, solids, and marks of loads.

Users' functions (sections, routes) are gone after compile, so their values are kept here. Nothing in this file draws:
`supple.viz` carries these shapes to where the model's kinematics say. A load says what it looks like in its own
file, by a method ``sketch(binder)`` that returns marks; a load without one is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.checks import Array
from supple.errors import naming
from supple.joints.factors import telling_subspace
from supple.robot.bodies.looks import BodyLook, RodLook, SkinLook, fine_corners
from supple.robot.bodies.looks import Place as Place  # marks are made of places
from supple.robot.bodies.looks import SoftPoint as SoftPoint
from supple.robot.bodies.soft_kinds import SoftKind, soft_kinds
from supple.robot.meshes import Mesh

if TYPE_CHECKING:
    from supple.compilation.binder import Binder
    from supple.robot.robot import LinkSpec, Robot

#: Stations along a route in a rod.
ROUTE = 65

WORLD = "world"


class Mark:
    """Anything drawn beside links; ``places`` are the frames it needs."""

    places: tuple[Place, ...]


@dataclass(frozen=True, eq=False)
class Strand(Mark):
    """A line through points of links: kind "tendon", "chamber", "cable", "spring" or "law".

    Tension (or pressure) is looked up in `Model.lines` by ``name``. ``radius`` (m,) is the true one, if it has one.
    """

    kind: str
    name: str
    places: tuple[Place, ...]
    radius: Array | None = None


@dataclass(frozen=True, eq=False)
class Arrow(Mark):
    """A wrench (6,), [moment; force], or a law of time for one, at a frame, in world axes or in the frame's own.

    With names of ``inputs``, ``wrench`` is (6, k): a wrench per unit of each.
    """

    places: tuple[Place, ...]
    wrench: Array | Callable[[float], Any]
    local: bool
    per_metre: bool = False
    inputs: tuple[str, ...] = ()

    def at(self, t: float, inputs: Mapping[str, float] | None = None) -> Array:
        """The wrench at time t; zero if it needs inputs and they are not known."""
        given = np.asarray(self.wrench(t) if callable(self.wrench) else self.wrench, dtype=float)
        if not self.inputs:
            return given
        return np.zeros(6) if inputs is None else given @ [inputs[name] for name in self.inputs]


@dataclass(frozen=True, eq=False)
class Hinge(Mark):
    """Two frames that a loop joins."""

    name: str
    places: tuple[Place, ...]


@dataclass(frozen=True, eq=False)
class Solid(Mark):
    """A shape that touches, its surface in the frame given."""

    places: tuple[Place, ...]
    mesh: Mesh

    @cached_property
    def corners(self) -> Array:
        """Small faces of the surface in its frame, (F, 4, 3)."""
        return fine_corners(self.mesh)


@dataclass(frozen=True, eq=False)
class Wall(Mark):
    """A shape without end: a plane with normal x (``radius`` None), or a tube about x."""

    places: tuple[Place, ...]
    radius: float | None = None


@dataclass(frozen=True, eq=False)
class Spots(Mark):
    """Spheres that touch, with their radii (m,)."""

    places: tuple[Place, ...]
    radius: Array


@dataclass(frozen=True, eq=False)
class JointLook(Mark):
    """The joint of a link: ``places`` are the frames before and after it; ``dof`` its coordinates.

    ``shifts`` (3, k) are the directions in which it lets the link slide.
    """

    link: str
    places: tuple[Place, ...]
    dof: int
    shifts: Array

    @cached_property
    def slides(self) -> int:
        """Number of independent directions in which it lets the link slide."""
        return int(np.linalg.matrix_rank(self.shifts)) if self.shifts.size else 0

    @property
    def grounded(self) -> bool:
        """Whether it holds a link to a place of the world, or to a line there."""
        return self.places[0].link == WORLD and self.slides < 2


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything a picture of a robot shows, in the frames of its links."""

    rods: tuple[RodLook, ...]
    bodies: tuple[BodyLook | SkinLook, ...]
    joints: tuple[JointLook, ...]
    marks: tuple[Mark, ...]
    leaves: tuple[str, ...] = field(default=())  #: links on which no other hangs

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """All frames, in the order of rods, bodies, joints, marks."""
        return tuple(place for part in self.parts for place in part.places)

    @cached_property
    def stations(self) -> tuple[tuple[str, float], ...]:
        """(link, s) of all frames, each once: many material points have the frame of their base."""
        return tuple(dict.fromkeys((place.link, place.s) for place in self.places))

    @cached_property
    def station_of(self) -> np.ndarray:
        """(P,) which of the stations every frame is at."""
        number = {station: k for k, station in enumerate(self.stations)}
        return np.array([number[place.link, place.s] for place in self.places], dtype=np.int64)

    @cached_property
    def offsets(self) -> Array:
        """(P, 4, 4) of all frames."""
        return np.array([place.offset for place in self.places]).reshape(-1, 4, 4)

    @cached_property
    def soft_kinds(self) -> tuple[SoftKind, ...]:
        """What is drawn of soft bodies, by their kinematics."""
        return soft_kinds(self.places, [look for look in self.bodies if isinstance(look, SkinLook)])

    def carry(self, frames: Array, q: Callable[[str], Array]) -> dict[str, Array]:
        """Carry frames (P, 4, 4) at material points from the base to where coordinates q of their link put them.

        Returns vertices (V, 3) of the skins of soft bodies in the frame of their base, by link.
        """
        skins: dict[str, Array] = {}
        for kind in self.soft_kinds:
            skins |= kind.carry(frames, q)
        return skins

    @property
    def parts(self) -> tuple[RodLook | BodyLook | SkinLook | Mark, ...]:
        """Rods, bodies, joints and marks."""
        return (*self.rods, *self.bodies, *self.joints, *self.marks)


def make_scene(robot: Robot, binder: Binder) -> Scene:
    """Look of all links and loads."""
    from supple.compilation.binder import item_name

    rods: list[RodLook] = []
    bodies: list[BodyLook | SkinLook] = []
    for link in robot.links:
        with naming(f"link {link.name!r}"):
            look = link.body.look(link.name)
            if isinstance(look, RodLook):
                rods.append(look)
            else:
                bodies.append(look)
    marks: list[Mark] = []
    for name, item in zip(robot.item_names, robot.items, strict=True):
        with naming(item_name(item, name)):
            marks += _sketched(item, binder)
    rods_held = {rod.link for rod in rods}
    parents = {link.parent for link in robot.links if link.station == 1.0 or link.parent not in rods_held}
    return Scene(
        rods=tuple(rods),
        bodies=tuple(bodies),
        joints=tuple(_joint_look(link, binder) for link in robot.links),
        marks=tuple(marks),
        leaves=tuple(link.name for link in robot.links if link.name not in parents),
    )


def _sketched(item: Any, binder: Binder) -> Iterable[Mark]:
    return item.sketch(binder) if hasattr(item, "sketch") else ()


def _joint_look(link: LinkSpec, binder: Binder) -> JointLook:
    before = Place(WORLD if link.parent == WORLD else link.parent, link.station, np.asarray(link.at))
    shifts = telling_subspace(link.joint.factors())[3:]
    return JointLook(link.name, (before, Place(link.name)), link.joint.dof, shifts)


