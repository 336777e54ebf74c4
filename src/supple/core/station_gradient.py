"""How the pose at the end of a segment depends on a model's numbers: its cotangent joins those of the segments.

Where a scalar changes by f . zeta while the frame g at a segment's end moves by zeta (f a wrench, zeta a twist, in that
frame), the segment's a0 gains Ad_g^-T f; the gradient by parameters (`core.parameter_gradient`), with y = 0, does the
rest.  It calls the kernel among the loads of the chain to the station.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from supple.core.arrays import floats, handle_at, integers, space_view
from supple.core.loop_gradients import to_world
from supple.jit import AddressedKernel, local_array
from supple.lie.se3 import add_scaled

#: Of a load, see `core.loads`: addresses of tree, scratch and data, and the mode.
SIGNATURE = types.void(*[types.int64] * 4)

_wrench = local_array(6)


class StationData(NamedTuple):
    """Where the station is, and the cotangent of its pose."""

    segment: Any  #: (1, 1) int64
    wrench: Any  #: (1, 6) f, in the station's frame


def _pull_back_pose(tree, space_address, data_address, mode):
    """a0 += Ad_g^-T f of one station, see `StationData`."""
    data = handle_at(data_address, 2)
    w, f = space_view(space_address).work[integers(data, 0)[0, 0]], _wrench()
    to_world(w, floats(data, 1)[0], f)
    add_scaled(1.0, f, w.dZ)


PULL_BACK_POSE = AddressedKernel(_pull_back_pose, SIGNATURE)
