"""Changes of charts of spherical, free and planar joints along a motion: same poses, same twists, other coordinates.

A configuration exp(Omega) in a chart whose pose in the new chart is g has there the coordinates Omega' with
exp(Omega') = g exp(Omega).  The twist in the chart, zeta = T(Omega) dOmega/dt (`lie.tangent`), becomes Ad_g zeta, and
so does its rate; this gives rates and accelerations in the new chart.
"""

from __future__ import annotations

from numba import types

from supple.core.arrays import space_of, tree_of, vector_at
from supple.jit import AddressedKernel, calling, inner, stamp_of
from supple.lie.dual import add_apply
from supple.lie.log import log
from supple.lie.se3 import Ad, compose, exp
from supple.lie.tangent import scalar_jets, tangent_operator

#: What is asked of `CHART`: move the chart to a joint's place, find the way home, or change a motion's coordinates.
CENTRE, HOME, MOVE = 0, 1, 2

SIGNATURE = types.void(*[types.int64] * 8)
call_chart = calling(SIGNATURE)


@inner
def joint_jet(screws, block, motion, jet):
    """jet (3, 6) = screws times q, v, a of a joint."""
    for m in range(3):
        for k in range(6):
            jet[m, k] = 0.0
            for j in range(block.n):
                jet[m, k] += screws[k, block.start + j] * motion[m, j]


@inner
def twist_rates(jet, t, zeta):
    """zeta[0] = T w, zeta[1] = T w' + T' w along a jet (Omega, w, w')."""
    for m in range(2):
        for k in range(6):
            zeta[m, k] = 0.0
    scalar_jets(jet, 1, t)
    tangent_operator(jet, 0, t, t.T)
    add_apply(t.T, jet[1], zeta[0])
    add_apply(t.T, jet[2], zeta[1])
    tangent_operator(jet, 1, t, t.T)
    add_apply(t.T, jet[1], zeta[1])


@inner
def move(screws, block, relative, t, motion):
    """Coordinates, rates and accelerations ``motion`` (3, k) of a joint in the new chart."""
    jet, zeta, moved, bend = t.W[0, 0:3, 0:6], t.W[1, 0:2, 0:6], t.W[1, 2:4, 0:6], t.W[1, 4, 0:6]
    joint_jet(screws, block, motion, jet)
    exp(jet[0], t.R, t.p)
    twist_rates(jet, t, zeta)
    Ad(relative.R, relative.p, zeta[0], moved[0])
    Ad(relative.R, relative.p, zeta[1], moved[1])
    compose(relative.R, relative.p, t.R, t.p, t.B[0:3, 0:3], t.B[3, 0:3])
    for m in range(3):
        for k in range(6):
            t.jet[m, k], jet[m, k] = 0.0, 0.0
    log(t.B[0:3, 0:3], t.B[3, 0:3], t.jet, t)
    add_apply(t.D, moved[0], jet[1])
    for k in range(6):
        jet[0, k], t.jet[1, k], bend[k] = t.jet[0, k], jet[1, k], moved[1, k]
    scalar_jets(t.jet, 1, t)
    tangent_operator(t.jet, 0, t, t.T)
    tangent_operator(t.jet, 1, t, t.T)
    for k in range(6):
        zeta[0, k] = 0.0
    add_apply(t.T, jet[1], zeta[0])
    for k in range(6):
        bend[k] -= zeta[0, k]
    add_apply(t.D, bend, jet[2])
    for m in range(3):
        for j in range(block.n):
            motion[m, j] = 0.0
            for k in range(6):
                motion[m, j] += screws[k, block.start + j] * jet[m, k]


def _chart(tree_address, space_address, b, what, home_at, q_at, v_at, a_at):
    """Change the chart of joint block ``b``; q, v, a (k,) are a motion in it.

    The relative pose is kept in the scratch (frames[2]) from one call to the next.

    CENTRE: the chart moves to q, relative = exp(-q).  HOME: relative = home^-1 chart.  MOVE: q, v, a change.
    """
    tree, space = tree_of(tree_address), space_of(space_address)
    block, t, relative, placement = tree.blocks[b], space.scratch[0], space.frames[2], tree.placement[b]
    q = vector_at(q_at, (block.n,))
    if what == HOME:
        home = vector_at(home_at, (12,))  # R, p
        for i in range(3):
            for j in range(3):
                x = 0.0
                for k in range(3):
                    x += home[3 * k + i] * placement.R[k, j]
                relative.R[i, j] = x
            x = 0.0
            for k in range(3):
                x += home[3 * k + i] * (placement.p[k] - home[9 + k])
            relative.p[i] = x
        return
    if what == CENTRE:
        for k in range(6):
            t.x[k], t.y[k] = 0.0, 0.0
            for j in range(block.n):
                t.x[k] += tree.screws[k, block.start + j] * q[j]
            t.y[k] = -t.x[k]
        exp(t.y, relative.R, relative.p)
        exp(t.x, t.R, t.p)
        compose(placement.R, placement.p, t.R, t.p, t.B[0:3, 0:3], t.B[3, 0:3])
        for i in range(3):
            for j in range(3):
                placement.R[i, j] = t.B[i, j]
            placement.p[i] = t.B[3, i]
        return
    v, a = vector_at(v_at, (block.n,)), vector_at(a_at, (block.n,))
    motion = t.C[0:3]
    for j in range(block.n):
        motion[0, j], motion[1, j], motion[2, j] = q[j], v[j], a[j]
    move(tree.screws, block, relative, t, motion)
    for j in range(block.n):
        q[j], v[j], a[j] = motion[0, j], motion[1, j], motion[2, j]


CHART = AddressedKernel(_chart, SIGNATURE, stamp_of("solvers"))
