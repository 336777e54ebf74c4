"""The description of a robot: links in a tree, and the loads, actuators and constraints added to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, choice, finite_array, shown
from supple.checks import name as checked_name
from supple.errors import ModelError, naming
from supple.joints.compound import Fixed
from supple.joints.protocol import Joint
from supple.lie.pose import check_pose, pose
from supple.robot.bodies import Body
from supple.robot.couplings import Coupling, make_coupling
from supple.robot.discs import checked_discs
from supple.robot.frames import FrameSpec
from supple.robot.summary import coordinates_of, counted, summary
from supple.robot.validate import (
    WORLD,
    check_body,
    check_joint,
    check_name,
    check_parent,
    check_station,
    item_key,
    parent_station,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.model.model import Model
    from supple.studio import Studio


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
    #: what is known of the link beside its mechanics, such as the name and the effort of its joint in a file
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        with naming(f"link {self.name!r}"):
            check_body(self.body)
            check_joint(self.joint)
            check_parent(self.parent)
            object.__setattr__(self, "station", check_station(self.station))
            object.__setattr__(self, "at", check_pose(self.at, "at"))
            names = self.coordinate_names
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise ModelError(f"two of its coordinates are called {twice!r}; give those of the body other labels")

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
    massless : "refuse" or "allow"
        Whether `compile` refuses a joint that moves no inertia.  Allowed, kinematics and inverse dynamics work; what
        needs accelerations raises `SingularError`.

    Examples
    --------
    >>> from supple.joints import Revolute
    >>> from supple.robot.bodies import Rigid
    >>> robot = Robot("pendulum")
    >>> robot.add_link("bob", Rigid.sphere(0.1, density=1000.0), joint=Revolute("y"))
    >>> robot
    <Robot 'pendulum': 1 link, 1 coordinate>
    """

    def __init__(
        self, name: str = "robot", gravity: ArrayLike = (0.0, 0.0, -9.81), *, massless: str = "refuse"
    ) -> None:
        self._name = checked_name(name, "Robot: name")
        self._gravity = finite_array(gravity, (3,), f"robot {name!r}: gravity")
        self._massless: str = choice(massless, ("refuse", "allow"), f"robot {name!r}: massless")
        self._links: dict[str, LinkSpec] = {}
        self._items: dict[str, Item] = {}
        self._frames: dict[str, FrameSpec] = {}
        self._couplings: dict[str, Coupling] = {}
        #: what a file says and this robot does not have, as `supple.load_mjcf` and `supple.load_urdf` tell it
        self.left_out: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self._name

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity in the world frame, (3,), m/s^2."""
        return self._gravity

    @property
    def massless(self) -> str:
        """Whether joints that move no inertia are refused or allowed."""
        return self._massless

    @property
    def frames(self) -> tuple[FrameSpec, ...]:
        """Named frames in the order they were added."""
        return tuple(self._frames.values())

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
        *,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """Add a link: a body, held by a joint at the tip of another link, or anywhere along a rod.

        Parameters
        ----------
        name : str
            Unique name; everything added later refers to the link by it.
        body : Body
            What the link is made of: a `Rod`, a `Rigid`, or a body of yours (`supple.robot.bodies.protocol`).
        joint : Joint, optional
            `Fixed` if omitted.
        parent : str or (str, s)
            Name of the parent link, which may be added later, or "world".  A name alone means its tip; with a station
            s from 0 (base) to 1 (tip) of a rod the link hangs there, at a computational point of the rod or not; of a
            rigid link 0 is the body frame and 1 the tip.  A frame that was added before is a parent, too.
        at : (4, 4), optional
            Pose of the joint frame in the parent's frame there; identity if omitted.
        facts : mapping, optional
            What is known of the link beside its mechanics; kept with it, used by nothing.

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
        self._check_new(name)
        joint = Fixed() if joint is None else joint
        link, station = parent_station(parent)
        place = pose() if at is None else at
        if isinstance(link, str) and link in self._frames:
            link, station, place = self._frames[link].carry(station, check_pose(place, f"link {name!r}: at"))
        self._links[name] = LinkSpec(name, body, joint, link, place, station, dict(facts or {}))

    def add_frame(self, name: str, link: str | tuple[str, float], at: ArrayLike | None = None) -> None:
        """Add a named frame, fixed to a link: a tool, a camera, where a foot touches.

        `Model.pose`, `Model.jacobian` and the like take its name in place of a link's, and links hang on it.

        Parameters
        ----------
        name : str
            Unique among links and frames.
        link : str or (str, s)
            The link, which may be added later, or a frame that was added before; a name alone means its tip.
        at : (4, 4), optional
            Pose of the frame there; identity if omitted.

        Examples
        --------
        >>> import supple as sp
        >>> robot = Robot("arm")
        >>> robot.add_link("hand", sp.Rigid.sphere(0.1, density=1000.0))
        >>> robot.add_frame("camera", ("hand", 0.0), at=sp.pose((0.1, 0.0, 0.0)))
        """
        self._check_new(name)
        holder, station = parent_station(link)
        frame = FrameSpec(name, holder, station, pose() if at is None else at)
        if frame.link in self._frames:
            frame = FrameSpec(name, *self._frames[frame.link].carry(frame.station, np.asarray(frame.at)))
        self._frames[name] = frame

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
            Discs are called ``name 1``, ``name 2``, ...; ``"<rod> disc"`` if omitted.

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
        with naming(f"discs on {rod!r}"):
            stations, disc, thickness = checked_discs(n, at, radius, thickness, density, mass)
        names = tuple(f"{f'{rod} disc' if name is None else name} {k}" for k in range(1, len(stations) + 1))
        for taken in names:
            self._check_new(taken)
        for own, s in zip(names, stations, strict=True):
            self.add_link(own, disc, parent=(rod, s), at=pose((-0.5 * thickness, 0.0, 0.0)))
        return names

    def _check_new(self, name: str) -> None:
        check_name(name, self._links)
        check_name(name, self._frames)

    def add(self, item: Item) -> None:
        """Add a load, an actuator or a constraint.

        Names must differ.  Items that were not given a name go by that of their kind: the first `PointWrench` is
        called "wrench", the next ones "wrench 2", "wrench 3", and so on.
        """
        if isinstance(item, type) or not isinstance(item, Item):
            kind = isinstance(item, type)
            given = f"the class {item.__name__}" if kind else f"an object of type {type(item).__name__}"
            raise ModelError(
                f"robot {self.name!r}: cannot add {given}, must be a load, "
                "an actuator or a constraint (something with a bind method); links are added with add_link"
            )
        self._items[item_key(item, self._items)] = item

    def _put(self, name: str, item: Item) -> None:
        """Put another load, actuator or constraint in the place of one of that name."""
        if name not in self._items:
            raise ModelError(f"robot {self.name!r} has no {name!r}; it has: {', '.join(self._items) or 'nothing'}")
        self._items[name] = item

    def attach(
        self, part: Robot, to: str | tuple[str, float] = WORLD, at: ArrayLike | None = None, prefix: str = ""
    ) -> None:
        """Make another robot a part of this one: a hand on an arm, an arm on a drone.

        All of it comes along: links, frames, loads, loops, prescribed joints, controllers.  What was fixed to its world
        is fixed to where it is attached; gravity is this robot's.  A controller goes on to see the states of its own
        robot alone, and a fluid to act on the links of its own.

        Parameters
        ----------
        part : Robot
            It is not changed, and may be attached several times.
        to : str or (str, s)
            A link, its tip meant, or a station of one, a frame, or "world".
        at : (4, 4), optional
            Pose of the part's world there; identity if omitted.
        prefix : str
            Begins all names of the part, such as ``"left/"``; names must differ from those that are there.

        Examples
        --------
        >>> import supple as sp
        >>> hand = sp.Robot("hand")
        >>> hand.add_link("palm", sp.Rigid.sphere(0.05, density=1000.0))
        >>> arm = sp.Robot("arm")
        >>> arm.add_link("forearm", sp.Rigid.cylinder(0.3, 0.03, density=1000.0))
        >>> arm.attach(hand, to="forearm", prefix="hand/")
        >>> [link.name for link in arm.links]
        ['forearm', 'hand/palm']
        """
        from supple.robot.attaching import attach

        if not isinstance(part, Robot):
            raise ModelError(f"attach: {shown(part)} is not a robot")
        if not isinstance(prefix, str):
            raise ModelError(f"attach: prefix is {shown(prefix)}, must be a string")
        with naming(f"attach {part.name!r} to {self.name!r}"):
            twin = attach(self, part, to, check_pose(pose() if at is None else at, "at"), prefix)
        self._links, self._items, self._frames = twin._links, twin._items, twin._frames
        self._couplings = twin._couplings
        self._massless = "allow" if "allow" in (self._massless, part._massless) else "refuse"

    def couple(
        self,
        follower: str,
        to: Any,
        ratio: float = 1.0,
        offset: float = 0.0,
        function: Callable[..., Any] | None = None,
    ) -> None:
        """Let a joint follow others: its coordinate is a function of theirs, and none of the model's any more.

        Springs, limits, drives and loads on it act on its leaders.

        Parameters
        ----------
        follower : str
            Name of a link whose joint has one coordinate, or of a coordinate (``"wrist.rotation_2"``).
        to : str, dict, sequence of str, or callable
            The leader, ``q_follower = ratio * q_leader + offset``; or several with ratios,
            ``{"a": 0.5, "b": -1.0}``; or several with a ``function``; or a function whose arguments are called like
            the leaders.  Leaders may follow others themselves, and may be prescribed or strains of rods.
        function : callable, optional
            Of the leaders' coordinates, one number each, that returns one (``lambda a, b: 0.5 * np.sin(a) + b**2``):
            plain arithmetic and NumPy's functions, traced once; derivatives are exact.
        """
        self.follow(make_coupling(follower, to, ratio, offset, function))

    def follow(self, coupling: Coupling) -> None:
        """Add a coupling as it is, that of another robot, say."""
        if not isinstance(coupling, Coupling):
            raise ModelError(f"coupling is {shown(coupling)}, must be one of `Robot.couplings`; see `Robot.couple`")
        taken = self._couplings.get(coupling.follower)
        if taken is not None:
            raise ModelError(f"{coupling.what}: it follows {', '.join(taken.leaders)} already")
        self._couplings[coupling.follower] = coupling

    @property
    def couplings(self) -> tuple[Coupling, ...]:
        """Joints that follow others, in the order they were coupled."""
        return tuple(self._couplings.values())

    def copy(self, items: bool = True) -> Robot:
        """A robot of its own with the same links and, unless told otherwise, loads: what one is given, only it has."""
        twin = Robot(self._name, self._gravity, massless=self._massless)
        twin._links, twin._items = dict(self._links), dict(self._items) if items else {}
        twin._frames, twin._couplings, twin.left_out = dict(self._frames), dict(self._couplings), self.left_out
        return twin

    def compile(self) -> Model:
        """Check the description and turn it into arrays ready for computation."""
        from supple.model.model import make_model  # late: describing a robot does not load the compiled kernels

        return make_model(self)

    def save(
        self, path: str | PathLike[str], functions: Mapping[str, Callable[..., Any]] | None = None
    ) -> dict[str, Callable[..., Any]]:
        """Write the robot to a model file, from which `supple.load` makes the same robot again.

        Parameters
        ----------
        path : path, .yaml (or .yml) for people, .json for machines
        functions : mapping of str to callable, optional
            What Python functions are to be called in the file: laws, feedback.  Others are called by their own names.
            Functions along rods (sections, routes, rest strains) need none: they are saved as tables of samples.

        Returns
        -------
        dict of str to callable: all functions that the file names, what `supple.load` takes as ``functions``
        """
        from supple.files.model_files import write_model

        return write_model(self, path, functions)

    def plot(self, q: ArrayLike | str | PathLike[str] | None = None, **options: Any) -> Figure:
        """Compile the robot and draw it at q (n,), at rest if omitted; all as for `Model.plot`, files too."""
        return self.compile().plot(q, **options)

    def view(self, **options: Any) -> Studio:
        """Compile the robot and show it in a browser; all as for `Model.view`."""
        return self.compile().view(**options)

    def __str__(self) -> str:
        return summary(self)

    def __repr__(self) -> str:
        size = counted(len(self.links), "link"), counted(coordinates_of(self), "coordinate")
        return f"<Robot {self.name!r}: {', '.join(size)}>"
