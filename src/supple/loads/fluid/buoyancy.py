"""Buoyancy of soft bodies, which follows the volume that they take as they deform.

The pressure of a fluid at rest, rho (|g| h + g . x) with its surface at the height h, does the work -dU on a region
that moves in it, U = int p dv.  Of a body with the places x = x0 + R f(X, q) of its material points, J = det df/dX,

    U = rho (c V + b . B),     c = |g| h + g . x0,   b = R^T g,     V = int J dX,   B = int J f dX,

so that with m = V x0 + R B the wrench on the base is -rho [m x g; V g], and the force on the coordinates
-rho (c V_q + b . B_q): the work of the pressure on the moving surface, by the divergence theorem.  Own second
derivatives are the Hessian of U at constant c and b; those by q_i and the motion zeta of the base are

    t_i . zeta,     t_i = rho [(V_i x0 + R B_i) x g; V_i g],

of rank three: turns about two axes across g, and a shift along g.  A pair a b^T + b a^T is added as two terms of rank
one (`core.elastic_lines`), of (a + b) and of (a - b).
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import TYPE_CHECKING

import numpy as np

from supple.core.arrays import floats, handle_at, integers, matrix_at, space_view, tree_view, vector_at
from supple.core.elastic_lines import add_coordinates_part, add_line, add_part
from supple.core.gradient_arrays import ALONG_Y, gradient_view
from supple.core.loads import ENERGY, EXTERNAL, MEASURE, STORES, TANGENT
from supple.errors import ModelError
from supple.fields.adjoints import ALONG, ALONG_V, VALUE, adjoint_at, pull_sums, worths
from supple.fields.functionals import (
    FUNCTIONAL_ROWS,
    density_at,
    functional_arrays,
    functional_at,
    lane_sum,
    padded,
)
from supple.fields.interpreter import (
    clear_hessian,
    finish_hessian,
    has_slope,
    pull_places,
    run_places,
    slope_row,
    start_run,
    value_row,
)
from supple.fields.layout import FUNCTIONAL_LANES
from supple.fields.rows import add_product_row, clear_row, copy_row
from supple.jit import GradientKernel, LoadKernel, inlined, inner, local_array
from supple.robot.bodies.densities import displaced_density

if TYPE_CHECKING:
    from supple.compilation.binder import Binder, Bound
    from supple.robot.bodies.soft import SoftBody

#: Rows of the handle of data: a functional of four outputs, J and J f; density and height of the surface; then what
#: every load has, the addresses of what it calls.
WATER = FUNCTIONAL_ROWS
ROWS = WATER + 2

#: Lines of one body, two for each of three directions.
TIES = 6

_vector, _matrix = local_array(3), local_array(3, 3)

#: An immersed body: its functional, ``sums`` (4 (1 + n), lanes) of V and B and their slopes, coordinate by coordinate,
#: the segment of its base, density and height of the surface.
Immersed = namedtuple("Immersed", ("f", "sums", "segment", "density", "height"))


@inlined
def immersed_at(robot, space, data):
    """The body that the data at an address are of."""
    h = handle_at(data, ROWS)
    f, water, block = functional_at(robot, space, data, ROWS, 0), floats(h, WATER), robot.blocks[integers(h, 0)[0, 0]]
    sums = matrix_at(np.int64(f.sums.ctypes.data), (4 * (1 + f.run.n), FUNCTIONAL_LANES))
    return Immersed(f, sums, block.first, water[0, 0], water[0, 1])


@inner
def sum_volumes(f, sums, c, b, hessian):
    """V, B and their slopes; with ``hessian`` that of c V + b . B."""
    run, n, order = f.run, f.run.n, 0
    for i in range(sums.shape[0]):
        clear_row(sums[i])
    for j in range(n):
        f.zero[j] = 0.0
    if hessian:
        clear_hessian(run)
    start_run(run, f.q, f.v, f.zero, order, order)
    for first in range(0, f.weights.shape[1], FUNCTIONAL_LANES):
        weight = f.weights[0, first : first + FUNCTIONAL_LANES]
        run_places(run, first, order, order)
        for m in range(4):
            add_product_row(weight, run.registers[value_row(run, m, 0)], sums[m])
            for j in range(n):
                if has_slope(run, m, j):
                    add_product_row(weight, run.registers[slope_row(run, m, j, 0)], sums[4 * (1 + j) + m])
        if hessian:
            for m in range(4):
                copy_row(weight, run.weights[m])
                scale = c if m == 0 else b[m - 1]
                for k in range(FUNCTIONAL_LANES):
                    run.weights[m, k] *= scale
            pull_places(run, first)
    if hessian:
        finish_hessian(run)


@inner
def turned_sum(R, sums, first, out):
    """out (3,) = R B, or a slope of it, of the sums from row ``first`` on; returns V, or its slope."""
    x, y, z = lane_sum(sums[first + 1]), lane_sum(sums[first + 2]), lane_sum(sums[first + 3])
    for i in range(3):
        out[i] = R[i, 0] * x + R[i, 1] * y + R[i, 2] * z
    return lane_sum(sums[first])


@inner
def add_cross(scale, a, b, out):
    """out (3,) += scale a x b."""
    out[0] += scale * (a[1] * b[2] - a[2] * b[1])
    out[1] += scale * (a[2] * b[0] - a[0] * b[2])
    out[2] += scale * (a[0] * b[1] - a[1] * b[0])


@inner
def level_axes(g, size, out):
    """Rows of out (3, 3): a = (x_k - (e . x_k) e) / |x_k - (e . x_k) e|, b = e x a, and e = g / |g|.

    x_k is the axis that is most across g.
    """
    k = 0
    for i in range(1, 3):
        if abs(g[i]) < abs(g[k]):
            k = i
    e, a, b = out[2], out[0], out[1]
    for i in range(3):
        e[i], a[i], b[i] = g[i] / size, 0.0, 0.0
    length = math.sqrt(1.0 - e[k] * e[k])
    for i in range(3):
        a[i] = ((1.0 if i == k else 0.0) - e[k] * e[i]) / length
    add_cross(1.0, e, a, b)


@inlined
def slope_along(body, w, g, axes, direction, j, scratch, moment):
    """t_j . d, t_j = rho [(V_j x0 + R B_j) x g; V_j g].

    d is a turn about one of the first two axes, or a shift along the third.
    """
    v = turned_sum(w.R, body.sums, 4 * (1 + j), scratch)
    if direction == 2:
        return body.density * v * (g[0] * axes[2, 0] + g[1] * axes[2, 1] + g[2] * axes[2, 2])
    for i in range(3):
        scratch[i] += v * w.p[i]
        moment[i] = 0.0
    add_cross(body.density, scratch, g, moment)
    return moment[0] * axes[direction, 0] + moment[1] * axes[direction, 1] + moment[2] * axes[direction, 2]


@inlined
def add_ties(space, body, w, g, size):
    """How wrench and coordinates feel each other: a b^T + b a^T for each of three directions of the base."""
    axes, scratch, moment, n = _matrix(), _vector(), _vector(), body.f.run.n
    level_axes(g, size, axes)
    for direction in range(3):
        norm = 0.0
        for j in range(n):
            norm += abs(slope_along(body, w, g, axes, direction, j, scratch, moment))
        if norm == 0.0:
            continue
        root = math.sqrt(norm)  # both halves of the pair are of one size
        for sign in range(2):
            line = add_line(space, 0.0, 0.0, 0.0, 0.5 if sign == 0 else -0.5, 0.0)
            for first in range(0, n, 6):
                part = add_coordinates_part(space, line, body.f.start + first)
                for k in range(min(6, n - first)):
                    part.f[k] = slope_along(body, w, g, axes, direction, first + k, scratch, moment) / root
            part = add_part(space, line, body.segment, -1)
            for i in range(3):
                x = root * axes[direction, i] if sign == 0 else -root * axes[direction, i]
                part.f[3 + i if direction == 2 else i] = x


@inlined
def gravity_of(space, g):
    """g (3,) = minus the acceleration of the world, and |g|."""
    for i in range(3):
        g[i] = -space.work[0].A[3 + i]
    return math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])


@inlined
def level_of(space, w, g, size, height):
    """c: |g| h + g . x0."""
    c = size * height
    for i in range(3):
        c += g[i] * (w.p[i] - space.work[0].p[i])
    return c


def _buoyancy(tree, space, data, mode):
    """Wrench on the base of one body and forces on its coordinates."""
    if mode < 0 or mode == MEASURE:
        return
    scratch, g, b, m, f = space_view(space), _vector(), _vector(), _vector(), _vector()
    size = gravity_of(scratch, g)
    if size == 0.0:
        return
    body = immersed_at(tree_view(tree), scratch, data)
    w, sums, rho, n = scratch.work[body.segment], body.sums, body.density, body.f.run.n
    R, c = w.R, level_of(scratch, w, g, size, body.height)
    for i in range(3):
        b[i] = R[0, i] * g[0] + R[1, i] * g[1] + R[2, i] * g[2]
    sum_volumes(body.f, sums, c, b, mode == TANGENT)
    V = turned_sum(R, sums, 0, m)
    if mode == ENERGY:
        scratch.energy[0] += rho * (c * V + m[0] * g[0] + m[1] * g[1] + m[2] * g[2])
        return
    for i in range(3):
        m[i] += V * w.p[i]
        f[i] = 0.0
        w.F[3 + i] += rho * V * g[i]
    add_cross(rho, m, g, f)
    for i in range(3):
        w.F[i] += f[i]
    for j in range(n):
        v = turned_sum(R, sums, 4 * (1 + j), f)
        scratch.joint_force[body.f.start + j] -= rho * (c * v + f[0] * g[0] + f[1] * g[1] + f[2] * g[2])
    if mode != TANGENT:
        return
    for i in range(n):
        for j in range(n):
            slope = rho * lane_sum(body.f.run.H[min(i, j) * n + max(i, j)])
            scratch.joint_slope[body.f.start + i, j] -= slope
    add_turned_weight(rho, V, m, g, w.G)
    add_ties(scratch, body, w, g, size)


@inner
def add_turned_weight(rho, V, m, g, G):
    """G[:, 0:3] += rho [m~; V] g~: as seen from the base, gravity turns, and the body stays."""
    for j in range(3):
        k, l = (j + 1) % 3, (j + 2) % 3
        # column j of g~ is g x e_j
        G[3 + k, j] += rho * V * g[l]
        G[3 + l, j] -= rho * V * g[k]
        for i in range(3):  # m x (g x e_j) = g m_j - e_j (m . g)
            G[i, j] += rho * g[i] * m[j]
        G[j, j] -= rho * (m[0] * g[0] + m[1] * g[1] + m[2] * g[2])


BUOYANCY = LoadKernel(_buoyancy)


@inlined
def virtual_volumes(body, R, y, m, by):
    """m (3,) = R B and by (3,) = its rate R B_y along a virtual motion y; returns V and V_y."""
    x, rate = _vector(), 0.0
    for i in range(3):
        by[i] = 0.0
    for j in range(body.f.run.n):
        rate += y[j] * turned_sum(R, body.sums, 4 * (1 + j), x)
        for i in range(3):
            by[i] += y[j] * x[i]
    return turned_sum(R, body.sums, 0, m), rate


def _buoyancy_gradient(tree, space, data, own, everything):
    """Of rho (c V_y + g . R B_y + z_w . (m x g) + V z_v . g), y and z the virtual motion of coordinates and base.

    By gravity, density, height of the surface, and all numbers of V and B.
    """
    robot, scratch, g, m, by, turn = tree_view(tree), space_view(space), _vector(), _vector(), _vector(), _vector()
    out, water = gradient_view(everything).gravity, floats(handle_at(own, ROWS), WATER)
    size, body, worth, arm = gravity_of(scratch, g), immersed_at(robot, scratch, data), worths(), _vector()
    w, rho = scratch.work[body.segment], body.density
    y = vector_at(scratch.gradient[ALONG_Y] + 8 * body.f.start, (body.f.run.n,))
    sum_volumes(body.f, body.sums, 0.0, m, False)
    V, rate = virtual_volumes(body, w.R, y, m, by)
    c, power = level_of(scratch, w, g, size, body.height), 0.0
    for i in range(3):
        m[i] += V * w.p[i]
        turn[i], arm[i] = 0.0, 0.0
    add_cross(1.0, w.dS, m, turn)
    add_cross(1.0, g, w.dS, arm)
    for i in range(3):
        level = w.p[i] - scratch.work[0].p[i] + (body.height * g[i] / size if size > 0.0 else 0.0)
        out[i] += rho * (turn[i] + V * w.dS[3 + i] + rate * level + by[i])
        power += g[i] * (turn[i] + V * w.dS[3 + i] + by[i])
    water[0, 0] += power + c * rate
    water[0, 1] += rho * size * rate
    worth[0, VALUE], worth[0, ALONG] = 0.0, rho * c
    for i in range(3):
        worth[0, VALUE] += rho * (arm[i] * w.p[i] + g[i] * w.dS[3 + i])
        worth[1 + i, VALUE], worth[1 + i, ALONG] = 0.0, 0.0
        for k in range(3):
            worth[1 + i, VALUE] += rho * w.R[k, i] * arm[k]
            worth[1 + i, ALONG] += rho * w.R[k, i] * g[k]
    for i in range(4):
        worth[i, ALONG_V] = 0.0
    pull_sums(adjoint_at(robot, scratch, data, own, ROWS, 0), worth)


BUOYANCY_GRADIENT = GradientKernel(_buoyancy_gradient)


def bind_buoyancy(binder: Binder, link: str, soft: SoftBody, density: float, height: float) -> Bound:
    """The buoyancy of one soft body in a fluid of a density, whose surface is at a height above the world's origin."""
    from supple.compilation.binder import Bound

    if soft.domain.mass is not None and soft.density is None and soft.material is None:
        raise ModelError(
            "buoyancy needs volumes, but the weights of its Points are masses: give the body a density, leave the "
            "link out of Fluid(links=...), or set buoyancy=False"
        )
    layout = binder.layout(link)
    n, block = layout.table.n, layout.blocks[-1]
    x, weights = padded(*soft.quadrature)
    displaced = density_at(displaced_density(soft), x, n)
    binder.coordinates = True
    binder.reserve(block, displaced.scratch + FUNCTIONAL_LANES * 4 * (1 + n))
    binder.ties += TIES
    binder.parts += TIES * (1 - (-n // 6))
    water = np.array([[density, height]])
    data = (*functional_arrays(block, len(layout.between) + 1, weights, displaced), water)
    return Bound(link, BUOYANCY, data, EXTERNAL + STORES, gradient=BUOYANCY_GRADIENT)
