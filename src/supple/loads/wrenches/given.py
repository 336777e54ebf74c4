"""Given wrenches on segments: dead (world frame) or follower (local frame), constant or following a signal.

A wrench [m; f] acts at a point x fixed to a segment.  In the segment's own frame a follower wrench does not change,
so it has no tangent of its own; a dead one turns backwards: see `loads.points.subtract_turning` ([GVS-AD] 53-59,
where 54 is wrong).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core.arrays import floats, handle_at, integers, poses, space_of
from supple.core.loads import EXTERNAL, TANGENT
from supple.jit import LoadKernel, inner
from supple.lie.se3 import rotate
from supple.loads.points import point_position, subtract_force, subtract_turning

if TYPE_CHECKING:
    from supple.compilation.binder import Bound

#: Frames of a wrench.
WORLD, LOCAL = 0, 1


@inner
def apply_wrench(w, t, offset, frame, value, mode):
    """Add one wrench ``value`` [m; f] at ``offset`` of the segment w."""
    x, m, f = t.x[0:3], t.y[0:3], t.y[3:6]
    point_position(w, offset, x)
    if frame == LOCAL:
        rotate(offset.R, value[0:3], t.z[0:3])
        rotate(offset.R, value[3:6], t.z[3:6])
        rotate(w.R, t.z[0:3], m)
        rotate(w.R, t.z[3:6], f)
    else:
        for i in range(6):
            t.y[i] = value[i]
    subtract_force(w, x, f)
    for i in range(3):
        w.F[i] -= m[i]
    if mode == TANGENT and frame == WORLD:
        subtract_turning(w, x, m, f)


def _wrenches(tree, space, data, mode):
    """All wrenches: data = where (k, 3) [segment, frame, first signal or -1], value (k, 7) [weight, wrench], offset."""
    scratch = space_of(space)
    h = handle_at(data, 3)
    where, value, offsets = integers(h, 0), floats(h, 1), poses(h, 2)
    t = scratch.scratch[0]
    if mode < 0:  # no input moves a given wrench
        return
    for i in range(where.shape[0]):
        for k in range(6):
            given = value[i, 1 + k] if where[i, 2] < 0 else scratch.signals[where[i, 2] + k]
            t.f[0, k] = value[i, 0] * given
        apply_wrench(scratch.work[where[i, 0]], t, offsets[i], where[i, 1], t.f[0], mode)


wrenches = LoadKernel(_wrenches)


class WrenchEntry(NamedTuple):
    """One wrench: where, in which frame, how much."""

    segment: int
    offset: np.ndarray  #: (4, 4)
    frame: int
    weight: float
    wrench: np.ndarray  #: (6,); ignored with a signal
    signal: int = -1


def bind_wrenches(name: str, entries: list[WrenchEntry]) -> Bound:
    """Entries as arrays of the kernel; those on the world do nothing."""
    from supple.compilation.binder import Bound, pose_records

    entries = [entry for entry in entries if entry.segment > 0]
    where = np.array([(e.segment, e.frame, e.signal) for e in entries], dtype=np.int64).reshape(-1, 3)
    value = np.array([(e.weight, *e.wrench) for e in entries], dtype=float).reshape(-1, 7)
    return Bound(name, wrenches, (where, value, pose_records([e.offset for e in entries])), EXTERNAL)
