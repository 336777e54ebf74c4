"""Forces at material points: where a point is, how it moves, and how its wrench and that wrench's tangent look.

A point fixed to segment s at x (world axes, from the common origin) has velocity v = L V with L = [-x~, I] (3 x 6).
A force f there is the wrench L^T f = [x x f; f].  Along a variation zeta of the segment, dx = L zeta and
dv = L zeta' + zeta_w x v.
"""

from __future__ import annotations

from supple.jit import inner


@inner
def point_position(w, offset, x):
    """x = p + R offset.p: a point fixed to a segment's end, from the common origin."""
    for i in range(3):
        x[i] = w.p[i] + w.R[i, 0] * offset.p[0] + w.R[i, 1] * offset.p[1] + w.R[i, 2] * offset.p[2]


@inner
def point_velocity(w, x, v):
    """v = V_v + V_w x x."""
    V = w.V
    v[0] = V[3] + V[1] * x[2] - V[2] * x[1]
    v[1] = V[4] + V[2] * x[0] - V[0] * x[2]
    v[2] = V[5] + V[0] * x[1] - V[1] * x[0]


@inner
def subtract_force(w, x, f):
    """w.F -= [x x f; f]: a load's force on a segment (see core.loads for the sign)."""
    w.F[0] -= x[1] * f[2] - x[2] * f[1]
    w.F[1] -= x[2] * f[0] - x[0] * f[2]
    w.F[2] -= x[0] * f[1] - x[1] * f[0]
    w.F[3] -= f[0]
    w.F[4] -= f[1]
    w.F[5] -= f[2]


@inner
def subtract_turning(w, x, m, f):
    """w.G -= [[m~ + x~ f~, 0], [f~, 0]]: a wrench that keeps its world direction while its segment turns ([GVS-AD] 59).

    This is dF - adbar*_F zeta for F = [m + x x f; f] applied at a moving x: what the segment sees of a dead load.
    """
    G = w.G
    xf = x[0] * f[0] + x[1] * f[1] + x[2] * f[2]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        # x~ f~ = f x^T - (x.f) I
        for l in range(3):
            G[i, l] -= f[i] * x[l]
        G[i, i] += xf
        G[i, j] += m[k]
        G[i, k] -= m[j]
        G[3 + i, j] += f[k]
        G[3 + i, k] -= f[j]


@inner
def subtract_point_tangent(x, y, vy, A, C, G, N):
    """G -= L_x^T (A L_y + C [-vy~, 0]), N -= L_x^T C L_y: a force at x that follows df = A dy + C dvy of a point y.

    ``A`` and ``C`` are (3, 3).
    """
    for r in range(3):
        j, k = (r + 1) % 3, (r + 2) % 3
        for l in range(3):
            m, n = (l + 1) % 3, (l + 2) % 3
            # entry (r, l) of A L_y + C [-vy~, 0], and of C L_y: -(B y~)_rl = -(B_rm y_n - B_rn y_m)
            turn = A[r, n] * y[m] - A[r, m] * y[n] + C[r, n] * vy[m] - C[r, m] * vy[n]
            turn_rate = C[r, n] * y[m] - C[r, m] * y[n]
            G[3 + r, l] -= turn
            G[3 + r, 3 + l] -= A[r, l]
            N[3 + r, l] -= turn_rate
            N[3 + r, 3 + l] -= C[r, l]
            # the moment x x f: f_r enters row j with x_k and row k with -x_j
            G[j, l] -= x[k] * turn
            G[j, 3 + l] -= x[k] * A[r, l]
            N[j, l] -= x[k] * turn_rate
            N[j, 3 + l] -= x[k] * C[r, l]
            G[k, l] += x[j] * turn
            G[k, 3 + l] += x[j] * A[r, l]
            N[k, l] += x[j] * turn_rate
            N[k, 3 + l] += x[j] * C[r, l]
