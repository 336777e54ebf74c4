"""Given wrenches on segments: dead (world frame) or follower (local frame), constant or following a signal.

A wrench [m; f] acts at a point x fixed to a segment.  In the segment's own frame a follower wrench does not change,
so it has no tangent of its own; a dead one turns backwards: see `loads.points.subtract_turning` ([GVS-AD] 53-59,
where 54 is wrong).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from supple.core.arrays import space_view
from supple.core.gradient_arrays import gradient_view
from supple.core.load_data import Columns, Floats, Integers, Poses, load_view
from supple.core.loads import EXTERNAL, TANGENT
from supple.jit import LoadKernel, SmoothGradientKernel, inner, local_array
from supple.lie.se3 import rotate
from supple.loads.points import point_position, subtract_force, subtract_turning

if TYPE_CHECKING:
    from supple.compilation.binder import Bound

#: Frames of a wrench.
WORLD, LOCAL = 0, 1

_vector, _wrench = local_array(3), local_array(6)


class WrenchData(NamedTuple):
    """Arrays of k wrenches."""

    where: Integers  #: (k, 3) segment, frame, first signal or -1
    wrenches: Annotated[
        Floats, Columns(weight="", mx="N m", my="N m", mz="N m", fx="N", fy="N", fz="N")
    ]  #: (k, 7); weights of those along rods are lengths [m]
    offsets: Poses  #: (k,)


wrench_data = load_view(WrenchData)


@inner
def apply_wrench(w, offset, frame, value, mode):
    """Add one wrench ``value`` [m; f] at ``offset`` of the segment w."""
    x, m, f, turned = _vector(), _vector(), _vector(), _vector()
    point_position(w, offset, x)
    if frame == LOCAL:
        rotate(offset.R, value[0:3], turned)
        rotate(w.R, turned, m)
        rotate(offset.R, value[3:6], turned)
        rotate(w.R, turned, f)
    else:
        for i in range(3):
            m[i], f[i] = value[i], value[3 + i]
    subtract_force(w, x, f)
    for i in range(3):
        w.F[i] -= m[i]
    if mode == TANGENT and frame == WORLD:
        subtract_turning(w, x, m, f)


def _wrenches(tree, space, data, mode):
    """All wrenches of `WrenchData`."""
    if mode < 0:  # no input moves a given wrench
        return
    scratch, given, wrench = space_view(space), wrench_data(data), _wrench()
    where, value, offsets = given.where, given.wrenches, given.offsets
    for i in range(where.shape[0]):
        for k in range(6):
            component = value[i, 1 + k] if where[i, 2] < 0 else scratch.signals[where[i, 2] + k]
            wrench[k] = value[i, 0] * component
        apply_wrench(scratch.work[where[i, 0]], offsets[i], where[i, 1], wrench, mode)


wrenches = LoadKernel(_wrenches)


@inner
def add_wrench_gradient(w, offset, frame, value, bar, out):
    """``bar`` (6,) = the cotangent of one wrench in its power -(m . z_w + f . (z_v + z_w x x)); ``out`` of its offset.
    """
    x, z, m, f, turned = _vector(), w.dS, _vector(), _vector(), _vector()
    point_position(w, offset, x)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        bar[i], bar[3 + i] = -z[i], -(z[3 + i] + z[j] * x[k] - z[k] * x[j])
        f[i] = value[3 + i]
    if frame == LOCAL:
        rotate(offset.R, value[3:6], turned)
        rotate(w.R, turned, f)
        for i in range(3):  # R^T bar
            m[i] = w.R[0, i] * bar[0] + w.R[1, i] * bar[1] + w.R[2, i] * bar[2]
            turned[i] = w.R[0, i] * bar[3] + w.R[1, i] * bar[4] + w.R[2, i] * bar[5]
        for i in range(3):
            for j in range(3):
                out.R[i, j] += m[i] * value[j] + turned[i] * value[3 + j]
            bar[i] = offset.R[0, i] * m[0] + offset.R[1, i] * m[1] + offset.R[2, i] * m[2]
            bar[3 + i] = offset.R[0, i] * turned[0] + offset.R[1, i] * turned[1] + offset.R[2, i] * turned[2]
    for i in range(3):  # -f . (z_w x dx), dx = R dp
        j, k = (i + 1) % 3, (i + 2) % 3
        m[i] = f[k] * z[j] - f[j] * z[k]
    for i in range(3):
        out.p[i] += w.R[0, i] * m[0] + w.R[1, i] * m[1] + w.R[2, i] * m[2]


def _wrench_gradient(tree, space, data, own, everything):
    """By weights, wrenches or their signals, and offsets."""
    scratch, given, out = space_view(space), wrench_data(data), wrench_data(own)
    signals = gradient_view(everything).signals
    where, value, wrench, bar = given.where, given.wrenches, _wrench(), _wrench()
    for i in range(where.shape[0]):
        first, weight = where[i, 2], value[i, 0]
        for k in range(6):
            wrench[k] = weight * (value[i, 1 + k] if first < 0 else scratch.signals[first + k])
        add_wrench_gradient(scratch.work[where[i, 0]], given.offsets[i], where[i, 1], wrench, bar, out.offsets[i])
        for k in range(6):
            if first < 0:
                out.wrenches[i, 0] += bar[k] * value[i, 1 + k]
                out.wrenches[i, 1 + k] += weight * bar[k]
            else:
                out.wrenches[i, 0] += bar[k] * scratch.signals[first + k]
                signals[first + k] += weight * bar[k]


wrench_gradient = SmoothGradientKernel(_wrench_gradient)


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
    data = WrenchData(where, value, pose_records([e.offset for e in entries]))
    return Bound(name, wrenches, data, EXTERNAL, gradient=wrench_gradient)
