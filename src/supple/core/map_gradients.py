"""How y^T R follows the data of maps of CUSTOM blocks: they do not say, and are asked at both ends of a difference.

With zeta = (dg g^-1)^vee the motion of a block's end in the frame of its start as the data change, r = S v its twist,
r' = S a + S' v, and subscripts p for derivatives by the data at constant q, v, a,

    zeta' = r_p + ad_r zeta,        zeta'' = r'_p + ad_r' zeta + ad_r zeta',

since S_p,k - dzeta/dq_k = ad_zeta S_k.  In world axes these become Z, Z', Z'' as S, S', S'' do (`core.blocks.custom`),
and with cotangents a0, a1, a2, the wrench F and the virtual twist z of the end (`core.segment_gradients`)

    y^T R_p = F . (Ad_g0 S_p y + ad_z Z) + a0 . Z + a1 . Z' + a2 . Z''.
"""

from __future__ import annotations

import numpy as np

from supple.core.arrays import map_size, matrix_at
from supple.core.blocks.custom import RATE, SUBSPACE, address_of, call_map, contract, part, results_at
from supple.jit import inner, local_array
from supple.lie.se3 import Ad, add_ad, dot6

_twist = local_array(6)

#: Columns of `ParameterGradient.maps`: the row of Tree.maps, addresses of the handles of its data at both ends, and of
#: memory for what it gives there.
MAP_OF, HIGH, LOW, MEMORY = range(4)


@inner
def end_motion(base, high, low, zeta):
    """zeta (6,): the difference of two poses next to a third, in the frame before them."""
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
    """The module's formula, from zeta, zeta', zeta'' and S_p y in the frame of the block's start."""
    Z, X, Zd, Zdd, moved = _twist(), _twist(), _twist(), _twist(), _twist()
    Ad(w.R0, w.p0, zeta, Z)
    Ad(w.R0, w.p0, first, X)
    Ad(w.R0, w.p0, second, Zdd)
    Ad(w.R0, w.p0, virtual, moved)
    for k in range(6):
        Zd[k] = X[k]
    add_ad(begin.V, Z, Zd)
    add_ad(begin.V, X, Zdd)
    add_ad(begin.V, Zd, Zdd)
    add_ad(begin.A, Z, Zdd)
    add_ad(w.dS, Z, moved)
    return dot6(w.F, moved) + dot6(w.dZ, Z) + dot6(w.dV, Zd) + dot6(w.dA, Zdd)


@inner
def map_power(block, maps, memory, row, q, v, a, y, begin, w):
    """y^T R at the high end less that at the low end of a difference of a block's data."""
    n, start, at = block.n, block.start, address_of(block, maps, memory)
    first = 8 * start
    state = (np.int64(q.ctypes.data) + first, np.int64(v.ctypes.data) + first)
    above, below = row[MEMORY], row[MEMORY] + 8 * map_floats(n)
    call_map(maps[block.map, 0], (row[HIGH], n, *state, 1, above))
    call_map(maps[block.map, 0], (row[LOW], n, *state, 1, below))
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
    """All differences of the data of a block's map; in ``along`` they stand behind those of loads."""
    first = along.shape[0] - gradient_maps.shape[0]
    for k in range(gradient_maps.shape[0]):
        if gradient_maps[k, MAP_OF] == block.map:
            power = map_power(block, tree_maps, memory, gradient_maps[k], q, v, a, y, begin, w)
            along[first + k] += power * scales[first + k]


def scratch_size(n: int) -> int:
    """Floats that one difference of a map of n coordinates needs."""
    return 2 * map_size(n)
