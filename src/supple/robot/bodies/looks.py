"""What pictures show of bodies, tabulated at compile time: skins along centrelines, and solids.

Users' functions (sections) are gone after compile, so their values are kept here.  Nothing in this file draws:
`supple.viz` carries these looks to where the model's kinematics say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.checks import Array
from supple.errors import FileError, MissingExtraError, warn
from supple.robot import meshes
from supple.robot.meshes import Mesh
from supple.sections.properties import is_uniform
from supple.tracing.symbols import Symbols

if TYPE_CHECKING:
    from supple.robot.bodies.rigid import Rigid
    from supple.robot.bodies.rod import Rod

#: Stations along a rod; pictures of rods that turn much add some in between.
ALONG = 33

#: Radius of a rod whose section does not know its size, relative to its length.
THIN = 0.01

#: Longest edge of a solid's faces, relative to its size: small faces hide one another rightly.
FACE = 0.2

_HERE = np.eye(4)
_HERE.setflags(write=False)


class SoftPoint(NamedTuple):
    """A material point of a soft body, at ``s`` of its axis, and where the kinematics put such points."""

    x: tuple[float, float, float]  #: m
    s: float
    place: Symbols


class Place(NamedTuple):
    """A frame fixed to station ``s`` of a link (or to the world), at ``offset`` (4, 4) in the frame there.

    Between two places ``within`` the same rod a line follows the rod; else it is straight. A material ``point`` of a
    soft body has the axes of the body's base.
    """

    link: str
    s: float = 0.0
    offset: Array = _HERE
    within: bool = False
    point: SoftPoint | None = None

    @property
    def along(self) -> float:
        """Where along its link it is, from 0 to 1."""
        return self.s if self.point is None else self.point.s


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
    """A solid fixed to station s of a link; everything is in the frame there."""

    link: str
    body: Rigid
    s: float = 0.0

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
        if self.body.shape is None:
            return _equal_ellipsoid(self.body)
        try:
            return self.body.shape.mesh()
        except (FileError, MissingExtraError) as error:
            warn(f"link {self.link!r} is drawn as an ellipsoid of equal inertia: {error}")
            return _equal_ellipsoid(self.body)

    @property
    def bones(self) -> Array:
        """Ends (k, 2, 3) of lines that show a body without a shape of its own: from its frame to com and tip."""
        ends = [end for end in (self.com, self.tip) if np.any(end) and not self.given]
        return np.array([(np.zeros(3), end) for end in ends]).reshape(-1, 2, 3)

    @property
    def places(self) -> tuple[Place, ...]:
        """Its frame."""
        return (Place(self.link, self.s),)

    @cached_property
    def corners(self) -> Array:
        """Small faces of the surface in the body frame, (F, 4, 3)."""
        return np.zeros((0, 4, 3)) if self.mesh is None else fine_corners(self.mesh)

    @cached_property
    def edges(self) -> meshes.Edges:
        """Edges between the faces of the mesh."""
        return meshes.edges_of(np.zeros((0, 4), dtype=np.int64) if self.mesh is None else self.mesh.faces)


@dataclass(frozen=True, eq=False)
class SkinLook:
    """The surface of a soft body, fixed to station 0 of a link and shaped by the body's coordinates.

    Attributes
    ----------
    link : str
    rest : Mesh or None
        The surface at rest, in material points; None for a body of points alone.
    place : Symbols
        Where the kinematics put a material point.
    mesh : Mesh or None
        The surface as it is, in the frame of the base.
    """

    link: str
    rest: Mesh | None
    place: Symbols
    mesh: Mesh | None = None

    def shaped(self, vertices: Array | None) -> SkinLook:
        """The same with its vertices (V, 3) in the frame of the base, m; None for a body of points alone."""
        if self.rest is None or vertices is None:
            return self
        return replace(self, mesh=Mesh(vertices, self.rest.faces))

    @property
    def places(self) -> tuple[Place, ...]:
        """The frame of its base."""
        return (Place(self.link),)

    @cached_property
    def edges(self) -> meshes.Edges:
        """Edges between the faces of the mesh."""
        return meshes.edges_of(np.zeros((0, 4), dtype=np.int64) if self.rest is None else self.rest.faces)


def fine_corners(mesh: Mesh) -> Array:
    """Corners (F, 4, 3) of the faces of a mesh, cut so small that they hide one another rightly."""
    return meshes.refined(mesh.corners, FACE * float(np.ptp(mesh.vertices, axis=0).max()))


def rod_look(link: str, rod: Rod) -> RodLook:
    """The skin of a rod, its section looked at `ALONG` times."""
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
