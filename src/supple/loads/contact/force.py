"""The force of one pair that overlaps: k d^p with Hunt-Crossley damping, regularised Coulomb friction, exact tangent.

A sphere (of segment a) meets a surface (of segment b): D is the distance of its centre c from the surface,
n the normal towards the sphere, d = r - D the penetration, and the force acts at the middle of the overlap,
x = c - (r - d/2) n, on both: action and reaction share a line.  With u the velocity of a relative to b at x,

    f = N n - mu N u_t / sqrt(u_t^2 + e^2),      N = k d^p g(1 + c d'),      d' = -n . u,    u_t = u - (n . u) n,

where g(y) = y unless y is so small that the contact would pull; it meets zero smoothly.

**Tangent.**  An observer on b sees W = [x x f; f] depend on the relative motion alone: with zeta_a, zeta_b the
variations of the segments, z = zeta_a - zeta_b and the relative twist U = V_a - V_b, which b sees vary by z' - ad_Va z,

    dW = P z + D (z' - ad_Va z) = G z + D z'        on b,
    dW - adbar*_W z                                 seen from a.

P and D follow from the derivatives of n, x and f by z, all (3, 6): the centre moves by dc = L_c z, L_c = [-c~, I], the
normal by H dc, the penetration by -n . dc.  The centre of a sphere that slides moves along its axis w by dt, which
keeps n . w = r', r(t) the radius along it (constant for capsules, that of inscribed circles for elliptic sections):
dt = -(n . (z_w x w) + w^T H dc) / (w^T H w - r'').
"""

from __future__ import annotations

import math

from supple.core.loads import TANGENT
from supple.jit import inner, leaf, local_array
from supple.loads.contact.distance import PARALLEL

#: Exponent of round bodies: the usual one, and a square root is much quicker than a power.
HERTZ = 1.5

#: Half width, in 1 + c d', of the smooth end of Hunt-Crossley damping: below minus this a contact has let go.
RELEASE = 0.1

_vector, _twist, _matrix, _map = local_array(3), local_array(6), local_array(3, 3), local_array(3, 6)


@inner
def release(y):
    """g = y above e, 0 below -e and (y + e)^2 / (4 e) between, e = `RELEASE`; returns g and dg/dy."""
    if y >= RELEASE:
        return y, 1.0
    if y <= -RELEASE:
        return 0.0, 0.0
    x = y + RELEASE
    return x * x / (4.0 * RELEASE), x / (2.0 * RELEASE)


@inner
def slip(n, u, slip_velocity, s):
    """s = u_t / sqrt(u_t^2 + e^2); returns u_n and that root."""
    un = n[0] * u[0] + n[1] * u[1] + n[2] * u[2]
    tx, ty, tz = u[0] - un * n[0], u[1] - un * n[1], u[2] - un * n[2]
    speed = math.sqrt(tx * tx + ty * ty + tz * tz + slip_velocity * slip_velocity)
    s[0], s[1], s[2] = tx / speed, ty / speed, tz / speed
    return un, speed


@inner
def contact_force(law, weight, pair, Fd, Fn, Fu, mode):
    """The pair's force f, and in mode TANGENT its derivatives by d (3,), n and u (3, 3).

    ``law`` = stiffness, exponent, damping, friction, slip velocity.
    """
    n, u, d, f, s = pair.n, pair.u, pair.depth, pair.f, _vector()
    un, speed = slip(n, u, law[4], s)
    k, mu = weight * law[0], law[3]
    damping, damping_slope = release(1.0 - law[2] * un)
    slope = k * math.sqrt(d) if law[1] == HERTZ else k * d ** (law[1] - 1.0)
    elastic = slope * d
    N = elastic * damping
    Nd = law[1] * slope * damping
    Nu = -elastic * damping_slope * law[2]
    for i in range(3):
        e = n[i] - mu * s[i]
        f[i] = N * e
        if mode == TANGENT:
            Fd[i] = Nd * e
            drag = mu * N / speed
            for j in range(3):
                one = 1.0 if i == j else 0.0
                # d(u_t / speed) = (I - s s^T) / speed d(u_t), d(u_t) = (I - n n^T) du - (n u^T + u_n I) dn
                Fu[i, j] = Nu * e * n[j] - drag * (one - n[i] * n[j] - s[i] * s[j])
                Fn[i, j] = Nu * e * u[j] + N * one + drag * (n[i] * u[j] + un * (one - s[i] * s[j]))


@leaf
def point_matrix(x, L):
    """L (3, 6) = [-x~, I]."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        L[i, i], L[i, j], L[i, k] = 0.0, x[k], -x[j]
        for l in range(3):
            L[i, 3 + l] = 1.0 if i == l else 0.0


@leaf
def add_product(A, X, out):
    """out += A X for A (3, 3) and X (3, 6)."""
    for i in range(3):
        for k in range(3):
            a = A[i, k]
            for j in range(6):
                out[i, j] += a * X[k, j]


@leaf
def add_cross(scale, x, Y, out):
    """out += scale x~ Y for Y (3, 6)."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for l in range(6):
            out[i, l] += scale * (x[j] * Y[k, l] - x[k] * Y[j, l])


