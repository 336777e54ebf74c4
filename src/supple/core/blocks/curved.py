"""What segments whose step is an exponential share: rods and joints whose screws do not commute ([GVS-AD] C1-C15, C21).

The end of such a segment is g_end = g_start exp(Omega), and its operators are Ad_g T(Omega), kept in ``w.T`` with their
time derivatives (g = g_start).
"""

from __future__ import annotations

from supple.jit import inlined, inner, local_array
from supple.lie.coefficients import tangent_coefficients
from supple.lie.dual import Ad_times, add_ad_times, add_apply
from supple.lie.se3 import Ad_transposed, compose, exp
from supple.lie.tangent import tangent_operators, tangent_transposed_derivative

_rotation, _position, _wrench = local_array(3, 3), local_array(3), local_array(6)
_dual, _operators, _coefficients = local_array(2, 3, 3), local_array(3, 2, 3, 3), local_array(4, 3)


@inlined
def exponential_pose(w):
    """g_end = g_start exp(Omega), Omega = w.jet[0]."""
    R, p = _rotation(), _position()
    exp(w.jet[0], R, p)
    compose(w.R0, w.p0, R, p, w.R, w.p)


@inner
def curved_motion(previous, w, order):
    """World operators Ad_g T and time derivatives up to ``order`` (0, 1 or 2), then twist and acceleration.

    d(Ad_g)/dt = ad_V Ad_g with the twist V of the segment's start, hence
    (Ad_g T)' = Ad_g T' + ad_V Ad_g T,   (Ad_g T)'' = Ad_g T'' + ad_V (Ad_g T' + (Ad_g T)') + ad_A Ad_g T,
    and V += (Ad_g T) Omega', A += (Ad_g T) Omega'' + (Ad_g T)' Omega'.
    """
    V, A = previous.V, previous.A
    T, turned = _operators(), _dual()
    tangent_operators(w.jet, order, T)
    Ad_times(w.R0, w.p0, T[0], w.T[0])
    if order == 0:  # at rest
        for k in range(6):
            w.V[k], w.A[k] = V[k], A[k]
        return
    Ad_times(w.R0, w.p0, T[1], turned)
    copy_dual(turned, w.T[1])
    add_ad_times(V, w.T[0], w.T[1])
    if order == 2:
        Ad_times(w.R0, w.p0, T[2], w.T[2])
        add_ad_times(V, turned, w.T[2])
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
def step_derivative(w, H):
    """H (6, 6) = d(T^T F)/dOmega with F = w.F seen from the segment's start (the inner matrix of C29)."""
    F, c = _wrench(), _coefficients()
    Ad_transposed(w.R0, w.p0, w.F, F)
    Omega = w.jet[0]
    tangent_coefficients(Omega[0] ** 2 + Omega[1] ** 2 + Omega[2] ** 2, c)
    tangent_transposed_derivative(Omega, F, c, H)
