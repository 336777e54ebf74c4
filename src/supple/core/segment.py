"""One segment: strains, Magnus step, tangent operators ([GVS-AD] appendix C, C1-C15, C21).

This is the local pass.  It knows the three kinds of blocks; the sweeps over the tree know none.
"""

from __future__ import annotations

from supple.jit import inlined, inner
from supple.lie.dual import Ad_times, add_ad_times, add_apply, add_times_ad
from supple.lie.se3 import Ad, add_ad, compose, exp
from supple.lie.tangent import scalar_jets, tangent_operator


@inlined
def joint_jet(block, screws, q, v, a, jet):
    """Omega = Phi q and its two time derivatives for a joint."""
    for i in range(6):
        x, xd, xdd = 0.0, 0.0, 0.0
        for j in range(block.start, block.start + block.n):
            x += screws[i, j] * q[j]
            xd += screws[i, j] * v[j]
            xdd += screws[i, j] * a[j]
        jet[0, i], jet[1, i], jet[2, i] = x, xd, xdd


@inlined
def strain_jet(block, segment, column, phi, component, q, v, a, xi):
    """Strain xi = xi* + Phi q and its two time derivatives at the two collocation points."""
    for k in range(6):
        for m in range(2):
            xi[0, m, k] = segment.rest[m, k]
            xi[1, m, k] = 0.0
            xi[2, m, k] = 0.0
    for j in range(block.n):
        k = component[block.start + j]
        for m in range(2):
            f = phi[m, column + j]
            xi[0, m, k] += f * q[block.start + j]
            xi[1, m, k] += f * v[block.start + j]
            xi[2, m, k] += f * a[block.start + j]


@inlined
def magnus_jet(segment, xi, jet):
    """Omega and its two time derivatives over one Magnus step (C1-C3, with the dot missing in C3 restored)."""
    h, c = segment.half, segment.bracket
    for n in range(3):
        for k in range(6):
            jet[n, k] = 0.0
    add_ad(xi[0, 0], xi[0, 1], jet[0])
    add_ad(xi[0, 0], xi[1, 1], jet[1])
    add_ad(xi[1, 0], xi[0, 1], jet[1])
    add_ad(xi[1, 0], xi[1, 1], jet[2])
    for k in range(6):
        jet[2, k] *= 2.0
    add_ad(xi[0, 0], xi[2, 1], jet[2])
    add_ad(xi[2, 0], xi[0, 1], jet[2])
    for n in range(3):
        for k in range(6):
            jet[n, k] = h * (xi[n, 0, k] + xi[n, 1, k]) + c * jet[n, k]


@inlined
def start_pose(previous, placement, at_base, w):
    """Pose of the segment's start: the previous segment's end, times the block's placement at the block's base."""
    if at_base:
        compose(previous.R, previous.p, placement.R, placement.p, w.R0, w.p0)
    else:
        for i in range(3):
            for j in range(3):
                w.R0[i, j] = previous.R[i, j]
            w.p0[i] = previous.p[i]


@inlined
def end_pose(w, t):
    """g_end = g_start exp(Omega)."""
    exp(w.jet[0], t.R, t.p)
    compose(w.R0, w.p0, t.R, t.p, w.R, w.p)


@inlined
def screw_motion(previous, w, t):
    """Twist and acceleration at the end of a commuting joint: V += S v, A += S a + ad_V S v, with S = Ad_g Phi."""
    Ad(w.R0, w.p0, w.jet[1], t.x)
    Ad(w.R0, w.p0, w.jet[2], t.y)
    add_ad(previous.V, t.x, t.y)
    for k in range(6):
        w.V[k] = previous.V[k] + t.x[k]
        w.A[k] = previous.A[k] + t.y[k]


@inner
def curved_motion(previous, w, order, t):
    """World operators Ad_g T and time derivatives up to ``order`` (0, 1 or 2), then twist and acceleration.

    d(Ad_g)/dt = ad_V Ad_g with the twist V of the segment's start, hence
    (Ad_g T)' = Ad_g T' + ad_V Ad_g T,   (Ad_g T)'' = Ad_g T'' + ad_V (Ad_g T' + (Ad_g T)') + ad_A Ad_g T,
    and V += (Ad_g T) Omega', A += (Ad_g T) Omega'' + (Ad_g T)' Omega'.
    """
    V, A = previous.V, previous.A
    scalar_jets(w.jet, order, t)
    tangent_operator(w.jet, 0, t, t.T)
    Ad_times(w.R0, w.p0, t.T, w.T[0])
    if order == 0:  # at rest
        for k in range(6):
            w.V[k], w.A[k] = V[k], A[k]
        return
    tangent_operator(w.jet, 1, t, t.T)
    Ad_times(w.R0, w.p0, t.T, t.D)
    copy_dual(t.D, w.T[1])
    add_ad_times(V, w.T[0], w.T[1])
    if order == 2:
        tangent_operator(w.jet, 2, t, t.T)
        Ad_times(w.R0, w.p0, t.T, w.T[2])
        add_ad_times(V, t.D, w.T[2])
        add_ad_times(V, w.T[1], w.T[2])
        add_ad_times(A, w.T[0], w.T[2])
    for k in range(6):
        w.V[k] = V[k]
        w.A[k] = A[k]
    add_apply(w.T[0], w.jet[1], w.V)
    add_apply(w.T[0], w.jet[2], w.A)
    add_apply(w.T[1], w.jet[1], w.A)


@inlined
def copy_dual(D, out):
    """out = D for dual matrices."""
    for d in range(2):
        for i in range(3):
            for j in range(3):
                out[d, i, j] = D[d, i, j]


@inner
def collocation_matrices(segment, w, order, Z):
    """Matrices of S, R, Q in collocation space: S = Z[0, 0] Phi_1 + Z[0, 1] Phi_2 and so on (C5, C8, C14, C15, C21).

    With Z_1 = h/2 - c ad_xi2, Z_2 = h/2 + c ad_xi1 (dZ_1/dt = -c ad_xid2, ...) and the world operators T, T', T'':
    S = T Z,   R = dS/dt = T' Z + T Z',   Q = d2S/dt2 = T'' Z + 2 T' Z' + T Z''.
    ``order`` is 0 for S alone, 1 for S and R, 2 for all three.
    """
    for m in range(2):
        xi, xid, xidd = w.xi[0, 1 - m], w.xi[1, 1 - m], w.xi[2, 1 - m]
        c = segment.bracket if m == 1 else -segment.bracket
        for n in range(order + 1):
            for d in range(2):
                for i in range(3):
                    for j in range(3):
                        Z[n, m, d, i, j] = segment.half * w.T[n, d, i, j]
            add_times_ad(c, w.T[n], xi, Z[n, m])
        if order >= 1:
            add_times_ad(c, w.T[0], xid, Z[1, m])
        if order == 2:
            add_times_ad(2.0 * c, w.T[1], xid, Z[2, m])
            add_times_ad(c, w.T[0], xidd, Z[2, m])
