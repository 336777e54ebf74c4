"""Shapes that touch: spheres along rods, balls, capsules, boxes, planes, tubes, on links or on the world.

For the kernel there are only *contact spheres* (one may slide along a capsule's axis) and *surfaces* (see
`loads.contact.distance`); `loads.contact.meetings` says which shape becomes which.  A shape's frame has its axis or
normal along x.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import (
    Array,
    finite_array,
    finite_float,
    flag,
    nonnegative_float,
    positive_float,
    real_array,
    real_vector,
    shown,
    whole_number,
)
from supple.compilation.scene import Place, Solid, Spots, Wall
from supple.errors import ModelError
from supple.lie.pose import check_pose, pose
from supple.loads.contact.distance import BORE, BOX, PLANE, ROUND
from supple.loads.contact.outlines import Outline, Round, section_outline
from supple.robot import meshes
from supple.robot.bodies.protocol import centreline_of
from supple.robot.stations import MaterialPoint, as_station

if TYPE_CHECKING:
    from supple.compilation.binder import Binder
    from supple.compilation.scene import Mark

#: Most spheres along one rod: far more than any rod needs.
MOST_SPHERES = 10_000


class ContactSphere(NamedTuple):
    """A sphere at the origin of a frame, or one that slides along its x as far as ``length``.

    With ``focal`` its radius is that of circles inscribed in an ellipse with foci so far from its centre at ``middle``.
    """

    link: str
    s: float
    frame: Array
    radius: float
    length: float = 0.0
    weight: float = 1.0
    focal: float = 0.0
    middle: float = 0.0

    @property
    def numbers(self) -> tuple[float, ...]:
        """As the kernel takes them, see `loads.contact.distance.varying_radius`."""
        return self.radius, self.length, self.weight, self.focal**2, self.middle

    @property
    def reach(self) -> float:
        """No point of it is farther from its station than this."""
        return float(np.linalg.norm(self.frame[:3, 3])) + self.length + self.radius


class Surface(NamedTuple):
    """What spheres touch: a kind of `loads.contact.distance` with its three numbers, at a frame."""

    link: str
    s: float
    frame: Array
    kind: int
    size: tuple[float, float, float]

    @property
    def reach(self) -> float:
        """No point of a round one is farther from its station than this."""
        return float(np.linalg.norm(self.frame[:3, 3])) + max(abs(self.size[1]), abs(self.size[2])) + self.size[0]


class Meeting(NamedTuple):
    """Spheres against surfaces, but for the pairs (m, k) to skip."""

    spheres: list[ContactSphere]
    surfaces: list[Surface]
    skip: np.ndarray


class ContactShape:
    """Anything that touches.

    Attributes
    ----------
    link : str
        The link it is fixed to, or "world".
    s : float
        Station of the link in whose frame it is given: rods 0 (base) to 1 (tip); rigid links 0 (body frame) or 1
        (tip); of soft bodies also a material point (x, y, z), m.
    """

    link: str
    s: float

    def stations(self) -> Iterable[tuple[str, float]]:
        """Where it is fixed."""
        return [(self.link, as_station(self.s, f"{type(self).__name__}: s"))]

    @property
    def frame(self) -> Array:
        """Its frame at the station."""
        raise NotImplementedError

    def sketch(self, binder: Binder) -> Mark:
        """What pictures show of it."""
        raise NotImplementedError

    def marks(self, binder: Binder) -> list[Mark]:
        """All that pictures show of it."""
        return [self.sketch(binder)]

    def _place(self, offset: Array) -> tuple[Place, ...]:
        return (Place(self.link, as_station(self.s, "s"), offset),)

    def _sphere(self, frame: Array, radius: float = 0.0, length: float = 0.0) -> ContactSphere:
        return ContactSphere(self.link, as_station(self.s, "s"), frame, radius, length)

    def _surface(self, kind: int, *size: float) -> Surface:
        a, b, c = size
        return Surface(self.link, as_station(self.s, "s"), self.frame, kind, (a, b, c))

    def _check(self, name: str, value: object) -> None:
        """Keep a checked value."""
        object.__setattr__(self, name, value)


@dataclass(frozen=True, eq=False)
class Ball(ContactShape):
    """A solid sphere; ``radius`` 0 is a point.

    Examples
    --------
    >>> Ball(0.05, center=(0, 0, 0.1), link="hand").radius
    0.05
    """

    radius: float
    center: ArrayLike = (0.0, 0.0, 0.0)
    link: str = "world"
    s: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        self._check("radius", nonnegative_float(self.radius, "Ball: radius", "m"))
        self._check("center", finite_array(self.center, (3,), "Ball: center"))

    @property
    def frame(self) -> Array:
        """At the centre."""
        return pose(self.center)

    def spheres(self) -> list[ContactSphere]:
        """Itself."""
        return [self._sphere(self.frame, self.radius)]

    def surfaces(self) -> list[Surface]:
        """Itself."""
        return [self._surface(ROUND, self.radius, 0.0, 0.0)]

    def sketch(self, binder: Binder) -> Mark:
        """Itself; a point as a spot."""
        if self.radius == 0.0:
            return Spots(self._place(self.frame), np.zeros(1))
        return Solid(self._place(self.frame), meshes.ball(self.radius))


@dataclass(frozen=True, eq=False)
class Capsule(ContactShape):
    """All within ``radius`` of the line from ``a`` to ``b``."""

    radius: float
    a: ArrayLike
    b: ArrayLike
    link: str = "world"
    s: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        self._check("radius", nonnegative_float(self.radius, "Capsule: radius", "m"))
        self._check("a", finite_array(self.a, (3,), "Capsule: a"))
        self._check("b", finite_array(self.b, (3,), "Capsule: b"))
        if self.length == 0.0:
            raise ModelError("Capsule: a and b coincide, use a Ball")

    @property
    def length(self) -> float:
        """From a to b."""
        return float(np.linalg.norm(np.subtract(self.b, self.a)))

    @property
    def frame(self) -> Array:
        """At a, x towards b."""
        return axis_frame(self.a, np.subtract(self.b, self.a))

    def spheres(self) -> list[ContactSphere]:
        """One that slides from end to end."""
        return [self._sphere(self.frame, self.radius, self.length)]

    def row(self, gap: float) -> list[ContactSphere]:
        """Spheres from end to end, not further apart than ``gap``."""
        steps = 1 if gap >= self.length else math.ceil(self.length / gap)
        return [
            self._sphere(self.frame @ pose((x, 0, 0)), self.radius) for x in np.linspace(0.0, self.length, steps + 1)
        ]

    def surfaces(self) -> list[Surface]:
        """Itself."""
        return [self._surface(ROUND, self.radius, 0.0, self.length)]

    def sketch(self, binder: Binder) -> Mark:
        """Itself."""
        middle = self.frame @ pose((0.5 * self.length, 0.0, 0.0))
        return Solid(self._place(middle), meshes.capsule(self.length, self.radius))


@dataclass(frozen=True, eq=False)
class Box(ContactShape):
    """A solid box of edge lengths ``size`` (x, y, z), centred on ``pose``."""

    size: ArrayLike
    pose: ArrayLike = field(default_factory=pose)
    link: str = "world"
    s: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        size = finite_array(self.size, (3,), "Box: size")
        for edge in size:
            positive_float(edge, "Box: size", "m")
        self._check("size", size)
        self._check("pose", check_pose(self.pose, "Box: pose"))

    @property
    def frame(self) -> Array:
        """At the centre."""
        return np.asarray(self.pose, dtype=float)

    def spheres(self) -> list[ContactSphere]:
        """Its eight corners."""
        half = 0.5 * np.asarray(self.size)
        return [self._sphere(self.frame @ pose(half * signs)) for signs in product((-1.0, 1.0), repeat=3)]

    def outline(self, gap: float) -> list[ContactSphere]:
        """Points along all twelve edges, corners included, not further apart than ``gap`` (at most 21 to an edge)."""
        half = 0.5 * np.asarray(self.size)
        places = [half * signs for signs in product((-1.0, 1.0), repeat=3)]
        for axis, length in enumerate(np.asarray(self.size)):
            steps = min(max(math.ceil(length / gap), 1), 20)
            for x in np.linspace(-0.5, 0.5, steps + 1)[1:-1] * length:
                for signs in product((-1.0, 1.0), repeat=2):
                    places.append(np.insert(np.delete(half, axis) * signs, axis, x))
        return [self._sphere(self.frame @ pose(place)) for place in places]

    def surfaces(self) -> list[Surface]:
        """Itself."""
        return [self._surface(BOX, *(0.5 * np.asarray(self.size)).tolist())]

    def sketch(self, binder: Binder) -> Mark:
        """Itself."""
        return Solid(self._place(self.frame), meshes.box(self.size))


@dataclass(frozen=True, eq=False)
class Plane(ContactShape):
    """The half space below ``height`` along ``normal``, which points to the free side."""

    normal: ArrayLike = (0.0, 0.0, 1.0)
    height: float = 0.0
    link: str = "world"
    s: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        self._check("normal", direction(self.normal, "Plane: normal"))
        self._check("height", finite_float(self.height, "Plane: height"))

    @property
    def frame(self) -> Array:
        """On the plane, x along the normal."""
        return axis_frame(self.height * np.asarray(self.normal), self.normal)

    def surfaces(self) -> list[Surface]:
        """Itself."""
        return [self._surface(PLANE, 0.0, 0.0, 0.0)]

    def sketch(self, binder: Binder) -> Mark:
        """As much of it as the picture holds."""
        return Wall(self._place(self.frame))


@dataclass(frozen=True, eq=False)
class Tube(ContactShape):
    """An endless cylinder about the ``axis`` through ``point``: touched from its inside (a pipe) or from outside."""

    point: ArrayLike
    axis: ArrayLike
    radius: float
    inside: bool = True
    link: str = "world"
    s: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        self._check("point", finite_array(self.point, (3,), "Tube: point"))
        self._check("axis", direction(self.axis, "Tube: axis"))
        self._check("radius", positive_float(self.radius, "Tube: radius", "m"))
        self._check("inside", flag(self.inside, "Tube: inside"))

    @property
    def frame(self) -> Array:
        """At the point, x along the axis."""
        return axis_frame(self.point, self.axis)

    def surfaces(self) -> list[Surface]:
        """Itself."""
        if self.inside:
            return [self._surface(BORE, self.radius, 0.0, 0.0)]
        return [self._surface(ROUND, self.radius, -math.inf, math.inf)]

    def sketch(self, binder: Binder) -> Mark:
        """As much of it as the picture holds."""
        return Wall(self._place(self.frame), self.radius)


@dataclass(frozen=True, eq=False)
class Spheres(ContactShape):
    """What a rod touches with: the spheres inscribed in ``n`` of its sections, evenly from base to tip.

    A round section holds one sphere, of its own radius.  A flat one (`Rectangle`, `Ellipse`, any outline) holds a whole
    row of them, which together have its **true outline**: a strip of 30 x 4 mm lies 2 mm above the floor when flat and
    15 mm on edge, and in between as high as its outline says.

    Parameters
    ----------
    link : str
        A rod, or a soft body with an axis, whose sections are taken as they are at rest.
    n : int
        How many sections (one: that at the tip), 10 000 at most; has nothing to do with the rod's quadrature.
    radius : float, optional
        One sphere of this radius in each section, in m, whatever the outline; 0: the centreline.
    at : sequence of float, optional
        Stations s from 0 (base) to 1 (tip), instead of ``n`` even ones.  Of a soft body also material points (k, 3),
        such as those of its skin, ``at=body.domain.skin(), radius=0.0``: then it touches with its true, moved surface.

    Notes
    -----
    How it is done: planes and the insides of tubes meet the corners of a polygon; other shapes also the spheres along
    its middle (a capsule in a rectangle).  An ellipse is a sphere that slides along its long axis, its radius that of
    the inscribed circle.  Limits: between two stations there is nothing to touch, so let them be no farther apart than
    what touches is large.  A shape much smaller than the thickness of a strip sinks in between the corner and the end
    of its middle, by 0.4 times half the thickness at most.  For boxes, and for another elliptic rod, an ellipse is a
    row of balls, even to 3 % of half its thickness.  Every point that touches has the contact's stiffness: a strip that
    lies flat has two in each section, one that leans has one.
    """

    link: str
    n: int = 10
    radius: float | None = None
    at: Sequence[float] | ArrayLike | None = None

    def __post_init__(self) -> None:
        self._check("n", whole_number(self.n, "Spheres: n", 1, MOST_SPHERES))
        if self.at is not None:
            self._check("at", _sphere_stations(self.at))
        if self.radius is not None:
            self._check("radius", nonnegative_float(self.radius, "Spheres: radius", "m"))

    def stations(self) -> list[tuple[str, float]]:
        """Of all sections."""
        even = [1.0] if self.n == 1 else np.linspace(0.0, 1.0, self.n).tolist()
        return [(self.link, s) for s in (even if self.at is None else cast("tuple[float, ...]", self.at))]

    def outlines(self, binder: Binder, per_length: bool = False) -> list[tuple[float, float, Outline]]:
        """(s, weight, outline) of all sections; ``per_length``: at the rod's nodes, with their weights in metres."""
        body = binder.robot_link(self.link).body
        places = [(s, 1.0) for _, s in self.stations()]
        if body.continuum is not None:
            section: Any = body.continuum.domain.section
            if per_length:
                raise ModelError(f"per_length: link {self.link!r} is {body.noun}, and its spheres are points of it")
        else:
            line, table = centreline_of(body, self.link, "spheres sit along rods"), binder.rod(self.link)
            section = line.section if line.section.has_outline else None
            if per_length:
                places = [(s, w) for s, w in zip(table.s.tolist(), table.weight.tolist(), strict=True) if w > 0.0]
        if self.radius is not None:
            return [(s, w, Round(self.radius)) for s, w in places]
        if section is None or any(isinstance(s, MaterialPoint) for s, _ in places):
            raise ModelError(f"the section of link {self.link!r} does not know its radius, give Spheres one")
        return [(s, w, section_outline(section, s)) for s, w in places]

    def sketch(self, binder: Binder) -> Mark:
        """All round sections, as spheres."""
        places = [(s, o.radius) for s, _, o in self.outlines(binder) if isinstance(o, Round)]
        return Spots(tuple(Place(self.link, s) for s, _ in places), np.array([radius for _, radius in places]))

    def marks(self, binder: Binder) -> list[Mark]:
        """Spheres in round sections, solids in flat ones."""
        flat = [(s, outline.mesh()) for s, _, outline in self.outlines(binder) if not isinstance(outline, Round)]
        solids: list[Mark] = [Solid((Place(self.link, s),), mesh) for s, mesh in flat]
        return [*solids, self.sketch(binder)] if len(solids) < len(self.stations()) else solids


