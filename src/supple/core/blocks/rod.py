"""Rods: Magnus steps of strains, S = Ad_g T(Omega) Z Phi ([GVS-AD] appendix C).

A segment is one step; its strains at the two collocation points, xi = xi* + Phi q, give Omega (C1), and all that
depends on them is a (6, 12) matrix times the basis functions Phi there, which move one strain component each.
C29, d(S^T F)/dq, has the transpose restored that its first line lost.
"""

from __future__ import annotations

import numpy as np

from supple.core.blocks.curved import step_derivative
from supple.jit import inlined, inner, leaf, local_array, opaque
from supple.lie.dual import add_times_ad, apply_transposed, times_step
from supple.lie.se3 import add_ad, add_coad

U = np.uint64  # unsigned indices vectorise, see linalg.products
U6 = np.uint64(6)

_wrench, _wrenches, _matrix = local_array(6), local_array(2, 6), local_array(6, 6)
_collocation_matrix = local_array(12, 12)
_duals = local_array(3, 2, 2, 3, 3)  # of S, R, Q at the two collocation points
_plain, _plain_matrix = local_array(3, 6, 12), local_array(6, 12)  # the same as plain matrices, and one of them

#: Columns of C29 that are made together, on the stack.
PANEL = 32
_panel = local_array(12, PANEL)


@inlined
def rod_step(tree, block, i, q, w):
    """Omega of the i-th segment at rest in w.jet, from xi = xi* + Phi q in w.xi (C1, C2)."""
    segment, column = tree.segments[block.first + i], block.columns + i * block.n
    step_at_rest(block, segment, column, tree.phi, q, w.xi[0], w.jet[0])


@inlined
def step_at_rest(block, segment, column, phi, q, xi, Omega):
    """xi = xi* + Phi q (2, 6) at the two collocation points, and Omega (6,) of the Magnus step (C1, C2)."""
    for k in range(6):
        xi[0, k], xi[1, k], Omega[k] = segment.rest[0, k], segment.rest[1, k], 0.0
    add_strains(block, column, phi, q, xi)
    add_ad(xi[0], xi[1], Omega)
    finish_magnus_step(segment, xi, Omega)


@inlined
def add_strains(block, column, phi, x, xi):
    """xi (2, 6) += Phi x at the two collocation points; coordinates of one strain component are neighbours."""
    start, c = U(block.start), U(column)
    for k in range(opaque(6)):
        a, b = xi[0, k], xi[1, k]
        for j in range(U(block.runs[k]), U(block.runs[k + 1])):
            a += phi[0, c + j] * x[start + j]
            b += phi[1, c + j] * x[start + j]
        xi[0, k], xi[1, k] = a, b


@inlined
def finish_magnus_step(segment, xi, Omega):
    """Omega = h/2 (xi_1 + xi_2) + c Omega, of which the bracket [xi_1, xi_2] is there already (C1, C2)."""
    for k in range(6):
        Omega[k] = segment.half * (xi[0, k] + xi[1, k]) + segment.bracket * Omega[k]


@inlined
def strain_jet(block, segment, column, phi, q, v, a, xi):
    """Strain xi = xi* + Phi q and its two time derivatives at the two collocation points.

    Coordinates of one strain component are neighbours (`block_t.runs`).
    """
    start, c = U(block.start), U(column)
    for k in range(opaque(6)):  # six copies of the loop inside would only be compiled
        x0, x1 = segment.rest[0, k], segment.rest[1, k]
        v0, v1, a0, a1 = 0.0, 0.0, 0.0, 0.0
        for j in range(U(block.runs[k]), U(block.runs[k + 1])):
            f0, f1 = phi[0, c + j], phi[1, c + j]
            x0 += f0 * q[start + j]
            x1 += f1 * q[start + j]
            v0 += f0 * v[start + j]
            v1 += f1 * v[start + j]
            a0 += f0 * a[start + j]
            a1 += f1 * a[start + j]
        xi[0, 0, k], xi[0, 1, k] = x0, x1
        xi[1, 0, k], xi[1, 1, k] = v0, v1
        xi[2, 0, k], xi[2, 1, k] = a0, a1


