"""How far a sphere is from a surface, and which way: signed distance, normal, and how the normal turns.

A *contact sphere* is a sphere, or one that slides along an axis (a capsule), perhaps with a radius that varies along it
(a spheroid, the spheres inscribed in an elliptic section).  A *surface* is a frame on a segment and three
numbers, of one of four kinds; its axis or normal is the frame's x:

    PLANE   the half space x < 0
    ROUND   all within ``radius`` of the axis between x = lo and x = hi: balls (lo = hi = 0), capsules, cylinders
            (infinite)
    BORE    all further than ``radius`` from an infinite axis: the inside of a tube
    BOX     half sizes

For a centre c, D(c) is the signed distance to the surface (negative inside), n = grad D the unit normal towards the
sphere, and H = dn/dc its symmetric curvature; c, n, H and the frames are fields of the pair (`loads.contact.pair`).
Everything is in world axes from the common origin.  D and n are continuous across changes of the closest feature
except on medial sets (the axis of a ROUND, the middle planes of a BOX), where a finite choice is made.
"""

from __future__ import annotations

import math

from supple.jit import inner

#: Kinds of surfaces.
PLANE, ROUND, BORE, BOX = 0, 1, 2, 3

#: Closer than this [m] to an axis or an edge there is no direction: one is chosen, and does not turn.
NEAREST = 1e-10

#: Below this squared sine of the angle between two axes they count as parallel.
PARALLEL = 1e-9


@inner
def clamp(x, lo, hi):
    """min(max(x, lo), hi)."""
    return min(max(x, lo), hi)


@inner
def signed_distance(kind, size, pair):
    """D(c) of the pair's centre c from its surface; writes its normal n and H = dn/dc."""
    if kind == PLANE:
        return plane_distance(pair)
    if kind == BOX:
        return box_distance(size, pair)
    if kind == ROUND:
        return axis_distance(size[1], size[2], pair) - size[0]
    distance = axis_distance(-math.inf, math.inf, pair)
    n, H = pair.n, pair.H
    for i in range(3):
        n[i] = -n[i]
        for j in range(3):
            H[i, j] = -H[i, j]
    return size[0] - distance


@inner
def plane_distance(pair):
    """n is fixed, D = n . (c - p)."""
    R, p, c, n, H = pair.Rs, pair.ps, pair.c, pair.n, pair.H
    for i in range(3):
        n[i] = R[i, 0]
        for j in range(3):
            H[i, j] = 0.0
    return R[0, 0] * (c[0] - p[0]) + R[1, 0] * (c[1] - p[1]) + R[2, 0] * (c[2] - p[2])


@inner
def axis_distance(lo, hi, pair):
    """Distance l from the axis between lo and hi: H = (I - n n^T - u u^T) / l, without u u^T beyond the ends."""
    R, p, c, n, H = pair.Rs, pair.ps, pair.c, pair.n, pair.H
    along = R[0, 0] * (c[0] - p[0]) + R[1, 0] * (c[1] - p[1]) + R[2, 0] * (c[2] - p[2])
    foot = clamp(along, lo, hi)
    for i in range(3):
        n[i] = c[i] - p[i] - foot * R[i, 0]
    l = math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    if l < NEAREST:
        # across the axis: the frame's y
        for i in range(3):
            n[i] = R[i, 1]
            for j in range(3):
                H[i, j] = 0.0
        return l
    for i in range(3):
        n[i] /= l
    slides = 1.0 if lo < along < hi else 0.0
    for i in range(3):
        for j in range(3):
            across = (1.0 if i == j else 0.0) - n[i] * n[j] - slides * R[i, 0] * R[j, 0]
            H[i, j] = across / l
    return l


@inner
def box_distance(size, pair):
    """Outside: distance to the closest point of the box; inside: minus the depth under the nearest face.

    Only axes along which c lies beyond the box (``out``) have a say: H = (sum of e e^T over them - n n^T) / l.
    """
    R, p, c, n, H = pair.Rs, pair.ps, pair.c, pair.n, pair.H
    l, face, depth, out, side = 0.0, 0, math.inf, 0, 1.0
    for i in range(3):
        n[i] = 0.0
        for j in range(3):
            H[i, j] = 0.0
    for k in range(3):
        x = R[0, k] * (c[0] - p[0]) + R[1, k] * (c[1] - p[1]) + R[2, k] * (c[2] - p[2])
        beyond = abs(x) - size[k]
        if -beyond < depth:  # the nearest face inside, the furthest beyond outside
            depth, face, side = -beyond, k, math.copysign(1.0, x)
        if beyond > 0.0:
            out += 1
            l += beyond * beyond
            for i in range(3):
                n[i] += math.copysign(beyond, x) * R[i, k]
                for j in range(3):
                    H[i, j] += R[i, k] * R[j, k]
    l = math.sqrt(l)
    if out < 2 or l < NEAREST:  # a face
        for i in range(3):
            n[i] = side * R[i, face]
            for j in range(3):
                H[i, j] = 0.0
        return -depth
    for i in range(3):
        n[i] /= l
    for i in range(3):
        for j in range(3):
            H[i, j] = (H[i, j] - n[i] * n[j]) / l
    return l


@inner
def varying_radius(sphere, place):
    """Radius of a contact sphere at ``place`` along its axis, its slope, and minus its second derivative.

    ``sphere`` = radius r_0, length, weight, f^2, middle m: r = r_0 sqrt(1 - (t - m)^2 / f^2) are the circles inscribed
    in an ellipse whose foci are f from its centre at t = m; f^2 = 0 is a constant radius.
    """
    if sphere[3] == 0.0:
        return sphere[0], 0.0, 0.0
    x = place - sphere[4]
    y = math.sqrt(1.0 - x * x / sphere[3])
    return sphere[0] * y, -sphere[0] * x / (sphere[3] * y), sphere[0] / (sphere[3] * y * y * y)


@inner
def out_of_reach(kind, size, pair, c, reach):
    """Whether D(c) > ``reach`` for the pair's surface, by a test that is cheap and never wrong."""
    R, p = pair.Rs, pair.ps
    x, y, z = c[0] - p[0], c[1] - p[1], c[2] - p[2]
    along = R[0, 0] * x + R[1, 0] * y + R[2, 0] * z
    if kind == PLANE:
        return along > reach
    if kind == BOX:
        far = reach + math.sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2])
        return x * x + y * y + z * z > far * far
    if kind == ROUND:
        foot, far = clamp(along, size[1], size[2]), reach + size[0]
        return x * x + y * y + z * z - along * along + (along - foot) * (along - foot) > far * far
    far = size[0] - reach
    return far > 0.0 and x * x + y * y + z * z - along * along < far * far
