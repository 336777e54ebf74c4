"""What pictures need of a robot, tabulated at compile time: outlines of rods, solids, and marks of loads.

Users' functions (sections, routes) are gone after compile, so their values are kept here. Nothing in this file draws:
`supple.viz` carries these shapes to where the model's kinematics say. A load says what it looks like in its own
file, by a method ``sketch(binder)`` that returns marks; a load without one is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.checks import Array
from supple.errors import naming
from supple.robot import meshes
from supple.robot.links import Rigid, Rod
from supple.robot.meshes import Mesh
from supple.sections.properties import is_uniform

if TYPE_CHECKING:
    from supple.compilation.binder import Binder
    from supple.robot.robot import LinkSpec, Robot

#: Stations along a rod, and along a route in it; pictures of rods that turn much add some in between.
ALONG, ROUTE = 33, 65

#: Radius of a rod whose section does not know its size, relative to its length.
THIN = 0.01

#: Longest edge of a solid's faces, relative to its size: small faces hide one another rightly.
FACE = 0.2

WORLD = "world"

_HERE = np.eye(4)
_HERE.setflags(write=False)


class Place(NamedTuple):
    """A frame fixed to station ``s`` of a link (or to the world), at ``offset`` (4, 4) in the frame there.

    Between two places ``within`` the same rod a line follows the rod; else it is straight.
    """

    link: str
    s: float = 0.0
    offset: Array = _HERE
    within: bool = False


@dataclass(frozen=True, eq=False)
class RodLook:
    """A rod's skin.

    Attributes
    ----------
    link : str
    s : (M,)
        Stations.
    outline : (M, K, 2)
        Rim of the section (y, z) at each, m.
    hole : (M, K, 2) or None
        Inner rim of a tube.
    sized : bool
        Whether the section knows its size; else the skin is a thin tube.
    """

    link: str
    s: Array
    outline: Array
    hole: Array | None
    sized: bool

    @property
    def places(self) -> tuple[Place, ...]:
        """Frames of all sections."""
        return tuple(Place(self.link, s) for s in self.s.tolist())

    @property
    def radius(self) -> Array:
        """Of the smallest circles about the centreline that hold the sections, (M,), m."""
        return np.asarray(np.linalg.norm(self.outline, axis=2).max(axis=1))

    @cached_property
    def faces(self) -> meshes.Faces:
        """Faces of the skin between `skin` vertices."""
        rings, around = self.outline.shape[:2]
        return (meshes.solid_faces if self.hole is None else meshes.hollow_faces)(rings, around)

    @property
    def caps(self) -> int:
        """How many of the `faces`, the last ones, close the ends."""
        return 2 * int(self.outline.shape[1])

    @cached_property
    def edges(self) -> meshes.Edges:
        """Edges between the `faces`."""
        return meshes.edges_of(self.faces)

    def skin(self, frames: Array) -> Array:
        """World vertices of the skin, (V, 3), for the frames (M, 4, 4) of the sections."""
        outer = _carried(frames, self.outline)
        if self.hole is None:
            return meshes.solid_vertices(outer)
        return np.concatenate([outer.reshape(-1, 3), _carried(frames, self.hole).reshape(-1, 3)])


@dataclass(frozen=True, eq=False)
class BodyLook:
    """A rigid body; everything is in its frame."""

    link: str
    body: Rigid

    @property
    def given(self) -> bool:
        """Whether the user gave the shape; else the mesh is the ellipsoid of equal inertia."""
        return self.body.shape is not None

    @property
    def com(self) -> Array:
        """Centre of mass (3,)."""
        return np.asarray(self.body.com)

    @property
    def tip(self) -> Array:
        """Where children attach, (3,)."""
        return np.asarray(self.body.tip)[:3, 3]

    @cached_property
    def mesh(self) -> Mesh | None:
        """Its surface, None for one without mass or extent."""
        return _equal_ellipsoid(self.body) if self.body.shape is None else self.body.shape.mesh()

    @property
    def bones(self) -> Array:
        """Ends (k, 2, 3) of lines that show a body without a shape of its own: from its frame to com and tip."""
        ends = [end for end in (self.com, self.tip) if np.any(end) and not self.given]
        return np.array([(np.zeros(3), end) for end in ends]).reshape(-1, 2, 3)

    @property
    def places(self) -> tuple[Place, ...]:
        """Its frame."""
        return (Place(self.link),)

    @cached_property
    def corners(self) -> Array:
        """Small faces of the surface in the body frame, (F, 4, 3)."""
        return np.zeros((0, 4, 3)) if self.mesh is None else fine_corners(self.mesh)

    @cached_property
    def edges(self) -> meshes.Edges:
        """Edges between the faces of the mesh."""
        return meshes.edges_of(np.zeros((0, 4), dtype=np.int64) if self.mesh is None else self.mesh.faces)


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
    bodies: tuple[BodyLook, ...]
    joints: tuple[JointLook, ...]
    marks: tuple[Mark, ...]
    leaves: tuple[str, ...] = field(default=())  #: links on which no other hangs

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """All frames, in the order of rods, bodies, joints, marks."""
        return tuple(place for part in self.parts for place in part.places)

    @cached_property
    def stations(self) -> tuple[tuple[str, float], ...]:
        """(link, s) of all frames."""
        return tuple((place.link, place.s) for place in self.places)

    @cached_property
    def offsets(self) -> Array:
        """(P, 4, 4) of all frames."""
        return np.array([place.offset for place in self.places]).reshape(-1, 4, 4)

    @property
    def parts(self) -> tuple[RodLook | BodyLook | Mark, ...]:
        """Rods, bodies, joints and marks."""
        return (*self.rods, *self.bodies, *self.joints, *self.marks)


def fine_corners(mesh: Mesh) -> Array:
    """Corners (F, 4, 3) of the faces of a mesh, cut so small that they hide one another rightly."""
    return meshes.refined(mesh.corners, FACE * float(np.ptp(mesh.vertices, axis=0).max()))


def make_scene(robot: Robot, binder: Binder) -> Scene:
    """Look of all links and loads."""
    from supple.compilation.binder import item_name

    rods, bodies = [], []
    for link in robot.links:
        with naming(f"link {link.name!r}"):
            if isinstance(link.body, Rod):
                rods.append(_rod_look(link.name, link.body))
            else:
                bodies.append(BodyLook(link.name, link.body))
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
    shifts = [screws[3:] for screws in link.joint.factors()]
    return JointLook(
        link.name, (before, Place(link.name)), link.joint.dof, np.hstack(shifts) if shifts else np.zeros((3, 0))
    )


def _rod_look(link: str, rod: Rod) -> RodLook:
    s = np.linspace(0.0, 1.0, ALONG)
    section, sized = rod.section, rod.section.has_outline
    same = is_uniform(section)
    outline = _tabled(section.outline, s, same)
    hole = None if section.hole(0.0) is None else _tabled(section.hole, s, same)
    if not sized:
        outline = np.tile(meshes.revolved((0.0, 1.0), (1.0, 1.0), 12).vertices[:12, 1:], (ALONG, 1, 1))
        outline = THIN * rod.length * outline
    return RodLook(link, s, outline, hole, sized)


def _tabled(rim: Callable[[float], Array | None], s: Array, same: bool) -> Array:
    """A rim (K, 2) at stations s (M,), (M, K, 2); looked at once if it is the ``same`` everywhere."""
    if same:
        return np.tile(np.asarray(rim(0.0)), (len(s), 1, 1))
    return np.array([rim(x) for x in s.tolist()])


def _equal_ellipsoid(body: Rigid) -> Mesh | None:
    """The ellipsoid of uniform density with the body's mass and inertia; None for a point or a massless body.

    Semi-axes from the principal moments: a_i^2 = 5 (I_j + I_k - I_i) / (2 m), none below a fiftieth of the largest.
    """
    if body.mass == 0.0:
        return None
    moments, axes = np.linalg.eigh(np.asarray(body.inertia))
    squares = 2.5 * (moments.sum() - 2.0 * moments) / body.mass
    semi = np.sqrt(np.maximum(squares, 0.0))
    if semi.max() <= 0.0:
        return None
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = axes * np.sign(np.linalg.det(axes)), np.asarray(body.com)
    return meshes.ellipsoid(np.maximum(semi, 0.02 * semi.max())).moved(pose)


def _carried(frames: Array, outline: Array) -> Array:
    """World points (M, K, 3) of outlines (M, K, 2) in the y-z planes of frames (M, 4, 4)."""
    return np.asarray(outline @ frames[:, :3, 1:3].transpose(0, 2, 1) + frames[:, None, :3, 3])