@inlined
def magnus_jet(segment, xi, jet):
    """Omega = h/2 (xi_1 + xi_2) + c ad_xi1 xi_2 and its two time derivatives, jet (3, 6), over one Magnus step (C1-C3):

        Omega'' = h/2 (xi_1'' + xi_2'') + c (ad_xi1'' xi_2 + 2 ad_xi1' xi_2' + ad_xi1 xi_2''),

    the dot missing in C3 restored; xi (3, 2, 6) has the strains at both collocation points with two derivatives.
    """
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
            times_step(w.T[n], segment.half, c, xi, Z[n, m])
        if order >= 1:
            add_times_ad(c, w.T[0], xid, Z[1, m])
        if order == 2:
            add_times_ad(2.0 * c, w.T[1], xid, Z[2, m])
            add_times_ad(c, w.T[0], xidd, Z[2, m])


@inner
def collocation_columns(Z, cv, ca, W):
    """Dual collocation matrices -> plain (6, 12) matrices of S, R + c_v S, Q + 2 c_v R + c_a S."""
    combine_rates(Z, cv, ca)
    for n in range(3):
        write_plain(Z[n], W[n])


@leaf
def combine_rates(Z, cv, ca):
    """Z[1] += c_v Z[0] and Z[2] += 2 c_v Z[1] + c_a Z[0], with Z[1] as it was."""
    for m in range(2):
        for d in range(2):
            for i in range(3):
                for j in range(3):
                    S, R = Z[0, m, d, i, j], Z[1, m, d, i, j]
                    Z[1, m, d, i, j] = R + cv * S
                    Z[2, m, d, i, j] += 2.0 * cv * R + ca * S


@leaf
def write_plain(Z, W):
    """W (6, 12) = dual matrices Z (2, 2, 3, 3) of both collocation points, each [[A, 0], [B, A]]."""
    for m in range(2):
        for i in range(3):
            for j in range(3):
                c = 6 * m + j
                W[i, c], W[i, c + 3] = Z[m, 0, i, j], 0.0
                W[3 + i, c], W[3 + i, c + 3] = Z[m, 1, i, j], Z[m, 0, i, j]


@inner
def expand_columns(block, i, parent, component, phi, W, columns):
    """S = W_0 Phi, and J, R, Q = those of the parent segment + W_0 Phi, W_1 Phi, W_2 Phi: the i-th segment of a rod.

    W (3, 6, 12) is in collocation space.
    """
    c = block.columns + i * block.n
    if parent == block.parent:
        write_columns(component, block.start, block.n, phi, W, c, columns)
    else:
        before = block.columns + (parent - block.first) * block.n
        extend_columns(component, block.start, block.n, phi, W, before, c, columns)


@leaf
def write_columns(component, start, n, phi, W, c, columns):
    """S = J = W_0 Phi, R = W_1 Phi, Q = W_2 Phi in columns[:, :, c:c+n].

    Coordinate j moves strain r alone, (W Phi)_j = phi_1j W_r + phi_2j W_6+r: r is looked up once for all of its rows.
    """
    start, c = U(start), U(c)
    for j in range(U(n)):
        r = U(component[start + j])
        f0, f1 = phi[0, c + j], phi[1, c + j]
        for k in range(U6):
            S = f0 * W[0, k, r] + f1 * W[0, k, U6 + r]
            columns[0, k, c + j] = S
            columns[1, k, c + j] = S
            columns[2, k, c + j] = f0 * W[1, k, r] + f1 * W[1, k, U6 + r]
            columns[3, k, c + j] = f0 * W[2, k, r] + f1 * W[2, k, U6 + r]


@leaf
def extend_columns(component, start, n, phi, W, before, c, columns):
    """S = W_0 Phi, and J, R, Q = those of an earlier segment, from column ``before`` on, + W_0 Phi, W_1 Phi, W_2 Phi.

    As `write_columns` does, which needs no earlier segment.
    """
    start, before, c = U(start), U(before), U(c)
    for j in range(U(n)):
        r = U(component[start + j])
        f0, f1 = phi[0, c + j], phi[1, c + j]
        for k in range(U6):
            S = f0 * W[0, k, r] + f1 * W[0, k, U6 + r]
            columns[0, k, c + j] = S
            columns[1, k, c + j] = columns[1, k, before + j] + S
            columns[2, k, c + j] = columns[2, k, before + j] + f0 * W[1, k, r] + f1 * W[1, k, U6 + r]
            columns[3, k, c + j] = columns[3, k, before + j] + f0 * W[2, k, r] + f1 * W[2, k, U6 + r]


