"""Folding dormant stations into the points they spring from, and coupling them to other segments.

A station's columns are those of its point P plus its own step's, J = J_P + W Phi, R = R_P + W' Phi, with (6, 12)
matrices W = T Z in the space of the strains at the two collocation points (`core.blocks.rod.collocation_matrices`).
F, G and N join those of P, whose projection is paid for already.  What the step adds to the force is
Phi^T W^T F, and to the tangent

    J_P^T A Phi + Phi^T (B^T R_P + C^T J_P) + Phi^T D Phi,
    A = N W' + (G + adbar*_F) W,    B = N^T W,    C = G^T W,    D = W^T A + d(S^T F)/dq ([GVS-AD] C29),

where only the last term is formed station by station: A Phi, B Phi and C Phi are (6, n) and summed over all stations of
a point; summed over all points of a rod, they are all that lies beyond its own rows and columns.  If dR/dv is asked for
separately, it is J_P^T A Phi + Phi^T B^T J_P + Phi^T D Phi with A = N W, D = W^T A.
No station ever has columns of its own.
"""

from __future__ import annotations

import numpy as np

from supple.core.arrays import matrix_at, space_view, tree_view
from supple.core.blocks.curved import step_derivative
from supple.core.blocks.rod import add_bracket_derivative, collocation_matrices, collocation_wrenches, write_plain
from supple.core.couplings import chain_columns
from supple.core.dormant import ASLEEP, AWAKE, ROUSE, DormantKernel
from supple.core.inertia import add_coadbar
from supple.core.loads import TANGENT
from supple.core.records import J_SUM, R_SUM, U_A, U_Q, U_V
from supple.core.views import address_of
from supple.jit import Work, calling, inlined, inner, leaf, local_array, opaque, outlined
from supple.lie.dual import apply_transposed
from supple.linalg.products import map_columns, map_two_columns

U = np.uint64  # unsigned indices vectorise, see linalg.products
I1, I2, I3, I4, I5, I6, I12 = U(1), U(2), U(3), U(4), U(5), U(6), U(12)

#: Rows of a station's matrices, (30, 12) by collocation strains, and of Space.folding[0], times Phi: A, B and C are
#: summed there over the stations of a point, D is the newest one's; then come the two rows of Phi, filled up.
A, B, C, D, PHI = 0, 6, 12, 18, 30
#: The same of dR/dv, (18, 12), and of Space.folding[1]: A, then D.
RATE_D = 6

#: Columns beyond a rod's coordinates that four at a time may write.
PADDING = 3

_wrench, _wrenches, _matrix, _wide = local_array(6), local_array(2, 6), local_array(6, 6), local_array(6, 12)
_matrices = local_array(30, 12)
_duals = local_array(2, 2, 2, 3, 3)  # of S and R at the two collocation points
_columns = local_array(2, 6, 12)  # W and W' + c_v W


@inner
def step_columns(segment, w, cv, W):
    """W[0] = W, W[1] = W' + c_v W (6, 12): what S and R + c_v S are by the strains at the two collocation points."""
    Z = _duals()
    collocation_matrices(segment, w, 1, Z)
    for m in range(2):
        for d in range(2):
            for i in range(3):
                for j in range(3):
                    Z[1, m, d, i, j] += cv * Z[0, m, d, i, j]
    for n in range(2):
        write_plain(Z[n], W[n])


@leaf
def map_transposed(A, X, out):
    """out (6, 12) = A^T X."""
    for k in range(I6):
        a0, a1, a2, a3, a4, a5 = A[0, k], A[1, k], A[2, k], A[3, k], A[4, k], A[5, k]
        for j in range(I12):
            out[k, j] = a0 * X[0, j] + a1 * X[1, j] + a2 * X[2, j] + a3 * X[3, j] + a4 * X[4, j] + a5 * X[5, j]


@leaf
def pull_back(T, X, out):
    """out (6, 12) = T^T X for a dual matrix T."""
    for i in range(I3):
        a, b, c = T[0, 0, i], T[0, 1, i], T[0, 2, i]
        d, e, f = T[1, 0, i], T[1, 1, i], T[1, 2, i]
        for j in range(I12):
            out[i, j] = a * X[0, j] + b * X[1, j] + c * X[2, j] + d * X[3, j] + e * X[4, j] + f * X[5, j]
            out[I3 + i, j] = a * X[3, j] + b * X[4, j] + c * X[5, j]


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
def add_step_map(segment, xi, H, X):
    """X (6, 12) += H Z for H (6, 6); Z_1 = h/2 - c ad_xi2, Z_2 = h/2 + c ad_xi1."""
    h, c = segment.half, segment.bracket
    for n in range(2):
        add_step_columns(H, h, c if n == 1 else -c, xi[0, 1 - n], 6 * n, X)