def _sphere_stations(at: Any) -> tuple[float, ...]:
    """Stations between 0 and 1, or material points (k, 3)."""
    if isinstance(at, tuple) and at and all(isinstance(s, MaterialPoint) for s in at):
        return at
    given = real_array(at, "Spheres: at")
    if given.ndim == 2 and given.shape[1] == 3 and 0 < len(given) <= MOST_SPHERES:
        return tuple(as_station(x, "Spheres: at") for x in given)
    places = real_vector(at, "Spheres: at", MOST_SPHERES)
    if not places or min(places) < 0.0 or max(places) > 1.0:
        raise ModelError(f"Spheres: at is {shown(at)}, must hold stations between 0 and 1, or material points (k, 3)")
    return tuple(places)


def direction(value: ArrayLike, what: str) -> Array:
    """A unit vector."""
    vector = finite_array(value, (3,), what)
    largest = float(np.abs(vector).max())
    if largest == 0.0:
        raise ModelError(f"{what} is zero, must point somewhere")
    scaled = vector / largest  # squares of its entries neither vanish nor overflow
    return np.asarray(scaled / np.linalg.norm(scaled))


def axis_frame(origin: ArrayLike, axis: ArrayLike) -> Array:
    """A frame at ``origin`` whose x points along ``axis``."""
    x = direction(axis, "axis")
    y = np.cross(x, np.eye(3)[np.argmin(np.abs(x))])
    y /= np.linalg.norm(y)
    return pose(origin, rotation=np.column_stack([x, y, np.cross(x, y)]))
