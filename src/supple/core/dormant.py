"""Buds: stations of rods whose segments are visited only when a load wakes them.

A contact may watch hundreds of stations between the points of a rod, of which few touch.  Each is a segment like a
twig's, one Magnus step from the point before it, but lies beyond `block.active`: the sweeps do not see it.  A load

* bounds how far the buds of one point may lie from it (`bud_reach`), and leaves them asleep if that is far away;
* poses those that may be near (`pose_bud`), wakes those that are acted on (`wake_bud`: twist, operators), and writes
  wrenches F and tangents G, N into their records as into any segment's;
* folds all buds of a point P into it (`fold_group`), after which they sleep again.

**Folding.**  A bud's columns are those of P plus its own step's, J = J_P + W Phi, R = R_P + W' Phi, with (6, 12)
matrices W in the space of the strains at the two collocation points (`core.blocks.rod.collocation_matrices`).
F, G and N join those of P, whose projection is paid for already.  What the step adds to the force is
Phi^T W^T F, and to the tangent

    J_P^T A Phi + Phi^T (B^T R_P + C^T J_P) + Phi^T D Phi,
    A = N W' + (G + adbar*_F) W,    B = N^T W,    C = G^T W,    D = W^T A + C29,

where only the last term is formed bud by bud: A Phi, B Phi and C Phi are (6, n) and summed over all buds of a point.
No bud ever has columns of its own.
"""

from __future__ import annotations

import numpy as np

from supple.core.blocks.curved import exponential_pose, step_derivative
from supple.core.blocks.rod import add_bracket_derivative, collocation_matrices, collocation_wrenches
from supple.core.inertia import add_coadbar
from supple.core.records import J, R
from supple.core.sweep_out import start_pose
from supple.jit import inlined, inner, leaf, local_array
from supple.lie.dual import Ad_times, add_ad_times, add_apply, apply_transposed
from supple.lie.se3 import add_ad
from supple.lie.tangent import tangent_operators
from supple.linalg.products import map_columns, map_two_columns

U = np.uint64  # unsigned indices vectorise, see linalg.products
I1, I2, I3, I4, I5, I6 = U(1), U(2), U(3), U(4), U(5), U(6)

_operators = local_array(3, 2, 3, 3)

#: What is known of a bud (`work_t.awake`); at the end of a load all its buds sleep again.
ASLEEP, POSED, AWAKE = 0, 1, 2

#: Rows of A, B, C in Space.buds[0], by collocation strains, and in Space.buds[2], times Phi and summed over the buds of
#: a point; then N W for dR/dv, and Phi of one bud.  Space.buds[1] is D Phi.  The sums are zero between calls.
A, B, C, SUMS, PHI = 0, 6, 12, 18, 24

#: Columns beyond a rod's coordinates that four at a time may write.
PADDING = 3


@inner
def bud_reach(bound, n, q):
    """How far buds may lie from the point they spring from.

    |exp(Omega)_p| <= |Omega_v| <= h |xi_v| (1 + sqrt(3)/6 h |xi_w|), each strain at most rest + sum |phi q|.
    ``bound`` = h, rest xi_w, rest xi_v, number of angular coordinates (they come first), then the largest |phi|.
    """
    w, v = bound[1], bound[2]
    angular = int(bound[3])
    for j in range(n):
        x = bound[4 + j] * abs(q[j])
        if j < angular:
            w += x
        else:
            v += x
    return bound[0] * v * (1.0 + 0.2886751345948129 * bound[0] * w)


@inner
def add_strains(block, c, phi, x, xi):
    """xi (2, 6) += Phi x at the two collocation points; coordinates of one strain component are neighbours."""
    for k in range(I6):
        a, b = xi[0, k], xi[1, k]
        for j in range(U(block.runs[k]), U(block.runs[k + I1])):
            y = x[U(block.start) + j]
            a += phi[0, U(c) + j] * y
            b += phi[1, U(c) + j] * y
        xi[0, k], xi[1, k] = a, b


