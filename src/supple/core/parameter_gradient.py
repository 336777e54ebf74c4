"""y^T dR/d(all numbers of a model) in one sweep out and one sweep in, whatever their number.

For a fixed y the number y^T R is a virtual power, z . F summed over all points with the virtual twists z = J y.  A
variation of the model's numbers at fixed q, v, a, y moves the points by zeta with two time derivatives (as a variation
of q would), and changes the virtual twists as seen from the points.  One sweep inward collects what each segment's end
is multiplied by (`core.segment_gradients` derives it), and each segment pulls it back to its own numbers.

**How to call it.**  `PARAMETER_GRADIENT` is called by its address with eight integers,

    call_parameter_gradient(PARAMETER_GRADIENT.address, (tree, space, q, v, a, y, rows, gradient)) -> int

the addresses of the handles of a model's tree and of a thread's scratch (inputs, signals and multipliers filled in, as
for the residual), of q, v, a, y (n,) floats, of rows (3, nc) floats or 0, and of the handle of a `ParameterGradient`.
To the latter it *adds* the gradient of

    y . R(q, v, a, u, lambda, t; theta) + rows[0] . e + rows[1] . (A v) + rows[2] . (A a + A' v)

by theta: all floats of the tree, the data of loads, inputs u and signals.  R = ID - tau - A^T lambda has all n rows,
those of prescribed coordinates too.  It returns 0 if what it added is not finite, else 1.  Poses, motions and columns
in the scratch are overwritten.
"""

from __future__ import annotations

import math

from numba import types

from supple.core.arrays import SPACE_ROWS, TREE_ROWS, handle_at, space_at, tree_at, vector_at
from supple.core.blocks.body import add_field_cotangents, add_field_momentum
from supple.core.blocks.kinds import add_step_gradient, add_virtual_twist, has_field
from supple.core.dormant import ASLEEP, AWAKE
from supple.core.elastic import FRICTION
from supple.core.gradient_arrays import gradient_view
from supple.core.load_gradients import add_differences, apply_loads_with_gradients, pull_back_loads
from supple.core.loop_gradients import add_loop_rows
from supple.core.map_gradients import add_mass_gradient
from supple.core.outward import outward
from supple.core.segment_gradients import add_inertia, add_placement, clear_cotangents
from supple.core.sweep_in import point_operators
from supple.jit import AddressedKernel, Work, calling, inlined, inner, kernel, local_array
from supple.lie.se3 import add_scaled, product6_transposed

SIGNATURE = types.int64(*[types.int64] * 8)

call_parameter_gradient = calling(SIGNATURE)

_twist = local_array(6)


@inlined
def virtual_motion(tree, space, y, gradient):
    """z = J y of all points, outward; gravity_bar -= (M z)_v, and inertias' gradients (`core.segment_gradients`)."""
    work, momentum = space.work, _twist()
    clear_cotangents(work[0])
    for k in range(6):
        work[0].dS[k] = 0.0
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        for i in range(block.active):
            w = work[block.first + i]
            add_virtual_twist(tree, space, block, i, y, w, work[tree.parents[block.first + i]])
            clear_cotangents(w)
            product6_transposed(w.M, w.dS, momentum)
            if i == 0 and has_field(block):
                add_mass_gradient(block, tree.maps, space.maps, y, w, gradient.segments[block.first].inertia)
                add_field_momentum(block, tree.maps, space.maps, y, momentum)
            else:
                add_inertia(w, gradient.segments[block.first + i].inertia)
            for k in range(3):
                gradient.gravity[k] -= momentum[3 + k]


@inlined
def pull_back_points(tree, space, y):
    """a0 += G^T z, a1 += N^T z, a2 += M^T z at every point."""
    x = _twist()
    for b in range(tree.blocks.shape[0]):
        block = tree.blocks[b]
        if has_field(block):
            add_field_cotangents(block, tree.maps, space.maps, y, space.work[block.first])
        for s in range(block.first, block.first + block.active):
            w = space.work[s]
            product6_transposed(w.G, w.dS, x)
            add_scaled(1.0, x, w.dZ)
            product6_transposed(w.N, w.dS, x)
            add_scaled(1.0, x, w.dV)
            product6_transposed(w.M, w.dS, x)
            add_scaled(1.0, x, w.dA)


@inlined
def pull_back_segment(tree, space, b, i, q, v, a, y, gradient):
    """F, a0, a1, a2 of the segment before += those of this one, once its own numbers have had them.

    So has the placement of its block.
    """
    block, work = tree.blocks[b], space.work
    s = block.first + i
    w, previous = work[s], work[tree.parents[s]]
    add_step_gradient(tree, space, block, i, q, v, a, y, previous, w, gradient)
    if tree.parents[s] == block.parent:
        add_placement(previous, w, tree.placement[b], gradient.placement[b])
    for k in range(6):
        previous.F[k] += w.F[k]
        previous.dZ[k] += w.dZ[k]
        previous.dV[k] += w.dV[k]
        previous.dA[k] += w.dA[k]