@leaf
def write_jacobian_columns(component, start, n, phi, W, c, J):
    """J[:, c:c+n] = W Phi, as in `write_columns`."""
    start, c = U(start), U(c)
    for j in range(U(n)):
        r = U(component[start + j])
        f0, f1 = phi[0, c + j], phi[1, c + j]
        for k in range(U6):
            J[k, c + j] = f0 * W[k, r] + f1 * W[k, U6 + r]


@inlined
def rod_columns(tree, block, work, cv, ca, columns):
    """S = T Z Phi, J = sum S, R = sum S', Q = sum S'' of all segments of a rod, combined with c_v, c_a."""
    Z, W = _duals(), _plain()
    for i in range(block.active):
        s = block.first + i
        collocation_matrices(tree.segments[s], work[s], 2, Z)
        collocation_columns(Z, cv, ca, W)
        expand_columns(block, i, tree.parents[s], tree.component, tree.phi, W, columns)


@inlined
def collocation_wrenches(segment, xi, F, f):
    """f = Z^T F at the two collocation points (C27): Z_1^T F = h/2 F + c ad*_xi2 F, Z_2^T F = h/2 F - c ad*_xi1 F."""
    for m in range(2):
        for k in range(6):
            f[m, k] = 0.0
        add_coad(xi[0, 1 - m], F, f[m])
        c = segment.bracket if m == 0 else -segment.bracket
        for k in range(6):
            f[m, k] = segment.half * F[k] + c * f[m, k]


@inlined
def project_rod(tree, block, i, F, w, out):
    """out += S^T F = Phi^T Z^T T^T F of the i-th segment, taken from the right."""
    local, f = _wrench(), _wrenches()
    apply_transposed(w.T[0], F, local)
    collocation_wrenches(tree.segments[block.first + i], w.xi, local, f)
    add_projected_strains(block, i, tree.phi, f, out)


@inlined
def add_projected_strains(block, i, phi, f, out):
    """out += Phi^T f for f (2, 6) at the two collocation points; coordinates of one strain component are neighbours."""
    start, c = U(block.start), U(block.columns + i * block.n)
    for k in range(opaque(6)):
        a, b = f[0, k], f[1, k]
        for j in range(U(block.runs[k]), U(block.runs[k + 1])):
            out[start + j] += phi[0, c + j] * a + phi[1, c + j] * b


@inner
def collocation_stiffness(segment, w, C):
    """C (12, 12) = d(Z^T T^T F)/d(strains at the two collocation points) at constant F = w.F (C29)."""
    H, f = _matrix(), _wrench()
    step_derivative(w, H)
    apply_transposed(w.T[0], w.F, f)
    collocation_derivative(segment, w.xi, H, f, C)


@inner
def collocation_derivative(segment, xi, H, f, C):
    """C = Z^T H Z + [[0, c adbar*_f], [-c adbar*_f, 0]], (12, 12), with f = T^T F.

    Z_1 = h/2 - c ad_xi2, Z_2 = h/2 + c ad_xi1; the second term is (dZ^T/dq) f.
    """
    h, c = segment.half, segment.bracket
    B = _plain_matrix()
    for n in range(opaque(2)):  # B = H Z, column blocks
        right_times_step(H, h, c if n == 1 else -c, xi[0, 1 - n], B, 6 * n)
    for m in range(opaque(2)):  # C = Z^T B, row blocks
        left_times_step(B, h, c if m == 1 else -c, xi[0, 1 - m], C, 6 * m)
    add_bracket_derivative(c, f, C)


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


@leaf
def right_times_step(H, h, c, X, out, s):
    """out[:, s:s+6] = H (h I + c ad_X), row by row: (r ad_X) = [r_w x w + r_v x v, r_v x w]."""
    for i in range(6):
        a, b, d, e, f, g = H[i, 0], H[i, 1], H[i, 2], H[i, 3], H[i, 4], H[i, 5]
        out[i, s] = h * a + c * (b * X[2] - d * X[1] + f * X[5] - g * X[4])
        out[i, s + 1] = h * b + c * (d * X[0] - a * X[2] + g * X[3] - e * X[5])
        out[i, s + 2] = h * d + c * (a * X[1] - b * X[0] + e * X[4] - f * X[3])
        out[i, s + 3] = h * e + c * (f * X[2] - g * X[1])
        out[i, s + 4] = h * f + c * (g * X[0] - e * X[2])
        out[i, s + 5] = h * g + c * (e * X[1] - f * X[0])


