"""Elastic, viscous and limit forces: tau = -K (q - q_rest) - D v - limits ([GVS-AD] 35, 36).

K and D couple only the coordinates of one link, so sums run over each link's own range.
"""

from __future__ import annotations

from supple.jit import inner


@inner
def limit_law(q, lower, upper, stiffness, width):
    """Force, slope and energy of a soft limit: zero inside, quadratic over ``width``, then linear (C1).

    For penetration d: force k d^2/(2 w) and energy k d^3/(6 w) if d < w, else k (d - w/2) and k (d^2 - w d + w^2/3)/2.
    The force returned is the generalised force on q (it points back inside).
    """
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


@inner
def add_internal_force(scale, links, stiffness, damping, rest, limits, q, v, out):
    """out += scale * tau(q, v)."""
    for l in range(links.shape[0]):
        lo, hi = links[l, 0], links[l, 1]
        for i in range(lo, hi):
            x = 0.0
            for j in range(lo, hi):
                x += stiffness[i, j] * (q[j] - rest[j]) + damping[i, j] * v[j]
            force, _, _ = limit_law(q[i], limits[i, 0], limits[i, 1], limits[i, 2], limits[i, 3])
            out[i] += scale * (force - x)


@inner
def add_internal_tangent(scale, cv, links, stiffness, damping, limits, q, out):
    """out += scale * (dtau/dq + c_v dtau/dv)."""
    for l in range(links.shape[0]):
        lo, hi = links[l, 0], links[l, 1]
        for i in range(lo, hi):
            row, k, d = out[i, lo:hi], stiffness[i, lo:hi], damping[i, lo:hi]
            for j in range(hi - lo):
                row[j] -= scale * (k[j] + cv * d[j])
            _, slope, _ = limit_law(q[i], limits[i, 0], limits[i, 1], limits[i, 2], limits[i, 3])
            out[i, i] += scale * slope


@inner
def add_internal_product(scale, cv, links, stiffness, damping, limits, q, x, out):
    """out += scale * (dtau/dq + c_v dtau/dv) x; the matrix is symmetric."""
    for l in range(links.shape[0]):
        lo, hi = links[l, 0], links[l, 1]
        for i in range(lo, hi):
            _, slope, _ = limit_law(q[i], limits[i, 0], limits[i, 1], limits[i, 2], limits[i, 3])
            y = slope * x[i]
            for j in range(lo, hi):
                y -= (stiffness[i, j] + cv * damping[i, j]) * x[j]
            out[i] += scale * y


@inner
def elastic_energy(links, stiffness, rest, limits, q):
    """(q - q_rest)^T K (q - q_rest) / 2 plus the energy of soft limits."""
    energy = 0.0
    for l in range(links.shape[0]):
        lo, hi = links[l, 0], links[l, 1]
        for i in range(lo, hi):
            for j in range(lo, hi):
                energy += 0.5 * (q[i] - rest[i]) * stiffness[i, j] * (q[j] - rest[j])
            _, _, stop = limit_law(q[i], limits[i, 0], limits[i, 1], limits[i, 2], limits[i, 3])
            energy += stop
    return energy
