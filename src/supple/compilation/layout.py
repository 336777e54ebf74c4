"""Where the parts of a link are in the arrays of a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.robot.bodies.protocol import BodyTable
from supple.robot.bodies.rod_table import RodTable
from supple.robot.stations import MaterialPoint


@dataclass(frozen=True)
class LinkLayout:
    """Where a link's coordinates, blocks and segments are.

    Attributes
    ----------
    coordinates : range
        Of the link, the joint's first.
    blocks : tuple of int
        Joint factors, then the body's own, if it has one; a rigid link's last block carries its body.
    segments : tuple of int
        Segments whose ends are the points 1, 2, ... of the body (a rigid body's only one; a rod's nodes and its tip).
    between : dict of float to int
        Segments that end at further stations of a rod, where loads sit or may sit.
    table : BodyTable
        The body's numbers: its stations, and functions of a rod.
    noun, ends : str
        How messages call the body, and what its stations are if it has only two (`supple.robot.bodies.protocol`).
    """

    name: str
    coordinates: range
    joint_dof: int
    blocks: tuple[int, ...]
    segments: tuple[int, ...]
    between: dict[float, int]
    table: BodyTable
    noun: str
    ends: str
    keeps_chart: bool

    @property
    def rod(self) -> RodTable | None:
        """Stations and strain functions, if the body has a centreline."""
        return self.table.line

    @property
    def tip(self) -> np.ndarray:
        """Pose (4, 4) in which children attach, in the frame of the last segment's end."""
        return self.table.tip

    @property
    def stations(self) -> tuple[float, ...]:
        """s of the link's points: the body frame of a rigid link, base, nodes and tip of a rod."""
        return tuple(s for _, s in self.table.points)

    @property
    def joint_coordinates(self) -> range:
        """Of the joint alone."""
        return range(self.coordinates.start, self.coordinates.start + self.joint_dof)

    @property
    def body_coordinates(self) -> range:
        """Of the body alone."""
        return range(self.coordinates.start + self.joint_dof, self.coordinates.stop)

    def refuses(self, s: float) -> bool:
        """Whether the body has no station s in [0, 1]."""
        if isinstance(s, MaterialPoint):
            return not self.table.material
        return bool(self.ends) and s not in (0.0, 1.0)

    def place(self, s: float, base: tuple[int, np.ndarray]) -> tuple[int, np.ndarray]:
        """Segment and pose (4, 4) in the frame of its end of station s, which must have a segment.

        ``base`` is where the link's last block begins: its parent segment and placement.
        """
        located = self.table.locate(s)
        if located is None:
            return self.between[s], np.eye(4)
        segment, pose = base if located.point == 0 else (self.segments[located.point - 1], np.eye(4))
        return segment, pose if located.offset is None else pose @ located.offset
