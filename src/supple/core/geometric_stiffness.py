"""d(S^T F)/dq of one segment at constant wrench ([GVS-AD] C29, with the transpose lost in its first line restored)."""

from __future__ import annotations

import numpy as np

from supple.core.records import EXPONENTIAL, ROD
from supple.jit import inlined, inner
from supple.lie.coefficients import tangent_coefficients
from supple.lie.dual import apply_transposed
from supple.lie.se3 import Ad_transposed
from supple.lie.tangent import tangent_transposed_derivative

U = np.uint64  # unsigned indices vectorise, see core.products
U6 = np.uint64(6)


@inlined
def add_geometric_stiffness(tree, block, i, w, t, out):
    """out[block, block] += d(S^T F)/dq for the i-th segment, F = w.F in world axes about the common origin."""
    if block.kind == EXPONENTIAL:
        local_derivative(w, t)
        add_joint_block(block, tree.screws, t.H, out)
    elif block.kind == ROD:
        local_derivative(w, t)
        apply_transposed(w.T[0], w.F, t.x)
        collocation_derivative(tree.segments[block.first + i], w.xi, t)
        add_rod_block(block, i, tree.component, tree.phi, t.C, out)
    # commuting screws: S is constant, nothing to add


@inner
def local_derivative(w, t):
    """t.H = d(T^T F)/dOmega with F seen from the segment's start."""
    Ad_transposed(w.R0, w.p0, w.F, t.y)
    Omega = w.jet[0]
    tangent_coefficients(Omega[0] ** 2 + Omega[1] ** 2 + Omega[2] ** 2, t.dc)
    tangent_transposed_derivative(Omega, t.y, t.dc, t.H)


@inner
def add_joint_block(block, screws, H, out):
    """out += Phi^T H Phi."""
    for i in range(block.start, block.start + block.n):
        for l in range(6):
            x = 0.0
            for k in range(6):
                x += screws[k, i] * H[k, l]
            for j in range(block.start, block.start + block.n):
                out[i, j] += x * screws[l, j]


@inner
def collocation_derivative(segment, xi, t):
    """t.C = Z^T H Z + [[0, c adbar*_f], [-c adbar*_f, 0]], (12, 12), with f = T^T F in t.x.

    Z_1 = h/2 - c ad_xi2, Z_2 = h/2 + c ad_xi1; the second term is (dZ^T/dq) f.
    """
    h, c = segment.half, segment.bracket
    H, B, C = t.H, t.B, t.C
    for n in range(2):  # B = H Z_n, column blocks
        right_times_step(H, h, c if n == 1 else -c, xi[0, 1 - n], B)
        for m in range(2):  # C_mn = Z_m^T B
            left_times_step(B, h, c if m == 1 else -c, xi[0, 1 - m], C, 6 * m, 6 * n)
    add_bracket_derivative(c, t.x, C)


@inner
def add_bracket_derivative(c, f, C):
    """C += [[0, c adbar*_f], [-c adbar*_f, 0]]: (dZ^T/dq) f."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for r, s, g in ((i, j, f[k]), (i, k, -f[j])):
            C[r, 6 + s] += c * g
            C[6 + r, s] -= c * g
        for r, s, g in ((i, 3 + j, f[3 + k]), (i, 3 + k, -f[3 + j]), (3 + i, j, f[3 + k]), (3 + i, k, -f[3 + j])):
            C[r, 6 + s] += c * g
            C[6 + r, s] -= c * g


@inner
def right_times_step(H, h, c, X, out):
    """out = H (h I + c ad_X), row by row: (r ad_X) = [r_w x w + r_v x v, r_v x w]."""
    for i in range(6):
        a, b, d, e, f, g = H[i, 0], H[i, 1], H[i, 2], H[i, 3], H[i, 4], H[i, 5]
        out[i, 0] = h * a + c * (b * X[2] - d * X[1] + f * X[5] - g * X[4])
        out[i, 1] = h * b + c * (d * X[0] - a * X[2] + g * X[3] - e * X[5])
        out[i, 2] = h * d + c * (a * X[1] - b * X[0] + e * X[4] - f * X[3])
        out[i, 3] = h * e + c * (f * X[2] - g * X[1])
        out[i, 4] = h * f + c * (g * X[0] - e * X[2])
        out[i, 5] = h * g + c * (e * X[1] - f * X[0])


@inner
def left_times_step(B, h, c, X, out, r, s):
    """out[r:r+6, s:s+6] = (h I + c ad_X)^T B, the transpose of `right_times_step` column by column."""
    for j in range(6):
        a, b, d, e, f, g = B[0, j], B[1, j], B[2, j], B[3, j], B[4, j], B[5, j]
        out[r, s + j] = h * a + c * (b * X[2] - d * X[1] + f * X[5] - g * X[4])
        out[r + 1, s + j] = h * b + c * (d * X[0] - a * X[2] + g * X[3] - e * X[5])
        out[r + 2, s + j] = h * d + c * (a * X[1] - b * X[0] + e * X[4] - f * X[3])
        out[r + 3, s + j] = h * e + c * (f * X[2] - g * X[1])
        out[r + 4, s + j] = h * f + c * (g * X[0] - e * X[2])
        out[r + 5, s + j] = h * g + c * (e * X[1] - f * X[0])


@inner
def add_rod_block(block, i, component, phi, C, out):
    """out += Phi^T C Phi, where each coordinate moves one strain component."""
    n, start = U(block.n), U(block.start)
    c = U(block.columns) + U(i) * n
    for l in range(n):
        r = U(component[start + l])
        a, b = phi[0, c + l], phi[1, c + l]
        for j in range(n):
            s = U(component[start + j])
            out[start + l, start + j] += phi[0, c + j] * (a * C[r, s] + b * C[U6 + r, s]) + phi[1, c + j] * (
                a * C[r, U6 + s] + b * C[U6 + r, U6 + s]
            )