@inlined
def pull_back(tree, space, q, v, a, y, gradient):
    """Inward over all segments, dormant stations that loads woke among them."""
    for k in range(6):
        space.work[0].F[k] = 0.0
    for b in range(tree.blocks.shape[0] - 1, -1, -1):
        block = tree.blocks[b]
        last = block.count if space.coordinates.shape[1] > 0 else block.active
        for i in range(last - 1, -1, -1):
            w = space.work[block.first + i]
            if i < block.active or w.awake == AWAKE:
                pull_back_segment(tree, space, b, i, q, v, a, y, gradient)
            if i >= block.active:
                w.awake = ASLEEP


@inner
def limit_slopes(q, limit, y, out):
    """out += -y d(limit force)/d(lower, upper, stiffness, width), see `core.elastic.limit_law`."""
    lower, upper, stiffness, width = limit[0], limit[1], limit[2], limit[3]
    if q < lower:
        d, side, sign = lower - q, 0, 1.0
    elif q > upper:
        d, side, sign = q - upper, 1, -1.0
    else:
        return
    if d < width:
        force, slope, narrow = d * d / (2.0 * width), stiffness * d / width, -stiffness * d * d / (2.0 * width * width)
    else:
        force, slope, narrow = d - 0.5 * width, stiffness, -0.5 * stiffness
    out[side] -= y * slope
    out[2] -= y * sign * force
    out[3] -= y * sign * narrow


@inner
def friction_slopes(v, row, y, out):
    """out += -y d(friction)/d(Coulomb, static, Stribeck velocity, slip velocity), see `core.elastic.friction_law`."""
    coulomb, static, stribeck, slip = row[FRICTION], row[FRICTION + 1], row[FRICTION + 2], row[FRICTION + 3]
    if v == 0.0:
        return
    bump, r = math.exp(-((v / stribeck) ** 2)), math.sqrt(v * v + slip * slip)
    force = coulomb + (static - coulomb) * bump
    out[FRICTION] += y * (1.0 - bump) * v / r
    out[FRICTION + 1] += y * bump * v / r
    out[FRICTION + 2] += y * (static - coulomb) * bump * 2.0 * v * v / stribeck**3 * v / r
    out[FRICTION + 3] -= y * force * v * slip / (r * r * r)


@inlined
def add_internal_gradient(tree, q, v, y, gradient):
    """Springs, dampers, limits and friction: R has K (q - rest) + D v - limits - friction."""
    for l in range(tree.links.shape[0]):
        lo, hi = tree.links[l, 0], tree.links[l, 1]
        for i in range(lo, hi):
            for j in range(lo, hi):
                gradient.stiffness[i, j] += y[i] * (q[j] - tree.rest[j])
                gradient.damping[i, j] += y[i] * v[j]
                gradient.rest[j] -= y[i] * tree.stiffness[i, j]
            limit_slopes(q[i], tree.limits[i], y[i], gradient.limits[i])
            friction_slopes(v[i], tree.limits[i], y[i], gradient.limits[i])


@inlined
def finite_gradient(work):
    """Whether what reached the world is finite: all cotangents end there."""
    total = 0.0
    for k in range(6):
        total += work[0].F[k] + work[0].dZ[k] + work[0].dV[k] + work[0].dA[k]
    return math.isfinite(total)


@inner
def clear_operator(G):
    """G = 0 (6, 6)."""
    for k in range(6):
        for l in range(6):
            G[k, l] = 0.0


def _parameter_gradient(tree_address, space_address, q_at, v_at, a_at, y_at, rows_at, gradient_address):
    """The module's docstring says it."""
    tree_handle, space_handle = handle_at(tree_address, TREE_ROWS), handle_at(space_address, SPACE_ROWS)
    tree, space, gradient = tree_at(tree_handle), space_at(space_handle), gradient_view(gradient_address)
    n = tree.component.shape[0]
    q, v, a, y = vector_at(q_at, (n,)), vector_at(v_at, (n,)), vector_at(a_at, (n,)), vector_at(y_at, (n,))
    outward(tree_handle, space_handle, space, q, v, a, 2)
    point_operators(tree, space, q, v, a)
    for s in range(tree.segments.shape[0]):
        clear_operator(space.work[s].G)
    virtual_motion(tree, space, y, gradient)
    apply_loads_with_gradients(tree, space, tree_address, space_address, gradient_address, gradient, q, v, y)
    pull_back_points(tree, space, y)
    pull_back_loads(tree, space, q, v, y, gradient)
    if rows_at != 0:
        add_loop_rows(tree, space_address, rows_at, gradient)
    pull_back(tree, space, q, v, a, y, gradient)
    add_internal_gradient(tree, q, v, y, gradient)
    finite = finite_gradient(space.work)
    add_differences(tree, space, tree_address, space_address, gradient, q, v, y)
    return 1 if finite else 0


# of many kinds of blocks and loads, each rare: short code is as fast
PARAMETER_GRADIENT = AddressedKernel(_parameter_gradient, SIGNATURE, work=Work.BOOKKEEPING)


@kernel
def parameter_gradient(function, tree, space, q, v, a, y, rows, gradient):
    """`PARAMETER_GRADIENT` by its address, from Python; ``rows`` (3, nc) may have no row."""
    at = (tree.ctypes.data, space.ctypes.data, q.ctypes.data, v.ctypes.data, a.ctypes.data, y.ctypes.data)
    rows_at = rows.ctypes.data if rows.shape[0] > 0 and rows.shape[1] > 0 else 0
    return call_parameter_gradient(function, (*at, rows_at, gradient.ctypes.data)) != 0