@leaf
def left_times_step(B, h, c, X, out, r):
    """out[r:r+6] = (h I + c ad_X)^T B for B (6, 12), the transpose of `right_times_step` column by column."""
    r = U(r)
    for j in range(U(12)):
        a, b, d, e, f, g = B[0, j], B[1, j], B[2, j], B[3, j], B[4, j], B[5, j]
        out[r, j] = h * a + c * (b * X[2] - d * X[1] + f * X[5] - g * X[4])
        out[r + U(1), j] = h * b + c * (d * X[0] - a * X[2] + g * X[3] - e * X[5])
        out[r + U(2), j] = h * d + c * (a * X[1] - b * X[0] + e * X[4] - f * X[3])
        out[r + U(3), j] = h * e + c * (f * X[2] - g * X[1])
        out[r + U(4), j] = h * f + c * (g * X[0] - e * X[2])
        out[r + U(5), j] = h * g + c * (e * X[1] - f * X[0])


@inlined
def add_rod_stiffness(tree, block, i, w, out):
    """out += Phi^T C Phi, C29 of the i-th segment."""
    C = _collocation_matrix()
    collocation_stiffness(tree.segments[block.first + i], w, C)
    add_strain_block(block, i, tree.component, tree.phi, C, out)


@inner
def add_strain_block(block, i, component, phi, C, out):
    """out += Phi^T C Phi, `PANEL` columns at a time: Y = C Phi first, so that the rest runs along rows."""
    Y, start, c = _panel(), block.start, block.columns + i * block.n
    for first in range(0, block.n, PANEL):
        width = min(PANEL, block.n - first)
        stress_panel(component, phi, C, start + first, c + first, width, Y)
        add_projected_panel(component, phi, Y, start, c, block.n, start + first, width, out)


@leaf
def stress_panel(component, phi, C, start, c, width, Y):
    """Y (12, width) = C Phi: coordinate j moves strain s alone, Y_kj = phi_1j C_ks + phi_2j C_k,6+s."""
    start, c = U(start), U(c)
    for j in range(U(width)):
        s = U(component[start + j])
        f0, f1 = phi[0, c + j], phi[1, c + j]
        for k in range(U(12)):
            Y[k, j] = f0 * C[k, s] + f1 * C[k, U6 + s]


@leaf
def add_projected_panel(component, phi, Y, start, c, n, first, width, out):
    """out[start:start+n, first:first+width] += Phi^T Y: row l, which moves strain r, += phi_1l Y_r + phi_2l Y_6+r."""
    start, c, first = U(start), U(c), U(first)
    for l in range(U(n)):
        r = U(component[start + l])
        a, b = phi[0, c + l], phi[1, c + l]
        for j in range(U(width)):
            out[start + l, first + j] += a * Y[r, j] + b * Y[U6 + r, j]


@inlined
def add_rod_product(tree, block, i, w, x, transposed, out):
    """out += Phi^T C Phi x, or the transpose times x, in the space of collocation strains."""
    C, strains = _collocation_matrix(), _wrenches()
    collocation_stiffness(tree.segments[block.first + i], w, C)
    component, phi, start = tree.component, tree.phi, block.start
    c = block.columns + i * block.n
    for m in range(2):
        for k in range(6):
            strains[m, k] = 0.0
    for j in range(block.n):
        k = component[start + j]
        strains[0, k] += phi[0, c + j] * x[start + j]
        strains[1, k] += phi[1, c + j] * x[start + j]
    for j in range(block.n):
        k, a, b = component[start + j], phi[0, c + j], phi[1, c + j]
        s = 0.0
        for m in range(2):
            for l in range(6):
                if transposed:
                    s += strains[m, l] * (a * C[6 * m + l, k] + b * C[6 * m + l, 6 + k])
                else:
                    s += strains[m, l] * (a * C[k, 6 * m + l] + b * C[6 + k, 6 * m + l])
        out[start + j] += s
