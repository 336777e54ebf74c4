"""What compilation leaves of a robot: arrays and names, without behaviour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from supple.compilation.binder import Bound, Demand
from supple.compilation.layout import LinkLayout
from supple.compilation.prescribed_joint import PrescribedJoint
from supple.compilation.scene import Scene
from supple.core.arrays import Parameters, Topology
from supple.core.blocks.custom import BoundMap

if TYPE_CHECKING:
    from supple.robot.controller import Controller
    from supple.robot.frames import FrameSpec
    from supple.robot.robot import Robot


class LoopChoice(NamedTuple):
    """What was found out of the loops of a robot where they are closed; robots of the same structure share it."""

    kept: list[int]  #: rows that are independent
    idle: list[int]  #: rows that hold by themselves
    turns: tuple[np.ndarray | None, ...]  #: per loop, a pose (4, 4) that frame A is multiplied by, if any
    dropped: list[int]  #: per loop, how many rows follow from others
    whole: tuple[Bound, ...] = ()  #: loops with all rows, if any are dropped; of every robot its own


class FollowerTable(NamedTuple):
    """Coordinates that follow others, the last ones, as numbers: see `supple.following.arrays.FollowerRows`."""

    rows: np.ndarray
    leaders: np.ndarray
    weights: np.ndarray
    offsets: np.ndarray
    ops: np.ndarray
    numbers: np.ndarray


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
    draw : callable, optional
        Makes the scene; gone after pickling.
    maps : tuple of BoundMap
        Maps of bodies with kinematics of their own, in the order of their blocks.
    kept : LoopChoice, optional
        Which rows of loops are kept, if there are loops.
    frames : tuple of FrameSpec
        Named frames of the robot.
    followers : FollowerTable, optional
        Coordinates that follow others; the last ones of all.
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
    coordinate_names: tuple[str, ...]
    draw: Callable[[], Scene] | None = None
    maps: tuple[BoundMap, ...] = ()
    kept: LoopChoice | None = None
    frames: tuple[FrameSpec, ...] = ()
    followers: FollowerTable | None = None

    @property
    def n(self) -> int:
        """Number of coordinates that are left when those that follow others are eliminated."""
        return len(self.coordinate_names) - (0 if self.followers is None else len(self.followers.rows))

    @cached_property
    def scene(self) -> Scene:
        """What pictures show, made when it is first asked for."""
        assert self.draw is not None
        return self.draw()

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
        return self.__dict__ | {"description": self.description, "scene": self.scene, "robot": None, "draw": None}
