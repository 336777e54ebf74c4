"""Dormant stations: places on rods that are visited only when a load acts there.

A contact may watch hundreds of stations between the points of a rod, of which few touch.  Each has a segment, one
Magnus step from the point before it, that lies beyond `block.active`: the sweeps do not see it.  A load

* bounds how far the stations of one point may lie from it (`dormant_reach`), and leaves them asleep if that is far
  away;
* poses those that may be near and wakes those that are acted on (`rouse`: pose; twist and operators), and writes
  wrenches F and tangents G, N into their records as into any segment's;
* folds all of a point into it (`core.dormant_folding`), after which they sleep again.

Loads call the kernels here and there by address (`dormant_kernels`), so that only robots with dormant stations compile
them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types

from supple.core.arrays import space_view, tree_view
from supple.core.blocks.curved import curved_motion, exponential_pose
from supple.core.blocks.rod import add_strains, finish_magnus_step, step_at_rest
from supple.core.loads import TANGENT
from supple.core.records import U_A, U_Q, U_V
from supple.core.sweep_out import start_pose
from supple.core.views import address_of
from supple.jit import AddressedKernel, Work, calling, inlined, inner
from supple.lie.se3 import add_ad

U = np.uint64  # unsigned indices vectorise, see linalg.products

#: What is known of a dormant station (`work_t.awake`): nothing; its pose; its twist and operators too.
ASLEEP, POSED, AWAKE = 0, 1, 2

#: c of the Magnus step is this times its length squared: |Omega| <= h |xi| (1 + 2 c h |xi_w|), c = sqrt(3)/12.
_BRACKET = math.sqrt(3.0) / 6.0


class DormantKernel(AddressedKernel):
    """A kernel of integers (numbers and addresses) that loads on dormant stations call."""

    def __init__(self, function: Callable[..., Any], work: Work = Work.LOOPS) -> None:
        super().__init__(function, types.void(*[types.int64] * function.__code__.co_argcount), work=work)


@inner
def dormant_reach(bound, n, q):
    """How far [m] stations may lie from the point they spring from.

    |exp(Omega)_p| <= |Omega_v| <= h |xi_v| (1 + sqrt(3)/6 h |xi_w|), each strain at most rest + sum |phi q|.
    ``bound`` = h, rest xi_w, rest xi_v, number of angular coordinates (they come first), then the largest |phi|.
    """
    w, v, angular = bound[1], bound[2], bound[3]
    for j in range(n):
        x = bound[4 + j] * abs(q[j])
        if j < angular:
            w += x
        else:
            v += x
    return bound[0] * v * (1.0 + _BRACKET * bound[0] * w)


@inner
def reach_point(previous, placement, at_base, out):
    """out[:3] = p, or p + R p_placement at the base of a rod: where the step of a dormant station begins.

    From the common origin; (R, p) is the point that it springs from.
    """
    p, R = placement.p, previous.R
    for i in range(3):
        out[i] = previous.p[i]
        if at_base:
            out[i] += R[i, 0] * p[0] + R[i, 1] * p[1] + R[i, 2] * p[2]


@inlined
def pose_station(block, segment, c, phi, q, w):
    """g_end = g exp(Omega(q)): pose of a dormant station from that of its step's start (C1)."""
    step_at_rest(block, segment, c, phi, q, w.xi[0], w.jet[0])
    exponential_pose(w)


@inlined
def wake_station(block, segment, c, phi, previous, v, w):
    """V_end = V + T Omega' of a posed station, with T and T' (`core.blocks.curved.curved_motion`); F = G = N = 0."""
    xi, xid, rate = w.xi[0], w.xi[1], w.jet[1]
    for k in range(6):
        xid[0, k], xid[1, k], rate[k], w.F[k] = 0.0, 0.0, 0.0, 0.0
        for l in range(6):
            w.G[k, l], w.N[k, l] = 0.0, 0.0
    add_strains(block, c, phi, v, xid)
    add_ad(xi[0], xid[1], rate)
    add_ad(xid[0], xi[1], rate)
    finish_magnus_step(segment, xid, rate)
    curved_motion(previous, w, 1)


@inner
def rouse(tree, space, s, stage):
    """Bring a segment, if it is a dormant station, to the ``stage`` POSED or AWAKE; whether it woke now."""
    b, parent = tree.owner[s], tree.parents[s]
    w, previous, block = space.work[s], space.work[parent], tree.blocks[b]
    if s < block.first + block.active or s == 0 or w.awake >= stage:
        return False
    c, segment = block.columns + (s - block.first) * block.n, tree.segments[s]
    if w.awake == ASLEEP:
        start_pose(previous, tree.placement[b], parent == block.parent, w)
        pose_station(block, segment, c, tree.phi, space.coordinates[0], w)
    if stage == AWAKE:
        wake_station(block, segment, c, tree.phi, previous, space.coordinates[1], w)
    w.awake = stage
    return stage == AWAKE


@inner
def clear_local(space):
    """Zero what is added to tangents apart from points, unless somebody has added to it already.

    In ``totals`` these are sums that factors over the tree are made of (`core.dormant_folding`); whoever forms a
    matrix writes there himself, later.
    """
    if space.count[3] > 0:
        return
    local, totals, n = space.local, space.totals, space.local.shape[1]
    for m in range(2 if space.rates[1] != 0.0 else 1):
        for i in range(n):
            for j in range(U(n)):
                local[m, i, j] = 0.0
    for k in range(6):
        for j in range(U(n)):
            totals[U_Q, k, j], totals[U_V, k, j], totals[U_A, k, j] = 0.0, 0.0, 0.0


def _rouse_station(tree, space, s, stage, mode):  # type: ignore[no-untyped-def]
    """`rouse` for loads: counts who is awake; the first in a tangent clears what all of them add to it."""
    scratch = space_view(space)
    if rouse(tree_view(tree), scratch, s, stage):
        if mode == TANGENT:
            clear_local(scratch)
        scratch.count[3] += 1


ROUSE = DormantKernel(_rouse_station)

_call_rouse = calling(ROUSE.signature)


@inlined
def call_rouse(calls, tree, space, s, stage, mode):
    """`rouse` by address; ``calls`` are those of `core.dormant_folding.dormant_kernels`."""
    _call_rouse(calls[0], (address_of(tree), address_of(space), s, stage, mode))