@inner
def project_step(segment, xi, X, out):
    """out (12, 12) = Z^T X for X (6, 12)."""
    h, c = segment.half, segment.bracket
    for m in range(2):
        step_rows(h, c if m == 1 else -c, xi[0, 1 - m], X, 6 * m, out)


@inner
def station_matrices(segment, w, W, M):
    """A, B, C and D of a station in M (30, 12); D = W^T A + C29, of which both begin with Z^T, W = T Z."""
    turned, H, pulled, f = _matrix(), _matrix(), _wide(), _wrench()
    first, last = M[A:B], M[D:]
    for k in range(6):
        for l in range(6):
            turned[k, l] = w.G[k, l]
    add_coadbar(w.F, turned)
    map_two_columns(w.N, W[1], 1.0, turned, W[0], 0, 12, first)
    map_transposed(w.N, W[0], M[B:C])
    map_transposed(w.G, W[0], M[C:D])
    step_derivative(w, H)
    pull_back(w.T[0], first, pulled)
    add_step_map(segment, w.xi, H, pulled)
    project_step(segment, w.xi, pulled, last)
    apply_transposed(w.T[0], w.F, f)
    add_bracket_derivative(segment.bracket, f, last)


@inner
def station_rate_matrices(segment, w, W, M):
    """The same of dR/dv: A = N W and D = W^T A in the first 18 rows of M."""
    pulled = _wide()
    map_columns(w.N, W[0], 0, 12, M)
    pull_back(w.T[0], M, pulled)
    project_step(segment, w.xi, pulled, M[RATE_D:])


@inlined
def pad_phi(runs, c, phi, f):
    """f (2, .) = Phi of a station; the coordinates of each strain component are filled up to fours by zeros."""
    p = U(0)
    for k in range(6):
        for l in range(U(runs[k]), U(runs[k + 1]), I4):
            for i in range(I4):
                inside = l + i < U(runs[k + 1])
                f[0, p + i] = phi[0, U(c) + l + i] if inside else 0.0
                f[1, p + i] = phi[1, U(c) + l + i] if inside else 0.0
            p += I4


@outlined
def expand_rows(M, sums, runs, f, out):
    """out = M Phi for M (rows, 12), Phi (12, n): added to the first ``sums`` rows of out (., n), written to the others.

    Four columns at a time: of what is too much, up to `PADDING` columns, sums gain zero unless M is not finite, and
    other rows are overwritten by the next ones.
    """
    p, rows = U(0), U(M.shape[0])
    for k in range(U(opaque(6))):
        for l in range(U(runs[k]), U(runs[k + I1]), I4):
            a0, a1, a2, a3 = f[0, p], f[0, p + I1], f[0, p + I2], f[0, p + I3]
            b0, b1, b2, b3 = f[1, p], f[1, p + I1], f[1, p + I2], f[1, p + I3]
            for i in range(U(sums)):
                x, y = M[i, k], M[i, I6 + k]
                out[i, l] += x * a0 + y * b0
                out[i, l + I1] += x * a1 + y * b1
                out[i, l + I2] += x * a2 + y * b2
                out[i, l + I3] += x * a3 + y * b3
            for i in range(U(sums), rows):
                x, y = M[i, k], M[i, I6 + k]
                out[i, l] = x * a0 + y * b0
                out[i, l + I1] = x * a1 + y * b1
                out[i, l + I2] = x * a2 + y * b2
                out[i, l + I3] = x * a3 + y * b3
            p += I4


@outlined
def add_projected(X, row, runs, c, phi, n, start, out):
    """out[own, own] += Phi^T X[row:row+12]."""
    c, start, row = U(c), U(start), U(row)
    for k in range(U(opaque(6))):
        for i in range(U(runs[k]), U(runs[k + I1])):
            a, b = phi[0, c + i], phi[1, c + i]
            for j in range(U(n)):
                out[start + i, start + j] += a * X[row + k, j] + b * X[row + I6 + k, j]


