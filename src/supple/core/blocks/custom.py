"""Joints and bodies of any kinematics: a smooth map g(q) of n coordinates to poses, given by a compiled function.

A CUSTOM block has one segment and n >= 1 coordinates.  In the frame of the segment's start (the joint's frame: the end
of the segment it hangs on, times the block's placement) its end has the pose g(q), and moves with the twist S(q) v,

    S_j = (dg/dq_j g^-1)^vee = [w; v],     w~ = dR/dq_j R^T,     v = dp/dq_j - w x p,

the linear part being the velocity of the point that is at the origin of the *start* frame.  A point mass on p(q) has
R = I and S = [0; dp/dq]; a joint exp(Phi q) has S = T(Phi q) Phi.  S must be the derivative of g, exactly: the kernels
use that dS_j/dq_k - dS_k/dq_j = ad_{S_k} S_j.

**The function** is called by its address: `MapKernel(function)`, ``function(data, n, q, v, order, results)``, all of
them integers: the address of the handle of its data (`core.arrays.handle_at`), n, the addresses of q (n,) and v (n,) of
this block, the order, and where results go.  ``vector_at(q, (n,))`` and ``results_at(results, n)`` see them as
arrays; it writes

| order | field | shape | what |
|---|---|---|---|
| 0, 1, 2 | R, p | (3, 3), (3,) | g(q) |
| 0, 1, 2 | S | (6, n) | twist per rate of each coordinate |
| 1, 2 | dS | (n, 6, n) | dS[k] = dS/dq_k |
| 2 | ddS | (6, n) | d2S/de2 of S(q + e v) at e = 0: the sum of d2S/dq_k dq_l v_k v_l |

every entry of them, as nothing is cleared before.  It keeps no state.

**All else follows here.**  In world axes, with g0 the start of the segment, V and A its twist and acceleration:

    S^ = Ad_g0 S,     S^' = Ad_g0 S' + ad_V S^,     S^'' = Ad_g0 S'' + ad_V (Ad_g0 S' + S^') + ad_A S^,
    S' = sum_k dS_k v_k,     S'' = sum_k dS_k a_k + ddS,
    V_end = V + S^ v,     A_end = A + S^ a + S^' v,     d(S^T F)_i/dq_k = (dS_k)_i . F   (F seen from the start).

**What a compiled robot holds**: a `block_t` with kind CUSTOM, count = active = 1, ``map`` the row of Tree.maps that is
this block's own, all else as for a joint (the block itself is in its ``outward`` ranges; component is -1; columns of
phi and screws are there and are not read); and a `BoundMap` per row, in that order, of which `map_table` makes
Tree.maps.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from supple.core.arrays import field_size, handle, map_size, matrices_at, matrix_at, vector_at
from supple.core.blocks.moving import move_along, move_end
from supple.core.blocks.screw import write_columns
from supple.core.records import has_star, is_map
from supple.jit import FieldKernel, MapKernel, calling, inlined, inner, local_array, opaque
from supple.lie.se3 import Ad, Ad_transposed, add_ad, compose

_twist = local_array(6)

call_map = calling(MapKernel.kind)

#: What the function writes.
MapResults = namedtuple("MapResults", ("R", "p", "S", "dS", "ddS"))


class BoundMap(NamedTuple):
    """The map of a CUSTOM block, or of all frames of a BODY: its compiled function and its data, contiguous arrays."""

    kernel: MapKernel
    data: tuple[np.ndarray, ...]
    field: FieldKernel | None = None  #: the field of mass of a BODY (`core.blocks.body`), which reads the same data
    frames: int = 1  #: how many frames it writes
    scratch: int = 0  #: floats that the functions use for themselves, behind what they write


def map_table(blocks: np.ndarray, maps: tuple[BoundMap, ...]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Tree.maps, and the handles that must live as long as it."""
    handles = [handle(bound.data) for bound in maps]
    sizes = np.zeros(len(maps), dtype=np.int64)
    for block in blocks[is_map(blocks)]:
        bound, n = maps[block["map"]], int(block["n"])
        sizes[block["map"]] = bound.frames * map_size(n) + bound.scratch
        sizes[block["map"]] += field_size(n) if has_star(block) else 0
    first = np.cumsum(sizes) - sizes
    rows: list[Any] = [
        (bound.kernel.address, h.ctypes.data, f, size, 0 if bound.field is None else bound.field.address)
        for bound, h, f, size in zip(maps, handles, first, sizes, strict=True)
    ]
    return np.array(rows, dtype=np.int64).reshape(-1, 5), handles


#: Parts of the results after R and p: matrices (6, n) S, d2S/de2 along v, and what is made of them, S' and S'';
#: then dS (n, 6, n).
SUBSPACE, BEND, RATE, ACCELERATION, SLOPES = 0, 1, 2, 3, 4


@inlined
def part(at, n, m):
    """Address of the m-th part of the results at an address."""
    return at + 96 + 48 * n * m


@inlined
def results_at(at, n):
    """The `MapResults` of a map of n coordinates at an address."""
    return MapResults(
        matrix_at(at, (3, 3)),
        vector_at(at + 72, (3,)),
        matrix_at(part(at, n, SUBSPACE), (6, n)),
        matrices_at(part(at, n, SLOPES), (n, 6, n)),
        matrix_at(part(at, n, BEND), (6, n)),
    )


@inlined
def address_of(block, maps, memory):
    """Where the results of a block's map are in ``memory`` = Space.maps."""
    return np.int64(memory.ctypes.data) + 8 * maps[block.map, 2]


@inlined
def contract(S, n, x, start, out):
    """out (6,) = S x[start:start+n]."""
    for k in range(opaque(6)):
        out[k] = 0.0
        for j in range(n):
            out[k] += S[k, j] * x[start + j]


