"""Where along its axis a sphere that slides comes closest to a surface.

Few contacts have such spheres (capsules, flat sections), so what is here is a kernel of its own, which a contact calls
by address: others do without, and do not compile it.
"""

from __future__ import annotations

from numba import types

from supple.core.arrays import vector_at
from supple.jit import AddressedKernel, Work, inner, load_stamp
from supple.loads.contact.distance import PARALLEL, clamp, signed_distance, varying_radius
from supple.loads.contact.pair import pair_at

#: Steps of the search along an axis, at most, and the step, relative to its length, that ends it.
SLIDES, SETTLED = 60, 1e-15

#: Signature of `_slide`.
SLIDING = types.void(*[types.int64] * 4)


@inner
def closest_on_axis(length, lo, hi, pair):
    """t in [0, length] at which p_a + t w_a is closest to p_b + s w_b, s in [lo, hi]: t = (b r_b - r_a) / (1 - b^2).

    b = w_a . w_b, r = (p_a - p_b) . w, each in its bounds.  Parallel axes: the middle of where they run side by side.
    """
    Ra, pa, Rb, pb = pair.Rp, pair.pp, pair.Rs, pair.ps
    b, ra, rb = 0.0, 0.0, 0.0
    for i in range(3):
        b += Ra[i, 0] * Rb[i, 0]
        ra += Ra[i, 0] * (pa[i] - pb[i])
        rb += Rb[i, 0] * (pa[i] - pb[i])
    if 1.0 - b * b < PARALLEL:
        return 0.5 * (clamp((lo - rb) / b, 0.0, length) + clamp((hi - rb) / b, 0.0, length))
    t = clamp((b * rb - ra) / (1.0 - b * b), 0.0, length)
    foot = clamp(rb + b * t, lo, hi)
    return clamp(b * foot - ra, 0.0, length)


@inner
def closest_varying(kind, size, sphere, pair):
    """Where along its axis w a sphere of varying radius comes closest to a surface; c, n and H are written on the way.

    g(t) = D - r is convex (but for a bore): Newton's method for g' = n . w - r' = 0, kept between a place where g falls
    and one where it rises.  It looks at both ends first; if g does not fall into the axis there, an end is closest.
    """
    Rp, pp, c, n, H = pair.Rp, pair.pp, pair.c, pair.n, pair.H
    lo, hi, place, low = 0.0, sphere[1], 0.0, 0.0
    for i in range(SLIDES):
        for k in range(3):
            c[k] = pp[k] + place * Rp[k, 0]
        value = signed_distance(kind, size, pair)
        radius, slope, curve = varying_radius(sphere, place)
        value, slope = value - radius, -slope
        for k in range(3):
            slope += n[k] * Rp[k, 0]
            for l in range(3):
                curve += Rp[k, 0] * H[k, l] * Rp[l, 0]
        if i == 0:
            low, falls, following = value, slope < 0.0, hi
        elif i == 1:
            if not falls or slope <= 0.0:
                return lo if not falls and (slope > 0.0 or low <= value) else hi
            following = 0.5 * (lo + hi)
        else:
            if slope > 0.0:
                hi = place
            else:
                lo = place
            following = place - slope / curve if curve > 0.0 else hi
            if not lo < following < hi:
                following = 0.5 * (lo + hi)
            if abs(following - place) <= SETTLED * sphere[1]:
                return following
        place = following
    return place


def _slide(kind, size_at, sphere_at, pair_address):
    """The pair's place t, at which its sphere, in place with its frame, is closest to its surface."""
    size, sphere, pair = vector_at(size_at, (3,)), vector_at(sphere_at, (5,)), pair_at(pair_address)[0]
    if sphere[3] > 0.0:
        pair.place = closest_varying(kind, size, sphere, pair)
    else:
        pair.place = closest_on_axis(sphere[1], size[1], size[2], pair)


slide = AddressedKernel(_slide, SLIDING, load_stamp(_slide), Work.FORMULAS)