@inner
def pose_bud(block, segment, c, phi, placement, at_base, previous, q, w, t):
    """Pose of a bud; ``previous`` is the point it springs from."""
    start_pose(previous, placement, at_base, w)
    for k in range(6):
        w.xi[0, 0, k], w.xi[0, 1, k], w.jet[0, k] = segment.rest[0, k], segment.rest[1, k], 0.0
    add_strains(block, c, phi, q, w.xi[0])
    add_ad(w.xi[0, 0], w.xi[0, 1], w.jet[0])
    for k in range(6):
        w.jet[0, k] = segment.half * (w.xi[0, 0, k] + w.xi[0, 1, k]) + segment.bracket * w.jet[0, k]
    exponential_pose(w)
    w.awake = POSED


@inner
def wake_bud(block, segment, c, phi, previous, v, w, t):
    """Twist, operators and their rates of a posed bud; no wrenches yet."""
    for k in range(6):
        w.xi[1, 0, k], w.xi[1, 1, k], w.jet[1, k], w.F[k], w.V[k] = 0.0, 0.0, 0.0, 0.0, previous.V[k]
        for l in range(6):
            w.G[k, l], w.N[k, l] = 0.0, 0.0
    add_strains(block, c, phi, v, w.xi[1])
    add_ad(w.xi[0, 0], w.xi[1, 1], w.jet[1])
    add_ad(w.xi[1, 0], w.xi[0, 1], w.jet[1])
    for k in range(6):
        w.jet[1, k] = segment.half * (w.xi[1, 0, k] + w.xi[1, 1, k]) + segment.bracket * w.jet[1, k]
    operators = _operators()  # not in t, where a contact keeps the frame of its surface
    tangent_operators(w.jet, 1, operators)
    for n in range(2):
        Ad_times(w.R0, w.p0, operators[n], w.T[n])
    add_ad_times(previous.V, w.T[0], w.T[1])
    add_apply(w.T[0], w.jet[1], w.V)
    w.awake = AWAKE


@inner
def bud_columns(Z, cv, W):
    """W[0], W[1] (6, 12): the matrices of S and R + c_v S by the strains at the two collocation points."""
    for m in range(2):
        for i in range(3):
            for j in range(3):
                c = 6 * m + j
                for d in range(2):
                    S = Z[0, m, d, i, j]
                    R = Z[1, m, d, i, j] + cv * S
                    W[0, 3 * d + i, c], W[1, 3 * d + i, c] = S, R
                    if d == 0:
                        W[0, 3 + i, c + 3], W[1, 3 + i, c + 3] = S, R
                        W[0, i, c + 3], W[1, i, c + 3] = 0.0, 0.0


@inlined
def pad_phi(runs, c, phi, f):
    """f (2, .) = Phi of a bud, the coordinates of each strain component filled up with zeros to a multiple of four."""
    p = U(0)
    for k in range(6):
        for l in range(U(runs[k]), U(runs[k + 1]), I4):
            for i in range(I4):
                inside = l + i < U(runs[k + 1])
                f[0, p + i] = phi[0, U(c) + l + i] if inside else 0.0
                f[1, p + i] = phi[1, U(c) + l + i] if inside else 0.0
            p += I4


@leaf
def expand_rows(M, rows, components, runs, f, out):
    """out (rows, n) = M Phi for M (rows, 12), four columns at a time: what is too much, the next ones overwrite."""
    p = U(0)
    for k in range(U(components)):
        for l in range(U(runs[k]), U(runs[k + I1]), I4):
            a0, a1, a2, a3 = f[0, p], f[0, p + I1], f[0, p + I2], f[0, p + I3]
            b0, b1, b2, b3 = f[1, p], f[1, p + I1], f[1, p + I2], f[1, p + I3]
            for i in range(U(rows)):
                x, y = M[i, k], M[i, I6 + k]
                out[i, l] = x * a0 + y * b0
                out[i, l + I1] = x * a1 + y * b1
                out[i, l + I2] = x * a2 + y * b2
                out[i, l + I3] = x * a3 + y * b3
            p += I4