@inner
def custom_pose(block, maps, memory, q, v, order, w):
    """Ask the map for all that ``order`` needs; g_end = g_start g(q)."""
    first, at = 8 * block.start, address_of(block, maps, memory)
    arguments = (np.int64(q.ctypes.data) + first, np.int64(v.ctypes.data) + first, order, at)
    call_map(maps[block.map, 0], (maps[block.map, 1], block.n, *arguments))
    compose(w.R0, w.p0, matrix_at(at, (3, 3)), vector_at(at + 72, (3,)), w.R, w.p)


@inner
def custom_motion(block, at, v, a, order, previous, w):
    """V_end = V + S^ v, A_end = A + S^ a + S^' v; keeps S' (and S'' if ``order`` is 2)."""
    n, start = block.n, block.start
    rate, bend, X = _twist(), _twist(), _twist()
    if order == 0:  # at rest
        move_along(previous, w)
        return
    S, ddS = matrix_at(part(at, n, SUBSPACE), (6, n)), matrix_at(part(at, n, BEND), (6, n))
    Sd, Sdd = matrix_at(part(at, n, RATE), (6, n)), matrix_at(part(at, n, ACCELERATION), (6, n))
    dS = matrices_at(part(at, n, SLOPES), (n, 6, n))
    for i in range(opaque(6)):
        for j in range(n):
            x, y = 0.0, ddS[i, j] if order == 2 else 0.0
            for k in range(n):
                x += dS[k, i, j] * v[start + k]
                y += dS[k, i, j] * a[start + k]
            Sd[i, j], Sdd[i, j] = x, y
    contract(S, n, v, start, rate)
    contract(S, n, a, start, bend)
    contract(Sd, n, v, start, X)
    for k in range(6):
        bend[k] += X[k]
    move_end(previous, rate, bend, w)


@inlined
def turn_column(w, X, j, out):
    """out = Ad_g0 X[:, j] for X (6, n)."""
    column = _twist()
    for k in range(6):
        column[k] = X[k, j]
    Ad(w.R0, w.p0, column, out)


@inlined
def carry_rates(start, S, own, Sd, Sdd):
    """S' = s' + ad_V S and S'' = s'' + ad_V s' + ad_V S' + ad_A S of S = Ad_g0 s, in world axes.

    V, A are the motion of g0, the segment's ``start``; ``own`` is Ad_g0 of ds/dt, and Sdd holds that of d2s/dt2.
    """
    for k in range(6):
        Sd[k] = own[k]
    add_ad(start.V, S, Sd)
    add_ad(start.V, own, Sdd)
    add_ad(start.V, Sd, Sdd)
    add_ad(start.A, S, Sdd)


@inner
def custom_columns(block, at, start, w, cv, ca, c, columns):
    """S^, S^' and S^'' of all coordinates from column c on, with the motion of the segment's ``start``."""
    n = block.n
    S, Sd, Sdd, turned = _twist(), _twist(), _twist(), _twist()
    subspace, rate = matrix_at(part(at, n, SUBSPACE), (6, n)), matrix_at(part(at, n, RATE), (6, n))
    acceleration = matrix_at(part(at, n, ACCELERATION), (6, n))
    for j in range(n):
        turn_column(w, subspace, j, S)
        turn_column(w, rate, j, turned)
        turn_column(w, acceleration, j, Sdd)
        carry_rates(start, S, turned, Sd, Sdd)
        write_columns(S, Sd, Sdd, cv, ca, c + j, columns)


@inner
def custom_jacobian(block, at, w, c, J):
    """J = Ad_g0 S, from column c on."""
    n = block.n
    local, S = matrix_at(part(at, n, SUBSPACE), (6, n)), _twist()
    for j in range(n):
        turn_column(w, local, j, S)
        for k in range(6):
            J[k, c + j] = S[k]


@inner
def project_custom(block, at, F, w, out):
    """out += S^T F, F seen from the segment's start."""
    n = block.n
    S, local = matrix_at(part(at, n, SUBSPACE), (6, n)), _twist()
    Ad_transposed(w.R0, w.p0, F, local)
    for j in range(n):
        for k in range(6):
            out[block.start + j] += S[k, j] * local[k]


@inlined
def stiffness(dS, F, i, j):
    """d(S_i . F)/dq_j at constant F."""
    x = 0.0
    for k in range(6):
        x += dS[j, k, i] * F[k]
    return x


@inner
def add_custom_stiffness(block, at, w, out):
    """out += d(S^T F)/dq at constant F = w.F, seen from the segment's start."""
    n, start = block.n, block.start
    dS, F = matrices_at(part(at, n, SLOPES), (n, 6, n)), _twist()
    Ad_transposed(w.R0, w.p0, w.F, F)
    for i in range(block.n):
        for j in range(block.n):
            out[start + i, start + j] += stiffness(dS, F, i, j)


@inner
def add_custom_product(block, at, w, x, transposed, out):
    """out += d(S^T F)/dq x, or the transpose times x."""
    n, start = block.n, block.start
    dS, F = matrices_at(part(at, n, SLOPES), (n, 6, n)), _twist()
    Ad_transposed(w.R0, w.p0, w.F, F)
    for i in range(block.n):
        for j in range(block.n):
            if transposed:
                out[start + j] += stiffness(dS, F, i, j) * x[start + i]
            else:
                out[start + i] += stiffness(dS, F, i, j) * x[start + j]


@inner
def add_custom_twist(block, at, y, w):
    """w.dS += S^ y."""
    n, local, twist = block.n, _twist(), _twist()
    contract(matrix_at(part(at, n, SUBSPACE), (6, n)), n, y, block.start, local)
    Ad(w.R0, w.p0, local, twist)
    for k in range(6):
        w.dS[k] += twist[k]
