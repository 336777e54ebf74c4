"""The description of a robot: links in a tree, and the loads, actuators and constraints added to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from numpy.typing import ArrayLike

from supple.checks import Array, finite_array
from supple.checks import name as checked_name
from supple.errors import ModelError, naming
from supple.joints.compound import Fixed
from supple.joints.protocol import Joint
from supple.lie.pose import check_pose, pose
from supple.model.links import Body
from supple.model.summary import coordinate_count, counted, summary
from supple.model.validate import WORLD, check_body, check_joint, check_name, check_parent, item_key

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.model.model import Model


@runtime_checkable
class Item(Protocol):
    """Anything ``robot.add`` takes: it is bound to the compiled model, names becoming indices.

    It may also have ``sketch(binder)``, which returns the marks by which pictures show it (`supple.model.scene`).
    """

    def stations(self) -> Iterable[tuple[str, float]]:
        """(link, s) of every place on a link at which the item acts."""
        ...

    def bind(self, binder: Any) -> Any:
        """Names become indices: return a `supple.model.binder.Bound`."""
        ...


@dataclass(frozen=True, eq=False)
class LinkSpec:
    """A link as it was added: its body, and the joint that holds it.

    ``at`` is the pose of the joint frame in the parent's tip frame, (4, 4).
    """

    name: str
    body: Body
    joint: Joint
    parent: str
    at: ArrayLike

    def __post_init__(self) -> None:
        with naming(f"link {self.name!r}"):
            check_body(self.body)
            check_joint(self.joint)
            check_parent(self.parent)
            object.__setattr__(self, "at", check_pose(self.at, "at"))


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
    >>> from supple.model.links import Rigid
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
        parent: str = WORLD,
        at: ArrayLike | None = None,
    ) -> None:
        """Add a link: a body, held by a joint at the tip of another link.

        Parameters
        ----------
        name : str
            Unique name; everything added later refers to the link by it.
        body : Rod or Rigid
            What the link is made of.
        joint : Joint, optional
            `Fixed` if left out.
        parent : str
            Name of the parent link, which may be added later, or "world".
        at : (4, 4), optional
            Pose of the joint frame in the parent's tip frame; identity if left out.

        Raises
        ------
        ModelError
            If the name is taken or an argument is of the wrong kind.
        """
        check_name(name, self._links)
        joint = Fixed() if joint is None else joint
        self._links[name] = LinkSpec(name, body, joint, parent, pose() if at is None else at)

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

    def copy(self) -> Robot:
        """A robot of its own with the same links and loads: what is added to one is not in the other."""
        twin = Robot(self._name, self._gravity)
        twin._links, twin._items = dict(self._links), dict(self._items)
        return twin

    def compile(self) -> Model:
        """Check the description and turn it into arrays ready for computation."""
        # Imported late, so that describing a robot does not load the compiled kernels.
        from supple.model.compile import compile_robot

        return compile_robot(self)

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
