"""Bodies of any kinematics: a smooth map g(q) of their coordinates to the pose of one frame with inertia.

The map is a compiled function, called by its address; `supple.core.blocks.custom` says what it is given and what it
writes.  A body of this kind is one file: the function, a `MapKernel` of it, and a `Body` whose ``tabulate`` returns a
`MapTable`.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.checks import Array, finite_array, symmetric_psd
from supple.core.records import CUSTOM, segment_t
from supple.errors import ModelError
from supple.jit import MapKernel
from supple.robot.bodies.protocol import BodyTable, Chain, LinkArrays, Located


@dataclass(frozen=True, eq=False, kw_only=True)
class MapTable(BodyTable):
    """A body whose only moving frame has the pose g(q) in the frame after its joint: station 0 is that, 1 the frame.

    Attributes
    ----------
    rest_position : (n,)
        Coordinates without load; their number is n, one at least.
    stiffness, damping : (n, n), optional
        Of the coordinates; zero if omitted.
    kernel : MapKernel
        The compiled map.
    data : tuple of ndarray
        What the map reads: contiguous arrays, at least one of them.
    inertia : (6, 6)
        Of the moving frame, about its origin, angular part first.
    """

    kernel: MapKernel
    data: tuple[np.ndarray, ...]
    inertia: np.ndarray

    def __post_init__(self) -> None:
        n = len(np.atleast_1d(self.rest_position))
        if n == 0:
            raise ModelError("a body with a map needs coordinates: give rest_position a number for each")
        if not isinstance(self.kernel, MapKernel):
            raise ModelError(f"kernel is {type(self.kernel).__name__}, must be a MapKernel of the body's map")
        if not all(isinstance(array, np.ndarray) and array.flags.c_contiguous for array in self.data):
            raise ModelError("data must be contiguous NumPy arrays: kernels read them by their address")
        checked = {
            "rest_position": finite_array(self.rest_position, (n,), "rest_position"),
            "inertia": symmetric_psd(self.inertia, 6, "inertia"),
        }
        for name in ("stiffness", "damping"):
            value = getattr(self, name)
            checked[name] = np.zeros((n, n)) if np.size(value) == 0 else symmetric_psd(value, n, name)
        for name, array in checked.items():
            object.__setattr__(self, name, array)

    def chain(self, stations: Collection[float] = (), dormant: Collection[float] = ()) -> Chain:
        """One segment from the frame after the joint to the moving frame."""
        from supple.core.blocks.custom import BoundMap  # late: it loads kernels

        segments = np.zeros(1, segment_t)
        segments["inertia"] = self.inertia
        begins = np.zeros(1, dtype=np.int64)
        bound = BoundMap(self.kernel, self.data)
        return Chain(CUSTOM, segments, np.zeros((2, 1, self.n)), begins, (0,), {}, map=bound)

    @property
    def points(self) -> tuple[tuple[int, float], ...]:
        """The frame after the joint, and the moving frame."""
        return ((0, 0.0), (1, 1.0))

    def locate(self, s: float) -> Located:
        """The frame after the joint (0) or the moving one (1)."""
        return Located(int(s))

    def aspects(self, arrays: LinkArrays) -> dict[str, Any]:
        """Its map."""
        return {"map": (self.kernel.function, self.data, arrays.names)}


def point_inertia(mass: float) -> Array:
    """Spatial inertia (6, 6) of a point mass at the origin of its frame."""
    return np.diag([0.0, 0.0, 0.0, mass, mass, mass])
