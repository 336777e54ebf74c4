"""Named frames: places on links that have a name of their own, such as a tool or a camera."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.checks import Array, shown
from supple.errors import ModelError, naming
from supple.lie.pose import check_pose
from supple.robot.validate import WORLD, check_parent, check_station


@dataclass(frozen=True, eq=False)
class FrameSpec:
    """A frame as it was added: at ``station`` s of a ``link``, 1 being the tip, ``at`` a pose (4, 4) there."""

    name: str
    link: str
    station: float
    at: ArrayLike

    def __post_init__(self) -> None:
        with naming(f"frame {self.name!r}"):
            check_parent(self.link)
            if self.link == WORLD:
                raise ModelError(f"a frame is fixed to a link, not to {WORLD!r}, where poses are known without it")
            object.__setattr__(self, "station", check_station(self.station))
            object.__setattr__(self, "at", check_pose(self.at, "at"))

    def carry(self, station: float, at: Array) -> tuple[str, float, Array]:
        """Link, station and pose (4, 4) of what is ``at`` a pose in this frame."""
        check_frame_station(self.name, station)
        return self.link, self.station, np.asarray(self.at) @ at


def check_frame_station(name: str, s: float) -> None:
    """Raise `ModelError` if ``s`` is not one of the two stations of a frame, which are the same place."""
    if s not in (0.0, 1.0):
        raise ModelError(f"{name!r} is a frame: it has no station s = {shown(s)}")
