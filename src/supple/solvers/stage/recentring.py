"""Changes of charts of spherical, free and planar joints along a motion: same poses, same twists, other coordinates.

A configuration exp(Omega) in a chart whose pose in the new chart is g has there the coordinates Omega' with
exp(Omega') = g exp(Omega).  The twist in the chart, zeta = T(Omega) dOmega/dt (`lie.tangent`), becomes Ad_g zeta, and
so does its rate; this gives rates and accelerations in the new chart.

And equations of such a joint as if they stood elsewhere in its chart (`solvers.stage.turned_rows`).
"""

from __future__ import annotations

from numba import types

from supple.core.arrays import space_view, tree_view, vector_at
from supple.jit import AddressedKernel, Work, calling, inner, local_array, stamp_of
from supple.lie.dual import add_apply, apply_transposed
from supple.lie.log import inverse3, invert_dual_part, log
from supple.lie.se3 import Ad, compose, exp
from supple.lie.tangent import tangent_operators

#: What is asked of `CHART`: move the chart to a joint's place, find the way home, change a motion's coordinates, or
#: turn equations.
CENTRE, HOME, MOVE, TURN = 0, 1, 2, 3

SIGNATURE = types.void(*[types.int64] * 8)
call_chart = calling(SIGNATURE)

_twist, _twists, _motion = local_array(6), local_array(2, 6), local_array(3, 6)
_rotation, _position = local_array(3, 3), local_array(3)
_dual, _operators = local_array(2, 3, 3), local_array(2, 2, 3, 3)


@inner
def joint_jet(screws, block, motion, jet):
    """jet (3, 6) = screws times q, v, a of a joint."""
    for m in range(3):
        for k in range(6):
            jet[m, k] = 0.0
            for j in range(block.n):
                jet[m, k] += screws[k, block.start + j] * motion[m, j]


@inner
def twist_rates(jet, zeta):
    """zeta[0] = T w, zeta[1] = T w' + T' w along a jet (Omega, w, w')."""
    T = _operators()
    for m in range(2):
        for k in range(6):
            zeta[m, k] = 0.0
    tangent_operators(jet, 1, T)
    add_apply(T[0], jet[1], zeta[0])
    add_apply(T[0], jet[2], zeta[1])
    add_apply(T[1], jet[1], zeta[1])


@inner
def move(screws, block, relative_R, relative_p, motion):
    """Coordinates, rates and accelerations ``motion`` (3, k) of a joint in the new chart, where the old one is at g.

    Omega' = log(g exp(Omega)), w = T^-1 Ad_g zeta, w' = T^-1 (Ad_g zeta' - T' w).
    """
    jet, zeta, moved = _motion(), _twists(), _twists()
    R, p, new_R, new_p = _rotation(), _position(), _rotation(), _position()
    inverse, T, bend = _dual(), _operators(), _twist()
    joint_jet(screws, block, motion, jet)
    exp(jet[0], R, p)
    twist_rates(jet, zeta)
    Ad(relative_R, relative_p, zeta[0], moved[0])
    Ad(relative_R, relative_p, zeta[1], moved[1])
    compose(relative_R, relative_p, R, p, new_R, new_p)
    log(new_R, new_p, jet[0], inverse)
    for k in range(6):
        jet[1, k], jet[2, k], bend[k] = 0.0, 0.0, 0.0
    add_apply(inverse, moved[0], jet[1])
    tangent_operators(jet, 1, T)
    add_apply(T[1], jet[1], bend)
    for k in range(6):
        bend[k] = moved[1, k] - bend[k]
    add_apply(inverse, bend, jet[2])
    for m in range(3):
        for j in range(block.n):
            motion[m, j] = 0.0
            for k in range(6):
                motion[m, j] += screws[k, block.start + j] * jet[m, k]


@inner
def turn(screws, block, there, q, rows):
    """rows (k,) = S(there)^T S(q)^-T rows, S(q) = T(-Omega) from rates of coordinates to the twist in the body's frame.

    Both T map the span of the joint's screws, which is a subalgebra, to itself.
    """
    jet, T, inverse, wrench, turned = _motion(), _operators(), _dual(), _twist(), _twist()
    for k in range(6):
        jet[0, k], wrench[k] = 0.0, 0.0
        for j in range(block.n):
            jet[0, k] -= screws[k, block.start + j] * q[j]
            wrench[k] += screws[k, block.start + j] * rows[j]
    tangent_operators(jet, 0, T)
    inverse3(T[0, 0], inverse[0])
    invert_dual_part(T[0], inverse)
    apply_transposed(inverse, wrench, turned)
    for k in range(6):
        jet[0, k] = 0.0
        for j in range(block.n):
            jet[0, k] -= screws[k, block.start + j] * there[j]
    tangent_operators(jet, 0, T)
    for k in range(6):  # of the wrench only what the joint feels
        wrench[k] = 0.0
        for j in range(block.n):
            along = 0.0
            for l in range(6):
                along += screws[l, block.start + j] * turned[l]
            wrench[k] += screws[k, block.start + j] * along
    apply_transposed(T[0], wrench, turned)
    for j in range(block.n):
        rows[j] = 0.0
        for k in range(6):
            rows[j] += screws[k, block.start + j] * turned[k]


def _chart(tree_address, space_address, b, what, home_at, q_at, v_at, a_at):
    """Change the chart of joint block ``b``; q, v, a (k,) are a motion in it.

    The relative pose is kept in the scratch (frames[2]) from one call to the next.

    CENTRE: the chart moves to q, relative = exp(-q).  HOME: relative = home^-1 chart.  MOVE: q, v, a change.
    TURN: ``v_at`` are rows of equations at q, as they would be at the coordinates ``home_at``.
    """
    tree, space = tree_view(tree_address), space_view(space_address)
    block, relative, placement = tree.blocks[b], space.frames[2], tree.placement[b]
    q = vector_at(q_at, (block.n,))
    if what == TURN:
        turn(tree.screws, block, vector_at(home_at, (block.n,)), q, vector_at(v_at, (block.n,)))
        return
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
        Omega, back = _twist(), _twist()
        R, p, new_R, new_p = _rotation(), _position(), _rotation(), _position()
        for k in range(6):
            Omega[k] = 0.0
            for j in range(block.n):
                Omega[k] += tree.screws[k, block.start + j] * q[j]
            back[k] = -Omega[k]
        exp(back, relative.R, relative.p)
        exp(Omega, R, p)
        compose(placement.R, placement.p, R, p, new_R, new_p)
        for i in range(3):
            for j in range(3):
                placement.R[i, j] = new_R[i, j]
            placement.p[i] = new_p[i]
        return
    v, a = vector_at(v_at, (block.n,)), vector_at(a_at, (block.n,))
    motion = _motion()
    for j in range(block.n):
        motion[0, j], motion[1, j], motion[2, j] = q[j], v[j], a[j]
    move(tree.screws, block, relative.R, relative.p, motion)
    for j in range(block.n):
        q[j], v[j], a[j] = motion[0, j], motion[1, j], motion[2, j]


CHART = AddressedKernel(_chart, SIGNATURE, stamp_of("solvers"), Work.BOOKKEEPING)
