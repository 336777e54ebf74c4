"""How y^T R follows the data of maps of CUSTOM and BODY blocks: they are asked at both ends of a difference.

With zeta = (dg g^-1)^vee the motion of a block's end in the frame of its start as the data change, r = S v its twist,
r' = S a + S' v, and subscripts p for derivatives by the data at constant q, v, a,

    zeta' = r_p + ad_r zeta,        zeta'' = r'_p + ad_r' zeta + ad_r zeta',

since S_p,k - dzeta/dq_k = ad_zeta S_k.  In world axes these become Z, Z', Z'' as S, S', S'' do (`core.blocks.custom`),
and with cotangents a0, a1, a2, the wrench F and the virtual twist z of the end (`core.segment_gradients`)

    y^T R_p = F . (Ad_g0 S_p y + ad_z Z) + a0 . Z + a1 . Z' + a2 . Z''.

A BODY has many frames, each as above.  Its field of mass does not move the base, where its wrench F acts, nor the
frames: with the virtual twist z of the base, y^T R_p = z . F_p + y . Q_p, and both are proportional to the whole mass.
"""

from __future__ import annotations

import numpy as np

from supple.core.arrays import FIELD_BASE, field_size, map_size, matrix_at, vector_at
from supple.core.blocks.body import F_AT, MASS_AT, WRENCH, call_field, field_at, field_floats, frame_address
from supple.core.blocks.custom import RATE, SUBSPACE, address_of, call_map, carry_rates, contract, part, results_at
from supple.jit import inner, local_array
from supple.lie.se3 import Ad, add_ad, dot6

_twist = local_array(6)

#: Columns of `ParameterGradient.maps`: the row of Tree.maps, addresses of the handles of its data at both ends, and of
#: memory for what it gives there.
MAP_OF, HIGH, LOW, MEMORY = range(4)


@inner
def end_motion(base, high, low, zeta):
    """zeta = [w; p+ - p- - w x p], w = vee((R+ - R-) R^T): the difference of two poses next to a third, (R, p).

    (6,), in the frame before them; vee takes the antisymmetric part.
    """
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        x = 0.0
        for m in range(3):  # the antisymmetric part of (R+ - R-) R^T
            x += (high.R[k, m] - low.R[k, m]) * base.R[j, m] - (high.R[j, m] - low.R[j, m]) * base.R[k, m]
        zeta[i] = 0.5 * x
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        zeta[3 + i] = high.p[i] - low.p[i] - (zeta[j] * base.p[k] - zeta[k] * base.p[j])


@inner
def add_changes(high, low, n, start, v, a, y, r, rate, virtual):
    """Changes of S v, of S a + S' v and of S y (6,) each, added."""
    for i in range(6):
        for j in range(n):
            change = high.S[i, j] - low.S[i, j]
            r[i] += change * v[start + j]
            rate[i] += change * a[start + j]
            virtual[i] += change * y[start + j]
            for k in range(n):
                rate[i] += (high.dS[k, i, j] - low.dS[k, i, j]) * v[start + k] * v[start + j]


@inner
def virtual_power(w, begin, zeta, first, second, virtual):
    """y^T R_p = F . (Ad_g0 S_p y + ad_z Z) + a0 . Z + a1 . Z' + a2 . Z''.

    From zeta, zeta', zeta'' and S_p y in the frame g0 of the block's start.
    """
    Z, X, Zd, Zdd, moved = _twist(), _twist(), _twist(), _twist(), _twist()
    Ad(w.R0, w.p0, zeta, Z)
    Ad(w.R0, w.p0, first, X)
    Ad(w.R0, w.p0, second, Zdd)
    Ad(w.R0, w.p0, virtual, moved)
    carry_rates(begin, Z, X, Zd, Zdd)
    add_ad(w.dS, Z, moved)
    return dot6(w.F, moved) + dot6(w.dZ, Z) + dot6(w.dV, Zd) + dot6(w.dA, Zdd)


@inner
def map_power(block, maps, memory, row, q, v, a, y, begin, w):
    """y^T R at the high end less that at the low end of a difference of a block's data."""
    above, below = row[MEMORY], row[MEMORY] + 8 * map_floats(block.n)
    call_ends(block, maps, row, q, v, above, below)
    return frame_power(block, address_of(block, maps, memory), above, below, v, a, y, begin, w)


@inner
def call_ends(block, maps, row, q, v, above, below):
    """Let a map write what it gives at both ends of a difference."""
    first = 8 * block.start
    state = (np.int64(q.ctypes.data) + first, np.int64(v.ctypes.data) + first)
    call_map(maps[block.map, 0], (row[HIGH], block.n, *state, 1, above))
    call_map(maps[block.map, 0], (row[LOW], block.n, *state, 1, below))


