"""How the virtual power of water depends on its numbers: drag, added mass, current, places, and gravity.

All in the body axes of a point, with the virtual twist z, the twist V, the current c, eta = V - [0; c]:

    drag:    |v| z . D eta,   D_bar = |v| z eta^T,   eta_bar = |v| D^T z + (z . D eta) [0; v] / |v|
    weight:  z . H g,         H_bar = z g^T
    drift:   z . (M f + ad*_eta M eta - ad*_V M V),  f = [0; V_w x c],
             M_bar = z f^T - (ad_eta z) eta^T + (ad_V z) V^T,      eta_bar = -ad*_z M eta - M ad_eta z.

Linear velocities follow the place x of a point by V_w x dx, so that x_bar = v_bar x V_w.
"""

from __future__ import annotations

import math

from supple.core.arrays import space_view
from supple.core.gradient_arrays import gradient_view
from supple.jit import SmoothGradientKernel, inner, local_array
from supple.lie.se3 import add_ad, add_coad, add_scaled, product6, product6_transposed
from supple.loads.fluid.fluid import fluid_data

_vector, _wrench = local_array(3), local_array(6)


@inner
def body_twist(R, x, X, out):
    """out = [R^T w; R^T (v + w x x)]: a world twist X in the axes R, at the point x from the common origin."""
    a = X[3] + X[1] * x[2] - X[2] * x[1]
    b = X[4] + X[2] * x[0] - X[0] * x[2]
    c = X[5] + X[0] * x[1] - X[1] * x[0]
    for i in range(3):
        out[i] = R[0, i] * X[0] + R[1, i] * X[1] + R[2, i] * X[2]
        out[3 + i] = R[0, i] * a + R[1, i] * b + R[2, i] * c


