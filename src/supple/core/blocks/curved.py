"""What segments whose step is an exponential share: rods and joints whose screws do not commute ([GVS-AD] C1-C15, C21).

The end of such a segment is g_end = g_start exp(Omega), and its operators are Ad_g T(Omega), kept in ``w.T`` with their
time derivatives (g = g_start).
"""

from __future__ import annotations

from supple.core.blocks.moving import move_along
from supple.jit import inlined, inner, local_array
from supple.lie.coefficients import tangent_coefficients
from supple.lie.dual import Ad_times, add_ad_times, add_apply
from supple.lie.se3 import Ad_transposed, compose, exp
from supple.lie.tangent import tangent_operators, tangent_transposed_derivative

_rotation, _position, _wrench = local_array(3, 3), local_array(3), local_array(6)
_operators, _coefficients = local_array(3, 2, 3, 3), local_array(4, 3)


@inlined
def exponential_pose(w):
    """g_end = g_start exp(Omega), Omega = w.jet[0]."""
    R, p = _rotation(), _position()
    exp(w.jet[0], R, p)
    compose(w.R0, w.p0, R, p, w.R, w.p)


@inner
def curved_motion(previous, w, order):
    """World operators of a segment's step, then V += (Ad_g T) Omega', A += (Ad_g T) Omega'' + (Ad_g T)' Omega'."""
    V, A = previous.V, previous.A
    T = _operators()
    tangent_operators(w.jet, order, T)
    world_operators(w.R0, w.p0, V, A, T, order, w.T)
    move_along(previous, w)
    if order == 0:  # at rest
        return
    add_apply(w.T[0], w.jet[1], w.V)
    add_apply(w.T[0], w.jet[2], w.A)
    add_apply(w.T[1], w.jet[1], w.A)


@inlined
def world_operators(R, p, V, A, T, order, out):
    """Ad_g T and its time derivatives up to ``order`` (0, 1 or 2), in world axes; g = (R, p) is where a step begins.

    That moves with V and A: d(Ad_g)/dt = ad_V Ad_g, hence
    (Ad_g T)' = Ad_g T' + ad_V Ad_g T,   (Ad_g T)'' = Ad_g T'' + ad_V (Ad_g T' + (Ad_g T)') + ad_A Ad_g T.
    """
    Ad_times(R, p, T[0], out[0])
    if order >= 1:
        Ad_times(R, p, T[1], out[1])
        if order == 2:
            Ad_times(R, p, T[2], out[2])
            add_ad_times(V, out[1], out[2])
        add_ad_times(V, out[0], out[1])
    if order == 2:
        add_ad_times(V, out[1], out[2])
        add_ad_times(A, out[0], out[2])


@inner
def step_derivative(w, H):
    """H (6, 6) = d(T^T F)/dOmega with F = w.F seen from the segment's start (the inner matrix of C29)."""
    F, c = _wrench(), _coefficients()
    Ad_transposed(w.R0, w.p0, w.F, F)
    Omega = w.jet[0]
    tangent_coefficients(Omega[0] ** 2 + Omega[1] ** 2 + Omega[2] ** 2, c)
    tangent_transposed_derivative(Omega, F, c, H)
