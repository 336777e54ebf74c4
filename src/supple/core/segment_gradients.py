"""Cotangents of one segment, pulled back to its numbers: Magnus steps, screws, placements, inertias.

A variation of its numbers changes the step Omega of a segment with its time derivatives, and w, for which S y = T w.
What lies outward then moves by zeta = T dOmega, zeta' = T' dOmega + T dOmega', ...  (T = Ad_g T(Omega), world axes), so
that with a0, a1, a2 the cotangents of zeta, zeta', zeta'' of all that lies outward, F the wrench there and z = J y,

    Omega_bar   = T^T (a0 - ad*_z F) + T'^T a1 + T''^T a2 + (d(T^T F)/dOmega)^T w,
    Omega'_bar  = T^T a1 + 2 T'^T a2,       Omega''_bar = T^T a2,       w_bar = T^T F.

A scratch record holds them as ``dS = z, dZ = a0, dV = a1, dA = a2, dF = w``.
"""

from __future__ import annotations

from supple.core.blocks.curved import step_derivative
from supple.jit import inner, local_array
from supple.lie.dual import apply_transposed
from supple.lie.se3 import Ad_inverse, Ad_transposed, add_ad, add_coad, add_scaled, dot6, product6_transposed

_twist, _matrix = local_array(6), local_array(6, 6)

_strains, _cotangents, _jets = local_array(2, 6), local_array(4, 6), local_array(4, 2, 6)

#: Rows of a segment's cotangents and of what they belong to: a quantity with its two time derivatives, and along y.
VALUE, RATE, ACCELERATION, ALONG = 0, 1, 2, 3


@inner
def step_cotangents(w, out):
    """Omega_bar, Omega'_bar, Omega''_bar, w_bar in out (4, 6), from a0, a1, a2, F, z, w of a segment's end.

        Omega_bar = T^T (a0 - ad*_z F) + T'^T a1 + T''^T a2 + (d(T^T F)/dOmega)^T w, and so on, as above.
    """
    x, H = _twist(), _matrix()
    for k in range(6):
        x[k] = 0.0
    add_coad(w.dS, w.F, x)
    for k in range(6):
        x[k] = w.dZ[k] - x[k]
    apply_transposed(w.T[0], x, out[VALUE])
    apply_transposed(w.T[1], w.dV, x)
    add_scaled(1.0, x, out[VALUE])
    apply_transposed(w.T[2], w.dA, x)
    add_scaled(1.0, x, out[VALUE])
    step_derivative(w, H)
    product6_transposed(H, w.dF, x)
    add_scaled(1.0, x, out[VALUE])
    apply_transposed(w.T[0], w.dV, out[RATE])
    apply_transposed(w.T[1], w.dA, x)
    add_scaled(2.0, x, out[RATE])
    apply_transposed(w.T[0], w.dA, out[ACCELERATION])
    apply_transposed(w.T[0], w.F, out[ALONG])


@inner
def add_frame_cotangent(R, rho, out):
    """A cotangent rho (6,) of a pose's twist (g^-1 dg)^vee, as cotangents of the entries of R and p.

    With dR = R w~ and dp = R v: R_bar = R m~ / 2 and p_bar = R f for rho = [m; f].
    """
    for i in range(3):
        a, b, c = 0.5 * R[i, 0], 0.5 * R[i, 1], 0.5 * R[i, 2]
        out.R[i, 0] += b * rho[2] - c * rho[1]
        out.R[i, 1] += c * rho[0] - a * rho[2]
        out.R[i, 2] += a * rho[1] - b * rho[0]
        out.p[i] += R[i, 0] * rho[3] + R[i, 1] * rho[4] + R[i, 2] * rho[5]


@inner
def add_placement(start, w, placement, out):
    """The cotangent of the placement of a block's base, to which the segment w hangs; ``start`` is what it hangs on.

    A placement turned by exp(rho) moves all outward by pi = Ad_g rho, pi' = ad_V pi, pi'' = (ad_V ad_V + ad_A) pi, as a
    joint would; ad^T = -ad*.
    """
    x, y, rho = _twist(), _twist(), _twist()
    for k in range(6):
        x[k], y[k] = 0.0, 0.0
    add_coad(start.dS, w.F, x)
    add_coad(start.V, w.dV, x)
    add_coad(start.A, w.dA, x)
    add_coad(start.V, w.dA, y)
    for k in range(6):
        x[k] = w.dZ[k] - x[k]
    add_coad(start.V, y, x)
    Ad_transposed(w.R0, w.p0, x, rho)
    add_frame_cotangent(placement.R, rho, out)


@inner
def add_inertia(w, out):
    """The cotangent z A^T - (ad_V z) V^T of a point's inertia, in its frame, of which the symmetric part counts."""
    z, A, V, turned = _twist(), _twist(), _twist(), _twist()
    Ad_inverse(w.R, w.p, w.dS, z)
    Ad_inverse(w.R, w.p, w.A, A)
    Ad_inverse(w.R, w.p, w.V, V)
    for k in range(6):
        turned[k] = 0.0
    add_ad(V, z, turned)
    for i in range(6):
        for j in range(6):
            out[i, j] += 0.5 * (z[i] * A[j] + z[j] * A[i] - turned[i] * V[j] - turned[j] * V[i])