@leaf
def add_expanded_rows(M, rows, components, runs, f, out):
    """out (rows, n) += M Phi; what is too much, up to `PADDING` columns, is zero unless M is not finite."""
    p = U(0)
    for k in range(U(components)):
        for l in range(U(runs[k]), U(runs[k + I1]), I4):
            a0, a1, a2, a3 = f[0, p], f[0, p + I1], f[0, p + I2], f[0, p + I3]
            b0, b1, b2, b3 = f[1, p], f[1, p + I1], f[1, p + I2], f[1, p + I3]
            for i in range(U(rows)):
                x, y = M[i, k], M[i, I6 + k]
                out[i, l] += x * a0 + y * b0
                out[i, l + I1] += x * a1 + y * b1
                out[i, l + I2] += x * a2 + y * b2
                out[i, l + I3] += x * a3 + y * b3
            p += I4


@leaf
def add_projected(X, components, runs, c, phi, n, start, out):
    """out[own, own] += Phi^T X for X (12, n)."""
    c, start = U(c), U(start)
    for k in range(U(components)):
        for i in range(U(runs[k]), U(runs[k + I1])):
            a, b = phi[0, c + i], phi[1, c + i]
            for j in range(U(n)):
                out[start + i, start + j] += a * X[k, j] + b * X[I6 + k, j]


@leaf
def map_transposed(A, X, out):
    """out (6, 12) = A^T X."""
    for k in range(I6):
        a0, a1, a2, a3, a4, a5 = A[0, k], A[1, k], A[2, k], A[3, k], A[4, k], A[5, k]
        for j in range(U(12)):
            out[k, j] = a0 * X[0, j] + a1 * X[1, j] + a2 * X[2, j] + a3 * X[3, j] + a4 * X[4, j] + a5 * X[5, j]


@leaf
def pull_back(T, X, out):
    """out (6, 12) = T^T X for a dual matrix T."""
    for i in range(U(3)):
        a, b, c = T[0, 0, i], T[0, 1, i], T[0, 2, i]
        d, e, f = T[1, 0, i], T[1, 1, i], T[1, 2, i]
        for j in range(U(12)):
            out[i, j] = a * X[0, j] + b * X[1, j] + c * X[2, j] + d * X[3, j] + e * X[4, j] + f * X[5, j]
            out[U(3) + i, j] = a * X[3, j] + b * X[4, j] + c * X[5, j]


@leaf
def add_step_columns(H, h, c, x, o, out):
    """out[:, o:o+6] += H (h I + c ad_x), row by row: (r ad_x) = [r_w x w + r_v x v, r_v x w]."""
    o = U(o)
    w0, w1, w2, v0, v1, v2 = c * x[0], c * x[1], c * x[2], c * x[3], c * x[4], c * x[5]
    for i in range(U(out.shape[0])):
        a, b, d, e, f, g = H[i, 0], H[i, 1], H[i, 2], H[i, 3], H[i, 4], H[i, 5]
        out[i, o] += h * a + b * w2 - d * w1 + f * v2 - g * v1
        out[i, o + I1] += h * b + d * w0 - a * w2 + g * v0 - e * v2
        out[i, o + I2] += h * d + a * w1 - b * w0 + e * v1 - f * v0
        out[i, o + I3] += h * e + f * w2 - g * w1
        out[i, o + I4] += h * f + g * w0 - e * w2
        out[i, o + I5] += h * g + e * w1 - f * w0


