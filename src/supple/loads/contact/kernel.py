"""Contact of many spheres with many surfaces: who may touch (broad phase), who does (narrow phase), and the forces.

Spheres and surfaces come in groups: those at the dormant stations of one point of a rod (`core.dormant`), or a few
others.  A group whose bounding ball overlaps nothing is left alone, its stations asleep.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from numba import types

from supple.core.arrays import space_view, tree_view
from supple.core.dormant import ASLEEP, AWAKE, POSED, call_rouse, dormant_reach, reach_point
from supple.core.dormant_folding import call_couple, call_fold
from supple.core.gradient_arrays import KERNEL, OWN
from supple.core.inertia import add_coadbar
from supple.core.load_data import Columns, Floats, Incidental, Integers, Poses, load_view
from supple.core.loads import GRADIENT, TANGENT, WRENCH
from supple.core.views import address_of
from supple.jit import LoadKernel, calling, inlined, inner, local_array
from supple.lie.se3 import compose
from supple.loads.contact.distance import ROUND, out_of_reach, signed_distance, varying_radius
from supple.loads.contact.force import press
from supple.loads.contact.pair import local_pair
from supple.loads.contact.sliding import SLIDING
from supple.loads.points import point_position


class ContactData(NamedTuple):
    """Arrays of a contact of m spheres with k surfaces."""

    sphere_segments: Integers  #: (m, 1)
    spheres: Annotated[Floats, Columns(radius="m", length="m", weight="", focal_squared="m^2", middle="m")]  #: (m, 5)
    sphere_frames: Poses  #: (m,) on their segments
    surfaces: Integers  #: (k, 2) segment, kind (see `distance`)
    surface_sizes: Annotated[Floats, Columns(radius="m", low="m", high="m")]  #: (k, 3); of a box, its half sizes
    surface_frames: Poses  #: (k,)
    skip: Integers  #: (m, k) which pairs never touch
    law: Annotated[
        Floats, Columns(stiffness="N/m^p", exponent="", damping="s/m", friction="", slip_velocity="m/s")
    ]  #: (1, 5)
    sphere_groups: Integers  #: (g, 4) first, last; first and last dormant segment, 0 if the sweeps visit them
    sphere_bounds: Annotated[
        Floats, Incidental()
    ]  #: (g, 5 + n) of dormant ones, see `core.dormant.dormant_reach`; last, how far shapes reach
    surface_groups: Integers  #: (h, 4) the same of surfaces
    surface_bounds: Annotated[Floats, Incidental()]  #: (h, 5 + n)
    sphere_places: Annotated[Floats, Incidental()]  #: (m, 2) number of the link (-1 the world) and s, for read-outs
    surface_places: Annotated[Floats, Incidental()]  #: (k, 2)


contact_data = load_view(ContactData)

#: Signature of what a pair does in mode GRADIENT (`loads.contact.gradient`): addresses of tree, space, data and own
#: arrays, sphere and surface, address of the pair.
PAIR_GRADIENT = types.void(*[types.int64] * 7)

_call_pair_gradient, _call_slide = calling(PAIR_GRADIENT), calling(SLIDING)

#: Where `loads.contact.sliding.slide` is among the calls, behind those of `core.dormant_folding.dormant_kernels`.
SLIDE = 3

_vector = local_array(3)

# ---------------------------------------------------------------------- broad phase


@inner
def sphere_middle(w, frame, length, x):
    """x = centre of a sphere, the middle of its axis if it slides."""
    point_position(w, frame, x)
    if length > 0.0:
        R, S = w.R, frame.R
        for j in range(3):
            x[j] += 0.5 * length * (R[j, 0] * S[0, 0] + R[j, 1] * S[1, 0] + R[j, 2] * S[2, 0])


@inner
def enclose_spheres(work, contact, first, last, ball):
    """ball[:4] = (b, max of |c_j - b| + r_j + l_j / 2), b the mean of the middles c_j: what holds some spheres."""
    x, where, spheres, frames = _vector(), contact.sphere_segments, contact.spheres, contact.sphere_frames
    for i in range(4):
        ball[i] = 0.0
    for turn in range(2):
        for j in range(first, last):
            length = spheres[j, 1]
            sphere_middle(work[where[j, 0]], frames[j], length, x)
            if turn == 0:
                for i in range(3):
                    ball[i] += x[i] / (last - first)
            else:
                for i in range(3):
                    x[i] -= ball[i]
                away = math.sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])
                ball[3] = max(ball[3], away + spheres[j, 0] + 0.5 * length)


@inlined
def enclose_dormant(tree, space, s, bound, ball):
    """ball[:4]: what holds all shapes at the dormant stations of the point that segment s springs from."""
    b, parent, q = tree.owner[s], tree.parents[s], space.coordinates[0]
    block = tree.blocks[b]
    reach_point(space.work[parent], tree.placement[b], parent == block.parent, ball)
    ball[3] = bound[bound.shape[0] - 1] + dormant_reach(bound, block.n, q[block.start :])


@inlined
def enclose_groups(tree, space, contact, balls):
    """Balls of all groups of spheres, then of surfaces; one of surfaces that are no dormant ones holds everything."""
    groups, others, work = contact.sphere_groups, contact.surface_groups, space.work
    m = groups.shape[0]
    for g in range(m + others.shape[0]):
        ball = balls[g]
        dormant = groups[g, 2] if g < m else others[g - m, 2]
        ball[4] = 0.0  # none of it is posed
        if dormant != 0:
            bound = contact.sphere_bounds[g] if g < m else contact.surface_bounds[g - m]
            enclose_dormant(tree, space, dormant, bound, ball)
        elif g < m:
            enclose_spheres(work, contact, groups[g, 0], groups[g, 1], ball)
        else:
            ball[0], ball[1], ball[2], ball[3] = 0.0, 0.0, 0.0, math.inf


@inner
def apart(a, b):
    """Whether two balls do not overlap: |c_a - c_b| > r_a + r_b."""
    x, y, z, reach = a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] + b[3]
    return x * x + y * y + z * z > reach * reach


# ---------------------------------------------------------------------- narrow phase


@inner
def overlap(calls, kind, size, sphere, w, frame, pair):
    """d = r(t) - D(p + t w): how deep a sphere is in the pair's surface, at the t of its axis w where it is closest.

    Its middle is in the pair; d > 0 is an overlap.  Where no sphere slides there is nothing to call: one that has a
    length only because numbers of the contact are differenced (an ellipse that is just round) stays in its middle.
    """
    pair.place = 0.0
    if sphere[1] > 0.0 and (kind == ROUND or sphere[3] != 0.0) and calls[SLIDE] != 0:
        c, Rp, pp, axis = pair.c, pair.Rp, pair.pp, pair.axis
        compose(w.R, w.p, frame.R, frame.p, Rp, pp)
        _call_slide(calls[SLIDE], (kind, size.ctypes.data, sphere.ctypes.data, pair.Rs.ctypes.data))
        for j in range(3):
            axis[j] = Rp[j, 0]
            c[j] = pp[j] + pair.place * axis[j]
    pair.radius, pair.slope, pair.bend = varying_radius(sphere, pair.place)
    pair.depth = pair.radius - signed_distance(kind, size, pair)
    return pair.depth


@inner
def add_pair_tangent(tree, space, calls, a, b, pair):
    """Tangents of a pair on both segments, and what each feels of the other.

    First b: F_b -= W, so dF_b = G z + D z' = -(G (-z) + D (-z')); then a, which sees G - adbar*_W in place of G.
    """
    G, D, work = pair.G, pair.D, space.work
    for k in range(2):
        x, y = (a, b) if k else (b, a)
        w = work[x]
        if k:
            add_coadbar(pair.W, G)
        if x == 0:
            continue
        coupling = y != 0 and w.awake != AWAKE and work[y].awake != AWAKE
        count = space.count[0]
        for i in range(6):
            for j in range(6):
                w.G[i, j] -= G[i, j]
                w.N[i, j] -= D[i, j]
                if coupling:
                    space.couplings[count].G[i, j], space.couplings[count].N[i, j] = G[i, j], D[i, j]
        if coupling:
            space.couplings[count].a, space.couplings[count].b = x, y
            space.count[0] += 1
        elif y != 0:
            call_couple(calls, tree, space, x, y, G, D)


@inner
def touch(tree, space, contact, i, s, a, b, pair, mode):
    """Sphere i and surface s overlap: stations wake, both segments feel W, and in mode TANGENT its tangents."""
    work, calls, W = space.work, contact.calls, pair.W
    wa, wb = work[a], work[b]
    if wa.awake == POSED:
        call_rouse(calls, tree, space, a, AWAKE, mode)
    if wb.awake == POSED:
        call_rouse(calls, tree, space, b, AWAKE, mode)
    press(wa, wb, contact.spheres[i], contact.law[0], pair, TANGENT if mode == GRADIENT else mode)
    for k in range(6):
        wa.F[k] += W[k]
        wb.F[k] -= W[k]
    if mode == TANGENT:
        add_pair_tangent(tree, space, calls, a, b, pair)
    elif mode == GRADIENT:
        at, addresses = (address_of(tree), address_of(space), address_of(contact)), space.gradient
        _call_pair_gradient(addresses[KERNEL], (*at, addresses[OWN], i, s, pair.Rs.ctypes.data))


@inlined
def pose_dormant(tree, space, calls, w, s, ball, mode):
    """Pose a station of a group that may be near."""
    if w.awake == ASLEEP:
        call_rouse(calls, tree, space, s, POSED, mode)
        ball[4] = 1.0


@inlined
def meet_surface(tree, space, contact, g, s, ball, pair, mode):
    """The spheres of group g against surface s, whose frame is in the pair: those of depth d > 0 touch."""
    group, kind, size, work = contact.sphere_groups[g], contact.surfaces[s, 1], contact.surface_sizes[s], space.work
    where, spheres, frames, skip = contact.sphere_segments, contact.spheres, contact.sphere_frames, contact.skip
    for i in range(group[0], group[1]):
        if skip[i, s]:
            continue
        a, sphere, frame = where[i, 0], spheres[i], frames[i]
        w = work[a]
        if group[2]:
            pose_dormant(tree, space, contact.calls, w, a, ball, mode)
        sphere_middle(w, frame, sphere[1], pair.c)
        if out_of_reach(kind, size, pair, pair.c, sphere[0] + 0.5 * sphere[1]):
            continue
        if overlap(contact.calls, kind, size, sphere, w, frame, pair) > 0.0:
            touch(tree, space, contact, i, s, a, contact.surfaces[s, 0], pair, mode)


@inlined
def meet_groups(tree, space, contact, g, h, ball, other, mode):
    """The spheres of group g against the surfaces of group h; ``ball`` and ``other`` are the balls of both."""
    pair, group, surfaces, work = local_pair(), contact.surface_groups[h], contact.surfaces, space.work
    sizes, frames = contact.surface_sizes, contact.surface_frames
    for s in range(group[0], group[1]):
        b = surfaces[s, 0]
        w, frame = work[b], frames[s]
        if group[2]:
            pose_dormant(tree, space, contact.calls, w, b, other, mode)
        compose(w.R, w.p, frame.R, frame.p, pair.Rs, pair.ps)
        if not out_of_reach(surfaces[s, 1], sizes[s], pair, ball, ball[3]):
            meet_surface(tree, space, contact, g, s, ball, pair, mode)


def _contacts(tree, space, data, mode):
    """All spheres against all surfaces of a contact, see `ContactData`."""
    if mode != WRENCH and mode != TANGENT and mode != GRADIENT:
        return
    at, scratch, contact = tree_view(tree), space_view(space), contact_data(data)
    balls, groups, others = scratch.balls, contact.sphere_groups, contact.surface_groups
    m = groups.shape[0]
    enclose_groups(at, scratch, contact, balls)
    for h in range(others.shape[0]):
        for g in range(m):
            if not apart(balls[m + h], balls[g]):
                meet_groups(at, scratch, contact, g, h, balls[g], balls[m + h], mode)
    for g in range(m + others.shape[0]):
        if balls[g, 4] != 0.0 and mode != GRADIENT:
            group = groups[g] if g < m else others[g - m]
            call_fold(contact.calls, at, scratch, group[2], group[3], mode)


contacts = LoadKernel(_contacts)