@inner
def add_bracket(r, x, y, x_bar, y_bar):
    """x_bar += ad*_y r, y_bar -= ad*_x r: cotangents of x and y in r . ad_x y."""
    f = _twist()
    for k in range(6):
        f[k] = 0.0
    add_coad(x, r, f)
    add_coad(y, r, x_bar)
    add_scaled(-1.0, f, y_bar)


@inner
def bracket_power(r, x, y):
    """r . ad_x y."""
    f = _twist()
    for k in range(6):
        f[k] = 0.0
    add_ad(x, y, f)
    return dot6(r, f)


@inner
def magnus_cotangents(segment, xi, bar, out, into):
    """Cotangents of a Magnus step: bar (4, 6) of Omega, Omega', Omega'', w become out (4, 2, 6) of the strains xi.

    xi (4, 2, 6) are the strains at both collocation points, their two rates, and Phi y; Omega = h (xi_1 + xi_2) +
    c [xi_1, xi_2] and w its derivative along Phi y.  ``into`` (a segment_t) receives those of h, c and the rest strain.
    """
    r, half, bracket = _twist(), 0.0, 0.0
    for n in range(4):
        for k in range(6):
            out[n, 0, k] = segment.half * bar[n, k]
            out[n, 1, k] = out[n, 0, k]
            half += bar[n, k] * (xi[n, 0, k] + xi[n, 1, k])
    for n in range(4):
        for k in range(6):
            r[k] = segment.bracket * bar[n, k]
        if n == ALONG:
            i, j = ALONG, VALUE
        elif n == ACCELERATION:
            i, j = ACCELERATION, VALUE
        else:
            i, j = n, VALUE
        # the bracket of x and y, and that of y and x where they differ
        add_bracket(r, xi[i, 0], xi[j, 1], out[i, 0], out[j, 1])
        bracket += bracket_power(bar[n], xi[i, 0], xi[j, 1])
        if n != VALUE:
            add_bracket(r, xi[j, 0], xi[i, 1], out[j, 0], out[i, 1])
            bracket += bracket_power(bar[n], xi[j, 0], xi[i, 1])
        if n == ACCELERATION:
            for k in range(6):
                r[k] *= 2.0
            add_bracket(r, xi[RATE, 0], xi[RATE, 1], out[RATE, 0], out[RATE, 1])
            bracket += 2.0 * bracket_power(bar[n], xi[RATE, 0], xi[RATE, 1])
    into.half += half
    into.bracket += bracket
    for m in range(2):
        for k in range(6):
            into.rest[m, k] += out[VALUE, m, k]


@inner
def strains_along(block, c, component, phi, y, out):
    """out (2, 6) = Phi y at the two collocation points."""
    for m in range(2):
        for k in range(6):
            out[m, k] = 0.0
    for j in range(block.n):
        k, x = component[block.start + j], y[block.start + j]
        out[0, k] += phi[0, c + j] * x
        out[1, k] += phi[1, c + j] * x


@inner
def rod_twist(block, c, component, phi, segment, y, w):
    """w.dF = Z Phi y: the step's Omega along y."""
    eta, out = _strains(), w.dF
    strains_along(block, c, component, phi, y, eta)
    for k in range(6):
        out[k] = 0.0
    add_ad(eta[0], w.xi[0, 1], out)
    add_ad(w.xi[0, 0], eta[1], out)
    for k in range(6):
        out[k] = segment.half * (eta[0, k] + eta[1, k]) + segment.bracket * out[k]


@inner
def clear_cotangents(w):
    """a0 = a1 = a2 = 0."""
    for k in range(6):
        w.dZ[k], w.dV[k], w.dA[k] = 0.0, 0.0, 0.0


@inner
def screw_twist(block, screws, y, w):
    """w.dF = Phi y of a joint."""
    for k in range(6):
        x = 0.0
        for j in range(block.start, block.start + block.n):
            x += screws[k, j] * y[j]
        w.dF[k] = x


@inner
def add_rod_gradient(block, c, component, phi, segment, q, v, a, y, w, segments_out, phi_out):
    """phi_bar_j += xi_bar q_j + xi'_bar v_j + xi''_bar a_j + eta_bar y_j: cotangents of a rod's segment, eta = Phi y.

    On the way, `step_cotangents` and `magnus_cotangents` add those of its step and of its rest strain.
    """
    bar, xi, out = _cotangents(), _jets(), _jets()
    step_cotangents(w, bar)
    for n in range(3):
        for m in range(2):
            for k in range(6):
                xi[n, m, k] = w.xi[n, m, k]
    strains_along(block, c, component, phi, y, xi[ALONG])
    magnus_cotangents(segment, xi, bar, out, segments_out)
    for m in range(2):
        for j in range(block.n):
            k, i = component[block.start + j], block.start + j
            phi_out[m, c + j] += (
                out[VALUE, m, k] * q[i]
                + out[RATE, m, k] * v[i]
                + out[ACCELERATION, m, k] * a[i]
                + out[ALONG, m, k] * y[i]
            )


@inner
def add_screw_gradient(block, q, v, a, y, w, screws_out):
    """Phi_bar_j += Omega_bar q_j + Omega'_bar v_j + Omega''_bar a_j + w_bar y_j of a joint.

    Omega = Phi q, w = Phi y.
    """
    bar = _cotangents()
    step_cotangents(w, bar)
    for j in range(block.start, block.start + block.n):
        for k in range(6):
            screws_out[k, j] += bar[VALUE, k] * q[j] + bar[RATE, k] * v[j]
            screws_out[k, j] += bar[ACCELERATION, k] * a[j] + bar[ALONG, k] * y[j]
