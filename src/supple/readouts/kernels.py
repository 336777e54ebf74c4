"""What read-outs need of the compiled code: columns of any segments, and contacts pair by pair.

Both look at the scratch of a `residual_tangent` call (with c_v = c_a = 0), which holds poses, twists and columns of all
segments but dormant stations; those that are asked for are woken here, and put to sleep again.  They are called by
their address, without a compiled function in between, and are compiled only when somebody asks.
"""

from __future__ import annotations

import ctypes
import math
from functools import cached_property
from typing import Any

import numpy as np
from numba import types

from supple.core.arrays import handle_at, matrices_at, matrix_at, space_view, tree_view
from supple.core.dormant import ASLEEP, AWAKE, rouse
from supple.core.dormant_folding import station_columns
from supple.core.loads import TANGENT, WRENCH
from supple.core.records import J_SUM, R_SUM
from supple.jit import AddressedKernel, inner, load_stamp
from supple.lie.se3 import compose
from supple.loads.contact.force import press
from supple.loads.contact.kernel import contact_data, overlap, sphere_middle
from supple.loads.contact.pair import local_pair

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
        station_columns(tree, space, s, J_SUM, out[i])
        station_columns(tree, space, s, R_SUM, out[count + i])
        space.work[s].awake = ASLEEP


@inner
def measure_pair(contact, i, s, wa, wb, mode, row, tangents, m, count):  # type: ignore[no-untyped-def]
    """One row of `_contact_pairs`, and its G and D in tangents[m] and tangents[count + m]."""
    pair, sphere, frame = local_pair(), contact.spheres[i], contact.sphere_frames[i]
    n, c, u, f = pair.n, pair.c, pair.u, pair.f
    surface = contact.surface_frames[s]
    compose(wb.R, wb.p, surface.R, surface.p, pair.Rs, pair.ps)
    sphere_middle(wa, frame, sphere[1], c)
    d = overlap(contact.calls, contact.surfaces[s, 1], contact.surface_sizes[s], sphere, wa, frame, pair)
    for j in range(3):
        f[j], u[j] = 0.0, math.nan
    if d > 0.0:
        press(wa, wb, sphere, contact.law[0], pair, mode)
    row[GAP] = -d
    for j in range(3):  # the middle of the gap where nothing touches
        row[POINT + j] = c[j] + (0.5 * d - pair.radius) * n[j]
        row[NORMAL + j], row[FORCE + j], row[SLIP + j] = n[j], f[j], u[j]
    if mode == TANGENT:
        for k in range(6):
            for l in range(6):
                tangents[m, k, l], tangents[count + m, k, l] = 0.0, 0.0
                if d > 0.0:
                    tangents[m, k, l], tangents[count + m, k, l] = pair.G[k, l], pair.D[k, l]


def _contact_pairs(tree, space, data, pairs_at, count, out_at, tangents_at):  # type: ignore[no-untyped-def]
    """out (count, 13) of pairs (count, 4) [sphere, surface, -, -] of a contact; positions from the common origin.

    Unless ``tangents_at`` is 0, tangents (2 count, 6, 6): G, D of dW = G z + D z' of the wrench W = [x x f; f] on a as
    seen from b, z = zeta_a - zeta_b (see `loads.contact.force`), zero where nothing touches.
    """
    at, scratch, contact = tree_view(tree), space_view(space), contact_data(data)
    pairs, out = handle_at(pairs_at, count), matrix_at(out_at, (count, WIDTH))
    tangents = matrices_at(tangents_at, (2 * count, 6, 6))
    work, mode = scratch.work, WRENCH if tangents_at == 0 else TANGENT
    for m in range(count):
        i, s = pairs[m, 0], pairs[m, 1]
        a, b = contact.sphere_segments[i, 0], contact.surfaces[s, 0]
        rouse(at, scratch, a, AWAKE)
        rouse(at, scratch, b, AWAKE)
        measure_pair(contact, i, s, work[a], work[b], mode, out[m], tangents, m, count)
    for m in range(count):
        work[contact.sphere_segments[pairs[m, 0], 0]].awake = ASLEEP
        work[contact.surfaces[pairs[m, 1], 0]].awake = ASLEEP


SEGMENT_COLUMNS = Called(_segment_columns, 5)
CONTACT_PAIRS = Called(_contact_pairs, 7)