@inner
def centre_motion(length, pair, Lc, Lr):
    """dc = L_c z = [-c~, I] z + w dt and dr = L_r z = r' dt, (3, 6) and (6,): centre and radius of a sphere by z.

    dt as above, for a sphere that is between 0 and ``length`` of its axis w; else dt = 0.
    """
    axis, n, H, place, bend = pair.axis, pair.n, pair.H, pair.place, pair.bend
    point_matrix(pair.c, Lc)
    for l in range(6):
        Lr[l] = 0.0
    if not 0.0 < place < length:
        return
    turn = 0.0
    for i in range(3):
        for j in range(3):
            bend += axis[i] * H[i, j] * axis[j]
            turn += H[i, j] * H[i, j]
    if bend <= PARALLEL * math.sqrt(turn):
        return
    for l in range(6):
        slide = 0.0
        for i in range(3):
            for j in range(3):
                slide += axis[i] * H[i, j] * Lc[j, l]
        if l < 3:  # n . (z_w x w) = z_w . (w x n)
            j, k = (l + 1) % 3, (l + 2) % 3
            slide += axis[j] * n[k] - axis[k] * n[j]
        slide /= bend
        Lr[l] = -pair.slope * slide
        # all entries of column l have been read before any is written
        for i in range(3):
            Lc[i, l] -= axis[i] * slide


@inner
def overlap_motion(pair, Lc, Lr, Fd, Ln, Lx, K):
    """Ln, Lx and K (3, 6): how n and x follow z, and f by way of the penetration, which grows by Lr - n . Lc."""
    n, offset = pair.n, 0.5 * pair.depth - pair.radius
    for j in range(6):
        for i in range(3):
            Ln[i, j] = 0.0
    add_product(pair.H, Lc, Ln)
    for j in range(6):
        normal = n[0] * Lc[0, j] + n[1] * Lc[1, j] + n[2] * Lc[2, j] - Lr[j]
        for i in range(3):
            Lx[i, j] = Lc[i, j] + offset * Ln[i, j] - n[i] * (0.5 * normal + Lr[j])
            K[i, j] = -Fd[i] * normal


@inner
def slip_motion(V, turn, x, Lx, slip):
    """slip (3, 6): du = L_x z' + slip z, L_x = [-x~, I]; V is the twist of a.

    du = L_x (z' - ad_V z) + U_w x dx, with L_x ad_V = [(V_v)~ - x~ (V_w)~, (V_w)~] and x~ w~ = w x^T - (x . w) I.
    """
    xV = x[0] * V[0] + x[1] * V[1] + x[2] * V[2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for l in range(3):
            slip[i, l], slip[i, 3 + l] = V[i] * x[l], 0.0
        slip[i, i] -= xV
        slip[i, j] += V[3 + k]
        slip[i, k] -= V[3 + j]
        slip[i, 3 + j] += V[k]
        slip[i, 3 + k] -= V[j]
    add_cross(1.0, turn, Lx, slip)


@inner
def contact_tangent(V, length, pair, Fd, Fn, Fu):
    """The pair's G and D (6, 6) of dW = G z + D z', for W = [x x f; f] as seen from b; V is the twist of a."""
    Lc, Lr, Ln, Lx, K, Kd, work = _map(), _twist(), _map(), _map(), _map(), _map(), _map()
    x, G, D = pair.x, pair.G, pair.D
    centre_motion(length, pair, Lc, Lr)
    overlap_motion(pair, Lc, Lr, Fd, Ln, Lx, K)
    add_product(Fn, Ln, K)
    slip_motion(V, pair.turn, x, Lx, work)
    add_product(Fu, work, K)
    point_matrix(x, work)
    for i in range(3):
        for l in range(6):
            Kd[i, l], G[i, l], D[i, l] = 0.0, 0.0, 0.0
    add_product(Fu, work, Kd)
    for i in range(3):
        for l in range(6):
            G[3 + i, l], D[3 + i, l] = K[i, l], Kd[i, l]
    add_cross(-1.0, pair.f, Lx, G)
    add_cross(1.0, x, K, G)
    add_cross(1.0, x, Kd, D)


@inner
def press(wa, wb, sphere, law, pair, mode):
    """x = c - (r - d/2) n, u = v_a - v_b + (w_a - w_b) x x, f(d, n, u) as above and W = -[x x f; f] of a pair.

    It overlaps, and its sphere and surface are in place.  In mode TANGENT also G and D.
    """
    Fd, Fn, Fu = _vector(), _matrix(), _matrix()
    c, n, x, u, turn, f, W, offset = pair.c, pair.n, pair.x, pair.u, pair.turn, pair.f, pair.W, 0.5 * pair.depth
    offset -= pair.radius
    for i in range(3):
        x[i] = c[i] + offset * n[i]
        turn[i] = wa.V[i] - wb.V[i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        u[i] = wa.V[3 + i] - wb.V[3 + i] + turn[j] * x[k] - turn[k] * x[j]
    contact_force(law, sphere[2], pair, Fd, Fn, Fu, mode)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        W[i], W[3 + i] = -(x[j] * f[k] - x[k] * f[j]), -f[i]
    if mode == TANGENT:
        contact_tangent(wa.V, sphere[1], pair, Fd, Fn, Fu)