@inner
def frame_power(block, at, above, below, v, a, y, begin, w):
    """y^T R_p of one frame, zeta' = r_p + ad_r zeta, zeta'' = r'_p + ad_r' zeta + ad_r zeta'.

    From what its map gave at the state and at both ends of a difference.
    """
    n, start = block.n, block.start
    base, high, low = results_at(at, n), results_at(above, n), results_at(below, n)
    zeta, r, rate, virtual, zd, zdd = _twist(), _twist(), _twist(), _twist(), _twist(), _twist()
    x = _twist()
    for k in range(6):
        zd[k], zdd[k], virtual[k] = 0.0, 0.0, 0.0
    end_motion(base, high, low, zeta)
    add_changes(high, low, n, start, v, a, y, zd, zdd, virtual)
    S, Sd = matrix_at(part(at, n, SUBSPACE), (6, n)), matrix_at(part(at, n, RATE), (6, n))
    contract(S, n, v, start, r)
    contract(S, n, a, start, rate)
    contract(Sd, n, v, start, x)
    for k in range(6):
        rate[k] += x[k]
    add_ad(r, zeta, zd)
    add_ad(rate, zeta, zdd)
    add_ad(r, zd, zdd)
    return virtual_power(w, begin, zeta, zd, zdd, virtual)


@inner
def map_floats(n):
    """`core.arrays.map_size`, in compiled code."""
    return 12 + 24 * n + 6 * n * n


@inner
def add_map_gradient(block, tree_maps, memory, q, v, a, y, begin, w, gradient_maps, scales, along):
    """along_k += scale_k (y^T R at the high end - that at the low end), of all differences k of a block's map.

    In ``along`` they stand behind those of loads.
    """
    first = along.shape[0] - gradient_maps.shape[0]
    for k in range(gradient_maps.shape[0]):
        if gradient_maps[k, MAP_OF] == block.map:
            power = map_power(block, tree_maps, memory, gradient_maps[k], q, v, a, y, begin, w)
            along[first + k] += power * scales[first + k]


@inner
def field_power(block, maps, memory, row, q, v, a, y, w):
    """y^T R at the high end less that at the low end, of the field of mass of a body."""
    n, first, power = block.n, 8 * block.start, 0.0
    base, size = vector_at(address_of(block, maps, memory), (FIELD_BASE,)), maps[block.map, 3]
    state = (np.int64(q.ctypes.data) + first, np.int64(v.ctypes.data) + first, np.int64(a.ctypes.data) + first)
    for end in range(2):
        at, sign = row[MEMORY] + 8 * end * size, 1.0 if end == 0 else -1.0
        field = field_at(at, n)
        for k in range(F_AT):  # pose and motion of the base
            field.head[k] = base[k]
        field.head[MASS_AT] = base[MASS_AT]
        call_field(maps[block.map, 4], (row[HIGH] if end == 0 else row[LOW], n, *state, WRENCH, at))
        power += sign * field_work(field, block.start, y, w.dS)
    return power


@inner
def field_work(field, start, y, z):
    """z . F + y . Q of a field."""
    work = 0.0
    for k in range(6):
        work += z[k] * field.head[F_AT + k]
    for j in range(field.Q.shape[0]):
        work += y[start + j] * field.Q[j]
    return work


@inner
def add_mass_gradient(block, maps, memory, y, w, out):
    """out (6, 6) of the inertia that tells a field its whole mass: (z . F + y . Q) / m at entry (3, 3)."""
    field = field_at(address_of(block, maps, memory), block.n)
    if field.head[MASS_AT] > 0.0:
        out[3, 3] += field_work(field, block.start, y, w.dS) / field.head[MASS_AT]


@inner
def add_body_gradient(block, tree_maps, memory, i, q, v, a, y, begin, w, gradient_maps, scales, along):
    """along_k += scale_k (y^T R at the high end - that at the low end), of the data of a body, by its i-th segment.

    Segments are frames, of which the last comes first, then the field.
    """
    first, n = along.shape[0] - gradient_maps.shape[0], block.n
    for k in range(gradient_maps.shape[0]):
        row = gradient_maps[k]
        if row[MAP_OF] != block.map:
            continue
        if i == 0:
            along[first + k] += scales[first + k] * field_power(block, tree_maps, memory, row, q, v, a, y, w)
            continue
        above = row[MEMORY] + 8 * field_floats(n)
        below = above + 8 * tree_maps[block.map, 3]
        if i == block.active - 1:
            call_ends(block, tree_maps, row, q, v, above, below)
        at, own = frame_address(block, tree_maps, memory, i), 8 * (i - 1) * map_floats(n)
        along[first + k] += scales[first + k] * frame_power(block, at, above + own, below + own, v, a, y, begin, w)


def scratch_size(n: int, frames: int = 1, scratch: int = 0, star: bool = False) -> int:
    """Floats that one difference of a map of n coordinates needs."""
    return 2 * (frames * map_size(n) + scratch + (field_size(n) if star else 0))
