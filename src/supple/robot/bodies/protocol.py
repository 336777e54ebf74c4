"""The contract of bodies, and the recipe to add one.

A link is a joint and a body behind it.  A body may have coordinates of its own, which move its *points* relative to
the frame after the joint: a rod has strains, a rigid body has none.  Places on a body are stations s in [0, 1]: 0 is
the frame after the joint, 1 the tip, at which children hang unless told otherwise.

**To add a body:** a frozen dataclass deriving from `Body`, with

* ``noun`` and ``ends``: how messages call it, and what its two stations are if it has no others;
* ``labels``: a name for each of its coordinates;
* ``tabulate()``: its `BodyTable`, which is all that compilation keeps of it: the block of coordinates as the kernels
  see it (`Chain`), inertia, stiffness, damping and rest, and where its stations are; numbers only, so that a
  model pickles;
* ``look(link)``: what pictures show of it (`supple.robot.bodies.looks`);
* ``summary()``: its cells in the table that ``print(robot)`` shows;

its export in `robot/bodies/__init__.py`, and a test (`tests/robot/bodies`).  Nobody asks for the class of a body.
Whoever needs more than every body has asks for a capability: ``centreline`` (tendons, distributed loads, spheres) or
``solid`` (fluids, which push on a shape) or ``continuum`` (material points); a body without it has None there, and the
error names the link.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from supple.checks import Array
from supple.errors import ModelError
from supple.robot.stations import MaterialPoint

if TYPE_CHECKING:
    from supple.core.blocks.custom import BoundMap
    from supple.jit import AddressedKernel, LoadKernel
    from supple.robot.bodies.looks import BodyLook, RodLook, SkinLook
    from supple.robot.bodies.rigid import Rigid
    from supple.robot.bodies.rod import Rod
    from supple.robot.bodies.rod_table import RodTable
    from supple.robot.bodies.soft import SoftBody


class Body(ABC):
    """What a link is made of; n is its number of coordinates."""

    #: How messages call it: "link 'arm' is <noun>".
    noun: ClassVar[str] = "a body"

    #: What stations 0 and 1 are, if the body has no others; empty if it has all of [0, 1].
    ends: ClassVar[str] = ""

    #: Whether it has frames only at stations that are announced: where loads sit, links hang, or frames have a name.
    announced_only: ClassVar[bool] = False

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """Name of each coordinate, (n,)."""

    @property
    def size(self) -> int:
        """Number of coordinates n."""
        return len(self.labels)

    @abstractmethod
    def tabulate(self) -> BodyTable:
        """Evaluate everything that computations will need; called once per compilation."""

    @abstractmethod
    def look(self, link: str) -> RodLook | BodyLook | SkinLook:
        """What pictures show of it, as the body of that link."""

    @abstractmethod
    def summary(self) -> tuple[str, str]:
        """Cells of a robot's table: what it is, and which strains are free ("-" if it has none)."""

    def check(self) -> None:
        """Whatever can be found wrong before compilation: raises `ModelError`."""
        return None

    def felt_inertia(self) -> Array | None:
        """Inertia (6, 6) that a joint before the body moves, about the frame after the joint; None: enough for any."""
        return None

    def mass_text(self) -> str:
        """How messages tell the mass of a body that gives its joint too little inertia."""
        return f"{self.noun} without inertia there"

    @property
    def centreline(self) -> Rod | None:
        """The body as something with a length, sections and strains along it; None if it is not."""
        return None

    @property
    def solid(self) -> Rigid | None:
        """The body as one solid in the frame after its joint, with a mass and perhaps a shape; None if it is not."""
        return None

    @property
    def continuum(self) -> SoftBody | None:
        """The body as material points that a traced function moves; None if it is not."""
        return None

    def refuses(self, s: float) -> bool:
        """Whether it has no station s in [0, 1], or no such material point."""
        if isinstance(s, MaterialPoint):
            return self.continuum is None
        return bool(self.ends) and s not in (0.0, 1.0)


class Chain(NamedTuple):
    """A body's own block of coordinates as the kernels see it, before it has its place in the tree.

    Segments that end at the body's points form a chain from its base; further ones leave it for stations in between.
    Point 0 is the base of the body, point k the end of segment ``own[k - 1]``.
    """

    kind: int  #: of `core.records`
    segments: np.ndarray  #: (count,) of `core.records.segment_t`: steps, and the inertia of the points at their ends
    phi: np.ndarray  #: (2, count, n) basis functions at the collocation points of every step; zero if it has none
    begins: np.ndarray  #: (count,) point at which each segment begins
    own: tuple[int, ...]  #: segments that end at points 1, 2, ...
    between: dict[float, int]  #: segments that end at stations between points
    component: np.ndarray | None = None  #: (n,) strain component of each coordinate, ascending; None: no strains
    dormant: int = 0  #: how many segments, the last ones, no sweep visits until a load wakes them (`core.dormant`)
    map: BoundMap | None = None  #: of a block of kind CUSTOM: its compiled function and data
    idle_tip: bool = False  #: whether the segment before these has no inertia, and matters to children and loads alone


