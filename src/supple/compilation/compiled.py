"""What compilation leaves of a robot: arrays and names, without behaviour."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from supple.compilation.binder import Bound, Demand
from supple.compilation.layout import LinkLayout
from supple.compilation.prescribed_joint import PrescribedJoint
from supple.compilation.scene import Scene
from supple.core.arrays import Parameters, Topology
from supple.core.blocks.custom import BoundMap

if TYPE_CHECKING:
    from supple.robot.controller import Controller
    from supple.robot.robot import Robot


@dataclass(frozen=True, eq=False, kw_only=True)
class CompiledRobot:
    """All that a `Model` is made of; it pickles, if users' laws do.

    Attributes
    ----------
    robot : Robot or None
        A copy of the description, for the text of it; gone after pickling.
    layouts : tuple of LinkLayout
        Where the parts of each link are, in the order links were added.
    loads : tuple of Bound
        Loads and constraints, ready for the kernels.
    loops : tuple of Bound
        The constraints among them, whose multipliers a model takes; a part of a model on which not all loads act takes
        the same ones.
    demand : Demand
        What loads need of every thread's scratch, and the laws behind signals.
    maps : tuple of BoundMap
        Maps of bodies with kinematics of their own, in the order of their blocks.
    """

    robot: Robot | None
    name: str
    topology: Topology
    parameters: Parameters
    layouts: tuple[LinkLayout, ...]
    loads: tuple[Bound, ...]
    loops: tuple[Bound, ...]
    demand: Demand
    prescribed: tuple[PrescribedJoint, ...]
    controllers: tuple[Controller, ...]
    scene: Scene
    coordinate_names: tuple[str, ...]
    maps: tuple[BoundMap, ...] = ()

    @cached_property
    def description(self) -> str:
        """The table of the robot's links, made when it is first asked for."""
        return str(self.robot)

    def changed(self, **changes: Any) -> Self:
        """The same with other values of some fields."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__ | changes)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"description": self.description, "robot": None}
