"""The derivative of a move to another chart: of q, v, a there by q, v, a here, the charts themselves standing still.

A variation of exp(Omega) is the twist nu = T(Omega) dOmega in the chart (`lie.tangent`).  Along a motion, w = Omega',

    nu = T dOmega,    nu' = T' dOmega + T dw,    nu'' = T'' dOmega + 2 T' dw + T dw',

and in a chart in which the old one has the pose g, these are Ad_g nu, Ad_g nu', Ad_g nu''.  The same equations there,
solved one by one, give the variations of the new coordinates.
"""

from __future__ import annotations

from numba import types

from supple.core.arrays import matrix_at, tree_view, vector_at
from supple.jit import AddressedKernel, Work, calling, inner, local_array, stamp_of
from supple.lie.dual import add_apply
from supple.lie.log import log
from supple.lie.se3 import Ad, compose, exp
from supple.lie.tangent import tangent_operators
from supple.solvers.stage.recentring import joint_jet, move

SIGNATURE = types.void(*[types.int64] * 6)
call_chart_moves = calling(SIGNATURE)

_jet, _twists = local_array(3, 6), local_array(3, 6)
_operators, _dual = local_array(3, 2, 3, 3), local_array(2, 3, 3)
_rotation, _position = local_array(3, 3), local_array(3)
_motion = local_array(3, 6)


@inner
def relative_pose(home, chart, R, p):
    """(R, p) = home^-1 chart; poses are given as 12 numbers, R row by row and then p."""
    for i in range(3):
        for j in range(3):
            R[i, j] = home[i] * chart[j] + home[3 + i] * chart[3 + j] + home[6 + i] * chart[6 + j]
        p[i] = 0.0
        for k in range(3):
            p[i] += home[3 * k + i] * (chart[9 + k] - home[9 + k])


@inner
def varied_twists(T, d, nu):
    """nu = T d_0, nu' = T' d_0 + T d_1, nu'' = T'' d_0 + 2 T' d_1 + T d_2 of variations d (3, 6) of Omega, w, w'."""
    for m in range(3):
        for k in range(6):
            nu[m, k] = 0.0
    add_apply(T[0], d[0], nu[0])
    add_apply(T[1], d[0], nu[1])
    add_apply(T[0], d[1], nu[1])
    add_apply(T[2], d[0], nu[2])
    add_apply(T[0], d[2], nu[2])
    twice = _twists()
    for k in range(6):
        twice[0, k] = 0.0
    add_apply(T[1], d[1], twice[0])
    for k in range(6):
        nu[2, k] += 2.0 * twice[0, k]


@inner
def varied_coordinates(T, inverse, nu, d):
    """d_0 = T^-1 nu, d_1 = T^-1 (nu' - T' d_0), d_2 = T^-1 (nu'' - T'' d_0 - 2 T' d_1).

    `varied_twists` solved for the variations d (3, 6) of Omega, w, w'.
    """
    rest = _twists()
    for m in range(3):
        for k in range(6):
            d[m, k], rest[m, k] = 0.0, 0.0
    add_apply(inverse, nu[0], d[0])
    add_apply(T[1], d[0], rest[1])
    for k in range(6):
        rest[1, k] = nu[1, k] - rest[1, k]
    add_apply(inverse, rest[1], d[1])
    add_apply(T[1], d[1], rest[2])
    for k in range(6):
        rest[2, k] *= 2.0
    add_apply(T[2], d[0], rest[2])
    for k in range(6):
        rest[2, k] = nu[2, k] - rest[2, k]
    add_apply(inverse, rest[2], d[2])


def _chart_moves(tree_address, b, old_at, new_at, motion_at, out_at):
    """out (3 k, 3 k) for joint block b with k coordinates, whose q, v, a are at ``motion_at``.

    The poses of the old and the new chart, 12 numbers each, are those of the joint's placement.
    """
    tree = tree_view(tree_address)
    block, screws = tree.blocks[b], tree.screws
    k = block.n
    given, out = vector_at(motion_at, (3 * k,)), matrix_at(out_at, (18, 18))
    R, p, turned, moved, jet, motion = _rotation(), _position(), _rotation(), _position(), _jet(), _motion()
    end, place, inverse, T, S = _rotation(), _position(), _dual(), _operators(), _operators()
    relative_pose(vector_at(new_at, (12,)), vector_at(old_at, (12,)), R, p)
    for m in range(3):
        for j in range(k):
            motion[m, j] = given[m * k + j]
    joint_jet(screws, block, motion, jet)
    tangent_operators(jet, 2, T)
    exp(jet[0], turned, moved)
    compose(R, p, turned, moved, end, place)
    move(screws, block, R, p, motion)
    joint_jet(screws, block, motion, jet)
    tangent_operators(jet, 2, S)
    log(end, place, jet[0], inverse)
    d, nu, there = _jet(), _twists(), _twists()
    for level in range(3):
        for j in range(k):
            for m in range(3):
                for i in range(6):
                    d[m, i] = screws[i, block.start + j] if m == level else 0.0
            varied_twists(T, d, nu)
            for m in range(3):
                Ad(R, p, nu[m], there[m])
            varied_coordinates(S, inverse, there, d)
            for m in range(3):
                for l in range(k):
                    x = 0.0
                    for i in range(6):
                        x += screws[i, block.start + l] * d[m, i]
                    out[m * k + l, level * k + j] = x


CHART_MOVES = AddressedKernel(_chart_moves, SIGNATURE, stamp_of("solvers"), Work.BOOKKEEPING)