class Located(NamedTuple):
    """Where a station is: at a point of the body, or fixed to it with a pose (4, 4) in its frame."""

    point: int
    offset: np.ndarray | None = None


class OwnForce(NamedTuple):
    """A force of a body on its own coordinates: kernel, arrays, who explains a result that is not finite, gradient.

    At rest it is minus the gradient of its energy, which may be none.
    """

    kernel: LoadKernel
    data: Any
    guard: Any = None
    gradient: AddressedKernel | None = None
    what: str = "elasticity"  #: its name in reports


class LinkArrays(NamedTuple):
    """What a model holds of one link, for fingerprints; lists have an entry per block, or per node."""

    names: tuple[str, ...]  #: of its coordinates, the joint's included
    segments: list[np.ndarray]
    phi: list[np.ndarray]
    nodes: list[np.ndarray]
    psi: list[np.ndarray]


@dataclass(frozen=True, eq=False, kw_only=True)
class BodyTable(ABC):
    """All that compilation keeps of a body: numbers, no functions of the user's.

    Attributes
    ----------
    stiffness, damping : (n, n)
        Of the body's coordinates: tau = -K (q - rest_position) - D v.
    rest_position : (n,)
        Its coordinates without load.
    """

    stiffness: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    damping: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    rest_position: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.rest_position)

    @abstractmethod
    def chain(self, stations: Collection[float] = (), dormant: Collection[float] = ()) -> Chain | None:
        """The body's block, with a segment to each of these stations, and to those that sleep until they are woken.

        None if it has none: then its only point is the end of its joint, and carries `point_inertia`.
        """

    @property
    def point_inertia(self) -> Array:
        """Inertia (6, 6) of a body without a block, about the frame after its joint."""
        return np.zeros((6, 6))

    @property
    @abstractmethod
    def points(self) -> tuple[tuple[int, float], ...]:
        """(point, s) of every frame that `Model.points` lists."""

    @abstractmethod
    def locate(self, s: float) -> Located | None:
        """Where station s is; None if it lies between two points, and needs a segment of its own."""

    @property
    def tip(self) -> Array:
        """Pose (4, 4) of station 1 in the frame of the last point."""
        return np.eye(4)

    def first_moment(self, q: Array) -> tuple[Array, Array] | None:
        """First moment (3,) of a body whose mass moves within it, kg m in its base frame, and slopes (3, n) by q.

        None if its mass is at its points.
        """
        return None

    def own_forces(self, link: str, block: int, frames: int, node: Callable[[str, float], int]) -> Sequence[OwnForce]:
        """Compiled forces of the body's own on its coordinates, beside linear ones, with their data.

        ``block`` is the body's own, ``frames`` how many its map has, ``node`` numbers strain nodes by link and station.
        """
        return ()

    @property
    def material(self) -> bool:
        """Whether material points are stations."""
        return False

    @property
    def line(self) -> RodTable | None:
        """Stations and strain functions of a body with a centreline; None if it has none."""
        return None

    def aspects(self, arrays: LinkArrays) -> dict[str, Any]:
        """What of the body shows in a fingerprint beside place, joint, inertia and stiffness, by name."""
        return {}


def centreline_of(body: Body, link: str, what: str, remedy: str = "") -> Rod:
    """The centreline of a link's body; the error says that ``what`` runs along one, and the ``remedy``."""
    line = body.centreline
    if line is None:
        raise ModelError(f"link {link!r} is {body.noun}, but {what}{f'; {remedy}' if remedy else ''}")
    return line


def check_material(body: Body, link: str, s: float) -> None:
    """A material point is a place of a soft body."""
    if isinstance(s, MaterialPoint) and body.continuum is None:
        raise ModelError(f"s is {s} on link {link!r}, which is {body.noun}: only soft bodies have material points")


class ArcLength(float):
    """A place on a link in metres from its base, where a station s is expected; without a centreline, its base.

    Of a soft body it is the material point (x, y, z), x being the number itself.
    """

    y: float
    z: float

    def __new__(cls, x: float, y: float = 0.0, z: float = 0.0) -> ArcLength:
        """x, y and z in metres."""
        place = super().__new__(cls, x)
        place.y, place.z = float(y), float(z)
        return place

    def station(self, body: Body, link: str) -> float:
        """The station s of this place."""
        line = body.centreline
        if body.continuum is not None:
            return MaterialPoint(float(self), self.y, self.z)
        if line is None:
            return 0.0
        if not 0.0 <= self <= line.length:
            raise ModelError(f"X is {self:g} m on link {link!r}, must lie in [0, {line.length:g}], the rod's length")
        return float(self) / line.length
