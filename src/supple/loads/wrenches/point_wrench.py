"""Point wrenches: a given moment and force at one place of a link."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import finite_array, shown
from supple.compilation.scene import Arrow, Place
from supple.errors import ModelError
from supple.lie.pose import check_pose, pose
from supple.loads.wrenches.given import LOCAL, WORLD, WrenchEntry, bind_wrenches
from supple.robot.stations import as_station

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.compilation.scene import Mark


def frame_index(frame: str) -> int:
    """WORLD or LOCAL of the word a user gives."""
    if not isinstance(frame, str) or frame not in ("world", "local"):
        raise ModelError(f'frame is {shown(frame)}, must be "world" (dead) or "local" (follower)')
    return LOCAL if frame == "local" else WORLD


@dataclass(frozen=True, eq=False)
class PointWrench:
    """A wrench [moment; force] on a link.

    Parameters
    ----------
    link : str
        The link it acts on.
    wrench : (6,) or callable
        Moment in N m and force in N, constant or ``law(t)``.
    s : float
        Station: rods 0 (base) to 1 (tip); rigid links 0 (body frame) or 1 (tip); of soft bodies also a material
        point (x, y, z), m.
    offset : (4, 4)
        Pose of the point of application in the frame there.
    frame : "world" or "local"
        World: dead, moment about the point, world axes.  Local: follower, axes of the offset frame.
    name : str
        For messages and reports; unnamed ones are called "wrench", "wrench 2", and so on.
    """

    link: str
    wrench: ArrayLike | Callable[[float], Any]
    s: float = 1.0
    offset: ArrayLike = field(default_factory=pose)
    frame: str = "world"
    name: str = "wrench"

    def __post_init__(self) -> None:
        if not callable(self.wrench):
            what = f"PointWrench {shown(self.name)}: wrench"
            object.__setattr__(self, "wrench", finite_array(self.wrench, (6,), what))

    def stations(self) -> Iterable[tuple[str, float]]:
        """Where it acts."""
        return [(self.link, self.s)]

    def bind(self, binder: Binder) -> Bound:
        """One entry."""
        place = binder.station(self.link, as_station(self.s, "s"), check_pose(self.offset, "offset"))
        frame = frame_index(self.frame)
        if callable(self.wrench):
            signal = binder.signal(self.wrench, 6)
            entry = WrenchEntry(place.segment, place.offset, frame, 1.0, np.zeros(6), signal)
        else:
            entry = WrenchEntry(place.segment, place.offset, frame, 1.0, finite_array(self.wrench, (6,), "wrench"))
        return bind_wrenches(self.name, [entry])

    def sketch(self, binder: Binder) -> list[Mark]:
        """An arrow for the force, another for the moment."""
        place = Place(self.link, as_station(self.s, "s"), check_pose(self.offset, "offset"))
        given = self.wrench if callable(self.wrench) else np.asarray(self.wrench, dtype=float)
        return [Arrow((place,), given, self.frame == "local")]