@leaf
def step_rows(h, c, x, X, r, out):
    """out[r:r+6] = (h I + c ad_x)^T X for X (6, 12), column by column."""
    r = U(r)
    w0, w1, w2, v0, v1, v2 = c * x[0], c * x[1], c * x[2], c * x[3], c * x[4], c * x[5]
    for j in range(U(X.shape[1])):
        a, b, d, e, f, g = X[0, j], X[1, j], X[2, j], X[3, j], X[4, j], X[5, j]
        out[r, j] = h * a + b * w2 - d * w1 + f * v2 - g * v1
        out[r + I1, j] = h * b + d * w0 - a * w2 + g * v0 - e * v2
        out[r + I2, j] = h * d + a * w1 - b * w0 + e * v1 - f * v0
        out[r + I3, j] = h * e + f * w2 - g * w1
        out[r + I4, j] = h * f + g * w0 - e * w2
        out[r + I5, j] = h * g + e * w1 - f * w0


@inner
def project_step(segment, xi, H, geometric, X, out):
    """out (12, 12) = Z^T (H Z + X) for X (6, 12), which becomes that sum; without H unless ``geometric``."""
    h, c = segment.half, segment.bracket
    if geometric:
        for n in range(2):
            add_step_columns(H, h, c if n == 1 else -c, xi[0, 1 - n], 6 * n, X)
    for m in range(2):
        step_rows(h, c if m == 1 else -c, xi[0, 1 - m], X, 6 * m, out)


@inner
def bud_matrices(segment, w, cv, t, M):
    """A, B and C of a bud in M (18, 12), and D = W^T A + C29 in t.C: both begin with Z^T, W = T Z."""
    collocation_matrices(segment, w, 1, t.Z)
    bud_columns(t.Z, cv, t.W)
    for k in range(6):
        for l in range(6):
            t.B[k, l] = w.G[k, l]
    add_coadbar(w.F, t.B)
    map_two_columns(w.N, t.W[1], 1.0, t.B, t.W[0], 0, 12, M[A : A + 6])
    map_transposed(w.N, t.W[0], M[B : B + 6])
    map_transposed(w.G, t.W[0], M[C : C + 6])
    step_derivative(w, t.H)
    pull_back(w.T[0], M[A : A + 6], t.W[2])
    project_step(segment, w.xi, t.H, True, t.W[2], t.C)
    apply_transposed(w.T[0], w.F, t.x)
    add_bracket_derivative(segment.bracket, t.x, t.C)


@inner
def bud_rate_matrices(segment, w, t, M):
    """The same for dR/dv: A = N W in M, D = W^T A in t.C (after `bud_matrices`)."""
    map_columns(w.N, t.W[0], 0, 12, M)
    pull_back(w.T[0], M, t.W[2])
    project_step(segment, w.xi, t.H, False, t.W[2], t.C)


@inlined
def add_bud_force(block, segment, c, phi, w, t, joint_force):
    """The generalised force Phi^T W^T F of a bud's own step (R subtracts ``joint_force``)."""
    apply_transposed(w.T[0], w.F, t.x)
    collocation_wrenches(segment, w.xi, t.x, t.f)
    for k in range(6):
        a, b = t.f[0, k], t.f[1, k]
        for j in range(U(block.runs[k]), U(block.runs[k + 1])):
            joint_force[U(block.start) + j] -= phi[0, U(c) + j] * a + phi[1, U(c) + j] * b


@inlined
def join_point(w, tangent, previous):
    """F, G and N of a bud are added to those of the point it springs from."""
    for k in range(6):
        previous.F[k] += w.F[k]
        if tangent:
            for l in range(6):
                previous.G[k, l] += w.G[k, l]
                previous.N[k, l] += w.N[k, l]


