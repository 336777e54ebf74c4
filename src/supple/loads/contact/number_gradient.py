"""What a touching pair does to gradients by the contact's own numbers: its law, spheres, surfaces and their frames.

With z = zeta_a - zeta_b of both segments, a pair does the virtual power

    phi = W . z = -f . eta,      eta = z_v + z_w x x,

to y^T R (`loads.contact.force` has f, n, x, d and u).  Cotangents, here x_bar for d(phi)/dx, go back the way that f
was found: from f to d, n and u; from u and eta to x; from x = c - (r - d/2) n to c, n, d and r; from d = r - D(c) and
n(c) to the surface and to c; from c = p + t w to the sphere.  One that slides has t from n . w = r'(t), which varies by

    dt = -d(n . w - r') / (w^T H w - r''),

so that, with l = t_bar / (w^T H w - r''), n_bar loses l w, w_bar loses l n, and r'_bar gains l.
"""

from __future__ import annotations

import math

import numpy as np

from supple.core.loads import TANGENT
from supple.core.segment_gradients import add_frame_cotangent
from supple.jit import inner, local_array, local_record
from supple.lie.se3 import compose
from supple.loads.contact.distance import BORE, BOX, PARALLEL, ROUND
from supple.loads.contact.force import contact_force, release, slip

#: Columns of the law and of spheres, see `loads.contact.kernel.ContactData`.
STIFFNESS, EXPONENT, DAMPING, FRICTION, SLIP_VELOCITY = 0, 1, 2, 3, 4
RADIUS, LENGTH, WEIGHT, FOCAL, MIDDLE = 0, 1, 2, 3, 4

_vector, _twist, _matrix = local_array(3), local_array(6), local_array(3, 3)

#: Cotangents of what a pair is worked out from, world axes.
cotangents_t = np.dtype(
    [
        ("eta", "f8", (3,)),  # no cotangent: the virtual velocity of a relative to b at x
        ("x", "f8", (3,)),
        ("n", "f8", (3,)),
        ("c", "f8", (3,)),
        ("axis", "f8", (3,)),
        ("surface", "f8", (3,)),  # of the place of the surface
        ("depth", "f8"),
        ("radius", "f8"),
        ("slope", "f8"),  # of r'
    ],
    align=True,
)

local_cotangents = local_record(cotangents_t)


