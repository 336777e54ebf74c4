"""What read-outs need of the compiled code: columns of any segments, and contacts pair by pair.

Both look at the scratch of a `residual_tangent` call (with c_v = c_a = 0), which holds poses, twists and columns of all
segments but the buds; those that are asked for are woken here, and put to sleep again.  They are called by their
address, without a compiled function in between, and are compiled only when somebody asks.
"""

from __future__ import annotations

import ctypes
import math
from functools import cached_property
from typing import Any

import numpy as np
from numba import types

from supple.core.arrays import floats, handle_at, integers, matrices_at, matrix_at, poses, space_view, tree_view
from supple.core.dormant import ASLEEP, AWAKE, rouse, segment_path
from supple.core.loads import TANGENT, WRENCH
from supple.core.records import J, R
from supple.jit import AddressedKernel, load_stamp
from supple.lie.se3 import compose
from supple.loads.contact.contact import press, probe_middle, slide_probe
from supple.loads.contact.distance import signed_distance, varying_radius

#: Columns of a row of `CONTACT_PAIRS`: gap, point, normal, force on a, velocity of a relative to b there.
GAP, POINT, NORMAL, FORCE, SLIP, WIDTH = 0, 1, 4, 7, 10, 13


class Called(AddressedKernel):
    """A compiled function of integers (numbers and addresses) that Python calls by its address."""

    def __init__(self, function: Any, arguments: int) -> None:
        super().__init__(function, types.void(*[types.int64] * arguments), load_stamp(function))

    @cached_property
    def entry(self) -> Any:
        """The function for Python; it runs without the GIL."""
        return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(self.signature.args))(self.address)

    def __call__(self, *arguments: int | np.ndarray) -> None:
        """Call with numbers, and with C-contiguous arrays, of which the address is passed."""
        self.entry(*(x.ctypes.data if isinstance(x, np.ndarray) else x for x in arguments))


def _segment_columns(tree_address, space_address, segments_at, count, out_at):  # type: ignore[no-untyped-def]
    """out (2 count, 6, n): J of every segment, then R = dJ/dt, in world axes about the common origin.

    Segments are in the first column of (count, 4) integers.
    """
    tree, space = tree_view(tree_address), space_view(space_address)
    out = matrices_at(out_at, (2 * count, 6, tree.component.shape[0]))
    segments = handle_at(segments_at, count)
    for i in range(count):
        s = segments[i, 0]
        rouse(tree, space, s, AWAKE)
        segment_path(tree, space, s, J, out[i])
        segment_path(tree, space, s, R, out[count + i])
        space.work[s].awake = ASLEEP


def _contact_pairs(tree, space, data, pairs_at, count, out_at, tangents_at):  # type: ignore[no-untyped-def]
    """out (count, 13) of pairs (count, 4) [probe, surface, -, -] of a contact; positions from the common origin.

    Unless ``tangents_at`` is 0, tangents (2 count, 6, 6): G, D of dW = G z + D z' of the wrench W = [x x f; f] on a as
    seen from b, z = zeta_a - zeta_b (see `loads.contact.contact`), zero where nothing touches.
    """
    at, scratch = tree_view(tree), space_view(space)
    h = handle_at(data, 12)
    where, probe, frames = integers(h, 0), floats(h, 1), poses(h, 2)
    on, size, surfaces, law = integers(h, 3), floats(h, 4), poses(h, 5), floats(h, 7)
    pairs, out = handle_at(pairs_at, count), matrix_at(out_at, (count, WIDTH))
    tangents = matrices_at(tangents_at, (2 * count, 6, 6))
    t, work = scratch.scratch[0], scratch.work
    Rp, pp, Rs, ps = t.D[1], t.p, t.Z[2, 1, 0], t.jet[0, 0:3]
    c, axis = t.jet[1, 0:3], t.jet[2, 0:3]
    for m in range(count):
        i, s = pairs[m, 0], pairs[m, 1]
        a, b, kind, place = where[i, 0], on[s, 0], on[s, 1], 0.0
        rouse(at, scratch, a, AWAKE)
        rouse(at, scratch, b, AWAKE)
        wa, wb = work[a], work[b]
        compose(wb.R, wb.p, surfaces[s].R, surfaces[s].p, Rs, ps)
        probe_middle(wa, frames[i], probe[i, 1], c)
        if probe[i, 1] > 0.0:
            place = slide_probe(kind, size[s], Rs, ps, probe[i], wa, frames[i], Rp, pp, axis, c, t)
        radius, slope, bend = varying_radius(probe[i], place)
        d = radius - signed_distance(kind, size[s], Rs, ps, c, t.x[0:3], t.T[0])
        row = out[m]
        row[GAP] = -d
        for j in range(3):  # the middle of the gap where nothing touches
            row[NORMAL + j], row[FORCE + j], row[SLIP + j] = t.x[j], 0.0, math.nan
            row[POINT + j] = c[j] + (0.5 * d - radius) * t.x[j]
        if tangents_at != 0:
            for k in range(6):
                for l in range(6):
                    tangents[m, k, l], tangents[count + m, k, l] = 0.0, 0.0
        if d > 0.0:
            mode = WRENCH if tangents_at == 0 else TANGENT
            press(t, wa, wb, probe[i], axis, c, place, radius, slope, bend, d, law[0], mode)
            for j in range(3):
                row[FORCE + j], row[SLIP + j] = -t.f[0, 3 + j], t.y[3 + j]
            if tangents_at != 0:
                for k in range(6):
                    for l in range(6):
                        tangents[m, k, l], tangents[count + m, k, l] = t.H[k, l], t.B[k, l]
    for m in range(count):
        work[where[pairs[m, 0], 0]].awake = ASLEEP
        work[on[pairs[m, 1], 0]].awake = ASLEEP


SEGMENT_COLUMNS = Called(_segment_columns, 5)
CONTACT_PAIRS = Called(_contact_pairs, 7)