@inner
def add_bud_tangent(block, segment, c, phi, w, cv, separate, t, buds, local):
    """Phi^T D Phi into ``local``, A Phi, B Phi and C Phi into the sums."""
    M, X, sums, f = buds[0], buds[1], buds[2], buds[2, PHI:]
    six = buds.shape[1] - 20  # strain components; a loop that knows their number is unrolled
    pad_phi(block.runs, c, phi, f)
    bud_matrices(segment, w, cv, t, M)
    add_expanded_rows(M, SUMS, six, block.runs, f, sums)
    expand_rows(t.C, 12, six, block.runs, f, X)
    add_projected(X, six, block.runs, c, phi, block.n, block.start, local[0])
    if separate:
        bud_rate_matrices(segment, w, t, M)
        add_expanded_rows(M, 6, six, block.runs, f, sums[SUMS:])
        expand_rows(t.C, 12, six, block.runs, f, X)
        add_projected(X, six, block.runs, c, phi, block.n, block.start, local[1])


@inner
def point_path(tree, space, s, m, out):
    """out (6, n) = columns ``m`` (J or R) of a segment that is no bud, from the world outward; zero off its path."""
    rows = U(out.shape[0])  # six, but a loop that knows it is unrolled six times over
    for k in range(rows):
        for j in range(U(out.shape[1])):
            out[k, j] = 0.0
    if s == 0:
        return
    block, ranges, columns, totals = tree.blocks[tree.owner[s]], tree.ranges, space.columns, space.totals
    n, start = U(block.n), U(block.start)
    own = U(block.columns) + U(s - block.first) * n
    for k in range(rows):
        for j in range(n):
            out[k, start + j] = columns[m, k, own + j]
        for r in range(block.inward[0], block.inward[1]):
            for j in range(U(ranges[r, 0]), U(ranges[r, 1])):
                out[k, j] = totals[m - 1, k, j]
        for r in range(block.grafts[0], block.grafts[1]):
            lo, c = U(ranges[r, 0]), U(ranges[r, 2])
            for j in range(U(ranges[r, 1]) - lo):
                out[k, lo + j] = columns[m, k, c + j]


@leaf
def add_point_rows(P, X, n, start, out):
    """out[:, own] += P^T X for the path P (6, all) of a point; rows off the path are skipped."""
    start = U(start)
    for i in range(U(P.shape[1])):
        a0, a1, a2, a3, a4, a5 = P[0, i], P[1, i], P[2, i], P[3, i], P[4, i], P[5, i]
        if a0 != 0.0 or a1 != 0.0 or a2 != 0.0 or a3 != 0.0 or a4 != 0.0 or a5 != 0.0:
            for j in range(U(n)):
                out[i, start + j] += (
                    a0 * X[0, j] + a1 * X[1, j] + a2 * X[2, j] + a3 * X[3, j] + a4 * X[4, j] + a5 * X[5, j]
                )


@leaf
def add_point_columns(X, P, n, start, out):
    """out[own, :] += X^T P."""
    start = U(start)
    for i in range(U(n)):
        a0, a1, a2, a3, a4, a5 = X[0, i], X[1, i], X[2, i], X[3, i], X[4, i], X[5, i]
        for j in range(U(P.shape[1])):
            out[start + i, j] += a0 * P[0, j] + a1 * P[1, j] + a2 * P[2, j] + a3 * P[3, j] + a4 * P[4, j] + a5 * P[5, j]


@inner
def add_point_terms(tree, space, block, point, separate):
    """J_P^T A Phi + Phi^T (B^T R_P + C^T J_P) of the buds of one point; the sums are cleared, padding included.

    The next point may be of a rod with more coordinates, and zero times what is not finite is not zero.
    """
    n, start = block.n, block.start
    paths, sums, local = space.paths, space.buds[2], space.local
    if point != 0:
        for m in range(paths.shape[0] - 4):
            point_path(tree, space, point, J + m, paths[m])
        add_point_rows(paths[0], sums[0:6], n, start, local[0])
        add_point_columns(sums[6:12], paths[1], n, start, local[0])
        add_point_columns(sums[12:18], paths[0], n, start, local[0])
        if separate:
            add_point_rows(paths[0], sums[18:24], n, start, local[1])
            add_point_columns(sums[6:12], paths[0], n, start, local[1])
    for i in range(U(sums.shape[0]) - I2):
        for j in range(U(n + PADDING)):
            sums[i, j] = 0.0