@inner
def dot3(x, y):
    """x . y."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@inner
def add_law_gradient(law, weight, pair, eta, law_out, sphere_out):
    """Cotangents of the law and of the weight w in phi = -N (n - mu s) . eta, N = w k d^p g(1 - c u_n)."""
    d, damping, mu, s = pair.depth, law[DAMPING], law[FRICTION], _vector()
    un, speed = slip(pair.n, pair.u, law[SLIP_VELOCITY], s)
    factor, factor_slope = release(1.0 - damping * un)
    power, rubbing = d ** law[EXPONENT], dot3(s, eta)
    pressing, elastic = dot3(pair.n, eta) - mu * rubbing, weight * law[STIFFNESS] * power
    law_out[STIFFNESS] -= weight * power * factor * pressing
    law_out[EXPONENT] -= elastic * factor * math.log(d) * pressing
    law_out[DAMPING] += elastic * factor_slope * un * pressing
    law_out[FRICTION] += elastic * factor * rubbing
    law_out[SLIP_VELOCITY] -= elastic * factor * mu * law[SLIP_VELOCITY] / (speed * speed) * rubbing
    sphere_out[WEIGHT] -= law[STIFFNESS] * power * factor * pressing


@inner
def force_cotangents(law, weight, pair, z, back):
    """eta = z_v + z_w x x and x_bar; d_bar, r_bar and n_bar by way of f and x.  Of the axis and of r' none as yet.

    x_bar = f x z_w + u_bar x U_w, u_bar = -F_u^T eta; d_bar = x_bar . n / 2 - F_d . eta, r_bar = d_bar - x_bar . n, and
    n_bar = (d/2 - r) x_bar - F_n^T eta.
    """
    Fd, Fn, Fu, velocity = _vector(), _matrix(), _matrix(), _vector()
    n, x, f, turn, eta, offset = pair.n, pair.x, pair.f, pair.turn, back.eta, 0.5 * pair.depth - pair.radius
    contact_force(law, weight, pair, Fd, Fn, Fu, TANGENT)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        eta[i] = z[3 + i] + z[j] * x[k] - z[k] * x[j]
    for i in range(3):
        velocity[i] = -(Fu[0, i] * eta[0] + Fu[1, i] * eta[1] + Fu[2, i] * eta[2])
        back.n[i] = -(Fn[0, i] * eta[0] + Fn[1, i] * eta[1] + Fn[2, i] * eta[2])
        back.axis[i] = 0.0
    for i in range(3):  # -f . (z_w x dx) + u_bar . (turn x dx)
        j, k = (i + 1) % 3, (i + 2) % 3
        back.x[i] = z[j] * f[k] - z[k] * f[j] + velocity[j] * turn[k] - velocity[k] * turn[j]
    push = dot3(back.x, n)
    back.depth, back.slope = 0.5 * push - dot3(Fd, eta), 0.0
    back.radius = back.depth - push
    for i in range(3):
        back.n[i] += offset * back.x[i]


@inner
def place_cotangents(pair, back):
    """p_bar = d_bar n - H n_bar of the surface, c_bar = x_bar - p_bar: D and n feel the place of one from the other."""
    n, H = pair.n, pair.H
    for i in range(3):
        turned = H[i, 0] * back.n[0] + H[i, 1] * back.n[1] + H[i, 2] * back.n[2]
        back.surface[i] = back.depth * n[i] - turned
        back.c[i] = back.x[i] - back.surface[i]


@inner
def slide_cotangents(kind, size, sphere, pair, back, sphere_out, size_out):
    """Where along its axis a sphere is, t_bar = c_bar . w + r_bar r': what n, w and r' gain, or the axis' length."""
    n, H, w, place, length = pair.n, pair.H, pair.axis, pair.place, sphere[LENGTH]
    along, curve, size_of_H = dot3(back.c, w) + back.radius * pair.slope, pair.bend, 0.0
    for i in range(3):
        for j in range(3):
            curve += w[i] * H[i, j] * w[j]
            size_of_H += H[i, j] * H[i, j]
    if place >= length:
        sphere_out[LENGTH] += along
    elif curve > PARALLEL * math.sqrt(size_of_H):
        back.slope = along / curve
        for i in range(3):
            back.n[i] -= back.slope * w[i]
            back.axis[i] -= back.slope * n[i]
        place_cotangents(pair, back)
    elif kind == ROUND:
        add_overlap_of_axes(size, length, pair, along, sphere_out, size_out)


@inner
def add_overlap_of_axes(size, length, pair, along, sphere_out, size_out):
    """Parallel axes: t = (t_lo + t_hi) / 2 of where they run side by side (`sliding.closest_on_axis`).

    ``along`` is t_bar.  By the ends of both alone: as in tangents, what turns one out of the other's direction does not
    move it.
    """
    b, rb = 0.0, 0.0
    for i in range(3):
        b += pair.Rp[i, 0] * pair.Rs[i, 0]
        rb += pair.Rs[i, 0] * (pair.pp[i] - pair.ps[i])
    for k in range(1, 3):
        end = (size[k] - rb) / b
        if end >= length:
            sphere_out[LENGTH] += 0.5 * along
        elif end > 0.0:
            size_out[k] += 0.5 * along / b


@inner
def add_radius_gradient(sphere, pair, back, out):
    """Cotangents of r = r_0 y and r' = -r_0 x / (F y) at x = t - m, y^2 = 1 - x^2 / F."""
    F = sphere[FOCAL]
    if F == 0.0:
        out[RADIUS] += back.radius
        return
    x = pair.place - sphere[MIDDLE]
    y = math.sqrt(1.0 - x * x / F)
    steep = x / (F * y)
    half = 0.5 * x * steep / F  # dy/dF
    out[RADIUS] += back.radius * y - back.slope * steep
    out[MIDDLE] += back.radius * sphere[RADIUS] * steep + back.slope * pair.bend
    out[FOCAL] += sphere[RADIUS] * (back.radius * half + back.slope * steep / F * (1.0 + half * F / y))