@inner
def add_station_tangent(block, segment, c, phi, w, space):
    """Phi^T D Phi into Space.local; A Phi, B Phi and C Phi into the sums."""
    W, M, folding, local, f = _columns(), _matrices(), space.folding, space.local, space.folding[0, PHI:]
    step_columns(segment, w, space.rates[0], W)
    pad_phi(block.runs, c, phi, f)
    for k in range(1 if space.rates[1] == 0.0 else 2):  # the second time dR/dv; written twice, it would compile twice
        last = D if k == 0 else RATE_D
        if k == 0:
            station_matrices(segment, w, W, M)
        else:
            station_rate_matrices(segment, w, W, M)
        expand_rows(M[: last + 12], last, block.runs, f, folding[k])
        add_projected(folding[k], last, block.runs, c, phi, block.n, block.start, local[k])


@inner
def add_station_force(block, segment, c, phi, w, joint_force):
    """The generalised force Phi^T W^T F of a station's own step (R subtracts ``joint_force``)."""
    local, f = _wrench(), _wrenches()
    apply_transposed(w.T[0], w.F, local)
    collocation_wrenches(segment, w.xi, local, f)
    for k in range(6):
        a, b = f[0, k], f[1, k]
        for j in range(U(block.runs[k]), U(block.runs[k + 1])):
            joint_force[U(block.start) + j] -= phi[0, U(c) + j] * a + phi[1, U(c) + j] * b


@inlined
def join_point(w, tangent, previous):
    """F_P += F, and in tangents G_P += G, N_P += N: a station's join those of the point P that it springs from."""
    for k in range(6):
        previous.F[k] += w.F[k]
        if tangent:
            for l in range(6):
                previous.G[k, l] += w.G[k, l]
                previous.N[k, l] += w.N[k, l]


@outlined
def add_outer_block(X, n, row, Y, m, column, out):
    """out[row:row+n, column:column+m] += X^T Y for X (6, n), Y (6, m); columns of X that are zero are skipped."""
    row, column = U(row), U(column)
    for i in range(U(n)):
        a0, a1, a2, a3, a4, a5 = X[0, i], X[1, i], X[2, i], X[3, i], X[4, i], X[5, i]
        if a0 != 0.0 or a1 != 0.0 or a2 != 0.0 or a3 != 0.0 or a4 != 0.0 or a5 != 0.0:
            for j in range(U(m)):
                out[row + i, column + j] += (
                    a0 * Y[0, j] + a1 * Y[1, j] + a2 * Y[2, j] + a3 * Y[3, j] + a4 * Y[4, j] + a5 * Y[5, j]
                )


@inner
def add_point_term(space, n, start, k):
    """J_P^T A Phi, Phi^T B^T R_P, Phi^T C^T J_P (k = 0, 1, 2); of dR/dv J_P^T A Phi, Phi^T B^T J_P (k = 3, 4)."""
    chains, folding = space.chains, space.folding
    columns, out = chains[1 if k == 1 else 0], space.local[0 if k < 3 else 1]
    rows, total = folding[1 if k == 3 else 0, 6 * (k % 3) :], chains.shape[2]
    if k % 3 == 0:
        X, x, row, Y, y, column = columns, total, 0, rows, n, start
    else:
        X, x, row, Y, y, column = rows, n, start, columns, total, 0
    add_outer_block(X, x, row, Y, y, column, out)


@inner
def hand_over(sums, n, start, totals):
    """U_Q += A Phi, U_V += B Phi, U_A += C Phi of a rod, in ``totals``, for `core.tree_tangent`.

    What the rod's stations hand inward, and how they follow the rates and the pose of what the rod hangs on.
    """
    for k in range(opaque(6)):
        for j in range(U(n)):
            totals[U_Q, k, U(start) + j] += sums[U(A) + U(k), j]
            totals[U_V, k, U(start) + j] += sums[U(B) + U(k), j]
            totals[U_A, k, U(start) + j] += sums[U(C) + U(k), j]


@inner
def add_point_terms(tree, space, block, point):
    """J_P^T A Phi + Phi^T (B^T R_P + C^T J_P) of the stations of one point; the sums are cleared, padding included.

    The next point may be of a rod with more coordinates, and zero times what is not finite is not zero.
    """
    n, sums, rates = block.n, space.folding[0], space.folding[1]
    if point != 0:
        for m in range(opaque(2)):
            chain_columns(tree, space, point, J_SUM + m, space.chains[m])
        for k in range(3 if space.rates[1] == 0.0 else 5):
            add_point_term(space, n, block.start, k)
        if space.rates[1] == 0.0:
            hand_over(sums, n, block.start, space.totals)
    for j in range(U(n + PADDING)):
        for i in range(U(D)):
            sums[i, j] = 0.0
        for i in range(U(RATE_D)):
            rates[i, j] = 0.0


