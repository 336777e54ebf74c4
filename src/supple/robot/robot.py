"""The description of a robot: links in a tree, and the loads, actuators and constraints added to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike

from supple.checks import Array, finite_array, positive_float
from supple.checks import name as checked_name
from supple.errors import ModelError, naming
from supple.joints.compound import Fixed
from supple.joints.protocol import Joint
from supple.lie.pose import check_pose, pose
from supple.robot.bodies import Body, Rigid
from supple.robot.summary import coordinate_count, counted, summary
from supple.robot.validate import (
    WORLD,
    check_body,
    check_joint,
    check_name,
    check_parent,
    check_station,
    disc_stations,
    item_key,
    parent_station,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.model.model import Model


@runtime_checkable
class Item(Protocol):
    """Anything ``robot.add`` takes: it is bound to the compiled model, names becoming indices.

    It may also have ``sketch(binder)``, which returns the marks by which pictures show it (`supple.compilation.scene`).
    """

    def stations(self) -> Iterable[tuple[str, float]]:
        """(link, s) of every place on a link at which the item acts."""
        ...

    def bind(self, binder: Any) -> Any:
        """Names become indices: return a `supple.compilation.binder.Bound`."""
        ...


@dataclass(frozen=True, eq=False)
class LinkSpec:
    """A link as it was added: its body, and the joint that holds it.

    It hangs at ``station`` s of its parent, 1 being the tip; ``at`` is the pose of the joint frame there, (4, 4).
    """

    name: str
    body: Body
    joint: Joint
    parent: str
    at: ArrayLike
    station: float = 1.0

    def __post_init__(self) -> None:
        with naming(f"link {self.name!r}"):
            check_body(self.body)
            check_joint(self.joint)
            check_parent(self.parent)
            object.__setattr__(self, "station", check_station(self.station))
            object.__setattr__(self, "at", check_pose(self.at, "at"))

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names such as ``arm.bend_y_0``, the joint's first."""
        return tuple(f"{self.name}.{label}" for label in (*self.joint.labels, *self.body.labels))