@inner
def add_pose_gradient(R, turning, p_bar, frame, rho, out):
    """Cotangents of a frame on a segment, R in world axes: rho = (R^T theta_bar, R^T p_bar) of turn and move."""
    for i in range(3):
        rho[i] = R[0, i] * turning[0] + R[1, i] * turning[1] + R[2, i] * turning[2]
        rho[3 + i] = R[0, i] * p_bar[0] + R[1, i] * p_bar[1] + R[2, i] * p_bar[2]
    add_frame_cotangent(frame.R, rho, out)


@inner
def add_sphere_frame(w, frame, pair, back, out):
    """Cotangents of the sphere's frame: of p in c = p + t w, and of the direction of w."""
    R, turning, rho, direction = pair.Rp, _vector(), _twist(), _vector()
    compose(w.R, w.p, frame.R, frame.p, R, pair.pp)
    for i in range(3):
        direction[i] = back.axis[i] + pair.place * back.c[i]
    for i in range(3):  # dw = theta x w
        j, k = (i + 1) % 3, (i + 2) % 3
        turning[i] = R[j, 0] * direction[k] - R[k, 0] * direction[j]
    add_pose_gradient(R, turning, back.c, frame, rho, out)


@inner
def add_surface_gradient(kind, size, frame, pair, back, size_out, out):
    """Cotangents of the surface's numbers and frame.

    Turned by theta about p, it turns n by theta x n - H (theta x (c - p)) and lifts D by -n . (theta x (c - p)).
    """
    R, n, turning, rho, arm, p_bar = pair.Rs, pair.n, _vector(), _twist(), _vector(), back.surface
    for i in range(3):
        arm[i] = pair.c[i] - pair.ps[i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        turning[i] = arm[j] * p_bar[k] - arm[k] * p_bar[j] + n[j] * back.n[k] - n[k] * back.n[j]
    add_pose_gradient(R, turning, p_bar, frame, rho, out)
    along = R[0, 0] * arm[0] + R[1, 0] * arm[1] + R[2, 0] * arm[2]
    if kind == BOX:
        for k in range(3):  # faces that have no say in D and n have no p_bar along them
            x = R[0, k] * arm[0] + R[1, k] * arm[1] + R[2, k] * arm[2]
            size_out[k] += rho[3 + k] if x > 0.0 else -rho[3 + k]
    elif kind == BORE:
        size_out[0] -= back.depth
    elif kind == ROUND:
        size_out[0] += back.depth
        if along <= size[1]:
            size_out[1] += rho[3]
        elif along >= size[2]:
            size_out[2] += rho[3]


@inner
def add_number_gradient(contact, own, i, s, a, b, pair):
    """Add the gradient of phi by the contact's numbers to ``own``; the pair is as `loads.contact.force.press` left it.

    ``a`` and ``b`` are the records of the segments of sphere i and of surface s.
    """
    z, back, law, kind = _twist(), local_cotangents(), contact.law[0], contact.surfaces[s, 1]
    sphere, sphere_out = contact.spheres[i], own.spheres[i]
    size, size_out = contact.surface_sizes[s], own.surface_sizes[s]
    for k in range(6):
        z[k] = a.dS[k] - b.dS[k]
    force_cotangents(law, sphere[WEIGHT], pair, z, back)
    place_cotangents(pair, back)
    if pair.place > 0.0:
        slide_cotangents(kind, size, sphere, pair, back, sphere_out, size_out)
    add_law_gradient(law, sphere[WEIGHT], pair, back.eta, own.law[0], sphere_out)
    add_radius_gradient(sphere, pair, back, sphere_out)
    add_sphere_frame(a, contact.sphere_frames[i], pair, back, own.sphere_frames[i])
    add_surface_gradient(kind, size, contact.surface_frames[s], pair, back, size_out, own.surface_frames[s])
