"""Elastic, viscous, limit and friction forces: tau = -K (q - q_rest) - D v - limits - friction ([GVS-AD] 35, 36).

K and D couple only the coordinates of one link, so sums run over each link's own range.
"""

from __future__ import annotations

import math

import numpy as np

from supple.jit import inlined, inner, leaf

#: First column of friction in Tree.limits.
FRICTION = 4

U = np.uint64  # unsigned indices vectorise, see linalg.products


@inlined
def limit_law(q, limit):
    """Force, slope and energy of a soft limit: zero inside, quadratic over ``width``, then linear (C1).

    For penetration d: force k d^2/(2 w) and energy k d^3/(6 w) if d < w, else k (d - w/2) and k (d^2 - w d + w^2/3)/2.
    The force returned is the generalised force on q (it points back inside).
    """
    lower, upper, stiffness, width = limit[0], limit[1], limit[2], limit[3]
    if q < lower:
        d, sign = lower - q, 1.0
    elif q > upper:
        d, sign = q - upper, -1.0
    else:
        return 0.0, 0.0, 0.0
    if d < width:
        return sign * stiffness * d * d / (2.0 * width), -stiffness * d / width, stiffness * d * d * d / (6.0 * width)
    return (
        sign * stiffness * (d - 0.5 * width),
        -stiffness,
        0.5 * stiffness * (d * d - width * d + width * width / 3.0),
    )


@inlined
def friction_law(v, row):
    """Force and slope of a coordinate's friction (`stribeck_law`); most coordinates have none."""
    coulomb, static = row[FRICTION], row[FRICTION + 1]
    if coulomb == 0.0 and static == 0.0:
        return 0.0, 0.0
    return stribeck_law(v, coulomb, static, row[FRICTION + 2], row[FRICTION + 3])


@inner
def stribeck_law(v, coulomb, static, stribeck, slip):
    """Force and slope of friction, Coulomb's and Stribeck's, regularised.

    F = -(c + (s - c) exp(-(v/w)^2)) v / sqrt(v^2 + e^2), with c, s, w, e from column `FRICTION` of a row of Tree.limits
    on: Coulomb and static friction, Stribeck velocity, slip velocity.
    """
    bump = (static - coulomb) * math.exp(-((v / stribeck) ** 2))
    r = math.sqrt(v * v + slip * slip)
    slope = -(coulomb + bump) * slip * slip / (r * r * r) + 2.0 * v / stribeck**2 * bump * v / r
    return -(coulomb + bump) * v / r, slope


@inlined
def add_internal_force(scale, tree, q, v, out):
    """out += scale * tau(q, v), column after column of K and D: along memory, so that it vectorises."""
    for l in range(tree.links.shape[0]):
        lo, hi = tree.links[l, 0], tree.links[l, 1]
        for i in range(lo, hi):
            add_elastic_column(tree.elastic, i, lo, hi, -scale * (q[i] - tree.rest[i]), -scale * v[i], out)
            force, _, _ = limit_law(q[i], tree.limits[i])
            friction, _ = friction_law(v[i], tree.limits[i])
            out[i] += scale * (force + friction)


@leaf
def add_elastic_column(elastic, i, lo, hi, x, xd, out):
    """out[lo:hi] += K_i x + D_i x', columns i of the matrices of the link that has the coordinates lo to hi."""
    i, lo, width = U(i), U(lo), U(elastic.shape[1] // 2)
    for j in range(U(hi) - lo):
        out[lo + j] += elastic[i, j] * x + elastic[i, width + j] * xd


@inlined
def add_internal_tangent(scale, cv, tree, q, v, out):
    """out += scale * (dtau/dq + c_v dtau/dv)."""
    for l in range(tree.links.shape[0]):
        lo, hi = tree.links[l, 0], tree.links[l, 1]
        for i in range(lo, hi):
            for j in range(U(lo), U(hi)):
                out[i, j] -= scale * (tree.stiffness[i, j] + cv * tree.damping[i, j])
            _, slope, _ = limit_law(q[i], tree.limits[i])
            _, drag = friction_law(v[i], tree.limits[i])
            out[i, i] += scale * (slope + cv * drag)


@inlined
def add_damping(scale, tree, v, out):
    """out += scale * (D - dtau_f/dv) = -scale * dtau/dv, tau_f being the friction of joints."""
    for l in range(tree.links.shape[0]):
        lo, hi = tree.links[l, 0], tree.links[l, 1]
        for i in range(lo, hi):
            for j in range(U(lo), U(hi)):
                out[i, j] += scale * tree.damping[i, j]
            _, drag = friction_law(v[i], tree.limits[i])
            out[i, i] -= scale * drag


@inlined
def add_internal_product(scale, cv, tree, q, v, x, out):
    """out += scale * (dtau/dq + c_v dtau/dv) x; the matrix is symmetric."""
    for l in range(tree.links.shape[0]):
        lo, hi = tree.links[l, 0], tree.links[l, 1]
        for i in range(lo, hi):
            _, slope, _ = limit_law(q[i], tree.limits[i])
            _, drag = friction_law(v[i], tree.limits[i])
            y = (slope + cv * drag) * x[i]
            for j in range(lo, hi):
                y -= (tree.stiffness[i, j] + cv * tree.damping[i, j]) * x[j]
            out[i] += scale * y


@inlined
def add_damping_product(tree, v, x, out):
    """out += (D - dtau_f/dv) x, see `add_damping`; the matrix is symmetric."""
    for l in range(tree.links.shape[0]):
        lo, hi = tree.links[l, 0], tree.links[l, 1]
        for i in range(lo, hi):
            _, drag = friction_law(v[i], tree.limits[i])
            y = -drag * x[i]
            for j in range(lo, hi):
                y += tree.damping[i, j] * x[j]
            out[i] += y


@inlined
def elastic_energy(tree, q):
    """(q - q_rest)^T K (q - q_rest) / 2 plus the energy of soft limits."""
    energy = 0.0
    for l in range(tree.links.shape[0]):
        lo, hi = tree.links[l, 0], tree.links[l, 1]
        for i in range(lo, hi):
            for j in range(lo, hi):
                energy += 0.5 * (q[i] - tree.rest[i]) * tree.stiffness[i, j] * (q[j] - tree.rest[j])
            _, _, stop = limit_law(q[i], tree.limits[i])
            energy += stop
    return energy
