"""A compiled map asked from Python: poses and columns of a joint, outside of any robot."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from supple.core.arrays import handle, map_size
from supple.core.blocks.custom import BEND, SLOPES, SUBSPACE, BoundMap

Array = np.ndarray


class MapValue(NamedTuple):
    """What a map of n coordinates gives at one place (`supple.core.blocks.custom`)."""

    pose: Array  #: (4, 4)
    S: Array  #: (6, n)
    dS: Array  #: (n, 6, n)
    ddS: Array  #: (6, n)


def evaluate(bound: BoundMap, q: Array, v: Array | None = None) -> MapValue:
    """Pose, S, dS/dq and the second derivative of S along v (zero if omitted) at q (n,)."""
    q = np.ascontiguousarray(q, dtype=float)
    n = len(q)
    rate = np.zeros(n) if v is None else np.ascontiguousarray(v, dtype=float)
    memory, arrays = np.zeros(map_size(n)), handle(bound.data)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 6)(bound.kernel.address)
    call(arrays.ctypes.data, n, q.ctypes.data, rate.ctypes.data, 2, memory.ctypes.data)
    pose, size = np.eye(4), 6 * n
    pose[:3, :3], pose[:3, 3] = memory[:9].reshape(3, 3), memory[9:12]
    S, ddS = (memory[12 + size * m : 12 + size * (m + 1)].reshape(6, n) for m in (SUBSPACE, BEND))
    return MapValue(pose, S, memory[12 + size * SLOPES :].reshape(n, 6, n), ddS)