@inner
def segment_path(tree, space, s, m, out):
    """As `point_path` for any segment: an awake bud's own step is added."""
    w, t, phi = space.work[s], space.scratch[0], tree.phi
    point = tree.parents[s] if w.awake == AWAKE else s
    point_path(tree, space, point, m, out)
    if w.awake == AWAKE:
        block = tree.blocks[tree.owner[s]]
        c, start = U(block.columns + (s - block.first) * block.n), U(block.start)
        collocation_matrices(tree.segments[s], w, 1, t.Z)
        bud_columns(t.Z, space.rates[0], t.W)
        for r in range(U(out.shape[0])):
            for j in range(U(block.runs[r]), U(block.runs[r + I1])):
                for k in range(U(out.shape[0])):
                    out[k, start + j] += phi[0, c + j] * t.W[m - J, k, r] + phi[1, c + j] * t.W[m - J, k, I6 + r]


@inner
def add_bud_coupling(tree, space, a, b, G, N):
    """J_a^T (G J_b + N R_b) at once, where a or b is a bud: dF_a = G zeta_b + N zeta_b' (see `core.couplings`)."""
    paths, local = space.paths, space.local
    for i in range(paths.shape[0] - 3):
        s, m = a if i == 0 else b, R if i == 2 else J
        segment_path(tree, space, s, m, paths[i])
    Ja, Jb, Rb, X = paths[0], paths[1], paths[2], paths[3]
    n = Ja.shape[1]
    map_two_columns(G, Jb, 1.0, N, Rb, 0, n, X)
    add_point_rows(Ja, X, n, 0, local[0])
    if space.rates[1] != 0.0:
        map_columns(N, Jb, 0, n, X)
        add_point_rows(Ja, X, n, 0, local[1])


@inner
def reach_point(previous, placement, at_base, out):
    """Where the step of a bud begins, from the common origin."""
    for i in range(3):
        out[i] = previous.p[i]
        if at_base:
            p = placement.p
            out[i] += previous.R[i, 0] * p[0] + previous.R[i, 1] * p[1] + previous.R[i, 2] * p[2]


@inner
def rouse(tree, space, s, stage):
    """Bring a segment, if it is a bud, to the ``stage`` POSED or AWAKE; returns whether it was woken now."""
    work, b, parent = space.work, tree.owner[s], tree.parents[s]
    w, block, t = work[s], tree.blocks[b], space.scratch[0]
    if s < block.first + block.active or s == 0 or w.awake >= stage:
        return False
    c, previous, segment = block.columns + (s - block.first) * block.n, work[parent], tree.segments[s]
    if w.awake == ASLEEP:
        at_base = parent == block.parent
        pose_bud(block, segment, c, tree.phi, tree.placement[b], at_base, previous, space.coordinates[0], w, t)
    if stage == AWAKE:
        wake_bud(block, segment, c, tree.phi, previous, space.coordinates[1], w, t)
    return stage == AWAKE


@inner
def fold_group(tree, space, where, first, last, tangent):
    """Fold the buds where[first:last] of one point into it, and let them sleep."""
    s, folded, cv, separate = where[first, 0], 0, space.rates[0], space.rates[1] != 0.0
    block, point = tree.blocks[tree.owner[s]], tree.parents[s]
    work, t, phi = space.work, space.scratch[0], tree.phi
    for i in range(first, last):
        s = where[i, 0]
        w, segment = work[s], tree.segments[s]
        c = block.columns + (s - block.first) * block.n
        if w.awake == AWAKE:
            folded += 1
            add_bud_force(block, segment, c, phi, w, t, space.joint_force)
            if point != 0:
                join_point(w, tangent, work[point])
            if tangent:
                add_bud_tangent(block, segment, c, phi, w, cv, separate, t, space.buds, space.local)
        w.awake = ASLEEP
    if tangent and folded > 0:
        add_point_terms(tree, space, block, point, separate)