class Robot:
    """A robot under construction: add links, then loads and actuators, then `compile`.

    Parameters
    ----------
    name : str
        For messages and pictures.
    gravity : (3,)
        Acceleration of gravity in the world frame, m/s^2.

    Examples
    --------
    >>> from supple.joints import Revolute
    >>> from supple.robot.bodies import Rigid
    >>> robot = Robot("pendulum")
    >>> robot.add_link("bob", Rigid.sphere(0.1, density=1000.0), joint=Revolute("y"))
    >>> robot
    <Robot 'pendulum': 1 link, 1 coordinate>
    """

    def __init__(self, name: str = "robot", gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        self._name = checked_name(name, "Robot: name")
        self._gravity = finite_array(gravity, (3,), f"robot {name!r}: gravity")
        self._links: dict[str, LinkSpec] = {}
        self._items: dict[str, Item] = {}

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self._name

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity in the world frame, (3,), m/s^2."""
        return self._gravity

    @property
    def links(self) -> tuple[LinkSpec, ...]:
        """Links in the order they were added, which is the order of their coordinates."""
        return tuple(self._links.values())

    @property
    def items(self) -> tuple[Item, ...]:
        """Loads, actuators and constraints in the order they were added."""
        return tuple(self._items.values())

    @property
    def item_names(self) -> tuple[str, ...]:
        """Names of `items`, in the same order, no two of them equal; see `add`."""
        return tuple(self._items)

    def add_link(
        self,
        name: str,
        body: Body,
        joint: Joint | None = None,
        parent: str | tuple[str, float] = WORLD,
        at: ArrayLike | None = None,
    ) -> None:
        """Add a link: a body, held by a joint at the tip of another link, or anywhere along a rod.

        Parameters
        ----------
        name : str
            Unique name; everything added later refers to the link by it.
        body : Body
            What the link is made of: a `Rod`, a `Rigid`, or a body of yours (`supple.robot.bodies.protocol`).
        joint : Joint, optional
            `Fixed` if left out.
        parent : str or (str, s)
            Name of the parent link, which may be added later, or "world".  A name alone means its tip; with a station
            s from 0 (base) to 1 (tip) of a rod the link hangs there, at a computational point of the rod or not; of a
            rigid link 0 is the body frame and 1 the tip.
        at : (4, 4), optional
            Pose of the joint frame in the parent's frame there; identity if left out.

        Notes
        -----
        What hangs on a rod never changes where the rod's points are: a station between two of them is reached by a
        step of its own.

        Examples
        --------
        >>> robot.add_link("disc", Rigid.cylinder(0.002, 0.01, density=1200.0), parent=("arm", 0.5))  # doctest: +SKIP

        Raises
        ------
        ModelError
            If the name is taken or an argument is of the wrong kind.
        """
        check_name(name, self._links)
        joint = Fixed() if joint is None else joint
        link, station = parent_station(parent)
        self._links[name] = LinkSpec(name, body, joint, link, pose() if at is None else at, station)

    def add_discs(
        self,
        rod: str,
        n: int | None = None,
        *,
        at: Sequence[float] | None = None,
        radius: float,
        thickness: float,
        density: float | None = None,
        mass: float | None = None,
        name: str | None = None,
    ) -> tuple[str, ...]:
        """Add rigid discs along a rod, such as those that guide tendons along a thin backbone.

        Each is a link of its own, a solid cylinder about the rod's centreline, fixed to it at its middle.

        Parameters
        ----------
        rod : str
            Name of the rod, which may be added later.
        n : int
            How many, evenly spaced, the last at the tip (stations s = 1/n, 2/n, ..., 1); or instead
        at : sequence of float
            Their stations s, from 0 (base) to 1 (tip).
        radius, thickness : float
            m.
        density, mass : float
            One of them: kg/m^3, or kg of each disc.
        name : str, optional
            Discs are called ``name 1``, ``name 2``, ...; ``"<rod> disc"`` if left out.

        Returns
        -------
        tuple of str
            Names of the discs, from base to tip as given.

        Examples
        --------
        >>> robot = Robot("backbone")
        >>> robot.add_discs("wire", 3, radius=0.01, thickness=0.002, mass=1e-3)
        ('wire disc 1', 'wire disc 2', 'wire disc 3')
        """
        checked_name(rod, "discs: rod")
        if name is not None:
            checked_name(name, f"discs on {rod!r}: name")
        what = f"discs on {rod!r}"
        with naming(what):
            stations = disc_stations(n, at)
            radius, thickness = positive_float(radius, "radius", "m"), positive_float(thickness, "thickness", "m")
            if (density is None) == (mass is None):
                raise ModelError("give either their density or the mass of each")
            if density is None:
                density = positive_float(mass, "mass", "kg") / (math.pi * radius**2 * thickness)
            disc = Rigid.cylinder(thickness, radius, density=density)
        names = tuple(f"{f'{rod} disc' if name is None else name} {k}" for k in range(1, len(stations) + 1))
        for taken in names:
            check_name(taken, self._links)
        for own, s in zip(names, stations, strict=True):
            self.add_link(own, disc, parent=(rod, s), at=pose((-0.5 * thickness, 0.0, 0.0)))
        return names

    def add(self, item: Item) -> None:
        """Add a load, an actuator or a constraint.

        Names must differ.  Items that were not given a name go by that of their kind: the first `PointWrench` is
        called "wrench", the next ones "wrench 2", "wrench 3", and so on.
        """
        if isinstance(item, type) or not isinstance(item, Item):
            given = (
                f"the class {item.__name__}" if isinstance(item, type) else f"an object of type {type(item).__name__}"
            )
            raise ModelError(
                f"robot {self.name!r}: cannot add {given}, must be a load, "
                "an actuator or a constraint (something with a bind method); links are added with add_link"
            )
        self._items[item_key(item, self._items)] = item

    def copy(self, items: bool = True) -> Robot:
        """A robot of its own with the same links and, unless told otherwise, loads: what one is given, only it has."""
        twin = Robot(self._name, self._gravity)
        twin._links, twin._items = dict(self._links), dict(self._items) if items else {}
        return twin

    def compile(self) -> Model:
        """Check the description and turn it into arrays ready for computation."""
        # Imported late, so that describing a robot does not load the compiled kernels.
        from supple.model.model import make_model

        return make_model(self)

    def plot(self, q: ArrayLike | str | PathLike[str] | None = None, **options: Any) -> Figure:
        """Compile the robot and draw it at q (n,), at rest if left out; all as for `Model.plot`.

        ``robot.plot("arm.png")`` saves the picture, ``robot.plot(show=True)`` opens a window with it.
        """
        return self.compile().plot(q, **options)

    def __str__(self) -> str:
        return summary(self)

    def __repr__(self) -> str:
        coordinates = sum(coordinate_count(link) for link in self.links)
        return f"<Robot {self.name!r}: {counted(len(self.links), 'link')}, {counted(coordinates, 'coordinate')}>"