@inner
def station_columns(tree, space, s, m, out):
    """out (6, n) = J_P + W Phi or R_P + W' Phi of an awake station, m = J_SUM or R_SUM; else the columns of its chain.

    Chains are those of `core.couplings.chain_columns`; the step's W is combined with c_v as they are.
    """
    w, phi = space.work[s], tree.phi
    chain_columns(tree, space, tree.parents[s] if w.awake == AWAKE else s, m, out)
    if w.awake == AWAKE:
        W, block, rows = _columns(), tree.blocks[tree.owner[s]], U(opaque(6))
        c, start = U(block.columns + (s - block.first) * block.n), U(block.start)
        step_columns(tree.segments[s], w, space.rates[0], W)
        for r in range(rows):
            for j in range(U(block.runs[r]), U(block.runs[r + I1])):
                for k in range(rows):
                    out[k, start + j] += phi[0, c + j] * W[m - J_SUM, k, r] + phi[1, c + j] * W[m - J_SUM, k, I6 + r]


def _couple_stations(tree, space, a, b, G_at, N_at):  # type: ignore[no-untyped-def]
    """J_a^T (G J_b + N R_b) at once, where a or b is awake: dF_a = G zeta_b + N zeta_b' (see `core.couplings`)."""
    at, scratch = tree_view(tree), space_view(space)
    scratch.count[4] += 1
    chains, local, G, N = scratch.chains, scratch.local, matrix_at(G_at, (6, 6)), matrix_at(N_at, (6, 6))
    for i in range(opaque(3)):
        s, m = a if i == 0 else b, R_SUM if i == 2 else J_SUM
        station_columns(at, scratch, s, m, chains[i])
    Ja, Jb, Rb, X = chains[0], chains[1], chains[2], chains[3]
    n = Ja.shape[1]
    map_two_columns(G, Jb, 1.0, N, Rb, 0, n, X)
    add_outer_block(Ja, n, 0, X, n, 0, local[0])
    if scratch.rates[1] != 0.0:
        map_columns(N, Jb, 0, n, X)
        add_outer_block(Ja, n, 0, X, n, 0, local[1])


def _fold_stations(tree, space, first, last, mode):  # type: ignore[no-untyped-def]
    """Fold the dormant stations from ``first`` to ``last`` of the point of the first into it, and let them sleep."""
    at, scratch, tangent = tree_view(tree), space_view(space), mode == TANGENT
    block, point = at.blocks[at.owner[first]], at.parents[first]
    work, phi, folded = scratch.work, at.phi, 0
    for s in range(first, last + 1):
        w, segment, c = work[s], at.segments[s], block.columns + (s - block.first) * block.n
        if at.parents[s] != point:
            continue
        if w.awake == AWAKE:
            folded += 1
            add_station_force(block, segment, c, phi, w, scratch.joint_force)
            if point != 0:
                join_point(w, tangent, work[point])
            if tangent:
                add_station_tangent(block, segment, c, phi, w, scratch)
        w.awake = ASLEEP
    if tangent and folded > 0:
        add_point_terms(at, scratch, block, point)


# short around its outlined loops it is as fast
FOLD, COUPLE = (DormantKernel(function, Work.BOOKKEEPING) for function in (_fold_stations, _couple_stations))


def dormant_kernels(present: bool, coupled: bool) -> tuple[DormantKernel | None, ...]:
    """What a load calls (`Bound.calls`) if dormant stations are present; coupled if both sides of a pair may move."""
    return (ROUSE, FOLD, COUPLE if coupled else None) if present else (None, None, None)


_call_fold, _call_couple = calling(FOLD.signature), calling(COUPLE.signature)


@inlined
def call_fold(calls, tree, space, first, last, mode):
    """Fold stations by address; ``calls`` are those of `dormant_kernels`."""
    _call_fold(calls[1], (address_of(tree), address_of(space), first, last, mode))


@inlined
def call_couple(calls, tree, space, a, b, G, N):
    """Couple stations by address."""
    _call_couple(calls[2], (address_of(tree), address_of(space), a, b, G.ctypes.data, N.ctypes.data))