@inner
def add_lever(bar, X, out):
    """out (3,) += v_bar x w: the cotangent of a place in the linear part of a twist X there."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i] += bar[3 + j] * X[k] - bar[3 + k] * X[j]


@inner
def subtract_turned(R, bar, out):
    """out (3,) -= R bar[3:6]: the cotangent of a current in relative twists."""
    for i in range(3):
        out[i] -= R[i, 0] * bar[3] + R[i, 1] * bar[4] + R[i, 2] * bar[5]


@inner
def add_drag_gradient(R, z, eta, D, D_out, place_out, current_out):
    """D_bar += |v| z eta^T, eta_bar = |v| D^T z + (z . D eta) [0; v] / |v|, of which current_bar = -R eta_bar_v.

    place_bar gains the levers of eta_bar and of the force |v| D eta, on eta and z.
    """
    f, bar, speed = _wrench(), _wrench(), math.sqrt(eta[3] ** 2 + eta[4] ** 2 + eta[5] ** 2)
    if speed == 0.0:
        return
    product6(D, eta, f)
    product6_transposed(D, z, bar)
    power = 0.0
    for i in range(6):
        bar[i] *= speed
        power += z[i] * f[i]
        for j in range(6):
            D_out[i, j] += speed * z[i] * eta[j]
    for i in range(3):
        bar[3 + i] += power * eta[3 + i] / speed
    subtract_turned(R, bar, current_out)
    add_lever(bar, eta, place_out)
    for i in range(6):
        f[i] *= speed
    add_lever(f, z, place_out)


@inner
def add_weight_gradient(R, z, gravity, H, H_out, place_out, gravity_out):
    """H_bar += z g^T, gravity_bar += R H^T z, in which g = R^T gravity (world axes), and place_bar the lever of H g."""
    g, f = _vector(), _wrench()
    for i in range(3):
        g[i] = R[0, i] * gravity[0] + R[1, i] * gravity[1] + R[2, i] * gravity[2]
    for i in range(6):
        f[i] = H[i, 0] * g[0] + H[i, 1] * g[1] + H[i, 2] * g[2]
        for j in range(3):
            H_out[i, j] += z[i] * g[j]
    for j in range(3):
        y = 0.0
        for i in range(6):
            y += H[i, j] * z[i]
        for i in range(3):
            gravity_out[i] += R[i, j] * y
    add_lever(f, z, place_out)


@inner
def add_spin_gradient(sign, M, z, U, U_bar, z_bar, M_out):
    """U_bar -= s (ad*_z M U + M ad_U z), z_bar += s ad*_U M U, M_bar -= s (ad_U z) U^T of s z . ad*_U M U.

    s is the ``sign``.
    """
    h, turned, x = _wrench(), _wrench(), _wrench()
    product6_transposed(M, U, h)
    for i in range(6):
        turned[i], x[i] = 0.0, 0.0
    add_ad(U, z, turned)
    add_coad(z, h, x)
    add_scaled(-sign, x, U_bar)
    product6_transposed(M, turned, x)
    add_scaled(-sign, x, U_bar)
    for i in range(6):
        x[i] = 0.0
    add_coad(U, h, x)
    add_scaled(sign, x, z_bar)
    for i in range(6):
        for j in range(6):
            M_out[i, j] -= sign * turned[i] * U[j]


@inner
def add_drift_gradient(R, z, V, eta, c, M, M_out, place_out, current_out):
    """M_bar += z f^T - (ad_eta z) eta^T + (ad_V z) V^T, f = [0; V_w x c].

    And what the place and the current c (body axes) gain.
    """
    f, bar, z_bar, relative, own = _wrench(), _wrench(), _wrench(), _wrench(), _wrench()
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        f[i], f[3 + i] = 0.0, V[j] * c[k] - V[k] * c[j]
    for i in range(6):
        relative[i], own[i] = 0.0, 0.0
        for j in range(6):
            M_out[i, j] += z[i] * f[j]
    product6(M, f, z_bar)
    product6_transposed(M, z, bar)
    add_spin_gradient(1.0, M, z, eta, relative, z_bar, M_out)
    add_spin_gradient(-1.0, M, z, V, own, z_bar, M_out)
    add_lever(relative, eta, place_out)
    add_lever(own, V, place_out)
    add_lever(z_bar, z, place_out)
    for i in range(3):  # f_v = V_w x c
        j, k = (i + 1) % 3, (i + 2) % 3
        own[3 + i] = relative[3 + i] - (bar[3 + j] * V[k] - bar[3 + k] * V[j])
    subtract_turned(R, own, current_out)


def _fluid_gradient(tree, space, data, own, everything):
    """All points of `FluidData`."""
    scratch, given, out = space_view(space), fluid_data(data), fluid_data(own)
    gravity_out = gradient_view(everything).gravity
    x, c, gravity, V, eta, z = _vector(), _vector(), _vector(), _wrench(), _wrench(), _wrench()
    what, where, current = given.points, given.places, given.current[0]
    for i in range(3):
        gravity[i] = -scratch.work[0].A[3 + i]
    for i in range(what.shape[0]):
        w = scratch.work[what[i, 0]]
        R, rows = w.R, slice(6 * i, 6 * i + 6)
        for k in range(3):
            x[k] = w.p[k] + R[k, 0] * where[i, 0] + R[k, 1] * where[i, 1] + R[k, 2] * where[i, 2]
            c[k] = R[0, k] * current[0] + R[1, k] * current[1] + R[2, k] * current[2]
        body_twist(R, x, w.dS, z)
        body_twist(R, x, w.V, V)
        for k in range(3):
            eta[k], eta[3 + k] = V[k], V[3 + k] - c[k]
        place = out.places[i]
        # also where a matrix is zero, and the load therefore skips it: it may grow
        add_weight_gradient(R, z, gravity, given.weight[rows], out.weight[rows], place, gravity_out)
        add_drag_gradient(R, z, eta, given.drag[rows], out.drag[rows], place, out.current[0])
        add_drift_gradient(R, z, V, eta, c, given.added_mass[rows], out.added_mass[rows], place, out.current[0])


fluid_gradient = SmoothGradientKernel(_fluid_gradient)
